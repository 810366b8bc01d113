"""The odds of baccarat, against published ones and against every deal of tiny shoes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import perm, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.facts.cards import FACES, TILES, Card, cards
from firmware_bridge.games.baccarat.bets import BETS, results, tiers
from firmware_bridge.games.baccarat.odds import Odds, OddsError, deviation, full, odds, remaining
from tests.games.baccarat.eight_decks import DEALS_8_DECKS, eight
from tests.kit.baccarat import layout

SETTINGS = [
    {"tiger_pair_top": top, "natural_bets": natural}
    for top in ("identical", "same-rank")
    for natural in ("must-win", "any-natural")
]


def deals(bet_odds: Odds) -> list[tuple[float, int]]:
    assert {chance.den for chance in bet_odds.tiers} == {sum(chance.num for chance in bet_odds.tiers)}
    return [(chance.pays, chance.num) for chance in bet_odds.tiers]


def test_eight_decks_give_the_published_numbers_of_deals() -> None:
    player, banker, tie = 2_230_518_282_592_256, 2_292_252_566_437_888, 475_627_426_473_216
    assert deals(eight()["player"]) == [(1, player), (0, tie), (-1, banker)]
    assert deals(eight()["banker"]) == [(0.95, banker), (0, tie), (-1, player)]
    assert deals(eight()["tie"]) == [(8, tie), (-1, player + banker)]
    assert player + banker + tie == DEALS_8_DECKS


# Per cent, the stake included: the rule book's, and 100 less the house edges that others publish for the same pays.
@pytest.mark.parametrize(
    ("bet", "rtp"),
    [
        ("player", 98.7649),
        ("banker", 98.9421),
        ("banker_no_commission", 98.5419),
        ("tie", 85.6404),
        ("player_pair", 89.6386),
        ("banker_pair", 89.6386),
        ("either_pair", 86.29),
        ("perfect_pair", 86.97),
        ("fortune_7", 92.39),
        ("golden_8", 89.81),
    ],
)
def test_published_returns(bet: str, rtp: float) -> None:
    digits = len(str(rtp).partition(".")[2])
    assert round(float(100 * Fraction(*eight()[bet].rtp)), digits) == rtp


@pytest.mark.parametrize("decks", range(1, 13))
def test_the_tiers_of_every_bet_are_all_deals_there_are(decks: int) -> None:
    by_bet = odds(full(decks))
    assert list(by_bet) == list(BETS)
    for bet, each in by_bet.items():
        assert sum(num for _, num in deals(each)) == perm(52 * decks, 6)
        assert [pays for pays, _ in deals(each)] == [*tiers("identical", "must-win")[bet], -1]
        back = sum(Fraction(str(1 + chance.pays)) * chance.num / chance.den for chance in each.tiers)
        assert each.rtp == back.as_integer_ratio()


def test_what_two_bets_say_of_one_thing_agrees() -> None:
    num = {bet: dict(deals(each)) for bet, each in eight().items()}
    assert num["tiger"] == num["lucky_6"]
    assert num["tiger"][18] == num["big_tiger"][50]
    assert num["tiger"][12] == num["small_tiger"][22]
    assert sum(num["tiger"][pays] for pays in (12, 18)) == num["banker_no_commission"][0.5]
    assert num["tiger_cow"][4] + num["tiger_tie"][40] == num["invincible_6"][4]
    assert num["tiger_cow"][4] - num["tiger"][12] - num["tiger"][18] == num["small_cow"][20] + num["big_cow"][35]
    assert sum(num["tiger_pair"][pays] for pays in (100, 20, 4)) == num["either_pair"][5]
    assert num["player_pair"][11] * 2 - num["tiger_pair"][100] - num["tiger_pair"][20] == num["either_pair"][5]
    assert sum(num["player_four_blessings_pair"][pays] for pays in (30, 15, 12, 9)) == num["player_pair"][11]
    assert num["player_natural"][0] == num["player_dragon_bonus"][0] == num["banker_dragon_bonus"][0]


def test_any_natural_also_pays_an_eight_that_nine_beats() -> None:
    other = odds(full(8), natural_bets="any-natural")
    points = [128, *[32] * 9]
    eight_nine = sum(
        prod(perm(points[worth], times) for worth, times in Counter(four).items())
        for four in product(range(10), repeat=4)
        if ((four[0] + four[1]) % 10, (four[2] + four[3]) % 10) == (8, 9)
    )
    for bet in ("player_natural", "banker_natural"):
        more = dict(deals(other[bet]))[4] - dict(deals(eight()[bet]))[4]
        assert more == eight_nine * perm(412, 2)


# Shoes small enough to deal every deal there is.
TINY = [
    "As As Ah 4d 4d 4d 4d 9c",
    "4d 4d 4d 4h 4s 4c 2d 2d",
    "Ks Kh Qs Qh 8s 9d 9d 6c",
    "7s 7s 7h 2d 5c Ac Kd 3d",
    "3s 3s 4s 5h 6h Td Jd 8c",
    "6s 6s 6s 6s 6h 6h",
    "2s 2h 2d 2c Ks Kh Kd",
]


@pytest.mark.parametrize("shoe", TINY)
@pytest.mark.parametrize("house", SETTINGS, ids=lambda house: " ".join(house.values()))
def test_every_deal_of_a_tiny_shoe(shoe: str, house: dict[str, Any]) -> None:
    held = cards(shoe)
    by_bet = odds(Counter(held), **house)
    for bet, paid in every_deal(held, house).items():
        assert {chance.pays: chance.num for chance in by_bet[bet].tiers if chance.num} == paid
        assert {chance.den for chance in by_bet[bet].tiers} == {perm(len(held), 6)}


def every_deal(held: tuple[Card, ...], house: dict[str, Any]) -> dict[str, Counter[float]]:
    """The net results of every bet over all ordered deals of six cards, played one by one."""
    paid: dict[str, Counter[float]] = {bet: Counter() for bet in BETS}
    rounds = Counter(play(six) for six in permutations(held, 6))
    for hands, times in rounds.items():
        for bet, net in results(dict(hands), **house).items():
            paid[bet][net] += times
    return paid


@cache
def play(six: tuple[Card, ...]) -> tuple[tuple[str, tuple[Card, ...]], ...]:
    for count in (4, 5):
        if result := layout(six[:count], "on-demand").result:
            return tuple(result.hands.items())
    result = layout(six, "on-demand").result
    assert result
    return tuple(result.hands.items())


def brute_openings(piles: dict[Card, int], top: Callable[[Card], str]) -> dict[str, int]:
    """Ordered deals of four that win each bet on both sides' pairs, one face after the other."""
    won: Counter[str] = Counter()
    held = [card for card in FACES if piles.get(card)]
    for four in ((a, b, c, d) for a in held for b in held for c in held for d in held):
        times = Counter(four)
        ways = prod(perm(piles[card], count) for card, count in times.items())
        pairs = (four[0].rank == four[1].rank) + (four[2].rank == four[3].rank)
        won["either_pair"] += ways * (pairs > 0)
        won["perfect_pair"] += ways * (four[0] is four[1] or four[2] is four[3])
        won["tiger_pair 100"] += ways * (len({top(card) for card in four}) == 1)
        won["tiger_pair 20"] += ways * (pairs == 2 and len({top(card) for card in four}) > 1)
        won["tiger_pair 4"] += ways * (pairs == 1)
    return dict(won)


@pytest.mark.parametrize("top", ["identical", "same-rank"])
def test_pairs_of_both_sides_of_many_faces(top: Any) -> None:
    piles = {card: (3 * number) % 7 for number, card in enumerate(FACES) if number % 3 == 0}
    four = perm(sum(piles.values()) - 4, 2)
    by_bet = odds(piles, tiger_pair_top=top)
    expected = brute_openings(piles, lambda card: card.value if top == "identical" else card.rank)
    for bet in ("either_pair", "perfect_pair"):
        assert by_bet[bet].tiers[0].num == expected[bet] * four
    assert [chance.num for chance in by_bet["tiger_pair"].tiers[:3]] == [
        expected[f"tiger_pair {pays}"] * four for pays in (100, 20, 4)
    ]


PILES = st.dictionaries(st.sampled_from(FACES), st.integers(0, 8), min_size=1)


@given(PILES, st.sampled_from(SETTINGS))
@settings(max_examples=20, deadline=None)
def test_any_rest_of_a_shoe_has_odds_that_add_up(piles: dict[Card, int], house: dict[str, Any]) -> None:
    if sum(piles.values()) < 6:
        with pytest.raises(OddsError, match="cards are left, a round may take 6"):
            odds(piles, **house)
        return
    for each in odds(piles, **house).values():
        assert all(chance.num >= 0 for chance in each.tiers)
        assert sum(chance.num for chance in each.tiers) == each.tiers[0].den == perm(sum(piles.values()), 6)


def test_the_suits_of_a_shoe_do_not_matter_to_totals() -> None:
    left, turned = odds(remaining(8, cards("As2h3d4c5s6h"))), odds(remaining(8, cards("Ad2d3s4h5c6c")))
    changed = {bet for bet in BETS if left[bet] != turned[bet]}
    assert changed <= {bet.id for bet in BETS.values() if bet.view != "hands"}


def test_a_full_shoe_deviates_by_nothing() -> None:
    assert set(deviation(full(6), 6).values()) == {0}


def test_without_tens_the_player_gains_what_the_odds_say() -> None:
    left = remaining(8, cards("TsJsQsKs") * 8)
    by_bet, usual = odds(left), eight()
    for bet, gained in deviation(left, 8).items():
        assert Fraction(*by_bet[bet].rtp) == Fraction(*usual[bet].rtp) + gained


def test_without_a_face_its_bets_cannot_win() -> None:
    fours = dict(deals(odds(remaining(8, cards("4s4h4d4c") * 8))["player_four_blessings_pair"]))
    assert (fours[30], fours[15]) == (0, 0)
    assert fours[12] > 0


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: full(0), "a shoe cannot hold 0 decks; give 1 to 12"),
        (lambda: full(13), "a shoe cannot hold 13 decks"),
        (lambda: remaining(1, cards("AsKsAs")), "1 x 52 cards do not hold As 2 times"),
        (lambda: remaining(8, TILES[:1]), "do not hold 1p 1 times"),
        (lambda: odds({}), "0 cards are left, a round may take 6"),
        (lambda: odds({Card.As: 5}), "5 cards are left"),
        (lambda: odds({Card.As: 9, Card.Ks: -1}), "a shoe cannot hold these: Ks"),
        (lambda: odds({TILES[0]: 9}), "a shoe cannot hold these: 1p"),
    ],
)
def test_no_odds_of_what_is_no_shoe(wrong: Callable[[], object], text: str) -> None:
    with pytest.raises(OddsError, match=text):
        wrong()
