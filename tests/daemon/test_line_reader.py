from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.pins.pin import PinFactory
from hardware.ports import QUIET
from hardware.sim.code_boards import LineBoard
from hardware.sim.pty import PtyBoard
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable


class LineTable(BridgeTable):
    """A table whose reader prints a line per card, and keeps none."""

    def start(self, pins: PinFactory | None = None) -> "LineTable":
        """Start the bridge, and draw no card before it may believe a first line."""
        super().start(pins)
        self.pause(2 * QUIET)
        return self

    async def _plugged(self) -> PtyBoard:
        self.printer = LineBoard()
        return PtyBoard(self.printer, self.folder / "reader")

    def print_cards(self, text: str) -> None:
        """Draw these cards, each journaled before the next."""
        for word in text.split():
            self._print(word)

    def _print(self, code: str) -> None:
        before = len(self.lines())
        self.printer.pull(code)
        self.pty.tick()
        self.until(lambda: len(self.lines()) > before)

    @property
    def open_now(self) -> list[str]:
        return [each.id for each in self.bridge.table.shoe.device.irregular]

    @property
    def cards(self) -> list[str]:
        return [laid.card.value for laid in self.bridge.table.shoe.laid]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., LineTable]]:
    made: list[LineTable] = []

    def make(**house: Any) -> LineTable:
        made.append(LineTable(tmp_path, free_port(), table=house, reader={"protocol": "line", "hold": 0}))
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def test_a_reader_opened_before_the_shoe_asks_nothing(table: Any) -> None:
    bridge = table()
    bridge.print_cards("9s Td")
    assert (bridge.cards, bridge.open_now) == (["9s", "Td"], [])


def test_after_a_restart_inside_a_shoe_the_dealer_confirms_that_no_card_was_missed(table: Any) -> None:
    bridge = table()
    bridge.print_cards("9s Td")
    bridge.stop()
    bridge.start()
    bridge.until(lambda: "reader_back" in bridge.open_now)
    bridge.print_cards("Ts")
    assert bridge.cards == ["9s", "Td"]
    bridge.stop()
    bridge.start()
    assert bridge.open_now.count("reader_back") == 1
    assert bridge.bridge.order_service.give({"do": "next"}, ("next",), "dealer").ok
    assert bridge.cards == ["9s", "Td", "Ts"]
    assert "reader_back" not in bridge.open_now


def test_between_shoes_a_restart_asks_nothing(table: Any) -> None:
    bridge = table(new_shoe="command")
    bridge.stop()
    bridge.start()
    assert bridge.bridge.order_service.give({"do": "open_shoe"}, ("open_shoe",), "anna").ok
    bridge.print_cards("9s")
    assert (bridge.cards, bridge.open_now) == (["9s"], [])
