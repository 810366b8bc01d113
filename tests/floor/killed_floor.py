"""A floor of one table whose daemon, broker, ingest and database are killed one by one, and started again."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from firmware_bridge.floor.record.message import now
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files
from tests.floor.ingesting import Ingest
from tests.floor.killed_database import BUSY_S, Database, SqliteFile
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.soak.shuffled import Dealer

VICTIMS: Final = ("daemon", "broker", "ingest", "database")

MAX_MB: Final = 1
"""Megabytes of journals that the table keeps: those before go while the run lasts, once they are stored."""

SETTLED_S: Final = 900.0
"""Longer than the longest back-off: what waits for it comes then."""

PACE_S: Final = 0.02

RESTART_S: Final = 1.0
"""How long a fallen ingest waits for its next start."""


class KilledFloor:
    """All parts in `folder`, dead until `revive`. `done` counts; `expired`: journal -> when it was found gone.

    run: how many runs worked on this folder before: the reader is another one then.
    """

    def __init__(self, folder: Path, database: Database, random: Random, done: Counter[str], run: int = 0) -> None:
        self.folder, self.database, self.random, self.done = folder, database, random, done
        self.expired: dict[str, str] = {}
        self.archive = folder / "archive"
        self.archive.mkdir(exist_ok=True)
        self.broker = Broker(folder, persistence=True)
        keep = {"dir": str(folder / "journal"), "max_mb": MAX_MB}
        self._sections = {"journal": keep, "mqtt": {"stored": "floor"}}
        self.table = DaemonTable(folder, self.broker.port, **self._sections)
        if run:
            self.table.board.reset(run + 1)
        self.ingest = Ingest(folder, self.broker.port, batch=500, store=database.lines)
        self.table.execute = self.ingest.execute = True  # what a run leaves behind is found by its words
        self.dealer = Dealer(random, self.table)
        self._alive: set[str] = set()
        self._restart = 0.0

    def is_alive(self, name: str) -> bool:
        """Whether it was started and not killed since."""
        return name in self._alive

    @property
    def living(self) -> list[str]:
        """Who can be killed."""
        return [name for name in VICTIMS if name in self._alive]

    def kill(self, name: str) -> None:
        """Kill -9."""
        self._alive.discard(name)
        match name:
            case "daemon":
                self.table.kill()
            case "broker":
                self.broker.kill()
                self._forget()
            case "ingest":
                self.ingest.end()
                self._alive -= {"database"} if isinstance(self.database, SqliteFile) else set()
            case "database":
                self.database.kill(self)

    def revive(self, name: str) -> None:
        """Start it where it does not live."""
        if name in self._alive:
            return
        match name:
            case "daemon":
                self.table.start()
            case "broker":
                self.broker.start()
            case "ingest":
                self.ingest.start()
                self._alive |= {"database"} if isinstance(self.database, SqliteFile) else set()
            case "database":
                self.database.start(self)
        self._alive.add(name)

    def work(self, name: str) -> None:
        """Deal until the victim is most likely in the middle of something; some are killed while they start."""
        if self.random.random() < 0.25:
            return self.deal(self.random.uniform(0, 0.5))
        at_work = self._progress(name)
        self.deal(BUSY_S if at_work else 1.0, at_work)
        return self.deal(self.random.uniform(0, 0.3))

    def restart_fallen(self) -> None:
        """Start an ingest again that found no database when it started, as systemd does."""
        process = self.ingest.process
        if not self.is_alive("ingest") or process is None or process.poll() is None:
            return
        assert process.returncode == 1, f"the ingest ended with {process.returncode}\n{self.ingest.log}"
        if time.monotonic() > self._restart:
            self.done["ingests that found no database"] += 1
            self._restart = time.monotonic() + RESTART_S
            self.ingest.end()
            self.ingest.start()

    def deal(self, seconds: float, until: Callable[[], bool] | None = None) -> None:
        """Draw cards for so long, or until something is so."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up and not self.dealer.between_shoes and not (until and until()):
            self.dealer.draw()
            self.restart_fallen()
            self.table.pause(self.random.uniform(0, 2 * PACE_S))

    def spin(self, condition: Callable[[], bool], limit_s: float) -> bool:
        """Deal and look again as often as can be; whether it became so."""
        give_up, next_card = time.monotonic() + limit_s, 0.0

        async def spun() -> bool:
            nonlocal next_card
            while not condition():
                if (at := time.monotonic()) > give_up or self.dealer.between_shoes:
                    return False
                if at > next_card:
                    self.dealer.draw()
                    next_card = at + PACE_S
                await asyncio.sleep(0)
            return True

        return self.table.loop.run_until_complete(spun())

    def next_shoe(self) -> None:
        """Let the last card of a shoe reach the disk, then start with the settings of the next one."""
        self.revive("daemon")
        self.table.until(lambda: not self.table.board.waiting)
        self.keep_journals()
        self.table.kill()
        self._alive.discard("daemon")
        self.table.configure(table=self.dealer.new_shoe(), **self._sections)
        self.revive("daemon")

    def finish_shoe(self) -> None:
        """Deal the present shoe to its end."""
        self.revive("daemon")
        while not self.dealer.between_shoes:
            self.deal(1.0)

    def end_shoe_by_order(self) -> None:
        """Let the floor end the shoe that was open when a run was ended by force."""
        self.revive("daemon")
        self.table.control().close()
        for do in ("void", "close_shoe"):
            self.table.ask(id=f"{do} at {now()}", do=do, by="floor", why="the run was broken off")
        state = self.table.ask(do="status")["table"]
        assert state["phase"] in ("ended", "empty"), f"the floor cannot end the shoe: {state}"
        self.table.stop()
        self._alive.discard("daemon")
        self.keep_journals()

    def settle(self) -> None:
        """Everything works again: wait until the table knows that all is stored, also after its end."""
        for name in VICTIMS:
            self.revive(name)
        self.table.until(lambda: not self.table.board.waiting, SETTLED_S)
        while True:
            self.table.until(self.is_stored, SETTLED_S)
            self.keep_journals()
            code = self.table.stop()
            assert code == 0, f"the daemon ended with {code}"
            self._alive.discard("daemon")
            if self.is_stored():
                return
            self.revive("daemon")

    def is_stored(self) -> bool:
        """Whether the table has been told that its last entry is stored."""
        self.restart_fallen()
        last = self.table.last_line().public
        return read_cursor(self.table.journal_dir / "cursor") == (last.journal, last.seq)

    def keep_journals(self) -> None:
        """Keep a second name of each journal, and note which of them the table deleted."""
        present = journal_files(self.table.journal_dir)
        for path in present:
            kept = self.archive / path.name
            if not kept.exists():
                kept.hardlink_to(path)
        for path in journal_files(self.archive):
            if path not in {self.archive / each.name for each in present}:
                self.expired.setdefault(path.name, now())

    def close(self) -> None:
        """Put everything away."""
        self.table.close()
        self.ingest.end()
        self.database.close()
        self.broker.kill()

    def _forget(self) -> None:
        """Half of the brokers come back without a memory: their disk was lost too."""
        if self.random.random() < 0.5:
            (self.folder / "mosquitto.db").unlink(missing_ok=True)
            self.done["brokers that forgot everything"] += 1

    def _progress(self, name: str) -> Callable[[], bool] | None:
        """What tells that a victim worked since now; None where it cannot for lack of another."""
        if name == "daemon":
            read = self.table.board.acknowledged
            return lambda: self.table.board.acknowledged > read
        if set(self.living) != set(VICTIMS):
            return None
        path = self.table.journal_dir / "cursor"
        before = read_cursor(path)
        return lambda: read_cursor(path) != before
