"""Packet framing of boards and keypads on a serial line: CRC-16/CCITT-FALSE, COBS, a 00 after each."""

from binascii import crc_hqx
from collections.abc import Iterator

from cobs import cobs

LONGEST = 64  # bytes of a packet with its CRC, before COBS
_LONGEST_ON_WIRE = LONGEST + 1  # COBS adds one byte to anything under 255
_CRC_BYTES = 2
_CRC_START = 0xFFFF


def encode(packet: bytes) -> bytes:
    """Return the frame of one packet (1..62 bytes, else ValueError), with its final 00."""
    checked = packet + crc_hqx(packet, _CRC_START).to_bytes(_CRC_BYTES, "big")
    if not packet or len(checked) > LONGEST:
        raise ValueError(f"a packet has 1 to {LONGEST - _CRC_BYTES} bytes, this one {len(packet)}")
    return bytes(cobs.encode(checked)) + b"\0"


def decode(frame: bytes) -> bytes | None:
    """Return the packet in one frame (without its 00), or None if the frame is damaged."""
    if len(frame) > _LONGEST_ON_WIRE:
        return None
    try:
        checked: bytes = cobs.decode(frame)
    except cobs.DecodeError:
        return None
    # The CRC of anything followed by its own CRC is zero.
    if len(checked) <= _CRC_BYTES or crc_hqx(checked, _CRC_START):
        return None
    return checked[:-_CRC_BYTES]


class Framing:
    """Cuts a stream into packets; holds at most one unfinished frame, never more than `LONGEST` + 2 bytes."""

    def __init__(self) -> None:
        self._begun = b""

    def forget(self) -> None:
        """Drop the unfinished frame: call it after each reopen of the port."""
        self._begun = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield each packet that ends in `chunk`, None for a damaged one; empty frames are padding."""
        *ended, begun = chunk.split(b"\0")
        if ended:
            ended[0] = self._begun + ended[0]
            self._begun = b""
        # One byte too many is enough to know that the frame is damaged.
        self._begun = (self._begun + begun[: _LONGEST_ON_WIRE + 1])[: _LONGEST_ON_WIRE + 1]
        for frame in ended:
            if frame:
                yield decode(frame)
