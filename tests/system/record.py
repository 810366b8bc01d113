"""A record on disk as the daemon writes it, without its hardware."""

import asyncio
from pathlib import Path
from typing import Any

from firmware_bridge.facts import inputs as i
from firmware_bridge.facts import orders
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.sim.script import Cut, Drawn, Key, NewShoe, Say, Step, parse
from firmware_bridge.table.stamps import nonce, now
from firmware_bridge.table.table import Table


class NoLamps:
    def show(self, lit: dict[str, str]) -> None:
        pass


def record(directory: Path, text: str, **settings: Any) -> list[Path]:
    """Play a deal script at a table that journals to `directory`; the journal files, oldest first."""
    loop = asyncio.new_event_loop()
    journal = Journal(directory, None)
    table = Table(journal, "T07", NoLamps(), lambda _: None, lambda _: None, lambda: None, loop)
    table.start(house_of(**settings))
    for step in parse(text):
        for told in inputs(step, table.shoe.status == "open"):
            table.tell(told)
    table.close()
    journal.close()
    loop.close()
    return journal_files(directory)


def inputs(step: Step, in_use: bool) -> list[i.AnyInput]:
    match step:
        case NewShoe():
            return [*([order(orders.CloseShoe("worn"))] if in_use else []), order(orders.OpenShoe())]
        case Drawn(card=None):
            return [i.CardUnread(**now(), reason="unreadable", nonce=nonce())]
        case Drawn(card=card) if card:
            return [i.CardRead(**now(), card=card, nonce=nonce())]
        case Cut():
            return [i.CutCardSeen(**now(), by="sensor")]
        case Key(key=key):
            return [i.Pressed(**now(), key=key)]
        case Say(order=said):
            return [order(said)]
    raise ValueError(step)


def order(said: orders.Order) -> i.Ordered:
    return i.Ordered(**now(), order=said, by="anna", nonce=nonce())


def delivered(directory: Path, journal: str, seq: int) -> None:
    """Move the cursor: the broker has had everything up to this entry."""
    cursor = CursorFile(directory / "cursor")
    cursor.store(Cursor(journal, seq))
    cursor.close()
