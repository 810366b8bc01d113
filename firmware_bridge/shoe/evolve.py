"""`evolve(shoe, event) -> shoe`: the change of each event, an expression or a small function per event."""

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.facts.book.notes import HELD_BEFORE
from firmware_bridge.facts.book.standing import MARK_TAKEN_BACK
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.games.house import size_of
from firmware_bridge.games.moves import Answered, Mark
from firmware_bridge.shoe import order_counts
from firmware_bridge.shoe.last_mark import CLOSED, FOLLOWS
from firmware_bridge.shoe.state import (
    ANSWERS_KEPT,
    HeldCard,
    HeldCut,
    HeldResult,
    Laid,
    LastMark,
    PastRound,
    Reply,
    Shoe,
    another_card,
    answer_to,
    left_before,
    next_turn,
    oldest_held,
    replace_cards,
    with_device,
    with_key,
    with_same_card,
)

BEFORE_FIRST: Final = 255
"""The sequence number before a reader session's first report, which is 0 (modulo 256)."""

FORGETS: Final = ("reader_gap", "reader_back")
"""After these the reader does not report again the cards that people entered in its absence."""


def evolve(shoe: Shoe, event: events.AnyEvent) -> Shoe:
    """Return the shoe after `event`. Pure and total; never calls the rules of a game."""
    changed = CHANGES[type(event)](shoe, event)
    last, followed = changed.last_mark, FOLLOWS.get(type(event))
    if last and followed and (not last.followed or (last.taken and followed == CLOSED)):
        return replace(changed, n=changed.n + 1, last_mark=LastMark(followed=followed))
    return replace(changed, n=changed.n + 1)


def _laid(
    shoe: Shoe, event: events.CardEvent, origin: events.Origin = "reader", over: bool = False
) -> tuple[Laid, ...]:
    """Return the card of an event as it lies; () for an unknown card."""
    seq, n = shoe.seq + 1, shoe.n + 1
    if event.card is not None:
        return (Laid(event.card, origin, "", seq, n, shown=True, over=over),)
    if event.secret is not None:
        return (Laid(event.secret.card, origin, event.secret.nonce, seq, n, shown=False, over=over),)
    return ()


def _drawn(shoe: Shoe, event: events.CardEvent, laid: tuple[Laid, ...]) -> Shoe:
    """Count a card that left the shoe, and remove it from the held ones if it was held."""
    return replace(
        another_card(shoe, steady=1),
        held=shoe.held[1:] if event.held else shoe.held,
        seen=(*shoe.seen, *[each.card for each in laid if each.card]),
        unknown=shoe.unknown + (not laid),
        serials=(*shoe.serials, event.serial) if event.serial else shoe.serials,
    )


def _card_burned(shoe: Shoe, event: events.CardBurned) -> Shoe:
    laid = _laid(shoe, event)
    sealed = tuple(each for each in laid if not each.shown)
    return replace(_drawn(shoe, event, laid), burn_left=event.left, aside=shoe.aside + sealed)


def _card_dealt(shoe: Shoe, event: events.CardDealt) -> Shoe:
    known = _laid(shoe, event, event.origin)
    laid = known or (Laid(None, event.origin, "", shoe.seq + 1, shoe.n + 1, shown=False),)
    dealt_by = shoe.dealt_by or shoe.dealer
    return replace(_drawn(shoe, event, known), laid=shoe.laid + laid, turn=next_turn(shoe), dealt_by=dealt_by)


def _card_looked_at(shoe: Shoe, event: events.CardLookedAt) -> Shoe:
    assert event.secret is not None
    card, nonce = event.secret.card, event.secret.nonce

    def with_face(laid: Laid) -> Laid:
        if (laid.seq, laid.n) != (event.seq, event.n):
            return laid
        return replace(laid, card=card, nonce=nonce, origin="manual", entered=(shoe.seq + 1, shoe.n + 1))

    laid = tuple(map(with_face, shoe.laid))
    return replace(shoe, laid=laid, seen=(*shoe.seen, card), unknown=shoe.unknown - 1)


def _card_overdrawn(shoe: Shoe, event: events.CardOverdrawn) -> Shoe:
    laid = _laid(shoe, event, event.origin, over=True)
    return replace(_drawn(shoe, event, laid), overdrawn=shoe.overdrawn + laid)


def _card_held(shoe: Shoe, event: events.CardHeld) -> Shoe:
    secret = event.secret
    held = HeldCard(
        secret.card if secret else None,
        secret.nonce if secret else "",
        event.lot,
        event.manual,
        event.flags,
        reason=event.why or event.reason or HELD_BEFORE.get(event.code, event.code),
        slot=event.slot,
        serial=event.serial,
        again=event.again,
    )
    return replace(another_card(shoe), held=(*shoe.held, held))


def _card_entered(shoe: Shoe, event: events.CardEntered) -> Shoe:
    assert event.secret is not None
    if not event.held:
        return with_device(shoe, entered=(*shoe.device.entered, event.secret.card))
    first = oldest_held(shoe)
    assert first is not None
    first = replace(first, card=event.secret.card, nonce=event.secret.nonce, manual=True)
    return replace(shoe, held=(first, *shoe.held[1:]))


def _card_set_aside(shoe: Shoe, event: events.CardSetAside) -> Shoe:
    if event.why in ("removed", "no shoe", "observed"):
        return replace(another_card(shoe), held=shoe.held[1:] if event.held else shoe.held)
    if event.why == "read again":
        return with_same_card(shoe)
    laid = _laid(shoe, event)
    return replace(_drawn(shoe, event, laid), aside=shoe.aside + laid)


def _card_revealed(shoe: Shoe, event: events.CardRevealed) -> Shoe:
    def hit(laid: Laid) -> bool:
        return laid.committed == (event.seq, event.n)

    return replace(
        shoe,
        laid=tuple(replace(laid, shown=True) if hit(laid) else laid for laid in shoe.laid),
        aside=tuple(laid for laid in shoe.aside if not hit(laid)),
    )


def _overdrawn_burned(shoe: Shoe, _: events.OverdrawnBurned) -> Shoe:
    burned = tuple(laid for laid in shoe.laid if laid.over and not laid.shown)
    return replace(
        shoe,
        aside=shoe.aside + shoe.overdrawn + burned,
        overdrawn=(),
        laid=tuple(laid for laid in shoe.laid if laid not in burned),
    )


def _cut_card_met(shoe: Shoe, event: events.CutCardMet) -> Shoe:
    held = shoe.held[1:] if event.held else shoe.held
    return replace(shoe, last_round=event.last_round, cut_by=event.by, held=held)


def _bets_opened(shoe: Shoe, _: events.BetsOpened) -> Shoe:
    """Undo the close of bets that are reopened: bets, purses, the time to open cards, and a round without a bet."""
    again = replace(shoe, betting=True, bets={}, money={}, reveal_by=None, opening=False, flying=False)
    return with_device(again, flown=shoe.device.flown - shoe.flying)


def _mark_given(shoe: Shoe, event: events.MarkGiven) -> Shoe:
    mark = Reply(Mark(event.seat, event.word, event.value), shoe.seq + 1, shoe.n + 1)
    turn = shoe.turn if event.more else next_turn(shoe)
    return replace(shoe, replies=(*shoe.replies, mark), turn=turn, last_mark=LastMark(shoe.reveal_by))


def _mark_taken_back(shoe: Shoe, event: events.MarkTakenBack) -> Shoe:
    reveal_by = shoe.last_mark.reveal_by if shoe.last_mark else None
    before = LastMark(followed=MARK_TAKEN_BACK, taken=shoe.replies[-1])
    known = shoe.device.unmarked or {}
    counted = known | {shoe.dealer: known.get(shoe.dealer, 0) + 1}
    after = replace(shoe, replies=shoe.replies[:-1], turn=event.turn, reveal_by=reveal_by, last_mark=before)
    return with_device(after, unmarked=counted)


def _question_answered(shoe: Shoe, event: events.QuestionAnswered) -> Shoe:
    return replace(shoe, replies=(*shoe.replies, Reply(Answered(event.answer), shoe.seq + 1, shoe.n + 1)))


def _round_closed(shoe: Shoe, event: events.RoundClosed) -> Shoe:
    past = _past(shoe, event)
    played = len(shoe.laid) - event.carried
    reserves, sealed = shoe.laid[played:], tuple(laid for laid in shoe.laid[:played] if not laid.shown)
    carried = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in reserves]
    over = [replace(laid, origin=_opens_with(laid), drawn=False) for laid in shoe.overdrawn]
    flown = shoe.device.flown if shoe.flying else 0
    after = replace(_round_over(shoe, event, past, flown), played=shoe.played + _written(event))
    return replace(after, aside=shoe.aside + sealed, laid=(*carried, *over))


def _opens_with(laid: Laid) -> events.Origin:
    """Return the origin of a carried card: one that people entered stays marked as such."""
    return "manual" if laid.origin == "manual" else "carried"


def _round_voided(shoe: Shoe, event: events.RoundVoided) -> Shoe:
    sealed = tuple(laid for laid in shoe.laid if not laid.shown)
    past = PastRound(event.round, shoe.seq + 1, event.cards, bets=shoe.bets, money=shoe.money, left=left_before(shoe))
    flown = shoe.device.flown - shoe.flying
    return replace(_round_over(shoe, event, past, flown), aside=shoe.aside + sealed + shoe.overdrawn, laid=())


def _round_over(shoe: Shoe, event: events.DealtRound, past: PastRound, flown: int) -> Shoe:
    """Return the shoe between two rounds; `flown` rounds without a bet lie in a row behind it."""
    over = replace(
        shoe,
        round=shoe.round + 1,
        rounds=(*shoe.rounds, past),
        overdrawn=(),
        betting=False,
        reveal_by=None,
        opening=False,
        flying=False,
        replies=(),
        bets={},
        money={},
        turn=next_turn(shoe),
        dealt_by="",
    )
    shift = (event.shift, event.gaming_day) if event.gaming_day else shoe.device.shift
    return with_device(over, flown=flown, prev=events.EntryName(shoe.journal, past.seq), shift=shift)


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
        event.dealt_by,
        event.shift,
        event.gaming_day,
    )


def _round_corrected(shoe: Shoe, event: events.RoundCorrected) -> Shoe:
    def corrected(past: PastRound) -> PastRound:
        read = past.read or tuple(each.card for each in past.cards)
        return replace(_past(shoe, event), bets=past.bets, money=past.money, left=past.left, read=read)

    past = next(each for each in shoe.rounds if each.round == event.round)
    before, now = ([each.card for each in round.cards] for round in (past, event))
    rounds = tuple(corrected(each) if each is past else each for each in shoe.rounds)
    seen = replace_cards(shoe.seen, past.drawn(before), past.drawn(now))
    written = "".join([_written(past) for past in rounds if past.outcome])
    after = replace(shoe, rounds=rounds, seen=seen, played=written)
    return with_device(after, prev=events.EntryName(shoe.journal, shoe.seq + 1))


def _written(round: events.RoundClosed | PastRound) -> str:
    """Return the cards of a round, one behind the other."""
    return "".join([each.card.value for each in round.cards])


def _shoe_opened(shoe: Shoe, event: events.ShoeOpened) -> Shoe:
    burn, left = event.house.burn, event.pack.left
    goes_on = event.journal == shoe.journal
    return Shoe(
        device=event.device or (_device_kept(shoe, event) if goes_on else events.Device(event.house)),
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


def _device_kept(shoe: Shoe, event: events.ShoeOpened) -> events.Device:
    """Return the device of the next shoe in the same journal: the same as `ShoeOpened.device` for a new journal."""
    is_asked_for = shoe.device.dealer_change and event.dealer == shoe.dealer
    return replace(shoe.device, dealer_change=is_asked_for, lent="", turn=shoe.turn, closed=UNSET)


def _shoe_ended(shoe: Shoe, _: events.ShoeEnded) -> Shoe:
    sealed = tuple(laid for laid in shoe.laid + shoe.overdrawn if not laid.shown)
    ended = replace(shoe, status="ended", aside=shoe.aside + sealed, laid=(), overdrawn=(), betting=False)
    flown = shoe.device.flown - shoe.flying  # the round without a bet was not dealt
    return with_device(replace(ended, reveal_by=None, flying=False), flown=flown)


def _irregular(shoe: Shoe, event: events.Irregular) -> Shoe:
    entered = () if event.id in FORGETS else shoe.device.entered
    steady = 0 if event.id == "reader_repeats" else shoe.device.steady
    return with_device(shoe, irregular=(*shoe.device.irregular, event), entered=entered, steady=steady)


def _irregularity_closed(shoe: Shoe, event: events.IrregularityClosed) -> Shoe:
    closed = with_device(shoe, irregular=tuple(each for each in shoe.device.irregular if each.id != event.id))
    if event.clears and (first := oldest_held(shoe)):
        cleared = replace(first, cleared=(*first.cleared, event.id))
        return replace(closed, held=(cleared, *shoe.held[1:]))
    if event.id == "reader_lost":
        return with_device(closed, lent="")
    if event.id == "reader_repeats":
        return with_device(closed, steady=UNSET)
    if (event.id, event.choice) == ("cut_card_missing", "continue"):
        return replace(closed, last_round=None, cut_by=None, cut_watched=shoe.cut_by != "virtual")
    if (event.id, event.choice) == ("cut_card_early", "continue"):
        return replace(closed, held=tuple(each for each in shoe.held if not isinstance(each, HeldCut)))
    return closed


def _reader_session(shoe: Shoe, event: events.ReaderSession) -> Shoe:
    known, at = shoe.device, ReportNo(event.session, BEFORE_FIRST)
    entered = () if known.reader else known.entered  # a board seen for the first time has kept its reports
    return with_device(shoe, reader=at, entered=entered, serial=event.board or known.serial)


def _command_answered(shoe: Shoe, event: events.CommandAnswered) -> Shoe:
    shoe = order_counts.with_counts(shoe, event)
    if event.answer.id is None or answer_to(shoe, event.answer.id):
        return shoe  # an id keeps the first answer it got
    return with_device(shoe, answers=(*shoe.device.answers, event.answer)[-ANSWERS_KEPT:])


CHANGES: Final[dict[type, Callable[[Shoe, Any], Shoe]]] = {
    events.CardBurned: _card_burned,
    events.CardDealt: _card_dealt,
    events.CardOverdrawn: _card_overdrawn,
    events.CardHeld: _card_held,
    events.CardEntered: _card_entered,
    events.CardLookedAt: _card_looked_at,
    events.CardConfirmed: lambda shoe, _: with_device(shoe, entered=shoe.device.entered[1:]),
    events.CardSetAside: _card_set_aside,
    events.CardRevealed: _card_revealed,
    events.OverdrawnBurned: _overdrawn_burned,
    events.BurnFinished: lambda shoe, _: replace(shoe, burn_left=0),
    events.LotAdopted: lambda shoe, event: replace(shoe, lot=event.lot),
    events.CutCardMet: _cut_card_met,
    events.CutCardHeld: lambda shoe, event: replace(shoe, held=(*shoe.held, HeldCut(event.by, event.last_round))),
    events.BetsOpened: _bets_opened,
    events.BetsClosed: lambda shoe, event: replace(shoe, betting=False, bets=event.bets, money=event.money),
    events.MarkGiven: _mark_given,
    events.MarkTakenBack: _mark_taken_back,
    events.QuestionAnswered: _question_answered,
    events.RoundClosed: _round_closed,
    events.RoundVoided: _round_voided,
    events.RoundCorrected: _round_corrected,
    events.ResultHeld: lambda shoe, event: replace(shoe, held=(*shoe.held, HeldResult(event.result))),
    events.RevealClockStarted: lambda shoe, event: replace(shoe, reveal_by=event.until),
    events.RevealTimeEnded: lambda shoe, _: replace(shoe, reveal_by=None, opening=True),
    events.Flown: lambda shoe, event: with_device(replace(shoe, flying=True, opening=True), flown=event.in_a_row),
    events.Commissioned: lambda shoe, event: replace(shoe, journal=event.journal, seq=0, n=0),
    events.BridgeStarted: order_counts.started,
    events.RecordBegun: lambda shoe, event: with_device(shoe, record=event, retiring=UNSET),
    events.RecordEnded: lambda shoe, _: with_device(shoe, record=None),
    events.KeyChanged: with_key,
    events.ShoeOpened: _shoe_opened,
    events.ShoeChangeRequested: lambda shoe, event: replace(shoe, change="requested", change_by=event.until),
    events.ShoeChangeOverdue: lambda shoe, _: replace(shoe, change="overdue", change_by=None),
    events.DealerChangeRequested: lambda shoe, _: with_device(shoe, dealer_change=True),
    events.DealerSignedIn: lambda shoe, event: with_device(replace(shoe, dealer=event.dealer), dealer_change=False),
    events.ShoeEnded: _shoe_ended,
    events.TableClosed: lambda shoe, _: with_device(shoe, closed=True),
    events.ShiftEnded: lambda shoe, _: with_device(shoe, acts=UNSET),
    events.Irregular: _irregular,
    events.IrregularityClosed: _irregularity_closed,
    events.ReaderSession: _reader_session,
    events.ReaderLent: lambda shoe, event: with_device(shoe, lent=event.to),
    events.LidTurned: lambda shoe, event: with_device(shoe, lid_open=event.open),
    events.Noted: lambda shoe, event: replace(shoe, held=shoe.held[1:]) if event.held else shoe,
    events.CommandAnswered: _command_answered,
    events.OrdersRefused: order_counts.with_counts,
    **dict.fromkeys((events.CodeFound, events.Happened, events.KeyRefused, events.SoftwareChanged), lambda it, _: it),
}
