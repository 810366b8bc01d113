"""What docs/backend.md promises of gaps, of a restart and of forgetting is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.client import Rounds
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.orders import Resend
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.messages import messages

ROOT = Path(__file__).parents[2]
BOOK = (ROOT / "docs" / "backend.md").read_text("utf-8")
PROGRAM = next(each for each in re.findall(r"```python\n(.*?)```", BOOK, re.S) if "rounds.gaps()" in each)


@pytest.fixture
def sent() -> list[bytes]:
    """The round messages of two shoes, three rounds each."""
    three = "9sTdTsTc " * 3
    play = Replay(house_of(burn="none"), "T07", pytest.fail)
    lines = play.play(parse(f"shoe {three} !close_shoe !open_shoe {three}"))
    return [each.payload for line in lines for each in messages(line) if each.topic == "round"]


def journal(payload: bytes) -> str:
    return str(json.loads(payload)["journal"])


def orders(**names: Any) -> list[dict[str, Any]]:
    """What the program of the book sends."""
    exec(PROGRAM, names := {"boot": "b7", "forgotten": (), "stored": ()} | names)
    return [json.loads(each) for each in names["orders"]]


def test_after_a_restart_what_was_stored_tells_the_gaps(sent: list[bytes]) -> None:
    assert orders(stored=reversed(sent)) == []
    (gap,) = orders(stored=[*sent[:4], sent[5]])
    seqs = [json.loads(sent[n])["seq"] for n in (3, 4)]
    order = {"id": "b7-0", "do": "resend", "journal": journal(sent[4]), "from": seqs[0] + 1, "to": seqs[1]}
    assert gap == order


def test_a_forgotten_journal_is_not_asked_for(sent: list[bytes]) -> None:
    first, second = journal(sent[0]), journal(sent[3])
    assert first != second
    assert {each["journal"] for each in orders(stored=[sent[0], *sent[3:]])} == {first}
    assert orders(stored=sent[3:], forgotten=[first]) == []


def test_a_first_message_that_names_one_before_it_asks_for_history_until_there_is_none(sent: list[bytes]) -> None:
    rounds, backwards = Rounds(), sent[:0:-1]
    for payload in backwards:
        rounds.take(payload)
        before = json.loads(payload)["prev"]
        assert [(each.journal, each.to) for each in rounds.gaps()] == [(before["journal"], before["seq"])]
    rounds.take(sent[0])
    assert json.loads(sent[0])["prev"] is None
    assert rounds.gaps() == ()


def test_both_ends_of_a_gap_are_included(sent: list[bytes]) -> None:
    rounds = Rounds()
    rounds.take(sent[0])
    rounds.take(sent[2])
    assert rounds.gaps() == (
        Resend(journal=journal(sent[0]), start=json.loads(sent[0])["seq"] + 1, to=json.loads(sent[1])["seq"]),
    )
