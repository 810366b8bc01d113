"""Where each key of `bridge.toml` belongs, at a table of one game."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from firmware_bridge.config.limits import BET, ENDS, FORM, OF_TABLE, names
from firmware_bridge.config.misplaced import Known, Places, places_of
from firmware_bridge.config.pins import KeypadConfig, LockConfig, PinsConfig, SensorConfig, mark_of_key, seat_numbers
from firmware_bridge.config.sections import (
    Config,
    JournalConfig,
    MqttConfig,
    OrderKeyConfig,
    ReaderConfig,
    RecordConfig,
    RightsConfig,
    RoadsConfig,
    ServiceConfig,
    TableConfig,
)
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.bets import BETS
from firmware_bridge.games.game import Game

LAMPS: Final = ("ready", "fault")
"""Lamps of every table, besides its slots and seats."""

_AMOUNTS: Final = (*ENDS, "min", "max")
"""What people write for the ends of a limit."""

_ALIKE: Final = {
    "table": TableConfig,
    "service": ServiceConfig,
    "roads": RoadsConfig,
    "reader": ReaderConfig,
    "mqtt": MqttConfig,
    "journal": JournalConfig,
    "record": RecordConfig,
    "rights": RightsConfig,
}
"""Sections with the same keys in all games."""


def places(game: Game) -> Places:
    """The places of every key of every section, and of other games' keys."""
    own, title = _own(game), {"keypad": "[[keypad]]", "orders": "[[orders]]"}
    rows = [(title.get(section, f"[{section}]"), key) for section, keys in own.items() for key in keys]
    rows += [("the braces { } of a wire", key) for kind in (SensorConfig, LockConfig) for key in kind.__struct_fields__]
    rows += [(f"[limits]: {OF_TABLE} = {FORM}", key) for key in _AMOUNTS]
    return places_of([*rows, *_of_other_games(game, own)])


def known(game: Game, raw: dict[str, Any]) -> Known:
    """Section -> keys that are read there, or that are answered there with more than the place where they belong."""
    written = raw.get("keys")
    marks = [key for key in (written if isinstance(written, dict) else ()) if mark_of_key(key)]
    own, terms = _own(game), game.terms.__struct_fields__
    more: dict[str, Collection[str]] = {
        "table": terms,
        "game": (*terms, *BETS),  # payments, which cannot be set: they belong nowhere, though [pins] has a key `tie`
        "limits": (*_AMOUNTS, BET, *(name for each in GAMES.values() for name in names(each))),
        "presence": game.slots,
        "keys": marks,
    }
    return {section: (*keys, *more.get(section, ())) for section, keys in own.items()}


def _own(game: Game) -> dict[str, Sequence[str]]:
    """Section -> its keys at a table of this game, in the order of the reference; of `[limits]` without the bets."""
    without, enforced = ("good_roads", *(game.money.bet_range or ())), (*game.money.bets, OF_TABLE)
    found: dict[str, Sequence[str]] = {section: kind.__struct_fields__ for section, kind in _ALIKE.items()}
    found |= {
        "game": [key for key in game.terms.__struct_fields__ if key not in without],
        "limits": [key for key in names(game) if key not in enforced],
        "pins": [*(key for key in PinsConfig.__struct_fields__ if key != "keys"), *game.play.keys],
        "presence": game.slots if game.play.sensed else (),
        "lamps": (*game.slots, *game.seats, *LAMPS),
        "keys": [f"S{seat}.{word}" for seat in seat_numbers(game) for word in game.play.words],
        "keypad": KeypadConfig.__struct_fields__,
        "orders": OrderKeyConfig.__struct_fields__,
    }
    return {section: found[section] for section in Config.__struct_fields__}


def _of_other_games(game: Game, own: dict[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Place and key for the keys that only tables of other games have, `[game] of niuniu and erbagang`."""
    others = {other.name: _own(other) for other in GAMES.values() if other is not game}
    for section in ("game", "limits", "pins"):
        keys = dict.fromkeys(key for each in others.values() for key in each[section] if key not in own[section])
        for key in keys:
            yield f"[{section}] of {' and '.join(name for name, each in others.items() if key in each[section])}", key
