"""A tap on the reader's line: the last frames in hex, both ways, and the signal."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Literal

from hardware.readers.messages import Beat, Message, Read, Unread
from hardware.readers.protocol import Frames

KEPT: Final = 64
"""Frames kept for a slow watcher; at 20 cards a second about two seconds of them."""


class Tap:
    """The last frames of the reader's line, both ways, and the last values of its signal.

    `secret()`: whether received bytes may show a card that is not public. A frame that began in secret stays masked.
    `signal`: the last quality (0..255), transit_ms, lamp, ambient (0..255), temperature (degrees Celsius) ..
    """

    def __init__(self, framed: Frames, secret: Callable[[], bool]) -> None:
        self._framed, self._secret = framed, secret
        self._frames: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._count = 0
        self._begun, self._begun_in_secret = b"", True  # the tap may begin in the middle of a frame
        self.signal: dict[str, Any] = {}

    def frames(self, after: int) -> list[dict[str, Any]]:
        """Return the frames with numbers `n` above `after`; `at`: wall clock in ms, `way`: in or out."""
        return [frame for frame in self._frames if frame["n"] > after]

    def opened(self) -> None:
        """Drop an unfinished frame, as the port is opened."""
        self._begun = b""

    def received(self, chunk: bytes) -> None:
        """Keep the frames in bytes from the reader."""
        in_secret = self._secret()
        show = self._framed.masked if in_secret or self._begun_in_secret else self._framed.clear
        ended, self._begun = self._framed.split(self._begun + chunk)
        for frame in ended:
            self._keep("in", show(frame))
        self._begun_in_secret = in_secret or (self._begun_in_secret and bool(self._begun) and not ended)

    def sent(self, chunk: bytes) -> None:
        """Keep the frames in bytes to the reader; they never hold a card."""
        for frame in self._framed.split(chunk)[0]:
            self._keep("out", self._framed.clear(frame))

    def decoded(self, message: Message) -> None:
        """Note the signal in a message, one of those in the bytes received last."""
        match message:
            case Read():
                self.signal |= {"quality": message.quality, "transit_ms": message.transit_ms, "card_at": _wall()}
                self.signal |= {"agreed": message.agreed, "taken": message.taken}
            case Unread(reason=reason):
                self.signal |= {"unread": reason, "unread_at": _wall()}
            case Beat():
                self.signal |= {"lamp": message.lamp, "ambient": message.ambient, "temperature": message.temperature}

    def _keep(self, way: Literal["in", "out"], text: str) -> None:
        self._count += 1
        self._frames.append({"n": self._count, "at": _wall(), "way": way, "hex": text})


def _wall() -> int:
    return time.time_ns() // 1_000_000
