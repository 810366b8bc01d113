"""`evolve(shoe, event) -> shoe`: what each event changes, one small function per event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts import events as e
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.shoe.changes import cards, rounds
from firmware_bridge.shoe.state import ANSWERS_KEPT, Shoe

BEFORE_FIRST: Final = 255
"""The sequence number before a reader session's first report, which is 0 (modulo 256)."""


FORGETS: Final = ("reader_gap", "reader_back")
"""After these the reader does not tell again what people entered in its absence."""


def evolve(shoe: Shoe, event: e.AnyEvent) -> Shoe:
    """The shoe after `event`. Pure and total; never asks the rules of a game."""
    changed = _CHANGES[type(event)](shoe, event)
    return replace(changed, n=changed.n + 1)


def _commissioned(shoe: Shoe, event: e.Commissioned) -> Shoe:
    return replace(shoe, journal=event.journal, seq=0, n=0)


def _bridge_started(shoe: Shoe, event: e.BridgeStarted) -> Shoe:
    return replace(shoe, next_house=event.house)


def _shoe_opened(_: Shoe, event: e.ShoeOpened) -> Shoe:
    luggage = event.luggage or e.Luggage(event.house, None, (), ())
    burn = event.house.burn
    return Shoe(
        next_house=luggage.next_house,
        house=event.house,
        policy=event.policy,
        journal=event.journal,
        number=event.number,
        status="open",
        lot=event.pack.lot,
        burn_left=None if burn == "first-card" else 0 if burn == "none" else burn,
        round=1,
        dealer=event.dealer,
        irregular=luggage.irregular,
        reader=luggage.reader,
        answers=luggage.answers,
        entered=luggage.entered,
        flown=luggage.flown,
        dealer_change=luggage.dealer_change,
        lid_open=luggage.lid_open,
    )


def _noted(shoe: Shoe, event: e.Noted) -> Shoe:
    return replace(shoe, held=shoe.held[1:]) if event.held else shoe


def _shoe_change_requested(shoe: Shoe, event: e.ShoeChangeRequested) -> Shoe:
    return replace(shoe, change="requested", change_by=event.until)


def _shoe_change_overdue(shoe: Shoe, _: e.ShoeChangeOverdue) -> Shoe:
    return replace(shoe, change="overdue", change_by=None)


def _dealer_change_requested(shoe: Shoe, _: e.DealerChangeRequested) -> Shoe:
    return replace(shoe, dealer_change=True)


def _dealer_signed_in(shoe: Shoe, event: e.DealerSignedIn) -> Shoe:
    return replace(shoe, dealer=event.dealer, dealer_change=False)


def _shoe_ended(shoe: Shoe, _: e.ShoeEnded) -> Shoe:
    sealed = tuple(laid for laid in shoe.moves + shoe.overdrawn if not laid.shown)
    ended = replace(shoe, status="ended", aside=shoe.aside + sealed, moves=(), overdrawn=(), betting=False)
    return replace(ended, reveal_by=None, change=None, change_by=None)


def _irregular(shoe: Shoe, event: e.Irregular) -> Shoe:
    entered = () if event.id in FORGETS else shoe.entered
    return replace(shoe, irregular=(*shoe.irregular, event), entered=entered)


def _irregularity_closed(shoe: Shoe, event: e.IrregularityClosed) -> Shoe:
    closed = replace(shoe, irregular=tuple(each for each in shoe.irregular if each.id != event.id))
    if event.clears and shoe.held:
        first = replace(shoe.held[0], cleared=(*shoe.held[0].cleared, event.id))
        return replace(closed, held=(first, *shoe.held[1:]))
    if event.id == "reader_lost":
        return replace(closed, lent="")
    if (event.id, event.choice) == ("cut_card_missing", "continue"):
        return replace(closed, last_round=None, cut_watched=False)
    return closed


def _reader_session(shoe: Shoe, event: e.ReaderSession) -> Shoe:
    entered = () if shoe.reader else shoe.entered  # a board seen for the first time has kept its reports
    return replace(shoe, reader=Mark(event.session, BEFORE_FIRST), entered=entered)


def _reader_lent(shoe: Shoe, event: e.ReaderLent) -> Shoe:
    return replace(shoe, lent=event.to)


def _lid_turned(shoe: Shoe, event: e.LidTurned) -> Shoe:
    return replace(shoe, lid_open=event.open)


def _command_answered(shoe: Shoe, event: e.CommandAnswered) -> Shoe:
    if event.answer.id is None:
        return shoe
    return replace(shoe, answers=(*shoe.answers, event.answer)[-ANSWERS_KEPT:])


def _unchanged(shoe: Shoe, _: e.AnyEvent) -> Shoe:
    return shoe


_CHANGES: Final[dict[type, Callable[[Shoe, Any], Shoe]]] = {
    e.Commissioned: _commissioned,
    e.BridgeStarted: _bridge_started,
    e.ShoeOpened: _shoe_opened,
    e.CardBurned: cards.card_burned,
    e.CardDealt: cards.card_dealt,
    e.CardOverdrawn: cards.card_overdrawn,
    e.CardHeld: cards.card_held,
    e.CardEntered: cards.card_entered,
    e.CardConfirmed: cards.card_confirmed,
    e.CardSetAside: cards.card_set_aside,
    e.CardRevealed: cards.card_revealed,
    e.OverdrawnBurned: cards.overdrawn_burned,
    e.BurnFinished: cards.burn_finished,
    e.LotAdopted: cards.lot_adopted,
    e.CutCardMet: cards.cut_card_met,
    e.CutCardHeld: cards.cut_card_held,
    e.BetsOpened: rounds.bets_opened,
    e.BetsClosed: rounds.bets_closed,
    e.RoundClosed: rounds.round_closed,
    e.RoundVoided: rounds.round_voided,
    e.RoundCorrected: rounds.round_corrected,
    e.ResultHeld: rounds.result_held,
    e.RevealClockStarted: rounds.reveal_clock_started,
    e.RevealTimeEnded: rounds.reveal_time_ended,
    e.Flown: rounds.flown,
    e.ShoeChangeRequested: _shoe_change_requested,
    e.ShoeChangeOverdue: _shoe_change_overdue,
    e.DealerChangeRequested: _dealer_change_requested,
    e.DealerSignedIn: _dealer_signed_in,
    e.ShoeEnded: _shoe_ended,
    e.Irregular: _irregular,
    e.IrregularityClosed: _irregularity_closed,
    e.ReaderSession: _reader_session,
    e.ReaderLent: _reader_lent,
    e.LidTurned: _lid_turned,
    e.KeyRefused: _unchanged,
    e.Noted: _noted,
    e.CommandAnswered: _command_answered,
}
