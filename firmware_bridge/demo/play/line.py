"""One line of given rounds: its inputs read, and its answer."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from firmware_bridge.demo.play.table import PlayedTable
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts import orders
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import house_of, usual


class LineError(BridgeError, ValueError):
    """A line that says no round or comparison of the game."""


Amount = str | int | float
"""Money as it may be written; exact as a text."""


class _Played(Struct, frozen=True):
    """The inputs of a played round or game; what else stands in the line is not read."""

    moves: tuple[str, ...]
    settings: dict[str, Any] = {}
    bets: dict[str, Amount] = {}
    money: dict[str, Amount] = {}
    left: int | None = None


PLAYED: Final = ("round", "game")
"""The types of lines that are played; others compare hands."""

OF_TABLE: Final = ("decks",)
"""Settings that are the table's, not the game's."""


def answer(name: str, text: str | bytes) -> dict[str, Any]:
    """What is answered to a line: steps and result, or how its hands compare. Raises LineError."""
    try:
        given = msgspec.json.decode(text, type=dict[str, Any])
        if given.get("game", name) != name:
            raise LineError(f"a line of {given['game']}, not of {name}", f"give it to scripts/play {given['game']}")
        answered = _play(GAMES[name], given) if given.get("type") in PLAYED else _compared(GAMES[name], given)
    except BridgeError as error:
        raise LineError(error.what, error.hint) from None
    except Exception as error:  # whatever a line holds, those behind it are answered
        raise LineError(f"{type(error).__name__}: {error}", "a line is a JSON object as in the samples") from None
    return {"id": given.get("id"), **answered}


def _play(game: Game, given: dict[str, Any]) -> dict[str, Any]:
    line = msgspec.convert(given, _Played)
    table = PlayedTable(_house(game, line.settings), given["type"] == "game")
    stakes = orders.BetsClosed(bets=_texts(line.bets), money=_texts(line.money)) if game.stakes else None
    pack = orders.Pack(decks=line.settings.get("decks"), left=line.left)
    steps = [table.begin(pack, stakes), *[table.move(word) for word in line.moves]]
    result = game.summary(table.rounds) if game.summary and table.is_over and table.rounds else None
    return {"steps": steps, "result": result}


def _texts(amounts: dict[str, Amount]) -> dict[str, str]:
    return {seat: str(amount) for seat, amount in amounts.items()}


def _house(game: Game, settings: dict[str, Any]) -> Any:
    """The house of a line's settings; those that nobody knows are not read."""
    known = {name: value for name, value in settings.items() if name in game.terms.__struct_fields__}
    terms = msgspec.convert(known, game.terms, strict=False)
    own = {name: value for name, value in settings.items() if name in OF_TABLE}
    named = {name: getattr(terms, name) for name in known}
    return house_of(game.name, **{**usual(game.name), **own, "new_shoe": "command", "virtual_cut": None, **named})


def _compared(game: Game, given: dict[str, Any]) -> dict[str, Any]:
    if game.compare is None:
        raise LineError(f"{game.name} compares no hands", 'give lines of the type "round" or "game"')
    return dict(game.compare(given))
