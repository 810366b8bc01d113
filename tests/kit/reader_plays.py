"""The kinds of trouble that a reader or a keypad can have, each as what is played at a stage."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final
from unittest import mock

from hardware import connections
from tests.hardware.streams import LINES
from tests.kit import virtual
from tests.kit.reader_stage import KEYPAD, REPEATS, SETTLES_S, TEXT, Build, Seen, Stage

PROTOCOLS: Final = (*LINES, KEYPAD)

SILENT_S: Final = 3.5
"""The product's own wait: the clock of a play is no machine's."""

SOON: Final = [
    (level, name, {15: 1, 5: 1, 3: 1, 30_000: 2_000}.get(value, value)) for level, name, value in connections.KEPT_ALIVE
]
"""Options of a connection that ends after two seconds without another side, not thirty."""


async def in_order(stage: Stage) -> None:
    for card in stage.cards:
        await stage.say(stage.draw(card))


async def never_heard(stage: Stage) -> None:
    stage.beats = False
    await stage.say(b"", 60)


async def other_framing(stage: Stage) -> None:
    """What another family says of the cards: a line to those with packets, a packet to those with lines."""
    stage.beats = False
    for n, card in enumerate(stage.cards):
        stage.seen.drawn.append(card)
        other = "ssi" if stage.protocol in ("line", "grow") else "line"
        await stage.say(LINES[other].sent(n, card))


async def other_speed(stage: Stage) -> None:
    stage.beats = False
    for card in stage.cards:
        await stage.say(at_half_speed(stage.draw(card)))


async def other_mode(stage: Stage) -> None:
    """The digits of each card as a keyboard or Wiegand sends them: bytes without any frame, a few at a time."""
    stage.beats = False
    for card in stage.cards:
        stage.seen.drawn.append(card)
        await stage.say(str(stage.code(card)).encode())


async def no_end(stage: Stage) -> None:
    stage.beats = False
    for card in stage.cards:
        frame = stage.draw(card)
        one = frame[: len(frame) // stage.wire.copies]
        await stage.say(stage.wire.copies * (one.rstrip(b"\r\n") if one.endswith(b"\n") else one[:-1]))


async def damaged_only(stage: Stage) -> None:
    """A cable that damages all: the beats too."""
    stage.beats = False
    for card in stage.cards:
        await stage.say(damaged(stage, stage.draw(card), card))


async def damaged_among_good(stage: Stage) -> None:
    for n, card in enumerate(stage.cards):
        frame = stage.draw(card)
        if n == 1:
            await stage.say(damaged(stage, frame, card))
        if n != 1 or stage.protocol in REPEATS:
            await stage.say_again(frame)


async def damaged_into_another(stage: Stage) -> None:
    """One bit makes a nine an eight."""
    frame = stage.draw(stage.cards[0])
    await stage.say(damaged(stage, frame, stage.cards[0], at=0, bit=1))
    if stage.protocol in REPEATS:
        await stage.say_again(frame)
    await stage.say_again(stage.draw(stage.cards[1]))


async def noise(stage: Stage) -> None:
    stage.beats = False
    for burst in (b"\xff", b"\xf0\xfe\xff", b"\xfc", b"\xff\xff\xe0", b"\xfe", b"\xf8"):
        await stage.say(burst)


FOREIGN, NOT_READ = "a foreign one", "one that is not read"
"""Cards that are drawn and have no place in this shoe, or no face."""

ENDS: Final = {"native": b"\0", KEYPAD: b"\0", "line": b"\r\n", "grow": b"\r\n", "rdm6300": b"\x03"}
"""Protocol -> what ends the noise before a frame."""


async def understood_later(stage: Stage) -> None:
    """Its mode is put right, after cards may have been missed."""
    await stage.say(stage.draw(stage.cards[0]))
    await noise(stage)
    stage.beats = stage.protocol in REPEATS
    await stage.say(ENDS.get(stage.protocol, b""), 0.2)
    for card in stage.cards[1:3]:
        await stage.say_again(stage.draw(card))


async def another_pack(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[0]))
    stage.seen.drawn.append(FOREIGN)
    stage._said += 1
    codes: dict[str, int | str] = {"native": 0xFFF1, "rdm6300": "0AFFFFFFFF"}
    await stage.say(stage.coded(codes.get(stage.protocol, "X77Q")))
    await stage.say(stage.draw(stage.cards[1]))


async def not_read(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[0]))
    stage.seen.drawn.append(NOT_READ)
    stage._said += 1
    await stage.say(stage.coded("NOREAD"))
    await stage.say(stage.draw(stage.cards[1]))


async def repeats(stage: Stage) -> None:
    """The card lies there and is said again nearly each second, on no limit of a protocol."""
    frame = stage.draw(stage.cards[0])
    for _ in range(3):
        await stage.say(frame, 0.9)
    await stage.say(stage.draw(stage.cards[1]))


async def repeats_at_an_exit(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[2]), 0.2)
    await stage.leave()
    frame = stage.draw(stage.cards[0])
    await stage.say(frame, 0.2)
    await stage.lie(True)
    for _ in range(3):
        await stage.say(frame, 0.9)
    await stage.lie(False)
    await stage.say(b"")
    await stage.say(stage.draw(stage.cards[1]), 0.2)
    await stage.leave()


async def pushed_back(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[0]), 10)
    await stage.say(stage.frame(stage.cards[0]))
    await stage.say(stage.draw(stage.cards[1]))


async def pushed_back_before_an_exit(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[2]), 0.2)
    await stage.leave()
    await stage.say(stage.draw(stage.cards[0]), 10)
    await stage.say(stage.frame(stage.cards[0]), 0.2)
    await stage.leave()
    await stage.say(stage.draw(stage.cards[1]), 0.2)
    await stage.leave()


async def glued(stage: Stage) -> None:
    if stage.protocol != KEYPAD:
        await stage.say(b"".join(map(stage.draw, stage.cards)))
        return
    for card in stage.cards:  # a key answers what the pad shows
        await stage.say(2 * stage.draw(card))


async def split(stage: Stage) -> None:
    for card in stage.cards:
        for byte in stage.draw(card):
            await stage.say(bytes((byte,)), 0.002)
        await stage.say(b"")


async def unplugged(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[0]))
    frame = stage.draw(stage.cards[1])
    half = frame[: len(frame) // stage.wire.copies // 2]
    await stage.say(half, 0.1)
    await stage.replug(2.0)
    await stage.say(b"", SETTLES_S)
    if stage.protocol in REPEATS:  # which say it until it is acknowledged
        await stage.say_again(frame)
    await stage.say(stage.draw(stage.cards[2]))


async def opens_and_dies(stage: Stage) -> None:
    await stage.say(stage.draw(stage.cards[0]))
    for _ in range(12):
        await stage.replug(0.1)
        await stage.say(b"", 2.0)
    await stage.say(stage.draw(stage.cards[1]), 5 * SETTLES_S)


async def half_open(stage: Stage) -> None:
    """Its serial server is switched off and on: what it says is on no connection, and nothing ends it."""
    await stage.say(stage.draw(stage.cards[0]))
    frame = stage.draw(stage.cards[1])
    await stage.vanish()
    await stage.say(b"", SETTLES_S)
    if stage.protocol in REPEATS:
        await stage.say_again(frame)
    await stage.say(stage.draw(stage.cards[2]))


async def held_for_a_part(stage: Stage) -> None:
    """Another program reads the first half of a card, or of a key."""
    await _held(stage, lambda frame: len(frame) // stage.wire.copies // 2)


async def held_for_all(stage: Stage) -> None:
    """Another program reads all of a card, which is like the one before."""
    await _held(stage, len)


async def held_for_all_at_an_exit(stage: Stage) -> None:
    await held_for_all(stage)


async def _held(stage: Stage, taken: Callable[[bytes], int]) -> None:
    first, is_exit = stage.cards[0], stage.has_exit
    await stage.say(stage.draw(first), 0.2)
    await (stage.leave() if is_exit else stage.say(b""))
    frame = stage.draw(first)
    await stage.say(frame, 0.2, taken(frame))
    await (stage.leave(2.0) if is_exit else stage.say(b"", 2.0))
    await stage.say_again(stage.again(frame))
    await stage.say_again(stage.draw(stage.cards[2]), 0.2)
    await (stage.leave() if is_exit else stage.say(b""))


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
    "damaged into another card": damaged_into_another,
    ".. with codes that differ in two signs": damaged_into_another,
    "noise without a frame": noise,
    "understood after noise": understood_later,
    "a card of another pack": another_pack,
    "not-read word": not_read,
    "repeats": repeats,
    ".. with `presence`": repeats_at_an_exit,
    "pushed back": pushed_back,
    ".. before a sensor `presence`": pushed_back_before_an_exit,
    "glued": glued,
    "split at each byte": split,
    "unplugged in mid-frame": unplugged,
    "opens and dies": opens_and_dies,
    "half open": half_open,
    "held by another, a part of a card": held_for_a_part,
    "held by another, a whole card": held_for_all,
    ".. where `presence` sees it": held_for_all_at_an_exit,
}

BUILDS: Final[dict[Kind, Build]] = {
    half_open: Build(far=True),
    repeats_at_an_exit: Build(exit=True),
    pushed_back_before_an_exit: Build(exit=True),
    held_for_all_at_an_exit: Build(exit=True),
}

HELD: Final = (held_for_a_part, held_for_all, held_for_all_at_an_exit)

ENDED_BY: Final = {
    ("damaged into another card", ".. with codes that differ in two signs"): {"line", "grow"},
    ("repeats", ".. with `presence`"): {"line", "ssi"},
    ("pushed back", ".. before a sensor `presence`"): {*LINES} - {"rdm6300"},
    ("held by another, a whole card", ".. where `presence` sees it"): {"line", "grow", "rdm6300"},
}
"""Kinds in which some protocols cannot know, and the kind in which the sensor or setting that ends it is there."""

ONLY: Final = {
    "a card of another pack": {*LINES} - {"angel-eye"},  # it knows no packs
    "not-read word": {*TEXT},
    "damaged into another card": {*LINES},
    "pushed back": {*LINES},
    **{ended: protocols for (_, ended), protocols in ENDED_BY.items()},
}
"""Kind -> the protocols that can say so, where not all can."""


def cells() -> list[tuple[str, str]]:
    """Each kind with each protocol that can have it."""
    return [(kind, protocol) for kind in KINDS for protocol in PROTOCOLS if protocol in ONLY.get(kind, PROTOCOLS)]


def damaged(stage: Stage, frame: bytes, card: str, at: int = 1, bit: int = 4) -> bytes:
    """The frame with a bit changed in each copy: in a sign of the code, where it has letters."""
    one = bytearray(frame[: len(frame) // stage.wire.copies])
    where = one.index(card.encode()) + at if stage.protocol in TEXT else len(one) // 2
    one[where] ^= bit
    return stage.wire.copies * bytes(one)


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
    """Play a kind of trouble at a reader or a keypad."""
    build = Build(book=True) if "codes" in kind else BUILDS.get(KINDS[kind], Build())

    async def played() -> Seen:
        loop = asyncio.get_running_loop()
        stage = Stage(folder, protocol, build)
        if KINDS[kind] in HELD:
            stage.others.append("logger (pid 812)")
        with (
            mock.patch("time.monotonic", loop.time),
            mock.patch("time.monotonic_ns", lambda: int(loop.time() * 1e9)),  # noqa: PT008  # it goes on
            mock.patch("hardware.connections.KEPT_ALIVE", SOON),
            mock.patch("firmware_bridge.daemon.devices.reader.SILENT_AFTER_S", SILENT_S),
            mock.patch("firmware_bridge.daemon.devices.keypads.SILENT_AFTER_S", SILENT_S),
            mock.patch("firmware_bridge.daemon.devices.reader_alarms.holders", return_value=stage.others),  # is costly
            mock.patch("firmware_bridge.cli.check.hearing.holders", return_value=stage.others),
        ):
            await stage.open()
            try:
                await KINDS[kind](stage)
                return stage.look()
            finally:
                await stage.close()

    return virtual.run(played())
