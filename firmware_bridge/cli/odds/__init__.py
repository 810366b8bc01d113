"""`shoe odds`: the exact odds of a game, for a full shoe or the rest of one."""

import argparse
import sys
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
from firmware_bridge.cli.watch.language import language, language_option
from firmware_bridge.config.layout import show_columns
from firmware_bridge.demo.script import Drawn, NewShoe, parse
from firmware_bridge.errors import ScriptError, UsageError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.deals import DECKS
from firmware_bridge.games.game import Game, Terms, Wording
from firmware_bridge.games.house import choices, usual
from firmware_bridge.topics.texts import LANGUAGES, Language, known

ASKED: Final = [name for name, game in GAMES.items() if game.odds]
TERMS: Final = ("tiger_pair_top", "natural_bets")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe odds`."""
    parser.add_argument("--game", choices=ASKED, help=f"default: {House().game}")
    parser.add_argument("--decks", type=_decks, metavar="N", help="decks in a full shoe (default: the game's, 8 or 1)")
    parser.add_argument(
        "--seen", metavar="FILE", help="file with the cards dealt so far, as a deal script; - for stdin"
    )
    parser.add_argument(
        "--markdown", action="store_true", help="what each bet pays and returns, of every game or of --game"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    language_option(parser)
    parser.add_argument(
        "--tiger-pair-top",
        choices=choices("tiger_pair_top"),
        help="baccarat: cards of the tiger pair's top prize (default identical)",
    )
    parser.add_argument(
        "--natural-bets",
        choices=choices("natural_bets"),
        help="baccarat: whether a natural must win (default must-win)",
    )


def _decks(text: str) -> int:
    if not text.isdecimal() or int(text) not in DECKS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of decks: write {DECKS[0]} to {DECKS[-1]}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Print odds; return 0. Raises BridgeError for impossible or too few cards, another game's terms, or the file."""
    if arguments.markdown:
        return _markdown(arguments)
    game = GAMES[arguments.game or House().game]
    assert game.odds is not None
    terms, decks = _terms(game, arguments), arguments.decks
    if decks is None:
        decks = usual(game.name).get("decks", House().decks)
    seen, odds = _seen(arguments.seen) if arguments.seen else [], game.odds()
    if arguments.json:
        sys.stdout.buffer.write(msgspec.json.encode(odds.of(decks, seen, terms)) + b"\n")
    else:
        show_columns(odds.table(decks, seen, terms, _wording(language(arguments.lang, DEFAULT_CONFIG))))
    return 0


def _wording(lang: Language) -> Wording:
    """Return the texts of the catalogue in a language; an id that it lacks stays English."""

    def say(id: str, english: str, **values: object) -> str:
        return (english if lang == "en" else known(lang, id) or english).format(**values)

    return Wording(lambda names: names[LANGUAGES.index(lang)], say)


def _markdown(arguments: argparse.Namespace) -> int:
    """Print payments as Markdown; return 0. Raises UsageError for an option that this page does not have."""
    from firmware_bridge.cli.odds.payouts import page, section

    wrong = [name for name in ("decks", "seen", "json", *TERMS) if getattr(arguments, name) not in (None, False)]
    if wrong:
        raise UsageError(f"--{wrong[0].replace('_', '-')} with --markdown", "the page is of full shoes: leave it out")
    sys.stdout.write("\n".join((*section(arguments.game), "")) if arguments.game else page())
    return 0


def _terms(game: Game, arguments: argparse.Namespace) -> Terms:
    """Return the settings for the odds. Raises UsageError for one of another game."""
    given = {name: getattr(arguments, name) for name in TERMS if getattr(arguments, name) is not None}
    for name in given.keys() - set(game.terms.__struct_fields__):
        raise UsageError(
            f"--{name.replace('_', '-')} is not a setting of {game.name}", "leave it out, or give the right --game"
        )
    return game.terms(**given)


def _seen(name: str) -> list[Card]:
    """Return the cards in a deal script since its last `shoe`; an unread one (`??`) counts as still in the shoe."""
    cards: list[Card] = []
    for step in parse(_text(name)):
        match step:
            case NewShoe():
                cards.clear()
            case Drawn(card) if card:
                cards.append(card)
    return cards


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else text_in(Path(name))
    except (OSError, UnicodeError, Undecodable) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise ScriptError(f"{name}: {reason}", "give a file of cards, As Td .., or - for stdin") from None
