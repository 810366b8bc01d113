"""A reader that prints one code per line, without its wires."""

from typing import ClassVar

from hardware.sim.papers import Papers


class LineBoard:
    """The peer of `LineDecoder`: keeps nothing, takes no commands."""

    papers: ClassVar[Papers] = "names"
    misreads: ClassVar[bool] = True

    def __init__(self, line_end: str = "\r\n") -> None:
        self._end = line_end
        self._out = bytearray()

    def pull(self, code: str) -> None:
        """A card with `code` passes; its line leaves with the next tick."""
        self._out += f"{code}{self._end}".encode("latin-1")

    def receive(self, chunk: bytes) -> None:
        """Ignore bytes from the host."""

    def tick(self, now_ms: int) -> bytes:
        """The bytes that the reader prints."""
        out, self._out = self._out, bytearray()
        return bytes(out)
