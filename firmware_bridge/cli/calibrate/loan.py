"""Borrows a device from the running daemon; without a daemon there is nobody to ask."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import ANSWER_S, NoDaemon, NotRunning, connected, socket_path
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.wiring.loan import keep_mark
from hardware import reads

HUNG_UP: Final = "the daemon hung up: it has its device again"


class Kept(BridgeError):
    """The daemon does not lend the device; the text says why and what to do."""


class FromDaemon:
    """A device lent by the daemon; `mark`: the last report it took."""

    def __init__(self, control: socket.socket, mark: list[int] | None) -> None:
        self._control = control
        self.mark = reads.Mark(*mark) if mark else None

    def passed(self, mark: reads.Mark) -> None:
        """Tell the daemon of a test card before it is acknowledged. Raises NoDaemon: then nothing may be."""
        try:
            self._control.sendall(_line({"do": "passed", "session": mark.session, "seq": mark.seq}))
        except OSError:
            raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge, then calibrate again") from None

    def leave(self, will: bytes) -> None:
        """What the daemon tells the device if this process is killed."""
        with suppress(OSError):
            self._control.sendall(_line({"do": "leave", "will": will.hex()}))


class Unowned:
    """A device nobody else uses: the daemon is told of its test cards when it starts again. Raises OSError."""

    mark = None

    def __init__(self, directory: Path, by: str) -> None:
        self._directory, self._by, self._count = directory, by, 0
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def passed(self, mark: reads.Mark) -> None:
        """Leave word of a test card for the daemon. Raises OSError."""
        self._count += 1
        keep_mark(self._directory, Mark(mark.session, mark.seq), f"{self._count} test cards passed, by {self._by}")


    def leave(self, will: bytes) -> None:
        """Nobody is there to tell the device."""


Loan = FromDaemon | Unowned


@contextmanager
def borrowed(config: Path, journal: Path, device: str, by: str, open_shoe: bool) -> Iterator[Loan]:
    """A device for as long as the block lasts. Raises Kept, NoDaemon, or ConfigError."""
    try:
        control = connected(socket_path(config))
    except NotRunning:
        yield Unowned(journal, by)
        return
    with control, control.makefile("rb") as answers:
        control.settimeout(ANSWER_S)
        told = _asked(control, answers, {"do": "lend", "device": device, "by": by, "open_shoe": open_shoe})
        if not told.get("ok"):
            raise Kept(told.get("error", "the daemon keeps its device"), told.get("hint") or "")
        yield FromDaemon(control, told.get("mark"))
        _asked(control, answers, {"do": "give_back"})


def _asked(control: socket.socket, answers: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        control.sendall(_line(request))
        answer: dict[str, Any] = json.loads(answers.readline())
    except (OSError, ValueError):
        raise NoDaemon(HUNG_UP, "see: systemctl status firmware-bridge") from None
    return answer


def _line(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode() + b"\n"
