"""Frames of Angel Eye shoes: each with a number, a command, a payload and a check."""

import re
from collections.abc import Iterator
from functools import reduce
from operator import xor
from typing import Final

from msgspec import Struct

from hardware.readers.messages import masked

START, END = 0x05, 0x03
BIT_7: Final = 0x80  # set in every byte of a payload
LONGEST: Final = 16  # bytes of a frame; the longest known has 9
SUITS: Final = {1: "d", 2: "c", 3: "s", 4: "h"}
RANKS: Final = "A23456789TJQK"
CHECK: Final = 2  # digits
_CARD: Final = re.compile(rb"(.)D([\x80-\xff]{2})", re.DOTALL)


class Frame(Struct, frozen=True, gc=False):
    """One report: `seq` and `command` are ASCII characters, `payload` bytes of 80 to FF."""

    seq: str
    command: str
    payload: bytes = b""

    def __repr__(self) -> str:
        return masked(self, "payload")


def encode(frame: Frame) -> bytes:
    """Return the bytes of the frame on the wire."""
    checked = frame.seq.encode("ascii") + frame.command.encode("ascii") + frame.payload + bytes((END,))
    return bytes((START,)) + checked + f"{reduce(xor, checked):02X}".encode()


def decode(frame: bytes) -> Frame | None:
    """Return the report in exactly these bytes, None if damaged."""
    checked, check = frame[1:-CHECK], frame[-CHECK:]
    if len(checked) < 3 or frame[0] != START or checked[-1] != END:
        return None
    if check != f"{reduce(xor, checked):02X}".encode():
        return None
    seq, command, payload = checked[:1], checked[1:2], checked[2:-1]
    if not (seq.isalnum() and command.isalpha()) or any(not byte & BIT_7 for byte in payload):
        return None
    return Frame(seq.decode(), command.decode(), payload)


def card_bytes(target: int, index: int, card: str) -> bytes:
    """Return the payload of a card such as `8s` (else ValueError) to a target (0 player, 1 banker, 2 burn, 4 first)."""
    if len(card) != 2 or card[0] not in RANKS or card[1] not in SUITS.values():
        raise ValueError("a card of this shoe is a rank and a suit, such as 8s")
    suit = next(number for number, letter in SUITS.items() if letter == card[1])
    return bytes((BIT_7 | target << 4 | index, BIT_7 | suit << 4 | RANKS.index(card[0]) + 1))


def card_of(byte: int) -> str | None:
    """Return the card in the second byte of such a payload, None for an unknown one."""
    suit, rank = SUITS.get(byte >> 4 & 7), byte & 15
    return RANKS[rank - 1] + suit if suit and 1 <= rank <= len(RANKS) else None


class Frames:
    """Splits a stream into frames; damage loses only the frame it hits. Holds at most one frame of `LONGEST` bytes."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop the unfinished frame: call it after each reopen of the port. The rest of that frame is no damage."""
        self._begun = b""
        self._is_between = True  # in bytes outside any frame, already reported as damage

    def feed(self, chunk: bytes) -> Iterator[Frame | bytes]:
        """Yield each frame that ends in `chunk`: the bytes of one that is damaged, b"" of noise without a start."""
        for byte in chunk:
            if byte == START:
                if self._begun:
                    yield self._begun
                self._begun, self._is_between = bytes((byte,)), False
            elif self._begun:
                self._begun += bytes((byte,))
                if self._is_whole() or len(self._begun) >= LONGEST:
                    frame, self._begun = self._begun, b""
                    yield decode(frame) or frame
            elif not self._is_between:
                self._is_between = True
                yield b""

    @property
    def is_begun(self) -> bool:
        """Whether a frame is unfinished."""
        return bool(self._begun)

    def end(self) -> bytes:
        """Take the unfinished frame: its end is lost."""
        left, self._begun = self._begun, b""
        return left

    def _is_whole(self) -> bool:
        return len(self._begun) > CHECK and self._begun[-CHECK - 1] == END


def dealt_in(damaged: bytes) -> tuple[str, bytes] | None:
    """Return the number, and place and card, in what is left of a report of a card; None if it was none.

    What proves one: its command before its two bytes, wherever noise moved them; its command in its place, and the end;
    or its form.
    """
    if moved := _CARD.search(damaged):
        return moved[1].decode("latin-1"), moved[2]
    is_commanded = damaged[2:3] == b"D" and END in damaged[3:]
    is_formed = len(damaged) == 8 and damaged[5] == END and min(damaged[3:5]) >= BIT_7 and damaged[2:3] != b"R"
    return (damaged[1:2].decode("latin-1"), damaged[3:5]) if is_commanded or is_formed else None
