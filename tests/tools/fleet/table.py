"""A real table without reader and pins: journal, table, outbox and link as the daemon puts them together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from firmware_bridge.config.load import parse
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.health import Health
from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.daemon.devices.record_keeping import RecordKeeping
from firmware_bridge.daemon.table.desk import Desk
from firmware_bridge.daemon.table.opening import open_journal
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.uplink import LastWord, Uplink
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.games.house import usual
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.resend import Range
from firmware_bridge.mqtt.settings import BrokerSettings
from tests.tools.fleet.dealer import Dealer

ROUND_EVENTS = (b'{"type":"RoundClosed",', b'{"type":"RoundVoided",')
"""How the events begin that end a round."""


class NoLamps:
    """Lights nothing."""

    def show(self, lit: dict[str, str]) -> None:
        """Show lamps to nobody."""


class FleetTable:
    """One table of a fleet, from `open` to `close`; what is journaled and sent is what the daemon would.

    Its health is the daemon's too: of a reader that was never plugged in. entries, rounds: how many were journaled,
    and how many rounds ended, since `open`.
    """

    def __init__(self, config: Config, broker: BrokerSettings, random: Random, loop: asyncio.AbstractEventLoop) -> None:
        self.config, self._loop = config, loop
        self.entries = self.rounds = 0
        self.journal = Journal(Path(config.journal.dir), lambda: self._keeping.begun())
        name, mqtt = config.table.id, config.mqtt
        self.table = Table(
            self.journal, name, NoLamps(), _no_report, self._publishing, self._changed, loop, looks_ahead=False
        )
        self.desk = Desk(self.table, self._resend, lambda: self.uplink.outbox.resends.is_full)
        orders = (self.desk, mqtt.commands)
        self.uplink = Uplink(self.table, f"{mqtt.root}/{name}", broker, *orders, loop, mqtt.live_odds, mqtt.stored)
        self._keeping = RecordKeeping(config.journal, self.table, self.uplink.acknowledged.synced, loop)
        reader = Reader(config.reader, config.table.decks, config.rules.pack, self.table, loop)
        self._health = Health(config, reader, self._condition, self.uplink.tell_health, loop)
        self.dealer = Dealer(self.table, self.desk, random)

    async def open(self) -> None:
        """Open the journal and begin to connect. Raises JournalError for one that cannot be trusted, or is in use."""
        opened = await open_journal(self.table, _nobody_looks)
        self.uplink.begin(opened)
        self._keeping.start()
        self.table.start(self.config.house)
        self.uplink.start()
        self._health.start()

    async def close(self, last_word: LastWord = "stopped") -> None:
        """Leave everything as the daemon does."""
        self._health.close()
        self._keeping.close()
        await self.uplink.close(last_word)
        self.table.close()
        self.journal.close()

    @property
    def head(self) -> Cursor:
        """The last entry of the journal."""
        return Cursor(self.table.shoe.journal, self.table.shoe.seq)

    def has_sent(self, head: Cursor) -> bool:
        """Whether an entry need not be sent again: it is stored, or where no store counts, the broker has it."""
        there = self.uplink.outbox.cursor
        return there is not None and _place(there) >= _place(head)

    def _publishing(self, line: Line) -> Callable[[], None]:
        publish = self.uplink.publishing(line)

        def counted() -> None:
            self.entries += 1
            self.rounds += sum(bytes(event).startswith(ROUND_EVENTS) for event in line.public.events)
            publish()

        return counted

    def _changed(self) -> None:
        self.uplink.changed()

    def _resend(self, part: Range) -> None:
        self.uplink.outbox.resend(part)

    def _condition(self) -> dict[str, Any]:
        return {"queue": self.uplink.queue(), "faults": None, "orders_refused": self.uplink.backend.refused}


def table_config(name: str, game: str, directory: Path, host: str, port: int, stored: str | None) -> Config:
    """The config of one table of a fleet; everything that it does not name is the usual one."""
    mqtt: dict[str, Any] = {"host": host, "port": port, "username": name}
    return parse(
        {
            "table": {"id": name, "game": game, **usual(game)},
            "mqtt": mqtt | ({"stored": stored} if stored else {}),
            "journal": {"dir": str(directory)},
        }
    )


def _place(cursor: Cursor) -> tuple[int, int]:
    return int(cursor.journal.partition("-")[0]), cursor.seq


def _no_report(report: ReportNo) -> None:
    """No reader waits for it."""


async def _nobody_looks() -> None:
    """No technician is there to be shown a journal that does not open."""
