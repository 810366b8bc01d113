"""Accepted bets as one writes them down: `ann banker 100, bo player 50`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firmware_bridge.client import Wager


def wagers(text: str) -> tuple[Wager, ...]:
    """In the order of acceptance."""
    rows = (each.split() for each in text.split(",") if each.strip())
    return tuple(Wager(person, bet, Decimal(stake)) for person, bet, stake in rows)


def round_message(status: str = "closed", revision: int = 0, **bets: Any) -> dict[str, Any]:
    """A round as `json.loads` gives it: round 12 of shoe 3."""
    return {
        "v": 1, "table": "T07", "shoe": 3, "journal": "3-abc", "seq": 57 + revision, "n": 1, "of": 2, "prev": None,
        "round": 12, "status": status, "revision": revision, "bets": bets,
    }  # fmt: skip
