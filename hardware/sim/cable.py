"""A bad cable: it flips bytes, drops them or holds them back, the same way for the same seed."""

from math import log
from random import Random


class Cable:
    """One direction of a cable; `flipped` and `dropped` are chances per byte (0..1), and may be changed."""

    def __init__(self, seed: int = 0, *, flipped: float = 0.0, dropped: float = 0.0) -> None:
        self.flipped = flipped
        self.dropped = dropped
        self.stalled = False
        self._random = Random(seed)
        self._held = bytearray()

    def carry(self, chunk: bytes) -> bytes:
        """What comes out for `chunk`; a stalled cable gives it all later, in order."""
        self._held += chunk
        if self.stalled:
            return b""
        out, self._held = self._held, bytearray()
        for place in self._places(len(out), self.flipped):
            out[place] ^= self._random.randrange(1, 256)
        for place in reversed(self._places(len(out), self.dropped)):
            del out[place]
        return bytes(out)

    def _places(self, length: int, chance: float) -> list[int]:
        # Jumps from one hit to the next instead of a throw per byte: long noisy tests stay quick.
        places: list[int] = []
        if chance <= 0:
            return places
        scale = log(1 - chance) if chance < 1 else float("-inf")
        at = int(log(1 - self._random.random()) / scale)
        while at < length:
            places.append(at)
            at += 1 + int(log(1 - self._random.random()) / scale)
        return places
