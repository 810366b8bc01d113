"""Judges the inputs of a journal again, and compares the events with those on record.

A journal of format 3 was begun by a version before this one, with sentences where there are codes now, in the words of
that version; some have codes all the same. So its events are compared without what only says something in words. What
differs then is a warning: several versions that began such journals have the same number.
"""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge import __version__
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.book.alarms import values_of
from firmware_bridge.facts.book.refusals import Kind
from firmware_bridge.facts.events import (
    AnyEvent,
    CommandAnswered,
    Entry,
    Irregular,
    KeyRefused,
    ShoeOpened,
)
from firmware_bridge.facts.inputs import AnyInput, Started
from firmware_bridge.journal.line import BEFORE, FORMAT, Line, format_of
from firmware_bridge.shoe import Shoe, advance, decide, fault, observe

AsWritten = Callable[[Entry, int], Entry]
"""Gives an entry as it stands in a journal of a format."""

_PLAIN: Final[tuple[Kind, ...]] = ("number", "word", "person")
"""Kinds of values that are no words: they are compared in each format."""


def as_decided(entry: Entry, number: int) -> Entry:
    """Return the entry as it is."""
    return entry


class Rejudge:
    """Judges line after line again; a difference is a fault, or a warning for lines of another version.

    whole: whether all lines were judged again. as_written: as in `Audit`.
    """

    def __init__(self, as_written: AsWritten = as_decided) -> None:
        self._shoe: Shoe | None = Shoe()
        self._as_written = as_written
        self._version = self._first = ""

    def begin(self, name: str, follows: bool) -> None:
        """Begin a file; without the one before it (not `follows`) its first line is trusted."""
        self._name, self.whole, self._different = name, follows, 0
        self.warnings: list[str] = []
        if not follows:
            self._shoe = None

    def judge(self, line: Line) -> None:
        """Judge the next line again. Raises JournalError if this version comes to another result than before."""
        entry = line.entry
        if entry is None:
            self._give_up()
            return
        self._version = _version(entry) or self._version
        number = format_of(line.data) or FORMAT
        if self._shoe is not None and not self._comes_out(self._shoe, number, entry):
            self._differs(entry, number)
        self._fold(entry)

    def follow(self, line: Line) -> None:
        """Fold the next line without judging it."""
        if line.entry is None:
            self._shoe = None
            return
        self._version = _version(line.entry) or self._version
        self._fold(line.entry)

    def _comes_out(self, shoe: Shoe, number: int, entry: Entry) -> bool:
        """Return whether an input gives the events on record: judged, or only observed."""
        for judge in (_decided, observe):
            made = replace(entry, events=judge(shoe, entry.input))
            if self._as_written(made, number).events == entry.events:
                return True
            if number == BEFORE and any(_say_the_same(entry, each) for each in (made, self._as_written(made, number))):
                return True
        return False

    def _fold(self, entry: Entry) -> None:
        if self._shoe is not None or entry.seq == 1:
            self._shoe = advance(self._shoe or Shoe(), entry)

    def _give_up(self) -> None:
        if not self.warnings:
            self.warnings.append(f"{self._name}: the sealed parts are missing, so it cannot be judged again")
        self._shoe, self.whole = None, False

    def _differs(self, entry: Entry, number: int) -> None:
        where = f"{self._name}, line {entry.seq}"
        if self._version == __version__ and number != BEFORE:
            what = f"{where}: judged again, {type(entry.input).__name__} has another result"
            raise JournalError(what, "the record or the software of this version was changed: call the maker")
        if not self._different:
            wrote = f"{self._version}, in a journal of format {number}" if number == BEFORE else self._version
            self._first = f"{where}: version {__version__} judges it differently from {wrote}"
            self.warnings.append(self._first)
        else:
            self.warnings[-1] = f"{self._first}; behind it, {self._different} more"
        self._different, self.whole = self._different + 1, False


def _decided(shoe: Shoe, fact: AnyInput) -> tuple[AnyEvent, ...]:
    try:
        return decide(shoe, fact)
    except Exception as error:
        return fault(shoe, fact, error)


def _version(entry: Entry) -> str | None:
    """Return the software version that judges from this entry on, None where the entry has none."""
    if isinstance(entry.input, Started):
        return entry.input.version
    opened = next((event for event in entry.events if isinstance(event, ShoeOpened)), None)
    return opened.version if opened else None


def _say_the_same(recorded: Entry, made: Entry) -> bool:
    """Return whether events differ in words alone, as those of format 3 may."""
    pairs = zip(recorded.events, made.events, strict=False)
    return len(recorded.events) == len(made.events) and all(_facts(a, a) == _facts(b, a) for a, b in pairs)


def _facts(event: AnyEvent, recorded: AnyEvent) -> AnyEvent:
    """Return an event without its words, and without a code where the one on record has none.

    The digest of a shoe's settings is left out: the words of its policy are in it.
    """
    match event:
        case Irregular():
            row = values_of(event.id)
            plain = {name: value for name, value in event.values.items() if row.get(name) in _PLAIN}
            return replace(event, detail="", values=plain)
        case KeyRefused():
            return replace(event, why="", values={}, code=event.code if getattr(recorded, "code", "") else "")
        case CommandAnswered(answer=answer):
            has_code = isinstance(recorded, CommandAnswered) and recorded.answer.code is not None
            bare = replace(answer, error=None, hint=None, values={}, code=answer.code if has_code else None)
            return replace(event, answer=bare)
        case ShoeOpened():
            rows = {id: replace(row, todo=UNSET) for id, row in event.policy.items()}
            return replace(event, policy=rows, digest="")
    return event
