"""What else goes wrong at a table while its daemon is killed: broker, reader, cable, a curious backend."""

from collections import Counter
from contextlib import suppress
from random import Random

from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import Table

NOISE = 0.01
"""Chance per byte to be flipped, and to be dropped."""


class Mischief:
    """Something goes wrong, or becomes well again, at each `strike`; `done` counts what."""

    def __init__(self, random: Random, broker: Broker, table: Table, backend: Backend, done: Counter[str]) -> None:
        self.broker_is = "up"
        self.done = done
        self._random, self._broker, self._table, self._backend = random, broker, table, backend

    def strike(self) -> None:
        """Perhaps change the broker, the reader's plug, the cable; perhaps ask for something again."""
        self._change_broker()
        if not self._table.pty.plugged:
            self._table.pty.replug()
        elif self._random.random() < 0.1:
            self._table.pty.unplug()
            self.done["unplugged"] += 1
        self._noise(NOISE if self._random.random() < 0.15 else 0.0)
        if self.broker_is == "up" and self._random.random() < 0.15:
            self._ask_again()

    def end(self) -> None:
        """Everything works again."""
        self._broker_up()
        self._noise(0.0)
        self._table.pty.replug()

    def _change_broker(self) -> None:
        chance = self._random.random()
        if self.broker_is == "frozen" and chance < 0.3:
            # What it had not read yet is gone with its sockets.
            self._broker.stop()
            self.broker_is = "stopped"
        elif self.broker_is != "up":
            if chance < 0.7:
                self._broker_up()
        elif chance < 0.12:
            self._broker.stop()
            self.broker_is = "stopped"
        elif chance < 0.27:
            self._broker.pause()
            self.broker_is = "frozen"
        else:
            return
        self.done[f"times the broker was {self.broker_is}"] += 1

    def _broker_up(self) -> None:
        if self.broker_is == "stopped":
            self._broker.start()
        elif self.broker_is == "frozen":
            self._broker.resume()
        self.broker_is = "up"

    def _noise(self, chance: float) -> None:
        for cable in (self._table.up_cable, self._table.down_cable):
            cable.flipped = cable.dropped = chance
        self.done["noisy cables"] += chance > 0

    def _ask_again(self) -> None:
        """The backend wants a part of the newest journal it knows once more, if the daemon lives to hear of it."""
        if events := self._backend.on("event"):
            self.done["resends asked for"] += 1
            order = {"id": str(self.done["resends asked for"]), "do": "resend", "journal": events[-1]["journal"]}
            with suppress(RuntimeError):  # the backend itself is not back at the broker yet
                self._backend.publish("shoe/T07/command", order | {"from": self._random.randint(1, 20)})
