"""Moments the shoe waits for, in a running daemon."""

import asyncio
from pathlib import Path

from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import DiskError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.house import House
from firmware_bridge.journal.journal import Journal

SEALED = House(disclose="sealed", burn="none", new_shoe="auto", reveal_timeout=1)


class Dark:
    """A table without lamps."""

    def show(self, lit: dict[str, str]) -> None:
        """Light nothing."""


async def dealt(folder: Path) -> Table:
    """A table on which a sealed round waits to be opened."""
    loop = asyncio.get_running_loop()
    table = Table(Journal(folder).open(None), "T07", Dark(), lambda _: None, lambda _: lambda: None, lambda: None, loop)
    table.start(SEALED)
    for card in cards("9sTdTsTc"):
        table.handle(inputs.CardRead(**now(), card=card, nonce=nonce()))
    return table


async def until_open(table: Table) -> None:
    async with asyncio.timeout(20):
        while not table.shoe.rounds:
            await asyncio.sleep(0.02)


def test_cards_open_by_themselves(tmp_path: Path) -> None:
    async def play() -> None:
        table = await dealt(tmp_path)
        await until_open(table)
        table.close()
        table.journal.close()

    asyncio.run(play())


def test_a_moment_that_comes_while_the_disk_is_full_waits_for_it(tmp_path: Path, mocker: MockerFixture) -> None:
    async def play() -> None:
        table = await dealt(tmp_path)
        full = mocker.patch.object(table.journal, "append", side_effect=DiskError("full", "free some", "disk_full"))
        table.handle(inputs.CutCardSeen(**now(), by="sensor"))
        await asyncio.sleep(1.5)
        assert len(table._queue) == 1
        assert full.call_count < 10
        mocker.stop(full)
        await until_open(table)
        table.close()
        table.journal.close()

    asyncio.run(play())
