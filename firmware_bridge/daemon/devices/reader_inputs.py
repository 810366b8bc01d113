"""The inputs that the messages of a reader become."""

from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.devices.reader_alarms import UNKNOWN
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Serial
from firmware_bridge.facts.inputs import ReportNo
from hardware.readers import messages


def as_input(message: messages.Message, book: code_books.CodeBook) -> inputs.AnyInput | None:
    """Return the input for a message of the reader, stamped now; None for a message that the table does not need."""
    match message:
        case messages.Read():
            return _card(message, book)
        case messages.Unread(reason=reason, report=report, gap=gap):
            return inputs.CardUnread(**now(), reason=reason, nonce=nonce(), report=_report(report), gap=gap)
        case messages.CutCard():
            return inputs.CutCardSeen(**now(), by="reader")
        case messages.Verdict():
            return _result(message)
        case messages.Notice(what=what, gap=gap, overdrawn=overdrawn):
            return inputs.ReaderSaid(**now(), what=what, gap=gap, overdrawn=overdrawn)
    return None


def _card(read: messages.Read, book: code_books.CodeBook) -> inputs.AnyInput:
    """Return the input for a read card; an unknown code is an unread card, never a guess.

    A code with bytes that no code of the book can have was damaged; else it is a card of another pack.
    """
    report = _report(read.report)
    meant = meaning(read, book)
    if meant is None:
        reason = UNKNOWN[1] if book is code_books.plain() and isinstance(read.code, str) else UNKNOWN[0]
        if is_garbled(read, book):
            reason = "unreadable"
        return inputs.CardUnread(**now(), reason=reason, nonce=nonce(), report=report, gap=read.gap, again=read.again)
    if meant.card is None:
        return inputs.CutCardSeen(**now(), by="reader", report=report, gap=read.gap)
    return inputs.CardRead(
        **now(),
        card=meant.card,
        nonce=nonce(),
        report=report,
        lot=meant.lot,
        quality=read.quality,
        flags=_flags(read),
        gap=read.gap,
        slot=read.slot,
        serial=Serial(meant.serial) if meant.serial else None,
        again=read.again,
    )


def is_garbled(read: messages.Read, book: code_books.CodeBook) -> bool:
    """Return whether a code has bytes that no code of the book can have."""
    return isinstance(read.code, str) and meaning(read, book) is None and not code_books.can_be(read.code, book)


def meaning(read: messages.Read, book: code_books.CodeBook) -> code_books.Known | None:
    """Return what the code of a read stands for; None for an unknown one."""
    return code_books.native(read.code) if isinstance(read.code, int) else book.get(read.code)


def _result(verdict: messages.Verdict) -> inputs.ReaderJudged:
    pairs = {"player pair": verdict.player_pair, "banker pair": verdict.banker_pair}
    words = (verdict.outcome, *(pair for pair in pairs if pairs[pair]))
    return inputs.ReaderJudged(**now(), result=inputs.ReaderResult(words))


def _report(report: messages.ReportNo | None) -> ReportNo | None:
    return ReportNo(report.session, report.seq) if report else None


def _flags(read: messages.Read) -> tuple[inputs.Flag, ...]:
    if not (read.face_up or read.double_feed or read.backwards):
        return ()
    flags: dict[inputs.Flag, bool] = {
        "face_up": read.face_up,
        "double_feed": read.double_feed,
        "backwards": read.backwards,
    }
    return tuple(flag for flag, is_set in flags.items() if is_set)
