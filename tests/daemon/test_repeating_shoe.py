"""A whole shoe through a module that repeats each card, by a real process: the dealer says of each that it is one."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import repeats
from firmware_bridge.config.load import load
from firmware_bridge.facts import events as e
from firmware_bridge.facts.cards import FACES
from hardware.ports import QUIET
from hardware.sim.code_boards import GrowBoard
from hardware.sim.pty import PtyBoard
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.nightly import EVERY

broker, brokers = real.broker, real.brokers  # fixtures

DECKS: Final = 8
EACH_MS: Final = 100
HOLD_S: Final = 0.03
"""In a tenth of the time of a module's factory mode."""


class Repeating(DaemonTable):
    """A daemon of its own, and a module that reads again what lies before it."""

    async def _plugged(self) -> PtyBoard:
        self.module = GrowBoard(EACH_MS)
        return PtyBoard(self.module, self.folder / "reader")

    @property
    def alarms(self) -> set[str]:
        return {each["id"] for each in status(self)["alarm"]["open"]}

    def events(self, kind: type[Any]) -> list[Any]:
        return [each for line in self.lines() if line.entry for each in line.entry.events if isinstance(each, kind)]


def shoe(seed: int) -> list[str]:
    """An honest shuffle of eight packs; by day those 12 cards of it in which the first equal neighbours are."""
    pack = [face.value for face in FACES] * DECKS
    Random(seed).shuffle(pack)
    first = next(n for n in range(5, len(pack)) if pack[n] == pack[n - 1])
    return pack if EVERY else pack[first - 6 : first + 6]


@pytest.mark.parametrize("seed", [1])
def test_each_card_is_asked_for_once_and_counted_once(seed: int, tmp_path: Path, broker: Broker) -> None:
    """An equal neighbour of a card of which NEXT said that it is the same one is taken for it, as check says."""
    reader = {"protocol": "grow", "repeats": 10, "hold": HOLD_S}
    table = Repeating(tmp_path, broker.port, reader=reader, table={"virtual_cut": "none", "decks": DECKS})
    drawn, presses = shoe(seed), 0
    try:
        table.start().ask(do="status")
        table.until(lambda: status(table)["reader"]["open"])
        table.pause(2 * QUIET)  # else the first line may lack its head
        status(table)  # so its loop has turned since
        for face, equal in groupby(drawn):
            for n, _ in enumerate(equal):
                table.module.pull(face)
                if n == 0:
                    table.until(lambda: "read_again" in table.alarms)
                    assert table.ask(do="next", by="ANN")["ok"]
                    presses += 1
                else:
                    table.pause(2 * EACH_MS / 1000)
                assert "read_again" not in table.alarms
        (warned,) = repeats(Machine(load(table.config_path), status(table)))
    finally:
        table.close()
    counted = [face for face, _ in groupby(drawn)]
    assert [each.card.value for each in table.events(e.CardDealt)] == counted
    assert [each.id for each in table.events(e.Irregular)].count("reader_repeats") == 1
    assert "an equal card drawn within 10 s is taken for it, too" in warned.text
    print(f"{len(drawn)} cards drawn, {len(counted)} counted, {presses} presses")
