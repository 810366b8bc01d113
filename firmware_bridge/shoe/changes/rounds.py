"""What the events of rounds change in a shoe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.games.moves import Answered, Mark
from firmware_bridge.shoe.exchanged import exchanged
from firmware_bridge.shoe.held import HeldResult
from firmware_bridge.shoe.state import Given, Laid, PastRound, Shoe, left_before, next_turn, with_device


def bets_opened(shoe: Shoe, _: events.BetsOpened) -> Shoe:
    """Betting anew takes back what its close began: the time to open cards, and a round without a bet."""
    flown = shoe.device.flown - shoe.flying
    return with_device(replace(shoe, betting=True, bets={}, reveal_by=None, opening=False, flying=False), flown=flown)


def bets_closed(shoe: Shoe, event: events.BetsClosed) -> Shoe:
    return replace(shoe, betting=False, bets=event.bets, money=event.money)


def mark_given(shoe: Shoe, event: events.MarkGiven) -> Shoe:
    mark = Given(Mark(event.seat, event.word, event.value), shoe.seq + 1, shoe.n + 1)
    return replace(shoe, given=(*shoe.given, mark), turn=shoe.turn if event.more else next_turn(shoe))


def question_answered(shoe: Shoe, event: events.QuestionAnswered) -> Shoe:
    return replace(shoe, given=(*shoe.given, Given(Answered(event.answer), shoe.seq + 1, shoe.n + 1)))


def round_closed(shoe: Shoe, event: events.RoundClosed) -> Shoe:
    past = _past(shoe, event)
    played = len(shoe.laid) - event.carried
    reserves, sealed = shoe.laid[played:], tuple(laid for laid in shoe.laid[:played] if not laid.shown)
    carried = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in reserves]
    over = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in shoe.overdrawn]
    flown = shoe.device.flown if shoe.flying else 0
    after = replace(_round_over(shoe, past, flown), played=shoe.played + _written(event))
    return replace(after, aside=shoe.aside + sealed, laid=(*carried, *over))


def _opens_with(laid: Laid) -> events.Origin:
    """A carried card that people entered stays marked as such."""
    return "manual" if laid.origin == "manual" else "carried"


def round_voided(shoe: Shoe, event: events.RoundVoided) -> Shoe:
    sealed = tuple(laid for laid in shoe.laid if not laid.shown)
    past = PastRound(event.round, shoe.seq + 1, event.cards, bets=shoe.bets, money=shoe.money, left=left_before(shoe))
    flown = shoe.device.flown - shoe.flying
    return replace(_round_over(shoe, past, flown), aside=shoe.aside + sealed + shoe.overdrawn, laid=())


def _round_over(shoe: Shoe, past: PastRound, flown: int) -> Shoe:
    """The shoe between two rounds; `flown` rounds without a bet lie in a row behind it."""
    over = replace(
        shoe,
        round=shoe.round + 1,
        rounds=(*shoe.rounds, past),
        overdrawn=(),
        betting=False,
        reveal_by=None,
        opening=False,
        flying=False,
        given=(),
        bets={},
        money={},
        turn=next_turn(shoe),
    )
    return with_device(over, flown=flown, prev=events.EntryName(shoe.journal, past.seq))


def _past(shoe: Shoe, event: events.RoundClosed | events.RoundCorrected) -> PastRound:
    return PastRound(
        event.round,
        shoe.seq + 1,
        event.cards,
        event.outcome,
        event.hands,
        event.own,
        event.carried,
        event.last,
        event.flags,
        event.revision,
        shoe.bets,
        shoe.money,
        left_before(shoe),
        event.bets if event.unit == "money" else {},
    )


def round_corrected(shoe: Shoe, event: events.RoundCorrected) -> Shoe:
    def corrected(past: PastRound) -> PastRound:
        return replace(_past(shoe, event), bets=past.bets, money=past.money, left=past.left)

    before = [each.card for past in shoe.rounds if past.round == event.round for each in past.cards]
    rounds = tuple(corrected(past) if past.round == event.round else past for past in shoe.rounds)
    seen = exchanged(shoe.seen, before, [each.card for each in event.cards])
    written = "".join([_written(past) for past in rounds if past.outcome])
    after = replace(shoe, rounds=rounds, seen=seen, played=written)
    return with_device(after, prev=events.EntryName(shoe.journal, shoe.seq + 1))


def _written(round: events.RoundClosed | PastRound) -> str:
    """The cards of a round, one behind the other."""
    return "".join([each.card.value for each in round.cards])


def result_held(shoe: Shoe, event: events.ResultHeld) -> Shoe:
    assert event.result is not None
    return replace(shoe, held=(*shoe.held, HeldResult(event.result)))


def reveal_clock_started(shoe: Shoe, event: events.RevealClockStarted) -> Shoe:
    return replace(shoe, reveal_by=event.until)


def reveal_time_ended(shoe: Shoe, _: events.RevealTimeEnded) -> Shoe:
    return replace(shoe, reveal_by=None, opening=True)


def flown(shoe: Shoe, event: events.Flown) -> Shoe:
    return with_device(replace(shoe, flying=True, opening=True), flown=event.in_a_row)


CHANGES: Final[dict[type, Callable[[Shoe, Any], Shoe]]] = {
    events.BetsOpened: bets_opened,
    events.BetsClosed: bets_closed,
    events.MarkGiven: mark_given,
    events.QuestionAnswered: question_answered,
    events.Happened: lambda shoe, _: shoe,
    events.RoundClosed: round_closed,
    events.RoundVoided: round_voided,
    events.RoundCorrected: round_corrected,
    events.ResultHeld: result_held,
    events.RevealClockStarted: reveal_clock_started,
    events.RevealTimeEnded: reveal_time_ended,
    events.Flown: flown,
}
"""Event of a round -> what it changes."""
