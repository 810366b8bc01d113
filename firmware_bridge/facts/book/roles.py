"""The roles of people at a table, each with its Unix group. Names only, so that a command loads quickly."""

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
