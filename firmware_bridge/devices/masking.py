"""Hex of what a reader said, with all that could tell a card left out."""

from __future__ import annotations

import re
from typing import Final

from hardware.readers.angel_eye import frames as angel_frames
from hardware.readers.messages import Beat, Hello, Param
from hardware.readers.native import framing
from hardware.readers.native.packets import KINDS, Ack, Fault, unpack

MASKED: Final = "?? .."
"""Something, of unsaid length: a long code may mean a ten."""

CLEAR: Final = tuple(KINDS[kind] for kind in (Hello, Fault, Beat, Param, Ack))
"""Native packets that know no face; raw samples, and anything damaged, might."""

CLEAR_COMMANDS: Final = "SPCEeL"
"""Angel Eye reports without a card or a result."""

LONGEST: Final = 128
"""Bytes kept of a frame that does not end."""

_ANGEL_FRAME: Final = re.compile(rb"(\x05[^\x03\x05]*\x03[0-9A-F]{2})")


def frames(protocol: str, seen: bytes) -> tuple[list[bytes], bytes]:
    """The frames in some bytes, noise among them, and what has only begun; a protocol without frames has one."""
    if protocol == "native":
        *ended, begun = seen.split(b"\0")
    elif protocol == "angel-eye":
        *ended, begun = _ANGEL_FRAME.split(seen)
    else:
        ended, begun = [seen], b""
    return [frame for frame in ended if frame], begun[-LONGEST:]


def clear(protocol: str, frame: bytes) -> str:
    """All of a frame; a native one as its packet, out of its coding and without its CRC."""
    packet = framing.decode(frame) if protocol == "native" else frame
    return frame.hex(" ") + " damaged" if packet is None else packet.hex(" ")


def veiled(protocol: str, frame: bytes) -> str:
    """A frame without anything that could tell a card: of those the head alone."""
    if protocol == "native":
        return _native(framing.decode(frame))
    if protocol == "angel-eye":
        return _angel_eye(frame)
    return MASKED


def _native(packet: bytes | None) -> str:
    if packet is None or unpack(packet) is None:
        return MASKED
    return packet.hex(" ") if packet[0] in CLEAR else f"{packet[:2].hex(' ')} {MASKED}"


def _angel_eye(frame: bytes) -> str:
    known = angel_frames.decode(frame)
    if known is None:
        return MASKED
    return frame.hex(" ") if known.command in CLEAR_COMMANDS else f"{frame[:3].hex(' ')} {MASKED}"
