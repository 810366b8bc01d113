"""A table of a fleet: the daemon's, without reader and pins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from firmware_bridge.config.load import parse
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.delivery.outbox import Publish
from firmware_bridge.games.house import usual
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.line import Line
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.record.signer import write_seed
from scripts.tools.fleet.dealer import Dealer

ROUND_EVENTS = (b'{"type":"RoundClosed",', b'{"type":"RoundVoided",')
"""How the events begin that end a round."""


class FleetTable(Bridge):
    """One table of a fleet, from `open` to `close`; its health is that of a reader that was never plugged in.

    entries, rounds, sent: how many entries were journaled, how many rounds ended, and how many messages of the journal
    were published, since `open`; those that were published again count again.
    """

    def __init__(self, config: Config, broker: BrokerSettings, random: Random) -> None:
        super().__init__(config, broker=broker, has_reader=False)
        self.entries = self.rounds = self.sent = 0
        outbox = self.uplink.outbox
        outbox._publish = self._counting(outbox._publish)
        self.dealer = Dealer(self.table, self.order_service, random)

    @property
    def head(self) -> Cursor:
        """The last entry of the journal."""
        return Cursor(self.table.shoe.journal, self.table.shoe.seq)

    async def on_disk(self) -> None:
        """Wait while the disk has not answered: the dealer does nothing then."""
        while self.table.disk:
            await asyncio.sleep(0.005)

    def has_sent(self, head: Cursor) -> bool:
        """Return whether an entry is delivered: stored, or acknowledged by the broker if no store counts."""
        there = self.uplink.outbox.cursor
        return there is not None and _place(there) >= _place(head)

    def _counting(self, publish: Publish) -> Publish:
        def counted(topic: str, payload: bytes) -> int:
            mid = publish(topic, payload)
            self.sent += 1
            return mid

        return counted

    def publishing(self, line: Line) -> Callable[[], None]:
        """Publish as the daemon does, and count."""
        publish = super().publishing(line)

        def counted() -> None:
            self.entries += 1
            self.rounds += sum(bytes(event).startswith(ROUND_EVENTS) for event in line.public.events)
            publish()

        return counted


def table_config(
    name: str,
    game: str,
    directory: Path,
    host: str,
    port: int,
    stored: str | None,
    witnesses: Sequence[str] = (),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Config:
    """Return the config of one table of a fleet, with a key beside its journals; what it does not name is the usual
    one.

    more: further sections.
    """
    key = directory.with_name(f"{directory.name}.record-key")
    key.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        write_seed(key)
    mqtt: dict[str, Any] = {"host": host, "port": port, "username": name}
    return parse(
        {
            "table": {"id": name, "game": game, **usual(game)},
            "pins": {"factory": "mock", "next": 22},
            "mqtt": mqtt | ({"stored": stored} if stored else {}),
            "journal": {"dir": str(directory)},
            "record": {"key_file": str(key), "witnesses": list(witnesses)},
            **more,
        }
    )


def _place(cursor: Cursor) -> tuple[int, int]:
    return int(cursor.journal.partition("-")[0]), cursor.seq
