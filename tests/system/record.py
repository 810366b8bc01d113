"""A record on disk as the daemon writes it, without its hardware."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from firmware_bridge.facts import inputs, orders
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.sim.script import NewShoe, Pause, Say, Step, input_of, parse
from firmware_bridge.table.stamps import nonce, now
from firmware_bridge.table.table import Table


class NoLamps:
    def show(self, lit: dict[str, str]) -> None:
        pass


def record(directory: Path, text: str, **settings: Any) -> list[Path]:
    """Play a deal script at a table that journals to `directory`; the journal files, oldest first."""
    loop = asyncio.new_event_loop()
    journal = Journal(directory).open(None)
    table = Table(journal, "T07", NoLamps(), lambda _: None, lambda _: None, lambda: None, loop)
    table.start(house_of(**settings))
    for step in parse(text):
        for told in inputs_of(step, table.shoe.status == "open"):
            table.take(replace(told, **now()))
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
