"""What readers do at a table when something is wrong, each kind of trouble at each protocol, by a clock that jumps.

A play is a bridge whose reader is a pseudo-terminal, on which the bytes of cards are written, damaged as the kind says.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import tempfile
import tty
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest import mock

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import reader
from firmware_bridge.config.load import load
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.devices.code_books import CodeBook, Known, native_code, save
from firmware_bridge.facts import events as e
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.shoe.state import held_cards
from hardware import framing
from hardware.readers import native
from hardware.readers.messages import Beat
from tests.hardware.streams import LINES, SESSION
from tests.kit import virtual
from tests.kit.broker import free_port
from tests.kit.daemon_table import toml
from tests.kit.patience import LIMIT_S

PROTOCOLS: Final = tuple(LINES)
TEXT: Final = ("line", "grow", "ssi")
"""Protocols whose cards have codes of letters."""

CARDS: Final = ("9s", "Kd", "4h", "2c")
"""The cards that pass, in this order: a whole round."""

OTHERS: Final = {"broker_lost", "record_unsigned", "disk_error", "clock_jump"}
"""Alarms of these tables that no reader has a part in: no broker, no key, and a clock that jumps."""

PACE_S: Final = 3.0
"""Seconds from one card to the next."""

SETTLES_S: Final = 5.0
"""Seconds from a start to the first card."""

BEAT_S: Final = 1.0
BEAT: Final = framing.encode(native.pack(Beat(SESSION, 1_000, 200, 12, 31)))
"""What a native board says each second."""


@dataclass
class Seen:
    """What a play showed: cards drawn and dealt, alarms in the order they came, lamps, and what `shoe check` says."""

    drawn: list[str] = field(default_factory=list)
    dealt: list[str] = field(default_factory=list)
    waiting: int = 0
    alarms: list[str] = field(default_factory=list)
    lamp: str = ""
    check: str = ""


class Stage:
    """A bridge on the running loop with a reader that says what it is given, from `open` to `close`."""

    def __init__(self, folder: Path, protocol: str) -> None:
        self.protocol, self.link = protocol, folder / "reader"
        self.seen = Seen()
        self._said = 0
        self.beats = protocol == "native"
        self._plug()
        sections: dict[str, Any] = {
            "table": {"id": "T07", "new_shoe": "auto", "burn": "none", "cut_earliest": "none"},
            "reader": {"port": str(self.link), "protocol": protocol},
            "pins": {"factory": "mock"},
            "mqtt": {"port": free_port()},
            "journal": {"dir": str(folder / "journal")},
        }
        if protocol == "rdm6300":
            save(folder / "codes.csv", tags())
            sections["reader"]["code_book"] = str(folder / "codes.csv")
        self._folder = folder
        (folder / "bridge.toml").write_text(toml(sections))
        self.config = load(folder / "bridge.toml")

    async def open(self) -> None:
        """Start the bridge and let its port settle."""
        self.bridge = Bridge(self.config)
        decoder: Any = self.bridge.reader.decoder
        clock = asyncio.get_running_loop().time
        for part in (decoder, getattr(decoder, "_sightings", None)):
            if hasattr(part, "_clock"):
                part._clock = clock
        await self.bridge.open()
        await self.say(b"", SETTLES_S)

    async def close(self) -> None:
        await self.bridge.close()
        self._unplug()

    def frame(self, card: str) -> bytes:
        """What the reader says of the next card."""
        self._said += 1
        return self.coded(self.code(card))

    def coded(self, code: int | str) -> bytes:
        """What the reader says of a code."""
        return LINES[self.protocol].sent(self._said - 1, code)

    def code(self, card: str) -> int | str:
        """The code of a card at this reader."""
        if self.protocol == "native":
            return native_code(Card(card))
        return tag(card) if self.protocol == "rdm6300" else card

    def draw(self, card: str) -> bytes:
        """What the reader says of a card that is drawn now."""
        self.seen.drawn.append(card)
        return self.frame(card)

    async def say(self, chunk: bytes, rest_s: float = PACE_S) -> None:
        """Say bytes, and let time pass once they are at the daemon's side of the cable."""
        if chunk:
            os.write(self._master, chunk)
            select.select([self._slave], [], [], LIMIT_S)
        await asyncio.sleep(rest_s % BEAT_S)
        for _ in range(int(rest_s / BEAT_S)):
            if self.beats:
                os.write(self._master, BEAT)
                select.select([self._slave], [], [], LIMIT_S)
            await asyncio.sleep(BEAT_S)
        with contextlib.suppress(BlockingIOError):
            os.read(self._master, 65_536)

    async def replug(self, away_s: float) -> None:
        """Unplug the reader for so many seconds."""
        self._unplug()
        await asyncio.sleep(away_s)
        self._plug()

    def look(self) -> Seen:
        """What is to be seen now."""
        seen, table = self.seen, self.bridge.table
        seen.waiting = len(held_cards(table.shoe))
        for path in journal_files(self._folder / "journal"):
            for line, _ in read_lines(Place(path, 0)):
                for each in line.entry.events if line.entry else ():
                    if isinstance(each, e.CardDealt):
                        seen.dealt.append(each.card.value)
                    elif isinstance(each, e.Irregular) and each.id not in OTHERS and each.id not in seen.alarms:
                        seen.alarms.append(each.id)
        is_open = [each.id for each in table.alarms().open if each.id not in OTHERS]
        seen.alarms += [each for each in is_open if each not in seen.alarms]
        seen.lamp = table.shown().lit["fault"] if is_open else "dark"
        worst = max(reader(Machine(self.config, self.bridge.control.status())), key=lambda each: LEVELS[each.level])
        said = worst.text.partition(": ")[2] or worst.text
        seen.check = "OK" if worst.level == "OK" else f"{worst.level}: {_lasting(said, self.link)}"
        return seen

    def _plug(self) -> None:
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        tty.setraw(self._slave)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(os.ttyname(self._slave))

    def _unplug(self) -> None:
        self.link.unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self._master)


LEVELS: Final = {"OK": 0, "WARN": 1, "FAIL": 2}


PACKS: Final = 8


def tag(card: str, pack: int = 0) -> str:
    """The tag in a card of a pack."""
    return f"0A{pack:02X}{card.encode().hex().upper():0>6}"


def tags() -> CodeBook:
    """The book of a shoe of which each card has its own tag."""
    return {tag(card.value, n): Known(card, None, tag(card.value, n)) for card in FACES for n in range(PACKS)}


def _lasting(said: str, link: Path) -> str:
    """What `shoe check` says, without what differs from play to play."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", said.replace(str(link), "PORT"))


# ---------------------------------------------------------------- kinds of trouble


async def in_order(stage: Stage) -> None:
    for card in CARDS:
        await stage.say(stage.draw(card))


async def never_heard(stage: Stage) -> None:
    stage.beats = False
    await stage.say(b"", 60)


async def other_framing(stage: Stage) -> None:
    """What another family says of the cards: a line to those with packets, a packet to those with lines."""
    stage.beats = False
    for n, card in enumerate(CARDS):
        stage.seen.drawn.append(card)
        other = "ssi" if stage.protocol in ("line", "grow") else "line"
        await stage.say(LINES[other].sent(n, card))


async def other_speed(stage: Stage) -> None:
    stage.beats = False
    for card in CARDS:
        await stage.say(at_half_speed(stage.draw(card)))


async def other_mode(stage: Stage) -> None:
    """The digits of each card as a keyboard or Wiegand sends them: bytes without any frame, a few at a time."""
    stage.beats = False
    for card in CARDS:
        stage.seen.drawn.append(card)
        await stage.say(str(stage.code(card)).encode())


async def no_end(stage: Stage) -> None:
    stage.beats = False
    copies = LINES[stage.protocol].copies
    for card in CARDS:
        frame = stage.draw(card)
        one = frame[: len(frame) // copies]
        await stage.say(copies * (one.rstrip(b"\r\n") if one.endswith(b"\n") else one[:-1]))


async def damaged_only(stage: Stage) -> None:
    """A cable that damages all: the beats too."""
    stage.beats = False
    for card in CARDS:
        await stage.say(damaged(stage, stage.draw(card), card))


async def damaged_among_good(stage: Stage) -> None:
    for n, card in enumerate(CARDS):
        frame = stage.draw(card)
        if n == 1:
            await stage.say(damaged(stage, frame, card))
        again = LINES[stage.protocol].rounds if n == 1 else 1  # a native board repeats until it is acknowledged
        for _ in range(again if n != 1 or stage.protocol == "native" else 0):
            await stage.say(frame, 1.0)
        await stage.say(b"")


async def noise(stage: Stage) -> None:
    stage.beats = False
    for burst in (b"\xff", b"\xf0\xfe\xff", b"\xfc", b"\xff\xff\xe0", b"\xfe", b"\xf8"):
        await stage.say(burst)


async def another_pack(stage: Stage) -> None:
    await stage.say(stage.draw(CARDS[0]))
    stage.seen.drawn.append("a foreign one")
    stage._said += 1
    codes: dict[str, int | str] = {"native": 0xFFF1, "rdm6300": "0AFFFFFFFF"}
    await stage.say(stage.coded(codes.get(stage.protocol, "X77Q")))
    await stage.say(stage.draw(CARDS[1]))


async def not_read(stage: Stage) -> None:
    await stage.say(stage.draw(CARDS[0]))
    stage.seen.drawn.append("one that is not read")
    stage._said += 1
    await stage.say(stage.coded("NOREAD"))
    await stage.say(stage.draw(CARDS[1]))


async def repeats(stage: Stage) -> None:
    """The card lies there and is said again nearly each second, on no limit of a protocol."""
    frame = stage.draw(CARDS[0])
    for _ in range(3):
        await stage.say(frame, 0.9)
    await stage.say(stage.draw(CARDS[1]))


async def pushed_back(stage: Stage) -> None:
    await stage.say(stage.draw(CARDS[0]), 10)
    await stage.say(stage.frame(CARDS[0]))
    await stage.say(stage.draw(CARDS[1]))


async def glued(stage: Stage) -> None:
    await stage.say(b"".join(map(stage.draw, CARDS)))


async def split(stage: Stage) -> None:
    for card in CARDS:
        for byte in stage.draw(card):
            await stage.say(bytes((byte,)), 0.002)
        await stage.say(b"")


async def unplugged(stage: Stage) -> None:
    await stage.say(stage.draw(CARDS[0]))
    frame = stage.draw(CARDS[1])
    half = frame[: len(frame) // LINES[stage.protocol].copies // 2]
    await stage.say(half, 0.1)
    await stage.replug(2.0)
    await stage.say(b"", SETTLES_S)
    if stage.protocol == "native":  # which says it until it is acknowledged
        await stage.say(frame)
    await stage.say(stage.draw(CARDS[2]))


async def opens_and_dies(stage: Stage) -> None:
    await stage.say(stage.draw(CARDS[0]))
    for _ in range(12):
        await stage.replug(0.1)
        await stage.say(b"", 2.0)
    await stage.say(stage.draw(CARDS[1]))


Kind = Callable[[Stage], Awaitable[None]]

KINDS: Final[dict[str, Kind]] = {
    "in order": in_order,
    "never heard": never_heard,
    "other framing": other_framing,
    "other speed": other_speed,
    "other mode": other_mode,
    "no line end": no_end,
    "damaged only": damaged_only,
    "damaged among good": damaged_among_good,
    "noise without a frame": noise,
    "a card of another pack": another_pack,
    "not-read word": not_read,
    "repeats": repeats,
    "pushed back": pushed_back,
    "glued": glued,
    "split at each byte": split,
    "unplugged in mid-frame": unplugged,
    "opens and dies": opens_and_dies,
}

ONLY: Final = {
    "a card of another pack": {*LINES} - {"angel-eye"},  # it knows no packs
    "not-read word": {*TEXT},
}
"""Kind -> the protocols that can say so, where not all can."""


def cells() -> list[tuple[str, str]]:
    """Each kind with each protocol that can have it."""
    return [(kind, protocol) for kind in KINDS for protocol in PROTOCOLS if protocol in ONLY.get(kind, PROTOCOLS)]


def damaged(stage: Stage, frame: bytes, card: str) -> bytes:
    """The frame with a bit changed in each copy: in the last sign of the code, where it has letters."""
    copies = LINES[stage.protocol].copies
    one = bytearray(frame[: len(frame) // copies])
    at = one.index(card.encode()) + 1 if stage.protocol in TEXT else len(one) // 2
    one[at] ^= 4
    return copies * bytes(one)


def at_half_speed(sent: bytes) -> bytes:
    """What a port at half the speed makes of bytes: it sees each second bit."""
    bits = [bit for byte in sent for bit in (0, *(byte >> n & 1 for n in range(8)), 1)] + 20 * [1]
    read, at = bytearray(), 0
    while at + 20 <= len(bits):
        if bits[at]:
            at += 1
            continue
        read.append(sum(bits[at + 3 + 2 * n - 1] << n for n in range(8)))
        at += 19
    return bytes(read)


def play(folder: Path, kind: str, protocol: str) -> Seen:
    """Play a kind of trouble at a reader."""

    async def played() -> Seen:
        loop = asyncio.get_running_loop()
        with (
            mock.patch("time.monotonic", loop.time),
            mock.patch("time.monotonic_ns", lambda: int(loop.time() * 1e9)),  # noqa: PT008  # it goes on
            mock.patch("firmware_bridge.daemon.devices.reader_alarms.holders", return_value=[]),  # costly, and none
            mock.patch("firmware_bridge.cli.check.hearing.holders", return_value=[]),
        ):
            stage = Stage(folder, protocol)
            await stage.open()
            try:
                await KINDS[kind](stage)
                return stage.look()
            finally:
                await stage.close()

    return virtual.run(played())


# ---------------------------------------------------------------- the page

LAMPS: Final = {"dark": "dark", "steady": "steady", "blocked": "fast blink", "confirm": "slow blink"}

CANNOT_KNOW: Final = {
    **{("repeats", protocol): "`presence`" for protocol in ("line", "ssi")},
    **{("pushed back", protocol): "`presence`" for protocol in PROTOCOLS if protocol != "rdm6300"},
}
"""Cells in which no device can know whether it is the same card, and the sensor by which it would."""

BEGIN, END = "<!-- played: begin -->\n", "<!-- played: end -->\n"


def mistakes(seen: Seen) -> list[str]:
    """What must not be: a card dealt that was not drawn, one that is missing without a word."""
    rest = iter(seen.drawn)
    found = [f"{card} is wrong or one too many" for card in seen.dealt if card not in rest]
    is_told = bool(seen.alarms) or seen.check.startswith("FAIL")
    if seen.dealt != seen.drawn and not is_told:
        found.append(f"dealt {seen.dealt} of {seen.drawn} without a word")
    return found


def row(seen: Seen, sensor: str) -> str:
    """The cells of a play: cards, lamp, what a technician reads."""
    cards = f"{len(seen.dealt)} of {len(seen.drawn)} dealt" if seen.drawn else "none passes"
    if seen.dealt == seen.drawn and seen.drawn:
        cards = "all dealt"
    elif len(seen.dealt) > len(seen.drawn):
        cards = f"{len(seen.dealt)} dealt of {len(seen.drawn)}"
    cards += f", {seen.waiting} held" if seen.waiting else ""
    cards += f"; **cannot know**, but with {sensor}" if sensor else ""
    alarms = ", ".join(f"`{each}`" for each in seen.alarms) or "-"
    return f"{cards} | {LAMPS[seen.lamp]} | {alarms} | {seen.check}"


def table(played: dict[tuple[str, str], Seen]) -> str:
    """The rows of the page; protocols of a kind with the same cells share one."""
    lines = ["| trouble | `protocol` | cards | lamp `fault` | alarms | `shoe check` |", "|---|---|---|---|---|---|"]
    for kind in KINDS:
        rows: dict[str, list[str]] = {}
        for cell, seen in played.items():
            if cell[0] == kind:
                rows.setdefault(row(seen, CANNOT_KNOW.get(cell, "")), []).append(f"`{cell[1]}`")
        for text, protocols in rows.items():
            who = "all" if len(protocols) == len(PROTOCOLS) else ", ".join(protocols)
            lines.append(f"| {kind} | {who} | {text} |")
    return "\n".join(lines) + "\n"


def told(page: str) -> dict[tuple[str, str], str]:
    """What the page says of each cell."""
    said = {}
    for line in page.partition(BEGIN)[2].partition(END)[0].splitlines()[2:]:
        kind, who, text = line.strip("| ").split(" | ", 2)
        for protocol in PROTOCOLS if who == "all" else who.replace("`", "").split(", "):
            said[kind, protocol] = text
    return said


def placed(page: str, rows: str) -> str:
    """The page with these rows between its marks."""
    head, begin, rest = page.partition(BEGIN)
    return head + begin + rows + END + rest.partition(END)[2]


def main() -> None:
    """Play all, and write docs/readers.md."""
    page = Path(__file__).parents[2] / "docs/readers.md"
    played = {}
    for cell in cells():
        with tempfile.TemporaryDirectory() as folder:
            played[cell] = play(Path(folder), *cell)
    page.write_text(placed(page.read_text("utf-8"), table(played)))


if __name__ == "__main__":
    main()
