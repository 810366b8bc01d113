"""Reads the table's configuration, `bridge.toml`: checked as a whole, all mistakes reported at once."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec.structs import fields

from firmware_bridge.config.effects import cannot_be_set
from firmware_bridge.config.limits import BET, contradictory, enforced, in_limits, limits
from firmware_bridge.config.misplaced import placed
from firmware_bridge.config.pins import AnyPin, AnySensor, KeypadConfig, PinsConfig, wrong_keys
from firmware_bridge.config.places import LAMPS, known, places
from firmware_bridge.config.read_section import (
    good_keys,
    good_rows,
    good_sections,
    read_document,
    read_password,
    refuse,
    typed_keys,
    unprintable,
)
from firmware_bridge.config.sections import Config, OrderKeyConfig, TableConfig
from firmware_bridge.config.validate import with_mode, with_usual, wrong_together
from firmware_bridge.facts.orders import ALL
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.mqtt.settings import BrokerSettings

_NOT_IN_GAME: Final = ("good_roads",)
"""Settings of a game that have a section of their own."""

LISTS: Final = ("keypad", "orders")
"""Sections that are lists of tables."""

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
    raw = _with_orders(placed(raw, known(game, raw), places(game), mistakes))
    raw = with_usual(with_mode(raw, game), game)
    sections = good_sections(
        raw,
        SECTIONS,
        lambda section, keys: _section(section, keys, game, mistakes),
        mistakes,
        lists=LISTS,
    )
    if "table" not in raw or ("table" in sections and "id" not in raw["table"]):
        mistakes.append('[table] id is missing: write id = "T07", the name of this table')
    if bet := sections.get("limits", {}).pop(BET, None):
        sections["game"] = enforced(game, sections.get("game", game.terms()), bet, mistakes)
    mistakes += contradictory(sections.get("limits", {}), game, sections.get("game", game.terms()))
    mistakes += unprintable(raw)
    mistakes += wrong_together(raw, sections, game)
    refuse(name, [_with_page(each) for each in mistakes])
    return Config(**sections)


def _with_page(mistake: str) -> str:
    """A mistake; an unknown key that asks for what cannot be set points to the page that says so."""
    if mistake.startswith("[table] policy = {"):
        return f"{mistake}; exceptions to a policy cannot be set: shoe help exceptions"
    where, unknown, _ = mistake.partition(" is unknown: ")
    key = where.rpartition(" ")[2].strip("[]")
    return f"{where} {cannot_be_set(key)}" if unknown and cannot_be_set(key) else mistake


def _with_orders(raw: dict[str, Any]) -> dict[str, Any]:
    """The document with its orders by their names, `bets_open`, also where it has `bets-open`.

    With a key in `[[orders]]`, no order is taken unsigned unless `[mqtt] commands` says so.
    """
    mqtt, keys = raw.get("mqtt", {}), raw.get("orders")
    if isinstance(keys, list):
        raw = raw | {"orders": [_by_name(each, "allows") for each in keys]}
    if not isinstance(mqtt, dict) or ("commands" not in mqtt and not keys):
        return raw
    return raw | {"mqtt": _by_name({"commands": []} | mqtt, "commands")}


def _by_name(section: Any, key: str) -> Any:
    """A section with the orders in one of its lists by their names."""
    written = section.get(key) if isinstance(section, dict) else None
    if not isinstance(written, list):
        return section
    named = [each.replace("-", "_") if isinstance(each, str) else each for each in written]
    return section | {key: [name if name in ALL else each for name, each in zip(named, written, strict=True)]}


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
        case "orders":
            return tuple(good_rows(OrderKeyConfig, "orders", keys, mistakes))
        case "limits":
            return limits(keys, game, mistakes)
        case "lamps":
            return typed_keys(dict.fromkeys((*game.slots, *game.seats, *LAMPS), AnyPin), where, keys, mistakes)
        case "keys":
            mistakes += (wrong := list(wrong_keys(keys, game)))
            return {} if wrong else typed_keys(dict.fromkeys(keys, AnySensor), where, keys, mistakes)
        case "presence":
            return typed_keys(dict.fromkeys(game.slots, AnySensor), where, keys, mistakes)
        case "game":
            mistakes += [line for key in keys if (line := in_limits(key, game))]
            without = (*(game.money.bet_range or ()), *_NOT_IN_GAME)
            own = {key: value for key, value in keys.items() if key not in without}
            return _terms(game, good_keys(game.terms, where, own, mistakes, without), mistakes)
        case "pins":
            results = dict.fromkeys(game.play.keys, AnySensor)
            good = good_keys(PinsConfig, where, keys, mistakes, without=("keys",), more=results)
            own = {key: good.pop(key) for key in results if key in good}
            return PinsConfig(**good, keys=own)
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


def digests(config: Config) -> dict[str, str]:
    """A digest of each section of a config, to compare what was read with what a file has now; no secret is in it."""
    return {name: sha256(repr(getattr(config, name)).encode()).hexdigest()[:16] for name in config.__struct_fields__}


def machine_id() -> str | None:
    """The board's serial number, else the machine id; None where there is neither."""
    for path in (Path("/sys/firmware/devicetree/base/serial-number"), Path("/etc/machine-id")):
        try:
            return path.read_text("ascii").strip(chr(0)).strip()
        except (OSError, UnicodeDecodeError):
            continue
    return None


def _client_id(table: str) -> str:
    """A stable client id, unique to the machine."""
    machine = machine_id()
    return f"shoe-{table}-{machine[-12:]}" if machine else f"shoe-{table}"
