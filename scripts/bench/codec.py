"""What bench.py needs to know of us: a native reader board on one side, our events on the other.

Card number n belongs to one of eight shuffled shoes that are dealt in turn, over and over (shoes.py). An event names
its card by shoe, round and slot, so that messages that come twice, late or not at all are counted for what they are.

The yardsticks in C forward lines: each frame is given a time stamp with which it ends in 0A 00, so that they
forward it too, and every target gets the same bytes. They name a frame by its tail.
"""

import json
import sys
from binascii import crc_hqx
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec.structs import replace

from hardware import framing
from hardware.framing import Framing
from hardware.readers import native
from scripts.bench.shoes import VARIETY, Shoe, shoe

SESSION = 0x0101
LINE_END = 0x0A
BURST = 32  # reports a board sends again at once
SHOES = tuple(map(shoe, range(VARIETY)))
STARTS = tuple(accumulate((len(each.codes) for each in SHOES), initial=0))
"""The number of the first card of each shoe; the last one is that of all of them."""


def _place(n: int) -> tuple[Shoe, int]:
    """Return the shoe of card n, and its index in there."""
    n %= STARTS[-1]
    number = bisect_right(STARTS, n) - 1
    return SHOES[number], n - STARTS[number]


TAIL = 5  # bytes before the line end that no two frames share: the time stamp and a byte of the CRC
TRIES = 4000  # time stamps per card; one in 256 will do
DIGITS = bytes(range(0x20, 0xE8))  # neither 00 nor 0A


def _stamps(n: int) -> Iterator[int]:
    """Yield the time stamps that belong to card n alone, without a byte 00 or 0A."""
    for number in range(n * TRIES, (n + 1) * TRIES):
        digits = (number // len(DIGITS) ** place % len(DIGITS) for place in (3, 2, 1, 0))
        yield int.from_bytes(bytes(DIGITS[digit] for digit in digits), "big")


def slot_of(n: int) -> str:
    """Return the slot of card n, "" of the cut card."""
    dealt, index = _place(n)
    return dealt.slots.get(index, "")


def _code(n: int) -> int:
    dealt, index = _place(n)
    return dealt.codes[index]


def _frame(n: int) -> bytes:
    """Return the report of card n, with a time stamp that makes it end in 0A 00 and holds no other line end."""
    card = native.Card(n % 256, SESSION, _code(n), 255, 8, 8, 0x0101, 0, 0, 0)
    begun = crc_hqx(native.pack(card)[:-4], 0xFFFF)
    for stamp in _stamps(n):
        crc = crc_hqx(stamp.to_bytes(4, "big"), begun)
        if crc % 256 == LINE_END and crc // 256 not in (0, LINE_END):
            return framing.encode(native.pack(replace(card, stamp_ms=stamp)))
    raise AssertionError(f"no time stamp for card {n}")


def _ack(n: int) -> bytes:
    """Return the acknowledgement of card n."""
    return framing.encode(native.pack(native.Ack(n % 256, native.KINDS[native.Card], SESSION)))


class Codec:
    """A board that keeps every report until it is acknowledged, and our messages read back to card numbers."""

    def __init__(self) -> None:
        self._unacked: deque[tuple[int, bytes]] = deque()
        self._acks: dict[bytes, int] = {}
        self._heard = Framing()
        self._tails: dict[bytes, int] = {}

    def encode(self, n: int) -> bytes:
        """Return the report of card n."""
        frame = _frame(n)
        self._unacked.append((n, frame))
        self._acks[_ack(n)] = n
        self._tails[frame[-TAIL - 2 : -2]] = n
        return frame

    def reply(self, data: bytes) -> bytes:
        """Forget what is acknowledged; an ACK that says nothing new asks for the rest again.

        The usual ACK is known by its bytes: what a board spends on reading it is no part of what is measured.
        """
        if self._unacked and self._acks.get(data) == self._unacked[0][0]:
            self._unacked.popleft()
            return b""
        again = b""
        for frame in self._heard.feed(data):
            ack = native.unpack(frame) if frame else None
            if isinstance(ack, native.Ack) and not self._forget(ack.seq):
                again = b"".join(frame for _, frame in list(self._unacked)[:BURST])
        return again

    def _forget(self, seq: int) -> bool:
        known = [n for n, _ in list(self._unacked)[:128] if n % 256 == seq]
        while known and self._unacked and self._unacked[0][0] <= known[0]:
            self._unacked.popleft()
        return bool(known)

    def decode(self, topic: str, payload: bytes) -> list[int]:
        """Return the card an event (or a line of a yardstick) stands for."""
        if not payload.startswith(b"{"):
            known = self._tails.get(payload[-TAIL:])
            return [] if known is None else [known]
        message = json.loads(payload)
        event, (again, number) = message["event"], divmod(message["shoe"] - 1, VARIETY)
        start = again * STARTS[-1] + STARTS[number]
        match event["type"]:
            case "CutCardMet":
                return [start + SHOES[number].cut_at]
            case "CardDealt":
                at = SHOES[number].places.get((event["round"], event["slot"]))
                return [] if at is None else [start + at]  # after a lost card the shoe is another one
        return []

    def kind(self, n: int) -> str:
        """Return `heavy` for a card that closes a round."""
        dealt, index = _place(n)
        return "heavy" if index in dealt.closing else ""
