"""The link of a seat keypad: packets there and back, marks once and in order, whatever the line does."""

from __future__ import annotations

from binascii import crc_hqx
from random import Random

import pytest
from cobs import cobs

from hardware import framing
from hardware.keypads import (
    KINDS,
    WORDS,
    Ack,
    Beat,
    Hello,
    KeypadLink,
    Mark,
    Packet,
    Turn,
    encode_turns,
    greeting,
    pack,
    unpack,
)
from hardware.sim.keypads import KeypadBoard
from tests.kit.cable import BadCable

PACKETS: list[Packet] = [
    Hello(7, 1, 3, 2),
    Mark(255, 7, 65_535, 3, 0, "S"),
    Mark(0, 7, 12, 4, 2, "raise", "12345678.9012345"),
    Beat(7),
    Ack(3, KINDS[Mark], 7),
    Turn(12, 0),
    Turn(65_535, 3, ("look", "call", "raise"), "3", "10.5"),
]


@pytest.mark.parametrize("packet", PACKETS)
def test_unpack_is_the_inverse_of_pack(packet: Packet) -> None:
    assert unpack(pack(packet)) == packet
    assert framing.decode(framing.encode(pack(packet))[:-1]) == pack(packet)


def test_a_packet_begins_with_its_number_in_the_link() -> None:
    numbers = {type(each): pack(each)[0] for each in PACKETS}
    assert numbers == {Hello: 0x10, Mark: 0x11, Beat: 0x12, Ack: 0x81, Turn: 0x91}


def test_the_words_have_the_numbers_of_the_link() -> None:
    assert " ".join(WORDS) == "S H DD SP SU look fold call raise compare grab bet lot next unmark"
    assert pack(Mark(0, 0, 0, 1, 0, "lot"))[-1] == 13
    assert pack(Turn(0, 1, ("S", "SU")))[5:7] == bytes([0, 0b10001])


@pytest.mark.parametrize(
    "packet",
    [b"", b"\x11", b"\x10\0\0", pack(PACKETS[1])[:-1], b"\x11\0" + bytes(7), b"\x91\0" + bytes(5), b"\x77\0\0\0",
     pack(PACKETS[1]) + b"\x07", pack(PACKETS[1]) + b"12345678901234567"],
)  # fmt: skip
def test_what_is_no_packet_of_a_pad_is_none(packet: bytes) -> None:
    assert unpack(packet) is None


def test_random_bytes_are_a_packet_or_none() -> None:
    rng = Random(8)
    for _ in range(20_000):
        kind = rng.choice([*KINDS.values(), 0x44])
        packet = unpack(bytes([kind]) + rng.randbytes(rng.randrange(30)))
        assert packet is None or unpack(pack(packet)) == packet


def heard(link: KeypadLink, board: KeypadBoard, up: BadCable, down: BadCable, ms: int) -> list[Mark]:
    """The marks that a host takes and acknowledges until `ms`, with bad cables between."""
    marks = []
    for at in range(0, ms, 10):
        for packet in link.feed(up.carry(board.tick(at))):
            if isinstance(packet, Hello):
                board.receive(down.carry(greeting(packet)))
            elif isinstance(packet, Mark):
                if not link.is_acknowledged(packet):
                    marks.append(packet)
                board.receive(down.carry(link.acknowledge(packet)))
    return marks


def test_each_mark_comes_once_and_in_order() -> None:
    board, link = KeypadBoard((1, 2)), KeypadLink()
    words = [WORDS[n % 12] for n in range(20)]
    for word in words:
        board.press(1, word)
    assert [mark.word for mark in heard(link, board, BadCable(), BadCable(), 2_000)] == words
    assert board.acknowledged == 20


@pytest.mark.parametrize("seed", range(5))
def test_so_it_does_over_cables_that_lose_and_flip(seed: int) -> None:
    board, link = KeypadBoard((1,)), KeypadLink()
    up, down = BadCable(seed, flipped=0.004, dropped=0.004), BadCable(seed + 50, flipped=0.01, dropped=0.01)
    for n in range(10):
        board.press(1, "grab", str(n))
    marks = heard(link, board, up, down, 30_000)
    assert [mark.value for mark in marks] == [str(n) for n in range(10)]


def test_a_host_that_begins_anew_takes_the_oldest_mark_the_pad_still_has() -> None:
    board = KeypadBoard((1,))
    board.press(1, "S")
    assert len(heard(KeypadLink(), board, BadCable(), BadCable(), 300)) == 1
    board.press(1, "H")
    assert [mark.word for mark in heard(KeypadLink(), board, BadCable(), BadCable(), 3_000)] == ["H"]


def test_a_pad_that_was_switched_off_begins_a_new_session() -> None:
    board, link = KeypadBoard((1,)), KeypadLink()
    board.press(1, "S")
    assert len(heard(link, board, BadCable(), BadCable(), 300)) == 1
    board.reset()
    board.press(1, "H")
    assert [mark.word for mark in heard(link, board, BadCable(), BadCable(), 3_000)] == ["H"]


def test_a_pad_shows_what_its_seats_may_say() -> None:
    board = KeypadBoard((1, 2))
    board.receive(encode_turns([Turn(5, 1, ("S", "H")), Turn(5, 2, ("look",))]))
    assert (board.turn, {seat: turn.words for seat, turn in board.shown.items()}) == (
        5,
        {1: ("S", "H"), 2: ("look",)},
    )
    board.receive(encode_turns([Turn(6, 0)]))
    assert (board.turn, board.shown) == (6, {})


def test_a_frame_that_was_cut_by_a_lost_port_damages_no_later_one() -> None:
    link, mark = KeypadLink(), Mark(0, 7, 1, 3, 0, "S")
    frame = framing.encode(pack(mark))
    assert [*link.feed(frame[:5])] == []
    link.reopened()
    assert [*link.feed(frame)] == [mark]


def test_a_frame_has_at_most_64_bytes_with_its_crc() -> None:
    longest = bytes(range(1, 63))
    assert framing.decode(framing.encode(longest)[:-1]) == longest
    longer = longest + b"?"
    checked = longer + crc_hqx(longer, 0xFFFF).to_bytes(2, "big")
    assert framing.decode(cobs.encode(checked)) is None
