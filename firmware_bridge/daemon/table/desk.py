"""The desk where orders are given, at the table and over MQTT alike: JSON in, an answer out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from firmware_bridge.daemon.table.mistakes import mistake, shown
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.house import House
from firmware_bridge.facts.printable import did_you_mean, fault
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import terms_of
from firmware_bridge.journal.resend import NotInJournal, Range, ranges
from firmware_bridge.shoe.state import answer_to

LONGEST: Final = 4_096
"""Bytes of the longest command: what it makes is far below what the smallest broker takes."""

ID_LENGTH: Final = 64
"""Characters of the longest command id."""


DIGITS: Final = 16
"""Hex digits of an order's hash that are kept beside its answer."""

_LIKE_THIS: Final = 'send {"id":"..","do":"next"}'
_TYPES: Final[dict[str, type[orders.Order]]] = {orders.tag_of(each): each for each in (*orders.ORDERS, orders.Enter)}


class NotAnOrder(ValueError):
    """The bytes are no command: there is nothing to put on record. `answer` is what their sender is told."""

    def __init__(self, error: str, hint: str) -> None:
        super().__init__(f"{error}; {hint}")
        self.answer = orders.Answer(ok=False, error=error, hint=hint)


class Desk:
    """Gives orders to the table.

    resend: queues a part of the journal to be published again. is_full: whether too many parts wait for that.
    """

    def __init__(self, table: Table, resend: Callable[[Range], None], is_full: Callable[[], bool]) -> None:
        self._table, self._resend, self._is_full = table, resend, is_full

    def give(self, fields: dict[str, Any], allowed: Collection[str], by: str) -> orders.Answer:
        """Carry out a command of `parse` and answer it; a repeated id acts once."""
        order, wanted = order_of(fields, allowed), list[Range]()
        known_by = digest(order, by) if fields.get("id") is not None else None
        if allowed is orders.LOCAL:
            shoe = self._table.shoe
            order = _as_told_here(order, shoe.house if shoe.status == "open" else shoe.device.next_house)
        is_new = answer_to(self._table.shoe, fields.get("id")) is None
        if is_new and isinstance(order, orders.Resend):
            order, wanted = self._found(order)
        if isinstance(order, orders.OpenShoe):
            order = _with_room(order, self._table.shoe.device.next_house)
        given = inputs.Ordered(**now(), order=order, by=by, nonce=nonce(), id=fields.get("id"), digest=known_by)
        answer = self._table.order(given)
        if answer.ok or isinstance(order, orders.Malformed):  # of what cannot be read, all that can is sent
            for each in wanted:
                self._resend(each)
        return replace(answer, digest=None)

    def _found(self, order: orders.Resend) -> tuple[orders.Order, list[Range]]:
        """The order, with the parts it asks for, or what becomes of it where they cannot be sent."""
        if self._is_full():
            return orders.Malformed("resend", "too many parts wait to be sent again", "wait until they have come"), []
        try:
            return order, ranges(self._table.journal.directory, order)
        except NotInJournal as error:
            return orders.Malformed("resend", str(error), "see `shoe journal list`"), error.parts


def parse(payload: bytes) -> dict[str, Any]:
    """The fields of a command. Raises NotAnOrder with what to send instead."""
    if len(payload) > LONGEST:
        raise NotAnOrder("too long", f"a command has at most {LONGEST} bytes: say it in fewer words")
    try:
        fields = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotAnOrder("not JSON", _LIKE_THIS) from None
    if not isinstance(fields, dict) or not isinstance(fields.get("do"), str):
        raise NotAnOrder('no "do"', _LIKE_THIS)
    given = fields.get("id")
    if given is not None and (not isinstance(given, str) or not given or fault(given, ID_LENGTH)):
        what = f'"id" is no text of 1 to {ID_LENGTH} characters that can be printed'
        raise NotAnOrder(what, "give each command its own")
    return fields


def order_of(fields: dict[str, Any], allowed: Collection[str]) -> orders.Order:
    """The order in the fields of a command; one that cannot be obeyed becomes `Malformed`."""
    do = str(fields["do"]).replace("-", "_")
    if do not in _TYPES:
        hint = did_you_mean(do[:ID_LENGTH], allowed, f"one of: {', '.join(allowed)}")
        return orders.Malformed(shown(do), f"{shown(do)} is no command", hint)
    if do not in allowed:
        allow = f'put it into the table\'s config: [mqtt] commands = [.., "{do}"]'
        return orders.Malformed(do, f"{do} is not allowed here", allow if do in orders.ALL else "give it at the table")
    if "by" in fields:
        return orders.Malformed(do, '"by" is not taken here', "leave it out: by MQTT an order is the backend's")
    arguments = {name: value for name, value in fields.items() if name not in ("id", "do")}
    if wrong := mistake(_TYPES[do], arguments):
        return orders.Malformed(do, *wrong)
    order: orders.Order = msgspec.convert(arguments | {"do": do}, _TYPES[do])
    return order if allowed is orders.LOCAL else _by_wire(order)


def _as_told_here(order: orders.Order, house: House) -> orders.Order:
    """The order as its game takes it: at the table people say seats and amounts, whether bets or purses."""
    if isinstance(order, orders.BetsClosed) and order.bets and GAMES[house.game].money.stakes == "money":
        return orders.BetsClosed(money=order.bets)
    return order


def _by_wire(order: orders.Order) -> orders.Order:
    """The order as it may come from afar, where a repeat may come late, and nobody sees the shoe."""
    match order:
        case orders.Mark() if order.round is None or order.turn is None:
            missing = "round" if order.round is None else "turn"
            return orders.Malformed("mark", f'"{missing}" is missing', "take round and turn from the topic table")
        case orders.OpenShoe(pack=pack) if pack.left is not None:
            return orders.Malformed("open_shoe", '"left" is told at the table', "shoe do open-shoe --left N")
    return order


def _with_room(order: orders.OpenShoe, house: House) -> orders.Order:
    """The order, where the cards that are left of its packs can be, and are enough for a round."""
    game, left = GAMES[house.game], order.pack.left
    fewest, most = game.play.fewest(terms_of(house)), (order.pack.decks or house.decks) * game.size
    if left is None or fewest <= left <= most:
        return order
    few = f"{left} cards are too few for a round of {game.name}"
    what = few if left < fewest else f"{left} cards cannot be left of {most}"
    return orders.Malformed("open_shoe", what, f"give {fewest} to {most}")


def digest(order: orders.Order, by: str) -> str:
    """8 bytes, in hex, of the hash of an order and of who gave it; they are published.

    The card of `enter` is left out: of 52 cards the one with this hash would be found.
    """
    told = orders.Malformed("enter", order.second, "") if isinstance(order, orders.Enter) else order
    return sha256(msgspec.json.encode([by, told])).hexdigest()[:DIGITS]
