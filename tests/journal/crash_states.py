"""What a start makes of whatever a power cut leaves of the journal: `scripts/crash-states --states 20000`.

Tables are played on a disk that remembers what was synced; at each change that is done to it the power goes in several
ways. No entry that was confirmed to anybody may be gone then or have another content, and a start may refuse only what
no power cut explains: so it refuses none of these. Then records that were synced are damaged: a start refuses where
the damaged one was acknowledged (at or below the cursor, or followed by a whole one), and else cuts it off.
"""

import argparse
import logging
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from firmware_bridge.errors import DiskError, JournalError
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES
from firmware_bridge.facts.house import House
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import verify_newest
from tests.journal.power_cut import SECTOR, Disk, spoiled
from tests.kit.journal_record import AT, Record

STEPS = 40
"""What is done at a table before it is left."""


class Fault(AssertionError):
    """A state of the disk of which a start makes what it must not."""


class CrashStates:
    """Plays tables and cuts the power, until so many states were tried; all chances from `seed`."""

    def __init__(self, states: int, seed: int) -> None:
        self.wanted, self.random = states, Random(seed)
        self.tried: Counter[str] = Counter()
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="crash", dir=memory if memory.is_dir() else None))
        self.confirmed: dict[tuple[str, int], bytes] = {}

    def run(self) -> Counter[str]:
        """Try them all. Raises Fault at the first one that a start takes wrongly: its files are kept."""
        while self.tried["states"] < self.wanted:
            shutil.rmtree(self._folder)
            self.confirmed = {}
            self.play(self._folder / "table")
            self.tried["tables"] += 1
        shutil.rmtree(self._folder)
        return self.tried

    # ------------------------------------------------------------ a table

    def play(self, directory: Path) -> None:
        """A table; the power goes at some of the changes that are done to its disk."""
        directory.mkdir(parents=True)
        self.disk = Disk(directory, self.moment)
        with self.disk.watching():
            record = Record(directory)
            self.do(record, lambda: record.begin_device() and None)
            self.do(record, lambda: record.open_shoe() and None)
            for _ in range(self.random.randint(1, STEPS)):
                self.act(record)
            record.close()
        self.damage(directory)

    def act(self, record: Record) -> None:
        """One thing that happens at a table; some writes do not fit."""
        random = self.random
        what = random.choices(["card", "order", "idle", "step", "shoe", "full"], [40, 15, 12, 12, 6, 6])[0]
        if what == "idle":
            record.prepare()
        elif what == "step":
            if step := record.journal.preparation(record.shoe.status == "open"):
                record.journal.prepare(step)
        elif what == "shoe":
            self.do(record, lambda: record.open_shoe() and None)
        elif what == "order":
            self.do(record, lambda: record.order(orders.Void("♠" * random.choice([1, 100, 500]))))
        else:
            if what == "full":
                once = iter([random.choice([0, 1, 511, 512, 513])])
                self.disk.short = lambda data: next(once, None)
            self.do(record, lambda: record.deal(random.choice(FACES).value) and None)
            self.disk.short = lambda data: None

    def do(self, record: Record, act: object) -> None:
        """Do something; what was journaled is confirmed from then on."""
        try:
            act()  # type: ignore[operator]
        except DiskError:
            self.tried["writes that did not fit"] += 1
        for line in record.lines:
            self.confirmed[line.public.journal, line.public.seq] = line.data
        record.lines.clear()

    def moment(self) -> None:
        """Something was done to the disk: the power may go, in one way or another."""
        if self.random.random() < 0.5:
            for _ in range(self.random.randint(1, 4)):
                self.cut(self.disk.left(self.random))

    # ------------------------------------------------------------ a start

    def cut(self, files: dict[str, bytes]) -> None:
        """The power is back: start on these files, and journal something else than before."""
        self.tried["states"] += 1
        directory = self.written(files)
        cursor = self.cursor()
        try:
            looked = verify_newest(directory, cursor)
            journal = Journal(directory).open(cursor)
        except JournalError as refused:
            raise Fault(f"{directory}: refused, though a power cut explains it: {refused}") from refused
        there = {
            (line.public.journal, line.public.seq): line.data
            for path in journal_files(directory)
            for line, _ in read_lines(Place(path, 0), whole=True)
        }
        self.compare(directory, there)
        if looked != (journal.files[-1] if journal.files else None):
            raise Fault(f"{directory}: who only looks sees another newest file")
        self.tried["entries cut off"] += journal.torn > 0
        self.tried["entries believed that nobody had confirmed"] += len(there) > len(self.confirmed)
        self.go_on(directory, journal)

    def compare(self, directory: Path, there: dict[tuple[str, int], bytes]) -> None:
        """Every confirmed entry is there, as it was confirmed."""
        for identity, data in self.confirmed.items():
            if there.get(identity) != data:
                raise Fault(f"{directory}: entry {identity} is {'other' if identity in there else 'lost'}")

    def go_on(self, directory: Path, journal: Journal) -> None:
        """Journal other entries: none has the identity of one that was confirmed."""
        journal.close()
        record = Record(directory)
        started = inputs.Started(at=AT + 1, version="1", house=House(burn="none"), nonce="cd" * 16, torn=journal.torn)
        record.take(started)
        record.deal("2s")
        for line in record.lines:
            if self.confirmed.get((line.public.journal, line.public.seq), line.data) != line.data:
                raise Fault(f"{directory}: two contents for entry {line.public.seq} of {line.public.journal}")
        record.close()
        shutil.rmtree(directory)

    def written(self, files: dict[str, bytes]) -> Path:
        """A directory with these files."""
        directory = self._folder / f"state-{self.tried['states']}"
        directory.mkdir()
        for name, data in files.items():
            (directory / name).write_bytes(data)
        return directory

    def cursor(self) -> Cursor | None:
        """As far as the broker may have said that it has the journal."""
        if not self.confirmed or self.random.random() < 0.3:
            return None
        last = list(self.confirmed)[-1]
        return Cursor(*(last if self.random.random() < 0.3 else self.random.choice(list(self.confirmed))))

    # ------------------------------------------------------------ a medium that fails

    def damage(self, directory: Path) -> None:
        """Spoil a sector of the newest file that was synced."""
        newest = journal_files(directory)[-1]
        whole = newest.read_bytes()
        ends = [place.offset for _, place in read_lines(Place(newest, 0))]
        for _ in range(4):
            at = self.random.randrange(0, len(whole), SECTOR)
            sector = whole[at : at + SECTOR]
            other = spoiled(sector, sector, self.random)
            if other == sector:
                continue
            damaged = next(n for n, end in enumerate(ends, 1) if at < end)
            seq = self.random.choice([None, *range(1, len(ends) + 1)])
            cursor = Cursor(journal_id(newest), seq) if seq else None
            self.start_on_damage(directory, whole[:at] + other + whole[at + SECTOR :], cursor, damaged, len(ends))

    def start_on_damage(self, directory: Path, data: bytes, cursor: Cursor | None, damaged: int, lines: int) -> None:
        """Start on a newest file with one line damaged."""
        self.tried["states"] += 1
        files = {path.name: path.read_bytes() for path in journal_files(directory)}
        state = self.written(files | {max(files): data})
        is_acknowledged = damaged < lines or (cursor is not None and damaged <= cursor.seq)
        try:
            journal = Journal(state).open(cursor)
        except JournalError as refused:
            if not is_acknowledged:
                raise Fault(f"{state}: refused, though line {damaged} was never acknowledged: {refused}") from refused
            self.tried["refused: an acknowledged entry was damaged"] += 1
        else:
            journal.close()
            if is_acknowledged:
                raise Fault(f"{state}: line {damaged} of {lines} was acknowledged ({cursor}) and is gone")
            self.tried["damaged entries cut off that nobody had acknowledged"] += 1
        shutil.rmtree(state)


def main() -> int:
    """Try as many states as asked; 1 if a start took one wrongly."""
    parser = argparse.ArgumentParser(prog="scripts/crash-states")
    parser.add_argument("--states", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else time.time_ns() % 1_000_000
    began = time.monotonic()
    states = CrashStates(asked.states, seed)
    logging.disable()
    try:
        states.run()
    except Fault as fault:
        print(f"FAILED, seed {seed}: {fault}", file=sys.stderr)
        return 1
    for name, figure in states.tried.items():
        print(f"{figure:8} {name}")
    print(f"{time.monotonic() - began:8.1f} seconds, seed {seed}; no confirmed entry lost, none with two contents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
