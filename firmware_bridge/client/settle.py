"""What a round pays on the stakes that were accepted for it (topic `round`)."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.client.money import EXACT, ZERO, MoneyError, Rounding, rounded, total
from firmware_bridge.client.payload import Payload, round_message
from firmware_bridge.client.wager import Wager
from firmware_bridge.facts.printable import escaped, nearest
from firmware_bridge.facts.wire import ClosedRound, CorrectedRound, RoundMessage, VoidedRound

ONE: Final = Decimal(1)
"""What was put in on a bet per unit staked, where the message does not say otherwise."""


class Paid(Struct, frozen=True):
    """What goes back to a person on one wager, its stake included: 0 = lost, the stake = a push, more = won."""

    wager: Wager
    amount: Decimal


class Held(Struct, frozen=True):
    """A wager that the message settles nothing of, and why: the floor is asked, and nobody else waits for it."""

    wager: Wager
    why: str


class Settlement(Struct, frozen=True):
    """What a round pays in all, in the order of its wagers. held: wagers that it could not settle.

    (table, journal, shoe, round, revision) is its key. Stakes were taken when they were accepted.
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
        """The name of its round: (table, journal, shoe, round)."""
        return self.table, self.journal, self.shoe, self.round

    @property
    def by_person(self) -> dict[str, Decimal]:
        """Person -> what goes back on all wagers together."""
        persons = dict.fromkeys(each.wager.person for each in self.paid)
        return {name: total(each.amount for each in self.paid if each.wager.person == name) for name in persons}


def settle(payload: Payload | RoundMessage, wagers: Sequence[Wager], rounding: Rounding) -> Settlement:
    """The settlement of the wagers on a round by its message, of whatever game.

    What goes back is x * (put in + net): x is the wager where the message tells units per unit staked, 1 where it
    tells money; then a bet is settled as a whole and has one wager. What is won, never what was put in, is rounded as
    the house rounds. In a voided round net is 0. Less than 0 goes back where nothing is put in beforehand: it is owed.
    A wager whose bet has no result in the message, because one of both misspells it, is held: all others are paid.
    Raises MessageError for what is no round message; MoneyError for two wagers on a bet that is told in money.
    """
    message = payload if isinstance(payload, ClosedRound | CorrectedRound | VoidedRound) else round_message(payload)
    if message.unit == "money" and len({each.bet for each in wagers}) < len(wagers):
        raise MoneyError(
            f"two wagers on one bet of round {message.round}", "it is told in money: give its bet one wager"
        )
    stakes = [(wager, _stake(message, wager)) for wager in wagers]
    paid = tuple(Paid(wager, _back(message, wager, stake, rounding)) for wager, stake in stakes if stake)
    held = tuple(Held(wager, _unsettled(message, wager)) for wager, stake in stakes if not stake)
    return Settlement(
        message.table, message.shoe, message.journal, message.round, message.revision, message.status, paid, held
    )


def payments(now: Settlement, before: Settlement | None = None) -> dict[str, Decimal]:
    """Person -> what is still to be paid, less than 0 for what is to be taken back; only those who are concerned.

    before: the settlement that was last paid for this round, None for none. A settlement that was paid, or that
    came after a higher revision, pays nothing, so repeats and late messages do no harm. One of the same revision pays
    what it holds less: settle again once the floor has said what a held wager was. All payments of a round together
    are always those of its last settlement. Raises ValueError for settlements of two different rounds.
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
    """What was put in on the bet of a wager, and its net; None where the message does not say it."""
    staked, net = _listed(message, wager)
    return None if staked is None or net is None or not _is_possible(staked, net) else (staked, net)


def _unsettled(message: RoundMessage, wager: Wager) -> str:
    bets = () if isinstance(message, VoidedRound) else message.bets
    near = None if wager.bet in bets else nearest(wager.bet, bets)
    meant = f"did you mean {near}? " if near else ""
    place = f"round {message.round} of journal {message.journal}"
    return f"{place} tells no result of {escaped(wager.bet)}: {meant}ask the floor"


def _listed(message: RoundMessage, wager: Wager) -> tuple[Decimal | None, Decimal | None]:
    """Both as the message says them; None for what it does not say, or says twice and differently."""
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
    """Nobody loses more than was put in; where that is 0, players pay each other."""
    is_finite = staked.is_finite() and net.is_finite()
    return is_finite and staked >= 0 and (staked == 0 or net >= staked.copy_negate())
