"""Options of `shoe demo`, and the play they describe."""

import argparse
import secrets
from pathlib import Path
from typing import Final, get_args, get_type_hints

from firmware_bridge.config.arguments import port, speed
from firmware_bridge.config.sections import TableConfig
from firmware_bridge.demo.broker import CHOICES
from firmware_bridge.demo.faults import FAULTS, impossible, unknown
from firmware_bridge.demo.fixtures import Play
from firmware_bridge.demo.seats import seat_counts
from firmware_bridge.errors import UsageError
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import choices
from hardware.readers import READERS

HOUSE: Final = {
    "disclose": "sealed: cards lie face down until the guests open them",
    "betting": "required: cards wait until bets are closed",
    "policy": "how the house handles irregularities",
}
"""Keys of `[table]` offered as options -> help text."""

SPEED: Final = 6.0
"""The usual speed: a human dealer's first result would be long in coming."""

SEAT_SPEED: Final = 2.0
"""The usual speed per seat that plays, where that is more: the first result stands within 6 s at a full table too."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe demo`."""
    parser.add_argument("--rounds", type=_count, default=10, metavar="N", help="end after N rounds (default 10)")
    usual = f"{SPEED:g}, with many seats {SEAT_SPEED:g} for each"
    parser.add_argument("--speed", type=speed, metavar="X", help=f"speed; 1 is a human dealer (default {usual})")
    parser.add_argument("--reader", choices=tuple(READERS), help="the reader's protocol (default native)")
    parser.add_argument("--game", choices=tuple(GAMES), default=House().game, help="the game (default baccarat)")
    parser.add_argument(
        "--seats", type=int, metavar="N", help="number of seats that play (default: as many as possible)"
    )
    parser.add_argument("--procedure", choices=choices("procedure"), help="procedure of a game that has several")
    faults = f"cause this fault and play until it is settled, at least N rounds: {', '.join(FAULTS)}"
    parser.add_argument("--fault", type=_fault, choices=tuple(FAULTS), metavar="ID", help=faults)
    parser.add_argument("--seed", type=int, metavar="N", help="repeat the shuffle of this number")
    parser.add_argument(
        "--broker", choices=CHOICES, default="auto", help="the broker (default: mosquitto if installed)"
    )
    parser.add_argument("--port", type=port, default=0, metavar="N", help="the broker's port (default: a free one)")
    for key, text in HOUSE.items():
        known = get_args(get_type_hints(TableConfig)[key])
        parser.add_argument(f"--{key}", choices=known, help=f"{text} (default {getattr(House(), key)})")
    parser.add_argument("--svg", type=_svg, metavar="FILE", help="keep a picture of the last round (needs rich)")
    parser.add_argument("--plain", action="store_true", help="lines instead of a picture")


def play(arguments: argparse.Namespace) -> Play:
    """Return the play described by the options. Raises UsageError if they do not fit together."""
    if arguments.fault and (why := impossible(arguments.fault, GAMES[arguments.game])):
        raise UsageError(f"{arguments.fault} does not happen in {arguments.game}: {why}", _possible(arguments.game))
    readers = FAULTS[arguments.fault].readers if arguments.fault else tuple(READERS)
    reader = arguments.reader or readers[0]
    if reader not in readers:
        raise UsageError(f"{arguments.fault} does not happen to a {reader} reader", f"use --reader {readers[0]}")
    procedure = _procedure(arguments, reader)
    seats = _seats(arguments)
    seed = secrets.randbelow(10_000) if arguments.seed is None else arguments.seed
    return Play(
        arguments.rounds,
        arguments.speed or _usual_speed(GAMES[arguments.game], seats),
        reader,
        arguments.game,
        procedure,
        arguments.fault,
        seed,
        arguments.broker,
        arguments.port,
        {key: value for key in HOUSE if (value := getattr(arguments, key))},
        seats,
    )


def _usual_speed(game: Game, seats: int | None) -> float:
    """Return the speed without `--speed`; seats None: as many as possible play."""
    counts = seat_counts(game)
    return max(SPEED, SEAT_SPEED * (seats or (counts[-1] if counts else 0)))


def _possible(game: str) -> str:
    can = [name for name in FAULTS if not impossible(name, GAMES[game])]
    return f"possible faults: {', '.join(can)}"


def _seats(arguments: argparse.Namespace) -> int | None:
    """Return the number of seats that play; None for all. Raises UsageError for an impossible number."""
    game, counts = GAMES[arguments.game], seat_counts(GAMES[arguments.game])
    if arguments.seats is None or arguments.seats in counts:
        return arguments.seats  # type: ignore[no-any-return]  # it has no type of its own
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}" if counts else ""
    raise UsageError(
        f"{arguments.seats} seats cannot play {game.name}",
        f"{many} can" if many else "its guests have no seats: leave --seats out",
    )


def _procedure(arguments: argparse.Namespace, reader: str) -> str | None:
    """Return the procedure of the game; None if it has one only. Raises UsageError if it does not fit."""
    game = GAMES[arguments.game]
    given = {"procedure": arguments.procedure} if arguments.procedure else {}
    if given and "procedure" not in game.terms.__struct_fields__:
        raise UsageError(f"{game.name} has only one procedure", "leave --procedure out")
    terms = game.terms(**given)
    procedure: str | None = getattr(terms, "procedure", None)
    if READERS[reader].judges and game.play.verdict is None:
        raise UsageError(
            f"an {reader} decides its own games, and {game.name} is not one of them", "use another --reader"
        )
    if READERS[reader].judges and game.play.unjudged(terms):
        usual: str = getattr(game.terms(), "procedure", "other")
        what = f"an Angel Eye shoe decides {usual} tables only"
        raise UsageError(what, f"leave --procedure {procedure} out")
    return procedure


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds: write 1 or more")
    return int(text)


def _fault(text: str) -> str:
    if text not in FAULTS:
        raise argparse.ArgumentTypeError(unknown(text))
    return text


def _svg(text: str) -> Path:
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a picture's name: write one that ends in .svg")
    return Path(text)
