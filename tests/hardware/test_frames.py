"""What is encoded is decoded again, whole or not at all, for the frames of every protocol that has some."""

from functools import reduce
from operator import xor

from hypothesis import given
from hypothesis import strategies as st

from hardware.readers import angel_eye_frames as angel_frames
from hardware.readers import grow, rdm6300, ssi
from hardware.readers.angel_eye_frames import Frame, Frames
from hardware.readers.grow import GrowDecoder
from hardware.readers.line import LineDecoder
from hardware.readers.messages import Read
from hardware.readers.ssi import Packet
from tests.hardware.streams import taken

frames = st.builds(
    Frame,
    seq=st.sampled_from("0123456789"),
    command=st.sampled_from("SPDdRGCEeLM"),
    payload=st.lists(st.integers(0x80, 0xFF), max_size=8).map(bytes),
)
packets = st.builds(
    ssi.Packet,
    op=st.integers(0, 255),
    source=st.sampled_from((ssi.ENGINE, ssi.HOST)),
    status=st.integers(0, 255),
    body=st.binary(max_size=ssi.LONGEST - 4),
)
tags = st.binary(min_size=5, max_size=5).map(bytes.hex).map(str.upper)
texts = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=40)


@given(frames)
def test_angel_eye_frames_are_inverse(frame: Frame) -> None:
    assert angel_frames.decode(angel_frames.encode(frame)) == frame
    assert [*Frames().feed(angel_frames.encode(frame))] == [frame]


@given(st.sampled_from((0, 1, 2, 4)), st.integers(1, 3), st.sampled_from(angel_frames.RANKS), st.sampled_from("dcsh"))
def test_angel_eye_cards_are_inverse(target: int, index: int, rank: str, suit: str) -> None:
    place, face = angel_frames.card_bytes(target, index, rank + suit)
    assert (place >> 4 & 7, place & 15) == (target, index)
    assert angel_frames.card_of(face) == rank + suit


@given(packets)
def test_ssi_packets_are_inverse(packet: Packet) -> None:
    assert ssi.decode(ssi.encode(packet)) == packet


@given(tags)
def test_rdm6300_frames_are_inverse(tag: str) -> None:
    assert rdm6300.decode(rdm6300.encode(tag)) == tag
    assert len(rdm6300.encode(tag)) == rdm6300.FRAME


@given(st.lists(texts, min_size=1, max_size=5, unique=True))
def test_texts_come_out_as_they_went_in(codes: list[str]) -> None:
    wire = b"".join(code.encode() + b"\r\n" for code in codes)
    assert taken(LineDecoder(), wire) == taken(GrowDecoder(), wire) == [Read(code) for code in codes]


@given(st.binary(max_size=grow.LONGEST_ANSWER), texts)
def test_grow_answers_are_no_codes(answered: bytes, code: str) -> None:
    answer = grow.answer(answered)
    assert taken(GrowDecoder(), answer + code.encode() + b"\r\n" + answer) == [Read(code)]


@given(frames, st.integers(0, 200), st.integers(0, 7))
def test_one_flipped_bit_damages_a_frame(frame: Frame, at: int, bit: int) -> None:
    """XOR and sum both find any single flipped bit."""
    wire = angel_frames.encode(frame)
    assert angel_frames.decode(_flipped(wire, at, bit)) is None
    packet = ssi.Packet(ssi.DECODED, ssi.ENGINE, 0, frame.payload)
    assert ssi.decode(_flipped(ssi.encode(packet), at, bit)) is None
    tag = f"{reduce(xor, frame.payload, 0):010X}"
    assert rdm6300.decode(_flipped(rdm6300.encode(tag), at, bit)) in (None, tag)  # lower case is no damage


def _flipped(wire: bytes, at: int, bit: int) -> bytes:
    at %= len(wire)
    return wire[:at] + bytes((wire[at] ^ 1 << bit,)) + wire[at + 1 :]
