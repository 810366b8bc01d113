"""The soak: a table dealt without pause while its daemon is killed, its broker stopped, its reader unplugged."""

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from firmware_bridge.cards import FACES, Card
from firmware_bridge.codes import NATIVE_CUT_CARD, native_code
from firmware_bridge.house import House
from firmware_bridge.journal import Place, journal_files, read_lines
from firmware_bridge.messages import messages
from firmware_bridge.replay import Replay
from firmware_bridge.script import Cut, Drawn, NewShoe, Step
from firmware_bridge.uplink import LOST_AFTER_S
from tests.backend import Backend
from tests.broker import Broker
from tests.system.account import Account
from tests.system.table import ROOM, DaemonTable

PACE_S = 0.02
SETTLED_S = 120.0
BEHIND_CUT = 13
"""Cards at least behind the cut card (baccarat.md, 4): enough for the last round."""


class Dealer:
    """Draws shuffled shoes to their end, and plays each by the rule book beside the bridge."""

    def __init__(self, random: Random, table: DaemonTable) -> None:
        self.drawn: list[Card] = []
        self.rounds: list[dict[str, Any]] = []
        self.shoes = 0
        self._random, self._table = random, table
        self._steps: list[Step] = []

    @property
    def between_shoes(self) -> bool:
        """Whether the next card would open a shoe."""
        return not self._steps

    def new_shoe(self) -> dict[str, Any]:
        """Shuffle; the settings the table must be given before the next card."""
        settings: dict[str, Any] = {
            "procedure": self._random.choice(["on-demand", "six-card"]),
            "burn": self._random.choice(["first-card", "none", 3]),
            "after_cut": self._random.choice(["finish", "one-more"]),
            "close": "auto",
            "decks": self._random.choice([1, 8, 8, 8]),
        }
        faces = [*FACES] * settings["decks"]
        self._random.shuffle(faces)
        self._steps = [Drawn(face) for face in faces]
        self._steps.insert(self._random.randrange(20, min(len(faces) - BEHIND_CUT, 150)), Cut())
        self._book = Replay(House(**settings, new_shoe="auto"), "T07", print)
        self._play(NewShoe())
        self.shoes += 1
        return settings | {"new_shoe": "auto"}

    def draw(self) -> None:
        """Draw what lies on top, unless the board is full."""
        if self.between_shoes or self._table.board.waiting >= ROOM:
            return
        step = self._steps.pop(0)
        if isinstance(step, Drawn) and step.card:
            self.drawn.append(step.card)
            self._table.board.pull(native_code(step.card))
        else:
            self._table.board.pull(NATIVE_CUT_CARD)
        self._table.pty.tick()
        self._play(step)

    def _play(self, step: Step) -> None:
        for line in self._book.play([step]):
            self.rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]
        if self._book.shoe.status == "ended":
            self._steps = []


class Soak:
    """One run: `kills` ends of the daemon within `minutes` at most, all chances from `seed`."""

    def __init__(self, folder: Path, kills: int, seed: int, minutes: float) -> None:
        self.kills, self.give_up = kills, time.monotonic() + 60 * minutes
        self.done: Counter[str] = Counter()
        self.random = Random(seed)
        self.broker = Broker(folder, persistence=True, options="max_queued_messages 0\nmax_inflight_messages 100")
        self.broker.start()
        self.broker_is = "up"
        self.subscriber = Backend(self.broker.port)
        self.table = DaemonTable(folder, self.broker.port)
        self.dealer = Dealer(self.random, self.table)

    def run(self) -> Account:
        """Deal and kill; then let everything settle, and take account."""
        self.next_shoe()
        while self.done["kills"] < self.kills and time.monotonic() < self.give_up:
            if self.dealer.between_shoes:
                self.next_shoe()
            self.work_a_while()
            self.kill()
            self.table.start()
            self.trouble()
        self.settle()
        account = Account(self.table.lines(), self.subscriber.received, self.dealer.drawn, self.dealer.rounds)
        if self.done["daemons that fell"] or "Traceback" in self.table.log:
            account.faults.append("a daemon fell: see its stderr")
        return account

    def work_a_while(self) -> None:
        """Deal until the daemon takes cards and a moment longer; now and then kill it while it starts."""
        table = self.table
        acknowledged, started = table.board.acknowledged, time.monotonic()
        starting = self.random.random() < 0.2
        limit = started + (self.random.uniform(0, 0.4) if starting else 3.0)
        if self.broker_is != "up" and self.random.random() < 0.05:
            starting, limit = True, started + LOST_AFTER_S + 1
            self.done["long outages"] += 1
        while time.monotonic() < limit and not self.dealer.between_shoes:
            self.dealer.draw()
            table.pause(self.random.uniform(0, 2 * PACE_S))
            if not starting and table.board.acknowledged > acknowledged:
                starting, limit = True, time.monotonic() + self.random.uniform(0, 0.3)

    def kill(self) -> None:
        """End the daemon where it stands."""
        if self.table.process and (code := self.table.process.poll()) is not None:
            self.check_exit(code or 1)
        self.table.kill()
        self.done["kills"] += 1
        self.done[f"kills with the broker {self.broker_is}"] += 1
        if not self.table.pty.plugged:
            self.done["kills with the reader unplugged"] += 1

    def trouble(self) -> None:
        """Something else goes wrong, or becomes well again."""
        chance = self.random.random()
        if self.broker_is != "up":
            if chance < 0.4:
                self.broker_up()
        elif chance < 0.08:
            self.broker.stop()
            self.broker_is = "stopped"
        elif chance < 0.16:
            self.broker.pause()
            self.broker_is = "frozen"
        if not self.table.pty.plugged:
            self.table.pty.replug()
        elif self.random.random() < 0.1:
            self.table.pty.unplug()
            self.done["unplugged"] += 1
        noise = 0.01 if self.random.random() < 0.15 else 0.0
        for cable in (self.table.pty.up, self.table.pty.down):
            cable.flipped = cable.dropped = noise
        self.done["noisy cables"] += noise > 0
        if self.broker_is == "up" and self.random.random() < 0.15:
            self.ask_again()

    def ask_again(self) -> None:
        """The backend wants a part of the newest journal it knows once more (if the daemon lives to hear of it)."""
        if events := self.subscriber.on("event"):
            self.done["resends asked for"] += 1
            order = {"id": str(self.done["resends asked for"]), "do": "resend", "journal": events[-1]["journal"]}
            with suppress(RuntimeError):  # the backend itself is not back at the broker yet
                self.subscriber.publish("shoe/T07/command", order | {"from": self.random.randint(1, 20)})

    def broker_up(self) -> None:
        """The broker works again."""
        if self.broker_is == "stopped":
            self.broker.start()
        elif self.broker_is == "frozen":
            self.broker.resume()
        self.broker_is = "up"

    def next_shoe(self) -> None:
        """Let the last card of a shoe reach the disk, then start with the settings of the next one."""
        self.table.pty.replug()
        if self.table.process:
            self.table.until(lambda: not self.table.board.waiting)
            self.kill()
        self.table.configure(table=self.dealer.new_shoe())
        self.table.start()

    def settle(self) -> None:
        """Everything works again: wait until the subscriber has the end of the journal."""
        self.broker_up()
        self.table.pty.replug()
        self.table.until(lambda: not self.table.board.waiting, SETTLED_S)
        while True:
            self.table.until(self.delivered, SETTLED_S)
            self.check_exit(self.table.stop())
            if self.delivered():
                return
            self.table.start()

    def delivered(self) -> bool:
        """Whether the subscriber has the last message of the journal."""
        for line, _ in read_lines(Place(journal_files(self.table.journal_dir)[-1], 0)):
            last = messages(line)[-1].payload
        return any(each.raw == last for each in self.subscriber.received[-200:])

    def check_exit(self, code: int) -> None:
        """A daemon that was not killed ends with 0, or by a SIGTERM that came before it could listen to one."""
        self.done["daemons that fell"] += code not in (0, -signal.SIGTERM)

    def close(self) -> None:
        """Put everything away."""
        self.table.close()
        self.subscriber.close()
        self.broker.kill()


def main() -> int:
    """Run as asked on the command line; 1 if anything was lost, doubled or reordered."""
    parser = argparse.ArgumentParser(prog="scripts/soak")
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M", help="the longest it may take")
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else time.time_ns() % 1_000_000
    folder = Path(tempfile.mkdtemp(prefix="soak"))
    began = time.monotonic()
    soak = Soak(folder, asked.kills, seed, asked.minutes)
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
