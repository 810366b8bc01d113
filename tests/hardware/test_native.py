"""What the host takes from the native link: each report once and in order, over repeats, gaps and new sessions."""

import pytest

from hardware import framing
from hardware.readers.messages import REASONS, Beat, Hello, Read, Repeat, ReportNo, Unread
from hardware.readers.native import Ack, Fault, NativeDecoder, pack
from tests.hardware.native_reports import S, ack, after, card, seqs, take


def fault(seq: int, reason: int) -> bytes:
    return framing.encode(pack(Fault(seq, S, reason, 0, 1000)))


def test_a_card_is_read_with_all_its_fields() -> None:
    (read,) = after(4).feed(card(5, code=281, flags=1, lost=3, agreed=7, transit_ms=300, stamp_ms=9))
    assert read == Read(281, ReportNo(S, 5), 200, 7, 8, 300, face_up=True, lost=3, stamp_ms=9)
    assert read.code == 281
    assert "281" not in repr(read)


@pytest.mark.parametrize(
    ("flags", "face_up", "double_feed", "backwards"),
    [(0, 0, 0, 0), (1, 1, 0, 0), (2, 0, 1, 0), (4, 0, 0, 1), (7, 1, 1, 1)],
)
def test_flags(flags: int, face_up: int, double_feed: int, backwards: int) -> None:
    (read,) = after(4).feed(card(5, flags=flags))
    assert (read.face_up, read.double_feed, read.backwards) == (face_up, double_feed, backwards)


@pytest.mark.parametrize("number", range(1, 7))
def test_fault_reasons(number: int) -> None:
    assert list(after(4).feed(fault(5, number))) == [Unread(REASONS[number - 1], ReportNo(S, 5), 0, 1000)]


@pytest.mark.parametrize(
    ("quality", "agreed", "taken", "readable"),
    [
        (60, 8, 8, True),
        (59, 8, 8, False),
        (200, 5, 8, True),
        (200, 4, 8, False),
        (200, 0, 0, False),
        (200, 4, 7, True),
    ],
)
def test_a_weak_or_divided_read_is_unreadable(quality: int, agreed: int, taken: int, readable: bool) -> None:
    (message,) = after(4, min_quality=60).feed(card(5, quality=quality, agreed=agreed, taken=taken))
    assert message == (
        Read(17, ReportNo(S, 5), quality, agreed, taken, 45, stamp_ms=1000)
        if readable
        else Unread("unreadable", ReportNo(S, 5), 0, 1000)
    )


def test_the_next_report_is_taken_and_acknowledged_by_its_kind() -> None:
    decoder = after(4)
    assert seqs(decoder.feed(card(5))) == [5]
    assert ack(decoder.acknowledge(ReportNo(S, 5))) == [(2, S, 5)]
    assert seqs(decoder.feed(fault(6, 3))) == [6]
    assert ack(decoder.acknowledge(ReportNo(S, 6))) == [(3, S, 6)]


def test_what_is_not_acknowledged_comes_again() -> None:
    decoder = after(4)
    for _ in range(3):
        assert seqs(decoder.feed(card(5) + card(6))) == [5]


def test_each_report_is_judged_after_the_one_before_is_acknowledged() -> None:
    assert seqs(take(after(4), card(5) + card(6) + card(7))) == [5, 6, 7]


@pytest.mark.parametrize("seq", [4, 3, 0, 255, 230])
def test_at_or_before_the_last_is_a_repeat(seq: int) -> None:
    decoder = after(4)
    assert list(decoder.feed(card(seq))) == [Repeat(ReportNo(S, seq))]
    assert ack(decoder.acknowledge(ReportNo(S, seq))) == [(2, S, 4)]
    assert decoder.last == ReportNo(S, 4)


def test_a_later_report_is_ignored() -> None:
    assert take(after(4), card(6) + card(7) + card(6)) == []


def test_an_unexpected_report_thrice_means_the_expected_one_is_gone() -> None:
    (read,) = take(after(4), 3 * card(9) + card(9))[:1]
    assert (read.report.seq, read.gap) == (9, True)
    assert seqs(take(after(4), 2 * card(9) + card(5) + card(6))) == [5, 6]
    assert seqs(take(after(4), 2 * card(9) + card(5) + 2 * card(9))) == [5]
    (read, _) = take(after(4), 2 * card(9, lost=4) + card(9, lost=5) + card(10))
    assert (read.report.seq, read.gap, read.lost) == (9, True, 5)


def test_new_reports_in_between_do_not_hide_that() -> None:
    assert seqs(take(after(4), card(9) + card(20) + card(9) + card(21) + card(9) + card(10))) == [9, 10]


def test_more_than_the_board_keeps_is_a_gap_even_when_the_numbers_have_wrapped() -> None:
    assert [(read.report.seq, read.gap) for read in take(after(10), 3 * card(150))] == [(150, True)]


def test_a_host_without_memory_starts_at_zero() -> None:
    assert seqs(take(NativeDecoder(), card(0) + card(1))) == [0, 1]
    assert take(NativeDecoder(), 2 * card(57)) == []
    assert [(read.report.seq, read.gap) for read in take(NativeDecoder(), 3 * card(57) + card(58))] == [
        (57, True),
        (58, False),
    ]


def test_a_new_session_is_followed_from_zero() -> None:
    decoder = after(4)
    assert [read.report for read in take(decoder, card(0, session=7) + card(1, session=7))] == [
        ReportNo(7, 0),
        ReportNo(7, 1),
    ]
    assert [(read.report, read.gap) for read in take(decoder, 3 * card(3, session=8))] == [(ReportNo(8, 3), True)]


def test_hello_and_beat_are_passed_on_and_hello_is_greeted() -> None:
    decoder = after(4)
    hello, beat = Hello(7, 1, (1, 0), "SB1", 1), Beat(7, 1, 2, 3, 4)
    assert list(decoder.feed(framing.encode(pack(hello)) + framing.encode(pack(beat)))) == [hello, beat]
    assert ack(decoder.greet(hello)) == [(1, 7, 0)]


def test_resume_says_what_is_durable() -> None:
    assert NativeDecoder().resume(None) == b""
    assert ack(NativeDecoder().resume(ReportNo(S, 9))) == [(2, S, 9)]


def test_our_own_commands_echoed_are_nothing() -> None:
    assert list(after(4).feed(framing.encode(pack(Ack(4, 2, S))))) == []
