"""Handles reports of reader, sensors, disk and link: cards, misplaced cards, losses, restarts, internal errors."""

from typing import TypeGuard

from msgspec.structs import replace

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.book.refusals import Phrase, Refused, Value, phrase
from firmware_bridge.facts.inputs import SlotFilled
from firmware_bridge.games.prompts import MarkDue
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.dealing import deal_or_hold, hold
from firmware_bridge.shoe.handlers.disclosure import restart_clocks, waits_for_reveal
from firmware_bridge.shoe.handlers.rounds import (
    cards_open,
    doubt_cut_card,
    doubt_sensor,
    is_early,
    is_pack_over,
    meet_cut_card,
)
from firmware_bridge.shoe.round import asked, asks, due, layout, phase, rules
from firmware_bridge.shoe.state import HeldCard, Phase, Shoe, blockers, is_open, stuck


def start(draft: Draft, fact: inputs.Started) -> None:
    """Handle the start of the daemon: an open round is resumed at the same slot."""
    if not draft.shoe.journal:
        draft.add(events.Commissioned(journal=f"0-{fact.nonce[:12]}"))
    before = draft.shoe.device.code
    draft.add(
        events.BridgeStarted(
            version=fact.version, house=fact.house, torn=fact.torn, code=fact.code, order_keys=fact.order_keys
        )
    )
    if before and fact.code and replace(before, config="") != replace(fact.code, config=""):
        draft.add(events.SoftwareChanged(old=before, new=fact.code, by=fact.installed_by))
    restart_clocks(draft)
    if phase(draft.shoe) is Phase.DEALING:
        waits: dict[str, Value] = {"due": slot} if (slot := due(draft.shoe)) else {"now": _waits_for(draft.shoe)}
        draft.open_irregularity("restarted_mid_round", round=draft.shoe.round, **waits)
    if fact.record and draft.shoe.device.record is None:
        _begin_record(draft, fact.record)


def note_code(draft: Draft, fact: inputs.CodeChecked) -> None:
    """Put files of the software that were changed on record."""
    draft.add(events.CodeFound(changed=fact.changed))


def renew_record(draft: Draft, fact: inputs.RecordRenewed) -> None:
    """Begin another record between shoes."""
    if ended := draft.shoe.device.record:
        draft.add(
            events.RecordEnded(
                origin=ended.origin,
                why=fact.why,
                by=fact.by,
                second=fact.second,
                person=fact.person,
                confirmed=fact.confirmed,
            )
        )
    _begin_record(draft, fact.record)


def rotate_key(draft: Draft, fact: inputs.KeyRotated) -> None:
    """Change the key of the record between shoes."""
    draft.add(
        events.KeyChanged(
            old=fact.old,
            new=fact.new,
            by=fact.by,
            second=fact.second,
            person=fact.person,
            confirmed=fact.confirmed,
        )
    )


def _begin_record(draft: Draft, begun: inputs.NewRecord) -> None:
    draft.add(events.RecordBegun(origin=begun.origin, key=begun.key, follows=begun.follows))


def is_card(fact: inputs.AnyInput) -> TypeGuard[inputs.CardRead | inputs.CardUnread]:
    """Return whether a card of the packs passed the reader, read or not."""
    return isinstance(fact, inputs.CardRead) or (isinstance(fact, inputs.CardUnread) and fact.concerns == "card")


def follow_session(draft: Draft, fact: inputs.AnyInput, inside: bool) -> None:
    """Open `reader_gap` for another session or a gap: cards may be missed. inside: a shoe was open before."""
    report = inputs.last_report(fact)
    if report is not None:
        _new_session(draft, report.session, inside)
    if getattr(fact, "gap", False) and draft.shoe.status == "open":
        why = phrase("prompt", why=fact.what) if isinstance(fact, inputs.ReaderSaid) else _lost_reports(report)
        draft.open_irregularity("reader_gap", why=why)


def _lost_reports(report: inputs.ReportNo | None) -> Phrase:
    """Return the reports lost before this one; their numbers begin with 0 when the reader restarts."""
    if report is None:
        return phrase("reports_lost")
    return phrase("reports_lost_before", number=report.seq) if report.seq else phrase("reader_restarted")


def reader_booted(draft: Draft, fact: inputs.ReaderBooted) -> None:
    """Handle the first message of a reader board after its start."""
    inside, known = draft.shoe.status == "open", draft.shoe.device.serial
    if not known or fact.serial in ("", known):
        _new_session(draft, fact.session, inside, fact.serial)
        return
    draft.add(events.ReaderSession(session=fact.session, board=fact.serial))
    if inside:
        draft.open_irregularity("reader_gap", why=phrase("other_reader", serial=fact.serial, known=known))
    else:
        draft.add(events.Noted(code="other_reader", values={"serial": fact.serial, "known": known}))


def _new_session(draft: Draft, session: int, inside: bool, serial: str = "") -> None:
    known = draft.shoe.device.reader
    if known is not None and known.session == session:
        return
    draft.add(events.ReaderSession(session=session, board=serial))
    if known is not None and inside:
        draft.open_irregularity("reader_gap", why=phrase("board_restarted"))


def is_entered(shoe: Shoe, fact: inputs.AnyInput) -> bool:
    """Return whether the reader now reports the card that people entered while it was away."""
    if not isinstance(fact, inputs.CardRead) or fact.report is None:
        return False
    last = shoe.device.reader
    return shoe.device.entered[:1] == (fact.card,) and (last is None or fact.report.session == last.session)


def already_entered(draft: Draft, fact: inputs.CardRead) -> bool:
    """Confirm an entered card by its report, True if it did; another card instead of it is a gap."""
    if is_entered(draft.shoe, fact):
        draft.add(events.CardConfirmed())
        return True
    if draft.shoe.device.entered and fact.report is not None and draft.shoe.status == "open":
        draft.open_irregularity("reader_gap", why=phrase("other_card"))
    return False


def read(draft: Draft, fact: inputs.CardRead) -> None:
    """Handle a card that left the shoe, unless people entered it before."""
    if not already_entered(draft, fact):
        deal_or_hold(draft, _held(fact))


def _held(fact: inputs.CardRead) -> HeldCard:
    return HeldCard(
        fact.card, fact.nonce, fact.lot, flags=fact.flags, slot=fact.slot, serial=fact.serial, again=fact.again
    )


def unread(draft: Draft, fact: inputs.CardUnread) -> None:
    """Handle an unread report: a card without a face, a movement, or dirty optics."""
    match fact.concerns:
        case "optics":
            draft.add(events.Noted(code="no_card", values={"reason": fact.reason}))
        case "movement" if is_pack_over(draft.shoe):
            unread_outside(draft, fact)
        case "movement":
            draft.open_irregularity(fact.reason, round=draft.shoe.round)
        case "card":
            deal_or_hold(draft, _held_unread(fact))


def _held_unread(fact: inputs.CardUnread) -> HeldCard:
    return HeldCard(None, fact.nonce, reason=fact.reason, again=fact.again)


def unread_outside(draft: Draft, fact: inputs.CardUnread) -> None:
    """Handle an unread report while no shoe is open: a card of a pack that is over is counted, the rest is noted."""
    if fact.concerns == "card" and is_pack_over(draft.shoe):
        deal_or_hold(draft, _held_unread(fact))
        return
    draft.add(events.Noted(code="outside", values={"reason": fact.reason}))


def cut(draft: Draft, fact: inputs.CutCardSeen) -> None:
    """Handle the cut card: its place follows from the order of events, so it waits behind held cards.

    It waits for sealed cards too: only when they are open is it known whether the round's last card is out. One that
    is early waits for the pit.
    """
    if is_open(draft.shoe, "cut_card_early"):
        draft.add(events.Noted(code="cut_undecided", values={"by": fact.by}))
    elif is_early(draft.shoe):
        doubt_cut_card(draft, fact.by)
    elif draft.shoe.held or waits_for_reveal(draft.shoe):
        draft.add(events.CutCardHeld(by=fact.by))
    else:
        meet_cut_card(draft, fact.by)


def cut_outside(draft: Draft, fact: inputs.CutCardSeen) -> None:
    """Note the cut card of a shoe that is over."""
    draft.add(events.Noted(code="cut_outside", values={"by": fact.by}))


def lid_moved(draft: Draft, fact: inputs.LidMoved) -> None:
    """Handle the lid of a shoe in use: open it is an irregularity, unless its pack is over and may be changed."""
    lid_outside(draft, fact)
    if fact.open and not is_pack_over(draft.shoe):
        draft.open_irregularity("lid_opened", round=draft.shoe.round)


def lid_outside(draft: Draft, fact: inputs.LidMoved) -> None:
    """Handle the lid between shoes, opened to load the cards; a sensor may repeat its position."""
    if fact.open != draft.shoe.device.lid_open:
        draft.add(events.LidTurned(open=fact.open))


def sensor_stuck(draft: Draft, fact: inputs.SensorStuck) -> None:
    """Handle a stuck sensor or key, which reports nothing any more; one alarm names all that are stuck."""
    before = stuck(draft.shoe)
    now = tuple(name for name in before if name != fact.sensor) + (fact.sensor,) * fact.stuck
    if set(now) == set(before):
        return
    draft.close_irregularity("sensor_stuck", "stuck_too" if fact.stuck else "free")
    if now:
        draft.open_irregularity("sensor_stuck", *now, sensors=now)
    doubt_sensor(draft)


def clock_jumped(draft: Draft, fact: inputs.ClockJumped) -> None:
    """Note that the wall clock was set; nothing depends on it."""
    draft.note("clock_jump", ms=fact.by)


def lost(draft: Draft, fact: inputs.DeviceLost) -> None:
    """Open the irregularity of a lost reader or broker."""
    draft.open_irregularity(f"{fact.device}_lost", why=_why(fact))


def _why(fact: inputs.DeviceLost | inputs.DiskFailed | inputs.ReaderFaulted) -> Phrase | str:
    """Return the reason of a fault by its code; of a version before, in English."""
    return Phrase(fact.code, fact.values) if fact.code else fact.why


def reader_faulted(draft: Draft, fact: inputs.ReaderFaulted) -> None:
    """Open the irregularity of a reader that sends more than cards can be drawn."""
    draft.open_irregularity("reader_fault", why=_why(fact))


def reader_borrowed(draft: Draft, fact: inputs.ReaderBorrowed) -> None:
    """Handle the lease of the reader to a technician: for the table it is lost."""
    is_new = draft.open_irregularity("reader_lost", to=fact.by)
    if fact.by and fact.by != draft.shoe.device.lent:
        draft.add(events.ReaderLent(to=fact.by, person=fact.person))
    elif fact.taken and not is_new:
        draft.add(events.Noted(code="lent", values={"to": fact.by}))


def test_cards_passed(draft: Draft, fact: inputs.TestCardsPassed) -> None:
    """Record a technician's test cards, which do not belong to the shoe."""
    is_new = draft.open_irregularity("reader_lost", count=fact.count, **{"to" if fact.lent else "by": fact.by})
    if fact.lent and fact.by and fact.by != draft.shoe.device.lent:
        draft.add(events.ReaderLent(to=fact.by))
    elif fact.taken and not is_new:
        code, who = ("test_cards_lent", "to") if fact.lent else ("test_cards", "by")
        draft.add(events.Noted(code=code, values={"count": fact.count, who: fact.by}))


def broker_back(draft: Draft, fact: inputs.DeviceBack) -> None:
    """Close the irregularity of a lost broker."""
    draft.close_irregularity("broker_lost", "back")


def reader_back(draft: Draft, fact: inputs.DeviceBack) -> None:
    """Handle a reader that answers again: if it may have missed cards, the dealer confirms."""
    draft.close_irregularity("reader_lost", "back", values={"losses": fact.losses} if fact.losses else None)
    opens_itself = fact.cut_short and cards_open(draft.shoe.device.next_house)
    if not fact.resumes and (draft.shoe.status == "open" or opens_itself):
        draft.open_irregularity("reader_back", **({"round": draft.shoe.round} if draft.shoe.status == "open" else {}))


def disk_failed(draft: Draft, fact: inputs.DiskFailed) -> None:
    """Record a disk failure, after the journal can be written again."""
    if draft.open_irregularity(fact.irregularity, why=_why(fact)):
        draft.close_irregularity(fact.irregularity, "recovered")


def accepted(draft: Draft, fact: inputs.Ordered, order: orders.Order) -> None:
    """Accept an order that changes nothing in the shoe: the outbox acts on the answer."""


def malformed(draft: Draft, fact: inputs.Ordered, order: orders.Malformed) -> None:
    """Refuse an order that could not be decoded. Raises Refused."""
    raise Refused(order.code, **order.values)


def refusals_counted(draft: Draft, fact: inputs.RefusalsCounted) -> None:
    """Put on record which messages were refused without an entry of their own."""
    draft.add(events.OrdersRefused(why=fact.why, counts=fact.counts))


def hold_for_technician(draft: Draft, fact: inputs.AnyInput) -> None:
    """Hold the card of an input that could not be handled."""
    if draft.shoe.status != "open":
        return
    if isinstance(fact, inputs.CardRead):
        hold(draft, _held(fact), "internal_error")
    elif isinstance(fact, inputs.CardUnread):
        hold(draft, _held_unread(fact), "internal_error")


def _waits_for(shoe: Shoe) -> tuple[Phrase, ...]:
    """Return the prompt of a round where no card is due."""
    question = asked(shoe)
    return asks(question) if isinstance(question, MarkDue) else (phrase("cards_to_open"),)


def slot_filled(draft: Draft, fact: SlotFilled) -> None:
    """Handle a card laid into a slot: in a slot without a dealt card it holds the round.

    The last card of a round that closed by itself lands after it, and cards of six-card rounds are moved.
    """
    shoe = draft.shoe
    if shoe.held or shoe.overdrawn or blockers(shoe) or fact.slot in _dealt_to(shoe):
        return  # a card that waits to be dealt lies where it was laid
    if fact.slot in rules(shoe).play.secret and shoe.house.disclose == "sealed" and _is_closed(shoe):
        return  # whether a third card is drawn is a secret
    laid = {"dealt": ", ".join(each.slot for each in layout(shoe).placed)} if shoe.laid else {}
    draft.open_irregularity("wrong_slot", slot=fact.slot, **laid)


def slot_ignored(draft: Draft, fact: SlotFilled) -> None:
    """Ignore a card in a slot: between shoes, and in the burn, cards may lie anywhere."""


def _is_closed(shoe: Shoe) -> bool:
    """Return whether the round waits for a card to be opened, or for one that lies face down to be drawn."""
    return layout(shoe).result is None and any(not laid.shown for laid in shoe.laid)


def _dealt_to(shoe: Shoe) -> set[str]:
    now = {slot for each in layout(shoe).placed for slot in (each.slot, each.plays) if slot}
    if any(laid.drawn for laid in shoe.laid):
        return now
    return now | ({each.slot for each in shoe.rounds[-1].cards} if shoe.rounds else set())
