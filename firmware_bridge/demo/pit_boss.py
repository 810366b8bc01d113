"""The pit boss of a simulated table: opens shoes, and decides about irregularities."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import Card

CHOICES: Final = {
    "foreign": "remove",
    "duplicate": "remove",
    "face_up": "keep",
    "double_feed": "keep",
    "backwards": "keep",
    "jam": "keep",
    "burn_over": "accept",
    "wrong_slot": "accept",
    "lid_opened": "continue",
    "internal_error": "continue",
}
"""Irregularity -> the pit boss's choice where the house allows it, else the first it allows of those that stop play.

What waits for no choice is left to the dealer, or to the device that comes back.
"""

CONFIRMED: Final = ("restarted_mid_round", "reader_back", "reader_gap")
"""Irregularities that the dealer's NEXT closes."""

IN_USE: Final = "a shoe is in use"

LONGEST: Final = 1 << 20
"""Bytes of the longest answer."""


class Refused(BridgeError, RuntimeError):
    """The daemon did not obey."""


class PitBoss:
    """Speaks to the daemon over its control socket, as `shoe do` does."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    async def open_shoe(self) -> None:
        """Confirm the packs and open the shoe, unless the guests' first word has opened it. Raises Refused."""
        order = {"do": "open_shoe", "by": "Ines", "dealer": "Dora", "confirmed_by": "Ines"}
        answer = await self._ask(order)
        if not answer["ok"] and answer.get("error") != IN_USE:
            raise Refused(f"open_shoe: {answer.get('error')}", answer.get("hint", ""))

    async def decide(self, last: Card | None) -> None:
        """Look at what is open and settle it; `last` is the card drawn last. Raises Refused."""
        status = await self._ask({"do": "status"})
        for alarm in status["alarm"]["open"]:
            irregularity = alarm["id"]
            if irregularity == "unreadable" and last is not None:
                await self._order(do="enter", by="Ines", second="Dora", card=last.value)
            elif choice := _choice(alarm, status["table"]["phase"]):
                await self._order(do="resolve", by="Ines", irregularity=irregularity, choice=choice)

    async def _order(self, **fields: str) -> None:
        answer = await self._ask(fields)
        if not answer["ok"]:
            raise Refused(f"{fields['do']}: {answer.get('error')}", answer.get("hint", ""))

    async def _ask(self, request: dict[str, str]) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(self._socket, limit=LONGEST)
        try:
            writer.write(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(await reader.readline())
            return answer
        finally:
            writer.close()


def _choice(alarm: dict[str, Any], phase: str) -> str | None:
    """The pit boss's choice, of those the house allows; a round that is closed already cannot be voided any more."""
    irregularity, allowed = alarm["id"], alarm["choices"]
    if irregularity == "result_mismatch":
        return "void" if phase in ("dealing", "complete") else "accept"
    if (wanted := CHOICES.get(irregularity)) in allowed:
        return wanted
    is_asked = alarm["blocks"] and allowed and irregularity not in CONFIRMED
    return str(allowed[0]) if is_asked else None
