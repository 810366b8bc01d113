"""What a run of kills leaves to the next one: its state, and each shoe that was dealt, in files."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import CardEvent
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from tests.soak.account import DRAWN


class State(msgspec.Struct, kw_only=True):
    """How far the runs on a folder have come. in_shoe: a shoe is open that is not among the `Shoes` yet.

    done: what was done how often. expired: the file of a journal -> when it was found gone.
    """

    seed: int
    store: str
    folder: str
    runs: int = 0
    seconds: float = 0.0
    done: dict[str, int] = {}
    expired: dict[str, str] = {}
    in_shoe: bool = False

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        fresh = path.with_name(f".{path.name}")
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(self)) + b"\n")
        fresh.replace(path)


class Shoe(msgspec.Struct, kw_only=True):
    """A shoe as it was dealt, and the rounds that the rule book makes of it.

    broken: a run was ended by force in it; then it is as the journal has it.
    """

    drawn: list[str]
    rounds: list[dict[str, Any]]
    broken: bool = False


class Shoes:
    """The shoes of all runs, a line each in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def add(self, shoe: Shoe) -> None:
        """Write it down."""
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(shoe) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def all(self) -> list[Shoe]:
        """In the order they were dealt in."""
        return [msgspec.json.decode(line, type=Shoe) for line in self._path.read_bytes().splitlines()]

    def add_broken(self, lines: Sequence[Line]) -> None:
        """Write down the shoe behind the known ones as these lines, of all journals, have it."""
        known = self.all()
        cards, rounds = sum(len(shoe.drawn) for shoe in known), sum(len(shoe.rounds) for shoe in known)
        self.add(Shoe(drawn=_faces(lines)[cards:], rounds=_rounds(lines)[rounds:], broken=True))


def cards_of(shoes: Sequence[Shoe]) -> list[Card]:
    """All cards that were dealt, in order."""
    return [Card(face) for shoe in shoes for face in shoe.drawn]


def end_left_behind(folder: Path) -> None:
    """Kill what a run that was itself killed has left behind: each process with a path in its folder as an argument."""
    while left := working_in(folder):
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


def working_in(folder: Path) -> list[int]:
    """The processes with a path in a folder as an argument."""
    inside = f"{folder}{os.sep}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            words = (entry / "cmdline").read_bytes().split(b"\0")
            found += [int(entry.name)] if any(word.startswith(inside) for word in words) else []
    return [process for process in found if process != os.getpid()]


def _faces(lines: Sequence[Line]) -> list[str]:
    """The cards that have come to their last place, sealed or not."""
    events = [event for line in lines if line.entry for event in line.entry.events if isinstance(event, CardEvent)]
    last = [event for event in events if type(event).__name__ in DRAWN]
    return [card.value for event in last if (card := event.card or (event.secret and event.secret.card))]


def _rounds(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [json.loads(each.payload) for line in lines for each in messages(line) if each.topic == "round"]
