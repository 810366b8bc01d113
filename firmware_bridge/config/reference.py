"""Reference of `bridge.toml`: each key with its meaning, allowed values and default, from the types."""

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple, get_args

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from firmware_bridge.config.load import LAMPS, SECTIONS
from firmware_bridge.config.pins import AnySensor, KeypadConfig, LockConfig, PinConfig, SensorConfig
from firmware_bridge.config.read_section import what_may_stand
from firmware_bridge.config.sections import Config
from firmware_bridge.config.toml_text import in_toml
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game

ABOUT: Final = """\
Every key has a default, except `[table] id`. `shoe check` reports all mistakes at once; `shoe config` shows the
configuration of a table with its defaults. The daemon reads the file when it starts; `[table]`, `[game]`,
`[service]`, `[roads]` and `[limits]` then apply from the next shoe. Secrets come from files."""

NAMED: Final = {"limits": "NAME", "presence": "SLOT", "lamps": "LAMP", "keys": "SEAT.WORD"}
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

MONEY: Final = "money as a whole number or text, or { low = .., high = .. }"


class Key(NamedTuple):
    """Key under its title. `may`: allowed values; `default` in TOML, "" where there is none."""

    title: str
    name: str
    meaning: str
    may: str
    default: str = ""


def keys() -> Iterator[Key]:
    """Every key, section by section."""
    own = _meanings(Config)
    for section, kind in SECTIONS.items():
        title = f"[{section}]"
        match section:
            case "game":
                for game in GAMES.values():
                    yield from _keys(f"{title} of {game.name}", game.terms, without=("good_roads",))
            case "limits":
                yield Key(title, NAMED[section], own[section], MONEY)
            case "presence" | "lamps":
                yield Key(title, NAMED[section], f"{own[section]} {_names(section)}", _may(get_args(kind)[1]))
            case "keys":
                yield Key(title, NAMED[section], own[section], _may(get_args(kind)[1]))
            case "keypad":
                yield from _keys(f"[{title}]", KeypadConfig)
            case _:
                yield from _keys(title, kind, without=("keys",))
        if section == "pins":
            for name in dict.fromkeys(name for game in GAMES.values() for name in game.play.keys):
                yield Key(title, name, "The dealer's key for this result.", _may(AnySensor))
    for title, kind in WIRES.items():
        common = () if kind is PinConfig else PinConfig.__struct_fields__
        yield from _keys(f"In braces {{ }}: {title}", kind, common)


def unnamed(text: str, game: Game) -> list[str]:
    """The keys that a config of this game does not mention, not even behind a #: new ones after an update."""
    named, section = set(), ""
    for line in text.splitlines():
        if head := re.match(r"[\s#]*\[(\w+)\]", line):
            section = head[1]
        elif key := re.match(r"[\s#]*(\w+)\s*=", line):
            named.add(f"[{section}] {key[1]}")
    mine = {*(f"[{section}]" for section in SECTIONS), f"[game] of {game.name}"}
    known = [f"{key.title.split(' of ')[0]} {key.name}" for key in keys() if key.title in mine and key.name.islower()]
    return [key for key in known if key not in named]


def document() -> str:
    """The reference as Markdown."""
    lines = [
        "# Every key of bridge.toml",
        "",
        "Made by `shoe config --reference` from the types that read the file.",
        "",
        ABOUT,
    ]
    for title, rows in groupby(keys(), lambda key: key.title):
        lines += ["", f"## {title}", "", "| key | meaning | allowed | default |", "|---|---|---|---|"]
        lines += [
            f"| `{key.name}` | {_cell(key.meaning)} | {_cell(key.may)} | {_cell(key.default) or '-'} |" for key in rows
        ]
    return "\n".join([*lines, ""])


def _keys(title: str, kind: type[Struct], without: tuple[str, ...] = ()) -> Iterator[Key]:
    meanings = _meanings(kind)
    for field in fields(kind):
        if field.name not in without:
            made = field.default_factory() if field.default_factory is not NODEFAULT else field.default
            default = "" if made in (NODEFAULT, None) else in_toml(made)
            yield Key(title, field.encode_name, meanings.get(field.name, ""), _may(field.type), default)


def _meanings(kind: type[Struct]) -> dict[str, str]:
    """Key -> its meaning: the paragraphs `key: meaning` in the docstring of its section."""
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
    """Allowed names of keys in a section."""
    sensed = [game for game in GAMES.values() if game.play.sensed or section == "lamps"]
    slots = dict.fromkeys(slot for game in sensed for slot in game.slots)
    seats = dict.fromkeys(seat for game in GAMES.values() for seat in game.seats)
    return f"Names: {', '.join((*slots, *seats, *LAMPS) if section == 'lamps' else slots)}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
