"""What is lit in each situation, with which rhythm and why."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.topics.lamps import lamps, signals
from tests.kit.rows import each_row
from tests.kit.table import BACK, LOST, RESTART, Step, Table

NATURAL = "9s Kd Th Kc"
PLAIN = {"burn": "none"}
NEXT = PLAIN | {"close": "next"}
SIX = NEXT | {"procedure": "six-card"}
BETS = PLAIN | {"betting": "required"}
JAM = inputs.CardUnread(at=0, reason="jam", nonce="a" * 32)

# settings; steps; lamps as `lamp rhythm`; a part of the reason
LIT: list[tuple[dict[str, Any], list[Step], str, str]] = [
    ({}, [], "", "no shoe is open"),
    ({}, ["shoe"], "ready confirm", "burn: expose the first card"),
    ({}, ["shoe 3c 4c"], "ready confirm", "burn: 2 more"),
    ({}, ["shoe Ac 4c"], "P1 steady, ready steady", "P1 due"),
    (PLAIN, ["shoe 9s"], "B1 steady", "B1 due"),
    (PLAIN, ["shoe 2s 2d 3h Ac"], "P3 steady", "P3 due: player 5"),
    (PLAIN, ["shoe 2s 3d 4h 2c"], "B3 steady", "B3 due: banker 5, player stood"),
    (PLAIN, ["shoe 2s 2d 3h 2c 7s"], "B3 steady", "B3 due: banker 4, player's third 7"),
    (NEXT, [f"shoe {NATURAL}"], "ready confirm", "round 1 is complete: press NEXT"),
    (PLAIN, ["shoe 9s cut"], "ready double, B1 steady", "last round"),
    (PLAIN, ["shoe 9s cut Kd Th Kc"], "", "the shoe is over: change it"),
    (BETS, ["shoe"], "", "round 1: betting is open"),
    (SIX, [f"shoe {NATURAL}"], "R1 steady", "R1 due"),
    (SIX, [f"shoe {NATURAL} 8h"], "R2 steady", "R2 due"),
    (SIX, [f"shoe {NATURAL} 8h 2c"], "ready confirm", "round 1 is complete: press NEXT"),
    (SIX, ["shoe 2s 2d 3h Ac 9s 4d"], "ready confirm, R1 confirm, P3 confirm, R2 confirm, B3 confirm", "move R2 to B3"),
    (SIX, ["shoe 2s 3d 4h 2c 5s 3s"], "ready confirm, R1 confirm, B3 confirm", "move R1 to B3"),
    (
        SIX,
        [f"shoe {NATURAL} 8h 2c next"],
        "P2 steady, ready steady, R1 confirm, P1 confirm, R2 confirm, B1 confirm",
        "move R2 to B1",
    ),
    (SIX, ["shoe 2s 3d 3h 4c 5s 3s next"], "B1 steady, ready steady, R2 confirm, P1 confirm", "move R2 to P1"),
    (
        SIX | BETS,
        [f"shoe bets-closed {NATURAL} 8h 2c next"],
        "R1 confirm, P1 confirm, R2 confirm, B1 confirm",
        "round 2: betting is open",
    ),
    (SIX, [f"shoe {NATURAL} 8h 2c next 4d"], "B2 steady", "B2 due"),
    # trouble
    (PLAIN, ["shoe 9s ??"], "fault blocked", "unreadable"),
    (PLAIN, ["shoe 9s", LOST], "fault blocked", "reader_lost"),
    (PLAIN, ["shoe 9s", LOST, BACK], "fault confirm", "reader_back"),
    (PLAIN, ["shoe 9s", LOST, BACK, JAM], "fault blocked", "jam"),
    (PLAIN, ["shoe 9s", RESTART], "fault confirm, B1 steady", "restarted_mid_round"),
    (PLAIN, ["shoe 9s next"], "fault steady, B1 steady", "missing_third"),
    (NEXT, [f"shoe {NATURAL} 8h"], "fault steady, ready confirm", "overdrawn"),
    (NEXT, [f"shoe {NATURAL} 8h next"], "fault steady, B1 steady, ready steady", "B1 due"),
]


@each_row(("settings", "steps", "lit", "why"), LIT)
def test_lit(settings: dict[str, Any], steps: list[Step], lit: str, why: str) -> None:
    shown = lamps(Table(**settings).play(*steps).shoe)
    assert ", ".join(f"{lamp} {rhythm}" for lamp, rhythm in shown.lit.items()) == lit
    assert any(why in each for each in shown.why), shown.why
    assert len(shown.reasons) == len(shown.why)


def test_lamps_are_the_same_after_a_restart_between_rounds() -> None:
    table = Table(**SIX).play(f"shoe {NATURAL} 8h 2c next")
    before = lamps(table.shoe)
    assert lamps(table.play(RESTART).shoe) == before


def test_nothing_hints_at_a_reserve() -> None:
    """Whatever R1 and R2 are, the lamps of a round that does not use them are the same."""
    shown = {
        repr(lamps(Table(**SIX).play(f"shoe {NATURAL} {reserves} {then}").shoe))
        for reserves in ("8h 2c", "Qd Qh", "As 9d")
        for then in ("", "next")
    }
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("settings", "steps", "driven"),
    [
        ({}, "", {"lock": "steady"}),
        ({"new_shoe": "auto"}, "", {}),
        ({}, "shoe", {}),
        ({"burn": "none"}, "shoe 9s", {}),
        ({"burn": "none"}, "shoe 9s lid-open", {"buzzer": "beep", "lock": "steady"}),
        ({"burn": "none"}, "shoe ??", {"buzzer": "beep", "lock": "steady"}),
        ({"burn": "none", "betting": "required"}, "shoe", {"lock": "steady"}),
        ({"burn": "none", "betting": "required"}, "shoe bets-closed", {}),
        ({"burn": "none"}, "shoe 9s next", {}),
        ({"burn": "none"}, "shoe 9s Kd Th Kc !close_shoe", {"lock": "steady"}),
    ],
)
def test_the_buzzer_calls_the_floor_and_the_lock_keeps_cards_in(
    settings: dict[str, Any], steps: str, driven: dict[str, Any]
) -> None:
    assert signals(Table(**settings).play(*([steps] if steps else [])).shoe) == driven


# settings; steps; the last reason
REASONS: list[tuple[dict[str, Any], list[Step], Reason]] = [
    ({}, ["shoe 3c 4c"], Reason("burn", {"left": 2})),
    (PLAIN, ["shoe 9s"], Reason("slot_due", {"slot": "B1"})),
    (PLAIN, ["shoe 2s 2d 3h Ac"], Reason("hand_total", {"slot": "P3", "side": "player", "total": 5})),
    (PLAIN, ["shoe 2s 3d 4h 2c"], Reason("draws", {"slot": "B3", "side": "banker", "total": 5})),
    (PLAIN, ["shoe 2s 2d 3h 2c 7s"], Reason("draws", {"slot": "B3", "side": "banker", "total": 4, "third": 7})),
    (NEXT, [f"shoe {NATURAL}"], Reason("round_complete", {"round": 1, "close": "next"})),
    (SIX, ["shoe 2s 3d 4h 2c 5s 3s"], Reason("move", {"from": "R1", "to": "B3"})),
    (PLAIN, ["shoe 9s ??"], Reason("unreadable", {})),
]


@pytest.mark.parametrize(("settings", "steps", "reason"), REASONS)
def test_a_reason_is_an_id_and_values_beside_its_words(
    settings: dict[str, Any], steps: list[Step], reason: Reason
) -> None:
    assert lamps(Table(**settings).play(*steps).shoe).reasons[-1] == reason
