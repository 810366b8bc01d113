"""An outage of the journal's disk, and the queue of inputs that wait for it."""

import logging
from collections import deque
from typing import Any, Final

from firmware_bridge.daemon.table.clock import Stamp, nonce, now
from firmware_bridge.daemon.table.journal_writer import StillWriting
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.alarms import DISK
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.orders import NOT_YET, Answer, refused
from firmware_bridge.facts.wire_states import Alarm
from firmware_bridge.topics.texts.refusals import failure

log = logging.getLogger(__name__)

NOT_READ: Final = DiskError(phrase("journal_unread"), phrase("wait_for_card"), "journal_unread")
"""What a table says until its journal is open. No disk has failed: nothing of it is on record."""


class DiskOutage:
    """The error that keeps the journal from being written, or None; `since`: when it was shown first, None before."""

    def __init__(self) -> None:
        self.error: DiskError | None = NOT_READ
        self.since: Stamp | None = None

    def go_on(self, error: DiskError) -> bool:
        """Begin or continue the outage with an error; return whether that is news.

        A disk that has failed is not forgotten while its journal is read again.
        """
        if error is NOT_READ and self.is_of_disk:
            return False
        if self.error is NOT_READ and error is not NOT_READ:
            self.since = None
        is_news = str(self.error) != str(error)
        if is_news:
            log.critical("%s", words(error))
        if is_first := self.error is None or not self.since:
            self.since = now()
        self.error = error
        return is_news or is_first

    @property
    def is_of_disk(self) -> bool:
        """Whether a disk has failed, and the record is to say so."""
        return self.error is not None and self.error is not NOT_READ

    def end(self) -> None:
        """End the outage."""
        self.error = self.since = None

    def alarms(self) -> tuple[Alarm, ...]:
        """Return the alarm of the outage; empty without one."""
        if (lost := self.error) is None:
            return ()
        since, house = self.since["at"] if self.since else 0, DISK[lost.irregularity].house
        values: dict[str, Value] = {} if lost is NOT_READ else {"why": lost.why, "hint": lost.todo}
        return (Alarm(lost.irregularity, since, house.severity, house.blocks, (), values=values),)

    def as_input(self) -> inputs.DiskFailed:
        """Return the outage up to now, as an input for the journal, with both times of its beginning."""
        assert self.error
        assert self.since
        is_full = self.error.irregularity == "disk_full"
        return inputs.DiskFailed(
            at=self.since["at"],
            mono=self.since["mono"],
            salt=nonce(),
            irregularity="disk_full" if is_full else "disk_error",
            **_why(self.error.why),
            until=now()["at"],
        )


RETRY_DISK_S: Final = 1.0
"""Seconds between attempts to write to a failed disk."""

RETRY_CARD_S: Final = 0.05
"""Seconds between attempts while a card waits."""

AT_MOST: Final = 10_000
"""Inputs queued at most; a reader that numbers its reports keeps them itself."""


class DiskQueue:
    """Inputs that wait for the disk, in order; the first is dropped once it is journaled."""

    def __init__(self) -> None:
        self._inputs: deque[inputs.AnyInput] = deque()
        self._has_card = False

    @property
    def retry_s(self) -> float:
        """Seconds until the next attempt."""
        return RETRY_CARD_S if self._has_card and self._inputs else RETRY_DISK_S

    def __len__(self) -> int:
        return len(self._inputs)

    def keep(self, fact: inputs.AnyInput) -> bool:
        """Queue an input, unless it is an order, a queued report, or beyond `AT_MOST`; return whether it is queued."""
        report = inputs.report_of(fact)
        is_known = report is not None and any(inputs.report_of(each) == report for each in self._inputs)
        if isinstance(fact, inputs.Ordered) or is_known or len(self._inputs) >= AT_MOST:
            return False
        is_card = isinstance(fact, inputs.CardRead | inputs.CardUnread)
        self._has_card = is_card or (self._has_card and bool(self._inputs))
        self._inputs.append(fact)
        return True

    def put_back(self, fact: inputs.AnyInput) -> None:
        """Put an input before all others; an order is not queued."""
        if not isinstance(fact, inputs.Ordered):
            self._inputs.appendleft(fact)

    @property
    def first(self) -> inputs.AnyInput:
        """The oldest input."""
        return self._inputs[0]

    def drop_first(self) -> None:
        """Drop the first input, once it is journaled."""
        self._inputs.popleft()

    def clear(self) -> tuple[inputs.AnyInput, ...]:
        """Empty the queue; return its inputs."""
        kept = tuple(self._inputs)
        self._inputs.clear()
        return kept


def disk_out(error: DiskError, id: str | None = None) -> Answer:
    """Return the answer to an order, with its id, while the disk is out, or not yet read: it was not judged."""
    if error is NOT_READ:
        return refused(NOT_YET, id)
    if isinstance(error, StillWriting):
        return refused("disk_late", id)
    return refused("disk_out", id, why=error.why, todo=error.todo)


def words(error: DiskError) -> str:
    """Return the error in a line of the log."""
    return "; ".join(filter(None, (failure("en", error.why), failure("en", error.todo))))


def _why(why: Phrase | str) -> dict[str, Any]:
    """Return the fields of an input about this reason."""
    return {"code": why.code, "values": why.values} if isinstance(why, Phrase) else {"why": why}
