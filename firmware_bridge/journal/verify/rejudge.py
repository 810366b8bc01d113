"""Judges the inputs of a journal again, and compares what comes out with what is on record."""

from __future__ import annotations

from firmware_bridge import __version__
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.events import AnyEvent, Entry, ShoeOpened
from firmware_bridge.facts.inputs import Started
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import Shoe, advance, decide, fault, observe


class Rejudge:
    """Folds line after line; a difference is a fault, or a warning where another software version judged.

    `warnings` and `whole` (every line could be judged) are of the present file.
    """

    def __init__(self) -> None:
        self._shoe: Shoe | None = Shoe()
        self._version = ""

    def begin(self, name: str, follows: bool) -> None:
        """A new file; without the one before it (not `follows`) its first line is taken on trust."""
        self._name, self.whole, self._different = name, follows, 0
        self.warnings: list[str] = []
        if not follows:
            self._shoe = None

    def judge(self, line: Line) -> None:
        """Judge the next line. Raises JournalError if this version comes to another result than it did before."""
        entry = line.entry
        if entry is None:
            self._give_up()
            return
        self._version = _version(entry) or self._version
        if self._shoe is not None and not _comes_out(self._shoe, entry):
            self._differs(entry)
        self._fold(entry)

    def follow(self, line: Line) -> None:
        """Take the next line for judged."""
        if line.entry is None:
            self._shoe = None
            return
        self._version = _version(line.entry) or self._version
        self._fold(line.entry)

    def _fold(self, entry: Entry) -> None:
        if self._shoe is not None or entry.seq == 1:
            self._shoe = advance(self._shoe or Shoe(), entry)

    def _give_up(self) -> None:
        if not self.warnings:
            self.warnings.append(f"{self._name}: sealed parts are left out, so it cannot be judged again")
        self._shoe, self.whole = None, False

    def _differs(self, entry: Entry) -> None:
        where = f"{self._name}, line {entry.seq}"
        if self._version == __version__:
            what = f"{where}: judged again, {type(entry.input).__name__} comes out differently"
            raise JournalError(what, "the record was changed, or the software of this version was: call the maker")
        if not self._different:
            self.warnings.append(f"{where}: version {__version__} judges it differently than {self._version} did")
        self._different, self.whole = self._different + 1, False


def _comes_out(shoe: Shoe, entry: Entry) -> bool:
    """Whether an input has the events on record: judged, or only observed."""
    return _decided(shoe, entry) == entry.events or observe(shoe, entry.input) == entry.events


def _decided(shoe: Shoe, entry: Entry) -> tuple[AnyEvent, ...]:
    try:
        return decide(shoe, entry.input)
    except Exception as error:
        return fault(shoe, entry.input, error)


def _version(entry: Entry) -> str | None:
    """The software that judged from this entry on, where it says so."""
    if isinstance(entry.input, Started):
        return entry.input.version
    opened = next((event for event in entry.events if isinstance(event, ShoeOpened)), None)
    return opened.version if opened else None
