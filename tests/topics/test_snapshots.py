"""The retained topics: what a newcomer learns of the table."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.topics.state import mode, snapshots
from tests.kit.table import LOST, Step, Table

NATURAL = "9s Kd Th Kc"
NO_BROKER = inputs.DeviceLost(at=0, device="broker", why="gone")
SIX = {"burn": "none", "close": "next", "procedure": "six-card"}


def decoded(table: Table) -> dict[str, Any]:
    """The retained topics as their receivers decode them."""
    state: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(snapshots(table.shoe)))
    return state


def shown(*steps: Step, **settings: Any) -> dict[str, Any]:
    table: dict[str, Any] = decoded(Table(**settings).play(*steps))["table"]
    return table


def test_no_shoe() -> None:
    table = shown()
    assert (table["phase"], table["due"], table["cards_left"], table["shoe_change"]) == ("empty", None, None, None)


def test_burning() -> None:
    assert shown("shoe")["burn_left"] is None
    assert shown("shoe 3c 4c")["burn_left"] == 2
    assert shown("shoe 3c 4c")["slots"] == []


def test_dealing() -> None:
    table = shown("shoe 9s Kd", burn="none")
    assert (table["phase"], table["round"], table["due"], table["cards_left"]) == ("dealing", 1, "P2", 414)
    assert table["slots"] == [{"slot": "P1", "card": "9s"}, {"slot": "B1", "card": "Kd"}]


def test_a_sealed_reserve_has_a_slot_and_no_card() -> None:
    assert shown(f"shoe {NATURAL} 8h 2c", **SIX)["slots"][4:] == [{"slot": "R1"}, {"slot": "R2"}]
    assert shown(f"shoe {NATURAL} 8h 2c next", **SIX)["slots"] == [{"slot": "P1"}, {"slot": "B1"}]


def test_the_last_round_and_the_end() -> None:
    assert shown("shoe 9s cut", burn="none")["last"] is True
    table = shown("shoe 9s cut Kd Th Kc", burn="none")
    assert (table["phase"], table["last"], table["shoe_change"], table["cards_left"]) == ("ended", False, "due", None)


def test_held_cards_count_as_drawn() -> None:
    table = shown("shoe 9s ?? Kd", burn="none")
    assert (table["held"], table["cards_left"], table["open"]) == (2, 413, ["unreadable"])


def test_the_cut_card_is_no_card_of_the_packs() -> None:
    assert shown("shoe 9s ?? cut", burn="none")["cards_left"] == 414


def test_settings_change_with_the_next_shoe() -> None:
    table = Table(burn=2).play("shoe")
    table.house = msgspec.structs.replace(table.house, burn=5)
    table.play(msgspec.structs.replace(_started(table)))
    assert decoded(table)["table"]["settings"]["burn"] == 2
    table.play("!close_shoe")
    assert decoded(table)["table"]["settings"]["burn"] == 5


def _started(table: Table) -> Any:
    return table.lines[0].entry and table.lines[0].entry.input


def test_alarms_say_what_happened_and_for_people_what_to_do() -> None:
    alarm = decoded(Table(burn="none").play("shoe 9s", LOST))["alarm"]["open"]
    assert [(each["id"], each["severity"], each["blocks"], each["choices"]) for each in alarm] == [
        ("reader_lost", "critical", True, [])
    ]
    assert alarm[0]["values"] == {"why": "unplugged"}
    assert alarm[0]["text"].startswith("Reader lost (unplugged): Stop drawing. Check the reader's cable")
    assert alarm[0]["since"] == 4


def test_lamps_are_mirrored() -> None:
    state = decoded(Table(burn="none").play("shoe 9s"))["lamps"]
    reasons = [{"id": "slot_due", "values": {"slot": "B1"}}]
    assert state == {"lit": {"B1": "steady"}, "why": ["B1 due"], "reasons": reasons}


@pytest.mark.parametrize(
    ("steps", "observing", "named"),
    [
        (["shoe 9s"], False, "FULL"),
        (["shoe 9s", NO_BROKER], False, "NO_BROKER"),
        (["shoe 9s Kd Th Kc 2s", NO_BROKER], False, "VIRTUAL_CUT"),
        (["shoe", LOST, "!enter 9s", NO_BROKER], False, "MANUAL_ENTRY"),
        (["shoe", LOST, "!enter 9s"], True, "OBSERVE"),
    ],
)
def test_the_gravest_mode_counts(steps: list[Step], observing: bool, named: str) -> None:
    shoe = Table(burn="none", virtual_cut=412).play(*steps).shoe
    assert mode(shoe, observing) == named
    assert mode(shoe, observing, no_journal=True) == "NO_JOURNAL"
