"""`decide(shoe, input) -> events`: finds the handler of an input by the phase of the shoe."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts import events, inputs
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.orders import Answer, Malformed, Mark, Order, Reveal, Unmark, round_of, tag_of
from firmware_bridge.shoe.acts import end_shift
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers import betting, devices, disclosure, orders, pit, read_again, reader_result, rounds
from firmware_bridge.shoe.handlers.settling import settle
from firmware_bridge.shoe.round import coming, phase
from firmware_bridge.shoe.standing import refuse
from firmware_bridge.shoe.state import Phase, Shoe, answer_to

BOARD_KEEPS: Final = 32
"""Reports a reader board can repeat; one further back is new."""


def decide(shoe: Shoe, fact: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
    """Return the events that `fact` causes; () for a repeat. Pure and total."""
    draft = drafted(shoe, fact)
    return tuple(draft.events) if draft else ()


def drafted(shoe: Shoe, fact: inputs.AnyInput) -> Draft | None:
    """Return the decision about `fact`: its events, and the shoe after them; None for a repeat. Pure and total."""
    if _is_repeat(shoe, fact):
        return None
    draft = Draft(shoe, fact.at, fact.mono, fact.utc_offset)
    if read_again.is_same_card(shoe, fact):
        return _same_card(draft, fact)
    if devices.is_card(fact) and not devices.is_entered(shoe, fact) and not fact.again:
        rounds.open_with_card(draft, fact)
    devices.follow_session(draft, fact, inside=shoe.status == "open")
    handler = HANDLERS[kind(fact)][phase(draft.shoe)]
    try:
        _refuse_used_id(shoe, fact)
        _refuse_other_round(draft.shoe, fact)
        _refuse_now(draft.shoe, fact)
        remark = handler(draft, fact, *_order(fact))
        answer = Answer(ok=True, hint=remark or None)
    except Refused as refused:
        answer = _refusal(fact, refused)
    settle(draft)
    read_again.watch_reader(draft)
    end_shift(draft)
    _reply(draft, fact, answer)
    return draft


def _refusal(fact: inputs.AnyInput, refused: Refused) -> Answer:
    """Return the answer refusing an input; of an order on record from a version before codes, in the English it has."""
    order = fact.order if isinstance(fact, inputs.Ordered) else None
    if isinstance(order, Malformed) and order.error and order.code == refused.code:
        return Answer(ok=False, error=order.error, hint=order.hint or None, code=order.code or None)
    return Answer(ok=False, code=refused.code, values=refused.values)


def _same_card(draft: Draft, fact: inputs.AnyInput) -> Draft | None:
    """Leave a numbered report of the card before on record, to acknowledge it; return None without a number."""
    if inputs.report_of(fact) is None:
        return None
    devices.follow_session(draft, fact, inside=draft.shoe.status == "open")
    draft.add(events.Noted(code="same_card"))
    return draft


def _is_repeat(shoe: Shoe, fact: inputs.AnyInput) -> bool:
    """Return whether a report was already received, or a command already answered."""
    if isinstance(fact, inputs.Ordered):
        answer = answer_to(shoe, fact.id)
        return answer is not None and is_same(answer, fact)
    report = inputs.report_of(fact)
    if report is None or shoe.device.reader is None or report.session != shoe.device.reader.session:
        return False
    return bool((shoe.device.reader.seq - report.seq) % 256 < BOARD_KEEPS)


def is_same(answer: Answer, fact: inputs.Ordered) -> bool:
    """Return whether the order that got this answer equals another of its id; True if a digest is missing."""
    return answer.digest is None or fact.digest is None or answer.digest == fact.digest


def _refuse_used_id(shoe: Shoe, fact: inputs.AnyInput) -> None:
    answer = answer_to(shoe, fact.id) if isinstance(fact, inputs.Ordered) else None
    if answer is not None:
        raise Refused("used_id", do=answer.do or "")


def _refuse_other_round(shoe: Shoe, fact: inputs.AnyInput) -> None:
    """Refuse an order that names another round than the topic `table` shows; a mark's own question says more."""
    if not isinstance(fact, inputs.Ordered) or (named := round_of(fact.order)) is None:
        return
    if not isinstance(fact.order, Mark | Unmark) and named != (now := coming(shoe).round):
        other = phrase("other_round", now=now, round=named)
        raise Refused("round", why=other, todo=phrase("see_table"))


def _refuse_now(shoe: Shoe, fact: inputs.AnyInput) -> None:
    """Refuse an order that the table takes at another time alone, whatever its arguments are."""
    if isinstance(fact, inputs.Ordered) and (row := ORDERS.get(tag_of(fact.order))) and row.when:
        refuse(shoe, row.when)


def _order(fact: inputs.AnyInput) -> tuple[Order, ...]:
    return (fact.order,) if isinstance(fact, inputs.Ordered) else ()


def _reply(draft: Draft, fact: inputs.AnyInput, answer: Answer) -> None:
    if isinstance(fact, inputs.Pressed) and not answer.ok:
        draft.add(events.KeyRefused(key=fact.key, code=answer.code or "", values=answer.values))
    if isinstance(fact, inputs.Ordered):
        order = fact.order
        do = order.what if isinstance(order, Malformed) else tag_of(order)
        named = replace(answer, id=fact.id, do=do, digest=fact.id and fact.digest, left_out=_left_out(draft, answer))
        seat = str(order.seat) if isinstance(order, Mark) and order.seat and not answer.ok else ""
        answered = events.CommandAnswered(
            answer=named,
            by=fact.by,
            seat=seat,
            count=fact.count,
            on_behalf_of=fact.on_behalf_of,
            person=fact.person,
            confirmed=fact.confirmed,
        )
        draft.add(answered)


def _left_out(draft: Draft, answer: Answer) -> dict[str, str]:
    """Return the seats that take no part in a round, of an order that closed its bets, and why."""
    closed = (each for each in draft.events if isinstance(each, events.BetsClosed))
    return next((each.left_out for each in closed), {}) if answer.ok else {}


def kind(fact: inputs.AnyInput) -> str:
    """Return the row of the table an input belongs to."""
    match fact:
        case inputs.CardRead():  # nearly every input is one
            return "CardRead"
        case inputs.Ordered(order=Reveal()):
            return "reveal_order"  # an order can name slots, the key cannot
        case inputs.Ordered(order=order):
            return tag_of(order)
        case inputs.Pressed(key="next" | "reveal" | "unmark" as key):
            return key
        case inputs.Pressed():
            return "result_key"
        case inputs.DeviceLost(device=device):
            return f"{device}_lost"
        case inputs.DeviceBack(device=device):
            return f"{device}_back"
    return type(fact).__name__


Handler = Callable[..., str | None]
"""`handler(draft, input)` adds the events of an input; `handler(draft, input, order)` those of an order.

The text it returns is added to the answer.
"""


def _refuse(code: str) -> Handler:
    def refuse(draft: Draft, *rest: object) -> None:
        raise Refused(code)

    return refuse


def _if_required(handler: Handler) -> Handler:
    """Return a handler that accepts betting orders without effect at a table that ignores betting."""

    def if_required(draft: Draft, *rest: object) -> str | None:
        return handler(draft, *rest) if draft.shoe.house.betting == "required" else None

    return if_required


IN_USE: Final = _refuse("shoe_in_use")
NO_RESULT: Final = _refuse("no_result")
NO_BETS: Final = _if_required(_refuse("bets_not_open"))


def _row(usual: Handler, outside: Handler | None = None, **others: Handler) -> dict[Phase, Handler]:
    """Return a handler per phase: the usual one, others in named phases. outside: in phases without an open shoe."""
    named = ({"empty": outside, "ended": outside} if outside else {}) | others
    row = {each: named.pop(each.value, usual) for each in Phase}
    assert not named, named
    return row


HANDLERS: Final[dict[str, dict[Phase, Handler]]] = {
    "CardRead": _row(devices.read),
    "CardUnread": _row(devices.unread, outside=devices.unread_outside),
    "CutCardSeen": _row(devices.cut, outside=devices.cut_outside),
    "ReaderJudged": _row(reader_result.judged, outside=reader_result.judged_outside),
    "ReaderSaid": _row(reader_result.note),
    "ReaderBooted": _row(devices.reader_booted),
    "ReaderFaulted": _row(devices.reader_faulted),
    "ReaderBorrowed": _row(devices.reader_borrowed),
    "CodeChecked": _row(devices.note_code),
    "RecordRenewed": _row(IN_USE, empty=devices.renew_record, ended=devices.renew_record),
    "KeyRotated": _row(IN_USE, empty=devices.rotate_key, ended=devices.rotate_key),
    "RefusalsCounted": _row(devices.refusals_counted),
    "TestCardsPassed": _row(devices.test_cards_passed),
    "reader_lost": _row(devices.lost),
    "reader_back": _row(devices.reader_back),
    "broker_lost": _row(devices.lost),
    "broker_back": _row(devices.broker_back),
    "DiskFailed": _row(devices.disk_failed),
    "Started": _row(devices.start),
    "TimePassed": _row(disclosure.time_passed),
    "ClockJumped": _row(devices.clock_jumped),
    "LidMoved": _row(devices.lid_moved, outside=devices.lid_outside),
    "SensorStuck": _row(devices.sensor_stuck),
    "SlotFilled": _row(devices.slot_filled, outside=devices.slot_ignored, burning=devices.slot_ignored),
    # keys; `next` and `unmark` are orders too
    "next": _row(orders.press_next),
    "reveal": _row(orders.press_reveal),
    "result_key": _row(orders.press_result, empty=NO_RESULT, burning=NO_RESULT),
    # orders, where their rows in the book let them pass
    "open_shoe": _row(orders.order_shoe),
    "close_shoe": _row(orders.close_shoe),
    "close_table": _row(orders.close_table),
    "bets_open": _row(_if_required(betting.bets_open)),
    "bets_closed": _row(
        _if_required(betting.bets_closed),
        outside=rounds.opening(NO_BETS, betting.bets_closed),
        complete=devices.accepted,
        ready=_if_required(betting.update_purses),
    ),
    "unmark": _row(betting.take_back_mark),
    "mark": _row(
        betting.give_mark, outside=rounds.opening(betting.give_mark, betting.bets_first), betting=betting.bets_first
    ),
    "reveal_order": _row(orders.reveal_order),
    "fly": _row(orders.fly),
    "request_shoe_change": _row(orders.request_shoe_change),
    "request_dealer_change": _row(orders.request_dealer_change),
    "dealer": _row(orders.dealer_in),
    "void": _row(orders.void),
    "correct": _row(orders.correct),
    "enter": _row(orders.enter),
    "resolve": _row(pit.resolve),
    "resend": _row(devices.accepted),
    "malformed": _row(devices.malformed),
}
"""(phase x input) -> its handler; a test proves it complete."""


def fault(shoe: Shoe, fact: inputs.AnyInput, error: Exception) -> tuple[events.AnyEvent, ...]:
    """Return the events when `decide` failed: card held, shoe blocked. No text of `error`: it may name a card."""
    draft = Draft(shoe, fact.at)
    devices.hold_for_technician(draft, fact)
    at = error.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    where = f"{at.tb_frame.f_code.co_name}:{at.tb_lineno}" if at else "?"
    if not draft.open_irregularity("internal_error", why=f"{type(error).__name__} in {where}"):
        draft.add(events.Noted(code="error_again", values={"error": f"{type(error).__name__} in {where}"}))
    return tuple(draft.events)


def observe(shoe: Shoe, fact: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
    """Return the events while the shoe only observes: cards are recorded, no round is dealt."""
    if _is_repeat(shoe, fact):
        return ()
    draft = Draft(shoe, fact.at)
    match fact:
        case inputs.CardRead():
            commit, secret = draft.seal(fact.card, fact.nonce)
            draft.add(events.CardSetAside(commit=commit, secret=secret, why="observed"))
        case (
            inputs.CardUnread() | inputs.CutCardSeen() | inputs.Pressed() | inputs.ReaderSaid() | inputs.ReaderJudged()
        ):
            draft.add(events.Noted(code="observed", values={"input": type(fact).__name__}))
        case _:
            return decide(shoe, fact)
    return tuple(draft.events)
