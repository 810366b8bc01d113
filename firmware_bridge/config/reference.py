"""Reference of `bridge.toml`: each key with its meaning, allowed values and default, from the types."""

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple, get_args

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from firmware_bridge.config.effects import games_of
from firmware_bridge.config.limits import BET, OF_SIDES, OF_TABLE, enforced_limit, names
from firmware_bridge.config.load import SECTIONS
from firmware_bridge.config.pins import AnySensor, KeypadConfig, LockConfig, PinConfig, SensorConfig
from firmware_bridge.config.places import LAMPS
from firmware_bridge.config.read_section import what_may_stand
from firmware_bridge.config.sections import Config, OrderKeyConfig, TableConfig
from firmware_bridge.config.toml_text import in_toml
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import usual

ABOUT: Final = """\
Every key has a default, except `[table] id`. `shoe check` reports all mistakes at once; `shoe config` shows the
configuration of a table with its defaults. The daemon reads the file when it starts; `[table]`, `[game]`,
`[service]`, `[roads]` and `[limits]` then apply from the next shoe. Secrets come from files. A key that has no effect
in the table's game is named in the log at the start, and by `shoe check`. What no key sets, such as what a bet pays, is
in `shoe help payout`.

`[limits]` has one form in every game, NAME = { low = .., high = .. }. The shoe enforces `bet` alone; the other limits
are published in the topic `table` and shown on guests' screens, and the backend refuses a bet beyond them. Limits that
contradict each other are refused."""

NAMED: Final = {"presence": "SLOT", "lamps": "LAMP", "keys": "SEAT.WORD"}
"""Sections with names as keys -> placeholder for the name."""

WIRES: Final = {"a wire": PinConfig, "a sensor or key, also": SensorConfig, "the lock, also": LockConfig}
"""Tables in braces { }, for a wire that needs more than its number."""

PLAIN: Final = {
    "write ": "",
    "use one of: ": "one of ",
    "text in quotation marks, not empty": "text",
    "; the 40-pin header has no other GPIO": "",
}
"""Wording of an error message -> wording of the reference."""

AMOUNTS: Final = '{ low = .., high = .. }, or one of them; for each an amount such as 100, 12.5 or "10000.00"'

LIMITS: Final = {
    BET: "The least and the most that a seat's bet may be. The shoe enforces it: other bets are refused.",
    OF_TABLE: "Every bet at the table; other limits lie in it. Shown to backends and guests; not enforced.",
    OF_SIDES: "The most by which all bets on banker and on player may differ, as high. Shown; not enforced.",
    "BET": "One bet, by its id: see shoe help payout. A side bet may begin below the table's low. Shown; not enforced.",
}
"""Key of `[limits]` -> its meaning."""


class ConfigKey(NamedTuple):
    """Key under its title. `may`: allowed values; `games`: () for all.

    default: in TOML, "" where there is none; where games differ, each value behind the names of its games.
    """

    title: str
    name: str
    meaning: str
    may: str
    default: str = ""
    games: tuple[str, ...] = ()


def keys() -> Iterator[ConfigKey]:
    """Yield every key, section by section."""
    own = _meanings(Config)
    for section, kind in SECTIONS.items():
        title = f"[{section}]"
        match section:
            case "game":
                for game in GAMES.values():
                    without = ("good_roads", *(game.money.bet_range or ()))
                    yield from _keys(f"{title} of {game.name}", game.terms, without)
            case "limits":
                yield from (
                    ConfigKey(title, name, text, AMOUNTS, _enforced() if name == BET else "", _limited(name))
                    for name, text in LIMITS.items()
                )
            case "presence" | "lamps":
                may, games = _may(get_args(kind)[1]), games_of(section, NAMED[section])
                yield ConfigKey(title, NAMED[section], f"{own[section]} {_names(section)}", may, games=games)
            case "keys":
                yield ConfigKey(title, NAMED[section], own[section], _may(get_args(kind)[1]))
            case "keypad":
                yield from _keys(f"[{title}]", KeypadConfig)
            case "orders":
                yield from _keys(f"[{title}]", OrderKeyConfig)
            case _:
                yield from _keys(title, kind, without=("keys",))
        if section == "pins":
            for name in dict.fromkeys(name for game in GAMES.values() for name in game.play.keys):
                games = tuple(game.name for game in GAMES.values() if name in game.play.keys)
                yield ConfigKey(title, name, "The dealer's key for this result.", _may(AnySensor), games=games)
    for title, kind in WIRES.items():
        common = () if kind is PinConfig else PinConfig.__struct_fields__
        yield from _keys(f"In braces {{ }}: {title}", kind, common)


def unnamed(text: str, game: Game) -> list[str]:
    """Return the keys that a config of this game does not mention, not even behind a #: new ones after an update."""
    named, section = set(), ""
    for line in text.splitlines():
        if head := re.match(r"[\s#]*\[(\w+)\]", line):
            section = head[1]
        elif key := re.match(r"[\s#]*(\w+)\s*=", line):
            named.add(f"[{section}] {key[1]}")
    mine = {*(f"[{section}]" for section in SECTIONS if section != "limits"), f"[game] of {game.name}"}
    known = [f"{key.title.split(' of ')[0]} {key.name}" for key in keys() if _is_of(key, game, mine)]
    return [key for key in known if key not in named]


def _is_of(key: ConfigKey, game: Game, titles: set[str]) -> bool:
    """Return whether a config of this game may have the key under one of the titles; not one that stands for names."""
    is_own = key.title.startswith("[game]") or not key.games or game.name in key.games
    return key.title in titles and key.name.islower() and is_own


def _enforced() -> str:
    """Return the default of the limit that the shoe enforces."""
    (ends,) = [ends for game in GAMES.values() if (ends := enforced_limit(game, game.terms()))]
    return in_toml(ends)


def _limited(name: str) -> tuple[str, ...]:
    """Return the games with this key of `[limits]`; () for all."""
    found = tuple(game.name for game in GAMES.values() if name in names(game) or (name == "BET" and game.money.bets))
    return () if len(found) == len(GAMES) else found


def document() -> str:
    """Return the reference as Markdown."""
    lines = [
        "# Every key of bridge.toml",
        "",
        "Made by `shoe config --reference` from the types that read the file.",
        "",
        ABOUT,
    ]
    for title, rows in groupby(keys(), lambda key: key.title):
        lines += ["", f"## {title}", "", "| key | games | meaning | allowed | default |", "|---|---|---|---|---|"]
        lines += [
            f"| `{key.name}` | {_games(key)} | {_cell(key.meaning)} | {_cell(key.may)} | {_cell(key.default) or '-'} |"
            for key in rows
        ]
    return "\n".join([*lines, ""])


def _keys(title: str, kind: type[Struct], without: tuple[str, ...] = ()) -> Iterator[ConfigKey]:
    meanings = _meanings(kind)
    for field in fields(kind):
        if field.name not in without:
            made = field.default_factory() if field.default_factory is not NODEFAULT else field.default
            games = games_of(title.strip("[]"), field.encode_name)
            default = "" if made in (NODEFAULT, None) else in_toml(made)
            if kind is TableConfig:
                default = _in_games(field.name, games) or default
            yield ConfigKey(title, field.encode_name, meanings.get(field.name, ""), _may(field.type), default, games)


def _in_games(key: str, games: tuple[str, ...]) -> str:
    """Return the default of a key of `[table]` where the games that have it differ, or the game decides; else ""."""
    if key not in House.__struct_fields__ or key == "game":
        return ""
    named: dict[str, list[str]] = {}
    for game in games or GAMES:
        table = TableConfig(id="-", game=game, **usual(game))
        value = getattr(Config(table=table).house, key)
        named.setdefault(in_toml("none" if value is None else value), []).append(game)
    if len(named) == 1 and getattr(TableConfig(id="-"), key) is not None:
        return ""
    return "; ".join(f"{', '.join(of)}: {value}" for value, of in named.items())


def _meanings(kind: type[Struct]) -> dict[str, str]:
    """Return key -> its meaning: the paragraphs `key: meaning` in the docstring of its section."""
    found: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(kind.__doc__ or "").splitlines():
        if begun := re.match(r"(\w+): (.+)", line):
            name, found[begun[1]] = begun[1], begun[2]
        elif line and name:
            found[name] += f" {line.strip()}"
        else:
            name = ""
    return {name: text[0].upper() + text[1:] if text[0].isalpha() else text for name, text in found.items()}


def _may(kind: Any) -> str:
    text = what_may_stand(kind)
    for mistaken, plain in PLAIN.items():
        text = text.replace(mistaken, plain)
    return text


def _names(section: str) -> str:
    """Return the allowed names of keys in a section."""
    sensed = [game for game in GAMES.values() if game.play.sensed or section == "lamps"]
    slots = dict.fromkeys(slot for game in sensed for slot in game.slots)
    seats = dict.fromkeys(seat for game in GAMES.values() for seat in game.seats)
    return f"Names: {', '.join((*slots, *seats, *LAMPS) if section == 'lamps' else slots)}."


def _games(key: ConfigKey) -> str:
    return key.title.partition(" of ")[2] if key.title.startswith("[game]") else ", ".join(key.games) or "all"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
