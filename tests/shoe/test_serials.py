"""Cards that have serials: the same card twice is found out, and no serial leaves the house."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import Serial
from firmware_bridge.journal.line import unseal, without_sealed
from firmware_bridge.shoe import fault
from tests.kit.table import Table
from tests.shoe import oracles

PLAIN: dict[str, Any] = {"burn": "none"}
REMOVE, KEEP, VOID = (f"!resolve duplicate {choice}" for choice in ("remove", "keep", "void"))


def dealt(steps: str, **settings: Any) -> Table:
    """Cards as `9s/tag` with a serial or `9s` without one, `!..` and other words as in a deal script."""
    table = Table(**settings).play("shoe")
    for words in steps.split(", "):
        if words[0] in "!?" or words in ("next", "bets-closed"):
            table.play(words)
            continue
        for word in words.split():
            face, _, serial = word.partition("/")
            table.take(table.card(face, serial=Serial(serial) if serial else None))
    return table


# settings, steps -> rounds, open irregularities, cards counted
SCENARIOS: list[tuple[str, dict[str, Any], str, str, str, str]] = [
    ("equal faces, other serials", PLAIN, "9s/a 9s/b Th/c Kc/d 9s/e", "1 closed tie", "", "9s 9s Th Kc 9s"),
    ("the same card", PLAIN, "9s/a Kd/b 9s/a", "", "duplicate", "9s Kd"),
    ("and what comes behind it is held", PLAIN, "9s/a Kd/b 9s/a Th/c", "", "duplicate", "9s Kd"),
    ("removed", PLAIN, f"9s/a Kd/b 9s/a Th/c, {REMOVE}, Kc/d", "1 closed player", "", "9s Kd Th Kc"),
    ("kept", PLAIN, f"9s/a Kd/b 9s/a, {KEEP}", "", "", "9s Kd 9s"),
    ("kept, and once more", PLAIN, f"9s/a Kd/b 9s/a, {KEEP}, 9s/a", "", "duplicate", "9s Kd 9s"),
    ("void: it was no card more", PLAIN, f"9s/a Kd/b 9s/a, {VOID}", "1 voided", "", "9s Kd"),
    ("in the round after a void", PLAIN, "9s/a Kd/b, !void misdeal, 9s/a", "1 voided", "duplicate", "9s Kd"),
    ("a burned card", {"burn": 1}, "9s/a Kd/b 9s/a", "", "duplicate", "9s Kd"),
    ("twice in the burn", {"burn": 3}, "9s/a 9s/a", "", "duplicate", "9s"),
    ("the exposed card", {}, "Ac/a 2s/b Ac/a", "", "duplicate", "Ac 2s"),
    ("an overdrawn card", PLAIN | {"close": "next"}, "9s/a Kd/b Th/c Kc/d 8h/e, next, 8h/e", "1 closed player", "duplicate overdrawn", "9s Kd Th Kc 8h"),
    ("two that were held", PLAIN, "9s/a, ??, 8h/e 8h/e, !enter Kd", "", "duplicate", "9s Kd 8h"),
    ("drawn too early, and again", PLAIN | {"betting": "required"}, "9s/a, bets-closed, 9s/a", "", "duplicate", "9s"),
    ("removed before, it may come", PLAIN, f"9s/a Kd/b 9s/a, {REMOVE}, Th/c", "", "", "9s Kd Th"),
    ("faces are counted beside serials", PLAIN | {"decks": 1}, "9s/a Kd/b 9s/c", "", "duplicate", "9s Kd"),
    ("without serials faces alone count", PLAIN, "9s 9s Th Kc 9s", "1 closed tie", "", "9s 9s Th Kc 9s"),
    ("the packs come again in the next shoe", PLAIN, "9s/a Kd/b Th/c Kc/d, !close_shoe, !open_shoe, 9s/a", "1 closed player", "", "9s"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "steps", "rounds", "opened", "seen"),
    [row[1:] for row in SCENARIOS],
    ids=[row[0] for row in SCENARIOS],
)
def test_the_same_card_comes_once(settings: dict[str, Any], steps: str, rounds: str, opened: str, seen: str) -> None:
    table = dealt(steps, **settings)
    assert (table.summary, " ".join(sorted(table.open)), table.seen) == (rounds, opened, seen)
    assert oracles.replayed(table.lines) == table.shoe


@pytest.mark.parametrize(
    ("settings", "steps", "named"),
    [
        (PLAIN, "9s/a Kd/b 9s/a", {"card": "9s"}),
        ({"burn": 2}, "9s/a 9s/a", {}),
    ],
)
def test_the_alarm_names_no_sealed_card(settings: dict[str, Any], steps: str, named: dict[str, str]) -> None:
    values = dealt(steps, **settings).shoe.device.irregular[0].values
    assert values == {**named, "why": phrase("drawn_before")}


SECRET = "E28011"


HELD = f"9s, ??, Kd/{SECRET}, !void misdeal"


@pytest.mark.parametrize("steps", [f"9s/{SECRET} Kd", HELD, f"9s/{SECRET} Kd 9s/{SECRET}"])
@pytest.mark.parametrize("settings", [PLAIN, {"burn": 2}, PLAIN | {"disclose": "sealed"}])
def test_no_serial_leaves_the_house(settings: dict[str, Any], steps: str) -> None:
    """Not in a message, a state topic, an export or what is printed; it is in the journal, and folds back."""
    table = dealt(f"{steps}, !void x, !close_shoe", **settings)
    assert not [text for text in table.shown if SECRET in text]
    assert not [line for line in table.lines if SECRET.encode() in without_sealed(line)]
    assert any(SECRET.encode() in line.data for line in table.lines)
    assert all(unseal(line.data).entry == line.entry for line in table.lines)


def test_a_card_we_failed_to_judge_keeps_its_serial() -> None:
    table = Table(**PLAIN).play("shoe")
    read = table.card("9s", serial=Serial("a"), slot="P1")
    table.carry(read, fault(table.shoe, read, ValueError()))
    assert (table.shoe.held[0].serial, table.shoe.held[0].slot) == (Serial("a"), "P1")


def test_a_journal_without_serials_is_read_as_before() -> None:
    """Nothing of them is written where there are none, so entries from before they were known look the same."""
    table = Table(**PLAIN).play("shoe 9s ?? Kd !enter 2c Th Kc")
    assert not any(b"serial" in line.data for line in table.lines)
    assert oracles.replayed(table.lines) == table.shoe
