"""Packages that only some commands of `shoe-floor` need."""

from __future__ import annotations

from importlib.util import find_spec

from firmware_bridge.errors import BridgeError


def need(package: str, extra: str) -> None:
    """Raises BridgeError that names the extra, where a package of it is not installed."""
    if find_spec(package) is None:
        raise BridgeError(f"the package {package} is not installed", f"pip install 'firmware-bridge[{extra}]'")
