"""Moments the shoe waits for, in a running daemon."""

import asyncio
import time
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table import clock, disk_outage
from firmware_bridge.daemon.table import table as table_module
from firmware_bridge.daemon.table.clock import Stamp, nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.events import AnyEvent, CardDealt, Irregular
from firmware_bridge.facts.house import House
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from tests.kit.patience import comes

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
    await comes(lambda: table.shoe.rounds)


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


def jumps(events: list[AnyEvent]) -> list[Value]:
    return [each.values["ms"] for each in events if isinstance(each, Irregular) and each.id == "clock_jump"]


@pytest.mark.parametrize("set_by", [0, 3_600_000])
def test_a_disk_that_fails_at_the_start_is_no_jump_of_the_clock(
    tmp_path: Path, mocker: MockerFixture, set_by: int
) -> None:
    """The outage is journaled with the times of its beginning, and cards may have waited; the clock is set later."""

    async def play() -> list[AnyEvent]:
        loop, lines, wall, moment = asyncio.get_running_loop(), list[Line](), [1_790_000_000_000], [10_000]

        def stamp() -> Stamp:
            return Stamp(at=wall[0] + moment[0], mono=moment[0], salt=nonce(), utc_offset=0)

        for place in (disk_outage, table_module):
            mocker.patch.object(place, "now", stamp)
        kept = Journal(tmp_path).open(None)
        table = Table(kept, "T07", Dark(), lambda _: None, lambda line: lambda: lines.append(line), lambda: None, loop)
        table.stop_for(DiskError("full", "free some", "disk_full"))
        moment[0] += 1_000
        table.handle(inputs.CardRead(**stamp(), card=cards("9s")[0], nonce=nonce()))
        moment[0] += 3_000
        table.start(House(burn="none", new_shoe="auto"))
        wall[0] += set_by
        table.handle(inputs.CardRead(**stamp(), card=cards("Td")[0], nonce=nonce()))
        assert table.jumped_ms == set_by
        table.close()
        table.journal.close()
        return [event for line in lines if line.entry for event in line.entry.events]

    events = asyncio.run(play())
    assert next(each.id for each in events if isinstance(each, Irregular)) == "disk_full"
    assert [each.card for each in events if isinstance(each, CardDealt)] == list(cards("9sTd"))
    assert jumps(events) == ([set_by] if set_by else [])


@pytest.mark.parametrize(
    ("zone", "at", "minutes"),
    [
        ("UTC0", 1_795_392_000_000, 0),
        ("CST-8", 1_795_392_000_000, 480),
        ("<+0530>-5:30", 1_795_392_000_000, 330),
        ("CET-1CEST,M3.5.0,M10.5.0/3", 1_795_392_000_000, 60),
        ("CET-1CEST,M3.5.0,M10.5.0/3", 1_782_864_000_000, 120),
        ("EST5EDT,M3.2.0,M11.1.0", 1_782_864_000_000, -240),
    ],
)
def test_an_input_says_how_far_local_time_was_ahead(
    zone: str, at: int, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        offset, stamp = clock.utc_offset(at), now()
        assert stamp["utc_offset"] == clock.utc_offset(stamp["at"])
    time.tzset()
    assert offset == minutes
