"""A reader and a keypad whose ports open and die: one irregularity with a count, and a journal and log with a bound."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec
import pytest

from firmware_bridge.cli.watch.machine import machine
from firmware_bridge.config.load import load
from firmware_bridge.daemon.devices import losses
from firmware_bridge.daemon.devices.losses import Losses
from firmware_bridge.daemon.devices.reader_limits import GREETING_S
from firmware_bridge.facts import events as e
from firmware_bridge.facts.book.refusals import phrase
from hardware import ports
from hardware.errors import PortBusy, PortVanished
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.serial_server import DyingAdapter, SerialServer

FASTER: Final = 20
CARD: Final = b"9s\r\n"


class Network(BridgeTable):
    """A table whose reader prints lines behind a serial server in the network."""

    def __init__(self, folder: Path, made: Callable[[Path], SerialServer | DyingAdapter], pad: bool = False) -> None:
        reader = {"protocol": "line", "hold": 0, "port": "socket://127.0.0.1:1"}
        game = {"game": "blackjack"} if pad else {}
        pins = {"next": 22}
        super().__init__(folder, free_port(), table={"new_shoe": "command", **game}, reader=reader, pins=pins)
        self.server = self.loop.run_until_complete(self._serve(made, "reader0"))
        self.at_close.append(self.server.close)
        text = self.config_path.read_text().replace("socket://127.0.0.1:1", self.server.target)
        if pad:
            self.pad_server = self.loop.run_until_complete(self._serve(made, "pad0"))
            self.at_close.append(self.pad_server.close)
            text += f'[[keypad]]\nport = "{self.pad_server.target}"\nseats = [1]\n'
        self.config_path.write_text(text)

    def start(self, *_: Any) -> "Network":
        self.loop.run_until_complete(self._start(load(self.config_path), None))
        self.until(lambda: self.bridge.health.live())
        assert self.give("open_shoe").ok
        return self

    async def _serve(self, made: Callable[[Path], SerialServer | DyingAdapter], name: str) -> Any:
        return made(self.folder / name)

    def be_good(self) -> None:
        """Let the port stay open, and be steady soon; no earlier: a busy machine may be that late."""
        self.server.be_good()
        hurry((ports, "STEADY_S"), (losses, "STEADY_S"), (losses, "LONG_STEADY_S"))

    def give(self, order: str) -> Any:
        return self.bridge.order_service.give({"do": order}, (order,), "anna")

    def events(self, *kinds: type[Any]) -> list[Any]:
        lines = [event for line in self.lines() if line.entry for event in line.entry.events]
        return [each for each in lines if isinstance(each, kinds) and getattr(each, "id", "") != "broker_lost"]

    def irregular(self) -> list[str]:
        return [each.id for each in self.bridge.table.shoe.device.irregular if each.id != "broker_lost"]

    def cards(self) -> list[str]:
        return [laid.card.value for laid in self.bridge.table.shoe.laid]

    @property
    def losses(self) -> int:
        return int(self.bridge.reader.status()["losses"])


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries that come sooner; a table in this process may `hurry` more."""
    for module, names in ((ports, ("FIRST_RETRY", "LAST_RETRY", "STEADY_S")), (losses, ("STEADY_S", "LONG_STEADY_S"))):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name))  # which puts it back
    hurry((ports, "FIRST_RETRY"), (ports, "LAST_RETRY"))


def hurry(*waits: tuple[ModuleType, str]) -> None:
    """Let these waits take a part of their time, until the test ends."""
    for module, name in waits:
        setattr(module, name, getattr(module, name) / FASTER)


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Callable[..., Network]]:
    made: list[Network] = []

    def make(pad: bool = False, adapter: bool = False, **server: Any) -> Network:
        made.append(Network(tmp_path, DyingAdapter if adapter else lambda _: SerialServer(**server), pad))
        return made[-1].start()

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("adapter", [False, True])
def test_a_reader_whose_port_opens_and_dies_is_lost_once_with_a_count(
    network: Callable[..., Network], caplog: pytest.LogCaptureFixture, adapter: bool
) -> None:
    caplog.set_level(logging.INFO)
    table = network(adapter=adapter)
    table.until(lambda: table.losses >= 25)
    assert table.irregular()[-1] == "reader_lost"
    known = table.events(e.Irregular, e.IrregularityClosed)
    assert [each.id for each in known if each.id != "reader_back"] == ["reader_lost"]
    said = [each for each in caplog.messages if each.startswith("the reader is")]
    assert [words.partition(":")[0] for words in said] == ["the reader is lost", "the reader is lost, 10 times"]
    table.until(lambda: table.losses >= 40)
    assert table.events(e.Irregular, e.IrregularityClosed) == known
    shown = msgspec.json.decode(msgspec.json.encode(table.bridge.control.status()))
    assert f"open and lost again, {table.losses} times" in str(machine(shown))
    table.be_good()
    table.until(lambda: table.irregular() == ["reader_back"])
    (closed,) = [each for each in table.events(e.IrregularityClosed) if each.values]
    assert (closed.id, closed.choice, closed.why, [*closed.values]) == ("reader_lost", "back", "", ["losses"])
    assert (losses := int(str(closed.values["losses"]))) >= 40
    assert table.losses == 0
    assert caplog.messages[-1] == f"the reader is back, lost {losses} times"


@pytest.mark.parametrize("adapter", [False, True])
def test_a_card_that_passes_once_the_port_is_good_is_read_at_once(
    network: Callable[..., Network], monkeypatch: pytest.MonkeyPatch, adapter: bool
) -> None:
    monkeypatch.setattr(losses, "STEADY_S", 1e6)  # the card alone says it
    table = network(adapter=adapter)
    table.until(lambda: table.losses >= 5)
    dying = len(table.server.times)
    table.server.be_good()
    table.until(lambda: adapter or len(table.server.times) > dying)  # the one that is open is hung up yet
    table.until(lambda: table.bridge.reader.port.open_s > ports.QUIET)
    table.server.send(CARD)
    table.until(lambda: table.irregular() == ["reader_back"])
    assert table.give("next").ok
    table.until(lambda: table.cards() == ["9s"])
    assert (table.irregular(), table.bridge.reader.port.cut_short) == ([], 0)


@pytest.mark.parametrize(
    "greeting", [b"Port already in use\r\n", b"ser2net port 4001\r\nwelcome\r\n\r\n", b"\xff\xfb\x03\xff\xfd\x00"]
)
def test_the_words_of_a_serial_server_are_no_cards(network: Callable[..., Network], greeting: bytes) -> None:
    table = network(hold_s=0.02, greeting=greeting)
    table.until(lambda: table.losses >= 5)
    table.be_good()
    table.until(lambda: table.irregular() == ["reader_back"])
    assert table.give("next").ok
    table.until(lambda: table.bridge.reader.port.open_s > GREETING_S + 2 * ports.QUIET)
    table.server.send(CARD)
    table.until(lambda: table.cards() == ["9s"])
    assert table.irregular() == []


def test_a_port_that_is_lost_each_time_it_is_back_is_back_some_times_a_minute(network: Callable[..., Network]) -> None:
    hurry((ports, "STEADY_S"), (losses, "STEADY_S"), (losses, "LONG_STEADY_S"))
    table = network(hold_s=1.2 * ports.STEADY_S)
    table.until(lambda: len(table.server.times) > 12)
    entries = len(table.events(e.Irregular, e.IrregularityClosed))
    assert entries <= 4 * losses.NOTED


def test_a_keypad_whose_port_opens_and_dies_is_reported_once_with_a_count(
    network: Callable[..., Network], caplog: pytest.LogCaptureFixture
) -> None:
    table = network(pad=True)
    table.until(lambda: len(table.pad_server.times) > 12)
    (lost,) = [each for each in table.bridge.table.alarms().open if each.id == "keypad_lost"]
    assert lost.values["why"] == (phrase("keypad_lost_often", where="seats 1", count=10),)
    assert len([each for each in caplog.messages if "keypad" in each]) <= 4


def test_what_is_news_of_a_port() -> None:
    port = Losses()
    news = [port.lost(PortVanished, now) for now in range(1, 101)]
    assert [at for at, is_news in enumerate(news, 1) if is_news] == [1, 10, 100]
    assert (port.lost(PortBusy, 101), port.lost(PortBusy, 102)) == (True, False)
    assert (port.back(), port.is_lost) == (100, False)


def test_a_device_is_lost_and_back_three_times_a_minute_and_then_after_a_longer_time() -> None:
    port = Losses()
    for now in (0.0, 10.0, 20.0):
        port.lost(PortVanished, now)
        assert port.may_be_back(now + 0.1, cut_short=0) == (now < 20)
        port.back()
    port.lost(PortVanished, 30.0)
    assert not port.may_be_back(30.0 + losses.STEADY_S, cut_short=0)
    assert port.may_be_back(30.0 + losses.LONG_STEADY_S, cut_short=9)
    port.back()
    port.lost(PortVanished, 200.0)
    assert port.may_be_back(200.1, cut_short=0)
    assert not port.may_be_back(200.1, cut_short=1)
