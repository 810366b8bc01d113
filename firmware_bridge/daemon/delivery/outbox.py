"""The outbox: sends the journal's messages in order, and tracks how far the broker has them."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.daemon.delivery.backlog import Backlog, LeftOut
from firmware_bridge.daemon.delivery.store import Store
from firmware_bridge.errors import in_words
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import OutMessage, messages
from firmware_bridge.journal.reader import Place
from firmware_bridge.journal.resend import Range, lines_of
from firmware_bridge.mqtt.settings import NotConnected

WAIT_S: Final = 10.0
"""Seconds after which an echo counts as missing."""


class EchoCheck:
    """Waits, once a connection, for the echo of the first message of each topic. late: called with a missing one."""

    def __init__(self, late: Callable[[str], None], loop: asyncio.AbstractEventLoop) -> None:
        self._late, self._loop = late, loop
        self._silent: set[str] = set()
        self._first: dict[str, tuple[bytes, asyncio.TimerHandle]] = {}

    def begin(self, topics: Collection[str]) -> None:
        """Begin with a new connection. topics: those to be echoed; none where acknowledgements are enough."""
        self.end()
        self._silent = set(topics)

    def end(self) -> None:
        """Await no echo any more, as the connection is lost."""
        self.close()
        self._first.clear()
        self._silent.clear()

    def close(self) -> None:
        """Stop the timers; missing echoes stay awaited, so that their messages do not count."""
        for _, timer in self._first.values():
            timer.cancel()

    @property
    def awaited(self) -> bool:
        """Whether an echo is missing."""
        return bool(self._first)

    def sent(self, topic: str, payload: bytes) -> None:
        """Note a published message: the first of a topic must be echoed."""
        if topic in self._silent and topic not in self._first:
            self._first[topic] = payload, self._loop.call_later(WAIT_S, self._late, topic)

    def heard(self, topic: str, payload: bytes) -> bool:
        """Note a received message; return whether it is an awaited echo, byte for byte."""
        return topic in self._first and self._first[topic][0] == payload and self.came(topic)

    def came(self, topic: str) -> bool:
        """Note that the echo of a topic came; return whether it was awaited."""
        if topic not in self._first:
            return False
        self._first.pop(topic)[1].cancel()
        self._silent.discard(topic)
        return True


log = logging.getLogger(__name__)

ROOM: Final = 100
"""Parts that may wait; then more are refused."""


class Resends:
    """The messages of a table's parts to be sent again, each part in order; a part is read when its turn comes."""

    def __init__(self, directory: Path, table: str) -> None:
        self._directory, self._table = directory, table
        self._waiting: deque[Range] = deque()
        self._lost: deque[OutMessage] = deque()
        self._reading: Iterator[OutMessage] = iter(())

    @property
    def is_full(self) -> bool:
        """Whether no more parts may be queued."""
        return len(self._waiting) >= ROOM

    def add(self, part: Range) -> None:
        """Queue a part; one that waits already is sent once."""
        if part not in self._waiting:
            self._waiting.append(part)

    def again(self, lost: Iterable[OutMessage]) -> None:
        """Put messages back, before all others."""
        self._lost.extendleft(reversed(list(lost)))

    def next(self) -> OutMessage | None:
        """Return the next message, None where no part waits."""
        if self._lost:
            return self._lost.popleft()
        while True:
            try:
                if message := next(self._reading, None):
                    return message
            except OSError as error:
                _left_out(error)
            if not self._waiting:
                return None
            part = self._waiting.popleft()
            self._reading = (
                message for line in lines_of(self._directory, part, _left_out) for message in _of(self._table, line)
            )


def _of(table: str, line: Line) -> list[OutMessage]:
    """Return the messages of a line; none of one that another table wrote, as its topics are not ours."""
    return messages(line) if line.public.table == table else []


def _left_out(error: Exception) -> None:
    """Log what is left out; everything readable is sent."""
    log.error("entries that the backend asked for cannot be sent again: %s", error)


WINDOW: Final = 16
"""Messages in flight at most (a broker's usual limit is 20)."""

HELD: Final = 16 * WINDOW
"""Messages kept at most that are in flight, or acknowledged while an echo is missing."""

READ_AHEAD: Final = 64
"""Lines read from disk at a time, and kept in memory at most."""

Publish = Callable[[str, bytes], int]
"""`publish(topic, payload) -> message id`; raises NotConnected."""


class _Due(NamedTuple):
    """A message to send. `entry_done`: with it the whole entry before `place` has been sent."""

    message: OutMessage
    place: Place | None
    entry_done: bool


class _Sent:
    """A message in flight."""

    def __init__(self, due: _Due) -> None:
        self.due, self.acked = due, False


class Outbox:
    """Publishes the journal from the cursor on; `add` appends the messages of each new line.

    Its only input is the journal, so nothing is sent that is not on disk, and nothing before `begin`. Order is kept:
    after a lost connection everything behind the last acknowledged entry is sent again, the same bytes. While an echo
    is missing, no acknowledgement counts. With a `store`, the cursor follows the store, not the broker. What cannot be
    read is reported to `left_out`, and all else is sent. Lines of another table than `table` are not.
    """

    def __init__(
        self,
        directory: Path,
        table: str,
        publish: Publish,
        echoes: EchoCheck,
        store: Store | None = None,
        left_out: LeftOut = lambda alarm, what: log.error("%s", what),
    ) -> None:
        self._table, self._publish, self._echoes, self._store = table, publish, echoes, store
        self._backlog = Backlog(directory, left_out)
        self._cursor: CursorFile | None = None
        self._up = False
        self._due: deque[_Due] = deque()
        self._next: Place | None = None
        self._acked_to: Place | None = None
        self._drained = True
        self._flying: deque[_Sent] = deque()
        self._by_mid: dict[int, _Sent] = {}
        self._acked: Cursor | None = None
        self.resends = Resends(directory, table)

    @property
    def acked(self) -> Cursor | None:
        """The last entry that the broker has, with all before it."""
        return self._acked

    @property
    def cursor(self) -> Cursor | None:
        """The last entry that need not be sent again, with all before it: that of the store, else of the broker."""
        return self._store.cursor if self._store else self._acked

    @property
    def waiting(self) -> bool:
        """Whether anything is not acknowledged yet, or not stored."""
        return bool(self._due or self._flying or not self._drained or (self._store and self._store.behind))

    def begin(self, cursor: CursorFile, place: Place | None) -> None:
        """Begin to send the open journal from `place` on, which is behind the cursor's entry."""
        self._cursor, self._acked = cursor, cursor.value
        self._acked_to = place
        if self._store:
            self._store.begin(cursor.value)
        self._backlog.look()
        self._rewind()
        self.pump()

    def up(self) -> None:
        """Begin behind the last acknowledged entry, after each reconnect."""
        self._up = True
        self._backlog.look()
        self._rewind()
        self.pump()

    def down(self) -> None:
        """Stop, as the connection is lost: messages in flight will be sent again."""
        self._up = False
        self.resends.again(sent.due.message for sent in self._by_mid.values() if sent.due.place is None)
        if self._flying:
            self._rewind()
        self._flying.clear()
        self._by_mid.clear()

    def add(self, made: Sequence[OutMessage], end: Place) -> None:
        """Queue the messages of an appended line; `end` is the place behind it."""
        if made and made[0].seq == 1:
            self._backlog.note(end.path)
            self._backlog.look()
        if self._drained and len(self._due) < READ_AHEAD:
            self._append(made, end)
        else:
            self._drained = False
        if self._up:
            self.pump()

    def pump(self) -> None:
        """Send what is due, as far as the window allows."""
        while self._up and len(self._by_mid) < WINDOW and len(self._flying) < HELD:
            if not self._due and not self._drained:
                self._read()
            if self._due:
                due = self._due[0]
            elif again := self.resends.next():
                due = _Due(again, None, entry_done=False)
            else:
                return
            if not self._send(due):
                if due.place is None:
                    self.resends.again([due.message])
                return

    def delivered(self, mid: int) -> bool:
        """Note that the broker acknowledges a message; return whether it was one of the outbox."""
        sent = self._by_mid.pop(mid, None)
        if sent is None:
            return False
        sent.acked = True
        self.count()
        return True

    def heard(self, topic: str, payload: bytes) -> None:
        """Handle a message received on an own topic."""
        if self._echoes.heard(topic, payload):
            self.count()

    def count(self) -> None:
        """Move the cursor over acknowledged entries, unless an echo is missing, and send on."""
        while self._flying and self._flying[0].acked and not self._echoes.awaited:
            due = self._flying.popleft().due
            if due.entry_done and due.place:
                self._acked = Cursor(due.message.journal, due.message.seq)
                self._acked_to = due.place
        self.pump()

    def resend(self, part: Range) -> None:
        """Send the messages of a part of a journal again, beside the new ones."""
        self.resends.add(part)
        self.pump()

    def save(self, *, sync: bool = False) -> Cursor | None:
        """Write the cursor to disk if it moved; sync: always, and so that it survives a power cut. Raises OSError.

        Return the cursor, None where there is none yet.
        """
        cursor = self.cursor
        if self._cursor and cursor and (sync or cursor != self._cursor.value):
            self._cursor.store(cursor, sync=sync)
        return cursor

    def _rewind(self) -> None:
        """Go back to the last acknowledged entry: what follows is read again."""
        self._due.clear()
        self._next, self._drained = self._acked_to, self._cursor is None

    def _send(self, due: _Due) -> bool:
        try:
            mid = self._publish(due.message.topic, due.message.payload)
        except NotConnected:
            return False
        sent = _Sent(due)
        self._by_mid[mid] = sent
        if due.place:
            self._echoes.sent(due.message.topic, due.message.payload)
            self._due.popleft()
            self._flying.append(sent)
            if self._store and due.entry_done:
                self._store.went(Cursor(due.message.journal, due.message.seq))
        return True

    def _append(self, made: Sequence[OutMessage], place: Place) -> None:
        last = len(made) - 1
        self._due.extend([_Due(message, place, n == last) for n, message in enumerate(made)])
        self._next = place

    def _read(self) -> None:
        """Read the next lines from disk, up to the end of the newest file."""
        try:
            part = self._backlog.read(self._next, READ_AHEAD)
        except OSError as error:
            log.error("the journal cannot be read for sending, and is tried again: %s", in_words(error))
            return
        for line, place in part.lines:
            self._append(_of(self._table, line), place)
        self._next, self._drained = part.place, part.is_end
