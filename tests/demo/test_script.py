"""Deal scripts: every word, and what is said about one that is none."""

from __future__ import annotations

from contextlib import suppress

import hypothesis.strategies as st
import pytest
from hypothesis import given

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Cut, Drawn, Key, NewShoe, Pause, Say, Step, parse
from firmware_bridge.errors import ScriptError
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.games.house import house_of
from tests.kit.rows import each_row

WORDS: list[tuple[str, list[Step]]] = [
    ("shoe", [NewShoe()]),
    ("As", [Drawn(Card("As"))]),
    ("AsJc", [Drawn(Card("As")), Drawn(Card("Jc"))]),
    ("wp 9p", [Drawn(Card("wp")), Drawn(Card("9p"))]),
    ("??", [Drawn(None)]),
    ("cut", [Cut()]),
    ("next reveal", [Key("next"), Key("reveal")]),
    ("+2.5s", [Pause(2500)]),
    ("bets-open bets-closed", [Say(orders.BetsOpen()), Say(orders.BetsClosed())]),
    ("!void misdeal As", [Say(orders.Void("misdeal")), Drawn(Card("As"))]),
    ('!void "two words"', [Say(orders.Void("two words"))]),
    ("!resolve duplicate keep", [Say(orders.Resolve("duplicate", "keep"))]),
    ("!enter As", [Say(orders.Enter(Card("As"), "second"))]),
    ("!close-shoe !open_shoe !next", [Say(orders.CloseShoe()), Say(orders.OpenShoe()), Say(orders.Next())]),
    ("bets_open", [Say(orders.BetsOpen())]),
    ("K♠ 10h kc, Ks,5h", [Drawn(Card(face)) for face in ("Ks", "Th", "Kc", "Ks", "5h")]),
    ("!enter 10♠", [Say(orders.Enter(Card("Ts"), "second"))]),
    ("!correct 2 K♠10h,3:raise=6", [Say(orders.Correct(2, ("Ks", "Th", "3:raise=6"), "script"))]),
    ("# a comment\n\n As # another", [Drawn(Card("As"))]),
]


@each_row(("text", "steps"), WORDS, ids=[row[0] for row in WORDS])
def test_words(text: str, steps: list[Step]) -> None:
    assert parse(text) == steps


@each_row(
    ("text", "said"),
    [
        ("As\nTd sheo", "line 2: 'sheo' is not a word of a deal script; did you mean 'shoe'?"),
        ("0:S", "line 1: '0:S' is not a word of a deal script"),
        ("nxt", "line 1: 'nxt' is not a word of a deal script; did you mean 'next'?"),
        ("bets-close", "did you mean 'bets-closed'?"),
        ("1s", "line 1: '1s' is not a word of a deal script; write a card as rank and suit: As, Td"),
        ("sA", "write a card as rank and suit"),
        ("!viod x", "line 1: !viod is not an order; did you mean !void?"),
        ("!xyzzy", "one of: bets_closed, bets_open, close_shoe"),
        (
            "!correct 2 9sTdTsTc misread",
            "'misread' is not a word of a deal script; write !correct ROUND CARDS, without",
        ),
        ("!correct 2", "write !correct ROUND CARDS, without a reason, the cards as one word: !correct 2 9sTdTsTc"),
        ("!void", "line 1: !void needs more words after it; write !void REASON"),
        ("!resolve duplicate", "needs more words after it; write !resolve IRREGULARITY CHOICE"),
        ("!resolve duplicate kep", "'kep' is not one of burn, keep, remove"),
        ("!resolve duplicate removg", "did you mean remove?"),
        ("!resolve duplicate end-shke", "did you mean end-shoe?"),
        ("!enter xx", "write !enter CARD"),
        ("!correct x 9s", "!correct: 'x' is not a number; write !correct ROUND CARDS"),
        ("!correct 1 ü", "!correct: 'ü' is not a card; write !correct ROUND CARDS"),
        ("!correct 1 9s,ü", 'line 1: !correct: "cards" has an item'),
        ("!void \u202e", "line 1: !void: the reason contains"),
        ('!void "x', "line 1: No closing quotation; close the quotation mark"),
        ("+9999999s", "'+9999999s' is not a word"),
    ],
)
def test_mistakes_name_the_line_and_what_to_write(text: str, said: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse(text)
    assert said in str(caught.value)


ORDERS = ["!void x", "!close_shoe", "!next", "!enter 2c", "!resolve unreadable void", "!resolve duplicate keep", "!"]
WORD = ["shoe", "As", "9d", "Kc", "5h", "3p", "??", "cut", "next", "reveal", "bets-closed", "bets-open", "+1s", "#"]
PIECES = st.sampled_from([*WORD, *ORDERS, "\n"])


@given(st.text())
def test_any_text_is_a_script_or_a_mistake(text: str) -> None:
    with suppress(ScriptError):
        parse(text)


@given(st.lists(PIECES), st.sampled_from(["on-demand", "six-card"]), st.booleans())
def test_any_script_can_be_replayed(words: list[str], procedure: str, burn: bool) -> None:
    """Whatever it says, the same script gives the same bytes."""
    try:
        steps = parse(" ".join(words))
    except ScriptError:
        return
    house = house_of(procedure=procedure, decks=1)
    replayed = [[line.data for line in Replay(house, "T", lambda _: None, burn).play(steps)] for _ in range(2)]
    assert replayed[0] == replayed[1]


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("shoe next", []),
        ("9s Kd Th Kc next", ["next: nothing is open, ignored"]),
        ("9s shoe", ["shoe: round 1 is not finished, voided"]),
        ("9s !close_shoe", ["close_shoe: a round is open"]),
    ],
)
def test_replay_warns_of_what_makes_no_sense(text: str, warned: list[str]) -> None:
    warnings: list[str] = []
    list(Replay(House(), "T", warnings.append).play(parse(text)))
    assert warnings == warned


def test_without_a_leading_shoe_a_burned_one_is_open() -> None:
    replay = Replay(House(), "T", lambda _: None)
    list(replay.play(parse("9s Kd Th Kc")))
    assert (replay.shoe.number, len(replay.shoe.rounds)) == (1, 1)
    list(replay.play(parse("shoe 2c")))
    assert (replay.shoe.number, replay.shoe.burn_left) == (1, 2)


def test_time_passes_as_written() -> None:
    lines = list(Replay(House(), "T", lambda _: None).play(parse("9s +2.5s Kd")))
    assert [line.public.at for line in lines][-1] == "1970-01-01T00:00:02.500Z"
