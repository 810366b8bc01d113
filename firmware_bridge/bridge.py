"""Puts the bridge together: hardware on one side, the table in the middle, the broker on the other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.config.load import broker_settings
from firmware_bridge.config.sections import Config
from firmware_bridge.devices.health import Health
from firmware_bridge.devices.lent_pins import LentPins
from firmware_bridge.devices.mouth import Mouth
from firmware_bridge.devices.panel import Panel
from firmware_bridge.devices.reader import Reader
from firmware_bridge.devices.sensors import Sensors
from firmware_bridge.devices.watch import Watch
from firmware_bridge.devices.wires import input_pins, output_pins, wires
from firmware_bridge.errors import JournalError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.journal.cursor import CursorFile
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.resend import Range
from firmware_bridge.journal.retention import expire, expired
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.shoe.round import due
from firmware_bridge.shoe.state import is_open
from firmware_bridge.systemd import Systemd
from firmware_bridge.table.control import Control
from firmware_bridge.table.desk import Desk
from firmware_bridge.table.lending import Lendable
from firmware_bridge.table.stamps import now
from firmware_bridge.table.table import Table
from firmware_bridge.table.uplink import LastWord, Uplink
from hardware.pins.factories import pin_factory
from hardware.pins.pin import PinFactory
from hardware.readers import READERS

log = logging.getLogger(__name__)


class Bridge:
    """A whole table: built from a config, run on the present loop until `stop`.

    pins, broker: in place of those the config names.

    Raises ConfigError, JournalError or PinError before anything is touched that could not be given back.
    """

    def __init__(self, config: Config, pins: PinFactory | None = None, broker: BrokerSettings | None = None) -> None:
        self.config, self._loop = config, asyncio.get_running_loop()
        settings = broker or broker_settings(config)
        self.pins = pins or (pin_factory(config.pins.factory) if wires(config) else None)
        self._stopped = asyncio.Event()
        self._last_word: LastWord = "lost"
        self.journal = _open_journal(Path(config.journal.dir), self._expire)
        self.panel = Panel(config, self.pins, self._loop)
        self.table = Table(
            self.journal,
            config.table.id,
            self.panel,
            self._acknowledge,
            lambda line: self.uplink.publish(line),  # which is made of this table
            self._changed,
            self._loop,
        )
        prefix = f"{config.mqtt.root}/{config.table.id}"
        self.desk = Desk(self.table, self._resend, lambda: self.uplink.outbox.resends.is_full)
        self.uplink = Uplink(
            self.table, prefix, settings, self.desk, config.mqtt.commands, self._loop, config.mqtt.live_odds
        )
        self.reader = Reader(config.reader, config.table.decks, config.rules.pack, self.table, self._loop)
        mouth = Mouth(self._can_read, self._missed, self._loop)
        self.health = Health(config, self.reader, self._condition, self.uplink.tell_health, self._loop)
        self.reader.listeners = (mouth.heard, self.health.heard)
        self.sensors = Sensors(config, self.table, mouth, self.pins, self._loop)
        self._lent_pins = LentPins(self.reader, self._let_go_of_pins, self._claim_pins, self._loop)
        devices: dict[str, Lendable] = {"reader": self.reader, "pins": self._lent_pins}
        states = self.uplink.status, self.reader.status, self.health.live
        self.control = Control(config.control, self.table, self.desk, *states, devices, self._watch())

    async def run(self) -> None:
        """Work until `stop`, then leave everything as it should be found."""
        systemd = Systemd()
        try:
            self.sensors.claim()  # before anything is written: a pin in use is tried again and again
            self.table.start(self.config.house)
            await self.control.start()
            self.reader.start()
            self.uplink.start()
            self.health.start()
            self._try_out()
            systemd.tell("READY=1", f"STATUS=table {self.config.table.id}")
            beat = self._loop.create_task(_beat(systemd))
            await self._stopped.wait()
            beat.cancel()
            systemd.tell("STOPPING=1")
        finally:
            await self._close()

    def stop(self, last_word: LastWord = "stopped") -> None:
        """Finish what is begun and end `run`; the topic `status` then says `last_word`."""
        if not self._stopped.is_set():
            self._last_word = last_word
        self._stopped.set()

    async def _close(self) -> None:
        """Close every part, from the last line to the first, whatever fails meanwhile."""
        async with contextlib.AsyncExitStack() as parts:
            parts.callback(self.journal.close)
            parts.callback(self.panel.close)
            parts.callback(self.table.close)
            parts.push_async_callback(self.uplink.close, self._last_word)
            parts.push_async_callback(self.control.close)
            parts.callback(self.sensors.close)
            parts.callback(self.reader.close)
            parts.callback(self.health.close)
            parts.callback(self._lent_pins.close)

    def _watch(self) -> Watch:
        """What a technician may see; no card of a shoe that is open, nor of one that the next card opens."""

        def secret() -> bool:
            shoe = self.table.shoe
            return shoe.status == "open" or bool(shoe.held) or self.config.table.new_shoe == "auto"

        ins, outs = input_pins(self.config), output_pins(self.config)
        return Watch(self.reader, READERS[self.config.reader.protocol].frames, self.pins, ins, outs, secret)

    def _changed(self) -> None:
        self.uplink.changed()
        self.control.changed()

    def _acknowledge(self, report: ReportNo) -> None:
        self.reader.acknowledge(report)

    def _resend(self, part: Range) -> None:
        self.uplink.outbox.resend(part)

    def _expire(self) -> None:
        """Delete what need not be kept of the journal, now that a new file has begun."""
        keep = self.config.journal
        expire(expired(self.journal.directory, self.uplink.outbox.acked, time.time(), keep.keep_days, keep.max_mb))

    def _let_go_of_pins(self) -> None:
        self.sensors.close()
        lit, self.panel = self.panel, Panel(Config(table=self.config.table), None, self._loop)
        self.table.light(self.panel)
        lit.close()

    def _claim_pins(self) -> None:
        self._let_go_of_pins()  # of those that were had when another could not be had
        self.panel = Panel(self.config, self.pins, self._loop)
        self.table.light(self.panel)
        self.sensors.claim(is_back=True)

    def _try_out(self) -> None:
        """Before the first card every lamp is lit for a moment; while a card is due no other lamp may be."""
        shoe = self.table.shoe
        if due(shoe) is None and not shoe.laid and not shoe.device.irregular:
            self.panel.try_lamps()

    def _condition(self) -> dict[str, Any]:
        """What `health` tells of queue, orders, lamps and sensors; `faults` is None while the lamps were not tried."""
        faults = self.panel.faults
        restless = [f"{name} is active" for name in self.sensors.not_at_rest()]
        told = None if faults is None else (*faults, *restless)
        return {"queue": self._queue(), "faults": told, "orders_refused": self.uplink.backend.refused}

    def _queue(self) -> int:
        """Entries of the present journal that the broker has not acknowledged."""
        shoe, acked = self.table.shoe, self.uplink.outbox.acked
        if not self.uplink.outbox.waiting:
            return 0
        return shoe.seq - acked.seq if acked and acked.journal == shoe.journal else shoe.seq

    def _can_read(self) -> bool:
        """Whether a card that leaves the shoe would be reported now."""
        return self.reader.port.is_open and not is_open(self.table.shoe, "reader_lost")

    def _missed(self) -> None:
        self.table.take(inputs.ReaderSaid(**now(), what="a card left the shoe and was not reported", gap=True))


async def _beat(systemd: Systemd) -> None:
    """The watchdog beat comes from this loop, so a loop that hangs is noticed."""
    while systemd.beat_s:
        systemd.tell("WATCHDOG=1")
        await asyncio.sleep(systemd.beat_s)


def _open_journal(directory: Path, begun: Callable[[], None]) -> Journal:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        cursor = CursorFile(directory / "cursor")
    except OSError as error:
        what = f"the journal's directory {directory} cannot be used ({error.strerror})"
        raise JournalError(what, "correct [journal] dir, or let the daemon's user write there") from None
    try:
        return Journal(directory, cursor.value, begun)
    finally:
        cursor.close()
