"""Settles the accepted wagers of a round by its message (topic `round`)."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.client.money import EXACT, ZERO, Rounding, rounded, total
from firmware_bridge.client.payload import Payload, round_message
from firmware_bridge.client.wager import Wager
from firmware_bridge.facts.printable import escaped, nearest
from firmware_bridge.facts.wire import ClosedRound, CorrectedRound, RoundMessage, VoidedRound

ONE: Final = Decimal(1)
"""What is put in on a bet per unit staked, unless the message has another amount."""


class Paid(Struct, frozen=True):
    """Amount returned to a person on one wager, with its stake: 0 = lost, the stake = a push, more = won."""

    wager: Wager
    amount: Decimal


class Held(Struct, frozen=True):
    """A wager that the message does not settle, and why: ask the floor; all other wagers are paid."""

    wager: Wager
    why: str


class Settlement(Struct, frozen=True):
    """Settlement of a round, in the order of its wagers. held: wagers that it could not settle.

    (table, journal, shoe, round, revision) is its key. Stakes were debited when they were accepted.
    """

    table: str
    shoe: int
    journal: str
    round: int
    revision: int
    status: Literal["closed", "voided", "corrected"]
    paid: tuple[Paid, ...]
    held: tuple[Held, ...] = ()

    @property
    def of(self) -> tuple[str, str, int, int]:
        """The round: (table, journal, shoe, round)."""
        return self.table, self.journal, self.shoe, self.round

    @property
    def by_person(self) -> dict[str, Decimal]:
        """Person -> amount returned on all wagers together."""
        persons = dict.fromkeys(each.wager.person for each in self.paid)
        return {name: total(each.amount for each in self.paid if each.wager.person == name) for name in persons}


def settle(payload: Payload | RoundMessage, wagers: Sequence[Wager], rounding: Rounding) -> Settlement:
    """Settle the wagers on a round of any game by its message.

    The amount returned is x * (put in + net). x is the wager if the message has units per unit staked (`stake`), 1 if
    it has money (`money`); then a bet is settled as a whole, whatever the amount of its one wager. Only what is won is
    rounded, never what was put in. In a voided round net is 0. An amount below 0 is owed, in games where nothing is put
    in beforehand. A wager on a bet without a result in the message (a misspelled bet), or one of several on a bet in
    money, is held, and all others are paid. Raises MessageError for any other message.
    """
    message = payload if isinstance(payload, ClosedRound | CorrectedRound | VoidedRound) else round_message(payload)
    shared = {bet for bet, count in Counter(each.bet for each in wagers).items() if count > 1}
    unclear = shared if message.unit == "money" else set()
    stakes = [(wager, None if wager.bet in unclear else _stake(message, wager)) for wager in wagers]
    paid = tuple(Paid(wager, _back(message, wager, stake, rounding)) for wager, stake in stakes if stake)
    held = tuple(
        Held(wager, _shared(message, wager) if wager.bet in unclear else _unsettled(message, wager))
        for wager, stake in stakes
        if not stake
    )
    return Settlement(
        message.table, message.shoe, message.journal, message.round, message.revision, message.status, paid, held
    )


def payments(now: Settlement, before: Settlement | None = None) -> dict[str, Decimal]:
    """Return person -> amount to pay now, below 0 to take back; persons without a change are left out.

    before: the settlement that was last paid for this round, None for none. A repeat, or a lower revision than before,
    pays nothing. The same revision with fewer held wagers pays these: settle again once the floor has named the bet of
    a held wager. All payments of a round together are always those of its last settlement. Raises ValueError for
    settlements of two different rounds.
    """
    if before is None:
        return {person: amount for person, amount in now.by_person.items() if amount}
    if now.of != before.of:
        raise ValueError(f"{now.of} is not the round {before.of}: (table, journal, shoe, round)")
    if (now.revision, -len(now.held)) <= (before.revision, -len(before.held)):
        return {}
    due, had = now.by_person, before.by_person
    owed = {person: EXACT.subtract(due.get(person, ZERO), had.get(person, ZERO)) for person in {**had, **due}}
    return {person: amount for person, amount in owed.items() if amount}


def _back(message: RoundMessage, wager: Wager, stake: tuple[Decimal, Decimal], rounding: Rounding) -> Decimal:
    staked, net = stake
    x = wager.stake if message.unit == "stake" else ONE
    won = EXACT.multiply(x, net)
    return EXACT.add(EXACT.multiply(x, staked), rounded(won, rounding) if won > 0 else won)


def _stake(message: RoundMessage, wager: Wager) -> tuple[Decimal, Decimal] | None:
    """Return what was put in on the bet of a wager, and its net; None without a result in the message."""
    staked, net = _listed(message, wager)
    return None if staked is None or net is None or not _is_possible(staked, net) else (staked, net)


def _unsettled(message: RoundMessage, wager: Wager) -> str:
    bets = () if isinstance(message, VoidedRound) else message.bets
    near = None if wager.bet in bets else nearest(wager.bet, bets)
    meant = f"did you mean {near}? " if near else ""
    place = f"round {message.round} of journal {message.journal}"
    return f"{place} has no result for {escaped(wager.bet)}: {meant}ask the floor"


def _shared(message: RoundMessage, wager: Wager) -> str:
    place = f"round {message.round} of journal {message.journal}"
    return f"{place} has two wagers on {escaped(wager.bet)}: its results are in money, so give it one"


def _listed(message: RoundMessage, wager: Wager) -> tuple[Decimal | None, Decimal | None]:
    """Return what was put in, and net; None for what the message lacks, or has twice with different values."""
    listed = message.stakes.get(wager.bet)
    if isinstance(message, VoidedRound):  # the table may not know a wager in money yet: then it is as it was accepted
        unlisted = ONE if message.unit == "stake" else wager.stake
        return listed[0] if listed else unlisted, ZERO
    net = message.bets.get(wager.bet)
    if listed is None:
        return ONE if message.unit == "stake" else None, net
    return listed[0], net if net is not None and _is_same(net, listed[1]) else None


def _is_same(net: Decimal, again: Decimal) -> bool:
    return net.is_finite() and again.is_finite() and net == again


def _is_possible(staked: Decimal, net: Decimal) -> bool:
    """Return whether no more is lost than was put in; if that is 0, players pay each other."""
    is_finite = staked.is_finite() and net.is_finite()
    return is_finite and staked >= 0 and (staked == 0 or net >= staked.copy_negate())
