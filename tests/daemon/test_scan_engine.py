"""A scan engine all the way: a code is acknowledged when it is on disk, and what nobody can know is asked."""

from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.shoe.state import held_cards
from hardware.sim.code_boards import SsiBoard
from hardware.sim.pty import PtyBoard
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable

broker, brokers = real.broker, real.brokers  # fixtures


class EngineTable(BridgeTable):
    """A table whose reader prints a card's name as its code."""

    def __init__(self, folder: Path, port: int) -> None:
        self.engine = SsiBoard()
        book = folder / "codes.csv"
        book.write_text("code,card\n" + "".join(f"{rank}{suit},{rank}{suit}\n" for rank in RANKS for suit in "shdc"))
        super().__init__(folder, port, reader={"protocol": "ssi", "hold": 0, "code_book": str(book)}, table=NO_BURN)

    async def _plugged(self) -> PtyBoard:
        return PtyBoard(self.engine, self.folder / "reader")

    @property
    def drawn(self) -> int:
        """Cards that left the shoe, as the bridge knows it."""
        now = self.bridge.table.shoe
        return len(now.seen) + len(held_cards(now))

    @property
    def open_now(self) -> set[str]:
        return {each.id for each in self.bridge.table.shoe.device.irregular}

    def pass_by(self, *names: str) -> None:
        """Cards pass; the engine sends them one by one, as they are acknowledged."""
        for name in names:
            self.engine.pull(name)


RANKS = "A23456789TJQK"
NO_BURN: dict[str, Any] = {"burn": "none"}


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Any:
    made = EngineTable(tmp_path, broker.port)
    made.start()
    yield made
    made.close()


def test_every_code_is_acknowledged_once_it_is_on_disk(table: EngineTable) -> None:
    table.pass_by("9d", "4s", "Kh")
    table.until(lambda: table.drawn == 3 and table.engine.waiting == 0)


def test_a_lost_acknowledgement_doubles_no_card(table: EngineTable) -> None:
    table.down_cable.stalled = True
    table.pass_by("9d")
    table.until(lambda: table.drawn == 1)
    table.pause(0.6)  # the engine sends it again, marked as such
    assert (table.drawn, table.engine.waiting) == (1, 1)
    table.down_cable.dropped = 1.0  # and what was held back is lost
    table.down_cable.stalled = False
    table.pause(0.1)
    table.down_cable.dropped = 0.0
    table.until(lambda: table.engine.waiting == 0)
    assert (table.drawn, table.open_now) == (1, set())


def test_a_code_acknowledged_by_nobody_before_a_restart_is_asked_about(table: EngineTable) -> None:
    """The engine sends it again, and nobody can know whether it is the card in the journal."""
    table.down_cable.dropped = 1.0
    table.pass_by("9d")
    table.until(lambda: table.drawn == 1)
    table.stop()
    table.pause(0.1)  # the line drops what was on its way
    table.down_cable.dropped = 0.0
    table.start()
    table.until(lambda: table.engine.waiting == 0)
    assert "reader_gap" in table.open_now
