"""What an auditor asks of the record: is it whole, is it unchanged, and would it be judged the same again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.line import FIRST_CHAIN, Line
from firmware_bridge.journal.verify.commitments import Commitments
from firmware_bridge.journal.verify.rejudge import Rejudge
from firmware_bridge.journal.walk import Walk

Head = tuple[int, str]
"""An entry's number and the chain value at it, as an auditor writes them down."""

_OUR_NAMES: Final = re.compile(r"\d{8}-\w+\.journal")


class Verdict(NamedTuple):
    """What was found in one file; `fault` names file and line of the first thing wrong.

    head: the last entry's number and chain value, `SEQ:HASH`, to be written down.
    """

    file: str
    entries: int = 0
    head: str = ""
    proved: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fault: str | None = None


class Met(NamedTuple):
    """What an audit met on its way that matters at its end.

    found: whether a wanted head is in one of the files; at_wanted: what the last one has in its place. journal: the
    last one.
    """

    found: bool = False
    at_wanted: str = ""
    journal: str | None = None


class Audit:
    """Goes from file to file, in the order of their shoes; `met` is what it met.

    wanted: a chain value that one of the files must hold. whole: the files are all there are, so that none may be
    missing between them. The cursor is read before the files: the daemon may be writing both.
    """

    def __init__(self, directory: Path, wanted: Head | None = None, *, whole: bool, replay: bool = False) -> None:
        self._directory, self._wanted, self._whole = directory, wanted, whole
        self.met = Met()
        self._cursor = read_cursor(directory / "cursor")
        self._newest = next(reversed(journal_files(directory)), None)
        self._last: Walk | None = None
        self._rejudge = Rejudge() if replay else None

    def verify(self, path: Path) -> Verdict:
        """Walk along one file. Raises JournalError at the first fault, OSError if it cannot be read."""
        walk = self._walk(path)
        self.met = self.met._replace(at_wanted="has no such entry")
        trusted = walk.chain is None
        commitments = Commitments(path.name)
        if self._rejudge:
            self._rejudge.begin(path.name, follows=not trusted)
        with path.open("rb") as file:
            for line in walk.lines(file):
                commitments.check(line)
                self._compare_head(line)
                if self._rejudge:
                    self._rejudge.judge(line)
        warnings = [*self._end(path, walk), *(self._rejudge.warnings if self._rejudge else ())]
        self._last = walk
        self.met = self.met._replace(journal=walk.journal)
        head = f"{walk.count}:{walk.chain}" if walk.count else ""
        return Verdict(path.name, walk.count, head, self._proved(trusted), tuple(warnings))

    def follow(self, path: Path) -> None:
        """Take one file for verified: read only what the next one depends on. Raises JournalError, OSError."""
        walk = Walk(path.name)
        if self._rejudge:
            self._rejudge.begin(path.name, follows=False)
        with path.open("rb") as file:
            for line in walk.lines(file):
                if self._rejudge:
                    self._rejudge.follow(line)
        self._last = walk

    def finish(self) -> str | None:
        """What is wrong with the whole: a wanted head that was not met, journals that are gone; None if nothing."""
        if self._wanted and not self.met.found:
            seq, chain = self._wanted
            return f"head {seq}:{chain} is in none of these journals, the last one {self.met.at_wanted}: restore them"
        cursor = self._cursor
        if self._whole and cursor and _number(cursor.journal) > _number(self.met.journal or "0-"):
            return f"journal {cursor.journal} is missing, the broker has had it up to line {cursor.seq}: restore it"
        return None

    def _walk(self, path: Path) -> Walk:
        """A walk that knows which journal it must meet, and which chain value to follow."""
        journal = journal_id(path) if _OUR_NAMES.fullmatch(path.name) else None
        number = _number(journal or _first_journal(path))
        last = self._last
        if last and last.journal and number == _number(last.journal) + 1:
            before = last.chain
        elif last and self._whole:
            what = f"{path.name}, line 1: journal {number} does not follow {last.journal}"
            raise JournalError(what, "journals were removed or added: restore them, or name those to verify")
        else:
            before = FIRST_CHAIN if number == 0 else None
        return Walk(path.name, before, journal)

    def _end(self, path: Path, walk: Walk) -> Iterator[str]:
        """Tell a torn tail from a removed one; warnings."""
        is_ours = path.parent.resolve() == self._directory.resolve()
        cursor = self._cursor
        if is_ours and cursor and cursor.journal == walk.journal and walk.count < cursor.seq:
            what = f"{path.name}, line {walk.count + 1}: missing, but the broker has had line {cursor.seq}"
            raise JournalError(what, "lines were removed: restore the file")
        if not walk.torn:
            return
        if not is_ours or path.name != getattr(self._newest, "name", None):
            if "not a whole line" not in walk.fault.what:
                raise walk.fault
            what = f"{path.name}, line {walk.count + 1}: unfinished, though it is not the newest line of the table"
            raise JournalError(what, "the file was cut: restore it")
        yield (
            f"{path.name}, line {walk.count + 1}: unfinished ({walk.torn} bytes): the power went while it was written; "
            "nothing was sent of it, and the daemon cuts it off when it starts"
        )

    def _compare_head(self, line: Line) -> None:
        if self._wanted and line.public.seq == self._wanted[0]:
            found = self.met.found or line.chain == self._wanted[1]
            self.met = self.met._replace(found=found, at_wanted=f"has {line.chain} there")

    def _proved(self, trusted: bool) -> tuple[str, ...]:
        chain = "chain from its first line on (what it follows is not here)" if trusted else "chain"
        replayed = ("judged again",) if self._rejudge and self._rejudge.whole else ()
        return ("checksums", "numbers", chain, "commitments", *replayed)


def _number(journal: str) -> int:
    return int(journal.split("-")[0])


def _first_journal(path: Path) -> str:
    """The journal that a file of any name says it is; `0-` where its first line does not say."""
    with path.open("rb") as file:
        first = next(Walk(path.name).lines(file), None)
    return first.public.journal if first else "0-"
