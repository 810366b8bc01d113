"""Scan engines in packet mode: when a code is acknowledged, which repeats are cards, and how they are numbered."""

from collections.abc import Callable
from typing import Any

import pytest

from hardware.readers import ReaderSettings, ssi
from hardware.readers.messages import Message, Read, Repeat, ReportNo, Unread
from hardware.readers.ssi import Packet, SsiDecoder
from tests.hardware.streams import reads, taken

SSI = {
    "04 D0 04 00 FF 28": ssi.Packet(ssi.ACK),
    "05 D1 04 00 06 FF 20": ssi.Packet(ssi.NAK, body=b"\6"),
    "04 E4 04 00 FF 14": ssi.Packet(ssi.START),
    "04 E5 04 00 FF 13": ssi.Packet(ssi.STOP),
}


@pytest.mark.parametrize(("wire", "packet"), SSI.items())
def test_ssi(wire: str, packet: Packet) -> None:
    assert ssi.encode(packet) == bytes.fromhex(wire)
    assert ssi.decode(bytes.fromhex(wire)) == packet


def decoded(code: bytes, again: bool = False) -> bytes:
    return ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, ssi.RETRANSMITTED if again else 0, b"\1" + code))


def test_ssi_is_acknowledged_when_it_is_on_disk() -> None:
    decoder = SsiDecoder(ReaderSettings(hold=0))
    first = [*decoder.feed(decoded(b"AB12"))]
    assert first == [Read("AB12", ReportNo(0, 0))]
    assert [*decoder.feed(decoded(b"AB12", again=True))] == first  # not acknowledged: once more
    assert decoder.acknowledge(ReportNo(0, 0)) == bytes.fromhex("04D00400FF28")
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [Repeat(ReportNo(0, 0))]
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", ReportNo(0, 1))]  # another card of that face


def test_ssi_a_repeat_of_what_was_never_seen_is_a_gap() -> None:
    decoder = SsiDecoder()
    assert decoder.resume(ReportNo(0, 41)) == bytes.fromhex("04E40400FF14")
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [Read("AB12", ReportNo(0, 42), gap=True)]


@pytest.fixture
def journaled() -> tuple[SsiDecoder, list[float]]:
    """A decoder whose first card, AB12, is on disk and acknowledged; and its clock."""
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", ReportNo(0, 0))]
    return decoder, now


@pytest.mark.parametrize(
    ("missed", "expected"),
    [
        (lambda decoder, now: None, Repeat(ReportNo(0, 0))),  # our ACK was lost
        (lambda decoder, now: taken(decoder, decoded(b"AB12")[:-1] + b"\0"), Read("AB12", ReportNo(0, 1), gap=True)),
        (lambda decoder, now: decoder.resume(ReportNo(0, 0)), Read("AB12", ReportNo(0, 1), gap=True)),
        (lambda decoder, now: now.__setitem__(0, 60.0), Read("AB12", ReportNo(0, 1), gap=True)),
        (lambda decoder, now: now.__setitem__(0, 0.6), Read("AB12", ReportNo(0, 1), gap=True)),
    ],
    ids=["ACK lost", "first sending damaged", "reconnected", "a minute later", "first sending of a card was lost"],
)
def test_ssi_a_repeat_may_be_of_another_card_of_that_face(
    journaled: tuple[SsiDecoder, list[float]], missed: Callable[..., Any], expected: Read | Repeat
) -> None:
    decoder, now = journaled
    missed(decoder, now)
    now[0] += 2.0
    assert [*decoder.feed(decoded(b"AB12", again=True))] == [expected]


def test_ssi_a_card_seen_twice_is_acknowledged_twice() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    messages = []
    for now[0] in (0.0, 0.4, 1.2):
        messages += taken(decoder, decoded(b"AB12"))
    assert messages == [Read("AB12", ReportNo(0, 0)), Repeat(ReportNo(0, 0)), Read("AB12", ReportNo(0, 1))]


def test_ssi_a_code_given_up_is_not_acknowledged_in_the_name_of_the_next() -> None:
    decoder = SsiDecoder()
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", ReportNo(0, 0))]  # the disk is full
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", ReportNo(0, 1))]
    assert decoder.acknowledge(ReportNo(0, 0)) == b""
    assert decoder.acknowledge(ReportNo(0, 1)) == bytes.fromhex("04D00400FF28")


@pytest.mark.parametrize("others", [0, 1, 40, 250])
def test_ssi_cards_that_somebody_else_took_do_not_come_again_as_numbers(others: int) -> None:
    """The reader was lent: the last number told is his, whether or not the bridge heard of it before the reopen."""
    decoder = SsiDecoder(ReaderSettings(hold=0))
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", ReportNo(0, 0))]
    assert decoder.acknowledge(ReportNo(0, others)) == (b"" if others else ssi.encode(ssi.Packet(ssi.ACK)))
    decoder.resume(ReportNo(0, others))
    decoder.resume(ReportNo(0, others))  # and lost, and opened again
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", ReportNo(0, others + 1))]


def test_ssi_what_is_reported_of_another_report_is_no_acknowledgement() -> None:
    """The engine has sent a code that nobody has read yet: an ACK would make it forget the card."""
    decoder = SsiDecoder()
    decoder.resume(ReportNo(0, 19))
    assert decoder.acknowledge(ReportNo(0, 24)) == b""


def test_ssi_a_code_that_waits_for_the_disk_keeps_its_number_over_a_reconnect() -> None:
    decoder = SsiDecoder()
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", ReportNo(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", ReportNo(0, 1))]  # the disk is full
    decoder.resume(ReportNo(0, 0))
    assert [*decoder.feed(decoded(b"CD34", again=True))] == [Read("CD34", ReportNo(0, 1))]
    assert decoder.acknowledge(ReportNo(0, 1)) == ssi.encode(ssi.Packet(ssi.ACK))
    assert [*decoder.feed(decoded(b"EF56"))] == [Read("EF56", ReportNo(0, 2))]


def test_ssi_a_code_that_waited_for_the_disk_while_others_read_gets_a_new_number() -> None:
    decoder = SsiDecoder(ReaderSettings(hold=0))
    assert taken(decoder, decoded(b"AB12")) == [Read("AB12", ReportNo(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", ReportNo(0, 1))]  # the disk is full, and the reader lent
    decoder.resume(ReportNo(0, 3))
    assert [*decoder.feed(decoded(b"CD34", again=True))] == [Read("CD34", ReportNo(0, 4), gap=True)]


def test_ssi_of_two_codes_that_wait_for_the_disk_the_second_keeps_its_number_when_the_first_is_there() -> None:
    decoder = SsiDecoder()
    assert [*decoder.feed(decoded(b"AB12"))] == [Read("AB12", ReportNo(0, 0))]
    assert [*decoder.feed(decoded(b"CD34"))] == [Read("CD34", ReportNo(0, 1))]
    assert decoder.acknowledge(ReportNo(0, 0)) == b""
    decoder.resume(ReportNo(0, 0))
    assert [*decoder.feed(decoded(b"EF56"))] == [Read("EF56", ReportNo(0, 2))]


STARTS = bytes.fromhex("04E40400FF14")
ANSWERS: dict[str, bytes] = {
    "an acknowledgement": bytes.fromhex("04D00000FF2C"),
    "a refusal": ssi.encode(ssi.Packet(ssi.NAK, ssi.ENGINE, body=b"\2")),
    "a card": decoded(b"AB12"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_ssi_the_engine_is_started_until_it_answers(answer: bytes) -> None:
    decoder = SsiDecoder()
    assert (decoder.again(), decoder.unanswered) == (b"", 0)
    for _ in range(2):  # however often the port is opened
        assert decoder.resume(None) == STARTS
        asked = [decoder.again() for _ in range(4)]
        assert asked == [ssi.WAKE + STARTS, STARTS, ssi.WAKE + STARTS, STARTS]
        assert [*decoder.feed(b"9s\r\n")] == []  # no packet is no answer
        assert decoder.again()
        assert decoder.unanswered == 6
        assert len([*decoder.feed(b""), *decoder.feed(answer[:3]), *decoder.feed(answer[3:])]) == (
            answer[1] == ssi.DECODED
        )
        assert (decoder.again(), decoder.unanswered) == (b"", 0)


def test_ssi_a_decode_without_a_code_is_a_card_unread() -> None:
    assert [*SsiDecoder().feed(decoded(b""))] == [Unread("unreadable", ReportNo(0, 0))]


def test_ssi_noise_does_not_swallow_the_packet_behind_it() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert [*decoder.feed(b"\x30\xf3\0" + decoded(b"AB12"))] == []  # it looks like the head of a longer packet
    now[0] = 1.0
    assert [*decoder.feed(decoded(b"AB12", again=True))] == 2 * [Read("AB12", ReportNo(0, 0))]  # one card: one number
    assert decoder.bad == 1


def test_ssi_a_packet_that_lost_its_end_does_not_swallow_the_next() -> None:
    now = [0.0]
    decoder = SsiDecoder(clock=lambda: now[0])
    assert [*decoder.feed(decoded(b"AB12")[:6])] == []
    now[0] = 1.0
    assert [message.code for message in decoder.feed(decoded(b"CD34"))] == ["CD34"]


def test_each_good_packet_counts_for_the_line() -> None:
    decoder = SsiDecoder()
    taken(decoder, decoded(b"AB12") + decoded(b"CD34"))
    assert (decoder.good, decoder.bad) == (2, 0)


DAMAGED: dict[str, bytes] = {
    "the checksum": decoded(b"AB12")[:-1] + b"\0",
    "the code": decoded(b"AB12").replace(b"B", b"\xc2"),
    "the length": b"\x30" + decoded(b"AB12")[1:],
    "the opcode": decoded(b"AB12").replace(b"\xf3", b"\xf2"),
    "the source": decoded(b"AB12")[:2] + b"\1" + decoded(b"AB12")[3:],
    "a byte of the code lost": decoded(b"AB12").replace(b"B", b""),
    "noise inside": decoded(b"AB12").replace(b"B", b"B\xfe\x80"),
    "its end lost": decoded(b"AB12")[:8],
}


class Heard:
    """A decoder with a card behind it; time passes in steps with nothing on the line, as the reader tells it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.decoder = SsiDecoder(clock=lambda: self.now)
        assert reads(taken(self.decoder, decoded(b"EF56"))) == ["EF56"]
        self.rest(20.0)

    def hear(self, sent: bytes) -> list[Message]:
        return taken(self.decoder, sent)

    def rest(self, seconds: float) -> list[Message]:
        until, messages = self.now + seconds, list[Message]()
        while (wait := self.decoder.waits_s) is not None and self.now + wait <= until:
            self.now += max(wait, 0.001)
            messages += self.hear(b"")
        self.now = until
        return messages


@pytest.mark.parametrize("packet", DAMAGED.values(), ids=DAMAGED)
class TestDamaged:
    def test_alone_is_an_unread_card(self, packet: bytes) -> None:
        line = Heard()
        assert line.hear(packet) + line.rest(4.0) == [Unread("unreadable")]

    def test_and_given_up_is_unread_before_the_next(self, packet: bytes) -> None:
        line = Heard()
        messages = line.hear(packet) + line.rest(1.0) + line.hear(decoded(b"CD34")) + line.rest(9.0)
        assert [getattr(message, "code", message) for message in messages] == [Unread("unreadable"), "CD34"]

    def test_and_sent_again_is_that_card(self, packet: bytes) -> None:
        line = Heard()
        messages = line.hear(packet) + line.rest(2.0) + line.hear(decoded(b"AB12", again=True)) + line.rest(9.0)
        assert reads(messages) == ["AB12"]
        assert len(messages) == 1


@pytest.mark.parametrize(
    "noise", [b"9s\r\n", 3 * ssi.encode(ssi.Packet(ssi.START)), b"\xf3\0\0", 40 * b"\xf8\0\xfe", decoded(b"AB12")[4:]]
)
def test_ssi_bytes_without_a_packet_are_no_card(noise: bytes) -> None:
    line = Heard()
    assert line.hear(noise) + line.rest(20.0) == []
    assert line.decoder.bad == 1


def test_ssi_a_damaged_repeat_of_a_card_on_disk_is_no_card() -> None:
    line = Heard()
    assert reads(line.hear(decoded(b"AB12"))) == ["AB12"]
    assert line.rest(2.0) + line.hear(decoded(b"AB12", again=True)[:-1] + b"\0") + line.rest(9.0) == []
