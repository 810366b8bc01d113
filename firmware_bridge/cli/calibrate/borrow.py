"""Borrows a device from the running daemon; without a daemon there is nobody to ask."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.cli.daemon_socket import ANSWER_S, NoDaemon, NotRunning, connected, socket_path
from firmware_bridge.devices.lent_reader import Kept, keep, kept_in
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.walk import Place, read_lines
from firmware_bridge.shoe import advance
from firmware_bridge.shoe.state import Shoe
from hardware.readers import messages

HUNG_UP: Final = "the daemon hung up: it has its device again"


class Refused(BridgeError):
    """The daemon does not lend the device; the text says why and what to do."""


class TakenBack(SystemExit):
    """The loan has ended, wherever its borrower is: `what` happened, and what to do (`hint`).

    A SystemExit, since no event loop keeps one to itself.
    """

    def __init__(self, device: str, by: str) -> None:
        super().__init__(1)
        self.what = f"the {device} was taken back by {by}" if by else HUNG_UP
        self.hint = f"nothing is kept; {f'ask {by}' if by else 'see: systemctl status firmware-bridge'}, then try again"


class FromDaemon:
    """A device lent by the daemon; `report`: the last report it took, `will`: what the device is to be told first.

    is_taken_back: the daemon has it again, and tells it what was left.
    """

    is_taken_back = False

    def __init__(self, control: socket.socket, report: list[int] | None, will: str) -> None:
        self._control, self.will = control, bytes.fromhex(will)
        self.report = messages.ReportNo(*report) if report else None

    def passed(self, report: messages.ReportNo) -> None:
        """Tell the daemon of a test card before it is acknowledged. Raises NoDaemon: then nothing may be."""
        try:
            self._control.sendall(_line({"do": "passed", "session": report.session, "seq": report.seq}))
        except OSError:
            raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge, then calibrate again") from None

    def leave(self, will: bytes) -> None:
        """What the daemon tells the device if this process is killed."""
        with suppress(OSError):
            self._control.sendall(_line({"do": "leave", "will": will.hex()}))


class Unowned:
    """A device nobody else uses, or takes back: the daemon is told of its test cards when it starts again.

    Raises OSError, JournalError, and Refused while a shoe is open: cards of its may wait in the reader.
    """

    is_taken_back = False

    def __init__(self, directory: Path, by: str) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        shoe, kept = _last_shoe(directory), kept_in(directory)
        if shoe.status == "open":
            what = f"shoe {shoe.number} is open, and its cards may wait in the reader"
            raise Refused(what, "start the daemon: it takes them, then lends the reader")
        self._directory = directory
        self._kept = replace(kept, by=by) if kept else Kept(shoe.device.reader, 0, by)

    @property
    def report(self) -> messages.ReportNo | None:
        """The last report that was taken."""
        return messages.ReportNo(self._kept.report.session, self._kept.report.seq) if self._kept.report else None

    @property
    def will(self) -> bytes:
        """What the device is to be told first, because a command that had it was killed."""
        return self._kept.will

    def passed(self, report: messages.ReportNo) -> None:
        """Leave word of a test card for the daemon. Raises OSError."""
        self._keep(replace(self._kept, report=ReportNo(report.session, report.seq), count=self._kept.count + 1))

    def leave(self, will: bytes) -> None:
        """What whoever has the device next tells it if this process is killed. Raises OSError."""
        self._keep(replace(self._kept, will=will))

    def _keep(self, kept: Kept) -> None:
        self._kept = kept
        keep(self._directory, kept)


Loan = FromDaemon | Unowned


@contextmanager
def borrowed(config: Path, journal: Path, device: str, by: str, open_shoe: bool) -> Iterator[Loan]:
    """A device for as long as the block lasts; TakenBack interrupts it, whatever it waits for.

    Raises Refused, NoDaemon, ConfigError, and as `Unowned` does.
    """
    try:
        control = connected(socket_path(config))
    except NotRunning:
        yield Unowned(journal, by)
        return
    with control, control.makefile("rb") as answers:
        control.settimeout(ANSWER_S)
        told = _asked(control, answers, {"do": "lend", "device": device, "by": by, "open_shoe": open_shoe})
        if not told.get("ok"):
            raise Refused(told.get("error", "the daemon keeps its device"), told.get("hint") or "")
        loan = FromDaemon(control, told.get("report"), told.get("will", ""))
        with _until_taken_back(loan, device, control, answers):
            yield loan
        _asked(control, answers, {"do": "give_back"})


@contextmanager
def _until_taken_back(loan: FromDaemon, device: str, control: socket.socket, answers: Any) -> Iterator[None]:
    """The daemon says nothing unasked but that it takes its device back; the kernel signals whatever it says."""

    def heard(*_: object) -> None:
        if select.select([control], [], [], 0)[0]:
            signal.signal(signal.SIGIO, signal.SIG_IGN)
            by = _who(answers)
            loan.is_taken_back = bool(by)
            raise TakenBack(device, by)

    signal.signal(signal.SIGIO, heard)
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) | os.O_ASYNC)
    try:
        heard()  # what came before it signals
        yield
    finally:
        signal.signal(signal.SIGIO, signal.SIG_IGN)


def _who(answers: Any) -> str:
    """Who took the device back, nobody where the daemon went away."""
    try:
        return str(json.loads(answers.readline())["taken_back"])
    except (OSError, ValueError, KeyError):
        return ""


def _last_shoe(directory: Path) -> Shoe:
    """The shoe as the journal left it; the daemon holds the journal only while it runs."""
    for path in reversed(journal_files(directory)):
        entries = [line.entry for line, _ in read_lines(Place(path, 0)) if line.entry]
        if entries:
            return reduce(advance, entries, Shoe())
    return Shoe()


def _asked(control: socket.socket, answers: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        control.sendall(_line(request))
        answer: dict[str, Any] = json.loads(answers.readline())
    except (OSError, ValueError):
        raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge") from None
    return answer


def _line(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode() + b"\n"
