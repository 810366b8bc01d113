"""Packages that a plain install does not bring: which extra has them."""

from __future__ import annotations

from importlib.util import find_spec

from firmware_bridge.errors import BridgeError


def need(package: str, extra: str) -> None:
    """Make sure that a package is installed. Raises BridgeError, which names the extra that brings it."""
    if find_spec(package) is None:
        raise BridgeError(f"this needs the package {package}", f"pip install 'firmware-bridge[{extra}]'")
