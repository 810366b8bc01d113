"""What bench.py needs to know of us: a native reader board on one side, our events on the other.

Card number n belongs to a fixed shoe of naturals that is dealt over and over: 60 rounds of four cards, with
the cut card before the last round. An event names its card by shoe, round and slot, so that messages that
come twice, late or not at all are counted for what they are.

The yardsticks in C forward lines: each frame is given a time stamp with which it ends in 0A 00, so that they
forward it too, and every target gets the same bytes. They name a frame by its tail.
"""

import json
import sys
from binascii import crc_hqx
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from firmware_bridge.devices.code_books import FACE_BITS, NATIVE_CUT_CARD, native_code
from firmware_bridge.facts.cards import Card
from hardware.readers.native import framing, packets
from hardware.readers.native.framing import Framing

SESSION = 0x0101
LOT = 5  # no byte of a code is 00 or 0A
LINE_END = 0x0A
ROUNDS = 60
SLOTS = ("P1", "B1", "P2", "B2")
CUT_AT = (ROUNDS - 1) * len(SLOTS)
SHOE = ROUNDS * len(SLOTS) + 1
BURST = 32  # reports a board sends again at once


def _round(number: int) -> list[int]:
    """The codes of a round that the player wins with a natural; no face comes more than eight times a shoe."""
    suit, rank = "shdc"[number % 4], number // 4
    player = "9" if number < 32 else "8"
    faces = (player, "23"[rank % 2], "TJQK"[rank % 4], "45"[rank % 2])
    return [native_code(Card(face + suit), LOT) for face in faces]


CODES = [code for number in range(ROUNDS) for code in _round(number)]
CODES.insert(CUT_AT, NATIVE_CUT_CARD | LOT << FACE_BITS)
TAIL = 5  # bytes before the line end that no two frames share: the time stamp and a byte of the CRC
TRIES = 4000  # time stamps per card; one in 256 will do
DIGITS = bytes(range(0x20, 0xE8))  # neither 00 nor 0A


def _stamps(n: int) -> Iterator[int]:
    """Time stamps that belong to card n alone, without a byte 00 or 0A."""
    for number in range(n * TRIES, (n + 1) * TRIES):
        digits = (number // len(DIGITS) ** place % len(DIGITS) for place in (3, 2, 1, 0))
        yield int.from_bytes(bytes(DIGITS[digit] for digit in digits), "big")


def _frame(n: int) -> bytes:
    """The report of card n, with a time stamp that makes it end in 0A 00 and holds no other line end."""
    card = packets.Card(n % 256, SESSION, CODES[n % SHOE], 255, 8, 8, 0x0101, 0, 0, 0)
    begun = crc_hqx(packets.pack(card)[:-4], 0xFFFF)
    for stamp in _stamps(n):
        crc = crc_hqx(stamp.to_bytes(4, "big"), begun)
        if crc % 256 == LINE_END and crc // 256 not in (0, LINE_END):
            return framing.encode(packets.pack(replace(card, stamp_ms=stamp)))
    raise AssertionError(f"no time stamp for card {n}")


class Codec:
    """A board that keeps every report until it is acknowledged, and our messages read back to card numbers."""

    def __init__(self) -> None:
        self._unacked: deque[tuple[int, bytes]] = deque()
        self._heard = Framing()
        self._tails: dict[bytes, int] = {}

    def encode(self, n: int) -> bytes:
        """The report of card n."""
        frame = _frame(n)
        self._unacked.append((n, frame))
        self._tails[frame[-TAIL - 2 : -2]] = n
        return frame

    def reply(self, data: bytes) -> bytes:
        """Forget what is acknowledged; an ACK that says nothing new asks for the rest again."""
        again = b""
        for frame in self._heard.feed(data):
            ack = packets.unpack(frame) if frame else None
            if isinstance(ack, packets.Ack) and not self._forget(ack.seq):
                again = b"".join(frame for _, frame in list(self._unacked)[:BURST])
        return again

    def _forget(self, seq: int) -> bool:
        known = [n for n, _ in list(self._unacked)[:128] if n % 256 == seq]
        while known and self._unacked and self._unacked[0][0] <= known[0]:
            self._unacked.popleft()
        return bool(known)

    def decode(self, topic: str, payload: bytes) -> list[int]:
        """The card an event (or a line of a yardstick) stands for."""
        if not payload.startswith(b"{"):
            known = self._tails.get(payload[-TAIL:])
            return [] if known is None else [known]
        message = json.loads(payload)
        event, base = message["event"], (message["shoe"] - 1) * SHOE
        if event["type"] == "CutCardMet":
            return [base + CUT_AT]
        if event["type"] != "CardDealt":
            return []
        place = (event["round"] - 1) * len(SLOTS) + SLOTS.index(event["slot"])
        return [base + place + (place >= CUT_AT)]
