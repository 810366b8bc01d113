"""The live screen of `shoe watch`: the daemon's socket and the keyboard in one loop."""

import json
import select
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import NoDaemon, connected
from firmware_bridge.cli.watch import AGAIN_S
from firmware_bridge.cli.watch.sight import Watched, at_least
from firmware_bridge.cli.watch.terminal import KEYS, PAUSE, PAUSED, QUIT, Terminal

FRAME_S: Final = 0.1
"""The least time between two screens."""

LOOK_S: Final = 0.5
"""How often the size of the terminal is looked at."""

CHUNK: Final = 1 << 20


class Followed:
    """A daemon that tells its status whenever it changes, until `close`. Raises NoDaemon."""

    def __init__(self, path: Path) -> None:
        self.socket: socket.socket = connected(path)
        self._rest = b""
        with suppress(OSError):  # reading says it
            self.socket.sendall(json.dumps({"do": "watch"}).encode() + b"\n")

    def told(self) -> list[dict[str, Any]]:
        """The statuses that came; call it when `socket` is readable. Raises NoDaemon when it ended."""
        came = b""
        with suppress(OSError):
            came = self.socket.recv(CHUNK)
        if not came:
            raise NoDaemon("the daemon hung up", "see: systemctl status firmware-bridge")
        *lines, self._rest = (self._rest + came).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        self.socket.close()


class Onlooker:
    """Follows a daemon, and the one after it, on the whole terminal."""

    def __init__(self, path: Path) -> None:
        self._path, self._watched = path, Watched()
        self._daemon: Followed | None = Followed(path)
        self._asked = self._drawn = time.monotonic()
        self._paused, self._is_old = False, True

    def watch(self) -> None:
        """Show each status until q; Ctrl-C is raised. SPACE lets the picture stand still."""
        try:
            with Terminal() as terminal:
                while not self._is_over(terminal):
                    if not self._paused and not at_least(self._drawn, FRAME_S):
                        self._draw(terminal)
        finally:
            if self._daemon:
                self._daemon.close()

    def _is_over(self, terminal: Terminal) -> bool:
        """Wait for the daemon, a key or the time; whether q was pressed."""
        sources: list[socket.socket | int] = [self._daemon.socket] if self._daemon else []
        sources += [terminal.fd] if terminal.fd is not None else []
        pause = at_least(self._drawn, FRAME_S if self._is_old else self._watched.blinks_s or LOOK_S)
        ready, _, _ = select.select(sources, [], [], LOOK_S if self._paused else max(pause, 0.01))
        if self._daemon is None:
            self._look_again()
        elif self._daemon.socket in ready:
            self._hear(self._daemon)
        if terminal.fd is None or terminal.fd not in ready:
            return False
        for key in terminal.pressed():
            if key == QUIT:
                return True
            if key == PAUSE:
                self._paused = not self._paused
                self._draw(terminal)
        return False

    def _hear(self, daemon: Followed) -> None:
        self._is_old = True
        try:
            for status in daemon.told():
                self._watched.take(status)
        except NoDaemon as error:
            daemon.close()
            self._daemon = None
            self._watched.lose(error.what)

    def _look_again(self) -> None:
        if at_least(self._asked, AGAIN_S):
            return
        self._is_old = True
        self._asked = time.monotonic()
        try:
            self._daemon = Followed(self._path)
        except NoDaemon as error:
            self._watched.lose(error.what)

    def _draw(self, terminal: Terminal) -> None:
        self._drawn, self._is_old = time.monotonic(), False
        terminal.draw(lambda width, height: self._watched.screen(width, height, PAUSED if self._paused else KEYS))
