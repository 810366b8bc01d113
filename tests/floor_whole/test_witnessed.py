"""A house whose table is witnessed by `shoe-floor witness` itself, as processes that are killed and started again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from firmware_bridge.floor import serving
from firmware_bridge.floor.witness.config import load
from firmware_bridge.floor.witness.keys import load as load_key
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from firmware_bridge.record.verify import Key
from tests.floor import real_house
from tests.floor.real_house import RealHouse, alarms, copied
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import free_port
from tests.kit.patience import HANG_S, until
from tests.kit.process import python, ran

brokers, house, thief = real.brokers, real_house.house, real_house.thief  # fixtures


class Service:
    """A witness as a process, of a log; `start` starts it again with what it has kept."""

    def __init__(self, folder: Path, number: int, log: Key) -> None:
        self.port, self._toml = free_port(), folder / f"w{number}.toml"
        self._log = folder / f"w{number}.log"
        key = folder / f"w{number}.key"
        self._run("key", "new", "--file", str(key))
        section = f'[witness]\nname = "w{number}.example/1"\nlisten = "127.0.0.1:{self.port}"\nkey_file = "{key}"\n'
        section += f'path = "{folder / f"w{number}.db"}"\n'
        self._toml.write_text(f'{section}[[log]]\nvkey = "{log.vkey}"\n')
        self.key = load_key(load(self._toml).witness.name, key).key
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = python("-m", "firmware_bridge.floor", "witness", "--config", self._toml, stderr=log)
        until(self._answers, story=self._log.read_text)

    def _answers(self) -> bool:
        with suppress(OSError):
            return bool(self.ask("GET", "/"))
        return False

    def ask(self, method: str, path: str, body: bytes = b"") -> int:
        """The status of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=HANG_S)
        try:
            connection.request(method, path, body)
            return connection.getresponse().status
        finally:
            connection.close()

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process = None

    def evidence(self) -> int:
        """The exit code of `shoe-floor witness evidence`: 1 where there is any."""
        return self._run("evidence", "--config", str(self._toml))

    def _run(self, *words: str) -> int:
        return ran("-m", "firmware_bridge.floor", "witness", *words).returncode


@pytest.fixture
def witnesses(house: RealHouse) -> Iterator[list[Service]]:
    """Three witnesses of the house's table, which knows them."""
    log = house.begin()
    made = [Service(house.folder, number, log) for number in (1, 2, 3)]
    house.witnessed_by(*((each.key, each.url) for each in made))
    yield made
    for each in made:
        each.kill()


def test_rounds_are_witnessed_through_the_end_of_one_witness(house: RealHouse, witnesses: list[Service]) -> None:
    house.open()
    house.until(lambda: house.asked("select proof from rounds") == [("witnessed",)] * 2)
    house.until(lambda: house.table.process and house.witnessed() >= 10)
    witnesses[0].kill()
    house.play()
    house.until(lambda: house.asked("select proof from rounds") == [("witnessed",)] * 3)
    witnesses[1].kill()  # below the quorum: rounds are signed, and nothing stops
    house.play()
    house.until(lambda: [proof for (proof,) in house.asked("select proof from rounds")].count("signed") == 1)
    witnesses[1].start()
    house.until(lambda: house.asked("select proof from rounds") == [("witnessed",)] * 4)
    assert house.kinds() == set()
    assert [each.evidence() for each in witnesses] == [0, 0, 0]


def test_a_history_that_a_witness_has_not_seen_first_is_refused_and_kept(
    house: RealHouse, witnesses: list[Service]
) -> None:
    """Whoever has the table's key signs another history of as many entries as a witness saw, and more."""
    house.open()
    house.until(lambda: house.witnessed() >= 10)
    [(origin, size)] = house.asked("select origin, size from log")
    key = signer(origin, house.table.key_file.read_bytes())
    for count, status in ((size, 422), (size + 5, 422), (size - 3, 409)):
        note = signed_note(checkpoint_text(origin, count, bytes(32)), [key])
        old = min(count, size)
        found = [each.ask("POST", "/add-checkpoint", f"old {old}\n\n{note}".encode()) for each in witnesses]
        assert found == [status] * 3
    assert [each.evidence() for each in witnesses] == [1, 1, 1]


def test_a_copied_card_that_was_witnessed_stops_the_table_that_comes_back(
    house: RealHouse, witnesses: list[Service], thief: Backend
) -> None:
    house.open()
    house.table.stop()
    with copied(house) as copy:
        house.play(table=copy)
        house.until(lambda: house.asked("select proof from rounds") == [("witnessed",)] * 3)
        copy.stop()
    house.table.start()
    house.until(lambda: "record_rolled_back" in alarms(thief))
    house.incident("two_heads")


def test_of_too_many_addresses_the_one_that_asked_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ADDRESSES", 2)
    rate = serving.Rate(1, lambda: 0.0)

    def taken(address: str) -> int:
        return sum(rate.takes(address) for _ in range(serving.BURST_S + 1))

    assert [taken(address) for address in ("a", "b", "a", "c", "c", "a", "b")] == [5, 5, 0, 5, 0, 0, 5]
