"""125 kHz tags in the cards: RDM6300 modules, which repeat a frame while a tag is near, and their relatives."""

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
MORE: Final = 4  # bytes that a frame may be longer: CR LF, or noise
COPIES_S: Final = 0.15  # a near tag is sent every 50 to 65 ms: after two misses it is gone, and no card comes so soon
ENDLESS_S: Final = 1.0  # after this time the end of a frame is lost
LONGEST: Final = 32  # bytes of an unfinished frame that are kept; a frame has 14, or 16 with CR LF
FEWEST: Final = 4  # digits between start and end that make a damaged frame; what has fewer is noise
_TAG = re.compile(rb"\x02([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})[\r\n]{0,2}\x03")
_PIECES: Final = re.compile(rb"(?=\x02)|(?<=\x03)")
_DIGIT: Final = re.compile(rb"[0-9A-Fa-f]")
_MOST_AHEAD: Final = re.compile(rb"[0-9A-Fa-f]{8,12}")
_MOST_BEHIND: Final = re.compile(rb"[0-9A-Fa-f]{8,}\Z")


def encode(tag: str) -> bytes:
    """Return the frame of a tag (10 hex digits, else ValueError)."""
    digits = bytes.fromhex(tag)
    if len(digits) != 5:
        raise ValueError(f"a tag has 10 hex digits, {tag!r} has not")
    return START + tag.upper().encode() + f"{reduce(xor, digits):02X}".encode() + END


def decode(frame: bytes) -> str | None:
    """Return the tag in a frame, None if damaged. Older modules (ID-12, ID-20) send CR LF before its end."""
    found = _TAG.fullmatch(frame)
    if found is None or reduce(xor, bytes.fromhex(found[1].decode())) != int(found[2], 16):
        return None
    return found[1].decode().upper()


def remains(piece: bytes) -> bytes | None:
    """Return the digits of a frame that a card left damaged, None if the bytes are noise.

    Of `piece`, which holds no whole frame, begin and end are there, with digits between; or one of them, beside most
    of the digits.
    """
    body = piece.removeprefix(START).removesuffix(END).rstrip(b"\r\n")
    if piece.startswith(START) and piece.endswith(END) and len(body) <= LONGEST // 2:
        return body if len(_DIGIT.findall(body)) >= FEWEST else None
    beside = _MOST_AHEAD.match(body) if piece.startswith(START) else _MOST_BEHIND.search(body)
    return beside[0][-DIGITS:] if beside and (piece.startswith(START) or piece.endswith(END)) else None


def may_be(body: bytes, digits: bytes) -> bool:
    """Return whether damage in one place, or of two bytes, can have made `body` of these digits."""
    if _equal(body, digits) + _equal(body[::-1], digits[::-1]) >= min(len(body), len(digits), DIGITS - 2):
        return True
    return len(body) == len(digits) and sum(one != other for one, other in zip(body, digits, strict=True)) <= 2


def _lost_its_end(begun: bytes, chunk: bytes) -> bool:
    """Return whether a frame that was begun long before `chunk` is not ended by it: `chunk` is of the next card."""
    return remains(begun) is not None and decode(next(filter(None, _PIECES.split(begun + chunk)))) is None


def _equal(one: bytes, other: bytes) -> int:
    """Return how many bytes are equal from the first on."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Rdm6300Decoder(Decoder):
    """Yields each tag once while it is near; the module sends it every 50 ms. Each card has its own tag.

    Frames with less than `COPIES_S` between them are copies of one card's. If all of them are damaged, it is a card
    that was not read. Frames that were read late have no time (several in a chunk, or quiet that was not noticed): they
    are copies only if damage can have made one of the other.
    """

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        settings = settings or ReaderSettings()
        self._sightings: Sightings = Sightings(settings.hold, clock, NEAR, settings.repeats)
        self._begun = b""
        self._heard_at = 0.0
        self._near = b""  # digits of the last frame, whole or damaged, while its card may be near
        self._near_at = 0.0
        self._is_doubtful = False  # no frame of this card was whole
        self._left = b""  # the last piece, if it was noise: with the next one it may be a frame
        self._length = 0  # bytes of the damaged frame before this piece

    def feed(self, chunk: bytes) -> Iterator[Message]:
        now, begun, begun_at = self._clock(), self._begun, self._heard_at
        if not chunk:
            yield from self._quiet(now)
            return
        self._heard_at = now
        is_endless = now >= begun_at + COPIES_S and _lost_its_end(begun, chunk)
        split = [begun, *_PIECES.split(chunk)] if is_endless else _PIECES.split(begun + chunk)
        pieces = [piece for piece in split if piece]
        self._begun = b"" if pieces[-1].endswith(END) else pieces.pop()
        if len(self._begun) > LONGEST:
            self.bad += 1
            self._begun = self._begun[-DIGITS:].lstrip(START)
        if pieces[:1] == [begun]:
            yield from self._piece(pieces.pop(0), begun_at, is_late=False)
        before = 0
        for piece in pieces:
            yield from self._piece(piece, now, is_late=0 < before > FRAME + MORE - len(piece))
            before += len(piece)
        if self._begun.startswith(START) and now < self._near_at + COPIES_S:
            self._near_at = now

    @property
    def waits_s(self) -> float | None:
        ends = [self._near_at + COPIES_S] if self._near else []
        if remains(self._begun) is not None:
            ends.append(self._heard_at + ENDLESS_S)
        return max(0.0, min(ends) - self._clock()) if ends else None

    def forget(self) -> None:
        self._begun = self._left = b""

    def _piece(self, piece: bytes, at: float, is_late: bool) -> Iterator[Message]:
        """Yield the card of the bytes between two edges of frames, if they are a frame and no copy."""
        tag = decode(piece)
        body = remains(piece) or remains(self._left + piece)
        is_rest = not tag and 0 < self._length <= FRAME + MORE - len(piece)  # noise like an edge cuts a frame in two
        self._left = b"" if tag or body else piece[-LONGEST:]
        self._length = 0 if tag else len(piece) + is_rest * self._length if body else 0
        self.good += tag is not None
        self.bad += not tag and bool(piece.strip(b"\r\n"))
        if not body or is_rest:
            return
        digits = body.upper()
        is_copy = self._is_copy(digits, at, is_late)
        if self._is_doubtful and not is_copy:
            yield Unread("unreadable")
        self._is_doubtful = not tag and (self._is_doubtful or not is_copy)
        if tag or not is_copy:
            self._near = digits
        self._near_at = at
        if tag and self._sightings.seen(tag) == "new":
            yield Read(tag)

    def _is_copy(self, digits: bytes, at: float, is_late: bool) -> bool:
        """Return whether a frame is of the card that is near: by its time, or by likeness if it was read late."""
        if not self._near:
            return False
        return may_be(self._near, digits) if is_late or at >= self._near_at + COPIES_S else True

    def _quiet(self, now: float) -> Iterator[Message]:
        """Yield the unread card of which all frames were damaged, and that of a frame that lost its end."""
        is_gone = bool(self._near) and now >= self._near_at + COPIES_S
        is_copy = is_gone and self._heard_at < self._near_at + COPIES_S
        if is_gone:
            if self._is_doubtful:
                yield Unread("unreadable")
            self._near, self._is_doubtful, self._length = b"", False, 0
        if remains(self._begun) is not None and (is_copy or now >= self._heard_at + ENDLESS_S):
            self._begun = b""
            self.bad += 1
            if not is_copy:
                yield Unread("unreadable")


def cannot_send(code: str, _: ReaderSettings) -> str:
    """Return why no tag has a code, "" if one can."""
    if re.fullmatch("[0-9A-Fa-f]{10}", code):
        return ""
    lost = "; a spreadsheet drops zeros at the front: give its column the format text" if code.isdecimal() else ""
    return f"a tag has 10 hexadecimal digits{lost}"


PROTOCOL: Final = Protocol(
    Rdm6300Decoder,
    baud=9_600,
    board="hardware.sim.code_boards:Rdm6300Board",
    mode="its digits as text, not as Wiegand",
    suspects="[reader] baud (9600), and that the module prints its digits as text, not as Wiegand",
    speaks="between two shoes, hold a tag to it, or draw a card; if nothing comes, check its antenna and cable",
    has_tags=True,
    repeats=FLICKERS_S,
    cannot_send=cannot_send,
)
