"""A reader that judges the game: its slots and results beside ours."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events, inputs
from tests.kit.rows import each_row
from tests.kit.table import BACK, LOST, RESTART, Step, Table
from tests.shoe import oracles

PLAIN: dict[str, Any] = {"burn": "none"}
WAITS = PLAIN | {"close": "result"}
NATURAL = "9s Kd Th Kc"  # player, banker pair
STANDS = "3s Kd 4h 7c"  # player 7, banker 7: tie
DRAWS = "2s Kd 3h 5c"  # player 5, banker 5: P3 due


def judged(outcome: str, *pairs: str) -> inputs.ReaderJudged:
    return inputs.ReaderJudged(at=0, result=inputs.ReaderResult((outcome, *(f"{side} pair" for side in pairs))))


def said(what: str = "locked", gap: bool = False) -> inputs.ReaderSaid:
    return inputs.ReaderSaid(at=0, what=what, gap=gap)


RIGHT = judged("player", "banker")
GAP = inputs.CardUnread(at=0, reason="lamp_weak", nonce="a" * 32, gap=True)

# settings, steps -> rounds, phase, open irregularities
SCENARIOS: list[tuple[str, dict[str, Any], list[Step], str, str, str]] = [
    ("it waits for the result", WAITS, [f"shoe {NATURAL}"], "", "complete", ""),
    ("equal results close it", WAITS, [f"shoe {NATURAL}", RIGHT], "1 closed player", "ready", ""),
    ("a pair that we do not have holds it", WAITS, [f"shoe {NATURAL}", judged("player")], "", "complete", "result_mismatch"),
    ("another outcome holds it", WAITS, [f"shoe {NATURAL}", judged("banker", "banker"), "next"], "", "complete", "result_mismatch"),
    ("NEXT closes it when the result got lost", WAITS, [f"shoe {NATURAL} next"], "1 closed player", "ready", ""),
    ("its result then comes late, and agrees", WAITS, [f"shoe {NATURAL} next", RIGHT], "1 closed player", "ready", ""),
    ("or differs", WAITS, [f"shoe {NATURAL} next", judged("tie")], "1 closed player", "ready", "result_mismatch"),
    ("accepting ours closes it", WAITS, [f"shoe {NATURAL}", judged("tie"), "!resolve result_mismatch accept"], "1 closed player", "ready", ""),
    ("or void", WAITS, [f"shoe {NATURAL}", judged("tie"), "!resolve result_mismatch void"], "1 voided", "ready", ""),
    ("a result while a card is due", WAITS, [f"shoe {DRAWS}", judged("tie")], "", "dealing", "result_mismatch"),
    ("and its void", WAITS, [f"shoe {DRAWS}", judged("tie"), "!resolve result_mismatch void"], "1 voided", "ready", ""),
    ("or ours goes on", WAITS, [f"shoe {DRAWS}", judged("tie"), "!resolve result_mismatch accept 9s"], "", "complete", ""),
    ("the round ended by its button", WAITS, [f"shoe {DRAWS}", judged("forced")], "", "dealing", "result_mismatch"),
    ("a button at a complete round", WAITS, [f"shoe {NATURAL}", judged("forced")], "", "complete", "result_mismatch"),
    ("a tie without pairs", WAITS, [f"shoe {STANDS}", judged("tie")], "1 closed tie", "ready", ""),
    ("a result before any round", WAITS, ["shoe", judged("tie")], "", "ready", ""),
    ("a result with no shoe", WAITS, [judged("tie")], "", "empty", ""),
    ("a result in the burn", {"burn": 2}, ["shoe 9s", judged("tie")], "", "burning", "result_mismatch"),
    ("after a void", WAITS, [f"shoe {DRAWS} !void misdeal", judged("tie")], "1 voided", "ready", ""),
    ("of the last round", WAITS, ["shoe 9s cut Kd Th Kc", RIGHT], "1 closed player last", "ended", ""),
    ("and again", WAITS, ["shoe 9s cut Kd Th Kc", RIGHT, RIGHT], "1 closed player last", "ended", ""),
    ("closed by itself, equal", PLAIN, [f"shoe {NATURAL}", RIGHT], "1 closed player", "ready", ""),
    ("closed by itself, other", PLAIN, [f"shoe {NATURAL}", judged("player")], "1 closed player", "ready", "result_mismatch"),
    ("by NEXT only", PLAIN | {"close": "next"}, [f"shoe {NATURAL}", RIGHT], "", "complete", ""),
    ("blocked meanwhile: not closed", WAITS, [f"shoe {NATURAL} lid-open", RIGHT], "", "complete", "lid_opened"),
    ("but then", WAITS, [f"shoe {NATURAL} lid-open", RIGHT, "lid-close !resolve lid_opened continue"], "1 closed player", "ready", ""),
    ("or held then", WAITS, [f"shoe {NATURAL} lid-open", judged("tie"), "lid-close !resolve lid_opened continue"], "", "complete", "result_mismatch"),
    ("it waits behind an unread card", WAITS, ["shoe ?? Kd Th Kc", RIGHT, "2s !enter 9s 6d"], "1 closed player", "dealing", ""),
    ("two of them wait", WAITS, ["shoe ?? Kd Th Kc", RIGHT, NATURAL, RIGHT, "!enter 9s"], "1 closed player, 2 closed player", "ready", ""),
    ("the second differs", WAITS, ["shoe ?? Kd Th Kc", RIGHT, NATURAL, judged("tie"), "2s !enter 9s"], "1 closed player", "complete", "result_mismatch"),
    ("a void takes it along", WAITS, ["shoe ?? Kd Th Kc", judged("tie"), "!void misdeal", NATURAL, RIGHT], "1 voided, 2 closed player", "ready", ""),
    ("what comes after a mismatch waits", WAITS, [f"shoe {NATURAL}", judged("tie"), "2s", "!resolve result_mismatch accept 6d"], "1 closed player", "dealing", ""),
    ("a second mismatch is a second decision", WAITS, [f"shoe {NATURAL}", judged("tie"), NATURAL, judged("tie"), "!resolve result_mismatch accept"], "1 closed player", "complete", "result_mismatch"),
    ("closed by NEXT while the reader is away", WAITS, ["shoe 9s Kd Th", LOST, "!enter Kc next", BACK, "next", RIGHT], "1 closed player", "ready", ""),
    ("restarted while it waits", WAITS, [f"shoe {NATURAL}", RESTART, RIGHT], "1 closed player", "ready", ""),
    ("the reader was away then: NEXT, and NEXT", WAITS, [f"shoe {NATURAL}", RESTART, BACK, "next next"], "1 closed player", "ready", ""),
    ("the button between rounds", WAITS, [f"shoe {NATURAL}", RIGHT, judged("forced")], "1 closed player", "ready", ""),
    ("accepted in a shoe that is also open", WAITS, [f"shoe {NATURAL}", judged("tie"), "lid-open !resolve result_mismatch accept"], "", "complete", "lid_opened"),
    ("the dealer's key differs: accepted, the reader's result is still to come", WAITS, [f"shoe {NATURAL} tie !resolve result_mismatch accept"], "", "complete", ""),
    ("and it comes", WAITS, [f"shoe {NATURAL} tie !resolve result_mismatch accept", RIGHT], "1 closed player", "ready", ""),
    ("or it came while the floor thought", WAITS, [f"shoe {NATURAL} tie", RIGHT, "!resolve result_mismatch accept"], "1 closed player", "ready", ""),
    ("a void by order settles a result told too early", WAITS, [f"shoe {DRAWS}", judged("tie"), "!void misdeal"], "1 voided", "ready", ""),
    ("one about the round before stays", WAITS, [f"shoe {NATURAL} next", judged("tie"), "2s !void misdeal"], "1 closed player, 2 voided", "ready", "result_mismatch"),
    ("words", WAITS, [f"shoe {NATURAL}", said()], "", "complete", ""),
    ("a gap told with a card", WAITS, ["shoe 9s", GAP], "", "dealing", "reader_gap"),
    ("and confirmed", WAITS, ["shoe 9s", GAP, "next"], "", "dealing", ""),
    ("with no shoe open", WAITS, [inputs.CutCardSeen(at=0, by="reader", gap=True)], "", "empty", ""),
    ("words that mean a gap", WAITS, ["shoe 9s", said(gap=True)], "", "dealing", "reader_gap"),
    ("the dealer confirms", WAITS, ["shoe 9s", said(gap=True), "next"], "", "dealing", ""),
    ("with no shoe a gap is nothing", WAITS, [said(gap=True)], "", "empty", ""),
]  # fmt: skip


@each_row(
    ("settings", "steps", "rounds", "now", "open_"), [row[1:] for row in SCENARIOS], ids=[row[0] for row in SCENARIOS]
)
def test_what_a_reader_tells(settings: dict[str, Any], steps: list[Step], rounds: str, now: str, open_: str) -> None:
    table = Table(**settings).play(*steps)
    assert (table.summary, table.phase, " ".join(table.open)) == (rounds, now, open_)


@pytest.mark.parametrize(
    ("settings", "steps", "slot", "due"),
    [
        (PLAIN, "shoe", "P1", None),
        (PLAIN, "shoe", "burn", {"due": "P1"}),
        (PLAIN, "shoe 9s", "P2", {"due": "B1"}),
        ({"burn": 2}, "shoe", "burn", None),
        ({"burn": 2}, "shoe", "P1", {"due": "burn"}),
        ({"burn": 2}, "shoe 9s 8s", "P1", None),
        (WAITS, f"shoe {NATURAL}", "P1", None),
        (WAITS, f"shoe {NATURAL}", "B3", {}),
        (WAITS, f"shoe {NATURAL}", "burn", {}),
    ],
)
def test_the_slot_a_reader_names(settings: dict[str, Any], steps: str, slot: str, due: dict[str, str] | None) -> None:
    table = Table(**settings).play(steps)
    found = table.take(table.card("2d", slot=slot))
    opened = [each.values for each in found if isinstance(each, events.Irregular) and each.id == "wrong_slot"]
    assert opened == ([] if due is None else [{"slot": slot, **due}])


def test_what_differs_is_reported() -> None:
    table = Table(**WAITS).play(f"shoe {NATURAL}")
    (event,) = table.take(judged("tie", "player"))
    assert event.values == {"said": "tie, player pair", "cards": "player, banker pair"}


def test_a_result_of_sealed_cards_is_kept_secret_and_compared_when_they_are_open() -> None:
    """At such a table it is out before the cards are: it waits, and nothing that leaves the house tells it."""
    table = Table(**PLAIN, disclose="sealed").play(f"shoe {NATURAL}")
    assert table.take(judged("tie")) == (events.ResultHeld(result=inputs.ReaderResult(("tie",))),)
    assert not [text for text in map(bytes, table.lines[-1].public.events) if b"tie" in text]
    table.play("reveal reveal")
    assert (table.open, table.phase) == (("result_mismatch",), "complete")
    assert oracles.replayed(table.lines) == table.shoe


def test_a_result_reported_too_early_tells_nothing_of_sealed_cards() -> None:
    table = Table(**PLAIN, disclose="sealed").play("shoe 9s Kd")
    table.take(judged("tie"))
    assert table.shoe.device.irregular[0].values == {"due": "P2"}
