"""The reader of a table: its messages become inputs, and reports on disk are acknowledged."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.devices.frames import Tap
from firmware_bridge.daemon.devices.hearing import Fault, Hearing
from firmware_bridge.daemon.devices.leased import LeasedReader, delete_left, report_left
from firmware_bridge.daemon.devices.losses import Losses
from firmware_bridge.daemon.devices.reader_alarms import SHARED, Holders, reason, show_fault
from firmware_bridge.daemon.devices.reader_inputs import as_input, is_garbled, meaning
from firmware_bridge.daemon.devices.reader_limits import FloodLimit, Greetings, RestartLimiter
from firmware_bridge.daemon.devices.reader_settings import settings
from firmware_bridge.daemon.devices.repeats import ReadAgain
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.fair_turns import Turns
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.facts.inputs import Person, ReportNo
from firmware_bridge.facts.printable import escaped
from firmware_bridge.shoe.state import is_open
from firmware_bridge.topics.texts.refusals import english
from hardware.errors import PortError
from hardware.ports import Port, others
from hardware.readers import READERS, messages

log = logging.getLogger(__name__)

SILENT_AFTER_S: Final = 3.5
"""Seconds without a message after which a board is lost: it beats every second."""


class Reader:
    """Owns the reader's port: messages become inputs, journaled reports are acknowledged. decks, pack: of the book."""

    is_out = False
    """See `Leasable`: the reader can be leased again at once."""

    def __init__(
        self, config: ReaderConfig, decks: int, pack: code_books.Pack, table: Table, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._table, self._loop, self._name, self._protocol = table, loop, config.protocol, READERS[config.protocol]
        self.again = ReadAgain(config, table, self._act_on, self._drop, loop)
        self._config, self._decks, self._pack = config, decks, pack
        self._book = code_books.of_reader(config, decks, pack)
        self.decoder = self._protocol.decoder(settings(config, self._book, self.again.repeats))
        baud = config.baud or self._protocol.baud
        self.port = Port(config.port, baud, loop, self._on_bytes, self._on_lost, self._on_open)
        self.listeners: tuple[Callable[[messages.Message], None], ...] = ()
        """Called with each message of the reader, after the table."""

        self.taps: list[Tap] = []
        """Called with each chunk on the line, both ways."""

        self._first_open = True
        self._leased: LeasedReader | None = None
        self._away, self._losses = False, Losses()
        self._restore = b""
        self._restarts, self._has_left, self._met_left = RestartLimiter(), False, False
        self._turns = Turns[messages.Message](self._on_message, self._hold, loop)
        self._greetings = Greetings(self.port, self.decoder, self._turns, loop)
        self._flood, self._is_faulty, self._was_open = FloodLimit(config.most_a_second, loop), False, False
        self._garbled, self._may_miss = 0, False
        self._holders = Holders(config.port, loop)
        self._heard_at = loop.time()
        self.hearing = Hearing(loop, self._understood, lambda: self._turns.are_due, self._on_fault, self._on_rest)
        self._watch: asyncio.TimerHandle | None = None
        self._quiet: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Open the port, now or when it appears. A lease of the last daemon ends as any other."""
        if to := self._table.shoe.device.lent:
            self._leased, self._away = LeasedReader(self._table, to, cut_short=True), True
        self._is_faulty = self._was_open = is_open(self._table.shoe, "reader_fault")
        self._flood.begin(self._table.shoe)
        self._open()
        self._watch = self._loop.call_later(1, self._listen)

    def close(self) -> None:
        """Close the port."""
        if self._watch:
            self._watch.cancel()
        if self._quiet:
            self._quiet.cancel()
        with suppress(Exception):  # a table that failed takes none, and has said why
            self._turns.drain()  # a reader that does not repeat has sent them
            self.again.settle("nothing")
        self._greetings.close()
        self._close_port()
        if self._leased:
            self._leased.journal()
            if self._restore and not self._has_left:
                self._leased.leave_behind(self._restore)
        self._leased = None

    def lease(self, to: str, person: Person | UnsetType = UNSET) -> dict[str, Any]:
        """Release the port; return the last report handled, and bytes in hex to write to the reader first."""
        self._turns.drain()
        self._meet_left()
        if self._leased:
            self._leased.journal()
        self._leased = LeasedReader(self._table, to, person=person)
        self._away = True
        self._close_port()
        return {"report": self._leased.report, "restore": self._restore.hex()}

    def passed(self, report: ReportNo) -> None:
        """Count a test card before the technician acknowledges its report."""
        if self._leased:
            self._leased.passed(report)

    def reclaim(self, restore: bytes | None, cut_short: bool) -> None:
        """Open the port again; the lease of a reader that keeps its reports ends with a beat without reports.

        restore: bytes to write to the reader first; None: those left before. Code book and `repeats` are read again:
        they may have been calibrated.
        """
        if self._leased:
            self._leased.journal()
            self._leased.cut_short = cut_short
            self._restore = self._restore if restore is None else restore
            try:
                self._book = code_books.of_reader(self._config, self._decks, self._pack)
            except ConfigError as error:
                log.error("%s; the old code book stays in use", error)
            self.decoder.set(settings(self._config, self._book, self.again.measured()))
            self._open()

    def changed(self) -> None:
        """Open the port again, once the pit has decided about the reader's fault."""
        was_open, self._was_open = self._was_open, is_open(self._table.shoe, "reader_fault")
        if was_open and not self._was_open:
            self._is_faulty, self._away = False, True
            self._flood.forgive()
            self._loop.call_soon(self._open)  # later: an entry is being handled

    def acknowledge(self, report: ReportNo) -> None:
        """Acknowledge a report that is on disk: the board may delete it."""
        self._write(self.decoder.acknowledge(messages.ReportNo(report.session, report.seq)))

    def status(self) -> dict[str, Any]:
        """Return the reader's state for a technician; `lost`: port gone or silent. heard: see `Hearing`."""
        return {
            "protocol": self._name,
            "port": self.port.target,
            "open": self.port.is_open,
            "lost": is_open(self._table.shoe, "reader_lost"),
            "losses": self._losses.count,
            "serial": self._table.shoe.device.serial or "",
            "heard": self.hearing.status(),
        }

    def _close_port(self) -> None:
        self.port.close()
        self.hearing.closed()
        self._holders.closed()

    def _on_fault(self, fault: Fault) -> None:
        self._may_miss = self._may_miss or (bool(fault) and not self._protocol.keeps_reports)
        show_fault(self._table, self._name, fault)

    def _on_rest(self, since: float) -> None:
        """Report the card of which another program at the port left a part that says nothing by itself.

        A numbered report comes again, or its number is missing.
        """
        is_numbered = self._protocol.keeps_reports or self._protocol.judges
        if is_numbered or not self._holders.found or self._heard_at >= since or self.decoder.waits_s is not None:
            return
        self.decoder.forget()
        list(self.decoder.feed(b""))  # it is quiet: the next line is whole
        self._turns.receive(iter([messages.Unread(SHARED)]))

    def _on_open(self) -> None:
        self._heard_at = self._loop.time()
        self.hearing.opened()
        if not self._protocol.keeps_reports:
            self._greetings.opened()
        self._meet_left()
        known = self._leased.report if self._leased else self._table.shoe.device.reader
        for tap in self.taps:
            tap.opened()
        self._write(self.decoder.resume(messages.ReportNo(known.session, known.seq) if known else None))
        if self.port.write(self._restore):
            self._restore = b""
        self._delete_left()
        self._holders.opened()
        if more := others(self.port.target):
            log.warning("serial adapters beside the reader's, each a keypad's or nobody's: %s", ", ".join(more))
        if self._leased and not self._protocol.keeps_reports:
            self._loop.call_later(self._protocol.repeats_within_s, self._end_lease, self._leased)
        elif not self._protocol.keeps_reports and self._may_be_back():
            self._back(missed=self._first_open or self._away)  # a card that passed before the first open is lost too
        self._first_open, self.again.is_fresh = False, True

    def _meet_left(self) -> None:
        """Read the file of a `shoe calibrate` without a daemon: once, before the reader is opened or leased."""
        if self._met_left:
            return
        self._met_left = True
        if left := report_left(self._table):
            self._leased, self._away = LeasedReader(self._table, left.by, bool(left.restore), left.report), True
            self._restore, self._has_left = left.restore, True

    def _delete_left(self) -> None:
        """Delete the file of `shoe calibrate` once it is journaled and the reader restored."""
        if self._has_left and not self._restore and not self._table.disk:
            delete_left(self._table)
            self._has_left = False

    def _on_lost(self, why: PortError) -> None:
        self.hearing.closed()
        self._holders.closed()
        self._lost(type(why), reason(why))

    def _lost(self, kind: type[Exception], why: Phrase) -> None:
        if self._losses.lost(kind, self._loop.time()):
            times = f", {self._losses.count} times" if self._losses.count > 1 else ""
            log.warning("the reader is lost%s: %s", times, english(why))
        if not is_open(self._table.shoe, "reader_lost"):
            lost = inputs.DeviceLost(**now(), device="reader", code=why.code, values=why.values)
            self._table.handle(lost)

    def _may_be_back(self) -> bool:
        return self._losses.may_be_back(self._loop.time(), self.port.cut_short)

    def _back(self, missed: bool = False, cut_short: bool = False) -> None:
        was_lost, losses = self._losses.is_lost, self._losses.back()
        if missed or is_open(self._table.shoe, "reader_lost"):
            resumes = self._protocol.keeps_reports and not self._away
            back = inputs.DeviceBack(**now(), device="reader", resumes=resumes, cut_short=cut_short)
            self._table.handle(replace(back, losses=losses) if losses > 1 else back)
            self._may_miss = False  # the dealer compares all now
        if was_lost or self._away:
            log.info("the reader is back%s", f", lost {losses} times" if losses > 1 else "")
        self._away = False

    def _end_lease(self, leased: LeasedReader) -> None:
        """End the lease: cards count again, unless the reader was unplugged."""
        if leased is self._leased and self.port.is_open:
            leased.journal()
            self._leased = None
            self._back(cut_short=leased.cut_short)

    def _on_bytes(self, chunk: bytes) -> None:
        if chunk:
            self._greetings.received()
        for tap in self.taps:
            tap.received(chunk)
        self._turns.receive(iter(self.decoder.feed(chunk)))
        if chunk:
            self.hearing.received()
        self._await_quiet()
        if self._is_faulty and not self._turns.are_due:
            self._close_port()

    def _await_quiet(self) -> None:
        """Tell the decoder of quiet in time, where it waits for that to know whether a card was read."""
        if self._quiet:
            self._quiet.cancel()
        wait = None if self._turns.are_due else self.decoder.waits_s
        self._quiet = None if wait is None else self._loop.call_later(wait, self._on_bytes, b"")

    def _on_message(self, message: messages.Message) -> None:
        for tap in self.taps:
            tap.decoded(message)
        self._heard_at = self._loop.time()
        self._garbled += isinstance(message, messages.Read) and is_garbled(message, self._book)
        if not self._is_foreign(message):
            self.port.understood()
            if self._may_miss and isinstance(message, messages.Read):
                message, self._may_miss = replace(message, gap=True), False
        elif not self._protocol.keeps_reports and self._greetings.has(message):
            self.decoder.bad += 1
            return
        if self._leased:
            self._test_card(message, self._leased)
        if self._leased is None:
            if isinstance(message, messages.Read | messages.Unread | messages.CutCard) or self._may_be_back():
                self._back()
            self._handle(message)

    def _understood(self) -> int:
        """Return how many frames were understood: text that no book can have was not, though its line was whole."""
        return self.decoder.good - self._garbled

    def _is_foreign(self, message: messages.Message) -> bool:
        """Return whether it is no card of the book."""
        return isinstance(message, messages.Unread) or (
            isinstance(message, messages.Read) and meaning(message, self._book) is None
        )

    def _hold(self, is_held: bool) -> None:
        """Leave the port unread while messages wait; one at fault is closed after the last."""
        self.port.hold(is_held)
        if not is_held:
            self._await_quiet()
        if self._is_faulty and not is_held:
            self._close_port()

    def _open(self) -> None:
        """Open the port, unless the reader is at fault."""
        if not self._is_faulty:
            self.port.start()

    def _end_flood(self, why: Phrase) -> None:
        """Report a reader at fault; what was read of it is still handled, the rest is left unread."""
        log.error("%s: the reader's port is closed", english(why))
        self._is_faulty = True
        self._table.handle(inputs.ReaderFaulted(**now(), code=why.code, values=why.values))

    def _test_card(self, message: messages.Message, leased: LeasedReader) -> None:
        """Handle a message before the lease ends: reports are acknowledged, none is dealt.

        The lease ends after a beat without reports. A report that the technician did not handle makes the dealer
        confirm the table: it may be a card of the shoe.
        """
        match message:
            case messages.Beat():
                if leased.is_quiet:
                    self._end_lease(leased)
                leased.is_quiet = True
            case messages.Repeat(report=report):
                leased.is_quiet = False
                self._write(self.decoder.acknowledge(report))
            case messages.Read(report=report) | messages.Unread(report=report):
                leased.cut_short, leased.is_quiet = True, False
                if report:
                    leased.passed(ReportNo(report.session, report.seq))
                    self._write(self.decoder.acknowledge(report))

    def _handle(self, message: messages.Message) -> None:
        self.again.receive(message, self._book)

    def _act_on(self, message: messages.Message) -> None:
        if isinstance(message, messages.Repeat):
            self._write(self.decoder.acknowledge(message.report))
        elif not isinstance(message, messages.Hello):
            if fact := as_input(message, self._book):
                self._table.handle(self._holders.named(fact))
                if not self._is_faulty and (why := self._flood.fault(fact, self._table.shoe)):
                    self._end_flood(why)
        elif self._restarts.may_note(message.session, self._table, self._loop.time()):
            serial = escaped(message.serial)
            if (known := self._table.shoe.device.serial) and serial not in ("", known):
                log.warning("another reader is plugged in: its serial number is %s, and was %s", serial, known)
            self._table.handle(inputs.ReaderBooted(**now(), session=message.session, serial=serial))
            if not self._table.disk:
                self._write(self.decoder.greet(message))
        for listener in self.listeners:
            listener(message)

    def _drop(self, read: messages.Read) -> None:
        """Drop a report of the card before; its number is acknowledged."""
        if read.report:
            self._write(self.decoder.acknowledge(read.report))

    def _write(self, chunk: bytes) -> None:
        for tap in self.taps:
            tap.sent(chunk)
        self.port.write(chunk)

    def _ask_again(self) -> None:
        """Send a command again that stays unanswered."""
        if chunk := self.decoder.again():
            self._write(chunk)
        self.hearing.asked(self.decoder.unanswered)

    def _listen(self) -> None:
        """Report a board that is silent while its port is open."""
        self._watch = self._loop.call_later(1, self._listen)
        self._delete_left()
        if self.port.is_open:
            self._ask_again()
        silent = self._loop.time() - self._heard_at
        if self.port.is_open and self._protocol.keeps_reports and silent > SILENT_AFTER_S:
            if self._losses.is_lost:
                self._losses.silent(self._loop.time())
            else:
                self._lost(TimeoutError, phrase("reader_silent", seconds=round(silent)))
        elif self._may_be_back_unheard():
            self._back(missed=self._away)

    def _may_be_back_unheard(self) -> bool:
        """Return whether a reader that may say nothing for hours is back: its port is open, and stays so."""
        is_away = self._away or self._losses.is_lost
        is_daemons = self.port.is_open and self._leased is None
        return is_away and is_daemons and not self._protocol.keeps_reports and self._may_be_back()
