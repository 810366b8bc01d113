"""The host's end of a keypad's link: each mark once and in order, until it is acknowledged."""

from collections.abc import Iterator

from hardware import framing
from hardware.framing import Framing
from hardware.keypads.packets import KINDS, Ack, Beat, Hello, Mark, Packet, Turn, pack, unpack

PAD_KEEPS = 32
"""Marks a pad can still repeat."""


COPIES_OF_UNEXPECTED = 3
"""A pad repeats only its oldest mark: what comes thrice has none before it."""


class KeypadLink:
    """Yields what a pad says; a mark that was yielded and not acknowledged comes again when the pad repeats it."""

    def __init__(self) -> None:
        self._framing = Framing()
        self._last: tuple[int, int] | None = None
        self._unexpected: tuple[Mark | None, int] = (None, 0)

    def feed(self, chunk: bytes) -> Iterator[Hello | Mark | Beat]:
        """What arrives in `chunk`; a mark that was acknowledged before comes too: acknowledge it again."""
        for frame in self._framing.feed(chunk):
            match None if frame is None else unpack(frame):
                case Mark() as mark if not self._is_next(mark):
                    pass  # one before it was damaged on its way, and comes again
                case Hello() | Mark() | Beat() as packet:
                    yield packet

    def _is_next(self, mark: Mark) -> bool:
        """Whether no mark can have come before it that was not acknowledged."""
        last = self._last
        expected = 0 if last is None or last[0] != mark.session else (last[1] + 1) % 256
        if mark.seq == expected or self.is_taken(mark):
            return True
        before, copies = self._unexpected
        self._unexpected = mark, copies + 1 if before == mark else 1
        return self._unexpected[1] >= COPIES_OF_UNEXPECTED

    def is_taken(self, mark: Mark) -> bool:
        """Whether a mark was acknowledged before."""
        last = self._last
        return last is not None and last[0] == mark.session and (last[1] - mark.seq) % 256 < PAD_KEEPS

    def acknowledge(self, mark: Mark) -> bytes:
        """What tells the pad that the mark, and all before it, is on disk."""
        if not self.is_taken(mark):
            self._last = (mark.session, mark.seq)
        return _framed(Ack(mark.seq, KINDS[Mark], mark.session))

    def reopened(self) -> None:
        """The port was opened again: the frame that was begun is lost."""
        self._framing.forget()


def greeting(hello: Hello) -> bytes:
    """What tells a pad that it was heard."""
    return _framed(Ack(0, KINDS[Hello], hello.session))


def told(turns: list[Turn]) -> bytes:
    """What a pad is to show."""
    return b"".join(map(_framed, turns))


def _framed(packet: Packet) -> bytes:
    return framing.encode(pack(packet))
