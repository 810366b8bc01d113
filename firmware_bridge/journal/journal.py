"""The journal: append-only files, on disk before anything is published."""

import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError, in_words
from firmware_bridge.facts.events import Entry
from firmware_bridge.facts.wire import LINES
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import InUse, file_name, journal_files, lock
from firmware_bridge.journal.line import FIRST_CHAIN, FORMAT, Line, seal
from firmware_bridge.journal.preallocate import FILL, STEP, FilledFile, Spare, SyncFailed, content_size, unusable
from firmware_bridge.journal.reader import Place
from firmware_bridge.journal.record_tiles import RecordTiles
from firmware_bridge.journal.record_tree import RecordTree
from firmware_bridge.journal.recovery import begun_files, refusal, trusted_lines
from firmware_bridge.shoe import Shoe, advance

log = logging.getLogger(__name__)


REST: Final = 100
"""Entries after a failed prefill before the next attempt."""


HEADS: Final = 2_048
"""Newest entries that are kept by their heads: those that a store may name."""


class Preparation(NamedTuple):
    """A step that prepares files. of_newest: it changes the file that entries are appended to, so none may be then."""

    work: Callable[[], None]
    of_newest: bool


class Journal:
    """Owns the newest journal file of a directory from `open` to `close`; only one process may.

    shoe: the state that the file folds to. last_at: the time in its last line, "" where there is none.
    torn: bytes of an unconfirmed last line, which `open` cut off. files: all files, oldest first. tree: of the record,
    up to the last line, and its tiles; chain: the chain value after it. heads: those of the newest entries, of the
    newest file after `open`.
    begun: called once a new file exists, when old ones may be deleted.
    """

    def __init__(self, directory: Path, begun: Callable[[], None] = lambda: None) -> None:
        self.directory, self._begun = directory, begun
        self.tree, self.tiles = RecordTree(), RecordTiles(directory)
        self.is_open = False
        self.shoe, self.last_at, self.torn = Shoe(), "", 0
        self.files: list[Path] = []
        self._lock = self._folder = -1
        self._file: FilledFile | None = None
        self._over: list[FilledFile] = []
        self._spare = Spare(directory)
        self.chain, self._rest, self._format = FIRST_CHAIN, 0, FORMAT
        self.heads = dict[Cursor, str]()

    def open(self, cursor: Cursor | None) -> "Journal":
        """Read the newest file, to append to it from now on; return the journal itself.

        cursor: the last entry at the broker; none up to it may be missing. Raises JournalError for a journal that
        cannot be trusted, InUse for another daemon's, DiskError if the directory cannot be used: then it may be opened
        again later.
        """
        try:
            self._lock = lock(self.directory)
            self._folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._recover(cursor)
            self.is_open = True
        except InUse:
            raise
        except JournalError as error:
            raise refusal(error, self.directory) from None
        except SyncFailed as error:
            raise error.error from None
        except OSError as error:
            raise unusable(self.directory, error) from None
        finally:
            if not self.is_open:
                self.close()
        return self

    @property
    def end(self) -> Place:
        """The place of the next line in the newest file, once there is a file."""
        assert self._file
        return Place(self._file.path, self._file.length)

    def seal(self, entry: Entry) -> Line:
        """Return the line of the next entry, signed where it closes or opens something, for `append`.

        Raises JournalError if its bytes do not give back the entry.
        """
        return seal(entry, self.chain, self.tree.prove, self.format_for(entry))

    def format_for(self, entry: Entry) -> int:
        """Return the format of the entry's line: a file goes on in the one that it was begun in."""
        return FORMAT if entry.seq == 1 or self._file is None else self._format

    def append(self, line: Line) -> None:
        """Write the next line to disk; it begins a new file if its number is 1.

        Raises DiskError, with nothing changed, if the disk did not accept all of it; SyncFailed if it did not confirm
        it, which must end the process.
        """
        if self.begins(line) or self._file is None:
            self._begin(line)
            self._begun()
        else:
            self._file.append(line.data)
        self.tree.added(line)
        self._remember(line)
        self.chain, self._rest = line.chain, max(0, self._rest - 1)

    def wants_preparing(self, is_dealing: bool) -> bool:
        """Return whether `prepare` has something to do. is_dealing: more cards are to come into the newest file."""
        return self.preparation(is_dealing) is not None

    def begins(self, line: Line) -> bool:
        """Return whether the line begins a new file."""
        return line.public.seq == 1 or self._file is None

    def preparation(self, is_dealing: bool) -> Preparation | None:
        """Return the next step of preparation, which makes the next entries fast; None where there is none.

        A finished file is cut to its records; the newest one is filled ahead while is_dealing, else cut; a spare is
        filled for the next journal; the tree of the record is kept.
        """
        if self._over:
            return Preparation(lambda: _close(self._over.pop(), cut=True), of_newest=False)
        if self._rest:
            return None
        if self._file and self._newest_wants(is_dealing):
            return Preparation(self._file.fill if is_dealing else self._file.cut, of_newest=True)
        if not self._spare.is_ready:
            return Preparation(self._spare.make, of_newest=False)
        if self.tiles.wants(self.tree):
            step = partial(self.tiles.step, self.tree, list(self.files), self.tiles.known(self.tree))
            return Preparation(step, of_newest=False)
        return None

    def prepare(self, step: Preparation) -> None:
        """Do one step of preparation, while no card waits.

        A failure is logged, and the next `REST` entries are written without preparation: slower, and journaled all
        the same.
        """
        try:
            step.work()
        except OSError as error:
            self._rest = REST
            log.warning("no space can be prepared for the journal: entries take longer to write (%s)", in_words(error))

    def forget(self, gone: Path) -> None:
        """Remove a deleted file from `files`."""
        self.files = [path for path in self.files if path != gone]

    def close(self) -> None:
        """Cut the newest file to its records and close it and the directory; change nothing that is not open."""
        for file in (*self._over, *((self._file,) if self._file else ())):
            _close(file, cut=self.is_open)
        if self.is_open:
            try:
                self._spare.clear()
            except OSError as error:
                log.warning("the spare journal cannot be removed (%s)", in_words(error))
        for fd in (self._folder, self._lock):
            if fd >= 0:
                os.close(fd)
        self._folder = self._lock = -1
        self._file, self._over, self.is_open = None, [], False

    def _remember(self, line: Line) -> None:
        self._format = int(LINES[line.public.v])
        self.heads[Cursor(line.public.journal, line.public.seq)] = line.chain
        if len(self.heads) > HEADS:
            del self.heads[next(iter(self.heads))]

    def _newest_wants(self, is_dealing: bool) -> bool:
        return self._file is not None and (self._file.ahead < STEP if is_dealing else self._file.ahead > 0)

    def _begin(self, line: Line) -> None:
        path = self.directory / file_name(line.public.journal)
        file = self._spare.begin(path, line.data)
        _sync_folder(self._folder)
        if self._file:
            self._over.append(self._file)
        self._file = file
        self.files.append(path)

    def _recover(self, cursor: Cursor | None) -> None:
        self.shoe, self.last_at, self.torn = Shoe(), "", 0
        self.chain, self._rest = FIRST_CHAIN, 0
        self.tree.clear()
        self.heads.clear()
        self._spare.clear()
        there = journal_files(self.directory)
        self.files = begun_files(there, cursor)
        if self.files != there:
            self.torn = content_size(there[-1])
            there[-1].unlink()
        _sync_folder(self._folder)  # the process before may have begun a file and ended before its sync
        if self.files:
            self._file = FilledFile(self.files[-1], os.open(self.files[-1], os.O_RDWR | os.O_CLOEXEC))
            self._file.sync()
        for line, place in trusted_lines(self.files, cursor):
            assert line.entry
            assert self._file
            self.shoe = advance(self.shoe, line.entry)
            self.tree.added(line)
            self._remember(line)
            self.chain, self._file.length, self.last_at = line.chain, place.offset, line.public.at
        if self._file and (torn := len(self._file.unwritten().rstrip(FILL))):
            self.torn = torn
            self._file.cut()
            self._file.sync()
        for path in self.files[-2:-1]:  # a power cut may have come before it was cut
            if path.stat().st_size > (size := content_size(path)):
                os.truncate(path, size)
        if self.torn:
            log.warning("%d bytes of an unconfirmed entry were removed from the journal", self.torn)


def _close(file: FilledFile, cut: bool) -> None:
    try:
        if cut:
            file.cut()
    except OSError as error:
        log.warning("%s cannot be cut to its records (%s)", file.path.name, in_words(error))
    file.close()


def _sync_folder(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        raise SyncFailed("file_unconfirmed", error) from None
