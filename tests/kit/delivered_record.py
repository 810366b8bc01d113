"""A record on disk as the daemon writes it, without its hardware."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.demo.script import NewShoe, Pause, Say, Step, input_of, parse
from firmware_bridge.facts import inputs, orders
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal


class NoLamps:
    def show(self, lit: dict[str, str]) -> None:
        pass


def record(directory: Path, text: str, **settings: Any) -> list[Path]:
    """Play a deal script at a table that journals to `directory`; the journal files, oldest first."""
    loop = asyncio.new_event_loop()
    journal = Journal(directory).open(None)
    table = Table(journal, "T07", NoLamps(), lambda _: None, lambda _: lambda: None, lambda: None, loop)
    table.start(house_of(**settings))
    for step in parse(text):
        for fact in inputs_of(step, table.shoe.status == "open"):
            table.handle(replace(fact, **now()))
    table.close()
    journal.close()
    loop.close()
    return journal_files(directory)


def inputs_of(step: Step, in_use: bool) -> Iterator[inputs.AnyInput]:
    assert not isinstance(step, Pause), "time passes by itself here"
    if isinstance(step, NewShoe):
        if in_use:
            yield input_of(Say(orders.CloseShoe("worn")), "anna", nonce)
        step = Say(orders.OpenShoe())
    yield input_of(step, "anna", nonce)


def delivered(directory: Path, journal: str, seq: int) -> None:
    """Move the cursor: the broker has had everything up to this entry."""
    cursor = CursorFile(directory / "cursor")
    cursor.store(Cursor(journal, seq))
    cursor.close()


HALF_DAY_NS: Final = 43_200_000_000_000


def record_half_days(directory: Path, shoes: int, mocker: MockerFixture) -> None:
    """Journals of a table that has had a shoe each half day, up to half a day ago."""
    clock = time.time_ns
    for ago in range(shoes, 0, -1):
        then = mocker.patch("time.time_ns", side_effect=lambda ago=ago: clock() - ago * HALF_DAY_NS)
        record(directory, "shoe 9s Td Ts Tc !close_shoe", burn="none")
        mocker.stop(then)


def numbers(directory: Path) -> list[int]:
    """The numbers of the journals that are there."""
    return [int(path.name[:8]) for path in journal_files(directory)]
