"""The tap on the reader's line: what it shows, and that no card can be read off it."""

import pytest

from firmware_bridge.daemon.devices.frames import KEPT, Tap
from hardware import framing
from hardware.readers import READERS, ReaderSettings
from hardware.readers.angel_eye_frames import Frame, card_bytes
from hardware.readers.angel_eye_frames import encode as angel
from hardware.readers.messages import Beat, Hello, Sample
from hardware.readers.native import Ack, Card, Fault, pack
from hardware.readers.protocol import MASKED


def tap(protocol: str = "native", secret: bool = True) -> Tap:
    return Tap(READERS[protocol].frames, lambda: secret)


def shown(listening: Tap, *chunks: bytes) -> list[str]:
    for chunk in chunks:
        listening.received(chunk)
    return [frame["hex"] for frame in listening.frames(0)]


def card(code: int = 0x2A, seq: int = 0) -> bytes:
    return framing.encode(pack(Card(seq, 0x1234, code, 200, 9, 9, 80, 0, 0, 5000)))


def test_a_card_in_secret_shows_type_and_number_alone() -> None:
    assert shown(tap(), card()) == [f"02 00 {MASKED}"]


@pytest.mark.parametrize("protocol", ["native", "angel-eye"])
def test_what_is_shown_in_secret_is_the_same_for_every_card(protocol: str) -> None:
    if protocol == "native":
        wires = [card(code) for code in range(64)]
    else:
        cards = [rank + suit for rank in "A23456789TJQK" for suit in "dcsh"]
        wires = [angel(Frame("1", "D", card_bytes(0, 1, each))) for each in cards]
    seen = {tuple(shown(tap(protocol), wire)) for wire in wires}
    split = {tuple(shown(tap(protocol), *(bytes((byte,)) for byte in wire))) for wire in wires}
    assert len(seen) == len(split) == 1


@pytest.mark.parametrize("protocol", ["line", "grow", "ssi", "rdm6300"])
def test_codes_in_secret_are_not_even_counted(protocol: str) -> None:
    assert shown(tap(protocol), b"SHOE-01-AS\r\n") == shown(tap(protocol), b"10\r\n") == [MASKED]


@pytest.mark.parametrize(
    ("packet", "text"),
    [
        (Beat(0x1234, 1000, 180, 20, 31), "04 00 12 34 00 00 03 e8 b4 14 1f"),
        (Fault(7, 0x1234, 1, 0, 2), "03 07 12 34 01 00 00 00 00 02"),
        (Sample(5, (100, 3900)), f"05 00 {MASKED}"),
    ],
)
def test_other_packets_in_secret(packet: Beat | Fault | Sample, text: str) -> None:
    assert shown(tap(), framing.encode(pack(packet))) == [text]


def test_what_is_damaged_may_be_a_card() -> None:
    broken = bytearray(card())
    broken[5] ^= 1
    assert shown(tap(), bytes(broken)) == [MASKED]
    known = tap(secret=False)
    shown(known, b"\0")
    assert shown(known, card(), bytes(broken))[1].endswith(" damaged")


def test_an_angel_eye_tells_no_result_in_secret() -> None:
    eye = tap("angel-eye")
    frames = shown(eye, angel(Frame("2", "G", b"\x91")), angel(Frame("3", "C")))
    assert frames == [f"05 32 47 {MASKED}", "05 33 43 03 37 33"]


def test_with_no_shoe_open_all_is_shown() -> None:
    known = tap(secret=False)
    assert shown(known, b"\0", card(0x2A))[0].startswith("02 00 12 34 00 2a c8")
    line = tap("line", secret=False)
    assert shown(line, b"\n", b"As\n")[1:] == ["41 73 0a"]


def test_a_frame_that_began_in_secret_stays_secret() -> None:
    secret = [True]
    changing = Tap(READERS["native"].frames, lambda: secret[0])
    whole = card()
    shown(changing, whole[:6])
    secret[0] = False
    assert shown(changing, whole[6:]) == [f"02 00 {MASKED}"]
    assert shown(changing, card(seq=1))[-1].startswith("02 01 12 34 00 2a")


def test_what_is_written_is_shown() -> None:
    listening = tap()
    shown(listening, framing.encode(pack(Hello(0x1234, 1, (1, 0), "0" * 8, 0))) + card())
    listening.sent(b"")
    listening.sent(framing.encode(pack(Ack(0, 2, 0x1234))))
    assert [(frame["way"], frame["hex"]) for frame in listening.frames(2)] == [("out", "81 00 02 12 34")]


def test_a_frame_begun_before_the_port_was_opened_does_not_go_on() -> None:
    listening = tap()
    shown(listening, card()[:6])
    listening.opened()
    assert shown(listening, card()) == [f"02 00 {MASKED}"]


def test_the_signal_of_card_and_light() -> None:
    listening = tap()
    for message in (
        READERS["native"].decoder(ReaderSettings()).feed(framing.encode(pack(Beat(0x1234, 1000, 180, 20, 31))) + card())
    ):
        listening.decoded(message)
    signal = listening.signal
    assert (signal["quality"], signal["transit_ms"], signal["agreed"], signal["taken"]) == (200, 80, 9, 9)
    assert (signal["lamp"], signal["ambient"], signal["temperature"]) == (180, 20, 31)


def test_only_the_last_frames_are_kept() -> None:
    listening = tap()
    shown(listening, *(framing.encode(pack(Beat(1, n, 1, 1, 1))) for n in range(KEPT + 10)))
    assert [frame["n"] for frame in listening.frames(0)] == list(range(11, KEPT + 11))
    assert [frame["n"] for frame in listening.frames(KEPT + 8)] == [KEPT + 9, KEPT + 10]
