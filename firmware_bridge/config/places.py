"""The keys of `bridge.toml` with their types, and where each belongs, at a table of one game."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec.structs import fields

from firmware_bridge.config.limits import BET, ENDS, FORM, OF_TABLE, names
from firmware_bridge.config.misplaced import Known, Places, places_of
from firmware_bridge.config.pins import (
    AnyPin,
    AnySensor,
    KeypadConfig,
    LockConfig,
    PinsConfig,
    SensorConfig,
    mark_of_key,
    seat_numbers,
)
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

ALIKE: Final = {
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

LISTS: Final = ("keypad", "orders")
"""Sections that are lists of tables."""

_LIMITS: Final = {game.name: frozenset(names(game)) for game in GAMES.values()}
_MARK: Final = re.compile(r"S\d+\.\w+(=\w+)?|\w+=\w+")
"""The form of a name in `[keys]`."""

Kinds = Mapping[str, Mapping[str, Any]]
"""Section -> key -> its type."""


def kinds(game: Game) -> Kinds:
    """Return the type of each key, at a table of this game, in the sections that are read by types alone."""
    own = {key: kind for key, kind in types_of(PinsConfig).items() if key != "keys"}
    return {
        **{section: types_of(kind) for section, kind in ALIKE.items()},
        "game": {key: kind for key, kind in types_of(game.terms).items() if key not in elsewhere(game)},
        "pins": own | dict.fromkeys(game.play.keys, AnySensor),
        "presence": dict.fromkeys(game.slots, AnySensor),
        "lamps": dict.fromkeys((*game.slots, *game.seats, *LAMPS), AnyPin),
    }


@cache
def types_of(kind: type[Any]) -> Mapping[str, Any]:
    """Return key -> type of a section with the fields of a struct."""
    return {field.name: field.type for field in fields(kind)}


def elsewhere(game: Game) -> tuple[str, ...]:
    """Return the settings of a game that do not stand in `[game]`, but in `[roads]` and `[limits]`."""
    return "good_roads", *(game.money.bet_range or ())


def are_placed(raw: Mapping[str, Any], known: Kinds, game: Game) -> bool:
    """Return whether each key of the document stands where it belongs; a false alarm costs the look at all places."""
    rows = {"keypad": KeypadConfig.__struct_fields__, "orders": OrderKeyConfig.__struct_fields__}
    names: Mapping[str, Collection[str]] = {**known, **rows, "limits": _LIMITS[game.name]}
    for section, content in raw.items():
        for keys in content if isinstance(content, list) else [content]:
            if not isinstance(keys, dict) or (section not in names and section != "keys"):
                return False
            if not all(_MARK.fullmatch(key) if section == "keys" else key in names[section] for key in keys):
                return False
    return True


def places(game: Game) -> Places:
    """Return the places of every key of every section, and of other games' keys."""
    own, title = _own(game), {"keypad": "[[keypad]]", "orders": "[[orders]]"}
    rows = [(title.get(section, f"[{section}]"), key) for section, keys in own.items() for key in keys]
    rows += [("the braces { } of a wire", key) for kind in (SensorConfig, LockConfig) for key in kind.__struct_fields__]
    rows += [(f"[limits]: {OF_TABLE} = {FORM}", key) for key in _AMOUNTS]
    return places_of([*rows, *_of_other_games(game, own)])


def known(game: Game, raw: dict[str, Any]) -> Known:
    """Return section -> keys that are read there, or answered there with more than their place."""
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
    """Return section -> its keys at a table of this game, in the order of the reference; of `[limits]` without bets."""
    enforced = (*game.money.bets, OF_TABLE)
    found: dict[str, Sequence[str]] = {section: [*keys] for section, keys in kinds(game).items()}
    found |= {
        "limits": [key for key in names(game) if key not in enforced],
        "presence": game.slots if game.play.sensed else (),
        "keys": [f"S{seat}.{word}" for seat in seat_numbers(game) for word in game.play.words],
        "keypad": KeypadConfig.__struct_fields__,
        "orders": OrderKeyConfig.__struct_fields__,
    }
    return {section: found[section] for section in Config.__struct_fields__}


def _of_other_games(game: Game, own: dict[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield place and key for the keys that only tables of other games have, `[game] of niuniu and erbagang`."""
    others = {other.name: _own(other) for other in GAMES.values() if other is not game}
    for section in ("game", "limits", "pins"):
        keys = dict.fromkeys(key for each in others.values() for key in each[section] if key not in own[section])
        for key in keys:
            yield f"[{section}] of {' and '.join(name for name, each in others.items() if key in each[section])}", key
