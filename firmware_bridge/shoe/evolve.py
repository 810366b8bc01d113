"""`evolve(shoe, event) -> shoe`: what each event changes, one small function per event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.facts.events import Device
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.games.house import size_of
from firmware_bridge.shoe.changes import OF_CARDS, OF_ROUNDS
from firmware_bridge.shoe.state import ANSWERS_KEPT, Shoe, answer_to, oldest_held, with_device

BEFORE_FIRST: Final = 255
"""The sequence number before a reader session's first report, which is 0 (modulo 256)."""


FORGETS: Final = ("reader_gap", "reader_back")
"""After these the reader does not tell again what people entered in its absence."""


def evolve(shoe: Shoe, event: events.AnyEvent) -> Shoe:
    """The shoe after `event`. Pure and total; never asks the rules of a game."""
    changed = CHANGES[type(event)](shoe, event)
    return replace(changed, n=changed.n + 1)


def _shoe_opened(shoe: Shoe, event: events.ShoeOpened) -> Shoe:
    burn, left = event.house.burn, event.pack.left
    goes_on = event.journal == shoe.journal
    return Shoe(
        device=event.device or (_device_kept(shoe, event) if goes_on else Device(event.house)),
        house=event.house,
        policy=event.policy,
        journal=event.journal,
        seq=shoe.seq if goes_on else 0,
        n=shoe.n if goes_on else 0,
        begun=shoe.begun if goes_on else 0,
        packs=shoe.packs + 1 if goes_on else 1,
        number=event.number,
        status="open",
        lot=event.pack.lot,
        burn_left=None if burn == "first-card" else 0 if burn == "none" else burn,
        round=1,
        turn=event.device.turn if event.device else shoe.turn if goes_on else 0,
        dealer=event.dealer,
        unknown=0 if left is None else size_of(event.house) - left,
    )


def _device_kept(shoe: Shoe, event: events.ShoeOpened) -> Device:
    """What a new shoe takes over within its journal: the same as what another journal would be told."""
    is_asked_for = shoe.device.dealer_change and event.dealer == shoe.dealer
    return replace(shoe.device, dealer_change=is_asked_for, lent="", turn=shoe.turn)


def _shoe_ended(shoe: Shoe, _: events.ShoeEnded) -> Shoe:
    sealed = tuple(laid for laid in shoe.laid + shoe.overdrawn if not laid.shown)
    ended = replace(shoe, status="ended", aside=shoe.aside + sealed, laid=(), overdrawn=(), betting=False)
    flown = shoe.device.flown - shoe.flying  # a round that was to be flown and was not dealt
    return with_device(replace(ended, reveal_by=None, flying=False), flown=flown)


def _irregular(shoe: Shoe, event: events.Irregular) -> Shoe:
    entered = () if event.id in FORGETS else shoe.device.entered
    return with_device(shoe, irregular=(*shoe.device.irregular, event), entered=entered)


def _irregularity_closed(shoe: Shoe, event: events.IrregularityClosed) -> Shoe:
    closed = with_device(shoe, irregular=tuple(each for each in shoe.device.irregular if each.id != event.id))
    if event.clears and (first := oldest_held(shoe)):
        cleared = replace(first, cleared=(*first.cleared, event.id))
        return replace(closed, held=(cleared, *shoe.held[1:]))
    if event.id == "reader_lost":
        return with_device(closed, lent="")
    if (event.id, event.choice) == ("cut_card_missing", "continue"):
        return replace(closed, last_round=None, cut_by=None, cut_watched=shoe.cut_by != "virtual")
    return closed


def _reader_session(shoe: Shoe, event: events.ReaderSession) -> Shoe:
    entered = () if shoe.device.reader else shoe.device.entered  # a board seen for the first time has kept its reports
    return with_device(shoe, reader=ReportNo(event.session, BEFORE_FIRST), entered=entered)


def _command_answered(shoe: Shoe, event: events.CommandAnswered) -> Shoe:
    if event.answer.id is None or answer_to(shoe, event.answer.id):
        return shoe  # an id keeps the first answer it got
    return with_device(shoe, answers=(*shoe.device.answers, event.answer)[-ANSWERS_KEPT:])


CHANGES: Final[dict[type, Callable[[Shoe, Any], Shoe]]] = {
    **OF_CARDS,
    **OF_ROUNDS,
    events.Commissioned: lambda shoe, event: replace(shoe, journal=event.journal, seq=0, n=0),
    events.BridgeStarted: lambda shoe, event: with_device(shoe, next_house=event.house),
    events.ShoeOpened: _shoe_opened,
    events.ShoeChangeRequested: lambda shoe, event: replace(shoe, change="requested", change_by=event.until),
    events.ShoeChangeOverdue: lambda shoe, _: replace(shoe, change="overdue", change_by=None),
    events.DealerChangeRequested: lambda shoe, _: with_device(shoe, dealer_change=True),
    events.DealerSignedIn: lambda shoe, event: with_device(replace(shoe, dealer=event.dealer), dealer_change=False),
    events.ShoeEnded: _shoe_ended,
    events.Irregular: _irregular,
    events.IrregularityClosed: _irregularity_closed,
    events.ReaderSession: _reader_session,
    events.ReaderLent: lambda shoe, event: with_device(shoe, lent=event.to),
    events.LidTurned: lambda shoe, event: with_device(shoe, lid_open=event.open),
    events.KeyRefused: lambda shoe, _: shoe,
    events.Noted: lambda shoe, event: replace(shoe, held=shoe.held[1:]) if event.held else shoe,
    events.CommandAnswered: _command_answered,
}
