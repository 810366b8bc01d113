"""What a round pays on the stakes that were accepted for it (topic `round`; seed 001, seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.client.money import EXACT, NONE, ZERO, Rounding, rounded, total
from firmware_bridge.client.payload import MessageError, Payload, RoundMessage, read
from firmware_bridge.client.wager import Wager

LOST: Final = Decimal(-1)
"""Net units of a stake that is gone; no bet loses more."""


class Paid(Struct, frozen=True):
    """What goes back to a person on one wager, its stake included: 0 = lost, the stake = a push, more = won."""

    wager: Wager
    amount: Decimal


class Settlement(Struct, frozen=True):
    """What a round pays in all, in the order of its wagers.

    (journal, round, revision) is its key: a journal is one shoe. Stakes were taken when they were accepted.
    """

    journal: str
    round: int
    revision: int
    status: Literal["closed", "voided", "corrected"]
    paid: tuple[Paid, ...]

    @property
    def by_person(self) -> dict[str, Decimal]:
        """Person -> what goes back on all wagers together."""
        persons = dict.fromkeys(each.wager.person for each in self.paid)
        return {name: total(each.amount for each in self.paid if each.wager.person == name) for name in persons}


def settle(payload: Payload | RoundMessage, wagers: Sequence[Wager], rounding: Rounding = NONE) -> Settlement:
    """The settlement of the wagers on a round by its message.

    A closed or corrected round pays stake + stake x net units; what is won, never the stake, is rounded as the house
    rounds. A voided round gives every stake back. Raises MessageError for what is no round message, and where it
    tells no result of a bet.
    """
    told = payload if isinstance(payload, RoundMessage) else read(payload, RoundMessage)
    paid = tuple(Paid(wager, _back(told, wager, rounding)) for wager in wagers)
    return Settlement(told.journal, told.round, told.revision, told.status, paid)


def payments(now: Settlement, before: Settlement | None = None) -> dict[str, Decimal]:
    """Person -> what is still to be paid, less than 0 for what is to be taken back; only those who are concerned.

    before: the settlement that was last paid for this round, None for none. A settlement that was paid, or that
    came after a higher revision, pays nothing, so repeats and late messages do no harm. Raises ValueError for
    settlements of two different rounds.
    """
    if before is None:
        return {person: amount for person, amount in now.by_person.items() if amount}
    if (now.journal, now.round) != (before.journal, before.round):
        raise ValueError(f"round {now.round} of {now.journal} is not round {before.round} of {before.journal}")
    if now.revision <= before.revision:
        return {}
    due, had = now.by_person, before.by_person
    owed = {person: EXACT.subtract(due.get(person, ZERO), had.get(person, ZERO)) for person in {**had, **due}}
    return {person: amount for person, amount in owed.items() if amount}


def _back(told: RoundMessage, wager: Wager, rounding: Rounding) -> Decimal:
    if told.status == "voided":
        return wager.stake
    net = told.bets.get(wager.bet)
    if net is None or not net.is_finite() or net < LOST:
        what = f"round {told.round} of journal {told.journal} tells no result of {wager.bet}"
        raise MessageError(what, "hold this wager and ask the floor")
    won = EXACT.multiply(wager.stake, net)
    return EXACT.add(wager.stake, rounded(won, rounding) if won > 0 else won)
