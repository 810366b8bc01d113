"""Accepted bets as one writes them down: `ann banker 100, bo player 50`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firmware_bridge.client import Wager


def wagers(text: str) -> tuple[Wager, ...]:
    """In the order of acceptance."""
    rows = (each.split() for each in text.split(",") if each.strip())
    return tuple(Wager(person, bet, Decimal(stake)) for person, bet, stake in rows)


def head(seq: int, n: int = 1, of: int = 1, journal: str = "3-abc") -> dict[str, Any]:
    """What a message of a stream begins with."""
    named = {"v": 1, "table": "T07", "shoe": 3, "journal": journal, "seq": seq}
    return named | {"at": "2026-11-20T21:33:05.123Z", "boot": "b", "n": n, "of": of}


def round_message(status: Any = "closed", revision: Any = 0, **bets: Any) -> dict[str, Any]:
    """A round as `json.loads` gives it: round 12 of shoe 3."""
    message = head(57 + revision, of=2) | {
        "game": "baccarat", "round": 12, "revision": revision, "cards": [], "unit": "stake", "stakes": {},
        "last": False, "why": [], "prev": None, "status": status,
    }  # fmt: skip
    if status == "voided":
        return message | {"by": "floor"}
    message |= {"hands": {}, "outcome": "banker", "bets": bets, "carried": 0, "flags": []}
    return message | ({"corrects": 56 + revision, "by": "floor"} if status == "corrected" else {})
