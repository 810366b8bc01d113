"""The board and our messages of codec.py, at a table that seals its cards: they are opened as soon as they may be.

A board of a table where the dealer waits: the next card is drawn once those before it are open.
"""

import json
import os
import socket
from collections import deque
from pathlib import Path
from typing import Final

from scripts.bench import codec

STEPS: Final = {"B2": 2, "P3": 1, "B3": 1}
"""Slots of cards that are followed by openings, and how many."""

REVEAL: Final = b'{"do":"reveal","by":"bench"}\n'


class Codec(codec.Codec):
    """codec.Codec that holds a card back until those before it are open, and opens them by the control socket."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[int] = deque()
        self._waits = False

    def encode(self, n: int) -> bytes:
        """Return the reports of the cards held back, and of card n, as far as they may be drawn."""
        self._held.append(n)
        return self._drawn()

    def reply(self, data: bytes) -> bytes:
        """Return what the board answers, and the cards held back that may be drawn now."""
        return super().reply(data) + self._drawn()

    def decode(self, topic: str, payload: bytes) -> list[int]:
        """Return the card an event stands for; open the cards of its step. The yardsticks wait for no opening."""
        event = json.loads(payload)["event"] if payload.startswith(b"{") else None
        count = STEPS.get(event["slot"], 0) if event and event["type"] == "CardDealt" else 0
        if count:
            _order(REVEAL, count)
        if count or not event:
            self._waits = False
        return super().decode(topic, payload)

    def _drawn(self) -> bytes:
        drawn = b""
        while self._held and not self._waits:
            drawn += super().encode(number := self._held.popleft())
            self._waits = codec.slot_of(number) in STEPS
        return drawn


def _order(line: bytes, count: int) -> None:
    """Give an order so many times, each once the one before it is answered."""
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(str(Path(os.environ["RUNTIME_DIRECTORY"]) / "control.sock"))
        with control.makefile("rwb", 0) as lines:
            for _ in range(count):
                lines.write(line)
                assert json.loads(lines.readline())["ok"]
