"""What the bets of baccarat pay, a row for each tier."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from firmware_bridge.facts.house import House
from firmware_bridge.games.baccarat.bets import BETS, TRADITIONAL, NaturalBets, Net, TigerPairTop, tiers
from firmware_bridge.games.baccarat.conditions import in_words
from firmware_bridge.games.baccarat.odds import full, odds
from firmware_bridge.games.payouts import ABOVE, Payment, Payouts

REMARKS: Final = """\
All 38 bets of the rule book. The first line of a bet that holds is paid; if none holds, the bet loses. Returns: what
comes back of 100, the stake included, from a full shoe of 8 decks, exact; `shoe odds --decks 6` has other shoes.
`[game] natural_bets` and `tiger_pair_top` change the bets at the end of the table."""

FIXED: Final = (
    (
        "`commission`",
        "5 %: `banker` pays 0.95 to 1; `banker_no_commission` pays 1 to 1, half on a win with 6. Neither can be set",
    ),
    ("`tie`", "pays 8 to 1; 9 to 1 cannot be set"),
    ("`rake`", "there is none: the house plays against the seats"),
)


def payouts() -> Payouts:
    """Return the payments of all bets, then those that a setting changes."""
    return Payouts(REMARKS, FIXED, (*_bets(tuple(BETS), "identical", "must-win"), *_changed()))


def _changed() -> Iterator[Payment]:
    usual = tiers("identical", "must-win")
    settings: tuple[tuple[TigerPairTop, NaturalBets, str], ...] = (
        ("identical", "any-natural", 'natural_bets = "any-natural"'),
        ("same-rank", "must-win", 'tiger_pair_top = "same-rank"'),
    )
    for top, natural, key in settings:
        changed = tiers(top, natural)
        yield from _bets(tuple(bet for bet in BETS if changed[bet] is not usual[bet]), top, natural, key)


def _bets(names: tuple[str, ...], top: TigerPairTop, natural: NaturalBets, setting: str = "") -> Iterator[Payment]:
    offered, found = tiers(top, natural), odds(full(House().decks), top, natural)
    for bet in (BETS[name] for name in names):
        returns = f"{float(100 * Fraction(*found[bet.id].rtp)):.4f} %"
        closing = "" if bet.closes_after is None else f"; taken in rounds 1 to {bet.closes_after} of a shoe"
        for net, condition in offered[bet.id].items():
            of = {"player": "player's first two: ", "banker": "banker's first two: "}.get(bet.view, "")
            when = f"{of}{in_words(condition)}{closing}"
            yield Payment(bet.id, when, _pays(net), returns, (bet.en, bet.zh.translate(TRADITIONAL), bet.zh), setting)
            returns, closing = ABOVE, ""


def _pays(net: Net) -> str:
    return "stake back" if net == 0 else f"{net} to 1"
