"""`decide(shoe, input) -> events`: the one place where an input meets the phase it comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from firmware_bridge.facts import events, inputs
from firmware_bridge.facts.orders import Answer, Reveal, tag_of
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.held import HeldCard
from firmware_bridge.shoe.judges import devices, disclosure, orders, reader_result, service, slot_sensors
from firmware_bridge.shoe.judges.dealing import close_opened, deal_held, take, void_if_empty
from firmware_bridge.shoe.state import Phase, Shoe, answer_to, phase

BOARD_KEEPS: Final = 32
"""Reports a reader board can repeat (readers.md): one further back than that is a new one."""


def decide(shoe: Shoe, told: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
    """What becomes true because of `told`; nothing for a repeat. Pure and total."""
    if _told_before(shoe, told):
        return ()
    draft = Draft(shoe, told.at, told.mono)
    if devices.is_card(told) and not devices.is_entered(shoe, told):
        orders.auto_open(draft, told)
    devices.follow_session(draft, told, inside=shoe.status == "open")
    judge = JUDGES[kind(told)][phase(draft.shoe)]
    try:
        judge(draft, told)
        answer = Answer(ok=True)
    except Refused as refused:
        answer = Answer(ok=False, error=refused.error, hint=refused.hint or None)
    deal_held(draft)
    if close_opened(draft):
        deal_held(draft)
    void_if_empty(draft)
    _reply(draft, told, answer)
    return tuple(draft.events)


def _told_before(shoe: Shoe, told: inputs.AnyInput) -> bool:
    """A report already taken, or a command already answered."""
    if isinstance(told, inputs.Ordered):
        return answer_to(shoe, told.id) is not None
    report = None if isinstance(told, inputs.DeviceLost) else getattr(told, "report", None)
    if report is None or shoe.device.reader is None or report.session != shoe.device.reader.session:
        return False
    return bool((shoe.device.reader.seq - report.seq) % 256 < BOARD_KEEPS)


def _reply(draft: Draft, told: inputs.AnyInput, answer: Answer) -> None:
    if isinstance(told, inputs.Pressed) and not answer.ok:
        draft.add(events.KeyRefused(key=told.key, why=answer.error or ""))
    if isinstance(told, inputs.Ordered):
        named = Answer(answer.ok, told.id, tag_of(told.order), answer.error, answer.hint)
        draft.add(events.CommandAnswered(answer=named, by=told.by))


def kind(told: inputs.AnyInput) -> str:
    """The row of the table an input belongs to."""
    match told:
        case inputs.Ordered(order=Reveal()):
            return "reveal_order"  # by wire it can name slots, the key of this name cannot
        case inputs.Ordered(order=order):
            return tag_of(order)
        case inputs.Pressed(key=key):
            return key
        case inputs.DeviceLost(device=device):
            return f"{device}_lost"
        case inputs.DeviceBack(device=device):
            return f"{device}_back"
    return type(told).__name__


Judge = Callable[[Draft, Any], None]


def _card(draft: Draft, told: inputs.CardRead) -> None:
    if not devices.already_entered(draft, told):
        take(draft, HeldCard(told.card, told.nonce, told.lot, flags=told.flags, slot=told.slot, serial=told.serial))


def _given(act: Callable[[Draft, inputs.Ordered, Any], None]) -> Judge:
    return lambda draft, told: act(draft, told, told.order)


def _refuse(error: str, hint: str) -> Judge:
    def refuse(draft: Draft, told: inputs.AnyInput) -> None:
        raise Refused(error, hint)

    return refuse


def _if_required(judge: Judge) -> Judge:
    """Betting orders are taken, and mean nothing, at a table that ignores betting."""

    def betting(draft: Draft, told: inputs.Ordered) -> None:
        if draft.shoe.house.betting == "required":
            judge(draft, told)

    return betting


_PHASES: Final = tuple(Phase)
_NO_SHOE = _refuse("no shoe is open", "open one: open_shoe")
_IN_USE = _refuse("a shoe is in use", "close it first: close_shoe")
_IN_ROUND = _refuse("a round is open", "finish it, or void it first")
_BURNING = _refuse("the burn is not finished", "go on burning")
_BETTING = _if_required(_refuse("betting is open already", "deal after bets_closed"))
_NO_BETTING = _if_required(_refuse("betting is not open", "bets_open, or deal the round"))


def _row(*judges: Judge) -> dict[Phase, Judge]:
    """One judge per phase, in their order; a single one serves all."""
    return dict(zip(_PHASES, judges if len(judges) > 1 else judges * len(_PHASES), strict=True))


_open = _given(orders.order_shoe)
_close = _given(orders.close_shoe)
_bets_open = _if_required(_given(orders.bets_open))
_bets_closed = _if_required(_given(orders.bets_closed))
_void = _given(orders.void)
_reveal = _given(orders.reveal_order)
_fly = _given(service.fly)
_result = orders.press_result
_no_result = _refuse("no result to confirm", "deal the round first")
_lid = devices.lid_moved
_no_lid = devices.lid_outside
_slot = slot_sensors.slot_filled
_no_slot = slot_sensors.slot_ignored
_correct = _given(orders.correct)
_change = _given(service.request_shoe_change)
_relief = _given(service.request_dealer_change)
_sign_in = _given(service.dealer_in)
_enter = _given(orders.enter)
_unread = devices.unread
_no_read = devices.unread_outside
_cut = devices.cut
_no_cut = devices.cut_outside
_verdict = reader_result.judged
_no_verdict = reader_result.judged_outside

# fmt: off
JUDGES: Final[dict[str, dict[Phase, Judge]]] = {
    #                   empty        burning     betting       ready         dealing       complete      ended
    "CardRead":    _row(_card),
    "CardUnread":  _row(_no_read,    _unread,    _unread,      _unread,      _unread,      _unread,      _no_read),
    "CutCardSeen": _row(_no_cut,     _cut,       _cut,         _cut,         _cut,         _cut,         _no_cut),
    "next":        _row(orders.press_next),
    "reveal":      _row(orders.press_reveal),
    "player":      _row(_no_result,  _no_result, _result,      _result,      _result,      _result,      _result),
    "banker":      _row(_no_result,  _no_result, _result,      _result,      _result,      _result,      _result),
    "tie":         _row(_no_result,  _no_result, _result,      _result,      _result,      _result,      _result),
    "ReaderJudged":  _row(_no_verdict, _verdict,   _verdict,     _verdict,     _verdict,     _verdict,     _no_verdict),
    "ReaderSaid":  _row(reader_result.said),
    "TimePassed":  _row(disclosure.time_passed),
    "LidMoved":    _row(_no_lid,     _lid,       _lid,         _lid,         _lid,         _lid,         _no_lid),
    "SlotFilled":  _row(_no_slot,    _no_slot,   _slot,        _slot,        _slot,        _slot,        _no_slot),
    "SensorStuck": _row(devices.sensor_stuck),
    "ClockJumped": _row(devices.clock_jumped),
    "Started":     _row(devices.start),
    "ReaderBooted": _row(devices.reader_booted),
    "reader_lost": _row(devices.lost),
    "reader_back": _row(devices.reader_back),
    "broker_lost": _row(devices.lost),
    "broker_back": _row(devices.broker_back),
    "DiskFailed":  _row(devices.disk_failed),
    "open_shoe":   _row(_open,       _IN_USE,    _IN_USE,      _IN_USE,      _IN_USE,      _IN_USE,      _open),
    "close_shoe":  _row(_NO_SHOE,    _close,     _close,       _close,       _IN_ROUND,    _IN_ROUND,    _NO_SHOE),
    "bets_open":   _row(_NO_SHOE,    _BURNING,   _BETTING,     _bets_open,   _IN_ROUND,    _IN_ROUND,    _NO_SHOE),
    "bets_closed": _row(_NO_SHOE,    _BURNING,   _bets_closed, _NO_BETTING,  _NO_BETTING,  _NO_BETTING,  _NO_SHOE),
    "reveal_order": _row(_NO_SHOE,   _BURNING,   _reveal,      _reveal,      _reveal,      _reveal,      _NO_SHOE),
    "fly":         _row(_NO_SHOE,    _BURNING,   _fly,         _fly,         _IN_ROUND,    _IN_ROUND,    _NO_SHOE),
    "request_shoe_change": _row(_NO_SHOE, _BURNING, _change,   _change,      _change,      _change,      _NO_SHOE),
    "request_dealer_change": _row(_relief),
    "dealer":      _row(_sign_in),
    "void":        _row(_NO_SHOE,    _BURNING,   _void,        _void,        _void,        _void,        _NO_SHOE),
    "correct":     _row(_NO_SHOE,    _BURNING,   _correct,     _correct,     _correct,     _correct,     _correct),
    "enter":       _row(_NO_SHOE,    _enter,     _enter,       _enter,       _enter,       _enter,       _NO_SHOE),
    "resolve":     _row(devices.resolve),
    "resend":      _row(devices.accepted),
    "malformed":   _row(devices.malformed),
}
# fmt: on
"""(phase x input) -> what judges it; a test proves it complete."""


def fault(shoe: Shoe, told: inputs.AnyInput, error: Exception) -> tuple[events.AnyEvent, ...]:
    """What to journal when `decide` itself failed: the card of the input is held and the shoe blocked.

    `error` is told by its type and place only: its text might spell a sealed card.
    """
    draft = Draft(shoe, told.at)
    devices.hold_for_technician(draft, told)
    at = error.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    where = f"{at.tb_frame.f_code.co_name}:{at.tb_lineno}" if at else "?"
    if not draft.open_irregularity("internal_error", f"{type(error).__name__} in {where}"):
        draft.add(events.Noted(what=f"internal error again: {type(error).__name__} in {where}"))
    return tuple(draft.events)


def observe(shoe: Shoe, told: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
    """What is journaled while the shoe only observes: cards are kept on record, and nothing is made of them."""
    if _told_before(shoe, told):
        return ()
    draft = Draft(shoe, told.at)
    match told:
        case inputs.CardRead():
            commit, secret = draft.seal(told.card, told.nonce)
            draft.add(events.CardSetAside(commit=commit, secret=secret, why="observed"))
        case (
            inputs.CardUnread()
            | inputs.CutCardSeen()
            | inputs.Pressed()
            | inputs.ReaderSaid()
            | inputs.ReaderJudged()
        ):
            draft.add(events.Noted(what=f"observed: {type(told).__name__}"))
        case _:
            return decide(shoe, told)
    return tuple(draft.events)
