"""Packages that only a part of the back office needs: each comes with an extra of the installation."""

from __future__ import annotations

from importlib import import_module

from firmware_bridge.errors import ConfigError


def need(package: str, extra: str) -> None:
    """Raise ConfigError where a package cannot be imported, with the extra that brings it."""
    try:
        import_module(package)
    except ImportError as error:
        what = f"this needs the package {package}, which cannot be used here ({error})"
        raise ConfigError(what, f"pip install 'firmware-bridge[{extra}]'") from None
