"""A technician at the control socket, who borrows a device from the daemon, and what the table shows of it."""

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.facts.book.notes import NOTES_BEFORE
from firmware_bridge.facts.events import Noted
from hardware.ports import close_tty, open_tty
from hardware.readers.messages import Read, Repeat, ReportNo
from hardware.readers.native import NativeDecoder
from tests.kit.daemon_table import BridgeTable


class Caller:
    """Somebody at the control socket, whose waiting lets the table's time pass; the table's end hangs up."""

    def __init__(self, table: BridgeTable) -> None:
        self.table = table
        self._socket = socket.socket(socket.AF_UNIX)
        with socket_address(table.journal_dir / "control.sock") as address:
            self._socket.connect(address)
        self._socket.setblocking(False)
        self._heard = b""
        table.at_close.append(self.hang_up)

    def say(self, **fields: Any) -> None:
        self._socket.sendall(json.dumps(fields).encode() + b"\n")

    def ask(self, **fields: Any) -> dict[str, Any]:
        self.say(**fields)
        self.table.until(self._hear)
        line, _, self._heard = self._heard.partition(b"\n")
        return json.loads(line)

    def hang_up(self) -> None:
        self._socket.close()

    def _hear(self) -> bool:
        with suppress(BlockingIOError):
            self._heard += self._socket.recv(65_536)
        return b"\n" in self._heard


class Technician(Caller):
    """Borrows a device and reads test cards, by hand."""

    def __init__(self, table: BridgeTable, device: Any = "reader", **more: Any) -> None:
        super().__init__(table)
        self.answer = self.ask(do="lend", device=device, by="anna", **more)

    def read(self, cards: int, acknowledge: bool = True) -> None:
        """Pull test cards, and take them unless told not to."""
        report = ReportNo(*self.answer["report"]) if self.answer["report"] else None
        pass_test_cards(self.table, report, self._passed if acknowledge else None, cards)

    def _passed(self, report: ReportNo) -> None:
        self.say(do="passed", session=report.session, seq=report.seq)


def pass_test_cards(
    table: BridgeTable, last: ReportNo | None, passed: Callable[[ReportNo], None] | None, cards: int
) -> None:
    """Pull cards at a native reader whose last report taken was `last`, and take them as `shoe calibrate` does.

    passed: hears of each before it is acknowledged; None: nobody takes them.
    """
    port = open_tty(str(table.folder / "reader"), 115_200)
    decoder = NativeDecoder()
    port.write(decoder.resume(last))
    done = 0

    def take() -> bool:
        nonlocal done
        for message in decoder.feed(port.read(4096)):
            if isinstance(message, Read) and message.report and passed:
                passed(message.report)
                port.write(decoder.acknowledge(message.report))
                done += 1
            elif isinstance(message, Repeat) and passed:
                port.write(decoder.acknowledge(message.report))
        return done == cards and not table.board.waiting

    for n in range(cards):
        table.until(lambda: take() or table.board.waiting < 20)
        table.board.pull(n % 52)
        table.pty.tick()
    if passed:
        table.until(take)
    close_tty(port)


def irregular(table: BridgeTable) -> list[str]:
    return [each.id for each in table.bridge.table.shoe.device.irregular if each.id != "broker_lost"]


def back(table: BridgeTable) -> bool:
    """Whether the daemon has its reader again."""
    return table.bridge.reader.port.is_open and "reader_lost" not in irregular(table)


def seen(table: BridgeTable) -> int:
    return len(table.bridge.table.shoe.seen)


def english(note: Noted) -> str:
    """A note in words."""
    return NOTES_BEFORE[note.code].format(**note.values)


def noted(table: BridgeTable) -> str:
    events = [event for line in table.lines() if line.entry for event in line.entry.events]
    return " | ".join(english(each) if isinstance(each, Noted) else str(getattr(each, "values", "")) for each in events)


def settled(table: BridgeTable) -> BridgeTable:
    """A board that is known: its first card has come."""
    table.until(lambda: table.bridge.table.shoe.device.reader is not None)
    return table


def order(table: BridgeTable, do: str, **more: str) -> bool:
    caller = Caller(table)
    answer = caller.ask(do=do, by="bo", **more)
    caller.hang_up()
    return bool(answer["ok"])
