"""125 kHz tags in the cards: RDM6300 modules, which repeat a frame while a tag is near, and their relatives."""

import math
import re
import time
from collections.abc import Callable, Iterator
from functools import reduce
from operator import xor
from typing import Final

from hardware.readers.messages import Message, Read, Unread
from hardware.readers.protocol import Decoder, Protocol, ReaderSettings, Sightings

START, END = b"\x02", b"\x03"
NEAR = 8  # tags within reach at a time; more than a gate holds
FLICKERS_S: Final = 2.0
"""Seconds for which a tag at the edge of the field may fall silent; its code is one card's alone."""

DIGITS: Final = 12  # of the tag and the checksum
FRAME: Final = DIGITS + 2  # bytes
REPEAT_S: Final = 0.25  # a near tag is sent every 50 to 65 ms: after three misses it is gone, and no card comes so soon
ENDLESS_S: Final = 1.0  # after this time the end of a frame is lost
LONGEST: Final = 32  # bytes of an unfinished frame that are kept; a frame has 14, or 16 with CR LF
FEWEST: Final = 4  # digits between start and end that make a damaged frame; what has fewer is noise
_TAG = re.compile(rb"\x02([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})[\r\n]{0,2}\x03")
_PIECES: Final = re.compile(rb"(?=\x02)|(?<=\x03)")
_DIGIT: Final = re.compile(rb"[0-9A-Fa-f]")
_MOST_AHEAD: Final = re.compile(rb"[0-9A-Fa-f]{8,12}")
_MOST_BEHIND: Final = re.compile(rb"[0-9A-Fa-f]{8,}\Z")


def encode(tag: str) -> bytes:
    """The frame of a tag (10 hex digits, else ValueError)."""
    digits = bytes.fromhex(tag)
    if len(digits) != 5:
        raise ValueError(f"a tag has 10 hex digits, {tag!r} has not")
    return START + tag.upper().encode() + f"{reduce(xor, digits):02X}".encode() + END


def decode(frame: bytes) -> str | None:
    """The tag in a frame, None if damaged. The older modules of the family (ID-12, ID-20) send CR LF before its end."""
    found = _TAG.fullmatch(frame)
    if found is None or reduce(xor, bytes.fromhex(found[1].decode())) != int(found[2], 16):
        return None
    return found[1].decode().upper()


def remains(piece: bytes) -> bytes | None:
    """The digits of a frame that a card left damaged, None if the bytes are noise.

    Of `piece`, which holds no whole frame, begin and end are there, with digits between; or one of them, beside most
    of the digits.
    """
    body = piece.removeprefix(START).removesuffix(END).rstrip(b"\r\n")
    if piece.startswith(START) and piece.endswith(END) and len(body) <= LONGEST // 2:
        return body if len(_DIGIT.findall(body)) >= FEWEST else None
    beside = _MOST_AHEAD.match(body) if piece.startswith(START) else _MOST_BEHIND.search(body)
    return beside[0][-DIGITS:] if beside and (piece.startswith(START) or piece.endswith(END)) else None


def may_be(body: bytes, digits: bytes, changed: int = 2) -> bool:
    """Whether damage in one place, or of some `changed` bytes, can have made `body` of these digits."""
    if _equal(body, digits) + _equal(body[::-1], digits[::-1]) >= min(len(body), len(digits), DIGITS - 2):
        return True
    return len(body) == len(digits) and sum(one != other for one, other in zip(body, digits, strict=True)) <= changed


def _lost_its_end(begun: bytes, chunk: bytes) -> bool:
    """Whether a frame that was begun long before `chunk` is not ended by it: `chunk` is of the next card."""
    if remains(begun) is None or chunk.lstrip(b"\r\n").startswith(END):
        return False
    return decode(next(filter(None, _PIECES.split(begun + chunk)))) is None


def _equal(one: bytes, other: bytes) -> int:
    """How many bytes are equal from the first on."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Rdm6300Decoder(Decoder):
    """Yields each tag once while it is near; the module sends it every 50 ms. Each card has its own tag.

    A damaged frame is a card that was not read, once, unless a tag is read whole within `REPEAT_S` of it. Frames that
    came in one chunk may be of several cards, read late: they are the same card only if damage can have made one of
    the other.
    """

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        settings = settings or ReaderSettings()
        self._sightings: Sightings = Sightings(settings.hold, clock, NEAR, settings.repeats)
        self._begun = self._left = b""
        self._cut = b""  # the damaged piece before
        self._heard_at = self._near_at = -math.inf
        self._near = b""  # digits of the last frame, whole or damaged
        self._is_doubtful = False  # it was damaged, and no card was yielded for it yet
        self._is_late = False  # whether its time says nothing about the next frame

    def feed(self, chunk: bytes) -> Iterator[Message]:
        now, begun, begun_at = self._clock(), self._begun, self._heard_at
        if not chunk:
            yield from self._quiet(now)
            return
        self._heard_at, self._is_late = now, now >= self._near_at + REPEAT_S
        is_endless = now >= begun_at + REPEAT_S and _lost_its_end(begun, chunk)
        split = [begun, *_PIECES.split(chunk)] if is_endless else _PIECES.split(begun + chunk)
        pieces = [piece for piece in split if piece]
        self._begun = b"" if pieces[-1].endswith(END) else pieces.pop()
        if len(self._begun) > LONGEST:
            self.bad += 1
            self._begun = self._begun[-DIGITS:].lstrip(START)
        if pieces[:1] == [begun]:  # its time is known
            self._is_late = False
            yield from self._piece(pieces.pop(0), begun_at)
            self._is_late = now >= self._near_at + REPEAT_S
        for piece in pieces:
            yield from self._piece(piece, now)

    @property
    def waits_s(self) -> float | None:
        ends = [self._near_at + REPEAT_S] if self._is_doubtful else []
        if remains(self._begun) is not None:
            ends.append(self._heard_at + ENDLESS_S)
        return max(0.0, min(ends) - self._clock()) if ends else None

    def forget(self) -> None:
        self._begun = self._left = b""

    def _piece(self, piece: bytes, at: float) -> Iterator[Message]:
        if tag := decode(piece):
            self.good += 1
            yield from self._read(tag, piece[1 : DIGITS + 1].upper(), at)
            return
        self.bad += bool(piece.strip(b"\r\n"))
        body = remains(piece) or remains(self._left + piece)
        is_open = not piece.startswith(START) or not self._cut.endswith(END)
        is_rest = is_open and 0 < len(self._cut) <= FRAME + 4 - len(piece)
        self._left, self._cut = b"" if body else piece[-LONGEST:], piece if body else b""
        if body and not is_rest:  # noise that looks like an edge cuts a frame in two
            yield from self._damaged(body.upper(), at)

    def _read(self, tag: str, digits: bytes, at: float) -> Iterator[Message]:
        is_same = may_be(self._near, digits)  # another card may follow at once
        if self._is_doubtful and not is_same:
            yield Unread("unreadable")
        self._note(digits, at, is_doubtful=False)
        if self._sightings.seen(tag) == "new":
            yield Read(tag)

    def _damaged(self, body: bytes, at: float) -> Iterator[Message]:
        if at < self._near_at + REPEAT_S and (not self._is_late or may_be(body, self._near, 4)):
            self._near_at = at
            return
        if self._is_doubtful:
            yield Unread("unreadable")
        self._note(body, at, is_doubtful=True)

    def _note(self, digits: bytes, at: float, is_doubtful: bool) -> None:
        self._near, self._near_at, self._is_doubtful, self._is_late = digits, at, is_doubtful, True

    def _quiet(self, now: float) -> Iterator[Message]:
        """Yields the unread cards of frames that no whole one followed, and of one that lost its end."""
        if self._is_doubtful and now >= self._near_at + REPEAT_S:
            self._is_doubtful = False
            yield Unread("unreadable")
        if now >= self._heard_at + ENDLESS_S and remains(self._begun) is not None:
            is_same = self._heard_at < self._near_at + REPEAT_S
            self._begun = b""
            self.bad += 1
            if not is_same:
                yield Unread("unreadable")


def cannot_send(code: str, _: ReaderSettings) -> str:
    """Why no tag has a code, "" if one can."""
    if re.fullmatch("[0-9A-Fa-f]{10}", code):
        return ""
    lost = "; a spreadsheet drops zeros at the front: give its column the format text" if code.isdecimal() else ""
    return f"a tag has 10 hexadecimal digits{lost}"


PROTOCOL: Final = Protocol(
    Rdm6300Decoder,
    baud=9_600,
    board="hardware.sim.code_boards:Rdm6300Board",
    has_tags=True,
    repeats=FLICKERS_S,
    cannot_send=cannot_send,
)
