"""What `[service] mode` stands for: defaults of other keys, and where what is written contradicts it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from firmware_bridge.config.sections import Config
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import usual

MODES: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "standard": {},
    "vip": {
        "table": {"disclose": "sealed", "betting": "required"},
        "mqtt": {"commands": [*BY_MQTT, "reveal", "fly", "request_shoe_change", "request_dealer_change"]},
    },
    "squeeze": {
        "table": {"disclose": "sealed"},
        "game": {"squeeze": "any-bettor"},
        "mqtt": {"commands": [*BY_MQTT, "reveal"]},
    },
}
"""Mode -> section -> the keys that it stands for. A key that is written out wins."""

_MEANS: Final = {
    "disclose": "cards are named as they are drawn, guests have none to open",
    "betting": "bets are never closed, so the time to open cards begins anew at each step",
    "squeeze": "only the guest with the largest stake on a side may open its cards",
}
"""Key -> what another value than the mode's makes of the table."""


class Contradiction(NamedTuple):
    """A key that is written against the mode: what it makes of the table, and what to do."""

    what: str
    remedy: str


def with_mode(raw: dict[str, Any], game: Game) -> dict[str, Any]:
    """A TOML document with what its mode stands for wherever the document says nothing itself."""
    service = raw.get("service")
    mode = service.get("mode") if isinstance(service, dict) else None
    filled = dict(raw)
    for section, keys in MODES.get(str(mode), {}).items():
        written = raw.get(section, {})
        is_known = section != "game" or keys.keys() <= set(game.terms.__struct_fields__)
        if is_known and isinstance(written, dict):
            filled[section] = keys | written
    return filled


def with_usual(raw: dict[str, Any], game: Game) -> dict[str, Any]:
    """A TOML document with what its game needs in `[table]` wherever neither the document nor its mode says it."""
    needed, written = usual(game.name), raw.get("table", {})
    return raw | {"table": needed | written} if needed and isinstance(written, dict) else raw


def contradictions(config: Config) -> Iterator[Contradiction]:
    """Where the config is not what its mode stands for: somebody has written it out."""
    mode, read = config.service.mode, {"table": config.table, "game": config.terms, "mqtt": config.mqtt}
    for section, keys in MODES[mode].items():
        for key, meant in keys.items():
            found = getattr(read[section], key, meant)
            if key == "commands":
                yield from _not_passed_on(mode, set(meant) - set(BY_MQTT) - set(found))
            elif found != meant:
                what = f'[service] mode = "{mode}" and [{section}] {key} = "{found}": {_MEANS[key]}'
                yield Contradiction(what, f'write {key} = "{meant}", or take the key out')


def _not_passed_on(mode: str, missing: set[str]) -> Iterator[Contradiction]:
    if missing:
        names = ", ".join(sorted(missing))
        what = f'[service] mode = "{mode}" and [mqtt] commands without {names}: no backend can pass that wish on'
        yield Contradiction(what, "add it to the list, or take the key out")
