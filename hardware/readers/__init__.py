"""One decoder per serial protocol: bytes in, messages out, no port and no clock of its own."""

from typing import Final

from hardware.readers import angel_eye, grow, line, native, rdm6300, ssi
from hardware.readers.protocol import Decoder, Protocol, ReaderSettings

READERS: Final[dict[str, Protocol]] = {
    "native": native.PROTOCOL,
    "line": line.PROTOCOL,
    "grow": grow.PROTOCOL,
    "ssi": ssi.PROTOCOL,
    "rdm6300": rdm6300.PROTOCOL,
    "angel-eye": angel_eye.PROTOCOL,
}

__all__ = ["READERS", "Decoder", "Protocol", "ReaderSettings"]
