"""The page of all bets and payments, as Markdown: `shoe odds --markdown`."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.games import GAMES
from firmware_bridge.games.payouts import Payment
from firmware_bridge.topics.texts import LANGUAGES, known

HEAD: Final = """\
# What each bet pays

Made by `shoe odds --markdown` from the rules in the code; `shoe help WORD` finds a row, such as `shoe help tie`.

## What cannot be set

Payments, and the rules below, are the same at every table. A house that pays otherwise settles its own bets from the
cards of the `round` message. [config](config.md) has what can be set, each game's page what a house chooses.

| word | game | what holds |
|---|---|---|"""

FIXED: Final = (
    ("`payout`", "all", "what a bet pays cannot be set"),
    (
        "`exceptions`, `irregularities`, `policy`",
        "all",
        "one of four policies ([irregularities](irregularities.md)); exceptions to a policy cannot be set",
    ),
)
"""Words that people look for, the games, and what holds there; behind them come those of each game."""

COLUMNS: Final = ("bet or hand", "English", "繁體", "简体", "wins when", "pays", "returns")


def page() -> str:
    """Return the whole page."""
    fixed = [*FIXED, *((word, game.name, what) for game in GAMES.values() for word, what in game.payouts().fixed)]
    sections = (line for name in GAMES for line in ("", *section(name)))
    return "\n".join([HEAD, *(f"| {' | '.join(row)} |" for row in fixed), *sections, ""])


def section(game: str) -> Iterator[str]:
    """Yield one game's part of the page: heading, remarks and table."""
    paid = GAMES[game].payouts()
    names = " ".join(dict.fromkeys(known(lang, f"game.{game}") or game for lang in LANGUAGES[1:]))
    yield f"## {known('en', f'game.{game}') or game} {names}"
    yield ""
    yield paid.remarks
    yield ""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    for each in paid.payments:
        setting = f" with `{each.setting}`" if each.setting else ""
        yield f"| {' | '.join((f'`{each.id}`{setting}', *_names(game, each), each.when, each.pays, each.returns))} |"


def _names(game: str, paid: Payment) -> tuple[str, ...]:
    """Return the names of a bet or a kind of hand in the three languages."""
    return paid.names or tuple([known(lang, f"guest.is.{game}.{paid.id}") or paid.id for lang in LANGUAGES])
