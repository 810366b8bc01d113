"""The soak: a table dealt without pause while its daemon is killed, its broker stopped, its reader unplugged."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from math import inf
from pathlib import Path
from random import Random

from firmware_bridge.games import GAMES
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import Patience
from tests.soak.account import Account
from tests.soak.killed_at import KILLED_AT, POINTS, RARE
from tests.soak.killed_table import KilledTable
from tests.soak.mischief import Mischief
from tests.soak.shuffled import Dealer
from tests.soak.soak_of_games import SoakOfGame

PACE_S = 0.02
LATEST = 12
"""The last call of a kind at which a daemon ends itself."""

AHEAD = 3
"""Cards that lie before a daemon that ends itself: the shoe is not to end before it."""

PROGRESS = 50
"""Kills between two lines that say how far it is."""


class Soak(KilledTable):
    """One run: all chances from `seed`."""

    dealer: Dealer

    def __init__(self, folder: Path, kills: int, seed: int, minutes: float = inf) -> None:
        super().__init__(folder, kills, Random(seed), minutes)
        self.point = ""
        self.dealer = Dealer(self.random, self.table)
        self.mischief = Mischief(self.random, self.broker, self.table, self.backend, self.done)

    def run(self) -> Account:
        """Deal and kill; then let everything settle, and take account."""
        self.next_shoe()
        while self.goes_on:
            if self.dealer.between_shoes:
                self.next_shoe()
            self.work_a_while()
            self.kill()
            self.start()
            if self.done["kills"] % PROGRESS == 0:
                print(f"{self.done['kills']:8} kills of {self.kills} so far", flush=True)
        self.mischief.end()
        self.disarm()
        return self.settled()

    def start(self) -> None:
        """Start the daemon; half of them end themselves between signing and publishing."""
        self.point = self.random.choice(POINTS) if self.random.random() < 0.5 else ""
        self.table.code = ("-m", "tests.soak.killed_at") if self.point else DaemonTable.code
        last = 3 if self.point in RARE else LATEST
        root = str(Path(__file__).parents[2])
        self.table.start(**{KILLED_AT: f"{self.point}:{self.random.randint(1, last)}", "PYTHONPATH": root})

    def work_a_while(self) -> None:
        """Deal while the daemon lives: most die soon after their first card, some while they start, a few late.

        A life is as long as the time that the machine gives: each is at the same work when it ends, also on a busy one.
        """
        life, first = Patience(), self.table.board.acknowledged
        kind = "armed" if self.point else self.random.choices(["working", "starting", "old"], [80, 15, 5])[0]
        end = {"working": 3.0, "starting": self.random.uniform(0, 0.4), "old": 5.0, "armed": 5.0}[kind]
        trouble = self.random.uniform(0, 0.3)
        while (at := life.seconds - life.left) < end and not self.dealer.between_shoes and self.lives:
            if kind != "armed" or self.table.board.waiting < AHEAD:
                self.dealer.draw()
            self.table.pause(self.random.uniform(0, 2 * PACE_S))
            if at > trouble:
                self.mischief.strike()
                trouble += self.random.uniform(0.5, 2.5)
            if kind == "working" and self.table.board.acknowledged > first:
                kind, end = "dying", at + self.random.uniform(0, 0.3)

    def kill(self) -> None:
        """End the daemon where it stands."""
        self.check_ended()
        super().kill()
        self.done[f"kills with the broker {self.mischief.broker_is}"] += 1
        if not self.table.pty.plugged:
            self.done["kills with the reader unplugged"] += 1

    def disarm(self) -> None:
        """Let a daemon live that ends only by a signal of ours."""
        if self.point or not self.lives:
            self.check_ended()
            self.table.kill()
            self.point, self.table.code = "", DaemonTable.code
            self.table.start()

    def next_shoe(self) -> None:
        """Let the last card of a shoe reach the disk, then start with the settings of the next one."""
        self.table.pty.replug()
        if self.table.process:
            self.disarm()
            self.table.until(lambda: not self.table.board.waiting)
            self.kill()
        self.table.configure(table=self.dealer.new_shoe())
        self.disarm()

    def check_ended(self) -> None:
        """Where the daemon has ended by itself: it was armed, or it fell."""
        if self.table.process and (code := self.table.process.poll()) is not None:
            is_armed = bool(self.point) and code == -signal.SIGKILL
            self.done[f"kills at the point {self.point}"] += is_armed
            self.check_exit(0 if is_armed else code or 1)


def main() -> int:
    """Run as asked on the command line; 1 if anything was lost, doubled or reordered."""
    parser = argparse.ArgumentParser(prog="scripts/soak")
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M", help="the longest it may take")
    parser.add_argument("--game", choices=[name for name in GAMES if GAMES[name].play.words], help="one with seats")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else time.time_ns() % 1_000_000
    folder = Path(tempfile.mkdtemp(prefix="soak"))
    began = time.monotonic()
    limits = asked.kills, seed, asked.minutes
    soak = SoakOfGame(folder, asked.game, *limits) if asked.game else Soak(folder, *limits)
    try:
        account = soak.run()
    except BaseException:
        print(f"soak: seed {seed}, {dict(soak.done)}: broken off, see {folder}", file=sys.stderr)
        raise
    finally:
        soak.close()
    figures = soak.done | {"shoes": soak.dealer.shoes} | account.figures
    for name, figure in figures.items():
        print(f"{figure:8} {name}")
    print(f"{time.monotonic() - began:8.1f} seconds, seed {seed}")
    if account.faults or soak.done["kills"] < asked.kills:
        print("\n".join([*account.faults[:20], f"FAILED; see {folder}"]), file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
