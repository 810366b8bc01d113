"""How far the backend's store has the journal, by what it says on the topic `stored`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.errors import BridgeError, JournalError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import Stored
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.resend import Range, last_entry

LONGEST: Final = 1_024
"""Bytes of the longest message that is read."""

PART: Final = 256
"""Entries that are sent again at a time: the next ones follow when the store has these."""

SHOWN: Final = 40
"""Characters that are shown of a word that came from outside."""

_decode: Final = msgspec.json.Decoder(Stored).decode


class NotStored(BridgeError):
    """A message of the topic `stored` that does not count; its sender is told why."""


class Store:
    """How far the receiver `name` has committed the journal in `directory`: `cursor`, with all before it.

    sent: the last entry that went to the broker, in an earlier run too. Only positions are kept in memory: what was
    sent and is not stored is read from disk again. `changed` is called when either has moved.
    """

    def __init__(self, directory: Path, name: str) -> None:
        self.name = name
        self.cursor: Cursor | None = None
        self.sent: Cursor | None = None
        self.changed: Callable[[], None] = _nothing
        self._directory = directory
        self._ends: dict[str, int] = {}

    @property
    def behind(self) -> bool:
        """Whether something was sent that is not stored."""
        return _place(self.sent) > _place(self.cursor)

    def begin(self, cursor: Cursor | None) -> None:
        """The journal can be read, and is stored up to `cursor`; all of it may have been sent. Raises OSError."""
        self.cursor = cursor
        for path in reversed(journal_files(self._directory)):
            if seq := self._end(path):
                self.sent = Cursor(journal_id(path), seq)
                break
        self.changed()

    def went(self, cursor: Cursor) -> None:
        """The last message of an entry was handed to the broker, the first time or again."""
        if _place(cursor) > _place(self.sent):
            self.sent = cursor
            self.changed()

    def take(self, payload: bytes) -> bool:
        """Believe a message of the topic; whether it says something new. Raises NotStored."""
        stored = _read(payload)
        if stored.by != self.name:
            raise NotStored(f"{_shown(stored.by)} does not count here", f"the store of this table is {self.name}")
        told = Cursor(stored.journal, stored.seq)
        if told == self.cursor:
            return False
        self._check(told)
        self.cursor = told
        self.changed()
        return True

    def missing(self) -> Range | None:
        """The next entries that the store lacks, None where it has all that was sent. Raises JournalError, OSError."""
        if not self.behind or self.sent is None:
            return None
        files = journal_files(self._directory)
        first = 1
        if self.cursor:
            now = file_name(self.cursor.journal)
            files = [path for path in files if path.name >= now]
            first = self.cursor.seq + 1 if files and files[0].name == now else 1
        for path in files:
            journal = journal_id(path)
            end = self.sent.seq if journal == self.sent.journal else self._end(path)
            if first <= end:
                return Range(journal, first, min(end, first + PART - 1))
            first = 1
        return None

    def _check(self, told: Cursor) -> None:
        """Whether an entry was sent, and comes after what is stored. Raises NotStored."""
        now = self.sent
        if now is None or told.journal != now.journal:
            self._check_older(told)
        if _place(told) < _place(self.cursor):
            assert self.cursor
            at = f"entry {self.cursor.seq} of {self.cursor.journal}"
            raise NotStored(f"{_named(told)} is behind what was stored", f"go on behind {at}")
        if _place(told) > _place(now):
            last = f"entry {now.seq} of {now.journal}" if now else "nothing"
            raise NotStored(f"{_named(told)} was not sent", f"say what was committed: the last one sent is {last}")

    def _check_older(self, told: Cursor) -> None:
        """Whether an entry is in the journal that it names. Raises NotStored."""
        try:
            path = self._directory / file_name(told.journal)
            is_named = path.parent == self._directory and journal_id(path) == told.journal
            is_here = is_named and path.is_file()
            end = self._end(path) if is_here else 0
        except (ValueError, OSError, JournalError):
            is_here, end = False, 0
        if not is_here:
            raise NotStored(f"journal {_shown(told.journal)} is not on this disk", "name it as the messages do")
        if told.seq > end:
            raise NotStored(f"{_named(told)} was not sent", f"the last entry of this journal is {end}")

    def _end(self, path: Path) -> int:
        """The last entry of a journal; one that is not the newest never grows. Raises JournalError, OSError."""
        if path.name not in self._ends:
            if self.sent is None or path.name >= file_name(self.sent.journal):
                return last_entry(path)
            self._ends[path.name] = last_entry(path)
        return self._ends[path.name]


def _read(payload: bytes) -> Stored:
    """Decode a message. Raises NotStored."""
    if len(payload) > LONGEST:
        raise NotStored("too long", f"a message has at most {LONGEST} bytes")
    try:
        return _decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotStored("not a `stored`", 'send {"journal":"..","seq":1,"by":".."}') from None


def _place(cursor: Cursor | None) -> tuple[str, int]:
    """What entries are ordered by; before all of them for None."""
    return (file_name(cursor.journal), cursor.seq) if cursor else ("", 0)


def _named(told: Cursor) -> str:
    return f"entry {_shown(str(told.seq))} of {_shown(told.journal)}"


def _shown(text: str) -> str:
    return escaped(text[:SHOWN])


def _nothing() -> None:
    """Nobody listens."""
