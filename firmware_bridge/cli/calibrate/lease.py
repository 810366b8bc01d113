"""Leases a device to a technician: from the running daemon, or directly if none runs."""

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

from firmware_bridge.cli.daemon_socket import ANSWER_S, NoDaemon, NotRunning, connected, signed, socket_path
from firmware_bridge.daemon.devices.leased import LeftBehind, leave, left_in
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.facts.printable import escaped, harmless
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.shoe import advance
from firmware_bridge.shoe.state import Shoe
from firmware_bridge.topics.texts.refusals import words_of
from hardware.readers import messages

HUNG_UP: Final = "the daemon closed the connection and has its device again"


class LeaseRefused(BridgeError):
    """Lease refused by the daemon; the text has reason and remedy."""


class LeaseRevoked(SystemExit):
    """Lease ended by the daemon: `what` happened, `hint`: what to do. Event loops let a SystemExit through."""

    def __init__(self, device: str, by: str) -> None:
        super().__init__(1)
        self.what = f"the {device} was taken back by {by}" if by else HUNG_UP
        self.hint = (
            f"nothing was kept; {f'ask {by}' if by else 'see: systemctl status firmware-bridge'}, then try again"
        )


class BorrowedFromDaemon:
    """Device leased from the daemon.

    report: last report the daemon has recorded. restore: bytes to write to the reader first, which restore its
    settings. is_revoked: the daemon has the device again and writes them itself.
    """

    is_of_daemon = True
    is_revoked = False

    def __init__(self, control: socket.socket, report: list[int] | None, restore: str) -> None:
        self._control, self.restore = control, bytes.fromhex(restore)
        self.report = messages.ReportNo(*report) if report else None

    def passed(self, report: messages.ReportNo) -> None:
        """Report a test card to the daemon; it may be acknowledged only after that. Raises NoDaemon."""
        try:
            self._control.sendall(_line({"do": "passed", "session": report.session, "seq": report.seq}))
        except OSError:
            raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge, then calibrate again") from None

    def leave(self, restore: bytes) -> None:
        """Give the daemon the bytes that restore the reader's settings, in case this process is killed."""
        with suppress(OSError):
            self._control.sendall(_line({"do": "leave", "restore": restore.hex()}))


class BorrowedAlone:
    """Device while no daemon runs: a file reports its test cards to the next daemon; the lease is never revoked.

    Raises OSError, JournalError, and LeaseRefused while a shoe is open: cards of that shoe may wait in the reader.
    """

    is_of_daemon = False
    is_revoked = False

    def __init__(self, directory: Path, by: str) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        shoe, left = _last_shoe(directory), left_in(directory)
        if shoe.status == "open":
            what = f"shoe {shoe.number} is open, and its cards may wait in the reader"
            raise LeaseRefused(what, "start the daemon first: it reads them, then hands over the reader")
        self._directory = directory
        self._left = replace(left, by=by) if left else LeftBehind(shoe.device.reader, 0, by)

    @property
    def report(self) -> messages.ReportNo | None:
        return messages.ReportNo(self._left.report.session, self._left.report.seq) if self._left.report else None

    @property
    def restore(self) -> bytes:
        """Bytes to write to the reader first: they restore settings that a killed command had changed."""
        return self._left.restore

    def passed(self, report: messages.ReportNo) -> None:
        """Record a test card for the next daemon. Raises OSError."""
        self._leave(replace(self._left, report=ReportNo(report.session, report.seq), count=self._left.count + 1))

    def leave(self, restore: bytes) -> None:
        """Record the bytes that restore the reader's settings, in case this process is killed. Raises OSError."""
        self._leave(replace(self._left, restore=restore))

    def _leave(self, left: LeftBehind) -> None:
        self._left = left
        leave(self._directory, left)


Borrowed = BorrowedFromDaemon | BorrowedAlone


@contextmanager
def borrow(config: Path, journal: Path, device: str, by: str, open_shoe: bool) -> Iterator[Borrowed]:
    """Lease a device for the length of the block; LeaseRevoked interrupts the block wherever it waits.

    Raises LeaseRefused, NoDaemon, ConfigError, and as `BorrowedAlone` does.
    """
    try:
        control = connected(socket_path(config), "lend")
    except NotRunning:
        yield BorrowedAlone(journal, by)
        return
    with control, control.makefile("rb") as answers:
        control.settimeout(ANSWER_S)
        answer = _ask(control, answers, {"do": "lend", "device": device, "by": by, "open_shoe": open_shoe})
        if not answer.get("ok"):
            raise LeaseRefused(*words_of("en", harmless(answer)))
        borrowed = BorrowedFromDaemon(control, answer.get("report"), answer.get("restore", ""))
        with _interrupted_when_revoked(borrowed, device, control, answers):
            yield borrowed
        _ask(control, answers, {"do": "give_back"})


@contextmanager
def _interrupted_when_revoked(
    borrowed: BorrowedFromDaemon, device: str, control: socket.socket, answers: Any
) -> Iterator[None]:
    """Raise LeaseRevoked in the block as soon as the daemon sends anything: unasked, it only revokes the lease."""

    def on_signal(*_: object) -> None:
        if select.select([control], [], [], 0)[0]:
            signal.signal(signal.SIGIO, signal.SIG_IGN)
            by = _who(answers)
            borrowed.is_revoked = bool(by)
            raise LeaseRevoked(device, by)

    signal.signal(signal.SIGIO, on_signal)
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) | os.O_ASYNC)
    try:
        on_signal()  # for bytes that came before signals were on
        yield
    finally:
        signal.signal(signal.SIGIO, signal.SIG_IGN)


def _who(answers: Any) -> str:
    """Return the name of the person who took the device back; "" if the daemon hung up."""
    try:
        return escaped(str(from_json(answers.readline())["taken_back"]))
    except (OSError, ValueError, KeyError):
        return ""


def _last_shoe(directory: Path) -> Shoe:
    """Return the shoe at the end of the journal, which is free while no daemon runs."""
    for path in reversed(journal_files(directory)):
        entries = [line.entry for line, _ in read_lines(Place(path, 0)) if line.entry]
        if entries:
            return reduce(advance, entries, Shoe())
    return Shoe()


def _ask(control: socket.socket, answers: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        control.sendall(_line(signed(request)))
        answer: dict[str, Any] = from_json(answers.readline())
    except (OSError, ValueError):
        raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge") from None
    return answer


def _line(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode() + b"\n"
