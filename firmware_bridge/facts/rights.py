"""What each role at a table may ask the daemon for, besides orders. Names only, so that a command loads quickly."""

from typing import Final

from firmware_bridge.facts.book.roles import Role

_RIGHTS: Final[dict[str, tuple[Role, ...]]] = {
    "status": ("pit", "tech", "audit"),
    "watch": ("pit", "tech", "audit", "dealer"),
    "confirm": ("pit", "tech"),
    "take_back": ("pit", "tech"),
    "lend": ("tech",),
    "calibration": ("tech",),
    "keep_calibration": ("tech",),
    "begin_record": ("tech",),
    "rotate_key": ("tech",),
    "retire_key": ("tech",),
    "journals": ("audit",),
    "journal": ("audit",),
}


def roles_for(do: str) -> tuple[Role, ...]:
    """Return the roles besides the owner that may send a request; what is unknown is refused as an order of the pit."""
    if do in _RIGHTS:
        return _RIGHTS[do]
    from firmware_bridge.facts.book.orders import ORDERS  # imported here: a command that only asks needs no order

    return ORDERS[do].who if do in ORDERS else ("pit",)
