"""A cable that harms what it carries, by chance and the same for the same seed."""

from math import log
from random import Random

from hardware.sim.pty import Cable


class BadCable(Cable):
    """`flipped` and `dropped` are chances per byte (0..1), and may be changed."""

    def __init__(self, seed: int = 0, *, flipped: float = 0.0, dropped: float = 0.0) -> None:
        super().__init__()
        self.flipped = flipped
        self.dropped = dropped
        self._random = Random(seed)

    def carry(self, chunk: bytes) -> bytes:
        if self.stalled:
            return super().carry(chunk)
        out = bytearray(super().carry(chunk))
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
