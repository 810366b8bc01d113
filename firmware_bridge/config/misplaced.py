"""Finds keys of a TOML document that stand in a wrong section, and names the sections where they belong."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from firmware_bridge.config.read_section import SECRET, SECRETS
from firmware_bridge.facts.printable import nearest

Known = Mapping[str, Collection[str]]
"""Section -> its keys."""

Places = Mapping[str, tuple[str, ...]]
"""Key -> the places where it belongs, "[mqtt]"."""


def places_of(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the places of each key, from rows of place and key."""
    found: dict[str, dict[str, None]] = {}
    for place, key in rows:
        found.setdefault(key, {})[place] = None
    return {key: tuple(places) for key, places in found.items()}


def placed(raw: dict[str, Any], known: Known, places: Places, mistakes: list[str]) -> dict[str, Any]:
    """Return the document without keys that belong elsewhere, each of which is appended to `mistakes`.

    A key that is known nowhere, and near none that is, stays: what may stand in its section is listed where it is read.
    """
    good: dict[str, Any] = {}
    for section, keys in raw.items():
        if section in known and isinstance(keys, dict):
            good[section] = _kept(f"[{section}]", keys, known[section], known, places, mistakes)
        elif section in known and isinstance(keys, list):
            tables = [each for each in keys if isinstance(each, dict)]
            is_whole = len(tables) == len(keys)
            kept = [_kept(f"[[{section}]]", each, known[section], known, places, mistakes) for each in tables]
            good[section] = kept if is_whole else keys
        elif wrong := _beside_sections(section, keys, known, places):
            mistakes.append(wrong)
        else:
            good[section] = keys
    return good


def _kept(
    where: str, keys: dict[str, Any], own: Collection[str], known: Known, places: Places, mistakes: list[str]
) -> dict[str, Any]:
    wrong = {key: text for key, value in keys.items() if (text := _elsewhere(where, key, value, own, known, places))}
    mistakes += wrong.values()
    return {key: value for key, value in keys.items() if key not in wrong}


def _elsewhere(where: str, key: str, value: Any, own: Collection[str], known: Known, places: Places) -> str:
    """Return where a key of a section belongs, as a mistake; "" if here, or if it is unknown everywhere."""
    if key in own:
        return ""
    if key in known and isinstance(value, dict | list):
        return f"{where} {key} is a section of its own: write [{key}]"
    near = nearest(key, own)
    if key in places:
        here = f"; did you mean {near}?" if near else ""
        return f"{where} {key} is unknown here: it belongs in {_any_of(places[key])}{here}"
    if near:
        return ""
    if key.casefold() in SECRETS and SECRET not in own:
        section = _any_of(places[SECRET])
        return f'{where} {key} is unknown: write the password into a file, and {SECRET} = ".." in {section}'
    near = nearest(key, places)
    return f"{where} {key} is unknown: did you mean {near}, in {_any_of(places[near])}?" if near else ""


def _beside_sections(name: str, value: Any, known: Known, places: Places) -> str:
    """Return where a key before the first section belongs, or one that was written as a section; "" if unknown."""
    if name in places and (name not in known or not isinstance(value, dict | list)):
        if isinstance(value, dict):
            return f"[{name}] is no section: {name} is a key, and belongs in {_any_of(places[name])}"
        return f"{name} stands in no section: it belongs in {_any_of(places[name])}"
    if name in known or isinstance(value, dict | list) or nearest(name, known):
        return ""
    near = nearest(name, places)
    return f"{name} is unknown: did you mean {near}, in {_any_of(places[near])}?" if near else ""


def _any_of(places: Collection[str]) -> str:
    """Return the places in a row: "[reader], [[keypad]] or [mqtt]"."""
    *first, last = places
    return f"{', '.join(first)} or {last}" if first else last
