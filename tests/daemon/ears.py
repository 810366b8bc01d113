"""Hears everything that a daemon emits, and whether a card that is secret is named in it."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.facts.events import CardEvent, CardRevealed
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import Patience
from tests.kit.wire import without_signatures

# Talks as much as it can, and judges one card wrongly: with an error whose text spells it.
DAEMON = """
import logging, sys
import firmware_bridge.daemon.table.look_ahead as ahead
import firmware_bridge.daemon.table.table as daemon
from firmware_bridge.cli import main, run
from firmware_bridge.facts.inputs import CardRead

set_up = run.set_up
WRONG, HOW = sys.argv[1].split(":")

def talkative():
    set_up()
    logging.getLogger().setLevel(logging.DEBUG)

def spelling(judge):
    def spell(shoe, told, *error):
        if isinstance(told, CardRead) and told.card.value == WRONG:
            secret = told.card.value
            raise ValueError(f"{secret} {told!r} {shoe!r}")
        return judge(shoe, told, *error)
    return spell

run.set_up = talkative
daemon.decide = ahead.decide = spelling(daemon.decide)
if HOW == "twice":
    daemon.fault = spelling(daemon.fault)
sys.exit(main(sys.argv[2:]))
"""

UNIQUE = "Qh"
"""A face that occurs once in each script below, and that must not be told before its time."""


class Ears:
    """Hears everything a daemon emits: all topics, stderr, its control socket; and notes what it heard."""

    watcher: socket.socket | None = None
    watched = b""

    def __init__(self, folder: Path, broker: Broker, wrong: str = "-:-", **table: Any) -> None:
        self.backend = Backend(broker.port, "#")
        self.table = DaemonTable(folder, broker.port, table=table)
        self.table.code = ("-c", DAEMON, wrong)
        self.backend.meanwhile = lambda: self.table.pause(0.005)
        self.table.start()
        self.watch()

    def watch(self) -> None:
        """Ask the daemon for its status, now and whenever it changes."""
        if self.watcher:
            self.watcher.close()
        self.watcher = self.table.control()
        self.watcher.sendall(b'{"do":"watch"}\n')

    def restart(self) -> None:
        """Kill the daemon and start it again, until the new one has said how the table stands."""
        boot = self.backend.wait_until(lambda: self.backend.on("status"))[-1]["boot"]
        self.table.kill()
        self.table.start()
        self.watch()
        self.backend.wait_until(lambda: self.backend.on("status")[-1]["boot"] != boot)
        self.backend.wait_until(lambda: [each for each in self.backend.on("table") if each["boot"] != boot])

    def heard(self) -> str:
        """Everything so far."""
        self.table.pause(0.3)
        assert self.watcher
        while select.select([self.watcher], [], [], 0.2)[0] and (chunk := self.watcher.recv(65_536)):
            self.watched += chunk
        messages = [each.topic + each.raw.decode() for each in self.backend.received]
        if self.table.process and self.table.process.poll() is None:
            messages.append(json.dumps(self.table.ask(do="status")))
        return without_signatures("\n".join([*messages, self.watched.decode(), self.table.log]))

    def close(self) -> None:
        if self.watcher:
            self.watcher.close()
        self.table.close()
        self.backend.close()


@pytest.fixture
def ears(tmp_path: Path, broker: Broker) -> Iterator[Callable[..., Ears]]:
    made: list[Ears] = []

    def make(wrong: str = "-:-", **table: Any) -> Ears:
        made.append(Ears(tmp_path, broker, wrong, **table))
        return made[-1]

    yield make
    for each in made:
        each.close()


def secrets(table: DaemonTable) -> list[str]:
    """The nonces of what is still sealed: with its commitment, one names a card after 52 guesses."""
    facts = [
        (line.public.seq, n, event)
        for line in table.lines()
        if line.entry
        for n, event in enumerate(line.entry.events, 1)
    ]
    revealed = {(event.seq, event.n) for _, _, event in facts if isinstance(event, CardRevealed)}
    return [
        event.secret.nonce
        for seq, n, event in facts
        if isinstance(event, CardEvent) and event.secret and (seq, n) not in revealed
    ]


def keeps_still(ears: Ears, face: str = UNIQUE) -> None:
    patience, heard = Patience(), ""
    while not ("CardDealt" in heard or "CardBurned" in heard):
        assert not patience.is_over, "no card was heard of: the test proves nothing"
        heard, nonces = ears.heard(), secrets(ears.table)
    assert nonces, "nothing was sealed: the test proves nothing"
    for secret in (face, *nonces, "queen", "Card.Qh"):
        assert secret not in heard, f"{secret} in ..{heard[max(0, heard.index(secret) - 300) :][:400]}"


def tells(ears: Ears, face: str = UNIQUE) -> None:
    ears.backend.wait_until(lambda: any(face in each.raw.decode() for each in ears.backend.received))
