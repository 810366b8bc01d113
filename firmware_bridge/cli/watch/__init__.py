"""`shoe watch`: shows the running daemon's status live."""

import argparse
import json
import select
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from firmware_bridge.cli.daemon_socket import NoDaemon, config_option, connected, follow, socket_path
from firmware_bridge.cli.watch.language import language, language_option, translated
from firmware_bridge.cli.watch.machine import Status
from firmware_bridge.cli.watch.screen import line
from firmware_bridge.cli.watch.terminal import PAUSE, QUIT, Terminal, cannot_draw
from firmware_bridge.config.plain import say
from firmware_bridge.config.streams import print_json
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.phrases import in_words, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

AGAIN_S: Final = 1.0
"""Seconds between attempts to reach a daemon that has gone."""

FRAME_S: Final = 0.1
"""Minimum seconds between two screens."""

LOOK_S: Final = 0.5
"""Seconds between looks at the terminal's size."""

CHUNK: Final = 1 << 20


class NoPicture(BridgeError, OSError):
    """A terminal that cannot show the dealer's screen."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe watch`."""
    config_option(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="one JSON object per change, for programs")
    how.add_argument("--plain", action="store_true", help="a line per change, also on a terminal")
    how.add_argument("--dealer", action="store_true", help="what the dealer does next, on the whole terminal")
    language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show every change until Ctrl-C or q, across daemon restarts; return 0. Raises NoDaemon if none runs at first."""
    path, lang = socket_path(arguments.config), language(arguments.lang, arguments.config)
    try:
        if arguments.json:
            _follow(path, _Json())
        elif arguments.dealer:
            _show_dealer(path, lang)
        elif arguments.plain or (why := cannot_draw()) is not None:
            if not arguments.plain and why:
                say(joined(lang, in_words(lang, why), text(lang, "keys.end")))
            _follow(path, _Lines(lang))
        else:
            _watch(path, lang)
    except KeyboardInterrupt:
        pass
    return 0


def _watch(path: Path, lang: Language) -> None:
    from firmware_bridge.cli.watch.model import Watched  # imported here: lines need no picture

    Watcher(path, Watched(lang), lang).watch()


def _show_dealer(path: Path, lang: Language) -> None:
    if (why := cannot_draw()) is not None:
        raise NoPicture(why or "the dealer's screen needs a terminal", "without one: shoe watch --plain")
    from firmware_bridge.cli.watch.dealer import WatchedByDealer

    Watcher(path, WatchedByDealer(lang), lang).watch()


def _follow(path: Path, show: "_Json | _Lines") -> None:
    """Show each status of the daemon and of its successors. Raises NoDaemon if there was none."""
    has_been = False
    while True:
        try:
            for status in follow(path):
                has_been = True
                show.update(status)
        except NoDaemon as error:
            if not has_been:
                raise
            show.lose(error.what)
        time.sleep(AGAIN_S)


class _Json:
    """Prints each status; `{"daemon": "gone", "why": ..}` once when it goes."""

    is_gone = False

    def update(self, status: Status) -> None:
        self.is_gone = False
        print_json(json.dumps(status, ensure_ascii=False), flush=True)

    def lose(self, why: str) -> None:
        if not self.is_gone:
            self.is_gone = True
            print_json(json.dumps({"daemon": "gone", "why": why}, ensure_ascii=False), flush=True)


class _Lines:
    """Prints a line with the time when it differs from the one before."""

    last = ""

    def __init__(self, lang: Language) -> None:
        self._lang = lang

    def update(self, status: Status) -> None:
        self._print(line(translated(status, self._lang), self._lang))

    def lose(self, why: str) -> None:
        self._print(text(self._lang, "machine.gone_line", why=in_words(self._lang, why)))

    def _print(self, words: str) -> None:
        if words != self.last:
            self.last = words
            say(f"{time.strftime('%H:%M:%S')} {words}")


class Followed:
    """Connection that receives the daemon's status after each change, until `close`. Raises NoDaemon."""

    def __init__(self, path: Path) -> None:
        self.socket: socket.socket = connected(path, "watch")
        self._rest = b""
        with suppress(OSError):  # reported when reading
            self.socket.sendall(json.dumps({"do": "watch"}).encode() + b"\n")

    def statuses(self) -> list[dict[str, Any]]:
        """Return the statuses received; call when `socket` is readable. Raises NoDaemon at its end."""
        came = b""
        with suppress(OSError):
            came = self.socket.recv(CHUNK)
        if not came:
            raise NoDaemon("the daemon closed the connection", "see: systemctl status firmware-bridge")
        *lines, self._rest = (self._rest + came).split(b"\n")
        return [from_json(line) for line in lines]

    def close(self) -> None:
        self.socket.close()


class Drawable(Protocol):
    """What makes screens of statuses."""

    @property
    def blinks_s(self) -> float | None:
        """Seconds until the picture changes by itself; None if it does not."""

    def update(self, status: Status) -> None:
        """Keep a status."""

    def lose(self, why: str) -> None:
        """Record that the daemon has gone."""

    def screen(self, width: int, height: int, keys: str) -> "Sequence[Text]":
        """Return `height` lines of at most `width` columns."""


class Watcher:
    """Shows a daemon and its successors on the whole terminal."""

    def __init__(self, path: Path, watched: Drawable, lang: Language) -> None:
        self._path, self._watched, self._lang = path, watched, lang
        self._daemon: Followed | None = Followed(path)
        self._tried = self._drawn = time.monotonic()
        self._paused, self._is_old = False, True

    def watch(self) -> None:
        """Show each status until q; Ctrl-C is raised. SPACE freezes the picture."""
        try:
            with Terminal() as terminal:
                while not self._is_over(terminal):
                    if not self._paused and not at_least(self._drawn, FRAME_S):
                        self._draw(terminal)
        finally:
            if self._daemon:
                self._daemon.close()

    def _is_over(self, terminal: Terminal) -> bool:
        """Wait for the daemon, a key or the time; return True if q was pressed."""
        sources: list[socket.socket | int] = [self._daemon.socket] if self._daemon else []
        sources += [terminal.fd] if terminal.fd is not None else []
        pause = at_least(self._drawn, FRAME_S if self._is_old else self._watched.blinks_s or LOOK_S)
        ready, _, _ = select.select(sources, [], [], LOOK_S if self._paused else max(pause, 0.01))
        if self._daemon is None:
            self._look_again()
        elif self._daemon.socket in ready:
            self._read_statuses(self._daemon)
        if terminal.fd is None or terminal.fd not in ready:
            return False
        for key in terminal.pressed():
            if key == QUIT:
                return True
            if key == PAUSE:
                self._paused = not self._paused
                self._draw(terminal)
        return False

    def _read_statuses(self, daemon: Followed) -> None:
        self._is_old = True
        try:
            for status in daemon.statuses():
                self._watched.update(status)
        except NoDaemon as error:
            daemon.close()
            self._daemon = None
            self._watched.lose(error.what)

    def _look_again(self) -> None:
        if at_least(self._tried, AGAIN_S):
            return
        self._is_old = True
        self._tried = time.monotonic()
        try:
            self._daemon = Followed(self._path)
        except NoDaemon as error:
            self._watched.lose(error.what)

    def _draw(self, terminal: Terminal) -> None:
        self._drawn, self._is_old = time.monotonic(), False
        keys = text(self._lang, "keys.paused" if self._paused else "keys.live")
        terminal.draw(lambda width, height: self._watched.screen(width, height, keys))


def at_least(before: float, seconds: float) -> float:
    """Return the seconds from now until `seconds` after `before`, a moment of `time.monotonic`."""
    return max(0.0, before + seconds - time.monotonic())
