"""The hole card at a table whose daemon runs: nothing that the process emits names it before it is turned."""

from __future__ import annotations

from typing import Any

import pytest

from tests.daemon import ears as heard
from tests.daemon.ears import UNIQUE, Ears, keeps_still, secrets, tells
from tests.kit import broker as real
from tests.kit.command import piped
from tests.kit.wire import without_signatures

broker, brokers, ears = real.broker, real.brokers, heard.ears  # fixtures

DEALT = f"8s Td 6c 8d 9s {UNIQUE}"
"""S1 has a pair of eights, S2 nineteen, the dealer a six and the secret."""

COMMANDS = [
    ("status",),
    ("status", "--json"),
    ("journal", "list"),
    ("journal", "show"),
    ("journal", "show", "--json"),
    ("journal", "verify"),
    ("journal", "export", "1"),
    ("do", "next", "--by", "ann"),
    ("do", "mark", "2", "S", "--by", "ann"),
]


def begun(make: Any, wrong: str = "-:-", **settings: Any) -> Ears:
    """A table whose bets are closed, and whose deal is done."""
    table: Ears = make(wrong, game="blackjack", **settings)
    assert table.table.ask(do="open_shoe", by="floor")["ok"]
    assert table.table.ask(do="bets_closed", bets={"1": "100", "2": "20"}, by="floor")["ok"]
    table.table.deal(DEALT)
    return table


def mark(table: Ears, word: str, seat: int) -> None:
    assert table.table.ask(do="mark", word=word, seat=seat, by="floor")["ok"]


def test_it_is_nowhere_until_the_seats_have_played(ears: Any) -> None:
    table = begun(ears)
    keeps_still(table)
    mark(table, "SP", 1)
    table.table.deal("3s")
    mark(table, "DD", 1)
    table.table.deal("5h 4h")
    keeps_still(table)
    mark(table, "S", 1)
    keeps_still(table)
    mark(table, "S", 2)
    tells(table)


def test_a_house_that_seals_keeps_it_until_the_second_press(ears: Any) -> None:
    table = begun(ears, disclose="sealed")
    assert table.table.ask(do="reveal", by="Dora")["ok"]
    mark(table, "S", 1)
    mark(table, "S", 2)
    keeps_still(table)
    assert table.table.ask(do="reveal", by="Dora")["ok"]
    tells(table)


def test_no_refusal_and_no_kill_names_it(ears: Any) -> None:
    table = begun(ears)
    assert not table.table.ask(do="mark", word="S", seat=2, by="floor")["ok"]
    table.table.deal("2c")
    assert "drawn_before_mark" in table.heard()
    table.restart()
    keeps_still(table)
    mark(table, "H", 1)
    assert UNIQUE not in table.heard()


def test_no_command_of_the_command_line_names_it(ears: Any) -> None:
    table = begun(ears)
    nonces = secrets(table.table)
    assert nonces
    for words in COMMANDS:
        ran = piped("", *words, "--config", table.table.config_path)
        said = without_signatures(ran.out + ran.err)
        assert not [secret for secret in (UNIQUE, *nonces) if secret in said], words
    keeps_still(table)


@pytest.mark.parametrize("how", ["void", "correct"])
def test_a_round_that_is_voided_never_names_it(ears: Any, how: str) -> None:
    table = begun(ears)
    if how == "correct":
        words = {"round": 1, "cards": ["8s", "Td", "6c"], "why": "?"}
        assert not table.table.ask(do="correct", by="floor", **words)["ok"]
    assert table.table.ask(do="void", why="misdeal", by="floor")["ok"]
    assert "RoundVoided" in table.heard()
    keeps_still(table)


def test_a_fault_of_our_own_does_not_spell_it(ears: Any) -> None:
    table = begun(ears, f"{UNIQUE}:once")
    assert "internal_error" in table.heard()
    keeps_still(table)
