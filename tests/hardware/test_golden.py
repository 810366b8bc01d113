"""Bytes as the makers' papers and captures have them, both ways."""

import pytest

from hardware.readers import ReaderSettings, angel_frames, grow, rdm6300, ssi
from hardware.readers.angel_eye import DISPUTED, AngelEyeDecoder
from hardware.readers.angel_frames import Frame
from hardware.readers.grow import GrowDecoder
from hardware.readers.rdm6300 import Rdm6300Decoder
from hardware.readers.ssi import SsiDecoder
from hardware.reads import CutCard, Mark, Read, Repeat, Said, Unread, Verdict
from tests.hardware.streams import taken

STARTS = Said("the shoe starts", gap=True)
ANGEL_EYE = {
    "05 31 44 81 B8 03 34 46": (Frame("1", "D", b"\x81\xb8"), Read("8s", slot="P1")),
    "05 32 44 91 CD 03 32 39": (Frame("2", "D", b"\x91\xcd"), Read("Kh", slot="B1")),
    "05 32 47 91 03 45 37": (Frame("2", "G", b"\x91"), Verdict("player", player_pair=True)),
    "05 33 47 C0 03 42 37": (Frame("3", "G", b"\xc0"), Verdict("banker")),
    "05 35 43 03 37 35": (Frame("5", "C"), CutCard()),
    "05 36 45 C1 03 42 31": (Frame("6", "E", b"\xc1"), Unread("unreadable")),
    "05 38 53 03 36 38": (Frame("8", "S"), STARTS),
}


@pytest.mark.parametrize(("wire", "frame", "message"), [(wire, *both) for wire, both in ANGEL_EYE.items()])
def test_angel_eye(wire, frame, message) -> None:
    sent = bytes.fromhex(wire)
    assert angel_frames.decode(sent) == frame
    assert angel_frames.encode(frame) == sent
    assert taken(AngelEyeDecoder(), 3 * sent) == [message]


SAME = Said("a card was told again, the same")
DIFFERS = Said("a card was told again, and differs from before: compare the cards with the screen", gap=True)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (Frame("1", "G", b"\xa3"), Verdict("tie", True, True)),
        (Frame("1", "G", b"\xf0"), Verdict("forced")),
        (Frame("1", "G", b"\x80"), Said("a result that is none", gap=True)),
        (Frame("1", "D", b"\xa1\x91"), Read("Ad", slot="burn")),
        (Frame("1", "D", b"\xc1\xaa"), Read("Tc", slot="burn")),
        (Frame("1", "D", b"\xd1\x91"), Said("the shoe counts the burn")),
        (Frame("1", "D", b"\x84\x91"), Unread("unreadable")),  # no fourth card of the player's
        (Frame("1", "D", b"\x81\x9e"), Unread("unreadable")),  # no rank 14
        (Frame("1", "D", b"\x81"), Said("a report D of another length than known", gap=True)),
        (Frame("1", "d", b"\x90"), Unread("drawn while in error")),
        (Frame("1", "E", b"\xc5"), Unread("backwards")),
        (Frame("1", "E", b"\x82"), Said("error 2: a card too many was drawn")),
        (Frame("1", "R", b"\x81\xb8"), DIFFERS),
        (Frame("1", "e"), Said("an error was cancelled")),
        (Frame("1", "L", b"\x81"), Said("locked")),
        (Frame("1", "M"), Said("a preset value was changed")),
        (Frame("1", "P"), Said("the shoe stands by")),
        (Frame("1", "Z"), Said("a report Z that is not known")),
    ],
)
def test_angel_eye_reports(sent, told) -> None:
    assert taken(AngelEyeDecoder(), 3 * angel_frames.encode(sent)) == [told]


def angel(*frames: Frame, copies: int = 3) -> bytes:
    return b"".join(copies * angel_frames.encode(frame) for frame in frames)


EIGHT, KING = b"\x81\xb8", b"\x91\xcd"
GAP = Said("reports before this one were lost", gap=True)


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ([Frame("1", "D", EIGHT), Frame("2", "R", EIGHT)], [Read("8s", slot="P1"), SAME]),
        ([Frame("1", "D", EIGHT), Frame("3", "D", KING)], [Read("8s", slot="P1"), GAP, Read("Kh", slot="B1")]),
        ([Frame("9", "D", EIGHT), Frame("1", "D", KING)], [Read("8s", slot="P1"), Read("Kh", slot="B1")]),
        ([Frame("9", "D", EIGHT), Frame("0", "D", KING)], [Read("8s", slot="P1"), Read("Kh", slot="B1")]),
        (
            [Frame(n, "D", card) for n, card in zip("9091", (EIGHT, KING, EIGHT, KING), strict=True)],
            [Read("8s", slot="P1"), Read("Kh", slot="B1"), GAP, Read("8s", slot="P1"), GAP, Read("Kh", slot="B1")],
        ),
        ([Frame("1", "S"), Frame("1", "D", EIGHT)], [STARTS, Read("8s", slot="P1")]),
        ([Frame("8", "S"), Frame("9", "D", EIGHT)], [STARTS, Read("8s", slot="P1")]),
        ([Frame("8", "S"), Frame("3", "D", EIGHT)], [STARTS, GAP, Read("8s", slot="P1")]),
        ([Frame("5", "D", EIGHT), Frame("1", "S")], [Read("8s", slot="P1"), STARTS]),
        ([Frame("1", "D", EIGHT), Frame("2", "D", EIGHT)], 2 * [Read("8s", slot="P1")]),
    ],
)
def test_angel_eye_numbers(frames, told) -> None:
    assert taken(AngelEyeDecoder(), angel(*frames)) == told


def test_angel_eye_a_damaged_report_after_nine_may_have_been_the_zero() -> None:
    nine, one = angel(Frame("9", "D", EIGHT)), angel(Frame("1", "D", KING))
    noise = angel(Frame("0", "D", EIGHT)).replace(b"\x03", b"\x02")
    assert taken(AngelEyeDecoder(), nine + noise + one) == [Read("8s", slot="P1"), GAP, Read("Kh", slot="B1")]


def test_angel_eye_is_believed_when_two_copies_agree() -> None:
    decoder = AngelEyeDecoder()
    right, wrong = (angel(Frame("1", "D", card), copies=1) for card in (EIGHT, b"\x81\xb9"))
    assert taken(decoder, wrong + right) == []
    assert taken(decoder, right) == [Unread("unreadable")]  # and the first said something else
    assert taken(decoder, right) == []


DIFFER = Said(DISPUTED, gap=True)


@pytest.mark.parametrize(
    ("copies", "told"),
    [
        ("888", [Read("8s", slot="P1")]),
        ("8.8", [Read("8s", slot="P1")]),
        ("88.", [Read("8s", slot="P1")]),
        ("8..", []),
        ("898", [Unread("unreadable")]),
        ("988", [Unread("unreadable")]),
        ("889", [Read("8s", slot="P1"), DIFFER]),
    ],
)
def test_angel_eye_copies_that_differ_name_no_card(copies, told) -> None:
    sent = {face: angel(Frame("1", "D", card), copies=1) for face, card in (("8", EIGHT), ("9", b"\x81\xb9"))}
    assert taken(AngelEyeDecoder(), b"".join(sent.get(copy, b"\5") for copy in copies)) == told


GROW = {
    "7E 00 08 01 00 02 01 AB CD": grow.TRIGGER,
    "7E 00 09 01 00 00 00 DE C8": grow.command(grow.SAVE, 0, b"\0"),
    "7E 00 07 01 00 2A 02 D8 0F": grow.command(grow.READ, 0x2A, b"\2"),
    "02 00 00 01 00 33 31": grow.answer(b"\0", checked=False),
}


@pytest.mark.parametrize(("wire", "made"), GROW.items())
def test_grow(wire, made) -> None:
    assert bytes.fromhex(wire) == made


@pytest.mark.parametrize(
    ("wire", "told"),
    [
        (b"AB12\r\n", [Read("AB12")]),
        (grow.answer(b"\0", checked=False) + b"AB12\r\n", [Read("AB12")]),
        (b"AB12\r\n" + grow.answer(b"\x39\x01") + b"CD34\r\n", [Read("AB12"), Read("CD34")]),
        (grow.answer(b"\r\n") + b"AB12\r\n", [Read("AB12")]),
        (b"AB\x0712\r\n", [Unread("unreadable")]),
        (b"AB12\rCD34\nEF56\r\n", [Read("AB12"), Read("CD34"), Read("EF56")]),  # bytes of a tail were lost
        (b"\x02\x00\x00\x01\x00\x33AB12\r\n", [Unread("unreadable")]),  # an answer that lost its end
        (300 * b"A" + b"\r\nAB12\r\n", [Unread("unreadable"), Read("AB12")]),
        (b"\r\n\r\n", []),
    ],
)
def test_grow_stream(wire, told) -> None:
    assert taken(GrowDecoder(), wire) == told
    one_at_a_time = GrowDecoder()
    assert [message for byte in wire for message in taken(one_at_a_time, bytes((byte,)))] == told


def test_grow_with_another_tail() -> None:
    assert taken(GrowDecoder(ReaderSettings(line_end="\t")), b"AB12\tCD34\t") == [Read("AB12"), Read("CD34")]


SSI = {
    "04 D0 04 00 FF 28": ssi.Packet(ssi.ACK),
    "05 D1 04 00 06 FF 20": ssi.Packet(ssi.NAK, body=b"\6"),
    "04 E4 04 00 FF 14": ssi.Packet(ssi.START),
    "04 E5 04 00 FF 13": ssi.Packet(ssi.STOP),
}


@pytest.mark.parametrize(("wire", "packet"), SSI.items())
def test_ssi(wire, packet) -> None:
    assert ssi.encode(packet) == bytes.fromhex(wire)
    assert ssi.decode(bytes.fromhex(wire)) == packet


def decoded(code: bytes, again: bool = False) -> bytes:
    return ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, ssi.RETRANSMITTED if again else 0, b"\1" + code))


def test_ssi_is_acknowledged_when_it_is_on_disk() -> None:
    decoder = SsiDecoder(ReaderSettings(hold=0))
    first = [*decoder.feed(decoded(b"AB12"))]
    assert first == [Read("AB12", Mark(0, 0))]
    assert [*decoder.feed(decoded(b"AB12", again=True))] == first  # not acknowledged: once more
    assert decoder.acknowledge(Mark(0, 0)) == bytes.fromhex("04D00400FF28")
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [Repeat(Mark(0, 0))]
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", Mark(0, 1))]  # another card of that face


def test_ssi_a_repeat_of_what_was_never_seen_is_a_gap() -> None:
    decoder = SsiDecoder()
    assert decoder.resume(Mark(0, 41)) == bytes.fromhex("04E40400FF14")
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [Read("AB12", Mark(0, 42), gap=True)]


@pytest.fixture
def journaled():
    """A decoder whose first card, AB12, is on disk and acknowledged; and its clock."""
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", Mark(0, 0))]
    return decoder, now


@pytest.mark.parametrize(
    ("missed", "told"),
    [
        (lambda decoder, now: None, Repeat(Mark(0, 0))),  # our ACK was lost
        (lambda decoder, now: taken(decoder, decoded(b"AB12")[:-1] + b"\0"), Read("AB12", Mark(0, 1), gap=True)),
        (lambda decoder, now: decoder.resume(Mark(0, 0)), Read("AB12", Mark(0, 1), gap=True)),
        (lambda decoder, now: now.__setitem__(0, 60.0), Read("AB12", Mark(0, 1), gap=True)),
    ],
    ids=["ACK lost", "first sending damaged", "reconnected", "a minute later"],
)
def test_ssi_a_repeat_may_be_of_another_card_of_that_face(journaled, missed, told) -> None:
    decoder, now = journaled
    missed(decoder, now)
    now[0] += 2.0
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [told]


def test_ssi_a_card_seen_twice_is_acknowledged_twice() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    told = []
    for now[0] in (0.0, 0.4, 1.2):
        told += taken(decoder, decoded(b"AB12"))
    assert told == [Read("AB12", Mark(0, 0)), Repeat(Mark(0, 0)), Read("AB12", Mark(0, 1))]


def test_ssi_a_code_given_up_is_not_acknowledged_in_the_name_of_the_next() -> None:
    decoder = SsiDecoder()
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", Mark(0, 0))]  # the disk is full
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", Mark(0, 1))]
    assert decoder.acknowledge(Mark(0, 0)) == b""
    assert decoder.acknowledge(Mark(0, 1)) == bytes.fromhex("04D00400FF28")


@pytest.mark.parametrize("others", [0, 1, 40, 250])
def test_ssi_cards_that_somebody_else_took_do_not_come_again_as_numbers(others) -> None:
    """The reader was lent: the last number told is his, whether or not the bridge heard of it before the reopen."""
    decoder = SsiDecoder(ReaderSettings(hold=0))
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", Mark(0, 0))]
    assert decoder.acknowledge(Mark(0, others)) == (b"" if others else ssi.encode(ssi.Packet(ssi.ACK)))
    decoder.resume(Mark(0, others))
    decoder.resume(Mark(0, others))  # and lost, and opened again
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", Mark(0, others + 1))]


def test_ssi_what_is_told_of_another_report_is_no_acknowledgement() -> None:
    """The engine has sent a code that nobody has read yet: an ACK would make it forget the card."""
    decoder = SsiDecoder()
    decoder.resume(Mark(0, 19))
    assert decoder.acknowledge(Mark(0, 24)) == b""


def test_ssi_a_code_that_waits_for_the_disk_keeps_its_number_over_a_reconnect() -> None:
    decoder = SsiDecoder()
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", Mark(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", Mark(0, 1))]  # the disk is full
    decoder.resume(Mark(0, 0))
    assert [*decoder.feed(decoded(b"CD34", again=True))] == [Read("CD34", Mark(0, 1))]
    assert decoder.acknowledge(Mark(0, 1)) == ssi.encode(ssi.Packet(ssi.ACK))
    assert [*decoder.feed(decoded(b"EF56"))] == [Read("EF56", Mark(0, 2))]


def test_ssi_a_code_that_waited_for_the_disk_while_others_read_gets_a_new_number() -> None:
    decoder = SsiDecoder(ReaderSettings(hold=0))
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", Mark(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", Mark(0, 1))]  # the disk is full, and the reader lent
    decoder.resume(Mark(0, 3))
    assert [*decoder.feed(decoded(b"CD34", again=True))] == [Read("CD34", Mark(0, 4), gap=True)]


def test_ssi_of_two_codes_that_wait_for_the_disk_the_second_keeps_its_number_when_the_first_is_there() -> None:
    decoder = SsiDecoder()
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", Mark(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", Mark(0, 1))]
    assert decoder.acknowledge(Mark(0, 0)) == b""
    decoder.resume(Mark(0, 0))
    assert [*decoder.feed(decoded(b"EF56"))] == [Read("EF56", Mark(0, 2))]


def test_ssi_a_decode_without_a_code_is_a_card_unread() -> None:
    assert [*SsiDecoder().feed(decoded(b""))] == [Unread("unreadable", Mark(0, 0))]


def test_ssi_noise_does_not_swallow_the_packet_behind_it() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert [*decoder.feed(b"\x30\xf3\0" + decoded(b"AB12"))] == []  # it looks like the head of a longer packet
    now[0] = 1.0
    assert [*decoder.feed(decoded(b"AB12", again=True))] == 2 * [Read("AB12", Mark(0, 0))]  # one card: one number
    assert decoder.bad == 1


def test_ssi_a_packet_that_lost_its_end_does_not_swallow_the_next() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert [*decoder.feed(decoded(b"AB12")[:6])] == []
    now[0] = 1.0
    assert [message.code for message in decoder.feed(decoded(b"CD34"))] == ["CD34"]


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
def test_rdm6300_says_a_tag_as_long_as_it_is_near(times, cards) -> None:
    now = [0.0]
    decoder = Rdm6300Decoder(clock=lambda: now[0])
    told = []
    for now[0] in times:
        told += taken(decoder, bytes.fromhex(TAG))
    assert told == cards * [Read("01006A5344")]
