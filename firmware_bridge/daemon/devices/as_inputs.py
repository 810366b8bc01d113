"""What a reader's messages mean to the table."""

from __future__ import annotations

from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Serial
from firmware_bridge.facts.inputs import ReportNo
from hardware.readers import messages


def as_input(message: messages.Message, book: code_books.CodeBook) -> inputs.AnyInput | None:
    """The input that a message of the reader stands for, at this moment; None for a message the table does not need."""
    match message:
        case messages.Read():
            return _card(message, book)
        case messages.Unread(reason=reason, report=report, gap=gap):
            return inputs.CardUnread(**now(), reason=reason, nonce=nonce(), report=_report(report), gap=gap)
        case messages.CutCard():
            return inputs.CutCardSeen(**now(), by="reader")
        case messages.Verdict():
            return _result(message)
        case messages.Said(what=what, gap=gap):
            return inputs.ReaderSaid(**now(), what=what, gap=gap)
    return None


def _card(read: messages.Read, book: code_books.CodeBook) -> inputs.AnyInput:
    """A code in no book is an unread card, never a guess."""
    report = _report(read.report)
    known = code_books.native(read.code) if isinstance(read.code, int) else book.get(read.code)
    if known is None:
        reason = "no code book" if book is code_books.plain() and isinstance(read.code, str) else "unknown code"
        return inputs.CardUnread(**now(), reason=reason, nonce=nonce(), report=report, gap=read.gap)
    if known.card is None:
        return inputs.CutCardSeen(**now(), by="reader", report=report, gap=read.gap)
    return inputs.CardRead(
        **now(),
        card=known.card,
        nonce=nonce(),
        report=report,
        lot=known.lot,
        quality=read.quality,
        flags=_flags(read),
        gap=read.gap,
        slot=read.slot,
        serial=Serial(known.serial) if known.serial else None,
    )


def _result(verdict: messages.Verdict) -> inputs.ReaderJudged:
    pairs = {"player pair": verdict.player_pair, "banker pair": verdict.banker_pair}
    words = (verdict.outcome, *(pair for pair in pairs if pairs[pair]))
    return inputs.ReaderJudged(**now(), result=inputs.ReaderResult(words))


def _report(report: messages.ReportNo | None) -> ReportNo | None:
    return ReportNo(report.session, report.seq) if report else None


def _flags(read: messages.Read) -> tuple[inputs.Flag, ...]:
    if not (read.face_up or read.double_feed or read.backwards):
        return ()
    told: dict[inputs.Flag, bool] = {
        "face_up": read.face_up,
        "double_feed": read.double_feed,
        "backwards": read.backwards,
    }
    return tuple(flag for flag, is_set in told.items() if is_set)
