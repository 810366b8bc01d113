"""`evolve(shoe, event) -> shoe`: what each event changes, one small function per event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts import events as e
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.shoe.state import ANSWERS_KEPT, Held, Laid, Past, Shoe

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
    )


def _laid(shoe: Shoe, event: e.CardEvent, origin: e.Origin = "reader", over: bool = False) -> tuple[Laid, ...]:
    """The card of an event as it lies: nothing for a card nobody knows."""
    seq, n = shoe.seq + 1, shoe.n + 1
    if event.card is not None:
        return (Laid(event.card, origin, "", seq, n, shown=True, over=over),)
    if event.secret is not None:
        return (Laid(event.secret.card, origin, event.secret.nonce, seq, n, shown=False, over=over),)
    return ()


def _drawn(shoe: Shoe, event: e.CardEvent, laid: tuple[Laid, ...]) -> Shoe:
    """Count a card that left the shoe, and let go of it if it was held."""
    return replace(
        shoe,
        held=shoe.held[1:] if event.held else shoe.held,
        seen=(*shoe.seen, *[each.card for each in laid]),
        unknown=shoe.unknown + (not laid),
    )


def _card_burned(shoe: Shoe, event: e.CardBurned) -> Shoe:
    laid = _laid(shoe, event)
    sealed = tuple(each for each in laid if not each.shown)
    return replace(_drawn(shoe, event, laid), burn_left=event.left, aside=shoe.aside + sealed)


def _card_dealt(shoe: Shoe, event: e.CardDealt) -> Shoe:
    laid = _laid(shoe, event, event.origin)
    return replace(_drawn(shoe, event, laid), moves=shoe.moves + laid)


def _card_overdrawn(shoe: Shoe, event: e.CardOverdrawn) -> Shoe:
    laid = _laid(shoe, event, event.origin, over=True)
    return replace(_drawn(shoe, event, laid), overdrawn=shoe.overdrawn + laid)


def _card_held(shoe: Shoe, event: e.CardHeld) -> Shoe:
    secret = event.secret
    held = Held(
        secret.card if secret else None,
        secret.nonce if secret else "",
        event.lot,
        event.manual,
        event.flags,
        reason=event.why,
        slot=event.slot,
    )
    return replace(shoe, held=(*shoe.held, held))


def _card_entered(shoe: Shoe, event: e.CardEntered) -> Shoe:
    assert event.secret is not None
    if not event.held:
        return replace(shoe, entered=(*shoe.entered, event.secret.card))
    first = replace(shoe.held[0], card=event.secret.card, nonce=event.secret.nonce, manual=True)
    return replace(shoe, held=(first, *shoe.held[1:]))


def _card_confirmed(shoe: Shoe, _: e.CardConfirmed) -> Shoe:
    return replace(shoe, entered=shoe.entered[1:])


def _card_set_aside(shoe: Shoe, event: e.CardSetAside) -> Shoe:
    if event.why in ("removed", "no shoe", "observed"):
        return replace(shoe, held=shoe.held[1:] if event.held else shoe.held)
    laid = _laid(shoe, event)
    return replace(_drawn(shoe, event, laid), aside=shoe.aside + laid)


def _card_revealed(shoe: Shoe, event: e.CardRevealed) -> Shoe:
    def hit(laid: Laid) -> bool:
        return (laid.seq, laid.n) == (event.seq, event.n)

    return replace(
        shoe,
        moves=tuple(replace(laid, shown=True) if hit(laid) else laid for laid in shoe.moves),
        aside=tuple(laid for laid in shoe.aside if not hit(laid)),
    )


def _overdrawn_burned(shoe: Shoe, _: e.OverdrawnBurned) -> Shoe:
    burned = tuple(laid for laid in shoe.moves if laid.over and not laid.shown)
    return replace(
        shoe,
        aside=shoe.aside + shoe.overdrawn + burned,
        overdrawn=(),
        moves=tuple(laid for laid in shoe.moves if laid not in burned),
    )


def _burn_finished(shoe: Shoe, _: e.BurnFinished) -> Shoe:
    return replace(shoe, burn_left=0)


def _lot_adopted(shoe: Shoe, event: e.LotAdopted) -> Shoe:
    return replace(shoe, lot=event.lot)


def _cut_card_met(shoe: Shoe, event: e.CutCardMet) -> Shoe:
    return replace(shoe, last_round=event.last_round, held=shoe.held[1:] if event.held else shoe.held)


def _cut_card_held(shoe: Shoe, event: e.CutCardHeld) -> Shoe:
    return replace(shoe, held=(*shoe.held, Held(None, "", cut=event.by)))


def _noted(shoe: Shoe, event: e.Noted) -> Shoe:
    return replace(shoe, held=shoe.held[1:]) if event.held else shoe


def _bets_opened(shoe: Shoe, _: e.BetsOpened) -> Shoe:
    """Betting anew takes back what its close began: the time to open cards, and a round without a bet."""
    flown = shoe.flown - shoe.flying
    return replace(shoe, betting=True, reveal_by=None, opening=False, flown=flown, flying=False)


def _bets_closed(shoe: Shoe, _: e.BetsClosed) -> Shoe:
    return replace(shoe, betting=False)


def _round_closed(shoe: Shoe, event: e.RoundClosed) -> Shoe:
    past = _past(shoe, event)
    reserves = shoe.moves[len(shoe.moves) - event.carried :]
    carried = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in reserves]
    over = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in shoe.overdrawn]
    return replace(_round_over(shoe, past), moves=(*carried, *over))


def _opens_with(laid: Laid) -> e.Origin:
    """A carried card that people entered stays marked as such."""
    return "manual" if laid.origin == "manual" else "carried"


def _round_voided(shoe: Shoe, event: e.RoundVoided) -> Shoe:
    sealed = tuple(laid for laid in shoe.moves if not laid.shown)
    past = Past(event.round, shoe.seq + 1, event.cards)
    return replace(_round_over(shoe, past), aside=shoe.aside + sealed + shoe.overdrawn, moves=())


def _round_over(shoe: Shoe, past: Past) -> Shoe:
    return replace(
        shoe,
        round=shoe.round + 1,
        prev=past.seq,
        rounds=(*shoe.rounds, past),
        overdrawn=(),
        betting=False,
        reveal_by=None,
        opening=False,
        flown=shoe.flown if shoe.flying else 0,
        flying=False,
    )


def _past(shoe: Shoe, event: e.RoundClosed | e.RoundCorrected) -> Past:
    return Past(
        event.round,
        shoe.seq + 1,
        event.cards,
        event.outcome,
        event.pairs,
        event.carried,
        event.last,
        event.revision,
    )


def _round_corrected(shoe: Shoe, event: e.RoundCorrected) -> Shoe:
    new = _past(shoe, event)
    rounds = tuple(new if past.round == event.round else past for past in shoe.rounds)
    return replace(shoe, rounds=rounds, prev=new.seq)


def _reveal_clock_started(shoe: Shoe, event: e.RevealClockStarted) -> Shoe:
    return replace(shoe, reveal_by=event.until)


def _reveal_time_ended(shoe: Shoe, _: e.RevealTimeEnded) -> Shoe:
    return replace(shoe, reveal_by=None, opening=True)


def _flown(shoe: Shoe, event: e.Flown) -> Shoe:
    return replace(shoe, flown=event.in_a_row, flying=True, opening=True)


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
    if (event.choice == "keep" or (event.id, event.choice) == ("wrong_slot", "accept")) and shoe.held:
        first = replace(shoe.held[0], cleared=(*shoe.held[0].cleared, event.id))
        return replace(closed, held=(first, *shoe.held[1:]))
    if (event.id, event.choice) == ("cut_card_missing", "continue"):
        return replace(closed, last_round=None, cut_watched=False)
    return closed


def _reader_session(shoe: Shoe, event: e.ReaderSession) -> Shoe:
    entered = () if shoe.reader else shoe.entered  # a board seen for the first time has kept its reports
    return replace(shoe, reader=Mark(event.session, BEFORE_FIRST), entered=entered)


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
    e.CardBurned: _card_burned,
    e.CardDealt: _card_dealt,
    e.CardOverdrawn: _card_overdrawn,
    e.CardHeld: _card_held,
    e.CardEntered: _card_entered,
    e.CardConfirmed: _card_confirmed,
    e.CardSetAside: _card_set_aside,
    e.CardRevealed: _card_revealed,
    e.OverdrawnBurned: _overdrawn_burned,
    e.BurnFinished: _burn_finished,
    e.LotAdopted: _lot_adopted,
    e.CutCardMet: _cut_card_met,
    e.CutCardHeld: _cut_card_held,
    e.BetsOpened: _bets_opened,
    e.BetsClosed: _bets_closed,
    e.RoundClosed: _round_closed,
    e.RoundVoided: _round_voided,
    e.RoundCorrected: _round_corrected,
    e.RevealClockStarted: _reveal_clock_started,
    e.RevealTimeEnded: _reveal_time_ended,
    e.Flown: _flown,
    e.ShoeChangeRequested: _shoe_change_requested,
    e.ShoeChangeOverdue: _shoe_change_overdue,
    e.DealerChangeRequested: _dealer_change_requested,
    e.DealerSignedIn: _dealer_signed_in,
    e.ShoeEnded: _shoe_ended,
    e.Irregular: _irregular,
    e.IrregularityClosed: _irregularity_closed,
    e.ReaderSession: _reader_session,
    e.KeyRefused: _unchanged,
    e.Noted: _noted,
    e.CommandAnswered: _command_answered,
}
