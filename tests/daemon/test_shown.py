"""What is lit: the panel, the topic `lamps` and the status say the same, whatever the bridge can do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge import __version__
from firmware_bridge.cli.watch.screen import screen
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.journal.cursor import ENOUGH
from firmware_bridge.journal.journal import Journal
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.pins import MockPins
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import Patience

broker, brokers = real.broker, real.brokers  # fixtures

LAMPS = {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "ready": 12, "fault": 25}
BUZZER, LOCK = 8, 9
FAULT = {"fault": "blocked"}
OBSERVES = "only observing: the same input crashed this version again and again"
BLINK_S = 0.3
"""Longer than the fastest rhythm."""


class Lit(BridgeTable):
    """A table with lamps that can be looked at, and a backend."""

    backend: Backend

    def begin(self) -> "Lit":
        """Start it."""
        factory = pin_factory("mock")
        self.wires = MockPins(factory)
        self.start(factory)
        return self

    def has_on_the_panel(self, *outputs: str) -> bool:
        """Whether each of these outputs comes on, and none but them once they have: nothing else stays or blinks."""
        patience = Patience()
        while not self._on_for_a_while() >= set(outputs):
            if patience.is_over:
                return False
        return self._on_for_a_while() <= set(outputs)

    def _on_for_a_while(self) -> set[str]:
        seen: set[str] = set()
        wires = LAMPS | {"buzzer": BUZZER, "lock": LOCK}
        for _ in range(30):
            self.pause(BLINK_S / 30)
            seen |= {name for name, number in wires.items() if self.wires.lit(Pin(number))}
        return seen

    def status(self) -> dict[str, Any]:
        """The status as it goes over the control socket."""
        status: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.bridge.control.status()))
        return status

    def agreed(self, lit: dict[str, str], why: str) -> bool:
        """Whether topic and status both say so."""
        topic = self.backend.on("lamps")[-1:] or [{}]
        said = {"lit": lit, "why": [why]}
        status = self.status()["lamps"]
        return all({name: each.get(name) for name in said} == said for each in (status, topic[0]))


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Lit]:
    pins = {"factory": "mock", "buzzer": BUZZER, "lock": LOCK}
    table = Lit(tmp_path, broker.port, pins=pins, lamps=LAMPS)
    with Backend(broker.port) as table.backend:
        yield table
        table.close()


@pytest.fixture
def fill(mocker: Any) -> Callable[[Lit], None]:
    """Makes the journal unwritable."""

    def full(table: Lit) -> None:
        mocker.patch.object(Journal, "append", side_effect=DiskError("no space left", "free some", "disk_full"))
        table.pull("Ts")
        table.until(lambda: table.bridge.table.disk)

    return full


def crash(table: Lit) -> None:
    """What is left of a version that crashed on one input again and again."""
    table.stop()
    (table.journal_dir / "crashes").write_text(f"{__version__} 0123456789abcdef\n" * ENOUGH)
    table.begin()
    assert table.status()["mode"] == "OBSERVE"


def test_in_play_all_show_the_slot_that_is_due(table: Lit) -> None:
    table.begin().deal("9s Td")
    table.until(lambda: table.agreed({"P2": "steady"}, "P2 due"))
    assert table.has_on_the_panel("P2")


def test_in_observe_nothing_but_the_fault_lamp_is_lit_anywhere(table: Lit) -> None:
    table.begin().deal("9s Td")
    crash(table)
    table.until(lambda: table.agreed(FAULT, OBSERVES))
    assert table.has_on_the_panel("fault")
    table.deal("Ts")
    table.until(lambda: table.backend.on("event")[-1]["seq"] == table.bridge.table.shoe.seq)
    assert table.agreed(FAULT, OBSERVES)
    assert table.has_on_the_panel("fault")


def test_with_a_lost_disk_nothing_but_the_fault_lamp_is_lit_anywhere(table: Lit, fill: Any) -> None:
    table.begin().deal("9s Td")
    fill(table)
    table.until(lambda: table.agreed(FAULT, "disk_full"))
    assert table.has_on_the_panel("fault", "buzzer", "lock")


def test_with_an_alarm_that_stops_the_table_nothing_but_the_fault_lamp_is_lit(table: Lit) -> None:
    table.begin().deal("9s Td")
    table.bridge.table.warn("reader_not_understood", protocol="line")
    table.until(lambda: table.agreed(FAULT, "reader_not_understood"))
    assert table.has_on_the_panel("fault", "buzzer", "lock")
    table.bridge.table.unwarn("reader_not_understood")
    table.until(lambda: table.agreed({"P2": "steady"}, "P2 due"))
    assert table.has_on_the_panel("P2")


def test_a_lost_disk_is_graver_than_to_observe(table: Lit, fill: Any) -> None:
    table.begin().deal("9s Td")
    crash(table)
    fill(table)
    table.until(lambda: table.agreed(FAULT, "disk_full"))
    assert table.has_on_the_panel("fault", "buzzer", "lock")


def test_the_screen_of_status_and_watch_shows_it(table: Lit) -> None:
    table.begin().deal("9s Td")
    crash(table)
    assert f"  lamps    fault fast blink (blocked)  ({OBSERVES})" in screen(table.status())
