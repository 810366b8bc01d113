"""A reader's stream as a technician sees it: frame by frame in hex, whole or without what could tell a card."""

from typing import Final, Protocol

MASKED: Final = "?? .."
"""Something, of unsaid length: a long code may mean a ten."""

LONGEST: Final = 128
"""Bytes kept of a frame that does not end."""


class Frames(Protocol):
    """Splits a protocol's stream into frames, and shows each."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """The frames in some bytes, noise among them, and the bytes of a frame that has only begun."""

    def clear(self, frame: bytes) -> str:
        """All of a frame."""

    def masked(self, frame: bytes) -> str:
        """A frame without anything that could tell a card: of a frame that could, its head alone."""


class Unframed:
    """The `Frames` of a protocol whose bytes show no frames, or all of them may tell a card."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """All bytes as one frame."""
        return whole([seen], b"")

    def clear(self, frame: bytes) -> str:
        """See `Frames`."""
        return frame.hex(" ")

    def masked(self, frame: bytes) -> str:
        """Nothing of it."""
        return MASKED


UNFRAMED: Final = Unframed()


def whole(ended: list[bytes], begun: bytes) -> tuple[list[bytes], bytes]:
    """The frames that ended, empty ones left out, and what may be kept of one that has begun."""
    return [frame for frame in ended if frame], begun[-LONGEST:]
