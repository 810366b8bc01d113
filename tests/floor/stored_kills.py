"""Kills daemon, broker, ingest and database in any order: what the journals make is in the store once, byte by byte.

A run that is broken off goes on with its state file. Where it was ended by force, nobody knows any more which cards
were on their way: of that one shoe the journal is taken at its word, and everything else is compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from firmware_bridge.facts.events import Irregular
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines
from tests.floor.journals import Kept, made, published
from tests.floor.killed_database import Database, SqliteFile
from tests.floor.killed_floor import VICTIMS, KilledFloor
from tests.floor.kills_record import Shoe, Shoes, State, cards_of, end_left_behind
from tests.kit.backend import Received
from tests.soak.account import EXPECTED, Account

REVIVED: Final = 0.6
"""The chance of each dead part to be started again after a kill."""

BROKEN_OFF: Final = ("reader_back", "reader_gap")
"""What else may be irregular in a shoe that a run was broken off in."""


def _postgres(folder: Path) -> Database:
    from tests.floor_whole.killed_postgres import Postgres

    return Postgres(folder)


SLOW: Final = ("disk_error",)
"""What a machine at its limits may raise: a journal that takes long to read is told, and nothing else of the kind."""

STORES: Final[dict[str, Callable[[Path], Database]]] = {"sqlite": SqliteFile, "postgres": _postgres}


class StoredKills:
    """A run: kills until `kills` are done by all runs, or `stop` is set; then the shoe is played to its end."""

    stop = False

    def __init__(self, state: State, path: Path) -> None:
        self.state, self._path, self.folder = state, path, Path(state.folder)
        self.done: Counter[str] = Counter(state.done)
        self._began = time.monotonic() - state.seconds
        self.random = Random(f"{state.seed} {state.runs}")
        self.shoes = Shoes(self.folder / "shoes")
        self.floor = KilledFloor(self.folder, STORES[state.store](self.folder), self.random, self.done, state.runs)
        self.floor.expired = dict(state.expired)
        state.runs += 1

    def run(self, kills: int) -> None:
        """Kill so often, then let everything settle."""
        if self.state.in_shoe:
            self._end_broken_shoe()
        while self.done["kills"] < kills and not self.stop:
            if self.floor.dealer.between_shoes:
                self._next_shoe()
            self._strike()
            self._save()
        self.floor.finish_shoe()
        self.floor.settle()
        self._end_shoe()

    def account(self) -> Account:
        """What is in the store, against the journals, the cards and the rule book."""
        files, shoes = journal_files(self.floor.archive), self.shoes.all()
        wanted, kept = made(published(self.floor.archive)), self.floor.ingest.kept()
        order = {key: place for place, key in enumerate(wanted)}
        rows = sorted(kept.items(), key=lambda row: order.get(row[0], -1))
        lines = [line for path in files for line, _ in read_lines(Place(path, 0))]
        account = Account(
            lines,
            [_received(*row) for row in rows],
            cards_of(shoes),
            [each for shoe in shoes for each in shoe.rounds],
            EXPECTED + SLOW + BROKEN_OFF * any(shoe.broken for shoe in shoes),
        )
        account.faults += _disk_errors(lines)
        account.faults += self._faults(files, wanted, kept)
        account.figures["journals deleted, all of them stored before"] = len(self.floor.expired)
        account.figures["shoes that a run was ended in by force"] = sum(shoe.broken for shoe in shoes)
        return account

    def _strike(self) -> None:
        """Kill one that lives, and start some that do not."""
        if not self.floor.living:
            for name in VICTIMS:
                self.floor.revive(name)
        victim = self.random.choice(self.floor.living)
        self.floor.work(victim)
        self.done["kills while another was dead"] += len(self.floor.living) < len(VICTIMS)
        self.floor.kill(victim)
        self.done["kills"] += 1
        self.done[f"kills of the {victim}"] += 1
        dead = [name for name in VICTIMS if name not in self.floor.living]
        self.random.shuffle(dead)
        for name in dead:
            if self.random.random() < REVIVED:
                self.floor.revive(name)
        self.floor.keep_journals()

    def _next_shoe(self) -> None:
        self._end_shoe()
        self.state.in_shoe = True
        self._save()
        self.floor.next_shoe()

    def _end_shoe(self) -> None:
        """Write down what was dealt of a shoe, and what the rule book makes of it."""
        dealer = self.floor.dealer
        if dealer.drawn:
            self.shoes.add(Shoe(drawn=[card.value for card in dealer.drawn], rounds=list(dealer.rounds)))
            dealer.drawn.clear()
            dealer.rounds.clear()
        self.state.in_shoe = False
        self._save()

    def _end_broken_shoe(self) -> None:
        """The reader of the last run is gone with what it held: end its shoe, and take it as the journal has it."""
        self.floor.end_shoe_by_order()
        files = journal_files(self.floor.archive)
        self.shoes.add_broken([line for path in files for line, _ in read_lines(Place(path, 0))])
        self.state.in_shoe = False
        self._save()

    def _save(self) -> None:
        self.state.done, self.state.expired = dict(self.done), self.floor.expired
        self.state.seconds = time.monotonic() - self._began
        self.state.save(self._path)

    def _faults(self, files: list[Path], wanted: Kept, kept: Kept) -> list[str]:
        """What an account of one table's messages does not see."""
        numbers = [int(path.name[:8]) for path in files]
        faults = [] if numbers == list(range(len(numbers))) else [f"not every journal was kept aside: {numbers}"]
        faults += [f"more or less: {key}" for key in set(kept) ^ set(wanted)]
        counts = self.floor.ingest.counts()
        faults += [f"conflicts, quarantine, gaps: {counts}"] if any(counts) else []
        received = self.floor.ingest.received()
        for name, at in self.floor.expired.items():
            last = received.get(journal_id(Path(name)), "never")
            faults += [f"{name} was gone at {at}, its last message received at {last}"] if last > at else []
        logs = ("stderr", "ingest.log")
        return faults + [f"a Traceback in {log}" for log in logs if "Traceback" in (self.folder / log).read_text()]


def _received(key: tuple[object, ...], body: object) -> Received:
    raw = str(body).encode()
    return Received(str(key[0]), json.loads(raw), False, raw=raw)


def _disk_errors(lines: list[Line]) -> list[str]:
    """What a disk is said to have done."""
    events = [event for line in lines if line.entry for event in line.entry.events if isinstance(event, Irregular)]
    return [str(event.values["why"]) for event in events if event.id in SLOW]


def begun(state: Path | None, store: str, seed: int | None) -> tuple[State, Path]:
    """The state of a run that goes on, or of a new one in a folder of its own."""
    if state and state.exists():
        found = msgspec.json.decode(state.read_bytes(), type=State)
        end_left_behind(Path(found.folder))
        return found, state
    folder = Path(tempfile.mkdtemp(prefix="stored-kills-"))
    made = State(seed=time.time_ns() % 1_000_000 if seed is None else seed, store=store, folder=str(folder))
    return made, state or folder / "state.json"


def main() -> int:
    """Run as asked on the command line; 1 if anything is missing, doubled or other than it was."""
    parser = argparse.ArgumentParser(prog="scripts/stored-kills")
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="of all runs together (default 200)")
    parser.add_argument("--store", choices=STORES, default="sqlite")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("--state", type=Path, metavar="FILE", help="what a run that was broken off goes on from")
    asked = parser.parse_args()
    state, path = begun(asked.state, asked.store, asked.seed)
    print(f"{state.store}, seed {state.seed}, {state.done.get('kills', 0)} kills so far; to go on: --state {path}")
    sys.stdout.flush()
    run = StoredKills(state, path)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(run, "stop", True))
    try:
        run.run(asked.kills)
        account = run.account()
    finally:
        run.floor.close()
    for name, figure in (run.done | account.figures).items():
        print(f"{figure:8} {name}")
    print(f"{state.seconds:8.1f} seconds in {state.runs} runs, seed {state.seed}")
    if account.faults:
        print("\n".join([*account.faults[:20], f"FAILED; see {state.folder}"]), file=sys.stderr)
        return 1
    if run.done["kills"] < asked.kills:
        print(f"broken off; to go on: --state {path}")
        return 0
    run.floor.database.remove()
    shutil.rmtree(state.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
