"""Options of `shoe demo`, and the play they describe."""

import argparse
import secrets
from pathlib import Path
from typing import Final, get_args, get_type_hints

from firmware_bridge.config.sections import TableConfig
from firmware_bridge.demo.broker import CHOICES
from firmware_bridge.demo.faults import FAULTS, unknown
from firmware_bridge.demo.fixtures import Play
from firmware_bridge.demo.harness import DemoError
from firmware_bridge.demo.seats import seat_counts
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import choices
from hardware.readers import READERS

HOUSE: Final = {
    "disclose": "sealed: cards lie face down until the guests open them",
    "betting": "required: cards wait until bets are closed",
    "policy": "how the house handles irregularities",
}
"""Keys of `[table]` offered as options -> help text."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe demo`."""
    parser.add_argument("--rounds", type=_count, default=10, metavar="N", help="end after N rounds (default 10)")
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="speed; 1 is a human dealer (default)")
    parser.add_argument("--reader", choices=tuple(READERS), help="the reader's protocol (default native)")
    parser.add_argument("--game", choices=tuple(GAMES), default=House().game, help="the game (default baccarat)")
    parser.add_argument(
        "--seats", type=int, metavar="N", help="number of seats that play (default: as many as possible)"
    )
    parser.add_argument("--procedure", choices=choices("procedure"), help="procedure of a game that has several")
    faults = f"cause this fault and play until it is settled, at least N rounds: {', '.join(FAULTS)}"
    parser.add_argument("--fault", type=_fault, metavar="ID", help=faults)
    parser.add_argument("--seed", type=int, metavar="N", help="repeat the shuffle of this number")
    parser.add_argument(
        "--broker", choices=CHOICES, default="auto", help="the broker (default: mosquitto if installed)"
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="the broker's port (default: a free one)")
    for key, text in HOUSE.items():
        known = get_args(get_type_hints(TableConfig)[key])
        parser.add_argument(f"--{key}", choices=known, help=f"{text} (default {getattr(House(), key)})")
    parser.add_argument("--svg", type=_svg, metavar="FILE", help="keep a picture of the last round (needs rich)")
    parser.add_argument("--plain", action="store_true", help="lines instead of a picture")


def play(arguments: argparse.Namespace) -> Play:
    """The play described by the options. Raises DemoError if they do not fit together."""
    readers = FAULTS[arguments.fault].readers if arguments.fault else tuple(READERS)
    reader = arguments.reader or readers[0]
    if reader not in readers:
        raise DemoError(f"{arguments.fault} does not happen to a {reader} reader", f"use --reader {readers[0]}")
    procedure = _procedure(arguments, reader)
    _check_game(arguments)
    seed = secrets.randbelow(10_000) if arguments.seed is None else arguments.seed
    return Play(
        arguments.rounds,
        arguments.speed,
        reader,
        arguments.game,
        procedure,
        arguments.fault,
        seed,
        arguments.broker,
        arguments.port,
        {key: value for key in HOUSE if (value := getattr(arguments, key))},
        _seats(arguments),
    )


def _check_game(arguments: argparse.Namespace) -> None:
    """Raises DemoError for a fault that the game never comes to, or not with its number of packs."""
    game, fault = GAMES[arguments.game], arguments.fault
    if fault and (why := FAULTS[fault].never(game)):
        can = [name for name, other in FAULTS.items() if not other.never(game)]
        raise DemoError(f"{fault} does not happen in {game.name}: {why}", f"possible faults: {', '.join(can)}")
    decks = FAULTS[fault].table.get("decks") if fault else None
    if decks is not None and decks not in game.packs:
        raise DemoError(f"{fault} needs {decks} deck, {game.name} is dealt from more", "use --game baccarat")


def _seats(arguments: argparse.Namespace) -> int | None:
    """Number of seats that play; None for all. Raises DemoError for an impossible number."""
    game, counts = GAMES[arguments.game], seat_counts(GAMES[arguments.game])
    if arguments.seats is None or arguments.seats in counts:
        return arguments.seats  # type: ignore[no-any-return]  # it has no type of its own
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}" if counts else ""
    raise DemoError(
        f"{arguments.seats} seats cannot play {game.name}",
        f"{many} can" if many else "its guests have no seats: leave --seats out",
    )


def _procedure(arguments: argparse.Namespace, reader: str) -> str | None:
    """Procedure of the game; None if it has one only. Raises DemoError if it does not fit."""
    game = GAMES[arguments.game]
    given = {"procedure": arguments.procedure} if arguments.procedure else {}
    if given and "procedure" not in game.terms.__struct_fields__:
        raise DemoError(f"{game.name} has only one procedure", "leave --procedure out")
    terms = game.terms(**given)
    procedure: str | None = getattr(terms, "procedure", None)
    if READERS[reader].judges and game.play.verdict is None:
        raise DemoError(
            f"an {reader} decides its own games, and {game.name} is not one of them", "use another --reader"
        )
    if READERS[reader].judges and game.play.unjudged(terms):
        usual: str = getattr(game.terms(), "procedure", "other")
        what = f"an Angel Eye shoe decides {usual} tables only"
        raise DemoError(what, f"leave --procedure {procedure} out")
    return procedure


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds: write 1 or more")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: write 1 to 65535, such as 1883")
    return int(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed: write 1 for a human dealer, 50 for a quick look")
    return speed


def _fault(text: str) -> str:
    if text not in FAULTS:
        raise argparse.ArgumentTypeError(unknown(text))
    return text


def _svg(text: str) -> Path:
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a picture's name: write one that ends in .svg")
    return Path(text)
