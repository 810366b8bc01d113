"""The bytes of an Angel Eye shoe as captures have them, and what its numbers, copies and pauses tell."""

from typing import Any

import pytest

from hardware.readers import angel_eye_frames as angel_frames
from hardware.readers.angel_eye import COMPARE, DISPUTED, AngelEyeDecoder
from hardware.readers.angel_eye_frames import Frame
from hardware.readers.messages import CutCard, Notice, Read, Unread, Verdict
from tests.hardware.streams import taken

STARTS = Notice("the shoe starts", gap=True)
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
def test_angel_eye(wire: str, frame: Frame, message: Any) -> None:
    sent = bytes.fromhex(wire)
    assert angel_frames.decode(sent) == frame
    assert angel_frames.encode(frame) == sent
    assert taken(AngelEyeDecoder(), 3 * sent) == [message]


SAME = Notice("a card was reported again, the same")
DIFFERS = Notice(f"a card was reported again, and it differs: {COMPARE}", gap=True)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (Frame("1", "G", b"\xa3"), Verdict("tie", True, True)),
        (Frame("1", "G", b"\xf0"), Verdict("forced")),
        (Frame("1", "G", b"\x80"), Notice("a result that is none", gap=True)),
        (Frame("1", "D", b"\xa1\x91"), Read("Ad", slot="burn")),
        (Frame("1", "D", b"\xc1\xaa"), Read("Tc", slot="burn")),
        (Frame("1", "D", b"\xd1\x91"), Notice("the shoe counts the burn")),
        (Frame("1", "D", b"\x84\x91"), Unread("unreadable")),  # no fourth card of the player's
        (Frame("1", "D", b"\x81\x9e"), Unread("unreadable")),  # no rank 14
        (Frame("1", "D", b"\x81"), Notice("a report D of another length than known", gap=True)),
        (Frame("1", "d", b"\x90"), Unread("drawn while in error")),
        (Frame("1", "E", b"\xc5"), Unread("backwards")),
        (Frame("1", "E", b"\x82"), Notice("error 2: a card too many was drawn", overdrawn=True)),
        (Frame("1", "R", b"\x81\xb8"), DIFFERS),
        (Frame("1", "e"), Notice("an error was cancelled")),
        (Frame("1", "L", b"\x81"), Notice("locked")),
        (Frame("1", "M"), Notice("a preset value was changed")),
        (Frame("1", "P"), Notice("the shoe stands by")),
        (Frame("1", "Z"), Notice("a report Z that is not known")),
    ],
)
def test_angel_eye_reports(sent: Frame, expected: Any) -> None:
    assert taken(AngelEyeDecoder(), 3 * angel_frames.encode(sent)) == [expected]


def angel(*frames: Frame, copies: int = 3) -> bytes:
    return b"".join(copies * angel_frames.encode(frame) for frame in frames)


EIGHT, KING = b"\x81\xb8", b"\x91\xcd"
GAP = Notice("reports before this one were lost", gap=True)


@pytest.mark.parametrize(
    ("frames", "expected"),
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
def test_angel_eye_numbers(frames: list[Frame], expected: list[Read | Notice]) -> None:
    assert taken(AngelEyeDecoder(), angel(*frames)) == expected


def test_angel_eye_a_damaged_report_after_nine_may_have_been_the_zero() -> None:
    nine, one = angel(Frame("9", "D", EIGHT)), angel(Frame("1", "D", KING))
    card = angel(Frame("0", "D", EIGHT)).replace(b"\x03", b"\x02")
    noise = card.replace(b"D", b"d")
    assert taken(AngelEyeDecoder(), nine + noise + one) == [Read("8s", slot="P1"), GAP, Read("Kh", slot="B1")]
    unread = [Read("8s", slot="P1"), Unread("unreadable"), Read("Kh", slot="B1")]
    assert taken(AngelEyeDecoder(), nine + card + one) == unread


@pytest.mark.parametrize(
    "copies",
    [
        b"\x050D64\x050D\x81\x92464\x05\x0e+0D\x81\x92\x0364",
        b"D\x81\x9a\x036C\x050\x9a\x036C\x050D\x81\x9aC",
    ],
)
def test_angel_eye_the_first_card_of_a_stream_shows_by_what_is_left_of_its_copies(copies: bytes) -> None:
    decoder = AngelEyeDecoder()
    messages = taken(decoder, copies + angel(Frame("1", "D", b"\x91\xa7")))
    assert messages == [Unread("unreadable"), Read("7c", slot="B1")]


def test_angel_eye_is_believed_when_two_copies_agree() -> None:
    decoder = AngelEyeDecoder()
    right, wrong = (angel(Frame("1", "D", card), copies=1) for card in (EIGHT, b"\x81\xb9"))
    assert taken(decoder, wrong + right) == []
    assert taken(decoder, right) == [Unread("unreadable")]  # and the first said something else
    assert taken(decoder, right) == []


DIFFER = Notice(DISPUTED, gap=True)


@pytest.mark.parametrize(
    ("copies", "expected"),
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
def test_angel_eye_copies_that_differ_name_no_card(copies: str, expected: list[Read | Notice | Unread]) -> None:
    sent = {face: angel(Frame("1", "D", card), copies=1) for face, card in (("8", EIGHT), ("9", b"\x81\xb9"))}
    assert taken(AngelEyeDecoder(), b"".join(sent.get(copy, b"\5") for copy in copies)) == expected


A_PAUSE, AT_ONCE = 1.5, 0.3  # seconds


@pytest.fixture
def after_eight() -> tuple[AngelEyeDecoder, list[float]]:
    """A decoder that was told of a card by its three copies; and its clock."""
    now = [0.0]
    decoder = AngelEyeDecoder(clock=lambda: now[0])
    assert taken(decoder, angel(Frame("5", "D", EIGHT))) == [Read("8s", slot="P1")]
    return decoder, now


@pytest.mark.parametrize("is_reopened", [True, False])
@pytest.mark.parametrize(
    ("pause", "sent", "expected"),
    [
        (AT_ONCE, angel(Frame("5", "D", EIGHT)), []),  # the same triple, said once more
        (A_PAUSE, angel(Frame("5", "D", EIGHT)), [GAP, Read("8s", slot="P1")]),  # or ten reports later
        (A_PAUSE, angel(Frame("5", "D", EIGHT), copies=1), []),  # its third copy, after a busy moment
        (A_PAUSE, angel(Frame("6", "D", KING)), [Read("Kh", slot="B1")]),
        (A_PAUSE, angel(Frame("5", "D", EIGHT), copies=1) + angel(Frame("6", "D", KING)), [Read("Kh", slot="B1")]),
        (A_PAUSE, angel(Frame("5", "D", KING), copies=1), [DIFFER]),
        (A_PAUSE, angel(Frame("5", "D", KING)), [DIFFER, GAP, Read("Kh", slot="B1")]),
        (AT_ONCE, angel(Frame("5", "D", KING)), [DIFFER, GAP, Unread("unreadable")]),
    ],
)
def test_angel_eye_the_same_number_again(
    after_eight: tuple[AngelEyeDecoder, list[float]],
    is_reopened: bool,
    pause: float,
    sent: bytes,
    expected: list[Read | Notice | Unread],
) -> None:
    decoder, now = after_eight
    now[0] += pause
    if is_reopened:
        decoder.resume(None)
    assert taken(decoder, sent) == expected


@pytest.mark.parametrize(
    ("report", "again"),
    [
        (Frame("5", "S"), [GAP, STARTS]),
        (Frame("5", "G", b"\x91"), [GAP, Verdict("player", player_pair=True)]),
        (Frame("5", "E", b"\xc1"), [GAP, Unread("unreadable")]),
        (Frame("A", "D", EIGHT), [GAP, Read("8s", slot="P1")]),  # a number that is no digit
        (Frame("5", "P"), []),
        (Frame("5", "L", b"\x80"), []),
    ],
)
def test_angel_eye_a_report_said_again_after_a_pause_is_no_news_only_where_it_changes_nothing(
    report: Frame, again: list[Any]
) -> None:
    now = [0.0]
    decoder = AngelEyeDecoder(clock=lambda: now[0])
    assert len(taken(decoder, angel(report))) == 1
    now[0] += A_PAUSE
    assert taken(decoder, angel(report)) == again


ANNOUNCED = Notice("a card was announced: the next report shows whether it is one of its own")
OVER = [Frame("4", "G", b"\xc0"), Frame("5", "E", b"\xc2"), Frame("6", "e")]
NINE, TWO = b"\x81\xc9", b"\x91\xa2"


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([Frame("8", "D", TWO)], [Read("9h", slot="P1"), Read("2c", slot="B1")]),
        (
            [Frame("8", "D", NINE)],
            [Notice("a card was announced, and reported again, the same"), Read("9h", slot="P1")],
        ),
        (
            [Frame("8", "D", EIGHT)],
            [Notice(f"a card was announced, and it differs: {COMPARE}", gap=True), Read("8s", slot="P1")],
        ),
        ([Frame("8", "E", b"\xc1")], [Read("9h", slot="P1"), Unread("unreadable")]),
        ([Frame("8", "C")], [Read("9h", slot="P1"), CutCard()]),
        ([Frame("8", "G", b"\xf0")], [Read("9h", slot="P1"), Verdict("forced")]),
        ([Frame("8", "L", b"\x81")], [Notice("locked")]),
        (
            [Frame("8", "S")],
            [Notice(f"the shoe was started after a card was announced: {COMPARE}", gap=True), STARTS],
        ),
        (
            [Frame("8", "L", b"\x81"), Frame("9", "D", TWO)],
            [Notice("locked"), Read("9h", slot="P1"), Read("2c", slot="B1")],
        ),
    ],
)
def test_angel_eye_what_follows_an_announced_card_shows_what_it_is(frames: list[Frame], expected: list[Any]) -> None:
    decoder = AngelEyeDecoder()
    before = taken(decoder, angel(Frame("3", "D", KING), *OVER, Frame("7", "R", NINE)))
    assert before[1:] == [
        Verdict("banker"), Notice("error 2: a card too many was drawn", overdrawn=True),
        Notice("an error was cancelled"), ANNOUNCED,
    ]  # fmt: skip
    assert taken(decoder, angel(*frames)) == expected


def test_angel_eye_a_card_announced_in_a_round_is_the_next_one_if_another_follows() -> None:
    messages = taken(
        AngelEyeDecoder(), angel(Frame("1", "D", EIGHT), Frame("2", "R", KING), Frame("3", "D", b"\x82\xb9"))
    )
    assert messages == [Read("8s", slot="P1"), ANNOUNCED, Read("Kh", slot="B1"), Read("9s", slot="P2")]


DEALT = angel_frames.encode(Frame("5", "D", KING))
SPOILED: dict[str, list[bytes]] = {
    "the checksum of each": 3 * [DEALT[:-1] + b"0"],
    "the card of each": 3 * [DEALT[:4] + b"\xce" + DEALT[5:]],
    "the command of each": 3 * [DEALT[:2] + b"E" + DEALT[3:]],
    "all but one": [DEALT[:-1] + b"0", DEALT, DEALT[:-1] + b"0"],
    "each in another place": [DEALT[:-1] + b"0", DEALT[:4] + b"\xce" + DEALT[5:], DEALT[:3] + b"\x81" + DEALT[4:]],
    "one copy, the others lost": [DEALT[:-1] + b"0"],
}


@pytest.mark.parametrize("copies", SPOILED.values(), ids=SPOILED)
@pytest.mark.parametrize("pause", [0.02, 1.5])
def test_angel_eye_a_card_whose_copies_are_damaged_is_unread_once(copies: list[bytes], pause: float) -> None:
    now = [0.0]
    decoder = AngelEyeDecoder(clock=lambda: now[0])
    messages = taken(decoder, angel(Frame("4", "D", EIGHT)))
    now[0] += 2.0
    for copy in copies:
        messages += taken(decoder, copy)
        now[0] += 0.02
    now[0] += pause
    if pause > 1:
        assert decoder.waits_s == 0
        messages += taken(decoder, b"")
        assert messages[1:] == [Unread("unreadable")]
    messages += taken(decoder, angel(Frame("6", "D", b"\x82\xb9")))
    assert messages == [Read("8s", slot="P1"), Unread("unreadable"), Read("9s", slot="P2")]
    now[0] += 5.0
    assert taken(decoder, b"") == []


@pytest.mark.parametrize(
    "noise", [b"\x05DDD", b"\x05\x03\x03\x03", bytes(range(256)), 3 * b"\x055E\xc1\x0300", b"D\x81\xb8\x03"]
)
def test_angel_eye_bytes_without_a_card_are_no_card(noise: bytes) -> None:
    now = [0.0]
    decoder = AngelEyeDecoder(clock=lambda: now[0])
    assert taken(decoder, noise) == []
    now[0] += 5.0
    assert taken(decoder, b"") == []
