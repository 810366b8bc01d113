"""Frames of an Angel Eye shoe for a technician's eyes."""

import re
from typing import Final

from hardware.readers.angel_eye.frames import decode
from hardware.readers.frames import MASKED, whole

CLEAR: Final = "SPCEeL"
"""Commands of reports without a card or a result."""

_FRAME: Final = re.compile(rb"(\x05[^\x03\x05]*\x03[0-9A-F]{2})")


class AngelEyeFrames:
    """See `hardware.readers.frames.Frames`."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """See `Frames`."""
        *ended, begun = _FRAME.split(seen)
        return whole(ended, begun)

    def clear(self, frame: bytes) -> str:
        """See `Frames`."""
        return frame.hex(" ")

    def masked(self, frame: bytes) -> str:
        """See `Frames`."""
        known = decode(frame)
        if known is None:
            return MASKED
        return frame.hex(" ") if known.command in CLEAR else f"{frame[:3].hex(' ')} {MASKED}"
