"""Sensors in the slots, and sensors and keys that do not let go."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.topics.state import mode
from tests.kit.table import Step, Table

PLAIN: dict[str, Any] = {"burn": "none"}
NEXT = PLAIN | {"close": "next"}
SIX = NEXT | {"procedure": "six-card"}
NATURAL = "9s Kd Th Kc"


def filled(*slots: str) -> list[inputs.SlotFilled]:
    return [inputs.SlotFilled(at=0, slot=slot) for slot in slots]


def stuck(sensor: str, is_so: bool = True) -> inputs.SensorStuck:
    return inputs.SensorStuck(at=0, sensor=sensor, stuck=is_so)


THIRD = "slot: player card 3 · dealt to: player card 1, banker card 1, player card 2, banker card 2"

# settings, steps -> what is told of a wrong slot
LAID: list[tuple[str, dict[str, Any], list[Step], str | None]] = [
    ("where it was dealt", PLAIN, ["shoe 9s", *filled("P1")], None),
    ("elsewhere", PLAIN, ["shoe 9s", *filled("B1")], "slot: banker card 1 · dealt to: player card 1"),
    ("before any was dealt", PLAIN, ["shoe", *filled("P1")], "slot: player card 1"),
    ("all four", PLAIN, ["shoe 9s Kd 2h 3c", *filled("P1", "B1", "P2", "B2")], None),
    ("the last card of a round that closed by itself", PLAIN, [f"shoe {NATURAL}", *filled("B2")], None),
    ("a third that nobody drew", NEXT, [f"shoe {NATURAL}", *filled("P3")], THIRD),
    ("while cards wait", PLAIN, ["shoe ?? 9s", *filled("P1", "B1")], None),
    ("a card too many", NEXT, [f"shoe {NATURAL} 2s", *filled("P3")], None),
    ("reserves that became thirds", SIX, ["shoe 2s Kd 2h 5c 6c 4d", *filled("P3", "B3")], None),
    ("sealed reserves, the player draws", SIX | {"disclose": "sealed"}, ["shoe 2s Kd 2h 5c 6c 4d", *filled("P3", "B3")], None),
    ("sealed reserves, nobody draws", SIX | {"disclose": "sealed"}, [f"shoe {NATURAL} 6c 4d", *filled("P3", "B3")], None),
    ("and open: nobody drew", SIX | {"disclose": "sealed"}, [f"shoe {NATURAL} 6c 4d reveal reveal", *filled("P3")], THIRD + ", reserve 1, reserve 2"),
    ("in the burn", {"burn": 2}, ["shoe 9s", *filled("P1")], None),
    ("with no shoe", PLAIN, [*filled("P1")], None),
    ("after a void", PLAIN, ["shoe 9s Kd !void misdeal", *filled("B1")], None),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "steps", "text"), [row[1:] for row in LAID], ids=[row[0] for row in LAID])
def test_a_card_felt_in_a_slot(settings: dict[str, Any], steps: list[Step], text: str | None) -> None:
    assert Table(**settings).play(*steps).about("wrong_slot") == text


def test_the_floor_accepts_or_voids_a_card_in_the_wrong_slot() -> None:
    for choice, now in (("accept", "dealing"), ("void", "ready")):
        table = Table(**PLAIN).play("shoe 9s", *filled("B1"), f"!resolve wrong_slot {choice}")
        assert (table.phase, table.open) == (now, ())


@pytest.mark.parametrize(("sensor", "last"), [("cut_card", True), ("presence", True), ("next", False)])
def test_the_virtual_cut_stands_in_for_sensors_not_for_keys(sensor: str, last: bool) -> None:
    pack = " ".join(f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "shdc")
    table = Table(burn=39, decks=1).play("shoe", pack[: 39 * 3], stuck(sensor), "Kc")
    assert (table.shoe.last_round is not None) is last
    assert mode(table.shoe) == ("VIRTUAL_CUT" if last else "FULL")


def test_a_sensor_that_saw_dirt_ends_no_shoe_if_the_floor_says_so() -> None:
    """The dirt makes the round the last, stays, and the floor looks: the cut card, which is still to come, is counted."""
    pack = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "shdc"]
    table = Table(burn=36, decks=1).play("shoe", " ".join(pack[:37]), "cut", stuck("cut_card"))
    assert (sorted(table.open), table.shoe.last_round) == (["cut_card_missing", "sensor_stuck"], 1)
    table.play("!resolve cut_card_missing continue")
    assert (table.open, table.shoe.last_round) == (("sensor_stuck",), None)
    table.play(" ".join(pack[37:40]))
    assert ("cut_card_missing" in table.open, table.shoe.last_round) == (True, 1)


def test_a_sensor_that_saw_the_cut_card_is_not_doubted_where_it_lets_go() -> None:
    table = Table(**PLAIN).play("shoe 9s cut", stuck("presence"))
    assert (table.open, table.shoe.last_round) == (("sensor_stuck",), 1)
    assert "cut_card_missing" not in Table(**PLAIN).play("shoe 9s", stuck("cut_card")).open


def test_a_sealed_tables_sensor_is_doubted_once_its_cut_card_has_its_place() -> None:
    table = Table(**PLAIN, disclose="sealed").play("shoe 2s 2d 3h Ac cut", stuck("cut_card"))
    assert table.open == ("sensor_stuck",)
    assert "cut_card_missing" in table.play("reveal reveal").open


def test_one_alarm_names_all_that_are_stuck() -> None:
    table = Table(**PLAIN).play("shoe", stuck("next"), stuck("cut_card"), stuck("cut_card"))
    assert table.about("sensor_stuck") == "sensors: next, cut_card"
    assert mode(table.shoe) == "VIRTUAL_CUT"
    table.play(stuck("next", False), stuck("next", False))
    assert (table.about("sensor_stuck"), mode(table.shoe)) == ("sensors: cut_card", "VIRTUAL_CUT")
    assert table.play(stuck("cut_card", False)).open == ()


@pytest.mark.parametrize(("moved", "choice"), [("backwards", "keep"), ("", "accept")])
def test_what_the_floor_decides_about_a_movement_clears_no_card_that_is_wrong_too(moved: str, choice: str) -> None:
    table = Table(**PLAIN).play("shoe 9s")
    table.play(*([inputs.CardUnread(at=0, reason=moved, nonce="a" * 32)] if moved else filled("B2")))
    wrong = {"flags": (moved,)} if moved else {"slot": "P3"}
    table.take(table.card("Kd", **wrong))
    name = moved or "wrong_slot"
    assert table.play(f"!resolve {name} {choice}").open == (name,)
    assert table.play(f"!resolve {name} {choice}").open == ()
