"""Damaged frames of tags: each is a card that was not read, once, unless the same card is read whole."""

from collections.abc import Callable

import pytest

from hardware.readers.messages import Message, Read, Unread
from hardware.readers.rdm6300 import Rdm6300Decoder, encode
from tests.hardware.streams import taken

A, B = "01006A5344", "0F8C21B7D0"
WHOLE, NEXT = encode(A), encode(B)
UNREAD = Unread("unreadable")
ID_12 = bytes.fromhex("02 30 35 30 30 32 30 37 42 33 32 36 43 0D 0A 03")  # as captured


def changed(frame: bytes, at: int, byte: int = 0x71) -> bytes:
    return frame[:at] + bytes((byte,)) + frame[at + 1 :]


DAMAGED: dict[str, bytes] = {
    "a digit": changed(WHOLE, 4),
    "another digit": changed(WHOLE, 4, 0x39),
    "the checksum": changed(WHOLE, 12, 0x39),
    "a digit is a start": changed(WHOLE, 10, 2),
    "a digit is an end": changed(WHOLE, 3, 3),
    "a digit is lost": WHOLE[:5] + WHOLE[6:],
    "digits are lost": WHOLE[:3] + WHOLE[8:],
    "noise inside": WHOLE[:6] + b"\xfe\x81" + WHOLE[6:],
    "the start": changed(WHOLE, 0),
    "the end": changed(WHOLE, 13),
    "the end is lost": WHOLE[:13],
}


class Line:
    """A decoder, and what it said; time passes in small steps with nothing on the line, as the reader tells it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.decoder = Rdm6300Decoder(clock=lambda: self.now)
        self.said: list[Message] = []

    def hear(self, *frames: bytes, every: float = 0.05) -> None:
        for frame in frames:
            self.said += self.decoder.feed(frame)
            self.rest(every)

    def rest(self, seconds: float) -> None:
        until = self.now + seconds
        while (wait := self.decoder.waits_s) is not None and self.now + wait <= until:
            self.now += wait
            self.said += self.decoder.feed(b"")
        self.now = until


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.mark.parametrize("frame", DAMAGED.values(), ids=DAMAGED)
class TestDamaged:
    def test_alone_is_an_unread_card_before_the_next(self, line: Line, frame: bytes) -> None:
        line.hear(encode(A[::-1]), every=1.0)
        line.hear(frame, NEXT, every=0.6)
        assert line.said == [Read(A[::-1]), UNREAD, Read(B)]
        assert line.decoder.bad >= 1

    def test_again_and_again_is_one_card(self, line: Line, frame: bytes) -> None:
        line.hear(*8 * [frame])
        line.rest(2.0)
        assert line.said == [UNREAD]

    @pytest.mark.parametrize("frames", [lambda x: [x, WHOLE], lambda x: [WHOLE, x], lambda x: [x, x, WHOLE, x, x]])
    def test_beside_a_whole_one_is_that_card(
        self, line: Line, frame: bytes, frames: Callable[[bytes], list[bytes]]
    ) -> None:
        line.hear(*frames(frame))
        line.rest(2.0)
        assert line.said == [Read(A)]

    def test_of_cards_that_are_read_late_is_one_of_its_own(self, line: Line, frame: bytes) -> None:
        line.hear(frame + NEXT)
        line.rest(2.0)
        assert line.said == [UNREAD, Read(B)]

    def test_beside_a_whole_one_in_one_chunk_is_that_card(self, line: Line, frame: bytes) -> None:
        line.hear(frame + WHOLE)
        line.rest(2.0)
        assert line.said == [Read(A)]

    def test_byte_by_byte(self, line: Line, frame: bytes) -> None:
        line.hear(*(bytes((byte,)) for byte in frame), every=0.001)
        line.rest(1.0)
        line.hear(NEXT)
        assert line.said == [UNREAD, Read(B)]


def test_a_damaged_frame_survives_that_the_port_is_opened_again(line: Line) -> None:
    line.said += line.decoder.feed(DAMAGED["a digit"])
    line.decoder.resume(None)
    line.rest(1.0)
    assert line.said == [UNREAD]


@pytest.mark.parametrize(
    "noise",
    [
        b"\x02\x03",
        b"\x02abc\x03",
        b"0000000008\r\n",
        WHOLE[1:13],
        b"\x02" + 40 * b"\xf8" + b"\x03",
        WHOLE[7:],
        WHOLE[:7],
    ],
)
def test_bytes_without_a_frame_are_no_card(line: Line, noise: bytes) -> None:
    line.hear(noise, every=2.0)
    line.hear(NEXT)
    assert line.said == [Read(B)]


def test_frames_with_cr_lf_before_their_end(line: Line) -> None:
    line.hear(ID_12, changed(ID_12, 5), every=1.0)
    line.hear(*(bytes((byte,)) for byte in ID_12))
    assert line.said == [Read("0500207B32"), UNREAD, Read("0500207B32")]


def test_a_frame_that_lost_digits_and_end_is_no_part_of_the_next_card_without_a_start(line: Line) -> None:
    messages = taken(line.decoder, WHOLE[:12])
    line.now += 0.65
    messages += taken(line.decoder, changed(NEXT, 0) + NEXT)
    assert messages == [UNREAD, Read(B)]


def test_a_frame_of_which_the_end_is_read_late_is_whole(line: Line) -> None:
    messages = taken(line.decoder, WHOLE[:12])
    line.now += 0.65
    assert messages + taken(line.decoder, WHOLE[12:]) == [Read(A)]


def test_a_damaged_tag_is_reported_though_another_one_follows_at_once(line: Line) -> None:
    """Tags of one roll differ in few digits."""
    line.hear(changed(encode("0000000023"), 4), encode("0000000033"), every=0.2)
    line.rest(1.0)
    assert line.said == [UNREAD, Read("0000000033")]


def test_copies_are_recognized_by_their_time_though_nothing_in_them_is_alike(line: Line) -> None:
    line.hear(b"\x021111222233334444\x03"[:15] + b"\x03", encode(A))
    line.rest(1.0)
    assert line.said == [Read(A)]


@pytest.mark.parametrize(("frame", "said"), [(WHOLE, [Read(A)]), (NEXT, [UNREAD, Read(B)])])
def test_frames_that_were_read_late_are_recognized_by_likeness(line: Line, frame: bytes, said: list[Message]) -> None:
    messages = taken(line.decoder, DAMAGED["a digit"])
    line.now += 0.5  # the decoder was not told of the quiet: the daemon was busy
    assert messages + taken(line.decoder, frame) == said


@pytest.mark.parametrize("first", ["\x03", "\n", "\x02"])
def test_a_frame_without_an_end_is_a_card_though_the_next_one_begins_like_its_end(line: Line, first: str) -> None:
    line.hear(WHOLE[:11], first.encode() + NEXT[1:], NEXT, every=0.65)
    assert line.said[0] == UNREAD
    assert line.said[-1] == Read(B)
