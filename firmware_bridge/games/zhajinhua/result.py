"""The result of a round of zha jin hua, and its payments in the order in which they happen."""

from collections.abc import Generator, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.games.game import Result
from firmware_bridge.games.prompts import EXACT, Ask, Did, did, in_words
from firmware_bridge.games.zhajinhua.hands import Hand, Kind, kind
from firmware_bridge.games.zhajinhua.seats import Out, Seat, Table, total

By = Literal["fold", "compare", "forced", "all_in"]
"""The way a round was won: how the last of the others went out, or by an all-in."""

WON: Final[dict[By, str]] = {
    "fold": "all others are out, the last by folding",
    "compare": "all others are out, the last by a comparison",
    "forced": "the betting rounds were used up, so hands were compared",
    "all_in": "the seat was all-in and beat every seat still in",
}

POINTS: Final[dict[Kind, str]] = {"high_card": "high-card", "straight_flush": "straight-flush", "special_235": "2-3-5"}
"""Kind of hand -> its name in one word, where that is not the kind itself."""


class SeatHand(Struct, frozen=True):
    """A seat of a round: its cards and what they are, what it did and what it got; amounts are exact decimal texts.

    out: how it went out, None for the winner. bonus: received less paid. net: all it won or lost. money: its purse.
    """

    cards: tuple[Card, ...]
    points: str
    kind: Kind
    looked: bool
    out: Out | None
    put: str
    bonus: str
    net: str
    money: str


class Running(Struct, frozen=True):
    """A round that is not over: its betting round, 0 before the first, the stake, the pot.

    stake: of a seat that has not looked. Amounts are exact decimal texts.
    """

    round: int
    stake: str
    pot: str


class Own(Struct, frozen=True):
    """The fields of a round that only zha jin hua has: the winner and how, betting rounds, pot, the house's rake.

    returned: seat -> money returned to it beyond the stake of an all-in winner. shown: seats with hands guests see.
    """

    winner: str
    won_by: By
    rounds: int
    pot: str
    rake: str
    returned: dict[str, str]
    shown: tuple[str, ...]


def result(
    table: Table, winner: Seat, pot: "Pot", all_in: bool, hands: Mapping[str, Hand]
) -> Generator[Ask, Any, Result]:
    """Return the result of a round after the pot is paid out and all hands are open; the bonus is paid now."""
    kinds = {slot: kind(hand) for slot, hand in hands.items()}
    bonus = {slot: Bonus() for slot in hands}
    yield from pay_bonus(table, kinds, bonus)
    by: By = "all_in" if all_in else table.last_out
    nets = {seat.slot: _net(seat, winner, pot, bonus[seat.slot].net) for seat in table.seats}
    shown = tuple(slot for slot in hands if _is_shown(table, slot, winner, by, kinds[slot]))
    seat_hands = {
        seat.slot: SeatHand(
            cards=hands[seat.slot],
            points=POINTS.get(kinds[seat.slot], kinds[seat.slot]),
            kind=kinds[seat.slot],
            looked=seat.looked,
            out=seat.out,
            put=in_words(seat.put),
            bonus=in_words(bonus[seat.slot].net),
            net=in_words(nets[seat.slot]),
            money=in_words(seat.purse),
        )
        for seat in sorted(table.seats, key=lambda each: each.number)
    }
    return Result(
        hands=seat_hands,
        outcome=winner.slot,
        bets={slot: each.net for slot, each in seat_hands.items()},
        staked={seat.slot: in_words(EXACT.add(seat.put, bonus[seat.slot].paid)) for seat in table.seats},
        own=Own(
            winner=winner.slot,
            won_by=by,
            rounds=table.round,
            pot=in_words(pot.total),
            rake=in_words(pot.rake),
            returned={slot: in_words(pot.returned[slot]) for slot in seat_hands if slot in pot.returned},
            shown=shown,
        ),
        shown=shown,
        why=(f"{winner.slot} wins: {WON[by]}",),
        reasons=(Reason("zhajinhua_won", {"seat": winner.slot, "by": by}),),
    )


def _is_shown(table: Table, slot: str, winner: Seat, by: By, kind: Kind) -> bool:
    """Return whether guests see the hand: the winner's of a showdown, and one that earns a bonus."""
    seat = next(each for each in table.seats if each.slot == slot)
    is_of_showdown = seat is winner and by != "fold"
    return table.terms.show == "all" or is_of_showdown or earned(table, seat, kind) > 0


def _net(seat: Seat, winner: Seat, pot: "Pot", bonus: Decimal) -> Decimal:
    """Return the net of the seat."""
    got = EXACT.add(pot.won if seat is winner else pot.returned.get(seat.slot, Decimal(0)), bonus)
    return EXACT.subtract(got, seat.put)


class Pot(Struct, frozen=True):
    """The division of the pot: the whole, amounts returned to seats beside the winner, the house's rake."""

    total: Decimal
    returned: dict[str, Decimal]
    rake: Decimal

    @property
    def won(self) -> Decimal:
        """The amount the winner gets, his own money included."""
        return EXACT.subtract(self.total, EXACT.add(self.rake, total(list(self.returned.values()))))


def divided(table: Table, winner: Seat, all_in: bool) -> Pot:
    """Divide the pot: an all-in winner wins of each seat no more than he put in; the rake is of the profit."""
    richer = [seat for seat in table.seats if all_in and seat.put > winner.put]
    beyond = {seat.slot: EXACT.subtract(seat.put, winner.put) for seat in richer}
    pot = table.pot
    profit = EXACT.subtract(pot, EXACT.add(winner.put, total(list(beyond.values()))))
    return Pot(pot, beyond, EXACT.multiply(profit, table.terms.rake))


def hand_out(table: Table, winner: Seat, pot: Pot) -> Iterator[Did]:
    """Pay the pot out: first what is returned, from the starting seat on, then the house, then the winner."""
    for seat in table.seats:
        if seat.slot in pot.returned:
            seat.purse = EXACT.add(seat.purse, pot.returned[seat.slot])
            yield did("return", seat.slot, in_words(pot.returned[seat.slot]))
    if pot.rake:
        yield did("rake", in_words(pot.rake))
    winner.purse = EXACT.add(winner.purse, pot.won)
    yield did("win", winner.slot, in_words(pot.won))


class Bonus(Struct):
    """The amounts a seat received and paid for hands that earn a bonus."""

    received: Decimal = Decimal(0)
    paid: Decimal = Decimal(0)

    @property
    def net(self) -> Decimal:
        """Received less paid."""
        return EXACT.subtract(self.received, self.paid)


def pay_bonus(table: Table, kinds: Mapping[str, Kind], bonus: Mapping[str, Bonus]) -> Iterator[Did]:
    """Pay the bonus of each hand that earns one, and count it in `bonus`, by seat.

    Each other seat pays as far as it has money left. A hand that was folded unseen earns none.
    """
    for holder in table.seats:
        each = earned(table, holder, kinds[holder.slot])
        for payer in table.after(holder) if each else ():
            if paid := min(each, payer.purse):
                payer.purse, holder.purse = EXACT.subtract(payer.purse, paid), EXACT.add(holder.purse, paid)
                bonus[payer.slot].paid = EXACT.add(bonus[payer.slot].paid, paid)
                bonus[holder.slot].received = EXACT.add(bonus[holder.slot].received, paid)
                yield did("bonus", payer.slot, holder.slot, in_words(paid))


def earned(table: Table, seat: Seat, kind: Kind) -> Decimal:
    """Return the bonus that every other seat owes the seat for its hand."""
    if kind not in ("leopard", "straight_flush") or (seat.out == "fold" and not seat.looked):
        return Decimal(0)
    return table.terms.bonus.get(kind, Decimal(0))
