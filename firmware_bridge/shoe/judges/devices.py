"""What goes wrong around the cards: readers, brokers, disks, restarts, and our own faults."""

from __future__ import annotations

from typing import TypeGuard

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.held import HeldCard
from firmware_bridge.shoe.judges import floor
from firmware_bridge.shoe.judges.cut_card import meet_cut_card
from firmware_bridge.shoe.judges.dealing import hold, take
from firmware_bridge.shoe.judges.disclosure import restart_clocks, waits_for_reveal
from firmware_bridge.shoe.state import Phase, Shoe, due, phase, stuck


def start(draft: Draft, told: inputs.Started) -> None:
    """The daemon began: an open round is resumed at the same slot."""
    if not draft.shoe.journal:
        draft.add(events.Commissioned(journal=f"0-{told.nonce[:12]}"))
    draft.add(events.BridgeStarted(version=told.version, house=told.house))
    restart_clocks(draft)
    if phase(draft.shoe) is Phase.DEALING:
        what = f"{slot} is due" if (slot := due(draft.shoe)) else "cards are to be revealed"
        draft.open_irregularity("restarted_mid_round", f"round {draft.shoe.round}, {what}")


def is_card(told: inputs.AnyInput) -> TypeGuard[inputs.CardRead | inputs.CardUnread]:
    """Whether a card of the packs passed the reader, read or not."""
    return isinstance(told, inputs.CardRead) or (isinstance(told, inputs.CardUnread) and told.concerns == "card")


def follow_session(draft: Draft, told: inputs.AnyInput, inside: bool) -> None:
    """A report from another reader session, or after a gap, means that cards may have been missed.

    inside: a shoe was open already before this input.
    """
    report = getattr(told, "report", None)
    if report is not None:
        _new_session(draft, report.session, inside)
    if getattr(told, "gap", False) and draft.shoe.status == "open":
        unsaid = f"reports before number {report.seq} are lost" if report else "reports are lost"
        draft.open_irregularity("reader_gap", told.what if isinstance(told, inputs.ReaderSaid) else unsaid)


def reader_booted(draft: Draft, told: inputs.ReaderBooted) -> None:
    """The board said hello."""
    _new_session(draft, told.session, inside=draft.shoe.status == "open")


def _new_session(draft: Draft, session: int, inside: bool) -> None:
    known = draft.shoe.device.reader
    if known is not None and known.session == session:
        return
    draft.add(events.ReaderSession(session=session))
    if known is not None and inside:
        draft.open_irregularity("reader_gap", "the reader board restarted inside the shoe")


def is_entered(shoe: Shoe, told: inputs.AnyInput) -> bool:
    """Whether the reader now reports the card that people entered while it was away."""
    report = getattr(told, "report", None)
    if not isinstance(told, inputs.CardRead) or report is None:
        return False
    last = shoe.device.reader
    return shoe.device.entered[:1] == (told.card,) and (last is None or report.session == last.session)


def already_entered(draft: Draft, told: inputs.CardRead) -> bool:
    """Take the report of an entered card as its confirmation; another card instead of it is a gap."""
    if is_entered(draft.shoe, told):
        draft.add(events.CardConfirmed())
        return True
    if draft.shoe.device.entered and told.report is not None and draft.shoe.status == "open":
        draft.open_irregularity("reader_gap", "the reader read another card than the one entered by hand")
    return False


def unread(draft: Draft, told: inputs.CardUnread) -> None:
    """The reader saw something: a card without a face, a movement, or its own optics."""
    match told.concerns:
        case "optics":
            draft.add(events.Noted(what=f"reader: {told.reason}"))
        case "movement":
            draft.open_irregularity(told.reason, f"told by the reader in round {draft.shoe.round}")
        case "card":
            take(draft, HeldCard(None, told.nonce, reason=told.reason))


def unread_outside(draft: Draft, told: inputs.CardUnread) -> None:
    """No shoe is open: there is nothing to keep."""
    draft.add(events.Noted(what=f"reader, with no shoe open: {told.reason}"))


def cut(draft: Draft, told: inputs.CutCardSeen) -> None:
    """The cut card: its place is by the order of events, so it waits behind held cards.

    It waits for sealed cards too: whether the round's last card is out already, they tell when they are opened.
    """
    if draft.shoe.held or waits_for_reveal(draft.shoe):
        draft.add(events.CutCardHeld(by=told.by))
    else:
        meet_cut_card(draft, told.by)


def cut_outside(draft: Draft, told: inputs.CutCardSeen) -> None:
    """The cut card of a shoe that is over."""
    draft.add(events.Noted(what=f"cut card seen by the {told.by} with no shoe open"))


def lid_moved(draft: Draft, told: inputs.LidMoved) -> None:
    """The lid of a shoe in use has no business being open."""
    lid_outside(draft, told)
    if told.open:
        draft.open_irregularity("lid_opened", f"in round {draft.shoe.round}")


def lid_outside(draft: Draft, told: inputs.LidMoved) -> None:
    """Between shoes the lid is opened to load the cards; a sensor may tell again how it stands."""
    if told.open != draft.shoe.device.lid_open:
        draft.add(events.LidTurned(open=told.open))


def sensor_stuck(draft: Draft, told: inputs.SensorStuck) -> None:
    """A sensor that does not let go says nothing any more; one alarm names all that are stuck."""
    before = stuck(draft.shoe)
    now = tuple(name for name in before if name != told.sensor) + (told.sensor,) * told.stuck
    if set(now) == set(before):
        return
    draft.close_irregularity("sensor_stuck", "stuck too" if told.stuck else "free")
    if now:
        draft.open_irregularity("sensor_stuck", ", ".join(now), *now)


def clock_jumped(draft: Draft, told: inputs.ClockJumped) -> None:
    """The wall clock was set: worth a line, nothing depends on it."""
    draft.note("clock_jump", f"by {told.by / 1000:+.1f} s")


def lost(draft: Draft, told: inputs.DeviceLost) -> None:
    """A device is gone; what becomes of a reader that is lent goes on record too."""
    is_new = draft.open_irregularity(f"{told.device}_lost", told.why)
    if told.lent and told.lent != draft.shoe.device.lent:
        draft.add(events.ReaderLent(to=told.lent))
    elif told.report and not is_new:
        draft.add(events.Noted(what=told.why))


def broker_back(draft: Draft, told: inputs.DeviceBack) -> None:
    """The broker answers again."""
    draft.close_irregularity("broker_lost", "back")


def reader_back(draft: Draft, told: inputs.DeviceBack) -> None:
    """The reader answers again: where it cannot say what it missed, the dealer confirms."""
    draft.close_irregularity("reader_lost", "back")
    opens_itself = told.cut_short and draft.shoe.device.next_house.new_shoe == "auto"
    if not told.resumes and (draft.shoe.status == "open" or opens_itself):
        at = f"round {draft.shoe.round}" if draft.shoe.status == "open" else "no shoe is open"
        draft.open_irregularity("reader_back", at)


def disk_failed(draft: Draft, told: inputs.DiskFailed) -> None:
    """Told once the journal can be written again."""
    if draft.open_irregularity(told.irregularity, told.why):
        draft.close_irregularity(told.irregularity, "recovered")


def resolve(draft: Draft, told: inputs.Ordered) -> None:
    """The floor decides."""
    assert isinstance(told.order, orders.Resolve)
    floor.resolve(draft, told.order, told.by)


def accepted(draft: Draft, told: inputs.Ordered) -> None:
    """An order that changes nothing in the shoe: the outbox acts on the answer."""


def malformed(draft: Draft, told: inputs.Ordered) -> None:
    """An order nobody can obey."""
    assert isinstance(told.order, orders.Malformed)
    raise Refused(told.order.error, told.order.hint)


def hold_for_technician(draft: Draft, told: inputs.AnyInput) -> None:
    """Keep the card of an input that could not be judged."""
    if draft.shoe.status != "open":
        return
    if isinstance(told, inputs.CardRead):
        card = HeldCard(told.card, told.nonce, told.lot, flags=told.flags, slot=told.slot, serial=told.serial)
        hold(draft, card, "internal error")
    elif isinstance(told, inputs.CardUnread):
        hold(draft, HeldCard(None, told.nonce, reason=told.reason), "internal error")
