"""The soak of a game with seats: cards, bets and marks while the daemon is killed, often in the middle of one."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import Card
from tests.kit.guests import SAME, Guests
from tests.kit.patience import HANG_S, Patience
from tests.soak.account import Account
from tests.soak.killed_table import SETTLED_S, KilledTable


class SoakOfGame(KilledTable):
    """One run: all chances from `seed`."""

    dealer: Guests

    def __init__(self, folder: Path, game: str, kills: int, seed: int, minutes: float = inf) -> None:
        random = Random(seed)
        self.dealer = Guests(game, random)
        super().__init__(folder, kills, random, minutes, table=self.dealer.settings)
        self.orders, self.differences = 0, list[str]()

    def run(self) -> Account:
        """Play and kill; then let everything settle, and take account."""
        while self.goes_on:
            self.live()
        self.table.start()
        self.compare()
        account = self.settled()
        account.faults += [f"the table says otherwise: {each}" for each in self.differences]
        return account

    def live(self) -> None:
        """A daemon's life: it begins where the last one was killed, and is killed while something happens."""
        self.table.start()
        self.table.control().close()
        self.compare()
        process = self.table.process
        assert process
        killer = threading.Timer(self.random.uniform(0.01, 0.6), process.kill)
        killer.start()
        while process.poll() is None:
            what = self.dealer.next()
            if isinstance(what, Card):
                self.draw(what)
            else:
                self.give(what)
        killer.cancel()
        self.kill()

    def draw(self, card: Card) -> None:
        """Pull a card; the board keeps it until a daemon has it on disk."""
        self.table.board.pull(native_code(card))
        self.table.pty.tick()
        self.done["cards"] += 1
        self.finish(lambda: not self.table.board.waiting)

    def give(self, order: dict[str, Any]) -> None:
        """Give an order until it is answered: the same one, so that it acts once."""
        self.orders += 1
        self.done[order["do"]] += 1
        request = {"id": f"soak-{self.orders}", "by": "soak", **order}
        answers: list[dict[str, Any]] = []

        def answered() -> bool:
            with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as control:
                control.settimeout(HANG_S)
                with socket_address(self.table.journal_dir / "control.sock") as address:
                    control.connect(address)
                control.sendall(json.dumps(request).encode() + b"\n")
                answers.append(json.loads(control.makefile().readline()))
            return bool(answers)

        self.finish(answered)
        assert answers[0]["ok"], (request, answers[0])

    def finish(self, is_done: Any) -> None:
        """Wait until it is done; a daemon that was killed meanwhile is started again."""
        patience = Patience(SETTLED_S)
        while not is_done():
            assert not patience.is_over, self.table.story()
            if not self.lives:
                self.done["kills in the middle"] += 1
                self.table.kill()
                self.table.start()
                self.table.control().close()
            self.table.pause(0.005)

    def compare(self) -> None:
        """The daemon asks what the rule book asks: the same slot, the same question."""
        status = self.table.ask(do="status")["table"]
        ours, theirs = self.dealer.expected(), {name: status.get(name) for name in SAME}
        if ours != theirs and self.done["cards"]:
            self.differences.append(f"{theirs} instead of {ours}")
        self.done["comparisons"] += 1
