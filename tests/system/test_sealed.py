import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.facts.events import CardEvent, CardRevealed
from tests import broker as real
from tests.backend import Backend
from tests.broker import Broker
from tests.system.command import piped
from tests.system.table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures

# Talks as much as it can, and judges one card wrongly: with an error whose text spells it.
DAEMON = """
import logging, sys
import firmware_bridge.table.table as daemon
from firmware_bridge.cli import main, run
from firmware_bridge.facts.inputs import CardRead

set_up, decide, fault = run.set_up, daemon.decide, daemon.fault
WRONG, HOW = sys.argv[1].split(":")

def talkative():
    set_up()
    logging.getLogger().setLevel(logging.DEBUG)

def spell(shoe, told, *error):
    if isinstance(told, CardRead) and told.card.value == WRONG:
        secret = told.card.value
        raise ValueError(f"{secret} {told!r} {shoe!r}")
    return (fault if error else decide)(shoe, told, *error)

run.set_up = talkative
daemon.decide = spell
if HOW == "twice":
    daemon.fault = spell
sys.exit(main(sys.argv[2:]))
"""

UNIQUE = "Qh"
"""A face that occurs once in each script below, and that must not be told before its time."""


class Ears:
    """Hears everything a daemon emits: all topics, stderr, its control socket; and notes what it heard."""

    watcher: socket.socket | None = None
    told = b""

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
        self.watcher.settimeout(0.2)

    def heard(self) -> str:
        """Everything so far."""
        self.table.pause(0.3)
        assert self.watcher
        with contextlib.suppress(TimeoutError):
            while chunk := self.watcher.recv(65_536):
                self.told += chunk
        messages = [each.topic + each.raw.decode() for each in self.backend.received]
        if self.table.process and self.table.process.poll() is None:
            messages.append(json.dumps(self.table.ask(do="status")))
        return "\n".join([*messages, self.told.decode(), self.table.log])

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
    heard, nonces = ears.heard(), secrets(ears.table)
    assert nonces, "nothing was sealed: the test proves nothing"
    assert "CardDealt" in heard or "CardBurned" in heard
    for secret in (face, *nonces, "queen", "Card.Qh"):
        assert secret not in heard, f"{secret} in ..{heard[max(0, heard.index(secret) - 300) :][:400]}"


def tells(ears: Ears, face: str = UNIQUE) -> None:
    ears.backend.wait_until(lambda: any(face in each.raw.decode() for each in ears.backend.received))


def test_a_burned_card_is_sealed_until_the_shoe_has_ended(ears: Any) -> None:
    table = ears(burn="first-card")
    table.table.deal(f"2s {UNIQUE} 3s 9sTdTsTc cut 9hTcTdKs")
    table.backend.wait_until(lambda: "ShoeEnded" in str(table.backend.on("event")))
    burned = [each["event"] for each in table.backend.on("event") if each["event"]["type"] == "CardBurned"]
    before = str(table.backend.on("event")).split("ShoeEnded")[0]
    assert UNIQUE not in before
    assert [each.get("card") for each in burned] == ["2s", None, None]
    tells(table)


def test_a_burned_card_is_nowhere_while_the_shoe_is_played(ears: Any) -> None:
    table = ears(burn=2)
    table.table.deal(f"{UNIQUE} 3s 9sTdTsTc 2s")
    keeps_still(table)
    table.table.deal("cut 3d 4d 5d 6d 7d")
    tells(table)


COMMANDS = [
    ("status",),
    ("status", "--json"),
    ("journal", "list"),
    ("journal", "show"),
    ("journal", "show", "--json"),
    ("journal", "verify"),
    ("journal", "export", "1"),
    ("do", "next", "--by", "anna"),
]


def test_no_command_of_the_command_line_names_it(ears: Any) -> None:
    table = ears(procedure="six-card", burn=1)
    table.table.deal(f"3s 9s Td Ts Tc 2s {UNIQUE}")
    nonces = secrets(table.table)
    assert nonces
    for words in COMMANDS:
        ran = piped("", *words, "--config", table.table.config_path)
        assert ran.code == 0, (words, ran.err)
        assert not [secret for secret in (UNIQUE, "3s", *nonces) if secret in ran.out + ran.err], words
    keeps_still(table)


def test_a_carried_reserve_is_nowhere_until_its_round(ears: Any) -> None:
    table = ears(procedure="six-card", close="next")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    keeps_still(table)
    assert table.table.ask(do="next", by="dealer")["ok"]
    keeps_still(table)
    table.table.deal("4s")
    tells(table)


def test_a_carried_card_waits_for_the_bets(ears: Any) -> None:
    table = ears(procedure="six-card", close="auto", betting="required")
    assert table.table.ask(do="open_shoe", by="d")["ok"]
    assert table.table.ask(do="bets_closed", by="d")["ok"]
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    keeps_still(table)
    assert table.table.ask(do="bets_closed", by="d")["ok"]
    tells(table)


def test_a_carried_card_survives_a_kill_in_silence(ears: Any) -> None:
    table = ears(procedure="six-card")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    table.table.kill()
    table.table.start()
    table.watch()
    assert table.table.ask(do="next", by="dealer")["ok"]
    keeps_still(table)
    table.table.deal("4s")
    tells(table)


def test_a_card_too_many_is_sealed(ears: Any) -> None:
    table = ears(close="next")
    table.table.deal(f"9s Td Ts Tc {UNIQUE}")
    keeps_still(table)


def test_a_held_card_is_sealed(ears: Any) -> None:
    table = ears(close="next")
    table.table.deal("9s")
    table.table.board.fault("unreadable")
    table.table.deal(f"{UNIQUE} Td")
    assert "unreadable" in table.heard()
    keeps_still(table)


@pytest.mark.parametrize("order", [{"do": "status"}, {"do": "enter", "card": "??", "second": "b", "by": "a"}])
def test_no_answer_at_the_table_names_a_sealed_card(ears: Any, order: dict[str, str]) -> None:
    table = ears(procedure="six-card")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    assert UNIQUE not in str(table.table.ask(**order))
    keeps_still(table)


def test_a_fault_of_our_own_does_not_spell_the_card_it_failed_on(ears: Any) -> None:
    table = ears(f"{UNIQUE}:once")
    table.table.deal(f"9s {UNIQUE} 2s")
    heard = table.heard()
    assert "internal_error" in heard
    assert "internal error while judging CardRead: ValueError" in table.table.log
    keeps_still(table)


def test_neither_does_a_traceback_when_the_process_ends_by_it(ears: Any) -> None:
    table = ears(f"{UNIQUE}:twice", burn=2)
    table.table.deal("2s 3s 9s")
    table.backend.wait_until(lambda: "CardDealt" in str(table.backend.on("event")))
    table.table.pull(UNIQUE)
    assert table.table.fallen() == 1
    heard = table.heard()
    assert "ValueError" in table.table.log
    assert "in spell" in table.table.log
    keeps_still(table, "3s")
    assert UNIQUE not in heard
