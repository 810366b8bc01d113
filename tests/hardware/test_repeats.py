"""What a code is that a reader sees again: of the same card, of another one, or of either."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardware.readers import READERS, ReaderSettings, grow, rdm6300
from hardware.readers.grow import GrowDecoder
from hardware.readers.line import LineDecoder
from hardware.readers.messages import Read
from hardware.readers.protocol import Decoder, Sightings
from hardware.readers.rdm6300 import Rdm6300Decoder
from hardware.readers.ssi import DECODED, ENGINE, Packet, SsiDecoder
from hardware.readers.ssi import encode as packed
from tests.kit.rows import each_row


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


SEEN = [
    ("one card", 0.5, 2.0, 1, "a", "new"),
    ("within hold", 0.5, 2.0, 1, "a .4a .4a", "new same same"),
    ("behind hold", 0.5, 2.0, 1, "a .5a", "new again"),
    ("each sighting begins anew", 0.5, 2.0, 1, "a 1.9a 1.9a 1.9a", "new again again again"),
    ("behind repeats", 0.5, 2.0, 1, "a 2a", "new new"),
    ("another card in between", 0.5, 2.0, 1, "a 1b .1a", "new new new"),
    ("told once", 0.5, 0.0, 1, "a .6a", "new new"),
    ("repeats within hold is none", 1.0, 0.5, 1, "a .9a 1.1a", "new same new"),
    ("no hold", 0.0, 2.0, 1, "a .1a", "new again"),
    ("a tag that flickers", 0.5, 2.0, 8, "a 1.9a 1.9a", "new same same"),
    ("a tag behind another one", 0.5, 2.0, 8, "a .1b .1a .6b 1a", "new new same new new"),
]


@each_row(("hold", "repeats", "keeps", "codes", "said"), [row[1:] for row in SEEN], ids=[row[0] for row in SEEN])
def test_what_a_code_is(hold: float, repeats: float, keeps: int, codes: str, said: str) -> None:
    clock = Clock()
    sightings, found = Sightings(hold, clock, keeps, repeats), []
    for word in codes.split():
        clock.now += float(word[:-1] or 0)
        found.append(sightings.seen(word[-1]))
    assert found == said.split()


def engine(code: str) -> bytes:
    return packed(Packet(DECODED, ENGINE, 0, b"\x01" + code.encode()))


WIRES: list[tuple[Callable[[ReaderSettings, Clock], Decoder], Callable[[str], bytes]]] = [
    (LineDecoder, lambda code: code.encode() + b"\n"),
    (lambda given, clock: GrowDecoder(given, clock), lambda code: code.encode() + grow.TAIL),
    (SsiDecoder, engine),
]


@pytest.mark.parametrize(("make", "wire"), WIRES, ids=["line", "grow", "ssi"])
def test_a_code_seen_again_is_marked(
    make: Callable[[ReaderSettings, Clock], Decoder], wire: Callable[[str], bytes]
) -> None:
    clock = Clock()
    decoder = make(ReaderSettings(repeats=2.0), clock)
    list(decoder.feed(b""))
    marks: list[bool] = []
    for code in ("1234", "1234", "5678", "1234"):
        marks += [each.again for each in decoder.feed(wire(code)) if isinstance(each, Read)]
        clock.now += 1.0
    assert marks == [False, True, False, False]
    decoder.set(ReaderSettings())
    assert [each.again for each in decoder.feed(wire("1234")) if isinstance(each, Read)] == [False]


def test_a_tag_at_the_edge_of_the_field_is_one_card() -> None:
    clock = Clock()
    decoder = Rdm6300Decoder(ReaderSettings(repeats=READERS["rdm6300"].repeats), clock)
    read = []
    for _ in range(5):
        read += list(decoder.feed(rdm6300.encode("0102030405")))
        clock.now += 1.5
    assert read == [Read("0102030405")]


def test_each_protocol_repeats_as_its_device_does_when_it_is_new() -> None:
    assert {name: each.repeats for name, each in READERS.items()} == {
        "native": 0.0,
        "line": 0.0,
        "grow": 2.0,
        "ssi": 0.0,
        "rdm6300": 2.0,
        "angel-eye": 0.0,
    }


def test_the_commands_for_a_grow_module_are_those_of_its_manual() -> None:
    assert grow.ONCE.endswith("7E 00 08 01 00 00 D7 AB CD 7E 00 09 01 00 00 00 DE C8")
