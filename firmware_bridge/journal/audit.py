"""Proves a journal from its files alone: lines, chain, commitments, and rounds judged again."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from firmware_bridge.client import EventMessage, MessageError, Verifier, commitment
from firmware_bridge.client import Verdict as Proof
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.events import Secret
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.line import FIRST_CHAIN, Line, without_sealed
from firmware_bridge.journal.reader import Walk
from firmware_bridge.journal.rejudge import AsWritten, Rejudge, as_decided
from firmware_bridge.journal.signatures import Signatures
from firmware_bridge.record.verify import Key, Play, parse_line

Head = tuple[int, str]
"""An entry's number and the chain value at it, as an auditor notes them."""

_MARKS: Final = (b'"commit"', b'"nonce"', b'"held"', b'"manual"', b'"CardRevealed"', b"\\")
"""Bytes of every event about a sealed card; a backslash may hide one of the others."""

_OUR_NAMES: Final = re.compile(r"\d{8}-\w+\.journal")


class Verdict(NamedTuple):
    """The result for one file; `fault`: the place of the first error. head: the last entry, as `SEQ:HASH`."""

    file: str
    entries: int = 0
    head: str = ""
    proved: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fault: str | None = None


class Met(NamedTuple):
    """State of an audit across files.

    found: whether a wanted head is in one of the files; at_wanted: what the last file has in its place. journal: the
    last one. unsigned: the first entry that closes or opens something, and which no checkpoint covers. signed: entries
    of the record up to its last checkpoint, and all of them. in_play: whether those behind it are all of the shoe and
    round that were open there, at the end of the newest journal.
    """

    found: bool = False
    at_wanted: str = ""
    journal: str | None = None
    unsigned: str = ""
    signed: tuple[int, int] = (0, 0)
    in_play: bool = False


class Audit:
    """Verifies file after file, in the order of their shoes; `met` is its state.

    wanted: a chain value that one of the files must hold. whole: the files are all there are, so that none may be
    missing between them. keys: those that must have signed the record. as_written: as entries are judged again. The
    cursor is read before the files: the daemon may be writing both.
    """

    def __init__(
        self,
        directory: Path,
        wanted: Head | None = None,
        *,
        whole: bool,
        replay: bool = False,
        keys: Sequence[Key] = (),
        as_written: AsWritten = as_decided,
    ) -> None:
        self._directory, self._wanted, self._whole, self._keys = directory, wanted, whole, keys
        self._signatures = Signatures(keys)
        self.met = Met()
        self._cursor = read_cursor(directory / "cursor")
        self._newest = next(reversed(journal_files(directory)), None)
        self._last: Walk | None = None
        self._rejudge = Rejudge(as_written) if replay else None

    def verify(self, path: Path) -> Verdict:
        """Verify one file. Raises JournalError at the first fault, OSError if it cannot be read."""
        walk = self._walk(path)
        self.met = self.met._replace(at_wanted="has no such entry")
        trusted = walk.chain is None
        commitments, signed = Commitments(path.name), self._signatures.checkpoints
        if trusted and self._last:
            self._signatures = Signatures(self._keys)  # the journals between are not here
        if self._rejudge:
            self._rejudge.begin(path.name, follows=not trusted)
        with path.open("rb") as file:
            for line in walk.lines(file):
                commitments.check(line)
                self._check_signed(line, path)
                self._compare_head(line)
                if self._rejudge:
                    self._rejudge.judge(line)
        warnings = [*self._end(path, walk), *(self._rejudge.warnings if self._rejudge else ())]
        self._last = walk
        stands = self._signatures.signed
        in_play = stands[0] < stands[1] and path.name == getattr(self._newest, "name", None) and _fits(path, walk.count)
        self.met = self.met._replace(
            journal=walk.journal, unsigned=self._signatures.unsigned, signed=stands, in_play=in_play
        )
        head = f"{walk.count}:{walk.chain}" if walk.count else ""
        signed = self._signatures.checkpoints - signed
        return Verdict(path.name, walk.count, head, self._proved(trusted, signed), tuple(warnings))

    def follow(self, path: Path) -> None:
        """Read a file verified before, as far as the next one depends on it. Raises JournalError, OSError."""
        walk = Walk(path.name)
        if self._rejudge:
            self._rejudge.begin(path.name, follows=False)
        with path.open("rb") as file:
            for line in walk.lines(file):
                self._check_signed(line, path)
                if self._rejudge:
                    self._rejudge.follow(line)
        self._last = walk

    def finish(self) -> str | None:
        """Return the fault of all files together: a head not found, journals missing, an end not signed; else None."""
        if self._wanted and not self.met.found:
            seq, chain = self._wanted
            return f"head {seq}:{chain} is in none of these journals, the last one {self.met.at_wanted}: restore them"
        cursor = self._cursor
        if self._whole and cursor and _number(cursor.journal) > _number(self.met.journal or "0-"):
            return f"journal {cursor.journal} is missing, but the broker received its line {cursor.seq}: restore it"
        if self.met.unsigned:
            return f"{self.met.unsigned}: no checkpoint covers it: the table had no key then, or it was taken off"
        return None

    def behind(self) -> str:
        """Return what is behind the last checkpoint of the last record, in words; "" for nothing, or where none is
        signed.
        """
        signed, size = self.met.signed
        if signed in (0, size):
            return ""
        if self.met.in_play:
            return f"verified up to entry {signed} of {size}; the open round behind it is not signed yet"
        return f"verified up to entry {signed} of {size}; those behind it are not signed yet, and of no open round"

    def _walk(self, path: Path) -> Walk:
        """Return a walk with the journal that it must find, and the chain value to follow."""
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
        """Yield warnings about a torn last line. Raises JournalError where lines were removed."""
        is_ours = path.parent.resolve() == self._directory.resolve()
        cursor = self._cursor
        if is_ours and cursor and cursor.journal == walk.journal and walk.count < cursor.seq:
            what = f"{path.name}, line {walk.count + 1}: missing, but the broker received line {cursor.seq}"
            raise JournalError(what, "lines were removed: restore the file")
        if not walk.torn:
            return
        if not is_ours or path.name != getattr(self._newest, "name", None):
            if "not a whole line" not in walk.fault.what:
                raise walk.fault
            what = f"{path.name}, line {walk.count + 1}: unfinished, though it is not the newest line of the table"
            raise JournalError(what, "the file was cut: restore it")
        yield (
            f"{path.name}, line {walk.count + 1}: unfinished ({walk.torn} bytes): the power failed while it was "
            "written; it was not sent, and the daemon removes it when it starts"
        )

    def _compare_head(self, line: Line) -> None:
        if self._wanted and line.public.seq == self._wanted[0]:
            found = self.met.found or line.chain == self._wanted[1]
            self.met = self.met._replace(found=found, at_wanted=f"has {line.chain} there")

    def _check_signed(self, line: Line, path: Path) -> None:
        try:
            self._signatures.check(line)
        except JournalError as error:
            raise JournalError(f"{path.name}, line {line.public.seq}: {error.what}", error.hint) from None

    def _proved(self, trusted: bool, signed: int) -> tuple[str, ...]:
        chain = "chain from its first line on (what it follows is not here)" if trusted else "chain"
        replayed = ("judged again",) if self._rejudge and self._rejudge.whole else ()
        checkpoints = (f"{signed} checkpoint{'s' * (signed != 1)}",) if signed else ()
        return ("checksums", "numbers", chain, "commitments", *checkpoints, *replayed)


def _fits(path: Path, count: int) -> bool:
    """Return whether the lines behind the last checkpoint of a journal are all of the round that was open there."""
    signed, ahead, fits = Play(), Play(), True
    with path.open("rb") as file:
        for line in islice(Walk(path.name).lines(file), count):
            shown = parse_line(without_sealed(line))
            kinds = [event["type"] for _, event in shown.events]
            fits = fits and signed.fits(shown, kinds)
            ahead = ahead.followed(shown, kinds)
            if line.proof.note:
                signed, fits = ahead, True
    return fits


class Commitments:
    """Collects the commitments of one whole journal and checks each disclosure against them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._verifier = Verifier()

    def check(self, line: Line) -> None:
        """Check the next line. Raises JournalError if a sealed or a named card is not the one committed to."""
        for n, raw in enumerate(line.public.events, 1):
            secret = getattr(line.entry.events[n - 1], "secret", None) if line.entry else None
            if not secret and not any(mark in bytes(raw) for mark in _MARKS):
                continue
            event = from_json(raw)
            self._compare_sealed(line, n, event, secret)
            for verdict in self._verdicts(line, n, event):
                if verdict.proof != "opened":
                    raise self._fault(line, self._mismatch(verdict))

    def _verdicts(self, line: Line, n: int, event: dict[str, Any]) -> tuple[Proof, ...]:
        public = line.public
        head = (public.v, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
        message = msgspec.structs.asdict(EventMessage(*head, head=line.chain, n=n, of=len(public.events), event=event))
        try:
            return self._verifier.take(message)
        except MessageError as error:
            raise self._fault(line, error.what) from None

    def _compare_sealed(self, line: Line, n: int, event: dict[str, Any], secret: Secret | None) -> None:
        seq = line.public.seq
        if secret and event.get("commit") != commitment(line.public.journal, seq, n, secret.card.value, secret.nonce):
            raise self._fault(line, f"a card is not the one that line {seq} committed to")

    def _mismatch(self, verdict: Proof) -> str:
        if verdict.names is None:
            return "a card that was held or entered is not one that a line before committed to"
        return f"a card is not the one that line {verdict.names.seq} committed to"

    def _fault(self, line: Line, what: str) -> JournalError:
        return JournalError(f"{self._name}, line {line.public.seq}: {what}", "the record was changed: restore the file")


def _number(journal: str) -> int:
    return int(journal.split("-")[0])


def _first_journal(path: Path) -> str:
    """Return the journal id in the first line of a file; `0-` where there is none."""
    with path.open("rb") as file:
        first = next(Walk(path.name).lines(file), None)
    return first.public.journal if first else "0-"
