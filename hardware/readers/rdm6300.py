"""RDM6300 modules: 125 kHz tags in the cards, a 14-byte frame repeated while a tag is near."""

import re
import time
from collections.abc import Callable, Iterator
from functools import reduce
from operator import xor
from typing import Final

from hardware.readers.messages import Message, Read
from hardware.readers.protocol import Decoder, Protocol, ReaderSettings, Sightings

START, END = b"\x02", b"\x03"
NEAR = 8  # tags within reach at a time; more than a gate holds
FLICKERS_S: Final = 2.0
"""Seconds for which a tag at the edge of the field may fall silent; its code is one card's alone."""

FRAME = 14  # bytes: start, 10 hex digits of the tag, 2 of the checksum, end
_TAG = re.compile(rb"\x02([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})\x03")


def encode(tag: str) -> bytes:
    """The frame of a tag (10 hex digits, else ValueError)."""
    digits = bytes.fromhex(tag)
    if len(digits) != 5:
        raise ValueError(f"a tag has 10 hex digits, {tag!r} has not")
    return START + tag.upper().encode() + f"{reduce(xor, digits):02X}".encode() + END


def decode(frame: bytes) -> str | None:
    """The tag in a frame, None if damaged."""
    found = _TAG.fullmatch(frame)
    if found is None or reduce(xor, bytes.fromhex(found[1].decode())) != int(found[2], 16):
        return None
    return found[1].decode().upper()


class Rdm6300Decoder(Decoder):
    """Yields each tag once while it is near; the module sends it every 50 ms. Each card has its own tag."""

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        settings = settings or ReaderSettings()
        self._sightings: Sightings = Sightings(settings.hold, clock, NEAR, settings.repeats)
        self._begun = b""

    def feed(self, chunk: bytes) -> Iterator[Message]:
        *parts, rest = (self._begun + chunk).split(END)
        self._begun = rest[-FRAME:]
        for part in parts:
            tag = decode(part[-FRAME + 1 :] + END)
            if tag is None:
                self.bad += 1
                continue
            self.good += 1
            if self._sightings.seen(tag) == "new":
                yield Read(tag)

    def forget(self) -> None:
        self._begun = b""


PROTOCOL: Final = Protocol(
    Rdm6300Decoder, baud=9_600, board="hardware.sim.code_boards:Rdm6300Board", has_tags=True, repeats=FLICKERS_S
)
