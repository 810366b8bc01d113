"""Readers that print a line per card."""

from typing import Any

import pytest

from hardware.errors import ReaderError
from hardware.readers import READERS, ReaderSettings
from hardware.readers.grow import GrowDecoder
from hardware.readers.line import LONGEST_LINE, LineDecoder
from hardware.readers.messages import Message, Read, ReportNo, Unread
from hardware.sim.code_boards import LineBoard


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def codes(decoder: GrowDecoder | LineDecoder, text: str) -> list[Message | str]:
    return [getattr(message, "code", message) for message in decoder.feed(text.encode())]


UNREAD = Unread("unreadable")


@pytest.mark.parametrize(
    ("settings", "text", "said"),
    [
        ({}, "A17\nB2\n", ["A17", "B2"]),
        ({}, "A17\r\n\r\n  \nB2\r\n", ["A17", "B2"]),
        ({}, "A17\nB", ["A17"]),
        ({"line_end": "\r"}, "A17\rB2\r", ["A17", "B2"]),
        ({"line_end": "\r\n"}, "A17\r\nB2\r\n", ["A17", "B2"]),
        ({"line_end": "\r\n"}, "A17\rB2\nC3\r\n", ["A17", "B2", "C3"]),  # bytes of an end were lost
        ({"line_end": "\x03"}, "\x02A17\x03\x02B2\x03", ["\x02A17", "\x02B2"]),
        ({"line_end": "||"}, "A17||B2|", ["A17"]),
        ({"pattern": r"^CARD=(\d+)"}, "CARD=12 q=9\nERROR\nCARD=13\n", ["12", UNREAD, "13"]),
        ({"pattern": r"^x(\d*)"}, "x\nx1\n", [UNREAD, "1"]),
    ],
)
def test_lines(settings: dict[str, Any], text: str, said: list[Unread | str]) -> None:
    assert codes(LineDecoder(ReaderSettings(**settings, hold=0)), text) == said
    one_at_a_time = LineDecoder(ReaderSettings(**settings, hold=0))
    assert [code for char in text for code in codes(one_at_a_time, char)] == said


@pytest.mark.parametrize(
    ("hold", "times", "reads"),
    [
        (0.5, [0, 0.1], 1),
        (0.5, [0, 0.6], 2),
        (0.5, [0, 0.4, 0.8, 1.2], 1),  # held before the lens all the while
        (0, [0, 0], 2),
    ],
)
def test_the_same_code_within_hold_is_the_same_card(hold: float, times: list[float], reads: int) -> None:
    clock = Clock()
    decoder = LineDecoder(ReaderSettings(hold=hold), clock)
    seen = []
    for clock.now in times:
        seen += codes(decoder, "A17\n")
    assert seen == reads * ["A17"]


def test_another_code_ends_the_hold() -> None:
    assert codes(LineDecoder(clock=Clock()), "A\nB\nA\n") == ["A", "B", "A"]


def test_a_line_without_end_is_bounded_and_unreadable() -> None:
    decoder = LineDecoder(clock=Clock())
    for _ in range(100):
        assert codes(decoder, "x" * 1000) == []
        assert len(decoder._begun) <= LONGEST_LINE + 1
    assert codes(decoder, "\nA\n") == [UNREAD, "A"]
    assert (decoder.good, decoder.bad) == (1, 1)


def test_a_line_begun_before_the_port_was_lost_is_dropped() -> None:
    decoder = LineDecoder()
    assert codes(decoder, "A1") == []
    assert decoder.resume(ReportNo(1, 1)) == b""
    assert codes(decoder, "") == []  # it was quiet
    assert codes(decoder, "B2\n") == ["B2"]


@pytest.mark.parametrize("make", [LineDecoder, GrowDecoder])
@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (["12\r\n113\r\n"], [UNREAD, "113"]),
        (["1", "2\r\n113\r\n"], [UNREAD, "113"]),
        (["\n112\r\n"], ["112"]),  # only the end of a line was left of it
        (["", "112\r\n", "113\r\n"], ["112", "113"]),  # the line was quiet before it
    ],
)
def test_a_first_line_is_believed_only_where_it_has_its_head(
    make: type[GrowDecoder], heard: list[str], said: list[Unread | str]
) -> None:
    decoder = make(ReaderSettings(hold=0))
    for _ in range(2):  # however often the port is opened
        decoder.resume(None)
        found = []
        for text in heard:
            found += codes(decoder, text)
        assert found == said
    assert decoder.bad == 0


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"pattern": "("}, "not a valid regular expression"),
        ({"pattern": r"\d+"}, "0 groups"),
        ({"line_end": ""}, "is empty"),
    ],
)
def test_settings_that_cannot_work_are_reported(settings: dict[str, Any], error: str) -> None:
    with pytest.raises(ReaderError, match=error):
        LineDecoder(ReaderSettings(**settings))


def test_the_simulated_reader_speaks_it() -> None:
    board = LineBoard()
    board.pull("A17")
    board.receive(b"ignored")
    assert list(READERS["line"].decoder(ReaderSettings()).feed(board.tick(0))) == [Read("A17")]
    assert board.tick(1) == b""


def test_readers_that_only_send_are_written_nothing() -> None:
    spoken_to = [name for name, protocol in READERS.items() if protocol.decoder(ReaderSettings()).resume(None)]
    assert spoken_to == ["ssi"]  # whose engine waits for a session to start
