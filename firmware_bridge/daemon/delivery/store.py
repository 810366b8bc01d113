"""The position of the backend's store in the journal, from its messages on the topic `stored`."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import Stored
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.resend import Range, last_entry

LONGEST: Final = 2_048
"""Bytes of the longest message that is read."""

FIRST_PART, PART = 1, 256
"""Entries that are sent again at a time: few at first, then twice as many each time that the store has them."""

JOURNALS: Final = 1_000
"""Journals with an early claim kept at most; entries of a forgotten claim are sent again."""

SHOWN: Final = 40
"""Characters shown of a text from outside."""

_decode: Final = json_of(Stored)


class NotStored(Refused):
    """A message of the topic `stored` that does not count: why, for its sender."""


class Store:
    """The entry up to which the receiver `name` has committed the journal in `directory`: `cursor`.

    sent: the last entry sent to the broker, in an earlier run too. Only positions are kept in memory: entries to send
    again are read from disk. `changed` is called when either has moved. A journal counts once all journals before it
    are stored to their ends: an earlier claim for it is kept until then.
    """

    def __init__(self, directory: Path, name: str) -> None:
        self.name = name
        self.cursor: Cursor | None = None
        self.sent: Cursor | None = None
        self.changed: Callable[[], None] = _nothing
        self._directory = directory
        self._ends: dict[str, int] = {}
        self._claims: dict[str, int] = {}

    @property
    def behind(self) -> bool:
        """Whether the store lacks entries that were sent."""
        return not self.has(self.sent)

    def has(self, cursor: Cursor | None) -> bool:
        """Return whether an entry is stored, with all before it."""
        return _place(self.cursor) >= _place(cursor)

    def begin(self, cursor: Cursor | None) -> None:
        """Begin with the open journal, stored up to `cursor`; all of it may have been sent. Raises OSError."""
        self.cursor = cursor
        for path in reversed(journal_files(self._directory)):
            if seq := self._end(path):
                self.sent = Cursor(journal_id(path), seq)
                break
        self.changed()

    def went(self, cursor: Cursor) -> None:
        """Note that the last message of an entry was sent, the first time or again."""
        if _place(cursor) > _place(self.sent):
            self.sent = cursor
            self.changed()

    def receive(self, payload: bytes) -> bool:
        """Handle a message of the topic; return whether the cursor moved. Raises NotStored."""
        stored = _read(payload)
        if stored.by != self.name:
            raise NotStored("not_this_store", giver=_shown(stored.by), store=self.name)
        claim = Cursor(stored.journal, stored.seq)
        if claim == self.cursor or self._is_repeated(claim):
            return False
        self._check(claim)
        if len(self._claims) == JOURNALS:
            self._claims.clear()
        self._claims[claim.journal] = max(claim.seq, self._claims.get(claim.journal, 0))
        try:
            before, self.cursor = self.cursor, self._reached()
        except OSError:
            raise NotStored("stored_unreadable") from None
        if moved := self.cursor != before:
            self.changed()
        return moved

    def missing(self, behind: Cursor | None = None, most: int | None = None) -> Range | None:
        """Return the next entries that the store may lack, None where it has all that was sent. Raises OSError.

        behind: an entry; only those behind it. most: how many, if fewer than `PART`.
        """
        if not self.behind or self.sent is None:
            return None
        at = max(self.cursor, behind, key=_place)
        for path in self._files(at):
            journal, end = journal_id(path), self._end(path)
            first = at.seq + 1 if at and at.journal == journal else 1
            if first <= end:
                return Range(journal, first, min(end, first + min(most or PART, PART) - 1))
        return None

    def _reached(self) -> Cursor | None:
        """Return the entry up to which everything is stored, from the claims for each journal."""
        reached = self.cursor
        for path in self._files(self.cursor):
            journal = journal_id(path)
            at = reached.seq if reached and reached.journal == journal else 0
            if (claimed := self._claims.pop(journal, 0)) > at:
                reached, at = Cursor(journal, claimed), claimed
            if at < self._end(path):
                break
        return reached

    def _files(self, at: Cursor | None) -> list[Path]:
        """Return the journals from the one of an entry on. Raises OSError."""
        if at is None:
            return journal_files(self._directory)
        now = self._directory / file_name(at.journal)
        if self.sent and self.sent.journal == at.journal:
            return [now]
        return [path for path in journal_files(self._directory) if path.name >= now.name]

    def _is_repeated(self, claim: Cursor) -> bool:
        """Return whether the claim is the end of a journal before that of the cursor. Raises NotStored."""
        if self.cursor is None or self.sent is None or claim.journal in (self.cursor.journal, self.sent.journal):
            return False
        self._check_older(claim)
        return _place(claim) < _place(self.cursor) and claim.seq == self._end(
            self._directory / file_name(claim.journal)
        )

    def _check(self, claim: Cursor) -> None:
        """Raise NotStored unless an entry was sent and is behind the cursor."""
        now = self.sent
        if now is None or claim.journal != now.journal:
            self._check_older(claim)
        if _place(claim) < _place(self.cursor):
            assert self.cursor
            at = f"entry {self.cursor.seq} of {self.cursor.journal}"
            raise NotStored("stored_older", entry=_named(claim), after=at)
        if _place(claim) > _place(now):
            last = f"entry {now.seq} of {now.journal}" if now else "nothing"
            raise NotStored("stored_not_sent", entry=_named(claim), last=last)

    def _check_older(self, claim: Cursor) -> None:
        """Raise NotStored unless an entry is in its journal."""
        try:
            path = self._directory / file_name(claim.journal)
            is_named = path.parent == self._directory and journal_id(path) == claim.journal
            is_here = is_named and path.is_file()
            end = self._end(path) if is_here else 0
        except (ValueError, OSError):
            is_here, end = False, 0
        if not is_here:
            raise NotStored("stored_no_journal", journal=_shown(claim.journal))
        if claim.seq > end:
            raise NotStored("stored_beyond_end", entry=_named(claim), end=end)

    def _end(self, path: Path) -> int:
        """Return the last entry of a journal that was sent; older journals never grow. Raises OSError."""
        journal = journal_id(path)
        if self.sent and journal == self.sent.journal:
            return self.sent.seq
        if _place(Cursor(journal, 0)) > _place(self.sent):
            return last_entry(path)
        if journal not in self._ends:
            self._ends[journal] = last_entry(path)
        return self._ends[journal]


def _read(payload: bytes) -> Stored:
    """Decode a message. Raises NotStored."""
    if len(payload) > LONGEST:
        raise NotStored("stored_too_long", most=LONGEST)
    try:
        return _decode(payload)
    except Undecodable:
        raise NotStored("stored_invalid") from None


def _place(cursor: Cursor | None) -> tuple[str, int]:
    """Return the sort key of entries; None comes first."""
    return (file_name(cursor.journal), cursor.seq) if cursor else ("", 0)


def _named(claim: Cursor) -> str:
    return f"entry {_shown(str(claim.seq))} of {_shown(claim.journal)}"


def _shown(text: str) -> str:
    return escaped(text[:SHOWN])


def _nothing() -> None:
    """Do nothing: the default callback."""
