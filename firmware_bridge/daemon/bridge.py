"""Wires the bridge: devices, the table, the link to the broker."""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge import __version__
from firmware_bridge.config.code import changed_files, code_of, installed_by
from firmware_bridge.config.load import broker_settings, digests, machine_id
from firmware_bridge.config.sections import Config
from firmware_bridge.config.systemd import Systemd
from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.daemon.devices.health import Health
from firmware_bridge.daemon.devices.hearing import last_heard
from firmware_bridge.daemon.devices.keypads import Keypads
from firmware_bridge.daemon.devices.leased import PinLease
from firmware_bridge.daemon.devices.panel import Panel
from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.daemon.devices.repeats import Behind, OfWhich
from firmware_bridge.daemon.devices.retention_service import RetentionService
from firmware_bridge.daemon.devices.sensors import ExitSensor, Sensors
from firmware_bridge.daemon.devices.watch import Watch
from firmware_bridge.daemon.devices.wires import input_pins, output_pins, wires
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.control import Control
from firmware_bridge.daemon.table.disk_outage import words
from firmware_bridge.daemon.table.fair_turns import Window, begun
from firmware_bridge.daemon.table.leases import Leasable
from firmware_bridge.daemon.table.opening import Opened, open_journal
from firmware_bridge.daemon.table.order_service import OrderService
from firmware_bridge.daemon.table.recorder import Recorder, device_name
from firmware_bridge.daemon.table.second_login import SecondLogin
from firmware_bridge.daemon.table.signed_orders import SignedOrders
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.uplink import LastWord, Uplink
from firmware_bridge.errors import JournalError, in_words
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book import measures
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.journal.files import InUse, refuse_second
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.round import due
from firmware_bridge.shoe.state import is_open, stuck
from hardware.pins.pin import PinFactory, pin_factory
from hardware.readers import READERS


def startup_log(config: Config, shoe: Shoe) -> str:
    """Return the start of a table as one line for the log."""
    pins = len(wires(config))
    parts = (
        f"version {__version__}",
        f"table {config.table.id}, {config.table.game}",
        f"reader {config.reader.protocol} at {config.reader.port}",
        f"pins {config.pins.factory}, {pins} wires" if pins else "no pins",
        f"journal {shoe.journal} in {config.journal.dir}, entry {shoe.seq}",
        f"shoe {shoe.number} {shoe.status}, round {shoe.round}" if shoe.number else "no shoe yet",
    )
    return "; ".join(parts)


log = logging.getLogger(__name__)

DAMAGED_SHOWN_S: Final = 10.0
"""Seconds that an untrusted journal is shown before the process ends: enough for broker and people."""

CLIENT_NAME: Final = "client-name"
"""The file with the random part of the client id, in the journal's directory."""

MISSED_A_MINUTE: Final = 10
"""Cards that left the shoe without a report, which are journaled within a minute at most: each opens `reader_gap`."""

UNSYNCED_SHOWN_S: Final = 3.0
"""Seconds that a disk is shown which did not confirm the first entry, before the process ends."""

MOST_CHANGED: Final = 20
"""Changed files of the software that go on record, at most."""

Result = TypeVar("Result")


class Bridge:
    """A whole table, built from a config for the running loop: `run` it until `stop`, or `open` and `close` it.

    pins, broker: in place of those in the config. has_reader: False opens neither the reader's port nor the control
    socket; cards then come by `table.handle`. silent_s: seconds after which a silent receiver of `stored` is an alarm.

    Raises ConfigError, InUse or PinError before it opens or writes anything.
    """

    def __init__(
        self,
        config: Config,
        pins: PinFactory | None = None,
        broker: BrokerSettings | None = None,
        *,
        has_reader: bool = True,
        silent_s: float | None = None,
    ) -> None:
        self.config, self._loop, self._has_reader = config, asyncio.get_running_loop(), has_reader
        self._systemd = Systemd()
        settings = broker or broker_settings(config)
        self.pins = pins or (pin_factory(config.pins.factory) if wires(config) else None)
        self._stopped, self._is_linked, self._has_begun = asyncio.Event(), False, False
        self._last_word: LastWord = "lost"
        self._checking: asyncio.Task[None] | None = None
        self._recalling: asyncio.Task[None] | None = None
        self.journal = Journal(Path(config.journal.dir), self._begun)
        refuse_second(self.journal.directory)
        self._client_name = _client_name(self.journal.directory)
        if broker is None and config.mqtt.client_id is None:
            settings = replace(settings, client_id=f"{settings.client_id}-{self._client_name}")
        self.panel = Panel(config, self.pins, self._loop)
        self.table = Table(
            self.journal,
            config.table.id,
            self.panel,
            lambda report: self.reader.acknowledge(report),
            self.publishing,
            self._changed,
            self._loop,
            looks_ahead=has_reader,
        )
        mqtt = config.mqtt
        self.order_service = OrderService(
            self.table, lambda part: self.uplink.resend(part), lambda: self.uplink.outbox.resends.is_full
        )
        prefix = f"{mqtt.root}/{config.table.id}"
        self.signed_orders = SignedOrders(config.orders, mqtt.order_window, self.table, prefix, mqtt.commands)
        orders = self.order_service, mqtt.commands, self.signed_orders
        self.recorder = Recorder(self.table, config.record, device_name(machine_id(), config.table.id))
        ways = *orders, self.recorder, self._loop
        self.uplink = Uplink(self.table, prefix, settings, *ways, mqtt.live_odds, mqtt.stored, silent_s)
        self.keeping = RetentionService(config.journal, self.table, self.uplink.acknowledged.sync, self._loop)
        self.reader = Reader(config.reader, config.table.decks, config.rules.pack, self.table, self._loop)
        self._missing = Window(MISSED_A_MINUTE, 60.0)
        exit_sensor = ExitSensor(self._can_read, self._missed, self._loop)
        self.health = Health(config, self.reader, self._condition, self._publish_health, self._loop)
        if config.pins.presence is not None:
            self.reader.again.of_which = partial(self._by_exit, exit_sensor)
            self.reader.again.has_exit = lambda: exit_sensor.works and "presence" not in stuck(self.table.shoe)
            exit_sensor.on_entered = self.reader.again.settle
        self.reader.listeners = (exit_sensor.heard, self.health.heard)
        self.sensors = Sensors(config, self.table, exit_sensor, self.pins, self._loop)
        self.keypads = Keypads(config.keypad, self.table, self._loop)
        self._pin_lease = PinLease(self.reader, self._let_go_of_pins, self._claim_pins, self._loop)
        devices: dict[str, Leasable] = {"reader": self.reader, "pins": self._pin_lease}
        states = self.uplink.status, self.reader.status, self.health.live
        read = {"at": time.time(), "sections": digests(config)}
        tools = self._watch()
        orders_to = config.control, self.table, self.order_service
        second = SecondLogin(self.table, config.rights.two_people == "login")
        pads = self.keypads.status
        self.control = Control(
            *orders_to, *states, devices, tools, config=read, recorder=self.recorder, second=second, keypads=pads
        )

    async def run(self) -> None:
        """Work until `stop`, then close. Raises JournalError, after showing it, for an untrusted journal.

        Raises ConfigError for another table's journal.
        """
        beat = begun(_beat(self._systemd), self._loop)
        try:
            opened = await self._until_stopped(open_journal(self.table, self._show_stopped))
            if opened:
                await self._begin(opened)
                await self._stopped.wait()
            self._systemd.notify("STOPPING=1")
        except InUse:
            raise
        except JournalError:
            await self._until_stopped(asyncio.sleep(DAMAGED_SHOWN_S))
            if not self._stopped.is_set():
                raise
        except SyncFailed:  # at the very first entry
            await self._show_stopped()
            await asyncio.sleep(UNSYNCED_SHOWN_S)
            raise
        finally:
            beat.cancel()
            await self.close()

    async def open(self) -> None:
        """Open the journal and begin to deal. Raises JournalError, InUse as `open_journal` does."""
        await self._begin(await open_journal(self.table, self._show_stopped))

    def publishing(self, line: Line) -> Callable[[], None]:
        """Return a function that publishes a line of the journal, to be called once the line is on disk."""
        return self.uplink.publishing(line)

    async def _begin(self, opened: Opened) -> None:
        """Begin to deal, with the journal open."""
        self.uplink.begin(opened)
        self.sensors.claim()  # before anything is written: with a pin in use, the service restarts again and again
        self.keeping.start()
        record, code = self.recorder.begin(), code_of(digests(self.config))
        keys = self.signed_orders.public()
        self.table.start(self.config.house, record=record, code=code, installed_by=installed_by(), order_keys=keys)
        _keep_client_name(self.journal.directory, self._client_name)
        await self._go_public()
        if self._has_reader:
            self.reader.start()
            self._recalling = begun(self._recall_reader(code.config), self._loop)
        self.keypads.start()
        self.health.start()
        self._try_out()
        self._checking = begun(self._check_code(), self._loop)
        log.info("%s", startup_log(self.config, self.table.shoe))
        self._has_begun = True
        self._systemd.notify("READY=1", f"STATUS=table {self.config.table.id}")

    async def _recall_reader(self, config: str) -> None:
        """Look up when the reader was understood before this start, unless it beats."""
        if READERS[self.config.reader.protocol].keeps_reports:
            return
        if at := await asyncio.to_thread(last_heard, self.journal.directory, config):
            self.reader.hearing.known(at)

    async def _check_code(self) -> None:
        """Put on record which files of the running software were changed."""
        if changed := await asyncio.to_thread(changed_files):
            log.warning("files of the software differ from what was installed: %s", ", ".join(changed))
            self.table.handle(inputs.CodeChecked(**now(), changed=tuple(changed[:MOST_CHANGED])))

    async def _show_stopped(self) -> None:
        """Show technician and backend a table that cannot begin; panel and table show it already."""
        try:
            await self._go_public()
        except OSError as error:
            log.warning("the control socket cannot be opened (%s)", in_words(error))
        assert self.table.disk
        self._systemd.notify("READY=1", f"STATUS=table {self.config.table.id}: {words(self.table.disk)}")

    async def _go_public(self) -> None:
        if not self._is_linked:
            self._is_linked = True
            self.uplink.start()
        if self._has_reader:
            await self.control.start()

    async def _until_stopped(self, work: Coroutine[Any, Any, Result]) -> Result | None:
        """Return the result of `work`, None where `stop` came first."""
        doing, stopped = self._loop.create_task(work), self._loop.create_task(self._stopped.wait())
        await asyncio.wait((doing, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if doing.done():
            return doing.result()
        doing.cancel()
        return None

    def stop(self, last_word: LastWord = "stopped") -> None:
        """End `run`; the topic `status` is then `last_word`."""
        if not self._stopped.is_set():
            self._last_word = last_word
        self._stopped.set()

    async def close(self) -> None:
        """Close every part, the last opened first, even if one fails."""
        async with contextlib.AsyncExitStack() as parts:
            for first in (self.journal, self.panel, self.table):
                parts.callback(first.close)
            parts.push_async_callback(self.uplink.close, self._last_word)
            parts.push_async_callback(self.control.close)
            for task in filter(None, (self._checking, self._recalling)):
                task.cancel()
            for each in (self.keeping, self.sensors, self.keypads, self.reader, self.health, self._pin_lease):
                parts.callback(each.close)
        if self._has_begun:
            log.info("%s; journal %s, entry %d", self._last_word, self.table.shoe.journal, self.table.shoe.seq)

    def _begun(self) -> None:
        """Report a new journal file to the loop, from the journal's thread."""
        self._loop.call_soon_threadsafe(self.keeping.begun)

    def _watch(self) -> Watch:
        """Return the view of a technician; no card of an open shoe, nor of one that the next card opens."""

        def secret() -> bool:
            shoe = self.table.shoe
            is_known = self.table.begun
            return not is_known or shoe.status == "open" or bool(shoe.held) or self.config.table.new_shoe == "auto"

        ins, outs = input_pins(self.config), output_pins(self.config)
        return Watch(self.reader, READERS[self.config.reader.protocol].frames, self.pins, ins, outs, secret)

    def _changed(self) -> None:
        for each in (self.uplink, self.control, self.sensors, self.keypads, self.reader):
            each.changed()

    def _publish_health(self, health: measures.Health) -> None:
        self.keeping.watch(health.disk_free_mb)
        self.uplink.publish_health(health)

    def _let_go_of_pins(self) -> None:
        self.keypads.close()
        self.sensors.close()
        lit, self.panel = self.panel, Panel(Config(table=self.config.table), None, self._loop)
        self.table.light(self.panel)
        lit.close()

    def _claim_pins(self) -> None:
        self._let_go_of_pins()  # those claimed before another one failed
        self.panel = Panel(self.config, self.pins, self._loop)
        self.table.light(self.panel)
        self.sensors.claim(is_back=True)
        self.keypads.start()

    def _try_out(self) -> None:
        """Test all lamps for a moment, unless a card is due: then no other lamp may be lit."""
        shoe = self.table.shoe
        if due(shoe) is None and not shoe.laid and not shoe.device.irregular:
            self.panel.try_lamps()

    def _condition(self) -> dict[str, Any]:
        """Return the part of `health` about queue, orders, lamps and sensors; `faults` is None before the lamp test."""
        faults = self.panel.faults
        restless = [f"{name} is active" for name in self.sensors.not_at_rest()]
        known_faults = None if faults is None else (*faults, *restless)
        return {
            "queue": self.uplink.queue(),
            "faults": known_faults,
            "orders_refused": self.uplink.backend.refused,
            "unmarked": self.table.shoe.device.unmarked or {},
            "keypads": self.keypads.heard() or UNSET,
            "certificate_days": UNSET if (days := self.uplink.certificates.days) is None else days,
            "acts": UNSET if (acts := self.table.shoe.device.acts) is UNSET else acts.acts,
        }

    def _can_read(self) -> bool:
        """Return whether a card that leaves the shoe would be reported now."""
        return self.reader.port.is_open and not is_open(self.table.shoe, "reader_lost")

    def _by_exit(self, exit_sensor: ExitSensor, behind: Behind) -> OfWhich:
        """Return which card a code that is read again is of; a stuck sensor does not know."""
        return "unknown" if "presence" in stuck(self.table.shoe) else exit_sensor.of_which(behind)

    def _missed(self) -> None:
        if not self._missing.admits(self._loop.time()):
            return  # noted often enough: the sensor at the exit flaps
        self.table.handle(inputs.ReaderSaid(**now(), what="a card left the shoe and was not reported", gap=True))


def _client_name(directory: Path) -> str:
    """Return eight hex digits, drawn once: a client id that another login can guess can be taken over."""
    try:
        return f"{int(text_in(directory / CLIENT_NAME, 'ascii'), 16):08x}"[:8]
    except (OSError, ValueError):
        return secrets.token_hex(4)


def _keep_client_name(directory: Path, name: str) -> None:
    """Save the client id for the next start, which draws another one where that is impossible."""
    with contextlib.suppress(OSError):
        if _client_name(directory) != name:
            write_whole(directory / CLIENT_NAME, name)


async def _beat(systemd: Systemd) -> None:
    """Send the watchdog beat from this loop, so that a hanging loop is noticed."""
    while systemd.beat_s:
        systemd.notify("WATCHDOG=1")
        await asyncio.sleep(systemd.beat_s)
