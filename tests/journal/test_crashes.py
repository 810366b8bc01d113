from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.inputs import AnyInput, CardRead, Ordered, Pressed, ReportNo, Started
from firmware_bridge.facts.orders import Correct, OpenShoe
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.cursor import ENOUGH, Crashes

INPUT = Pressed(at=1, key="next")


def test_the_same_input_again_and_again_is_too_much(tmp_path: Path) -> None:
    crashes = Crashes(tmp_path)
    assert not crashes.too_many()
    for _ in range(ENOUGH):
        assert not crashes.too_many()
        crashes.note(INPUT)
    assert crashes.too_many()


@pytest.mark.parametrize("rubbish", [b"\xff\xfe\x00", b"\x80" * 9_000, b"", b"0.1.0 \xe9\n"])
def test_rubbish_in_the_file_keeps_no_table_down(tmp_path: Path, rubbish: bytes) -> None:
    crashes = Crashes(tmp_path)
    crashes.path.write_bytes(rubbish + b"\n")
    assert not crashes.too_many()
    for _ in range(ENOUGH):
        crashes.note(INPUT)
    assert crashes.too_many()


STARTED = Started(at=1, version="0", house=house_of("blackjack"), nonce="a")
OPENED = Ordered(at=1, order=OpenShoe(), by="pit", nonce="a", id="7")


@pytest.mark.parametrize(
    ("one", "again", "other"),
    [
        (STARTED, {"at": 9, "mono": 9, "salt": "b", "nonce": "b"}, {"house": house_of("niuniu")}),
        (OPENED, {"at": 9, "nonce": "b"}, {"order": Correct(1, ("As",), "misread")}),
        (CardRead(at=1, card=Card("9s"), nonce="a", report=ReportNo(1, 2)), {"at": 9}, {"report": ReportNo(1, 3)}),
        (INPUT, {"at": 9}, {"key": "reveal"}),
    ],
    ids=["start", "order", "card", "key"],
)
def test_an_input_is_the_same_whenever_it_comes(
    tmp_path: Path, one: AnyInput, again: dict[str, Any], other: dict[str, Any]
) -> None:
    crashes = Crashes(tmp_path)
    for changed in (again, other, {}):
        assert not crashes.too_many()
        crashes.note(replace(one, **changed))
    assert not crashes.too_many()
    crashes.note(one)
    assert crashes.too_many()
