"""The reader's end of the table: its messages become inputs, and what is on disk is acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from firmware_bridge import codes
from firmware_bridge.cards import Serial
from firmware_bridge.daemon import Table
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs as i
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.settings import ReaderConfig
from firmware_bridge.shoe.state import is_open
from firmware_bridge.stamps import nonce, now
from firmware_bridge.wiring.loan import Loan, forget_kept, record_kept
from hardware import reads
from hardware.errors import PortError
from hardware.port import Port
from hardware.readers import BAUD, KEEPS_REPORTS, READERS, ReaderSettings

log = logging.getLogger(__name__)

SILENT_AFTER_S: Final = 3.5
"""A board that beats every second and misses three beats is gone."""


class Reader:
    """Owns the reader's port: its messages become inputs, and what is journaled is acknowledged.

    decks: packs in the table's shoe; a code book has one code for each of their cards, or one per face.
    """

    def __init__(self, config: ReaderConfig, decks: int, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop, self._protocol = table, loop, config.protocol
        settings = ReaderSettings(config.min_quality, config.pattern, config.line_end, config.hold)
        self.decoder = READERS[config.protocol](settings)
        self._book_file, self._decks = config.code_book, decks
        self._book = self._read_book()
        self._keeps_reports = config.protocol in KEEPS_REPORTS
        self.port = Port(
            config.port, config.baud or BAUD[config.protocol], loop, self._on_bytes, self._on_lost, self._on_open
        )
        self.listeners: tuple[Callable[[reads.Message], None], ...] = ()
        """They hear each message of the reader after the table has it."""

        self._first_open = True
        self._loan: Loan | None = None
        self._away = False
        self._will = b""
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
        if self._loan:
            self._loan.record()
        self._loan = None

    def lend(self, to: str) -> dict[str, Any]:
        """Let go of the port; the last report taken, for whoever has it now."""
        self._loan = Loan(self._table, to)
        self._away = True
        self.port.close()
        return {"mark": self._loan.mark}

    def passed(self, mark: Mark) -> None:
        """The borrower is about to acknowledge the report of a test card."""
        if self._loan:
            self._loan.passed(mark)

    def take_back(self, will: bytes) -> None:
        """Have the port again; a reader that keeps its reports is ours at its first beat, not before.

        The code book is read again too: it may be what was calibrated.
        """
        if self._loan:
            self._loan.record()
            self._will = will
            try:
                self._book = self._read_book()
            except ConfigError as error:
                log.error("%s; the book from before stays in use", error)
            self.port.start()

    def pause(self, why: str) -> None:
        """Take no cards until `go_on`; a reader that keeps its reports tells them afterwards."""
        self._table.tell(i.DeviceLost(**now(), device="reader", why=why, mark=self._table.shoe.reader))
        self._away = True
        self.port.close()

    def go_on(self) -> None:
        """Take cards again."""
        self.port.start()

    def _read_book(self) -> codes.CodeBook:
        return codes.load(Path(self._book_file), self._decks) if self._book_file else codes.plain()

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
        kept = record_kept(self._table)
        known = self._table.shoe.reader
        self.port.write(self.decoder.resume(reads.Mark(known.session, known.seq) if known else None))
        self.port.write(self._will)
        self._will = b""
        if kept:
            self._away |= bool(kept.count)
            self.port.write(kept.will)
            forget_kept(self._table)
        if not self._keeps_reports:  # a card that passed before the first open is lost too
            self._back(missed=self._first_open)
            self._loan = None
        self._first_open = False

    def _on_lost(self, why: PortError) -> None:
        self._lost(str(why))

    def _lost(self, why: str) -> None:
        if not is_open(self._table.shoe, "reader_lost"):
            self._table.tell(i.DeviceLost(**now(), device="reader", why=why))

    def _back(self, missed: bool = False) -> None:
        if missed or is_open(self._table.shoe, "reader_lost"):
            resumes = self._keeps_reports and not self._away
            self._table.tell(i.DeviceBack(**now(), device="reader", resumes=resumes))
        self._away = False

    def _on_bytes(self, chunk: bytes) -> None:
        for message in self.decoder.feed(chunk):
            self._heard_at = self._loop.time()
            if self._loan is None or self._returned(message, self._loan):
                self._back()
                self._take(message)

    def _returned(self, message: reads.Message, loan: Loan) -> bool:
        """Whether a reader that was lent is ours again; what it tells before its first beat were test cards."""
        match message:
            case reads.Repeat(mark=mark):
                self.port.write(self.decoder.acknowledge(mark))
            case reads.Read(mark=mark) | reads.Unread(mark=mark) if mark:
                loan.passed(Mark(mark.session, mark.seq))
                self.port.write(self.decoder.acknowledge(mark))
            case reads.Beat():
                loan.record()
                self._loan = None
        return self._loan is None

    def _take(self, message: reads.Message) -> None:
        self._tell(message)
        for hear in self.listeners:
            hear(message)

    def _tell(self, message: reads.Message) -> None:
        match message:
            case reads.Read():
                self._table.tell(self._card(message))
            case reads.Unread(reason=reason):
                self._table.tell(
                    i.CardUnread(**now(), reason=reason, nonce=nonce(), mark=_mark(message.mark), gap=message.gap)
                )
            case reads.Repeat(mark=mark):
                self.port.write(self.decoder.acknowledge(mark))
            case reads.CutCard():
                self._table.tell(i.CutCardSeen(**now(), by="reader"))
            case reads.Verdict():
                self._table.tell(_result(message))
            case reads.Said(what=what, gap=gap):
                self._table.tell(i.ReaderSaid(**now(), what=what, gap=gap))
            case reads.Hello(session=session):
                self._table.tell(i.ReaderBooted(**now(), session=session))
                if not self._table.disk:
                    self.port.write(self.decoder.greet(message))

    def _card(self, read: reads.Read) -> i.AnyInput:
        """The input a reader's code stands for; a code in no book is an unread card, never a guess."""
        mark = _mark(read.mark)
        known = codes.native(read.code) if isinstance(read.code, int) else self._book.get(read.code)
        if known is None:
            return i.CardUnread(**now(), reason="unknown code", nonce=nonce(), mark=mark, gap=read.gap)
        if known.card is None:
            return i.CutCardSeen(**now(), by="reader", mark=mark, gap=read.gap)
        return i.CardRead(
            **now(),
            card=known.card,
            nonce=nonce(),
            mark=mark,
            lot=known.lot,
            quality=read.quality,
            flags=_flags(read),
            gap=read.gap,
            slot=read.slot,
            serial=Serial(known.serial) if known.serial else None,
        )

    def _listen(self) -> None:
        """Notice a board that fell silent although its port is there."""
        self._watch = self._loop.call_later(1, self._listen)
        silent = self._loop.time() - self._heard_at
        if self.port.is_open and self._keeps_reports and silent > SILENT_AFTER_S:
            self._lost(f"no word from the reader for {silent:.0f} s: check its power and cable")


def _result(verdict: reads.Verdict) -> i.ResultTold:
    pairs: dict[i.Side, bool] = {"player": verdict.player_pair, "banker": verdict.banker_pair}
    told = i.Told(verdict.outcome, tuple(side for side in pairs if pairs[side]))
    return i.ResultTold(**now(), told=told)


def _mark(mark: reads.Mark | None) -> Mark | None:
    return Mark(mark.session, mark.seq) if mark else None


def _flags(read: reads.Read) -> tuple[i.Flag, ...]:
    if not (read.face_up or read.double_feed or read.backwards):
        return ()
    told: dict[i.Flag, bool] = {
        "face_up": read.face_up,
        "double_feed": read.double_feed,
        "backwards": read.backwards,
    }
    return tuple(flag for flag, is_set in told.items() if is_set)
