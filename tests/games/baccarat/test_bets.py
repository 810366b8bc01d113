"""The bets of baccarat: what each pays, when they close, and what they may depend on."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat.bets import BETS, GROUPS, LOST, closed, results, tiers
from firmware_bridge.games.baccarat.conditions import Hand
from firmware_bridge.games.baccarat.deals import FOURS
from tests.games.baccarat.bet_tables import ANY_NATURAL, PAYS, SAME_RANK, Hands, hands, table
from tests.kit.baccarat import layout
from tests.kit.rows import each_row

VECTORS = Path(__file__).parents[2] / "vectors"
ROUNDS = [json.loads(line) for line in (VECTORS / "rounds.jsonl").read_text().splitlines()]


def dealt(hands: Hands) -> tuple[Card, ...]:
    """The cards of both hands in the order of the deal."""
    turns = zip_longest(hands["player"], hands["banker"])
    return tuple(card for turn in turns for card in turn if card)


@each_row(("bet", "pays", "hands"), table(PAYS))
def test_a_bet_pays(bet: str, pays: float, hands: Hands) -> None:
    assert results(hands)[bet] == pays


@each_row(("bet", "pays", "hands"), table(ANY_NATURAL))
def test_any_natural_pays(bet: str, pays: float, hands: Hands) -> None:
    assert results(hands, natural_bets="any-natural")[bet] == pays


@each_row(("bet", "pays", "hands"), table(SAME_RANK))
def test_four_of_a_rank_are_the_top_of_tiger_pair(bet: str, pays: float, hands: Hands) -> None:
    assert results(hands, tiger_pair_top="same-rank")[bet] == pays


@each_row("hands", [hands for _, _, hands in table(PAYS + ANY_NATURAL + SAME_RANK)])
def test_the_rounds_of_these_tables_are_dealt_by_the_rules(hands: Hands) -> None:
    result = layout(dealt(hands), "on-demand").result
    assert result
    assert result.hands == hands


def test_these_tables_have_every_tier_of_every_bet() -> None:
    for text, offered in (
        (PAYS, tiers("identical", "must-win")),
        (ANY_NATURAL, tiers("identical", "any-natural")),
        (SAME_RANK, tiers("same-rank", "must-win")),
    ):
        tried = {(bet, pays) for bet, pays, _ in table(text)}
        expected = {(bet, pays) for bet in {bet for bet, _ in tried} for pays in [*offered[bet], LOST]}
        assert tried == expected
    assert {bet for bet, _, _ in table(PAYS)} == set(BETS)


@each_row("row", ROUNDS, ids=range(len(ROUNDS)))
def test_rounds_worked_out_elsewhere(row: dict[str, Any]) -> None:
    paid = results(hands("".join(row["player"]), "".join(row["banker"])))
    assert paid == row["bets"]
    assert json.dumps(paid, sort_keys=True) == json.dumps(row["bets"], sort_keys=True)
    assert list(paid) == list(BETS)


def test_the_settings_change_only_their_own_bets() -> None:
    changed: dict[str, set[str]] = {"tiger_pair_top": set(), "natural_bets": set()}
    for _, _, hand in table(PAYS):
        usual = results(hand)
        for setting, other in (("tiger_pair_top", "same-rank"), ("natural_bets", "any-natural")):
            paid = results(hand, **{setting: other})  # type: ignore[arg-type]  # each fits its setting
            changed[setting] |= {bet for bet in BETS if paid[bet] != usual[bet]}
    assert changed == {"tiger_pair_top": {"tiger_pair"}, "natural_bets": {"player_natural", "banker_natural"}}


CLOSED_30 = (
    "big_tiger small_tiger tiger_tie banker_black player_black banker_red player_red fortune_7 blazing_7s heavenly_9"
)
CLOSED_50 = (
    " player_pair banker_pair either_pair perfect_pair lucky_6 tiger tiger_pair"
    " banker_four_blessings_pair player_four_blessings_pair"
)


@pytest.mark.parametrize(
    ("number", "refused"),
    [(1, ""), (30, ""), (31, CLOSED_30), (50, CLOSED_30), (51, CLOSED_30 + CLOSED_50), (90, CLOSED_30 + CLOSED_50)],
)
def test_bets_close_after_their_last_round(number: int, refused: str) -> None:
    assert set(closed(number)) == set(refused.split())
    assert len(closed(number)) == len(refused.split())


def test_every_bet_is_in_a_group_and_names_are_not_used_twice() -> None:
    assert list(dict.fromkeys(bet.group for bet in BETS.values())) == list(GROUPS)
    for names in ({bet.zh for bet in BETS.values()}, {bet.en for bet in BETS.values()}, set(BETS)):
        assert len(names) == 38


@st.composite
def rounds(draw: st.DrawFn) -> Hands:
    """A round of any cards, dealt by the rules."""
    six = draw(st.lists(st.sampled_from(FACES), min_size=6, max_size=6))
    for count in (4, 5, 6):
        if result := layout(tuple(six[:count]), "on-demand").result:
            return result.hands
    raise AssertionError(six)


def finished(cards: tuple[Card, ...]) -> tuple[Hand, Hand]:
    """The hands that the tree of the drawing rules has for these cards."""
    branch = FOURS[cards[0].points + cards[2].points][cards[1].points + cards[3].points]
    for card in cards[4:]:
        assert isinstance(branch, list)
        branch = branch[card.points]
    assert isinstance(branch, tuple)
    return branch


@given(rounds())
def test_the_tree_judges_as_the_table_does(hands: Hands) -> None:
    result = layout(dealt(hands), "on-demand").result
    assert result
    for side, hand in zip(("player", "banker"), finished(dealt(hands)), strict=True):
        assert (hand.total, hand.cards) == (result.totals[side], len(result.hands[side]))


@given(rounds(), rounds())
def test_nothing_but_the_cards_counts(first: Hands, between: Hands) -> None:
    before = results(first)
    results(between)
    assert results(first) == before == results(dict(reversed(first.items())))


@given(rounds(), st.permutations("shdc"))
def test_suits_matter_only_where_the_row_says_so(hands: Hands, suits: list[str]) -> None:
    others = dict(zip("shdc", suits, strict=True))
    recut = {side: tuple(Card(card.rank + others[card.suit]) for card in hand) for side, hand in hands.items()}
    by_suit = {bet for bet in BETS if bet.endswith(("_black", "_red", "_blessings_pair"))}
    paid, again = results(hands), results(recut)
    assert {bet for bet in BETS if paid[bet] != again[bet]} <= by_suit


@given(rounds())
def test_first_two_cards_in_either_order_pay_the_same(hands: Hands) -> None:
    turned = {side: (hand[1], hand[0], *hand[2:]) for side, hand in hands.items()}
    assert results(turned) == results(hands)


@given(rounds(), st.sampled_from(FACES), st.sampled_from(["player", "banker"]))
def test_a_third_card_counts_by_its_points_alone(hands: Hands, card: Card, side: str) -> None:
    hand = hands[side]
    if len(hand) == 3 and hand[2].points == card.points:
        assert results(hands | {side: (*hand[:2], card)}) == results(hands)
