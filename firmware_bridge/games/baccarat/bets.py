"""The 38 bets as rows in the order of the rule book, and the net result of each from the cards of a round."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.baccarat.conditions import (
    BANKER,
    BLACK,
    DIAMONDS,
    FACE,
    PLAYER,
    RANK,
    RED,
    Condition,
    Hand,
    Hands,
    all_of,
    any_of,
    both_are,
    both_sides,
    either_side,
    four_alike,
    has,
    natural,
    pair,
    perfect,
    tie,
    together,
    took,
    wins,
    wins_by,
)

Net = int | float
"""Net units per unit staked: -1 is the stake lost, 0 a push."""

TigerPairTop = Literal["identical", "same-rank"]
"""The four cards that win the top of `tiger_pair`: one face four times, or one rank."""

NaturalBets = Literal["must-win", "any-natural"]
"""Whether the natural bets lose when the other side's natural is higher."""

View = Literal["hands", "player", "banker", "opening"]
"""The cards a bet depends on: the finished hands, one side's first two cards, or those of both sides."""

TRADITIONAL: Final = str.maketrans("闲庄对龙宝运无敌烧红黄赐边细级乐", "閒莊對龍寶運無敵燒紅黃賜邊細級樂")
"""Simplified sign in a name of a bet -> the traditional one."""

LOST: Final = -1
"""Net units per unit staked where no tier of a bet holds."""


class Names(Struct, frozen=True):
    """A name in Chinese and English."""

    zh: str
    en: str


class Bet(Struct, frozen=True):
    """A bet. It is refused after round `closes_after`, None for never.

    tiers: net odds -> condition; the first that holds is paid, if none holds the bet loses (-1).
    """

    id: str
    group: str
    zh: str
    en: str
    closes_after: int | None
    view: View
    tiers: dict[Net, Condition]


GROUPS: Final[dict[str, Names]] = {
    "basic": Names("基本三宝", "Basic"),
    "pairs": Names("对子", "Pairs"),
    "dragon": Names("龙宝", "Dragon Bonus"),
    "lucky6": Names("幸运6", "Lucky 6"),
    "natural": Names("例牌", "Naturals"),
    "tiger": Names("老虎", "Tiger"),
    "four": Names("4福", "Four Blessings"),
    "super": Names("超级百家乐", "Super Baccarat"),
    "buffalo": Names("水牛", "Buffalo"),
    "treasure": Names("宝藏", "Treasure"),
}
"""The groups the seed lists the bets in."""


def _dragon(side: int) -> dict[Net, Condition]:
    """Return the tiers of a dragon bonus; a win with a natural pays 1 whatever the margin, so it stands first."""
    won, tied = all_of(natural(side), wins(side)), all_of(natural(side), tie())
    margins: dict[Net, Condition] = {30: wins_by(side, 9), 10: wins_by(side, 8), 5: wins_by(side, 7)}
    margins |= {3: wins_by(side, 6), 2: wins_by(side, 5)}
    return {1: any_of(won, wins_by(side, 4)), **margins, 0: tied}


def _char_siu(side: int) -> dict[Net, Condition]:
    """Return the tiers of a char siu bet, by the number of cards on both sides."""
    won = all_of(has(side, 7, 8, 9), wins_by(side, 1))
    return {10: all_of(won, together(4)), 15: all_of(won, together(5)), 50: all_of(won, together(6))}


_LUCKY_6: Final[dict[Net, Condition]] = {12: wins(BANKER, 6, cards=2), 18: wins(BANKER, 6, cards=3)}
_FOURS: Final[dict[Net, Condition]] = {
    30: both_are(DIAMONDS, "4"),
    15: both_are(ranks="4"),
    12: all_of(pair, both_are(DIAMONDS)),
    9: pair,
}
_BLAZING_7S: Final[dict[Net, Condition]] = {50: all_of(tie(7), took(2, 2)), 200: all_of(tie(7), took(3, 3))}
_FORTUNE_7, _GOLDEN_8 = wins(BANKER, 7, cards=3), wins(PLAYER, 8, cards=3)
_NINES: Final = has(PLAYER, 9, cards=3), has(BANKER, 9, cards=3)
_COVERED: Final = any_of(_FORTUNE_7, _GOLDEN_8, *_BLAZING_7S.values(), *_NINES)
_ROWS: Final = (
    Bet("player", "basic", "闲", "Player", None, "hands", {1: wins(PLAYER), 0: tie()}),
    Bet("banker", "basic", "庄", "Banker", None, "hands", {0.95: wins(BANKER), 0: tie()}),
    Bet(
        "banker_no_commission",
        "basic",
        "庄(免佣)",
        "Banker (no commission)",
        None,
        "hands",
        {0.5: wins(BANKER, 6), 1: wins(BANKER), 0: tie()},
    ),
    Bet("tie", "basic", "和", "Tie", None, "hands", {8: tie()}),
    Bet("player_pair", "basic", "闲对子", "Player Pair", 50, "player", {11: pair}),
    Bet("banker_pair", "basic", "庄对子", "Banker Pair", 50, "banker", {11: pair}),
    Bet("either_pair", "pairs", "任意对子", "Either Pair", 50, "opening", {5: either_side(pair)}),
    Bet("perfect_pair", "pairs", "完美对子", "Perfect Pair", 50, "opening", {25: either_side(perfect)}),
    Bet("player_dragon_bonus", "dragon", "闲龙宝", "Player Dragon Bonus", None, "hands", _dragon(PLAYER)),
    Bet("banker_dragon_bonus", "dragon", "庄龙宝", "Banker Dragon Bonus", None, "hands", _dragon(BANKER)),
    Bet("lucky_6", "lucky6", "幸运6", "Lucky 6", 50, "hands", _LUCKY_6),
    Bet(
        "player_natural",
        "natural",
        "闲例牌",
        "Player Natural",
        None,
        "hands",
        {4: all_of(natural(PLAYER), wins(PLAYER)), 0: all_of(natural(PLAYER), tie())},
    ),
    Bet(
        "banker_natural",
        "natural",
        "庄例牌",
        "Banker Natural",
        None,
        "hands",
        {4: all_of(natural(BANKER), wins(BANKER)), 0: all_of(natural(BANKER), tie())},
    ),
    Bet("tiger", "tiger", "老虎", "Tiger", 50, "hands", _LUCKY_6),
    Bet("big_tiger", "tiger", "大老虎", "Big Tiger", 30, "hands", {50: wins(BANKER, 6, cards=3)}),
    Bet("small_tiger", "tiger", "小老虎", "Small Tiger", 30, "hands", {22: wins(BANKER, 6, cards=2)}),
    Bet("tiger_tie", "tiger", "老虎和", "Tiger Tie", 30, "hands", {40: tie(6)}),
    Bet(
        "tiger_pair",
        "tiger",
        "老虎对",
        "Tiger Pair",
        50,
        "opening",
        {100: four_alike(FACE), 20: both_sides(pair), 4: either_side(pair)},
    ),
    Bet("banker_four_blessings", "four", "庄4福", "Banker Four Blessings", None, "hands", {20: wins(BANKER, 4)}),
    Bet("player_four_blessings", "four", "闲4福", "Player Four Blessings", None, "hands", {35: wins(PLAYER, 4)}),
    Bet("banker_four_blessings_pair", "four", "庄4福对子", "Banker Four Blessings Pair", 50, "banker", _FOURS),
    Bet("player_four_blessings_pair", "four", "闲4福对子", "Player Four Blessings Pair", 50, "player", _FOURS),
    Bet("banker_black", "super", "庄家黑", "Banker Black", 30, "banker", {2: both_are(BLACK)}),
    Bet("player_black", "super", "闲家黑", "Player Black", 30, "player", {2: both_are(BLACK)}),
    Bet("banker_red", "super", "庄家红", "Banker Red", 30, "banker", {2: both_are(RED)}),
    Bet("player_red", "super", "闲家红", "Player Red", 30, "player", {2: both_are(RED)}),
    Bet(
        "invincible_6",
        "super",
        "无敌6",
        "Invincible 6",
        None,
        "hands",
        {4: any_of(wins(PLAYER, 6), wins(BANKER, 6), tie(6))},
    ),
    Bet("banker_char_siu", "buffalo", "庄叉烧", "Banker Char Siu", None, "hands", _char_siu(BANKER)),
    Bet("player_char_siu", "buffalo", "闲叉烧", "Player Char Siu", None, "hands", _char_siu(PLAYER)),
    Bet("small_cow", "buffalo", "细水牛", "Small Cow", None, "hands", {20: wins(PLAYER, 6, cards=2)}),
    Bet("big_cow", "buffalo", "大水牛", "Big Cow", None, "hands", {35: wins(PLAYER, 6, cards=3)}),
    Bet("tiger_cow", "buffalo", "虎牛", "Tiger Cow", None, "hands", {4: any_of(wins(PLAYER, 6), wins(BANKER, 6))}),
    Bet("wu_dalang", "buffalo", "武大郎", "Wu Dalang", None, "hands", {150: wins(PLAYER, 1)}),
    Bet("fortune_7", "treasure", "幸运7", "Fortune 7", 30, "hands", {40: _FORTUNE_7}),
    Bet("golden_8", "treasure", "黄金8", "Golden 8", None, "hands", {25: _GOLDEN_8}),
    Bet("blazing_7s", "treasure", "火焰7s", "Blazing 7s", 30, "hands", _BLAZING_7S),
    Bet("heavenly_9", "treasure", "天赐9", "Heavenly 9", 30, "hands", {75: all_of(*_NINES), 10: any_of(*_NINES)}),
    Bet("cover_all", "treasure", "全部边注", "Cover All", None, "hands", {5: _COVERED}),
)

BETS: Final[dict[str, Bet]] = {bet.id: bet for bet in _ROWS}
"""All 38 in the order of the rule book, with the tiers of the default settings."""

_VARIANTS: Final[dict[str, dict[str, dict[Net, Condition]]]] = {
    "same-rank": {"tiger_pair": {100: four_alike(RANK), 20: both_sides(pair), 4: either_side(pair)}},
    "any-natural": {
        "player_natural": {0: all_of(natural(PLAYER), tie()), 4: natural(PLAYER)},
        "banker_natural": {0: all_of(natural(BANKER), tie()), 4: natural(BANKER)},
    },
}
"""Setting -> the tiers that it replaces."""


def tiers(tiger_pair_top: TigerPairTop, natural_bets: NaturalBets) -> dict[str, dict[Net, Condition]]:
    """Return the tiers of every bet under a house's settings, in the order of the rule book."""
    variants = _VARIANTS.get(tiger_pair_top, {}) | _VARIANTS.get(natural_bets, {})
    return {bet.id: variants.get(bet.id, bet.tiers) for bet in BETS.values()}


def results(
    hands: Mapping[str, tuple[Card, ...]],
    tiger_pair_top: TigerPairTop = "identical",
    natural_bets: NaturalBets = "must-win",
) -> dict[str, Net]:
    """Return the net units per unit staked of all 38 bets, in the order of the rule book.

    hands: the cards of `player` and `banker` in the order they joined the hand, two or three each.
    """
    player, banker = hands["player"], hands["banker"]
    opening = (player[0], player[1]), (banker[0], banker[1])
    paid = _of_hands((_hand(player), _hand(banker)), natural_bets).copy()
    for view, seen in (("player", opening[0]), ("banker", opening[1]), ("opening", opening)):
        for bet, offered in _offered(view, tiger_pair_top, natural_bets):
            paid[bet] = pays(offered, seen)
    return paid


def pays(offered: dict[Net, Condition], seen: object) -> Net:
    """Return the net odds of the first tier that holds for these cards."""
    for net, holds in offered.items():
        if holds(seen):
            return net
    return LOST


@lru_cache(128)
def closed(number: int) -> tuple[str, ...]:
    """Return the bets refused in round `number` of a shoe: "closes after 50" is open in rounds 1..50."""
    return tuple(bet.id for bet in BETS.values() if bet.closes_after is not None and number > bet.closes_after)


def _hand(cards: tuple[Card, ...]) -> Hand:
    return Hand(sum([card.points for card in cards]) % 10, len(cards))


@cache
def _of_hands(hands: Hands, natural_bets: NaturalBets) -> dict[str, Net]:
    """Return all 38 bets, those on the finished hands paid, the others lost: at most 400 pairs of hands."""
    offered = _offered("hands", "identical", natural_bets)
    return dict.fromkeys(BETS, LOST) | {bet: pays(each, hands) for bet, each in offered}


@cache
def _offered(
    view: View, tiger_pair_top: TigerPairTop, natural_bets: NaturalBets
) -> tuple[tuple[str, dict[Net, Condition]], ...]:
    """Return the bets that look at `view`, with their tiers."""
    offered = tiers(tiger_pair_top, natural_bets)
    return tuple((bet.id, offered[bet.id]) for bet in BETS.values() if bet.view == view)
