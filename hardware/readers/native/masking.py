"""Frames of the native link for a technician's eyes."""

from typing import Final

from hardware.readers.frames import MASKED, whole
from hardware.readers.messages import Beat, Hello, Param
from hardware.readers.native import framing
from hardware.readers.native.packets import KINDS, Ack, Fault, unpack

CLEAR: Final = tuple(KINDS[kind] for kind in (Hello, Fault, Beat, Param, Ack))
"""Packets that know no face; raw samples, and anything damaged, might."""


class NativeFrames:
    """See `Frames`; each packet is shown out of its coding and without its CRC."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """See `Frames`; a 00 ends each frame."""
        *ended, begun = seen.split(b"\0")
        return whole(ended, begun)

    def clear(self, frame: bytes) -> str:
        """See `Frames`."""
        packet = framing.decode(frame)
        return frame.hex(" ") + " damaged" if packet is None else packet.hex(" ")

    def masked(self, frame: bytes) -> str:
        """See `Frames`."""
        packet = framing.decode(frame)
        if packet is None or unpack(packet) is None:
            return MASKED
        return packet.hex(" ") if packet[0] in CLEAR else f"{packet[:2].hex(' ')} {MASKED}"
