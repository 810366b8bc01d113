"""Floods of each source of a table, at the rate its wire carries, and what a table feels of them."""

import fcntl
import json
import os
import socket
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.facts import inputs
from hardware import framing
from hardware.keypads import Hello, Mark, pack
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import GivenClock
from tests.kit.patient_products import own

SYNC_S: Final = 0.015
"""What a sync takes on a slow SD card."""

LONG_S: Final = 6.0
"""What a call takes that hangs, once."""

MOST_UNREAD: Final = 100
"""Bytes on a line beyond which nothing is added: a daemon that gets no core finds no more at once than in time."""

BEAT_S: Final = 0.02
BAUD: Final = 11_520
"""Bytes a second at 115,200 baud."""

SLOW: Final = """
import os, sys, threading, time
from pathlib import Path
from firmware_bridge.cli import main
from firmware_bridge.daemon import bridge

sync_s, call, name = float(os.environ["SYNC_S"]), *os.environ["LONG"].split(":")
long_s = float(os.environ["LONG_S"])
flag = Path(os.environ["FLAG"])

def path_of(of):
    return os.readlink(f"/proc/self/fd/{of}") if isinstance(of, int) else str(of)

def slowed(called, real):
    def slow(of, *rest, **named):
        if called == "fdatasync":
            time.sleep(sync_s)
        if called == call and flag.exists() and path_of(of).endswith(name):
            flag.unlink()
            time.sleep(long_s)
        return real(of, *rest, **named)
    return slow

for each in ("fdatasync", "fsync", "pwrite", "ftruncate", "rename", "open"):
    setattr(os, each, slowed(each, getattr(os, each)))

def press(factory):
    pin = factory.pin(int(os.environ["KEY"]))
    while True:
        pin.drive_low()
        time.sleep(0.055)
        pin.drive_high()
        time.sleep(0.055)

made = bridge.pin_factory
def pin_factory(*rest):
    factory = made(*rest)
    if "KEY" in os.environ:
        timer = threading.Timer(2.0, press, (factory,))
        timer.daemon = True
        timer.start()
    return factory
bridge.pin_factory = pin_factory
sys.exit(main(sys.argv[1:]))
"""
"""A daemon whose disk takes its time, with one call of 3 s (`LONG`, call:end of the path) when `FLAG` is made."""


class Beat(NamedTuple):
    """at: when it came, of `time.monotonic`. waited: what the clock's threads had waited a little later."""

    at: float
    waited: float


class Beats:
    """The beats of the watchdog; `silence` is the longest time without one. `clock`: the daemon's, once it runs."""

    def __init__(self, path: Path) -> None:
        self.path, self.times, self.clock = path, list[Beat](), GivenClock()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def silence(self, since: float) -> float:
        """Seconds of the longest silence of the loop since a moment of `time.monotonic`.

        Less what was waited for a core since before its first beat: how much was is read a little later, on a busy
        machine seconds.
        """
        first, *more = self.times.copy()
        beats = [first, first, *more, self._now()]
        silent = [
            last.at - max(beat.at, since) - (last.waited - before.waited)
            for before, beat, last in zip(beats, beats[1:], beats[2:], strict=False)
            if last.at > since
        ]
        return max(0.0, max(silent) - BEAT_S)

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as me:
            me.sendto(b"", str(self.path))
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while data := self._socket.recv(4096):
            if b"WATCHDOG=1" in data:
                self.times.append(self._now())

    def _now(self) -> Beat:
        now = time.monotonic()
        return Beat(now, self.clock.waited())


class Flooded(DaemonTable):
    """A table on a slow disk whose loop is watched. is_honest: its cards are no flood."""

    is_honest = True

    def begin(self, key: int | None = None, long: str = "none:", **environ: str) -> "Flooded":
        """Start it, and wait until it deals. key: the GPIO that is pressed without end. long: see `SLOW`.

        Where a call of the disk hangs, it waits for it no longer than at a table.
        """
        self.code = ("-c", SLOW)
        self.flag = self.folder / "flag"
        self.beats = Beats(self.folder / "notify")
        keys = {} if key is None else {"KEY": str(key)}
        watched = {"NOTIFY_SOCKET": str(self.beats.path), "WATCHDOG_USEC": str(int(3_000_000 * BEAT_S))}
        slow = {"SYNC_S": str(SYNC_S), "LONG": long, "LONG_S": str(LONG_S), "FLAG": str(self.flag)}
        hangs = {} if long == "none:" else own("journal_writer")
        self._environ = {**watched, **keys, **environ, **slow, **hangs}
        return self.begin_again()

    def begin_again(self) -> "Flooded":
        """Start it another time."""
        self.beats.times.clear()
        self.start(**self._environ)
        assert self.process
        self.beats.clock = GivenClock(self.process.pid)
        self.until(lambda: self.beats.times and self.is_ready())
        return self

    def state(self) -> dict[str, Any]:
        """The status, asked of it at once."""
        with socket.socket(socket.AF_UNIX) as control:
            with socket_address(self.journal_dir / "control.sock") as address:
                control.connect(address)
            control.sendall(b'{"do":"status"}\n')
            status: dict[str, Any] = json.loads(control.makefile().readline())
            return status

    def is_ready(self) -> bool:
        """Whether the table deals, and has its reader."""
        try:
            return bool(self.state()["seq"])
        except OSError:
            return False

    def size(self) -> int:
        """Bytes of the journals' records but those of honest cards."""
        honest = inputs.CardRead if self.is_honest else ()
        return sum(len(line.data) for line in self.lines() if line.entry and not isinstance(line.entry.input, honest))

    def close(self) -> None:
        super().close()
        if hasattr(self, "beats"):
            self.beats.close()


class Feeling:
    """What is felt of a flood: the longest waits, less those for a core, and the growth of the journal."""

    def __init__(self, table: Flooded) -> None:
        self._table, self._size, self._begun = table, table.size(), time.monotonic()
        self.cards, self.statuses = list[float](), list[float]()
        self._over = threading.Event()
        self._asking = threading.Thread(target=self._ask, daemon=True)
        self._asking.start()

    def deal(self, cards: str, every_s: float = 0.4) -> None:
        """Draw honest cards, one after the other."""
        for card in cards.split():
            begun = self._table.beats.clock()
            self._table.deal(card)
            self.cards.append(self._table.beats.clock.since(begun))
            self._table.pause(every_s)

    def end(self) -> dict[str, float]:
        """Seconds of the longest silence, status and card; bytes by which the journal grew in so many seconds."""
        seconds, silence = time.monotonic() - self._begun, self._table.beats.silence(self._begun)
        self._over.set()
        self._asking.join()
        return {
            "silence_s": silence,
            "status_s": max(self.statuses, default=0.0),
            "card_s": max(self.cards, default=0.0),
            "bytes": self._table.size() - self._size,
            "seconds": seconds,
        }

    def _ask(self) -> None:
        while not self._over.wait(0.2):
            begun = self._table.beats.clock()
            self._table.state()
            self.statuses.append(self._table.beats.clock.since(begun))


@contextmanager
def running(step: Callable[[], Any]) -> Iterator[None]:
    """Does `step` again and again in a thread."""
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield
    over.set()
    thread.join()


class Line:
    """A pty in the place of a device that only talks, at `BAUD`."""

    def __init__(self, link: Path) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))

    def say(self, chunk: bytes) -> None:
        """Put a chunk on the line, unless much of it was not read yet; what came is thrown away."""
        time.sleep(len(chunk) / BAUD)
        unread = int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)), sys.byteorder)
        for call in (
            lambda: os.read(self.master, 65_536),
            lambda: unread > MOST_UNREAD or os.write(self.master, chunk),
        ):
            with suppress(BlockingIOError):
                call()

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)


def cards_without_end(line: Line) -> Callable[[], None]:
    """A flood of cards at the reader, protocol `line`."""
    return lambda: line.say(b"As\nKd\n9c\n3h\n" * 8)


def marks_without_end(line: Line, seats: tuple[int, ...]) -> Callable[[], None]:
    """A flood of marks at a keypad."""
    numbers = count()
    line.say(framing.encode(pack(Hello(1, 1, seats[0], len(seats)))))

    def say() -> None:
        number = next(numbers)
        line.say(framing.encode(pack(Mark(number % 256, 1, 1, seats[number % len(seats)], 0, "H"))))

    return say


def orders_without_end(port: int) -> tuple[Client, Callable[[], None]]:
    """A flood of refused orders by MQTT: the client, and a step of it."""
    client = Client(CallbackAPIVersion.VERSION2, f"flood{os.getpid()}")
    client.max_inflight_messages_set(1_000)
    client.connect("127.0.0.1", port)
    client.loop_start()
    numbers = count()

    def say() -> None:
        for _ in range(20):
            client.publish("shoe/T07/command", b'{"id":"%d","do":"fly"}' % next(numbers), 1)
        time.sleep(0.01)

    return client, say


def orders_without_waiting(control: socket.socket) -> Callable[[], None]:
    """A flood of refused orders at the control socket, whose answers are read only to be thrown away."""
    control.settimeout(0.05)
    order = json.dumps({"do": "resolve", "irregularity": "jam", "choice": "keep", "by": "flood"}).encode() + b"\n"

    def say() -> None:
        for call in (lambda: control.send(order * 50), lambda: control.recv(2**20, socket.MSG_DONTWAIT)):
            with suppress(TimeoutError, BlockingIOError):
                call()

    return say


BETS: Final = ({"do": "bets_closed", "bets": {"1": "10"}}, {"do": "bets_open"})
"""Orders that are obeyed, and lead nowhere: in blackjack, with a shoe open."""

MARKS: Final = ({"do": "mark", "seat": 1, "word": "grab", "value": "1"}, {"do": "unmark"})
"""The same in niu-niu."""


def back_and_forth_by_mqtt(port: int) -> tuple[Client, Callable[[], None]]:
    """A flood of orders by MQTT that are obeyed: the client, and a step of it."""
    client = Client(CallbackAPIVersion.VERSION2, f"flood{os.getpid()}")
    client.connect("127.0.0.1", port)
    client.loop_start()
    numbers = count()

    def say() -> None:
        for order in BETS:
            client.publish("shoe/T07/command", json.dumps({"id": str(next(numbers)), **order}), 1)
        time.sleep(0.05)

    return client, say


def back_and_forth(control: socket.socket, orders: Iterable[dict[str, Any]]) -> Callable[[], None]:
    """A flood of orders at the control socket that are obeyed, each as soon as the one before is answered."""
    lines, answers = [json.dumps({**each, "by": "flood"}).encode() + b"\n" for each in orders], control.makefile()

    def say() -> None:
        for line in lines:
            control.sendall(line)
            answers.readline()

    return say
