"""Simulated guests, who bet, open sealed cards and give marks, and a pit boss, who settles irregularities."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final, Literal
from uuid import uuid4

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import NOT_YET
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import MarkDue
from firmware_bridge.games.strategy import Asked
from firmware_bridge.mqtt.settings import NotConnected
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.handlers.disclosure import is_sealed, waits_for_reveal
from firmware_bridge.shoe.round import asked, coming, layout, opens_itself, rules
from firmware_bridge.topics.texts.refusals import words_of

BET: Final = "100"
PURSE: Final = "1000"
"""Bet and purse of each seat, in money."""

GLANCE_S: Final = 0.02
"""Seconds between two checks of the table."""

BET_S: Final = 3.0
SQUEEZE_S: Final = 1.5
"""Seconds that guests need to bet, and to open cards, at speed 1."""

PATIENCE_S: Final = 2.0
"""Seconds after which an order without effect is repeated, with the same id so that it acts once."""

Order = dict[str, Any]
Give = Callable[[Order], None]


def asks_guests(house: House) -> bool:
    """Return whether guests give orders at such a table."""
    game = GAMES[house.game]
    return bool(game.money.stakes or game.play.words) or house.betting == "required" or house.disclose == "sealed"


def waits(shoe: Shoe | None) -> Literal["", "cards", "bets", "purses", "marks"]:
    """Return what guests must do before the next card, "" if nothing.

    They open sealed `cards`, place `bets`, bring the `purses` that open the next pack, or give `marks`.
    """
    if shoe is None:
        return ""
    if _is_sealed(shoe):
        return "cards"
    after = coming(shoe)
    now = phase(after)
    if now is Phase.BETTING:
        return "bets" if phase(shoe) is now else "purses"
    return "marks" if now in (Phase.READY, Phase.DEALING) and isinstance(asked(after), MarkDue) else ""


def pack_number(shoe: Shoe | None) -> int:
    """Return the number of the pack in the shoe or due next; constant where a pit boss opens each pack."""
    return shoe.number + opens_itself(shoe) if shoe and rules(shoe).play.one_round_packs else 0


def next_order(shoe: Shoe, rng: Random, seats: int | None = None) -> Order | None:
    """Return the next order of the guests, None for none. seats: how many play, None for all. rng: for choices."""
    if not waits(shoe):
        return None
    if _is_sealed(shoe):
        return {"do": "reveal"}
    shoe = coming(shoe)
    if phase(shoe) is Phase.BETTING:
        return _bets(rules(shoe), seats)
    question = asked(shoe)
    if not isinstance(question, MarkDue):
        return None
    slot, offers = next(iter(question.act.items()))
    word, value = rules(shoe).demo.strategy(Asked(slot, offers, layout(shoe), _hand(shoe, slot)), rng)
    order: Order = {"do": "mark", "round": shoe.round, "turn": shoe.turn, "word": word}
    if slot != LOT:
        order["seat"] = int(slot.partition(".")[0].lstrip("S"))
    return order if value is None else order | {"value": value}


def _hand(shoe: Shoe, slot: str) -> list[Card]:
    """Return the cards of a seat's hand."""
    placed = layout(shoe).placed
    return [laid.card for laid, each in zip(shoe.laid, placed, strict=False) if laid.card and each.plays == slot]


def _is_sealed(shoe: Shoe) -> bool:
    """Return whether sealed cards wait for a guest to open them."""
    return is_sealed(shoe) and waits_for_reveal(shoe)


def _bets(game: Game, seats: int | None) -> Order:
    if not game.money.stakes:
        return {"do": "bets_closed"}
    amount = {"bets": BET, "money": PURSE}[game.money.stakes]
    return {"do": "bets_closed", game.money.stakes: dict.fromkeys(_seats(game)[:seats], amount)}


def seat_counts(game: Game) -> range:
    """Return the possible numbers of seats at a simulated table."""
    return range(game.play.players[0], len(_seats(game)) + 1) if game.play.words else range(0)


def _seats(game: Game) -> list[str]:
    """Return the numbers of the seats that may play, from their lamps or slots (`S1`, `S2`)."""
    named = dict.fromkeys(name.partition(".")[0].removeprefix("S") for name in (*game.slots, *game.seats))
    return [number for number in named if number.isdecimal()][: game.play.players[-1]] or ["1"]


def _pause(shoe: Shoe) -> float:
    """Return the guests' thinking time in seconds."""
    return BET_S if phase(shoe) is Phase.BETTING else SQUEEZE_S if _is_sealed(shoe) else 0.0


async def play_seats(
    shoe: Callable[[], Shoe | None], give: Give, rng: Random, speed: float = 1.0, seats: int | None = None
) -> None:
    """Play the guests until cancelled, at `speed` (1: human). give: sends an order; may raise NotConnected."""
    loop = asyncio.get_running_loop()
    known, order, again = None, None, 0.0
    while True:
        await asyncio.sleep(GLANCE_S)
        now = shoe()
        if now is None or not waits(now):
            continue
        opened = sum(laid.shown for laid in now.laid)
        moment = (now.journal, now.round, now.turn, len(now.replies), now.betting, opened)
        if moment != known and (order := next_order(now, rng, seats)):
            known, order, again = moment, {"id": uuid4().hex, **order}, loop.time() + _pause(now) / speed
        if order and loop.time() >= again:
            with suppress(NotConnected):  # the same order is repeated when the broker is back
                give(order)
                again = loop.time() + PATIENCE_S


CHOICES: Final = {
    "foreign": "remove",
    "duplicate": "remove",
    "face_up": "keep",
    "double_feed": "keep",
    "backwards": "keep",
    "jam": "keep",
    "burn_over": "accept",
    "wrong_slot": "accept",
    "cut_card_early": "continue",
    "lid_opened": "continue",
    "internal_error": "continue",
    "unshuffled": "continue",
}
"""Irregularity -> the pit boss's choice if the house allows it; else the first choice allowed, if play is stopped.

Other irregularities are closed by the dealer, or by the device that returns.
"""

WATCHED: Final = ("unshuffled",)
"""Irregularities that stop no play, and that the pit boss settles by himself."""

CONFIRMED: Final = ("restarted_mid_round", "reader_back", "reader_gap")
"""Irregularities closed by the dealer's NEXT."""

IN_USE: Final = "shoe_in_use"

LONGEST: Final = 1 << 20
"""Longest answer, in bytes."""


class OrderNotTaken(BridgeError, RuntimeError):
    """The daemon refused an order."""


class PitBoss:
    """Gives orders over the daemon's control socket, as `shoe do` does."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    async def open_shoe(self, left: int | None = None) -> None:
        """Confirm the packs and open the shoe, unless a guest's mark has opened it. Raises OrderNotTaken.

        left: cards in a shoe that was dealt from elsewhere, None for a full one.
        """
        order: dict[str, Any] = {"do": "open_shoe", "by": "Ines", "dealer": "Dora", "confirmed_by": "Ines"}
        if left is not None:
            order["pack"] = {"left": left}
        answer = await self._ask(order)
        if not answer["ok"] and answer.get("code") != IN_USE:
            raise _refused("open_shoe", answer)

    async def decide(self, last: Card | None) -> None:
        """Settle the open irregularities; `last` is the card drawn last. Raises OrderNotTaken."""
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
            raise _refused(fields["do"], answer)

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the daemon's answer; an order is repeated, with its id, while a slow disk keeps it back."""
        request = {"id": uuid4().hex, **request}
        while (answer := await self._answer(request)).get("code") in ("disk_late", NOT_YET):
            await asyncio.sleep(GLANCE_S)
        return answer

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        with socket_address(self._socket) as address:
            reader, writer = await asyncio.open_unix_connection(address, limit=LONGEST)
        try:
            writer.write(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = from_json(await reader.readline())
            return answer
        finally:
            writer.close()


def _choice(alarm: dict[str, Any], phase: str) -> str | None:
    """Return the pit boss's choice among those allowed, None for none; a closed round can no longer be voided."""
    irregularity, allowed = alarm["id"], alarm["choices"]
    if irregularity == "result_mismatch":
        return "void" if phase in ("dealing", "complete") else "accept"
    if (wanted := CHOICES.get(irregularity)) in allowed:
        return wanted
    is_required = (alarm["blocks"] or irregularity in WATCHED) and allowed and irregularity not in CONFIRMED
    return str(allowed[0]) if is_required else None


def _refused(do: str, answer: dict[str, Any]) -> OrderNotTaken:
    why, todo = words_of("en", answer)
    return OrderNotTaken(f"{do}: {why}", todo)
