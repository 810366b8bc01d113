"""The roles of people at a table: what each may ask the daemon for. Names only, so that a command loads quickly."""

from typing import Final, Literal

Role = Literal["owner", "pit", "tech", "audit", "dealer"]
"""A role, by the socket on which a request came; `owner` is root and the daemon's own user, who may do everything."""

GROUPS: Final[dict[Role, str]] = {
    "pit": "shoe-pit",
    "tech": "shoe-tech",
    "audit": "shoe-audit",
    "dealer": "shoe-dealer",
}
"""Role -> its Unix group. A role's socket lies in a folder of the role's name beside the control socket."""

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
    """The roles, besides the owner, that may send a request; what has no row is an order, which the pit gives."""
    return _RIGHTS.get(do, ("pit",))
