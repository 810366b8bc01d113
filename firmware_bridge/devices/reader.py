"""The reader's end of the table: its messages become inputs, and what is on disk is acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.devices import code_books
from firmware_bridge.devices.as_inputs import as_input
from firmware_bridge.devices.frames import Tap
from firmware_bridge.devices.lent_reader import Loan, forget_kept, record_kept
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.shoe.state import is_open
from firmware_bridge.table.stamps import now
from firmware_bridge.table.table import Table
from hardware.errors import PortError
from hardware.ports.port import Port
from hardware.readers import READERS, ReaderSettings, messages

log = logging.getLogger(__name__)

SILENT_AFTER_S: Final = 3.5
"""A board that beats every second and misses three beats is gone."""


class Reader:
    """Owns the reader's port: its messages become inputs, and what is journaled is acknowledged.

    decks: packs in the table's shoe; a code book has one code for each of their cards, or one per face.
    """

    is_out = False
    """See `Lendable`: it can be lent again at once."""

    def __init__(self, config: ReaderConfig, decks: int, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop, self._name, self._protocol = table, loop, config.protocol, READERS[config.protocol]
        settings = ReaderSettings(config.min_quality, config.pattern, config.line_end, config.hold)
        self.decoder = self._protocol.decoder(settings)
        self._book_file, self._decks = config.code_book, decks
        self._book = self._read_book()
        baud = config.baud or self._protocol.baud
        self.port = Port(config.port, baud, loop, self._on_bytes, self._on_lost, self._on_open)
        self.listeners: tuple[Callable[[messages.Message], None], ...] = ()
        """Take each message of the reader after the table has it."""

        self.taps: list[Tap] = []
        """Take each chunk that goes over the line."""

        self._first_open = True
        self._loan: Loan | None = None
        self._away = self._is_missed = False
        self._will = b""
        self._has_kept = self._met_kept = False
        self._heard_at = loop.time()
        self._watch: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Open the port, now or when it appears; a loan that the last daemon made ends like any other."""
        if to := self._table.shoe.device.lent:
            self._loan, self._away = Loan(self._table, to, cut_short=True), True
        self.port.start()
        self._watch = self._loop.call_later(1, self._listen)

    def close(self) -> None:
        """Give the port back."""
        if self._watch:
            self._watch.cancel()
        self.port.close()
        if self._loan:
            self._loan.record()
            if self._will and not self._has_kept:
                self._loan.keep_will(self._will)
        self._loan = None

    def lend(self, to: str) -> dict[str, Any]:
        """Let go of the port; for whoever has it now the last report taken, and what the reader is to be told first."""
        self._meet_kept()
        if self._loan:
            self._loan.record()
        self._loan = Loan(self._table, to)
        self._away = True
        self.port.close()
        return {"report": self._loan.report, "will": self._will.hex()}

    def passed(self, report: ReportNo) -> None:
        """The borrower is about to acknowledge the report of a test card."""
        if self._loan:
            self._loan.passed(report)

    def take_back(self, will: bytes | None, cut_short: bool) -> None:
        """Have the port again; a reader that keeps its reports is ours when it tells none from beat to beat.

        will: None leaves it at what was to be told before. The code book is read again: it may be what was calibrated.
        """
        if self._loan:
            self._loan.record()
            self._loan.cut_short = cut_short
            self._will = self._will if will is None else will
            try:
                self._book = self._read_book()
            except ConfigError as error:
                log.error("%s; the book from before stays in use", error)
            self.port.start()

    def _read_book(self) -> code_books.CodeBook:
        return code_books.load(Path(self._book_file), self._decks) if self._book_file else code_books.plain()

    def acknowledge(self, report: ReportNo) -> None:
        """The report is on disk: the board may forget it."""
        self._write(self.decoder.acknowledge(messages.ReportNo(report.session, report.seq)))

    def status(self) -> dict[str, Any]:
        """The reader as a technician wants to see it; `lost`: its port is gone, or it fell silent."""
        return {
            "protocol": self._name,
            "port": self.port.target,
            "open": self.port.is_open,
            "lost": is_open(self._table.shoe, "reader_lost"),
        }

    def _on_open(self) -> None:
        self._heard_at = self._loop.time()
        self._meet_kept()
        known = self._loan.report if self._loan else self._table.shoe.device.reader
        for tap in self.taps:
            tap.opened()
        self._write(self.decoder.resume(messages.ReportNo(known.session, known.seq) if known else None))
        if self.port.write(self._will):
            self._will = b""
        self._forget_kept()
        if self._loan and not self._protocol.keeps_reports:
            self._loop.call_later(self._protocol.says_again_s, self._loan_over, self._loan)
        elif not self._protocol.keeps_reports:  # a card that passed before the first open is lost too
            self._back(missed=self._first_open)
        self._first_open = False

    def _meet_kept(self) -> None:
        """A technician had the reader while no daemon ran: that is heard once, before anybody has it."""
        if self._met_kept:
            return
        self._met_kept = True
        if kept := record_kept(self._table):
            self._loan, self._away = Loan(self._table, kept.by, bool(kept.will), kept.report), True
            self._will, self._has_kept = kept.will, True

    def _forget_kept(self) -> None:
        """Once it is on record, and the reader was told."""
        if self._has_kept and not self._will and not self._table.disk:
            forget_kept(self._table)
            self._has_kept = False

    def _on_lost(self, why: PortError) -> None:
        self._is_missed = False  # another reason is news
        self._lost(str(why))

    def _lost(self, why: str) -> None:
        if not self._is_missed:
            log.warning("the reader is lost: %s", why)
        self._is_missed = True
        if not is_open(self._table.shoe, "reader_lost"):
            self._table.take(inputs.DeviceLost(**now(), device="reader", why=why))

    def _back(self, missed: bool = False, cut_short: bool = False) -> None:
        if missed or is_open(self._table.shoe, "reader_lost"):
            resumes = self._protocol.keeps_reports and not self._away
            self._table.take(inputs.DeviceBack(**now(), device="reader", resumes=resumes, cut_short=cut_short))
        if self._is_missed or self._away:
            log.info("the reader is back")
        self._away = self._is_missed = False

    def _loan_over(self, loan: Loan) -> None:
        """The reader is ours again; one that was unplugged meanwhile is not yet."""
        if loan is self._loan and self.port.is_open:
            loan.record()
            self._loan = None
            self._back(cut_short=loan.cut_short)

    def _on_bytes(self, chunk: bytes) -> None:
        for tap in self.taps:
            tap.received(chunk)
        for message in self.decoder.feed(chunk):
            for tap in self.taps:
                tap.decoded(message)
            self._heard_at = self._loop.time()
            if self._loan:
                self._test_card(message, self._loan)
            if self._loan is None:
                self._back()
                self._take(message)

    def _test_card(self, message: messages.Message, loan: Loan) -> None:
        """What a reader tells after a loan while it may still say test cards again are test cards.

        Nobody took them, so the dealer is asked: one may be a card of a shoe.
        """
        match message:
            case messages.Beat():
                if loan.is_quiet:
                    self._loan_over(loan)
                loan.is_quiet = True
            case messages.Repeat(report=report):
                loan.is_quiet = False
                self._write(self.decoder.acknowledge(report))
            case messages.Read(report=report) | messages.Unread(report=report):
                loan.cut_short, loan.is_quiet = True, False
                if report:
                    loan.passed(ReportNo(report.session, report.seq))
                    self._write(self.decoder.acknowledge(report))

    def _take(self, message: messages.Message) -> None:
        self._tell(message)
        for hear in self.listeners:
            hear(message)

    def _tell(self, message: messages.Message) -> None:
        if isinstance(message, messages.Repeat):
            self._write(self.decoder.acknowledge(message.report))
        elif told := as_input(message, self._book):
            self._table.take(told)
        if isinstance(message, messages.Hello) and not self._table.disk:
            self._write(self.decoder.greet(message))

    def _write(self, chunk: bytes) -> None:
        for tap in self.taps:
            tap.sent(chunk)
        self.port.write(chunk)

    def _listen(self) -> None:
        """Notice a board that fell silent although its port is there."""
        self._watch = self._loop.call_later(1, self._listen)
        self._forget_kept()
        silent = self._loop.time() - self._heard_at
        if self.port.is_open and self._protocol.keeps_reports and silent > SILENT_AFTER_S:
            self._lost(f"no word from the reader for {silent:.0f} s: check its power and cable")

