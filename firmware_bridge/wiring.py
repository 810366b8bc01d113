"""Puts the bridge together: hardware on one side, the table in the middle, the broker on the other."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from msgspec.structs import asdict

from firmware_bridge import codes
from firmware_bridge.broker import BrokerSettings
from firmware_bridge.config import (
    AnyPin,
    Config,
    LampsConfig,
    PinConfig,
    PinsConfig,
    ReaderConfig,
    broker_settings,
)
from firmware_bridge.control import Control
from firmware_bridge.cursor import CursorFile
from firmware_bridge.daemon import Table, nonce, now_ms
from firmware_bridge.facts import inputs as i
from firmware_bridge.facts.events import ShoeOpened
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.journal import Journal
from firmware_bridge.line import Line
from firmware_bridge.notify import Systemd
from firmware_bridge.retention import expire, expired
from firmware_bridge.shoe.state import is_open
from firmware_bridge.uplink import Uplink
from hardware import reads
from hardware.errors import PortError
from hardware.lamps import LampPanel
from hardware.pins import Pin, PinFactory, pin_factory
from hardware.port import Port
from hardware.readers import BAUD, READERS, ReaderSettings
from hardware.sensors import Contact, CutCardSensor, Key

log = logging.getLogger(__name__)

SILENT_AFTER_S: Final = 3.5
"""A board that beats every second and misses three beats is gone."""

KEEPS_REPORTS: Final = ("native",)
"""Protocols whose reader keeps its reports until they are acknowledged, and beats every second."""


class Reader:
    """Owns the reader's port: its messages become inputs, and what is journaled is acknowledged."""

    def __init__(self, config: ReaderConfig, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop, self._protocol = table, loop, config.protocol
        settings = ReaderSettings(config.min_quality, config.pattern, config.line_end, config.hold)
        self.decoder = READERS[config.protocol](settings)
        self._book = codes.load(Path(config.code_book)) if config.code_book else codes.plain()
        self._keeps_reports = config.protocol in KEEPS_REPORTS
        self.port = Port(
            config.port, config.baud or BAUD[config.protocol], loop, self._on_bytes, self._on_lost, self._on_open
        )
        self._heard_at = loop.time()
        self._watch: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Open the port, now or when it appears."""
        self.port.start()
        self._watch = self._loop.call_later(1, self._listen)

    def close(self) -> None:
        """Give the port back."""
        if self._watch:
            self._watch.cancel()
        self.port.close()

    def acknowledge(self, mark: Mark) -> None:
        """The report is on disk: the board may forget it."""
        self.port.write(self.decoder.acknowledge(reads.Mark(mark.session, mark.seq)))

    def status(self) -> dict[str, Any]:
        """The reader as a technician wants to see it; `lost`: its port is gone, or it fell silent."""
        return {
            "protocol": self._protocol,
            "port": self.port.target,
            "open": self.port.is_open,
            "lost": is_open(self._table.shoe, "reader_lost"),
        }

    def _on_open(self) -> None:
        self._heard_at = self._loop.time()
        known = self._table.shoe.reader
        self.port.write(self.decoder.resume(reads.Mark(known.session, known.seq) if known else None))
        if not self._keeps_reports:
            self._back()

    def _on_lost(self, why: PortError) -> None:
        self._lost(str(why))

    def _lost(self, why: str) -> None:
        if not is_open(self._table.shoe, "reader_lost"):
            self._table.tell(i.DeviceLost(at=now_ms(), device="reader", why=why))

    def _back(self) -> None:
        if is_open(self._table.shoe, "reader_lost"):
            self._table.tell(i.DeviceBack(at=now_ms(), device="reader", resumes=self._keeps_reports))

    def _on_bytes(self, chunk: bytes) -> None:
        for message in self.decoder.feed(chunk):
            self._heard_at = self._loop.time()
            self._back()
            self._take(message)

    def _take(self, message: reads.Message) -> None:
        match message:
            case reads.Read():
                self._table.tell(self._card(message))
            case reads.Unread(reason=reason):
                self._table.tell(
                    i.CardUnread(at=now_ms(), reason=reason, nonce=nonce(), mark=_mark(message.mark), gap=message.gap)
                )
            case reads.Repeat(mark=mark):
                self.port.write(self.decoder.acknowledge(mark))
            case reads.Hello(session=session):
                self._table.tell(i.ReaderBooted(at=now_ms(), session=session))
                if not self._table.disk:
                    self.port.write(self.decoder.greet(message))

    def _card(self, read: reads.Read) -> i.AnyInput:
        """The input a reader's code stands for; a code in no book is an unread card, never a guess."""
        at, mark = now_ms(), _mark(read.mark)
        known = codes.native(read.code) if isinstance(read.code, int) else self._book.get(read.code)
        if known is None:
            return i.CardUnread(at=at, reason="unknown code", nonce=nonce(), mark=mark, gap=read.gap)
        if known.card is None:
            return i.CutCardSeen(at=at, by="reader", mark=mark, gap=read.gap)
        return i.CardRead(
            at=at,
            card=known.card,
            nonce=nonce(),
            mark=mark,
            lot=known.lot,
            quality=read.quality,
            flags=_flags(read),
            gap=read.gap,
        )

    def _listen(self) -> None:
        """Notice a board that fell silent although its port is there."""
        self._watch = self._loop.call_later(1, self._listen)
        silent = self._loop.time() - self._heard_at
        if self.port.is_open and self._keeps_reports and silent > SILENT_AFTER_S:
            self._lost(f"no word from the reader for {silent:.0f} s: check its power and cable")


def _mark(mark: reads.Mark | None) -> Mark | None:
    return Mark(mark.session, mark.seq) if mark else None


def _flags(read: reads.Read) -> tuple[i.Flag, ...]:
    told: dict[i.Flag, bool] = {
        "face_up": read.face_up,
        "double_feed": read.double_feed,
        "backwards": read.backwards,
    }
    return tuple(flag for flag, is_set in told.items() if is_set)


class Bridge:
    """A whole table: built from a config, run on the present loop until `stop`.

    pins, broker: in place of those the config names.

    Raises ConfigError, JournalError or PinError before anything is touched that could not be given back.
    """

    def __init__(
        self, config: Config, pins: PinFactory | None = None, broker: BrokerSettings | None = None
    ) -> None:
        self.config, self._loop = config, asyncio.get_running_loop()
        settings = broker or broker_settings(config)
        self.pins = pins or (pin_factory(config.pins.factory) if wires(config) else None)
        self._sensors: list[Contact] = []
        self._stopped = asyncio.Event()
        self.journal = _open_journal(Path(config.journal.dir))
        self.panel = LampPanel(_wires(config.lamps), self.pins, self._loop)
        self.table = Table(
            self.journal,
            config.table.id,
            self.panel,
            self._acknowledge,
            self._publish,
            lambda: self.uplink.changed(),
            self._loop,
        )
        prefix = f"{config.mqtt.root}/{config.table.id}"
        self.uplink = Uplink(self.table, prefix, settings, config.mqtt.commands, self._loop)
        self.reader = Reader(config.reader, self.table, self._loop)
        self.control = Control(config.control, self.table, self.uplink, self.reader.status)

    async def run(self) -> None:
        """Work until `stop`, then leave everything as it should be found."""
        systemd = Systemd()
        try:
            self.table.start(self.config.house)
            self._claim_inputs()
            await self.control.start()
            self.reader.start()
            self.uplink.start()
            systemd.tell("READY=1", f"STATUS=table {self.config.table.id}")
            beat = self._loop.create_task(_beat(systemd))
            await self._stopped.wait()
            beat.cancel()
            systemd.tell("STOPPING=1")
        finally:
            await self._close()

    def stop(self) -> None:
        """Finish what is begun and end `run`."""
        self._stopped.set()

    async def _close(self) -> None:
        self.reader.close()
        for sensor in self._sensors:
            sensor.close()
        await self.control.close()
        await self.uplink.close()
        self.table.close()
        self.panel.close()
        self.journal.close()

    def _acknowledge(self, mark: Mark) -> None:
        self.reader.acknowledge(mark)

    def _publish(self, line: Line) -> None:
        self.uplink.publish(line)
        if line.entry and isinstance(line.entry.events[0], ShoeOpened):
            keep = self.config.journal
            gone = expired(self.journal.directory, self.uplink.outbox.acked, time.time(), keep.keep_days, keep.max_mb)
            expire(gone)

    def _claim_inputs(self) -> None:
        pins = self.config.pins
        if pins.cut_card is not None:
            sensor = CutCardSensor(_wire(pins.cut_card), self.pins, self._loop, self._cut_card_seen)
            self._sensors.append(sensor)
        keys: dict[Literal["next", "reveal"], AnyPin | None] = {"next": pins.next, "reveal": pins.reveal}
        for key, pin in keys.items():
            if pin is not None:
                self._sensors.append(Key(_wire(pin), self.pins, self._loop, partial(self._pressed, key)))

    def _cut_card_seen(self) -> None:
        self.table.tell(i.CutCardSeen(at=now_ms(), by="sensor"))

    def _pressed(self, key: Literal["next", "reveal"]) -> None:
        self.table.tell(i.Pressed(at=now_ms(), key=key))


async def _beat(systemd: Systemd) -> None:
    """The watchdog beat comes from this loop, so a loop that hangs is noticed."""
    while systemd.beat_s:
        systemd.tell("WATCHDOG=1")
        await asyncio.sleep(systemd.beat_s)


def _open_journal(directory: Path) -> Journal:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    cursor = CursorFile(directory / "cursor")
    try:
        return Journal(directory, cursor.value)
    finally:
        cursor.close()


def wires(config: Config) -> dict[str, Pin]:
    """Every wire of a table, sensors and keys and lamps, by the name of its config key."""
    return _wires(config.pins) | _wires(config.lamps)


def _wires(section: PinsConfig | LampsConfig) -> dict[str, Pin]:
    pins = {name: pin for name, pin in asdict(section).items() if name != "factory"}
    return {name: _wire(pin) for name, pin in pins.items() if pin is not None}


def _wire(pin: AnyPin) -> Pin:
    if isinstance(pin, PinConfig):
        return Pin(pin.pin, pin.active_low, pin.pull_up, pin.debounce_ms)
    return Pin(pin)
