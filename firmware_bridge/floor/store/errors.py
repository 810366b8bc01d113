"""What a store raises."""

from firmware_bridge.errors import BridgeError


class StoreError(BridgeError, OSError):
    """The store cannot be read or written now."""


class DamagedBlock(StoreError):
    """A block that does not hold what was put into it."""
