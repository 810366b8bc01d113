"""Reads the table's configuration, `bridge.toml`: checked as a whole, all mistakes reported at once."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec.structs import fields

from firmware_bridge.config.effects import cannot_be_set
from firmware_bridge.config.limits import BET, contradictory, enforced, in_limits, limits
from firmware_bridge.config.misplaced import placed
from firmware_bridge.config.pins import AnySensor, KeypadConfig, wrong_keys, wrong_pads
from firmware_bridge.config.places import ALIKE, LISTS, are_placed, elsewhere, kinds, known, places
from firmware_bridge.config.read_section import (
    good_keys,
    read_document,
    read_password,
    refuse,
    typed_keys,
    typed_sections,
)
from firmware_bridge.config.sections import Config, OrderKeyConfig, TableConfig, close_of, orders_by_mqtt
from firmware_bridge.config.validate import MODES, Read, wrong_together
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.facts.orders import ALL
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import usual
from firmware_bridge.mqtt.settings import BrokerSettings

_NO_TABLE: Final[dict[str, Any]] = {"table": TableConfig(id="?")}
SECTIONS: Final = {field.encode_name: field.type for field in fields(Config)}


def load(path: Path, nameless: str | None = None) -> Config:
    """Return the config in a file. nameless: table id if the file has none. Raises ConfigError, a mistake a line."""
    raw = read_document(path)
    if nameless and isinstance(table := raw.setdefault("table", {}), dict):
        table.setdefault("id", nameless)
    return parse(raw, str(path))


def parse(raw: dict[str, Any], name: str = "config") -> Config:
    """Return the configuration in a TOML document: read whole, then checked.

    Raises ConfigError with every mistake, one a line.
    """
    game = _game(raw)
    written, misplaced = raw, list[str]()
    raw, types = _filled(written, game), kinds(game)
    if not are_placed(raw, types, game):
        raw = _filled(_placed(written, game, misplaced), game)
    good, mistyped = typed_sections(raw, SECTIONS, types, {"orders": OrderKeyConfig}, LISTS)
    sections, wrong = _sections(good, game)
    config = Config(**{**_NO_TABLE, **sections})
    terms = config.game or game.terms()
    mistakes = [*misplaced, *mistyped, *wrong, *contradictory(config.limits, game, terms)]
    if "table" not in raw or ("table" in sections and "id" not in raw["table"]):
        mistakes.append('[table] id is missing: write id = "T07", the name of this table')
    commands, close = orders_by_mqtt(config.mqtt, config.orders), close_of(config.table, config.reader, game, terms)
    read = Read(raw, config, game, terms, commands, close, config.table.decks * game.size)
    mistakes += map("[game] {}".format, game.wrong_terms(terms))
    if config.keypad:
        mistakes += wrong_pads(config.keypad, game)
    mistakes += wrong_together(read)
    if mistakes:
        refuse(name, [_with_page(each) for each in mistakes])
    return config


def _placed(raw: dict[str, Any], game: Game, mistakes: list[str]) -> dict[str, Any]:
    """Return the document without keys that belong elsewhere, each of which is appended to `mistakes`."""
    raw = placed(raw, known(game, raw), places(game), mistakes)
    strays = {
        "table": {
            key: f"[table] {key} belongs in [game]: it is a setting of {game.name}"
            for key in game.terms.__struct_fields__
        },
        "game": {
            key: in_limits(key, game) or "[game] good_roads belongs in [roads]: good = [..]"
            for key in elsewhere(game)
            if key in game.terms.__struct_fields__
        },
    }
    for section, texts in strays.items():
        keys = raw.get(section)
        if isinstance(keys, dict):
            mistakes += [texts[key] for key in keys if key in texts]
            raw = raw | {section: {key: value for key, value in keys.items() if key not in texts}}
    return raw


def _sections(good: dict[str, Any], game: Game) -> tuple[dict[str, Any], list[str]]:
    """Return the sections of a config, made of good keys alone, and the mistakes of those not read by a type."""
    sections, mistakes = dict(good), list[str]()
    if "table" in good:
        sections["table"] = {"id": "?"} | good["table"]
    if "pins" in good:
        pins = good["pins"]
        own = {key: pins[key] for key in game.play.keys if key in pins}
        sections["pins"] = {key: value for key, value in pins.items() if key not in own} | {"keys": own}
    for section in (*ALIKE, "pins"):
        if section in sections:
            sections[section] = SECTIONS[section](**sections[section])
    if "game" in good:
        sections["game"] = _terms(game, good["game"], mistakes)
    if keys := good.get("keys"):
        mistakes += (wrong := list(wrong_keys(keys, game)))
        sections["keys"] = {} if wrong else typed_keys(dict.fromkeys(keys, AnySensor), "[keys] ", keys, mistakes)
    if "keypad" in good:
        sections["keypad"] = _keypads(good["keypad"], mistakes)
    if "orders" in good:
        sections["orders"] = tuple(good["orders"])
    if "limits" in good:
        sections["limits"] = limits(good["limits"], game, mistakes)
    if bet := sections.get("limits", {}).pop(BET, None):
        sections["game"] = enforced(game, sections.get("game", game.terms()), bet, mistakes)
    return sections, mistakes


def _with_page(mistake: str) -> str:
    """Return a mistake; an unknown key that asks for what cannot be set points to the page that says so."""
    if mistake.startswith("[table] policy = {"):
        return f"{mistake}; exceptions to a policy cannot be set: shoe help exceptions"
    where, unknown, _ = mistake.partition(" is unknown: ")
    key = where.rpartition(" ")[2].strip("[]")
    return f"{where} {cannot_be_set(key)}" if unknown and cannot_be_set(key) else mistake


def _with_orders(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the document with its orders by their names, `bets_open`, also where it has `bets-open`.

    With a key in `[[orders]]`, no order is taken unsigned unless `[mqtt] commands` says so.
    """
    mqtt, keys = raw.get("mqtt", {}), raw.get("orders")
    if isinstance(keys, list):
        raw = raw | {"orders": [_by_name(each, "allows") for each in keys]}
    if not isinstance(mqtt, dict) or ("commands" not in mqtt and not keys):
        return raw
    return raw | {"mqtt": _by_name({"commands": []} | mqtt, "commands")}


def _filled(raw: dict[str, Any], game: Game) -> dict[str, Any]:
    """Return the document with its orders by their names, the keys of its mode, and the game's needs in `[table]`."""
    raw = _with_orders(raw)
    service = raw.get("service")
    mode = service.get("mode") if isinstance(service, dict) else None
    set_by_mode = MODES.get(str(mode) if game.play.squeezed else "", {})
    for section, keys in (*set_by_mode.items(), ("table", usual(game.name))):
        written = raw.get(section, {})
        is_known = section != "game" or keys.keys() <= set(game.terms.__struct_fields__)
        if keys and is_known and isinstance(written, dict):
            raw = raw | {section: keys | written}
    return raw


def _by_name(section: Any, key: str) -> Any:
    """Return a section with the orders in one of its lists by their names."""
    written = section.get(key) if isinstance(section, dict) else None
    if not isinstance(written, list):
        return section
    named = [each.replace("-", "_") if isinstance(each, str) else each for each in written]
    return section | {key: [name if name in ALL else each for name, each in zip(named, written, strict=True)]}


def _game(raw: dict[str, Any]) -> Game:
    """Return the game of the table; the default one where the document names none that is known."""
    table = raw.get("table")
    name = table.get("game") if isinstance(table, dict) else None
    return GAMES.get(name if isinstance(name, str) else "", GAMES[TableConfig(id="?").game])


def _keypads(pads: Any, mistakes: list[str]) -> tuple[KeypadConfig, ...]:
    """Return the serial keypads; mistakes are appended to `mistakes`."""
    if not isinstance(pads, list) or not all(isinstance(each, dict) for each in pads):
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
    """Return the settings of a game; what contradicts among them is appended to `mistakes`."""
    try:
        return game.terms(**good)
    except ValueError as error:
        mistakes.append(f"[game] {error}")
        return game.terms()


def broker_settings(config: Config) -> BrokerSettings:
    """Return the settings of the broker, with the password read from its file. Raises ConfigError if that fails."""
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
    """Return the digest of each section, to compare what was read with what a file has now; no secret is in it."""
    return {name: sha256(repr(getattr(config, name)).encode()).hexdigest()[:16] for name in config.__struct_fields__}


def machine_id() -> str | None:
    """Return the board's serial number, else the machine id; None where there is neither."""
    for path in (Path("/sys/firmware/devicetree/base/serial-number"), Path("/etc/machine-id")):
        try:
            return text_in(path, "ascii").strip(chr(0)).strip()
        except (OSError, Undecodable):
            continue
    return None


def _client_id(table: str) -> str:
    """Return a stable client id, unique to the machine."""
    machine = machine_id()
    return f"shoe-{table}-{machine[-12:]}" if machine else f"shoe-{table}"
