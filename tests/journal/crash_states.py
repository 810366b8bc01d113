"""What a start makes of whatever a power cut leaves of the journal: `scripts/crash-states --states 20000`.

Tables that sign their record are played on a disk that remembers what was synced; at each change that is done to it
the power goes in several ways. No entry that was confirmed to anybody may be gone then or have another content, and a
start may refuse only what no power cut explains: so it refuses none of these. Of no size of the record may two roots
ever be sent; cursor, key and tiles may be half there. Then records that were synced are damaged: a start refuses where
the damaged one was acknowledged (at or below the cursor, or followed by a whole one), and else cuts it off.

Some of the cuts find a disk that ignores syncs. There what was sent may be lost and be contradicted, but not in
silence: the start is refused, or the table signs nothing more once it hears of what it had sent, by a witness, the
broker or the store, until another record begins.
"""

import argparse
import asyncio
import logging
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

from firmware_bridge.daemon.table.recorder import NEXT, ROLLED_BACK, UNSIGNED
from firmware_bridge.errors import JournalError
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.cards import FACES
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import verify_newest
from firmware_bridge.record.tiles import WIDTH
from firmware_bridge.record.verify import Refused, parse_checkpoint, parse_note, parse_vkey
from tests.journal.power_cut import SECTOR, Disk, leave_cursor, leave_key, leave_tiles, spoiled
from tests.journal.restarted import SOURCES, Restarted
from tests.record.exports import ORIGIN, SEED, SignedRecord, device

STEPS = 40
"""What is done at a table before it is left."""

LONG = 0.3
"""The share of tables with enough entries before for tiles of their tree."""

IGNORING = 0.3
"""The share of power cuts that find a disk that ignored syncs."""

PROGRESS = 4
"""Tables between two lines that say how far it is."""

OTHER_SEED = bytes(range(32))


class Fault(AssertionError):
    """A state of the disk of which a start makes what it must not."""


class CrashStates:
    """Plays tables and cuts the power, until so many states were tried; all chances from `seed`."""

    def __init__(self, states: int, seed: int, ignoring: float = IGNORING, *, is_shown: bool = False) -> None:
        self.is_shown = is_shown
        self.wanted, self.random, self.ignoring = states, Random(seed), ignoring
        self.tried: Counter[str] = Counter()
        memory = Path("/dev/shm")
        self._folder = Path(tempfile.mkdtemp(prefix="crash", dir=memory if memory.is_dir() else None))
        self._loop = asyncio.new_event_loop()

    def run(self) -> Counter[str]:
        """Try them all. Raises Fault at the first one that a start takes wrongly: its files are kept."""
        while self.tried["states"] < self.wanted:
            shutil.rmtree(self._folder)
            self.confirmed: dict[tuple[str, int], bytes] = {}
            self.sent: dict[int, str] = {}
            self.play(self._folder / "table")
            self.tried["tables"] += 1
            if self.tried["tables"] % PROGRESS == 0 and self.is_shown:
                print(f"{self.tried['states']:8} states of {self.wanted} so far", flush=True)
        shutil.rmtree(self._folder)
        self._loop.close()
        return self.tried

    # ------------------------------------------------------------ a table

    def play(self, directory: Path) -> None:
        """A table; the power goes at some of the changes that are done to its disk."""
        directory.mkdir(parents=True)
        self.is_quiet = False
        self.disk = Disk(directory, self.moment)
        with self.disk.watching():
            self.record = record = SignedRecord(directory, "dealt")
            self.do(lambda: record.begin_device() and None)
            self.do(lambda: record.open_shoe() and None)
            if self.random.random() < LONG:
                self.fill(record)
            for _ in range(self.random.randint(1, STEPS)):
                self.act(record)
            record.close()
        self.damage(directory)

    def fill(self, record: SignedRecord) -> None:
        """Entries that nothing happens at, about as many as a tile has."""
        self.is_quiet = True
        for number in range(self.random.randint(230, 270)):
            if number % 100 == 50:
                record.open_shoe()
            record.order(orders.Void("x"))
        self.is_quiet = False
        self.confirm()

    def act(self, record: SignedRecord) -> None:
        """One thing that happens at a table; some writes do not fit."""
        random = self.random
        what = random.choices(["card", "order", "idle", "step", "shoe", "full"], [40, 15, 12, 12, 6, 6])[0]
        if what == "idle":
            record.prepare()
        elif what == "step":
            if step := record.journal.preparation(record.shoe.status == "open"):
                record.journal.prepare(step)
        elif what == "shoe":
            self.do(lambda: record.open_shoe() and None)
        elif what == "order":
            self.do(lambda: record.order(orders.Void("♠" * random.choice([1, 100, 500]))))
        else:
            if what == "full":
                once = iter([random.choice([0, 1, 511, 512, 513])])
                self.disk.short = lambda data: next(once, None)
            self.do(lambda: record.deal(random.choice(FACES).value) and None)
            self.disk.short = lambda data: None

    def do(self, act: object) -> None:
        """Do something; what was journaled is confirmed from then on."""
        try:
            act()  # type: ignore[operator]
        except DiskError:
            self.tried["writes that did not fit"] += 1
        self.confirm()

    def confirm(self) -> None:
        """What was journaled is sent, with its notes."""
        for line in self.record.lines:
            self.confirmed[line.public.journal, line.public.seq] = line.data
            if line.proof.note:
                self.sent[parse_checkpoint(parse_note(line.proof.note).text).size] = line.proof.note
        self.record.lines.clear()

    def moment(self) -> None:
        """Something was done to the disk: the power may go, in one way or another."""
        if not self.is_quiet and self.random.random() < 0.5:
            self.confirm()
            for _ in range(self.random.randint(1, 4)):
                if self.random.random() < self.ignoring:
                    self.cut_ignoring(self.disk.left_unsynced(self.random))
                else:
                    self.cut(self.disk.left(self.random))

    # ------------------------------------------------------------ a start

    def cut(self, files: dict[str, bytes]) -> None:
        """The power is back: start on these files, and journal something else than before."""
        self.tried["states"] += 1
        directory = self.written(files)
        cursor = self.cursor(directory)
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
        journal.close()
        self.go_on(directory)

    def compare(self, directory: Path, there: dict[tuple[str, int], bytes]) -> None:
        """Every confirmed entry is there, as it was confirmed."""
        for identity, data in self.confirmed.items():
            if there.get(identity) != data:
                raise Fault(f"{directory}: entry {identity} is {'other' if identity in there else 'lost'}")

    def go_on(self, directory: Path) -> None:
        """Journal other entries: none has the identity of one that was confirmed, nor a note another root."""
        self.tried["tiles half written"] += leave_tiles(self.disk.directory, directory, self.random)
        key = directory.with_name(f"{directory.name}-key")
        leave_key(key, SEED, self.random)
        with self.restarted(directory, key) as table:
            table.deal("2s")
            for line in table.sent:
                if self.confirmed.get((line.public.journal, line.public.seq), line.data) != line.data:
                    raise Fault(f"{directory}: two contents for entry {line.public.seq} of {line.public.journal}")
            if self.contradicted(directory, table):
                raise Fault(f"{directory}: two roots were sent of one size")
            for source in SOURCES if self.sent else ():
                table.hear(self.sent[max(self.sent)], source)
            begun = table.table.shoe.device.record
            is_signed = (
                begun is not None and begun.origin == ORIGIN and key.read_bytes() == SEED if key.exists() else False
            )
            if ROLLED_BACK in table.alarms():
                raise Fault(f"{directory}: a rollback is said, and nothing was lost")
            if is_signed != bool(table.notes) and (self.sent or not table.notes):
                raise Fault(
                    f"{directory}: signed {len(table.notes)} notes, the key is {'' if is_signed else 'not '}there"
                )
            if not is_signed and self.sent and UNSIGNED not in table.alarms():
                raise Fault(f"{directory}: nothing is signed, and no alarm says so")
            if table.journal.tree.size >= WIDTH and (missing := table.missing_in_tiles(ORIGIN)):
                raise Fault(f"{directory}: entries that may be deleted are in no tile: {missing[:5]}")
            self.tried["starts without the record's key"] += not is_signed
            self.tried["notes sent after a start"] += len(set(table.notes))
        key.unlink(missing_ok=True)
        shutil.rmtree(directory)

    def cut_ignoring(self, files: dict[str, bytes]) -> None:
        """The power is back, and the disk lost what it had confirmed: that may contradict, but not in silence."""
        self.tried["states"] += 1
        self.tried["states of a disk that ignored syncs"] += 1
        directory = self.written(files)
        self.cursor(directory)
        key = directory.with_name(f"{directory.name}-key")
        key.write_bytes(SEED)
        key.with_name(key.name + NEXT).write_bytes(OTHER_SEED)
        try:
            with self.restarted(directory, key) as table:
                self.go_on_ignoring(directory, table)
            with self.restarted(directory, key) as table:
                self.check_signs(directory, table)
        except JournalError as refused:
            if "continue with a new record" not in str(refused):
                raise Fault(f"{directory}: refused without a way on: {refused}") from refused
            self.tried["ignored syncs: the start was refused"] += 1
            shutil.rmtree(directory)
            directory.mkdir()
            with self.restarted(directory, key) as table:
                self.check_signs(directory, table)
        shutil.rmtree(directory)

    def go_on_ignoring(self, directory: Path, table: Restarted) -> None:
        """A table hears of the newest note that it sent: it says what it lost, and goes on by another record."""
        table.deal("2s")
        begun = table.table.shoe.device.record
        if begun is None or begun.origin != ORIGIN:
            self.tried["ignored syncs: the record was gone, another birth signs"] += 1
            return
        is_contradicted = self.contradicted(directory, table)
        size = max(self.sent, default=0)
        sent = parse_checkpoint(parse_note(self.sent[size]).text).root if size else None
        is_lost = sent is not None and table.root(ORIGIN, size) not in (sent, b"")
        self.tried["ignored syncs: two roots were sent of one size"] += is_contradicted
        if is_contradicted and not is_lost:
            raise Fault(f"{directory}: contradicted, though the newest note is of this tree")
        if size:
            table.hear(self.sent[size], source := self.random.choice(SOURCES))
            self.tried[f"ignored syncs: heard of it by the {source}"] += 1
        if is_lost != (ROLLED_BACK in table.alarms()):
            raise Fault(f"{directory}: entries {'' if is_lost else 'not '}lost, alarms {table.alarms()}")
        if not is_lost:
            self.tried["ignored syncs: nothing was lost that had a note"] += 1
            return
        notes, lines = len(table.notes), len(table.sent)
        table.deal("3h4d5c6h")
        table.order(orders.Void("x"))
        if len(table.notes) != notes or len(table.sent) <= lines:
            raise Fault(f"{directory}: after a rollback it signs on, or does not play on")
        given = table.begin_record()
        if not given.ok:
            raise Fault(f"{directory}: no record can be begun: {given}")
        if ROLLED_BACK in table.alarms():
            raise Fault(f"{directory}: another record has begun, and the alarm stays")
        self.tried["ignored syncs: said, and went on by another record"] += 1
        self.check_signs(directory, table)

    def check_signs(self, directory: Path, table: Restarted) -> None:
        """A shoe is opened, and each note of the record is of its tree."""
        before = len(table.notes)
        table.order(orders.OpenShoe())
        begun = table.table.shoe.device.record
        if begun is None or len(table.notes) == before:
            raise Fault(f"{directory}: nothing is signed")
        for stated in table.stated(parse_vkey(begun.key)):
            if table.root(begun.origin, stated.size) not in (stated.root, b""):
                raise Fault(f"{directory}: the note of size {stated.size} is of another tree")

    def contradicted(self, directory: Path, table: Restarted) -> bool:
        """Whether a note of the table has another root than one of its size that was sent before."""
        before = {size: parse_checkpoint(parse_note(note).text).root for size, note in self.sent.items()}
        try:
            stated = table.stated(device().key)
        except Refused as error:
            raise Fault(f"{directory}: {error}") from error
        return any(before.get(each.size, each.root) != each.root for each in stated)

    def restarted(self, directory: Path, key: Path) -> closing[Restarted]:
        """The table on these files."""
        return closing(Restarted(directory, key, self._loop))

    def written(self, files: dict[str, bytes]) -> Path:
        """A directory with these files."""
        directory = self._folder / f"state-{self.tried['states']}"
        directory.mkdir()
        for name, data in files.items():
            (directory / name).write_bytes(data)
        return directory

    def cursor(self, directory: Path) -> Cursor | None:
        """Leave how far the broker may have said that it has the journal; what a start reads of it."""
        if self.confirmed and self.random.random() < 0.7:
            last = [*self.confirmed][-1]
            known = [last if self.random.random() < 0.3 else self.random.choice([*self.confirmed]) for _ in range(2)]
            leave_cursor(directory / "cursor", [Cursor(*each) for each in known], self.random)
        return read_cursor(directory / "cursor")

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
    share = "the share of cuts that find a disk that ignored syncs (default %(default)s)"
    parser.add_argument("--ignoring", type=float, default=IGNORING, metavar="SHARE", help=share)
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else time.time_ns() % 1_000_000
    began = time.monotonic()
    states = CrashStates(asked.states, seed, asked.ignoring, is_shown=True)
    logging.disable()
    try:
        states.run()
    except Fault as fault:
        print(f"FAILED, seed {seed}: {fault}", file=sys.stderr)
        return 1
    for name, figure in states.tried.items():
        print(f"{figure:8} {name}")
    print(
        f"{time.monotonic() - began:8.1f} seconds, seed {seed}; no confirmed entry lost, no two contents, no two roots"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
