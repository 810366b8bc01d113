"""Cards counted: burned, removed, overdrawn, carried, and the last one of a shoe."""

from __future__ import annotations

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.lamps import lamps
from tests.kit.table import Table

NATURAL = "9s Kd Th Kc"

PLAIN = {"burn": "none"}
NEXT = {"burn": "none", "close": "next"}
SIX = {"burn": "none", "close": "next", "procedure": "six-card"}


def test_burned_and_removed_cards_are_counted_as_they_should() -> None:
    over = Table(**NEXT).play(f"shoe {NATURAL} 8h !resolve overdrawn burn next")
    assert (over.seen, cards_left(over.shoe)) == ("9s Kd Th Kc 8h", 411)
    tile = Table(**PLAIN).play("shoe 9s 1p !resolve foreign remove")
    assert (tile.seen, cards_left(tile.shoe)) == ("9s", 415)
    void = Table(**PLAIN).play("shoe 9s ?? Kd !void misdeal")
    assert (void.seen, cards_left(void.shoe)) == ("9s Kd", 413)


def test_a_voided_foreign_card_leaves_the_count_even_if_it_was_held_for_another_reason() -> None:
    table = Table(**PLAIN).play("shoe 9s ?? 1p !void misdeal")
    assert table.seen == "9s"


def test_overdrawn_cards_open_the_round_after_the_reserves() -> None:
    table = Table(**SIX).play(f"shoe {NATURAL} 8h 2c 7d next")
    assert [lamp for lamp, rhythm in lamps(table.shoe).lit.items() if rhythm == "confirm"] == ["R1", "P1", "R2", "B1"]
    table.play("Kd Qh Jh next")
    assert table.dealt() == "P1 8h, B1 2c, P2 7d, B2 Kd, P3 Qh, B3 Jh"
    assert [each["from"] for each in table.rounds[-1]["cards"]] == ["carried"] * 3 + ["reader"] * 3


@pytest.mark.parametrize(("steps", "carried"), [("next", 2), ("cut next", 2), ("cut next Qs Jd Jh Qd next", 0)])
def test_the_last_round_carries_nothing(steps: str, carried: int) -> None:
    """What it leaves is discarded with the shoe, and named."""
    table = Table(**SIX).play(f"shoe {NATURAL} 2d 9h {steps}")
    assert (table.rounds[-1]["carried"], table.phase == "ended") == (carried, not carried)
    named = [each.card.value for each in table.events if isinstance(each, e.CardRevealed) and each.round is None]
    assert named == ["Jh", "Qd"][: 2 if not carried else 0]
    assert table.shoe.aside == ()


def test_the_last_card_of_the_shoe_ends_it_with_the_round() -> None:
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A23456789TJQK"))
    table.play("Ac2c3c4c5c6c7c8c9c", "Tc Jc Qc Kc")
    assert table.phase == "ended"  # 0-0: both sides have to draw, and no card is left
    assert table.summary == "1 voided last"
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A2345678TJQK"))
    table.play("AcJc3c4c5c6c7c8c 2c Tc Qc Kc", "9s9h9d9c")
    assert table.summary == "1 closed tie last"


def test_a_held_last_card_is_dealt_before_the_shoe_is_called_empty() -> None:
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A2345678TJQK"))
    table.play("AcJc3c4c5c6c7c8c 2c Tc Qc Kc", "9s ?? 9d 9c", "!enter 9h")
    assert table.summary == "1 closed tie last"
