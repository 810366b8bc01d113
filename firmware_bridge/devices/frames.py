"""A tap on the reader's line: its last frames in hex, both ways, and its signal."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from hardware.readers import Decoder
from hardware.readers.frames import Frames
from hardware.readers.messages import Beat, Hello, Mark, Message, Read, Unread

KEPT: Final = 64
"""Frames kept for a watcher that is slow; at 20 cards a second some two seconds of them."""


class Tap:
    """A decoder that is listened to, in place of `decoder`.

    `secret()`: whether what comes in may tell a card that nobody is to know. A frame that began in secret stays so.
    `signal`: the last quality (0..255), transit_ms, lamp, ambient (0..255), temperature (degrees Celsius) ..
    """

    def __init__(self, decoder: Decoder, framed: Frames, secret: Callable[[], bool]) -> None:
        self.decoder, self._framed, self._secret = decoder, framed, secret
        self._frames: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._count = 0
        self._begun, self._begun_in_secret = b"", True  # the tap may have been put on in the middle of a frame
        self.signal: dict[str, Any] = {}

    @property
    def good(self) -> int:
        """See `Decoder`."""
        return self.decoder.good

    @property
    def bad(self) -> int:
        """See `Decoder`."""
        return self.decoder.bad

    def frames(self, after: int) -> list[dict[str, Any]]:
        """The frames kept whose number `n` is beyond `after`; `at` is the wall clock in ms, `way` is in or out."""
        return [frame for frame in self._frames if frame["n"] > after]

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """See `Decoder`."""
        self._heard(chunk)
        for message in self.decoder.feed(chunk):
            self._note(message)
            yield message

    def acknowledge(self, mark: Mark) -> bytes:
        """See `Decoder`."""
        return self._said(self.decoder.acknowledge(mark))

    def resume(self, mark: Mark | None) -> bytes:
        """See `Decoder`."""
        self._begun = b""
        return self._said(self.decoder.resume(mark))

    def greet(self, hello: Hello) -> bytes:
        """See `Decoder`."""
        return self._said(self.decoder.greet(hello))

    def _heard(self, chunk: bytes) -> None:
        in_secret = self._secret()
        show = self._framed.masked if in_secret or self._begun_in_secret else self._framed.clear
        ended, self._begun = self._framed.split(self._begun + chunk)
        for frame in ended:
            self._keep("in", show(frame))
        self._begun_in_secret = in_secret or (self._begun_in_secret and bool(self._begun) and not ended)

    def _said(self, chunk: bytes) -> bytes:
        """What we say tells no card."""
        for frame in self._framed.split(chunk)[0]:
            self._keep("out", self._framed.clear(frame))
        return chunk

    def _keep(self, way: Literal["in", "out"], text: str) -> None:
        self._count += 1
        self._frames.append({"n": self._count, "at": _wall(), "way": way, "hex": text})

    def _note(self, message: Message) -> None:
        match message:
            case Read():
                self.signal |= {"quality": message.quality, "transit_ms": message.transit_ms, "card_at": _wall()}
                self.signal |= {"agreed": message.agreed, "taken": message.taken}
            case Unread(reason=reason):
                self.signal |= {"unread": reason, "unread_at": _wall()}
            case Beat():
                self.signal |= {"lamp": message.lamp, "ambient": message.ambient, "temperature": message.temperature}


def _wall() -> int:
    return time.time_ns() // 1_000_000
