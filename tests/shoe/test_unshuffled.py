"""Packs that nobody shuffled, found by the patterns of their cards."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events
from firmware_bridge.shoe.handlers.shuffle import patterns
from tests.kit.table import Table

NATURAL = "9s Kd Th Kc"
PLAIN: dict[str, Any] = {"burn": "none"}
NEXT = PLAIN | {"close": "next"}

# cards, the pattern its last card completes -> warning or alarm
PATTERNS = [
    ("As3s5s7s9sJsKs2s4s", ""),
    ("As3s5s7s9sJsKs2s4s6s", "same suit 10 warn"),
    ("As3s5s7s9sJsKs2s4s6s8s", "same suit 11 warn"),
    ("As3s5s7s9sJsKs2s4s6s8sTs", "same suit 12 alarm"),
    ("9s9h9d9c9s", ""),
    ("9s9h9d9c9d9h", "same rank 6 warn"),
    ("9s9h9d9c9d9h9c", "same rank 7 alarm"),
    ("Ts9hJdQcKd", ""),
    ("3s4h5d6c7d", ""),
    ("3s4h5d6c7d8h", "ascending 6 warn"),
    ("3s4h5d6c7d8h9c", "ascending 7 alarm"),
    ("9s8h7d6c5d4h", "descending 6 warn"),
    ("KsQhJdTc9d8h7c", "descending 7 alarm"),
    ("KsAh2d3c4d5h", ""),
    ("AsKd7c 2h AsKd7c", ""),
    ("AsKd7c2h 9d AsKd7c2h", "repeat 4 warn"),
    ("AsKd7c2hTs 9d AsKd7c2hTs", "repeat 5 alarm"),
]


@pytest.mark.parametrize(("text", "found"), PATTERNS)
def test_patterns_of_an_unshuffled_pack(text: str, found: str) -> None:
    ended = patterns(text.replace(" ", ""), 1)
    shown = [f"{each.name} {each.length} {'alarm' if each.is_alarm else 'warn'}" for each in ended]
    assert " ".join(shown) == found


SPADES = ["As Qs 8s 6s", "Ks Ts 9s 2s", "Js Ks 7s 4s 2s"]


def test_an_unshuffled_pack_raises_the_alarm_at_the_end_of_a_round() -> None:
    table = Table(**PLAIN).play("shoe", *SPADES[:2], "Js Ks 7s 4s")
    assert table.open == ()
    table.play("2s")
    assert (table.open, table.phase) == (("unshuffled",), "ready")
    table.play("8d !void misdeal")
    assert table.open == ("unshuffled",)
    table.play("!resolve unshuffled end-shoe")
    assert table.phase == "ended"


def test_an_unshuffled_pack_is_called_so_when_one_round_is_left() -> None:
    table = Table(**NEXT).play("shoe", *(each + " next" for each in SPADES[:2]), SPADES[2], "cut next")
    assert (table.open, table.phase) == (("unshuffled",), "ready")


@pytest.mark.parametrize("house", [{"burn": 12}, {"burn": "none", "disclose": "sealed"}])
def test_cards_take_no_part_while_they_are_sealed(house: dict[str, Any]) -> None:
    """Twelve burned spades, or eleven in a round that nobody has opened, are no pattern."""
    table = Table(**house).play("shoe As3s5s7s9sJsKs2s4s6s8sTs" if house["burn"] == 12 else "shoe", NATURAL)
    assert table.open == ()
    assert not [each for each in table.events if isinstance(each, events.Noted)]
