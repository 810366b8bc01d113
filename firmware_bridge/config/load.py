"""The table's configuration: `bridge.toml`, checked as a whole, every mistake told at once."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import fields, replace

from firmware_bridge.config.sections import READERS, Config, ReaderConfig, TableConfig
from firmware_bridge.config.wanted import table_of, what_may_stand
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.house import Limit
from firmware_bridge.mqtt.settings import BrokerSettings

SECTIONS: Final = {field.encode_name: field.type for field in fields(Config)}


def load(path: Path, nameless: str | None = None) -> Config:
    """The configuration in a file. Raises ConfigError with every mistake, one a line.

    nameless: the table's id where the file gives none; without it the id is required.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "name the file with --config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}", "a text is written in quotation marks") from None
    if nameless and isinstance(table := raw.setdefault("table", {}), dict):
        table.setdefault("id", nameless)
    return parse(raw, str(path))


def parse(raw: dict[str, Any], name: str = "config") -> Config:
    """The configuration in a TOML document. Raises ConfigError with every mistake, one a line."""
    mistakes: list[str] = []
    sections: dict[str, Any] = {}
    for section, keys in raw.items():
        if section not in SECTIONS:
            mistakes.append(_unknown(f"[{section}]", section, SECTIONS))
        elif not isinstance(keys, dict):
            mistakes.append(f"{section} is a section: write [{section}]")
        elif section == "limits":
            sections[section] = _limits(keys, mistakes)
        else:
            sections[section] = _section(section, keys, mistakes)
    if "table" not in raw or ("table" in sections and "id" not in raw["table"]):
        mistakes.append('[table] id is missing: write id = "T07", the name of this table')
    mistakes += _pins_used_twice(raw) + _bad_pattern(raw) + _cut_too_early(sections.get("table"))
    mistakes += _judged_twice(sections.get("table"), sections.get("reader"))
    if mistakes:
        raise ConfigError("\n".join(f"{name}: {each}" for each in mistakes))
    return Config(**sections)


def _section(section: str, keys: dict[str, Any], mistakes: list[str]) -> Any:
    """A section with its good keys; what is wrong with the others goes to `mistakes`."""
    good = _good(SECTIONS[section], f"[{section}] ", keys, mistakes)
    if section == "table":
        good.setdefault("id", "?")
    return SECTIONS[section](**good)


def _good(kind: Any, where: str, keys: dict[str, Any], mistakes: list[str]) -> dict[str, Any]:
    """The good keys of a section, or of a table within it."""
    known = {field.encode_name: field for field in fields(kind)}
    good: dict[str, Any] = {}
    for key, value in keys.items():
        if key not in known:
            mistakes.append(_unknown(f"{where}{key}", key, known))
            continue
        try:
            good[key] = msgspec.convert(value, known[key].type)
        except msgspec.ValidationError:
            mistakes += _wrong(known[key].type, f"{where}{key}", key, value)
    return good


def _wrong(kind: Any, where: str, key: str, value: Any) -> list[str]:
    """What is wrong with a value: with the keys of a table, or with it as a whole."""
    within: list[str] = []
    if isinstance(value, dict) and (table := table_of(kind)):
        _good(table, f"{where}.", value, within)
    return within or [f"{where} = {_shown(key, value)}: {what_may_stand(kind)}"]


def _limits(keys: dict[str, Any], mistakes: list[str]) -> dict[str, Limit]:
    """The limits have the names the house gives them."""
    good: dict[str, Limit] = {}
    for name, value in keys.items():
        try:
            good[name] = msgspec.convert(value, Limit)
        except msgspec.ValidationError:
            mistakes.append(
                f'[limits] {name} = {value!r}: write money as a whole number or a text, {name} = "10000.00"'
            )
    return good


def _shown(key: str, value: Any) -> str:
    """A value as it may be shown: what looks like a secret is not."""
    return "***" if "password" in key else repr(value)


def _unknown(where: str, key: str, known: Any) -> str:
    near = get_close_matches(key, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known)}"
    return f"{where} is unknown: {hint}"


def _cut_too_early(table: TableConfig | None) -> list[str]:
    """The virtual cut card lies within the shoe."""
    if table is None or table.virtual_cut is None or table.virtual_cut < table.decks * 52:
        return []
    return [f"[table] virtual_cut = {table.virtual_cut}: the shoe has only {table.decks * 52} cards"]


def _judged_twice(table: TableConfig | None, reader: ReaderConfig | None) -> list[str]:
    """A reader that judges the game deals on demand and tells every result; no other tells any."""
    table, reader = table or TableConfig(id="?"), reader or ReaderConfig()
    if not READERS[reader.protocol]:
        return ['[table] close = "result": only an angel-eye tells results'] if table.close == "result" else []
    mistakes = []
    if table.procedure != "on-demand":
        mistakes.append(f'[table] procedure = "{table.procedure}": an angel-eye judges by its own rules, on-demand')
    if table.disclose == "sealed":
        mistakes.append('[table] disclose = "sealed": an angel-eye tells the result before the cards are revealed')
    return mistakes


def _pins_used_twice(raw: dict[str, Any]) -> list[str]:
    """Inputs share no pin with anything; lamps may share one among themselves."""
    uses: dict[int, list[str]] = {}
    for section in ("pins", "presence", "lamps"):
        keys = raw.get(section)
        for key, value in keys.items() if isinstance(keys, dict) else ():
            number = value.get("pin") if isinstance(value, dict) else value
            if isinstance(number, int):
                uses.setdefault(number, []).append(f"[{section}] {key}")
    return [
        f"GPIO {number} is used by {' and '.join(names)}: each wire has one purpose"
        for number, names in uses.items()
        if len(names) > 1 and any(not name.startswith("[lamps]") for name in names)
    ]


def _bad_pattern(raw: dict[str, Any]) -> list[str]:
    """A reader's pattern is a regular expression whose one group is the code."""
    reader = raw.get("reader")
    pattern = reader.get("pattern") if isinstance(reader, dict) else None
    if not isinstance(pattern, str):
        return []
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        return [f"[reader] pattern = {pattern!r} is no regular expression: {error}"]
    if groups != 1:
        return [f"[reader] pattern = {pattern!r} has {groups} groups: put one pair of brackets, around the code"]
    return []


def broker_settings(config: Config) -> BrokerSettings:
    """The broker as configured, the password read from its file. Raises ConfigError if it cannot be read."""
    mqtt = config.mqtt
    password = None
    if mqtt.password_file:
        try:
            password = Path(mqtt.password_file).read_bytes().rstrip(b"\r\n")
        except OSError as error:
            what = f"[mqtt] password_file {mqtt.password_file}: {error.strerror}"
            raise ConfigError(what, "check the path and its owner") from None
    settings = BrokerSettings(client_id=mqtt.client_id or _client_id(config.table.id), username=mqtt.username)
    return replace(
        settings,
        host=mqtt.host,
        port=mqtt.port,
        password=password,
        ca=mqtt.ca,
        cert=mqtt.cert,
        key=mqtt.key,
    )


def _client_id(table: str) -> str:
    """A client id that stays and that no other machine has: the board's serial number, else the machine id."""
    for path in (Path("/sys/firmware/devicetree/base/serial-number"), Path("/etc/machine-id")):
        try:
            return f"shoe-{table}-{path.read_text('ascii').strip(chr(0)).strip()[-12:]}"
        except (OSError, UnicodeDecodeError):
            continue
    return f"shoe-{table}"
