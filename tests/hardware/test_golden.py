"""Bytes as the makers' papers and captures have them, both ways: barcode and RFID modules."""

import pytest

from hardware.readers import ReaderSettings, grow, rdm6300
from hardware.readers.grow import GrowDecoder
from hardware.readers.messages import Read, Unread
from hardware.readers.rdm6300 import Rdm6300Decoder
from tests.hardware.streams import taken

GROW = {
    "7E 00 08 01 00 02 01 AB CD": grow.TRIGGER,
    "7E 00 09 01 00 00 00 DE C8": grow.command(grow.SAVE, 0, b"\0"),
    "7E 00 07 01 00 2A 02 D8 0F": grow.command(grow.READ, 0x2A, b"\2"),
    "02 00 00 01 00 33 31": grow.answer(b"\0"),
}


@pytest.mark.parametrize(("wire", "made"), GROW.items())
def test_grow(wire: str, made: bytes) -> None:
    assert bytes.fromhex(wire) == made


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (b"AB12\r\n", [Read("AB12")]),
        (grow.answer(b"\0") + b"AB12\r\n", [Read("AB12")]),
        (b"AB12\r\n" + grow.answer(b"\x39\x01") + b"CD34\r\n", [Read("AB12"), Read("CD34")]),
        (grow.answer(b"\r\n") + b"AB12\r\n", [Read("AB12")]),
        (b"AB\x0712\r\n", [Unread("unreadable")]),
        (b"AB12\rCD34\nEF56\r\n", [Read("AB12"), Read("CD34"), Read("EF56")]),  # bytes of a tail were lost
        (b"\x02\x00\x00\x01\x00\x33AB12\r\n", [Unread("unreadable")]),  # an answer that lost its end
        (b"\x02\x00\x00\x01\x05\x33\x31AB12\r\n", [Unread("unreadable")]),  # the check of another answer
        (300 * b"A" + b"\r\nAB12\r\n", [Unread("unreadable"), Read("AB12")]),
        (b"\r\n\r\n", []),
    ],
)
def test_grow_stream(wire: bytes, expected: list[Read | Unread]) -> None:
    assert taken(GrowDecoder(), wire) == expected
    one_at_a_time = GrowDecoder()
    assert [message for byte in wire for message in taken(one_at_a_time, bytes((byte,)))] == expected


def test_grow_an_answer_shows_where_the_first_code_begins() -> None:
    decoder = GrowDecoder()
    decoder.resume(None)
    assert taken(decoder, grow.answer(b"\0") + b"AB12\r\n") == [Read("AB12")]


def test_grow_with_another_tail() -> None:
    assert taken(GrowDecoder(ReaderSettings(line_end="\t")), b"AB12\tCD34\t") == [Read("AB12"), Read("CD34")]


TAG = "02 30 31 30 30 36 41 35 33 34 34 37 43 03"  # tag 01006A5344


def test_rdm6300() -> None:
    assert rdm6300.encode("01006A5344") == bytes.fromhex(TAG)
    assert rdm6300.decode(bytes.fromhex(TAG)) == "01006A5344"
    assert rdm6300.decode(bytes.fromhex(TAG.replace("37 43", "37 44"))) is None


def test_rdm6300_two_tags_near_in_turn_are_two_cards() -> None:
    tags = ["01006A5344", "01006A5345"]
    wire = b"".join(map(rdm6300.encode, 3 * tags))
    assert taken(Rdm6300Decoder(clock=lambda: 0.0), wire) == [Read(tag) for tag in tags]


@pytest.mark.parametrize(
    ("times", "cards"),
    [([0, 0.05, 0.1], 1), ([0, 0.4, 0.8, 1.2], 1), ([0, 0.6], 2)],
)
def test_rdm6300_says_a_tag_as_long_as_it_is_near(times: list[float], cards: int) -> None:
    now = [0.0]
    decoder = Rdm6300Decoder(clock=lambda: now[0])
    messages = []
    for now[0] in times:
        messages += taken(decoder, bytes.fromhex(TAG))
    assert messages == cards * [Read("01006A5344")]
