"""Golden bytes of every packet of the native link (CRC and COBS worked out apart from the program)."""

from typing import Any

import pytest

from hardware import framing
from hardware.framing import Framing
from hardware.readers.messages import Beat, Done, Hello, Param, Sample
from hardware.readers.native import Ack, Card, Fault, Get, Raw, Save, Selftest, Set, pack, unpack

CARD = Card(
    seq=7,
    session=0x1234,
    code=0x0119,
    quality=200,
    agreed=7,
    taken=8,
    transit_ms=45,
    flags=5,
    lost=2,
    stamp_ms=0x10203,
)
GOLDEN = [
    (Hello(0x1234, 1, (2, 3), "SB-00042", 4), "01 00 12 34 01 02 03 53 42 2d 30 30 30 34 32 04"),
    (Hello(1, 1, (0, 9), "X1", 0), "01 00 00 01 01 00 09 58 31 00 00 00 00 00 00 00"),
    (CARD, "02 07 12 34 01 19 c8 07 08 00 2d 05 02 00 01 02 03"),
    (Fault(8, 0x1234, 3, 0, 500), "03 08 12 34 03 00 00 00 01 f4"),
    (Beat(0x1234, 60_000, 200, 12, -5), "04 00 12 34 00 00 ea 60 c8 0c fb"),
    (Sample(100, (310, 4095)), "05 00 00 00 00 64 02 01 36 0f ff"),
    (Param(1, 512), "06 00 01 02 00"),
    (Done(0x84, 0), "07 00 84 00"),
    (Ack(7, 2, 0x1234), "81 07 02 12 34"),
    (Get(1), "82 00 01"),
    (Set(1, 513), "83 00 01 02 01"),
    (Save(), "84 00"),
    (Raw(1), "85 00 01"),
    (Selftest(), "86 00"),
]


@pytest.mark.parametrize(("packet", "golden"), GOLDEN, ids=lambda value: type(value).__name__)
def test_each_packet_has_its_bytes(packet: Any, golden: str) -> None:
    assert pack(packet).hex(" ") == golden
    assert unpack(bytes.fromhex(golden)) == packet


def crc_of_the_data_sheet(packet: bytes) -> int:
    """CRC-16/CCITT-FALSE bit by bit: polynomial 1021, start FFFF, nothing reflected."""
    crc = 0xFFFF
    for bit in (byte >> place & 1 for byte in packet for place in range(7, -1, -1)):
        crc = (crc << 1 & 0xFFFF) ^ (0x1021 if (crc >> 15) ^ bit else 0)
    return crc


def test_crc_is_ccitt_false() -> None:
    assert crc_of_the_data_sheet(b"123456789") == 0x29B1  # the check value of the catalogue
    assert framing.encode(b"123456789") == b"\x0c123456789\x29\xb1\x00"


@pytest.mark.parametrize(("packet", "golden"), GOLDEN, ids=lambda value: type(value).__name__)
def test_a_frame_is_cobs_of_packet_and_crc(packet: Any, golden: str) -> None:
    bare = bytes.fromhex(golden)
    checked = bare + crc_of_the_data_sheet(bare).to_bytes(2, "big")
    # COBS by its definition: each zero becomes the distance to the next one.
    blocks = checked.split(b"\0")
    wire = b"".join(bytes([len(block) + 1]) + block for block in blocks) + b"\0"
    assert framing.encode(bare) == wire
    assert list(Framing().feed(wire)) == [bare]


def test_frames_on_the_wire() -> None:
    assert framing.encode(pack(Ack(7, 2, 0x1234))).hex(" ") == "08 81 07 02 12 34 b5 06 00"
    assert framing.encode(pack(Save())).hex(" ") == "02 84 03 ca 53 00"


@pytest.mark.parametrize(
    "packet",
    [
        "",
        "02",
        "02 07",
        "02 07 12 34",
        "99 00 01",
        "05 00",
        "05 00 00 00 00 64 02 01 36",
        "81 07 02 12 34 00",
    ],
)
def test_what_no_packet_looks_like_is_none(packet: str) -> None:
    assert unpack(bytes.fromhex(packet)) is None


def test_packets_are_1_to_62_bytes() -> None:
    assert list(Framing().feed(framing.encode(bytes(62)))) == [bytes(62)]
    for length in (0, 63):
        with pytest.raises(ValueError, match="1 to 62 bytes"):
            framing.encode(bytes(length))


def test_garbage_costs_the_frame_it_hit() -> None:
    good = framing.encode(b"good")
    garbage = bytes(range(1, 256)) * 40
    assert list(Framing().feed(good + garbage + b"\0" + good)) == [b"good", None, b"good"]
    assert list(Framing().feed(good + garbage + good + good)) == [b"good", None, b"good"]
    assert list(Framing().feed(b"\0\0" + good + b"\0\0\0" + good)) == [b"good", b"good"]


def test_a_code_is_never_printed() -> None:
    assert "code=??" in repr(CARD)
    assert "281" not in repr(CARD)
