"""Reads the table's configuration, `bridge.toml`: checked as a whole, all mistakes reported at once."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import fields

from firmware_bridge.config.pins import AnyPin, AnySensor, KeypadConfig, PinsConfig, wrong_keys
from firmware_bridge.config.read_section import (
    good_keys,
    good_sections,
    read_document,
    read_password,
    refuse,
    typed_keys,
    unprintable,
)
from firmware_bridge.config.sections import Config, TableConfig
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.config.validate import with_mode, with_usual, wrong_together
from firmware_bridge.facts.house import Limit
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.printable import fault
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.mqtt.settings import BrokerSettings

LAMPS: Final = ("ready", "fault")
"""Lamps of every table, besides its slots and seats."""

SECTIONS: Final = {field.encode_name: field.type for field in fields(Config)}


def load(path: Path, nameless: str | None = None) -> Config:
    """The configuration in a file. nameless: table id if the file has none. Raises ConfigError, a mistake a line."""
    raw = read_document(path)
    if nameless and isinstance(table := raw.setdefault("table", {}), dict):
        table.setdefault("id", nameless)
    return parse(raw, str(path))


def parse(raw: dict[str, Any], name: str = "config") -> Config:
    """The configuration in a TOML document. Raises ConfigError with every mistake, one a line."""
    mistakes: list[str] = []
    game = _game(raw)
    raw = with_usual(with_mode(raw, game), game)
    sections = good_sections(
        raw, SECTIONS, lambda section, keys: _section(section, keys, game, mistakes), mistakes, lists=("keypad",)
    )
    if "table" not in raw or ("table" in sections and "id" not in raw["table"]):
        mistakes.append('[table] id is missing: write id = "T07", the name of this table')
    mistakes += unprintable(raw)
    mistakes += wrong_together(raw, sections, game)
    refuse(name, mistakes)
    return Config(**sections)


def _game(raw: dict[str, Any]) -> Game:
    """The game of the table; the default one where the document names none that is known."""
    table = raw.get("table")
    name = table.get("game") if isinstance(table, dict) else None
    return GAMES.get(name if isinstance(name, str) else "", GAMES[TableConfig(id="?").game])


def _section(section: str, keys: Any, game: Game, mistakes: list[str]) -> Any:
    """A section with its good keys; mistakes in the others are appended to `mistakes`."""
    where = f"[{section}] "
    match section:
        case "keypad":
            return _keypads(keys, mistakes)
        case "limits":
            return limits(keys, mistakes)
        case "lamps":
            return typed_keys(dict.fromkeys((*game.slots, *game.seats, *LAMPS), AnyPin), where, keys, mistakes)
        case "keys":
            mistakes += (wrong := list(wrong_keys(keys, game)))
            return {} if wrong else typed_keys(dict.fromkeys(keys, AnySensor), where, keys, mistakes)
        case "presence":
            return typed_keys(dict.fromkeys(game.slots, AnySensor), where, keys, mistakes)
        case "game":
            return _terms(game, good_keys(game.terms, where, keys, mistakes), mistakes)
        case "pins":
            results = {key: keys[key] for key in keys if key in game.play.keys}
            own = typed_keys(dict.fromkeys(game.play.keys, AnySensor), where, results, mistakes)
            others = {key: value for key, value in keys.items() if key not in results}
            return PinsConfig(**good_keys(PinsConfig, where, others, mistakes, without=("keys",)), keys=own)
    moved = [key for key in keys if section == "table" and key in game.terms.__struct_fields__]
    mistakes += [f"[table] {key} belongs in [game]: it is a setting of {game.name}" for key in moved]
    good = good_keys(SECTIONS[section], where, {key: keys[key] for key in keys if key not in moved}, mistakes)
    if section == "table":
        good.setdefault("id", "?")
    return SECTIONS[section](**good)


def _keypads(pads: Any, mistakes: list[str]) -> tuple[KeypadConfig, ...]:
    """The serial keypads; mistakes are appended to `mistakes`."""
    if not isinstance(pads, list):
        mistakes.append("each keypad has its own section: write [[keypad]]")
        return ()
    found = []
    for keys in pads:
        good = good_keys(KeypadConfig, "[[keypad]] ", keys, mistakes)
        needed = ("port",) if keys.get("dealer") is True else ("port", "seats")
        if missing := [name for name in needed if name not in keys]:
            mistakes.append(f"[[keypad]] {missing[0]} is missing: write port and seats")
        elif len(good) == len(keys):
            found.append(KeypadConfig(**good))
    return tuple(found)


def _terms(game: Game, good: dict[str, Any], mistakes: list[str]) -> Any:
    """The settings of a game; what contradicts among them is appended to `mistakes`."""
    try:
        return game.terms(**good)
    except ValueError as error:
        mistakes.append(f"[game] {error}")
        return game.terms()


def broker_settings(config: Config) -> BrokerSettings:
    """Settings of the broker, with the password read from its file. Raises ConfigError if it cannot be read."""
    mqtt = config.mqtt
    password = read_password("mqtt", mqtt.password_file, Path(mqtt.password_file)) if mqtt.password_file else None
    return BrokerSettings(
        host=mqtt.host,
        port=mqtt.port,
        client_id=mqtt.client_id or _client_id(config.table.id),
        username=mqtt.username,
        password=password,
        ca=mqtt.ca,
        cert=mqtt.cert,
        key=mqtt.key,
    )


def _client_id(table: str) -> str:
    """A stable client id, unique to the machine: from the board's serial number, else the machine id."""
    for path in (Path("/sys/firmware/devicetree/base/serial-number"), Path("/etc/machine-id")):
        try:
            return f"shoe-{table}-{path.read_text('ascii').strip(chr(0)).strip()[-12:]}"
        except (OSError, UnicodeDecodeError):
            continue
    return f"shoe-{table}"


def limits(keys: dict[str, Any], mistakes: list[str]) -> dict[str, Limit]:
    """The limits as written; mistakes are appended to `mistakes`."""
    good: dict[str, Limit] = {}
    for name, value in keys.items():
        found = list(_wrong_limit(name, value))
        mistakes += [f"[limits] {name[:LONGEST_NAME]} = {as_written(value)}: {each}" for each in found]
        if not found:
            good[name] = value
    return good


def _wrong_limit(name: str, value: Any) -> Iterator[str]:
    if wrong := fault(name, LONGEST_NAME):
        yield f"the name {wrong}"
        return
    try:
        msgspec.convert(value, Limit)
    except msgspec.ValidationError:
        yield f'write a whole number, or text such as {name} = "10000.00"'
        return
    parts = value if isinstance(value, dict) else {name: value}
    amounts = {key: _amount(each) for key, each in parts.items()}
    for key, amount in amounts.items():
        if amount is None:
            yield f'{key} is not an amount of money: write {key} = "10000.00"'
    low, high = amounts.get("low"), amounts.get("high")
    if low is not None and high is not None:
        if type(parts["low"]) is not type(parts["high"]):
            yield "one is a number, the other text: write low and high the same way"
        if low > high:
            yield f"low ({low}) is above high ({high})"


def _amount(written: int | str) -> Decimal | None:
    """Money in plain decimals; None for anything else or a negative amount."""
    if isinstance(written, str) and not set(written) <= set("0123456789."):
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        return None
    return amount if amount >= 0 else None
