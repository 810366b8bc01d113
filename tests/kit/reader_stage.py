"""A bridge by a clock that jumps, whose reader or keypad says what it is given, and what people see of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import tty
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import keypads, reader
from firmware_bridge.config.load import load
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.devices.code_books import CodeBook, Known, native_code, save
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.shoe.round import due
from firmware_bridge.shoe.state import held_cards
from hardware import framing
from hardware import keypads as pads
from hardware.pins.pin import Pin, pin_factory
from hardware.readers import native, ssi
from hardware.readers.messages import Beat
from hardware.sim.pins import MockPins
from tests.hardware.streams import LINES, SESSION, Line
from tests.kit.broker import free_port
from tests.kit.daemon_table import toml
from tests.kit.patience import LIMIT_S
from tests.kit.serial_server import SerialServer

KEYPAD: Final = "keypad"
"""The protocol of a keypad's cells: its keys are what passes."""

TEXT: Final = ("line", "grow", "ssi")
"""Protocols whose cards have codes of letters."""

REPEATS: Final = ("native", KEYPAD)
"""Devices that beat, and say a report until it is acknowledged."""

CARDS: Final = ("9s", "Kd", "4h", "2c")
"""The cards that pass, in this order: a whole round."""

KEYS: Final = ("H", "H", "H", "S")
"""The keys of a seat, in this order."""

OTHERS: Final = {"broker_lost", "record_unsigned", "disk_error", "clock_jump"}
"""Alarms of these tables that no reader has a part in: no broker, no key, and a clock that jumps."""

PACE_S: Final = 3.0
"""Seconds from one card to the next."""

SETTLES_S: Final = 5.0
"""Seconds from a start to the first card."""

BEAT_S: Final = 1.0
EXIT: Final = Pin(7)
"""The sensor at the exit."""

EXIT_S: Final = 0.3
"""Seconds that a card is at it."""

PACKS: Final = 8
LEVELS: Final = {"OK": 0, "WARN": 1, "FAIL": 2}


@dataclass(frozen=True)
class Build:
    """What a table has beside the usual. far: its reader is in the network. exit: a sensor. book: codes of cards that
    no single damage makes another card's.
    """

    far: bool = False
    exit: bool = False
    book: bool = False


@dataclass
class Seen:
    """What a play showed: cards drawn and dealt, alarms in the order they came, lamps, and what `shoe check` says.

    line: the cards that were dealt, and then those that wait, None for one without a face.
    """

    drawn: list[str] = field(default_factory=list)
    dealt: list[str] = field(default_factory=list)
    line: list[str | None] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    lamp: str = ""
    check: str = ""

    @property
    def waiting(self) -> int:
        """How many cards wait."""
        return len(self.line) - len(self.dealt)


class Stage:
    """A bridge on the running loop with a device that says what it is given, from `open` to `close`.

    others: the programs that have its port open too.
    """

    def __init__(self, folder: Path, protocol: str, build: Build = Build()) -> None:
        self.protocol, self.link, self._folder, self._build = protocol, folder / "device", folder, build
        self.is_pad, self.has_exit = protocol == KEYPAD, build.exit
        self.beats = protocol in REPEATS
        self.wire = PAD if self.is_pad else LINES[protocol]
        self.cards = KEYS if self.is_pad else CARDS
        self.seen, self.others = Seen(), list[str]()
        self._said = 0
        self._server = SerialServer(hold_s=None) if build.far else None
        self._plug()
        self._factory = pin_factory("mock") if build.exit else None
        self._fingers = MockPins(self._factory) if self._factory else None
        if self._fingers:
            self._fingers.switch(EXIT, False)
        path = folder / "bridge.toml"
        path.write_text(toml(self._sections()) + self._pad_section())
        self.config = load(path)

    async def open(self) -> None:
        """Start the bridge and let its port settle."""
        self.bridge = Bridge(self.config, self._factory)
        decoder: Any = self.bridge.reader.decoder
        clock = asyncio.get_running_loop().time
        for part in (decoder, getattr(decoder, "_sightings", None)):
            if hasattr(part, "_clock"):
                part._clock = clock
        await self.bridge.open()
        await self.say(b"", SETTLES_S)
        if self.is_pad:
            self._order(orders.OpenShoe())
            self._order(orders.BetsClosed(bets={"1": "10"}))
            self._meet()

    async def close(self) -> None:
        await self.bridge.close()
        self._unplug()
        if self._server:
            self._server.close()

    def frame(self, card: str) -> bytes:
        """What the device says of the next card or key."""
        self._said += 1
        return self.coded(self.code(card))

    def coded(self, code: int | str) -> bytes:
        """What the device says of a code."""
        if self.is_pad:
            mark = pads.Mark(self._said - 1, SESSION, self.bridge.table.shoe.turn, 1, 0, str(code))
            return framing.encode(pads.pack(mark))
        return self.wire.sent(self._said - 1, code)

    def code(self, card: str) -> int | str:
        """The code of a card at this reader."""
        if self.protocol == "native":
            return native_code(Card(card))
        if self._build.book:
            return apart(card)
        return tag(card) if self.protocol == "rdm6300" else card

    def draw(self, card: str) -> bytes:
        """What the device says of a card that is drawn now, or a key that is pressed."""
        self.seen.drawn.append(card)
        return self.frame(card)

    def again(self, frame: bytes) -> bytes:
        """What a device that waits for an acknowledgement says a second time; b"" of others."""
        if self.protocol == "ssi":
            return ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, ssi.RETRANSMITTED, frame[4:-2]))
        return frame if self.protocol in REPEATS else b""

    async def say(self, chunk: bytes, rest_s: float = PACE_S, taken: int = 0) -> None:
        """Say bytes, and let time pass once they are at the daemon's side of the cable.

        taken: how many of them another program reads first.
        """
        await self._send(chunk)
        if taken:
            os.read(self._slave, taken)
        await asyncio.sleep(rest_s % BEAT_S)
        for _ in range(int(rest_s / BEAT_S)):
            self._meet()
            if self.beats:
                await self._send(BEATS[self.protocol])
            await asyncio.sleep(BEAT_S)
        self._meet()
        with contextlib.suppress(BlockingIOError):
            os.read(self._master, 65_536)

    async def say_again(self, frame: bytes, rest_s: float = PACE_S) -> None:
        """Say a report as often as a device does that waits for an acknowledgement, once by others."""
        for _ in range(self.wire.rounds - 1):
            await self.say(frame, 0.5)
        await self.say(frame, rest_s)

    async def leave(self, rest_s: float = PACE_S) -> None:
        """Let the last card pass the sensor at the exit."""
        await self.lie(True)
        await asyncio.sleep(EXIT_S)
        await self.lie(False)
        await self.say(b"", rest_s)

    async def lie(self, is_there: bool) -> None:
        """Lay a card at the exit, or take it away."""
        assert self._fingers
        self._fingers.drive(EXIT, is_there)
        await asyncio.sleep(EXIT_S)

    async def replug(self, away_s: float) -> None:
        """Unplug the device for so many seconds."""
        self._unplug()
        await asyncio.sleep(away_s)
        self._plug()

    async def vanish(self) -> None:
        """Let the device's side of the connection be gone, until the daemon's has ended."""
        assert self._server
        beats, self.beats = self.beats, False
        port = self._port()
        self._server.vanish()
        ends = select.poll()
        ends.register(port._fd, select.POLLERR | select.POLLHUP)
        await asyncio.get_running_loop().run_in_executor(None, ends.poll, 1000 * LIMIT_S)
        self.beats = beats

    def look(self) -> Seen:
        """What is to be seen now."""
        seen, table = self.seen, self.bridge.table
        for path in journal_files(self._folder / "journal"):
            for line, _ in read_lines(Place(path, 0)):
                for each in line.entry.events if line.entry else ():
                    self._note(each)
        held = () if self.is_pad else held_cards(table.shoe)
        seen.line = [*seen.dealt, *(each.card and each.card.value for each in held)]
        is_open = [each.id for each in table.alarms().open if each.id not in OTHERS]
        for alarm in is_open:
            self._raised(alarm)
        seen.lamp = table.shown().lit["fault"] if is_open else "dark"
        checks = keypads if self.is_pad else reader
        worst = max(checks(Machine(self.config, self.bridge.control.status())), key=lambda each: LEVELS[each.level])
        said = worst.text.partition(": ")[2] or worst.text
        seen.check = "OK" if worst.level == "OK" else f"{worst.level}: {_lasting(said, str(self._target))}"
        return seen

    def _note(self, event: Any) -> None:
        if isinstance(event, e.MarkGiven) and self.is_pad:
            self.seen.dealt.append(event.word)
        elif isinstance(event, e.CardDealt) and not self.is_pad:
            self.seen.dealt.append(event.card.value)
        elif isinstance(event, e.Irregular):
            self._raised(event.id)

    def _raised(self, alarm: str) -> None:
        if alarm not in OTHERS and alarm not in self.seen.alarms:
            self.seen.alarms.append(alarm)

    @property
    def _target(self) -> Path | str:
        return self._server.target if self._server else self.link

    def _sections(self) -> dict[str, Any]:
        usual = {"id": "T07", "new_shoe": "auto", "burn": "none"}
        sections: dict[str, Any] = {
            "table": usual | ({"game": "blackjack"} if self.is_pad else {"cut_earliest": "none"}),
            "reader": {"port": str(self._target), "protocol": self.protocol},
            "pins": {"factory": "mock"} | ({"presence": EXIT.number} if self._build.exit else {}),
            "mqtt": {"port": free_port()},
            "journal": {"dir": str(self._folder / "journal")},
        }
        if self.is_pad:
            sections["reader"] = {"port": str(self._folder / "reader"), "protocol": "line"}
            self._quiet = pty_at(self._folder / "reader")
        if self.protocol == "rdm6300" or self._build.book:
            save(self._folder / "codes.csv", far_apart() if self._build.book else tags())
            sections["reader"]["code_book"] = str(self._folder / "codes.csv")
        return sections

    def _pad_section(self) -> str:
        return f'\n[[keypad]]\nport = "{self._target}"\nseats = [1]\ndealer = true\n' if self.is_pad else ""

    def _order(self, order: orders.Order) -> None:
        self.bridge.table.order(inputs.Ordered(**now(), order=order, by="test", nonce=nonce()))

    def _meet(self) -> None:
        """See what alarms are open, and deal what is due at a table of keys."""
        table = self.bridge.table
        for alarm in table.alarms().open:
            self._raised(alarm.id)
        while self.is_pad and table.shoe.status == "open" and due(table.shoe) and not table.shoe.held:
            table.handle(inputs.CardRead(**now(), card=Card(LOW[len(table.shoe.seen)]), nonce=nonce()))

    def _port(self) -> Any:
        return self.bridge.keypads._pads[0].port if self.is_pad else self.bridge.reader.port

    async def _send(self, chunk: bytes) -> None:
        if not chunk:
            return
        if self._server:
            self._server.send(chunk)
            here = self._port()._fd if self._port().is_open else -1
        else:
            os.write(self._master, chunk)
            here = self._slave
        if here >= 0:
            select.select([here], [], [], LIMIT_S)

    def _plug(self) -> None:
        self._master, self._slave = pty_at(self.link)

    def _unplug(self) -> None:
        self.link.unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self._master)


def pty_at(link: Path) -> tuple[int, int]:
    """Both ends of a new cable, whose far end has this name."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    tty.setraw(slave)
    link.unlink(missing_ok=True)
    link.symlink_to(os.ttyname(slave))
    return master, slave


BEATS: Final = {
    "native": framing.encode(native.pack(Beat(SESSION, 1_000, 200, 12, 31))),
    KEYPAD: framing.encode(pads.pack(pads.Beat(SESSION))),
}
"""What these devices say each second."""

PAD: Final = Line(lambda _, code: b"", lambda rng, count: [], rounds=3)
"""The wire of a keypad; its keys name the turn that the table shows."""

LOW: Final = ("2c", "Tc", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4s")
"""The cards of the table of keys: a hand that takes three more."""


def tag(card: str, pack: int = 0) -> str:
    """The tag in a card of a pack."""
    return f"0A{pack:02X}{card.encode().hex().upper():0>6}"


def tags() -> CodeBook:
    """The book of a shoe of which each card has its own tag."""
    return {tag(card.value, n): Known(card, None, tag(card.value, n)) for card in FACES for n in range(PACKS)}


def apart(card: str) -> str:
    """A code that differs from each other card's in two signs at least."""
    return f"{card}-{card[::-1]}"


def far_apart() -> CodeBook:
    """A book of such codes."""
    return {apart(card.value): Known(card) for card in FACES}


def _lasting(said: str, target: str) -> str:
    """What `shoe check` says, without what differs from play to play."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", said.replace(target, "PORT"))
