"""Each card of a shoe is in one place: in the shoe, burned, in one round, waiting, or set aside; corrections too."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from firmware_bridge.daemon.table.live_odds import before_round
from firmware_bridge.facts import events as e
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.house import size_of, usual
from firmware_bridge.shoe import state
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.state import snapshots
from tests.kit.nightly import share
from tests.kit.table import Table, faces

PLAIN: dict[str, Any] = {"burn": "none"}
SIX = {"procedure": "six-card", "close": "next", "betting": "required"}
NATURAL = "9s Kd Th Kc"


def correct(table: Table, number: int, text: str, missed: int = 0) -> orders.Answer:
    words = tuple(text.split()) if ":" in text else faces(text)
    table.take(table.order(orders.Correct(number, words, "camera", missed=missed)))
    return table.answer


def places(table: Table) -> int:
    """The cards of the packs wherever they are now, each counted in one place."""
    shoe = table.shoe
    rounds = [each for each in table.events if isinstance(each, e.RoundClosed | e.RoundCorrected | e.RoundVoided)]
    latest = {each.round: each for each in rounds if not isinstance(each, e.RoundVoided)}
    closed = {each.round: each for each in rounds if isinstance(each, e.RoundClosed)}
    left_out = sum(max(len(closed[number].cards) - len(each.cards), 0) for number, each in latest.items())
    of_voided = sum(_dealt_in_voided(table))
    aside = [each for each in table.events if isinstance(each, e.CardSetAside) and each.why in ("burned", "void")]
    burned = [each for each in table.events if isinstance(each, e.CardBurned)]
    overdrawn_burned = _overdrawn_burned(table)
    return (
        cards_left(shoe)
        + len(state.held_cards(shoe))
        + len(shoe.laid)
        + len(shoe.overdrawn)
        + sum(len(each.cards) for each in latest.values())
        + left_out
        + of_voided
        + len(aside)
        + len(burned)
        + overdrawn_burned
        + _discarded_at_the_end(table)
    )


def _dealt_in_voided(table: Table) -> list[int]:
    """How many cards lay in each voided round, those drawn too many in it included."""
    found, laid = [], 0
    for each in table.events:
        if isinstance(each, e.CardDealt | e.CardOverdrawn):
            laid += 1
        elif isinstance(each, e.RoundClosed):
            laid -= len(each.cards)
        elif isinstance(each, e.RoundVoided):
            found.append(laid)
            laid = 0
    return found


def _overdrawn_burned(table: Table) -> int:
    found, waiting = 0, 0
    for each in table.events:
        match each:
            case e.CardOverdrawn():
                waiting += 1
            case e.RoundClosed() | e.RoundVoided():
                waiting = 0
            case e.OverdrawnBurned():
                found, waiting = found + waiting, 0
    return found


def _discarded_at_the_end(table: Table) -> int:
    """Reserves that no round used, discarded with the shoe."""
    if table.shoe.status != "ended":
        return 0
    laid = 0
    for each in table.events:
        if isinstance(each, e.CardDealt | e.CardOverdrawn):
            laid += 1
        elif isinstance(each, e.RoundClosed):
            laid -= len(each.cards)
        elif isinstance(each, e.RoundVoided):
            laid = 0
    return laid


CARRIED = "shoe 2h As Ks bets-closed 3h 6c 2d Td 8s 4c next"
"""A round of six cards, of which the last one opens the next round."""


@pytest.mark.parametrize("later", ["", "bets-closed", "bets-closed Kd", "bets-closed Kd 9h 7d 2c 5c next"])
def test_a_correction_never_takes_the_card_that_opens_the_next_round(later: str) -> None:
    table = Table(**SIX).play(CARRIED, later)
    before = cards_left(table.shoe), table.summary, table.dealt(0)
    answer = correct(table, 1, "3h 6c 2d Td 7s 4c")
    assert (answer.ok, answer.error) == (False, "these are 6 cards, round 1 had 5")
    assert answer.hint == (
        "give the cards that were played; one of another round, or still in the shoe, is none of them; "
        "one that the reader missed: missed 1"
    )
    assert (cards_left(table.shoe), table.summary, table.dealt(0)) == before
    assert places(table) == size_of(table.shoe.house)


@pytest.mark.parametrize(
    ("house", "steps", "text", "had"),
    [
        (PLAIN, f"shoe {NATURAL} 2c", "2s 2h 3s 3h 9d", 4),
        (PLAIN | SIX | {"betting": "ignored"}, f"shoe {NATURAL} 2c 3c next", "2s 2h 3s 3h 2c", 4),
        (PLAIN | SIX | {"betting": "ignored"}, f"shoe {NATURAL} 4c 3c next", "2s 2h 3s 3h 4c 3c", 4),
    ],
)
def test_no_correction_has_more_cards_than_its_round(house: dict[str, Any], steps: str, text: str, had: int) -> None:
    table = Table(**house).play(steps)
    left = cards_left(table.shoe)
    assert correct(table, 1, text).error == f"these are {len(faces(text))} cards, round 1 had {had}"
    assert cards_left(table.shoe) == left


def test_blackjack_too() -> None:
    table = Table(game="blackjack", **usual("blackjack"), close="next").play(
        "shoe", "bets=1:100 Ts Tc Kd 9c 1:S next bets=1:100 5h"
    )
    left = cards_left(table.shoe)
    assert correct(table, 1, "Ts Tc Kd 6c 1:S 5h").error == "these are 5 cards, round 1 had 4"
    assert correct(table, 1, "Ts Tc Kd 8c 1:S").ok
    assert cards_left(table.shoe) == left
    assert places(table) == size_of(table.shoe.house)


def test_a_card_that_the_reader_missed_is_counted_when_the_pit_says_so() -> None:
    table = Table(**PLAIN).play(f"shoe {NATURAL}")
    assert cards_left(table.shoe) == 412
    assert correct(table, 1, "2s 2h 3s 3h 9d", missed=2).error == "2 missed: these are 5 cards, round 1 had 4"
    assert correct(table, 1, "9s Kd Th 9c", missed=1).error == "1 missed: these are 4 cards, round 1 had 4"
    assert correct(table, 1, "2s 2h 3s 3h 9d", missed=1).ok
    assert cards_left(table.shoe) == snapshots(table.shoe)["table"].cards_left == 411
    assert correct(table, 1, NATURAL).ok
    assert cards_left(table.shoe) == 412


def test_the_unused_reserves_are_not_named_and_the_refusal_says_so() -> None:
    table = Table(**SIX).play(CARRIED)
    answer = correct(table, 1, "3h 6c 2d Td 9s 4c")
    assert (answer.error, answer.hint) == (
        "4c is not possible in place 6",
        "the round ends before it: give only the cards that were played, not the unused ones of R1 and R2",
    )
    assert correct(table, 1, "3h 6c 2d Td 9s").ok


def test_what_a_correction_leaves_out_stays_out_of_the_shoe_and_of_the_next_round() -> None:
    """Both reserves were played; by the right cards one of them was not."""
    table = Table(**SIX).play("shoe 2h As Ks bets-closed 3h 6c 2d Td 7s 4c next")
    left = cards_left(table.shoe)
    assert correct(table, 1, "3h 6c 2d Td 8s").ok
    assert (cards_left(table.shoe), table.rounds[-1]["carried"], table.shoe.laid) == (left, 0, ())
    assert places(table) == size_of(table.shoe.house)


HOUSES = st.fixed_dictionaries(
    {
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "first-card", 2]),
        "policy": st.sampled_from(["keep-order", "us-burn", "macau", "studio"]),
        "decks": st.just(2),
    }
)
STEPS = st.lists(
    st.sampled_from(["card"] * 12 + ["correct"] * 3 + ["next", "close", "burn", "void", "keep"]), max_size=90
)


@given(HOUSES, st.integers(0, 2**32), STEPS)
@settings(max_examples=share(150))
def test_every_card_is_in_one_place_whatever_is_dealt_and_corrected(
    house: dict[str, Any], seed: int, steps: list[str]
) -> None:
    random = Random(seed)
    coming = [*FACES * 2]
    random.shuffle(coming)
    table, drawn = Table(**house).play("shoe"), 0
    missed: dict[int, int] = {}
    for step in steps:
        if table.shoe.status != "open" or not coming:
            break
        if step == "card":
            table.take(table.card(coming.pop()))
            drawn += 1
        elif step == "correct":
            _correct_some_round(table, random, missed)
        else:
            _act(table, step)
        assert cards_left(table.shoe) == size_of(table.shoe.house) - drawn - sum(missed.values())
        assert places(table) == size_of(table.shoe.house)
        assert snapshots(table.shoe)["table"].cards_left == cards_left(table.shoe)
        assert not Counter(before_round(table.shoe)) - Counter(table.shoe.seen)


def _act(table: Table, step: str) -> None:
    opened = table.open[0] if table.open else ""
    match step:
        case "next":
            table.play("next")
        case "close":
            table.play("bets-closed")
        case "void":
            table.play("!void misdeal")
        case _ if opened:
            table.play(f"!resolve {opened} {step}")


def _correct_some_round(table: Table, random: Random, missed: dict[int, int]) -> None:
    """Corrects a round to one of the same or another number of cards, sometimes of faces that came elsewhere."""
    closed = [each for each in table.shoe.rounds if each.outcome is not None]
    if not closed:
        return
    past = random.choice(closed)
    came = [each.card for each in past.cards]
    pool: list[Card] = [*came, *table.shoe.seen, *FACES]
    words = tuple(random.choice(pool).value for _ in came)
    words += tuple(random.choice(pool).value for _ in range(random.choice((0, 0, 1, 2))))
    more = random.choice((0, 0, 0, 1, 2))
    table.take(table.order(orders.Correct(past.round, words, "camera", missed=more)))
    if table.answer.ok:
        had = len(next(each for each in table.shoe.rounds if each.round == past.round).read)
        assert len(words) <= had + more
        missed[past.round] = max(len(words) - had, 0)


@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from(["card"] * 12 + ["correct"] * 3 + ["S", "next", "void"]), max_size=90),
)
@settings(max_examples=share(60))
def test_every_card_is_in_one_place_at_blackjack_too(seed: int, steps: list[str]) -> None:
    """One seat, which stands; cards drawn before it does are held."""
    random = Random(seed)
    coming = [*FACES * 6]
    random.shuffle(coming)
    table = Table(game="blackjack", **usual("blackjack") | {"decks": 6}, close="next", policy="macau").play("shoe")
    drawn = 0
    for step in steps:
        if step == "card":
            table.play("bets=1:100" if table.phase == "betting" else "")
            table.take(table.card(coming.pop()))
            drawn += 1
        elif step == "correct":
            _correct_a_stand(table, random)
        else:
            table.play({"S": "1:S", "next": "next", "void": "!void misdeal"}[step])
        for name in table.open:
            table.take(table.order(orders.Resolve(name, "keep")))
        assert cards_left(table.shoe) == size_of(table.shoe.house) - drawn
        assert places(table) == size_of(table.shoe.house)


def _correct_a_stand(table: Table, random: Random) -> None:
    """Corrects a round in which the seat stood to other faces, sometimes to one card more or fewer."""
    closed = [each for each in table.shoe.rounds if each.outcome is not None]
    if not closed:
        return
    past = random.choice(closed)
    cards = [random.choice(FACES).value for _ in range(max(len(past.cards) + random.choice((-1, 0, 0, 1)), 4))]
    table.take(table.order(orders.Correct(past.round, (*cards[:4], "1:S", *cards[4:]), "camera")))
