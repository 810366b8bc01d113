"""Results of rounds, and the money that comes of them, in short words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firmware_bridge.client import Rounding, settle
from tests.client.wagers import round_message, wagers

EXACT = Rounding()
BANKER = {"player": -1, "banker": 0.95, "banker_no_commission": 1, "tie": -1, "lucky_6": -1}
BANKER_6 = {"player": -1, "banker": 0.95, "banker_no_commission": 0.5, "tie": -1, "lucky_6": 12}
TIE = {"player": 0, "banker": 0, "banker_no_commission": 0, "tie": 8, "lucky_6": -1}
RESULTS = {"banker": BANKER, "banker 6": BANKER_6, "tie": TIE}


def money(text: str) -> dict[str, Decimal]:
    """`ann 195, bo 0` by person."""
    return {person: Decimal(amount) for person, amount in (each.split() for each in text.split(",") if each.strip())}


ACCEPTED = "ann banker 100, bo player 70, cy tie 5"
FIRST = settle(round_message(**BANKER), wagers(ACCEPTED), EXACT)
TIED = settle(round_message("corrected", 1, **TIE), wagers(ACCEPTED), EXACT)


def in_money(status: str = "closed", **stakes: tuple[str, str]) -> dict[str, Any]:
    """A round of a game that is played for money, by what was put in and its net."""
    message = round_message(status) | {"unit": "money", "stakes": stakes}
    return message if status == "voided" else message | {"bets": {bet: net for bet, (_, net) in stakes.items()}}
