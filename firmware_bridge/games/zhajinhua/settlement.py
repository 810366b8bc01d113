"""Who is paid what at the end of a round, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from msgspec import Struct

from firmware_bridge.games.asks import EXACT, Did, did, in_words
from firmware_bridge.games.zhajinhua.hands import Kind
from firmware_bridge.games.zhajinhua.seats import Seat, Table, total


class Pot(Struct, frozen=True):
    """What became of the pot: all that was put in, what went back to seats beside the winner, the house's part."""

    total: Decimal
    returned: dict[str, Decimal]
    rake: Decimal

    @property
    def won(self) -> Decimal:
        """What the winner gets, his own money included."""
        return EXACT.subtract(self.total, EXACT.add(self.rake, total(list(self.returned.values()))))


def divided(table: Table, winner: Seat, all_in: bool) -> Pot:
    """The pot divided: an all-in winner wins of each seat no more than he put in; the rake is of the profit."""
    richer = [seat for seat in table.seats if all_in and seat.put > winner.put]
    beyond = {seat.slot: EXACT.subtract(seat.put, winner.put) for seat in richer}
    pot = table.pot
    profit = EXACT.subtract(pot, EXACT.add(winner.put, total(list(beyond.values()))))
    return Pot(pot, beyond, EXACT.multiply(profit, table.terms.rake))


def hand_out(table: Table, winner: Seat, pot: Pot) -> Iterator[Did]:
    """Pay the pot out: what goes back first, from the starting seat on, then the house, then the winner."""
    for seat in table.seats:
        if seat.slot in pot.returned:
            seat.purse = EXACT.add(seat.purse, pot.returned[seat.slot])
            yield did("return", seat.slot, in_words(pot.returned[seat.slot]))
    if pot.rake:
        yield did("rake", in_words(pot.rake))
    winner.purse = EXACT.add(winner.purse, pot.won)
    yield did("win", winner.slot, in_words(pot.won))


class Bonus(Struct):
    """What a seat received and paid for hands that earn a bonus."""

    received: Decimal = Decimal(0)
    paid: Decimal = Decimal(0)

    @property
    def net(self) -> Decimal:
        """What it received less what it paid."""
        return EXACT.subtract(self.received, self.paid)


def pay_bonus(table: Table, kinds: Mapping[str, Kind], bonus: Mapping[str, Bonus]) -> Iterator[Did]:
    """Pay the bonus of each hand that earns one, and count it in `bonus`, by seat.

    Each of the others pays as far as he has money left. A hand that was folded unseen earns none.
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
    """What every other seat owes the seat for its hand."""
    if kind not in ("leopard", "straight_flush") or (seat.out == "fold" and not seat.looked):
        return Decimal(0)
    return table.terms.bonus.get(kind, Decimal(0))
