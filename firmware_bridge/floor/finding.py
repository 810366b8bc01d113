"""What `shoe-floor check` says of one thing."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A thing that was looked at: whether it is fine, what was found, and what to do."""

    fine: bool
    what: str
    todo: str = ""
