"""bridge.toml: its keys, their defaults, and the example that is shipped."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from firmware_bridge.config.load import SECTIONS, broker_settings, load, parse
from firmware_bridge.config.pins import PinsConfig
from firmware_bridge.config.sections import Config
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.house import terms_of, with_decks
from tests.config.configs import EVERY_KEY, ORDERS, mistakes

PROJECT = Path(__file__).parents[2]


def test_only_the_tables_name_has_no_default() -> None:
    assert parse({"table": {"id": "T07"}}).table.id == "T07"
    assert "id is missing" in mistakes({})[0]
    assert "id is missing" in mistakes({"table": {}})[0]


def test_every_key_is_taken() -> None:
    config = parse(EVERY_KEY | {"orders": [ORDERS]})
    assert {*EVERY_KEY, "orders", "keys", "keypad"} == set(SECTIONS)  # of games whose seats have a say: test_keypads.py
    for name in set(EVERY_KEY) - {"limits", "game", "pins", "presence", "lamps"}:  # whose keys house and game name
        assert set(EVERY_KEY[name]) == set(SECTIONS[name].__struct_fields__)
    assert set(EVERY_KEY["pins"]) | {"keys"} == {*PinsConfig.__struct_fields__, *GAME.play.keys}
    assert set(EVERY_KEY["lamps"]) == {*GAME.slots, "ready", "fault"}
    assert set(EVERY_KEY["presence"]) <= set(GAME.slots)
    assert {*EVERY_KEY["game"], "good_roads"} == set(GAME.terms.__struct_fields__)  # which stand in [roads]
    for name in ("table", "game", "service", "reader", "journal"):
        assert asdict(getattr(config, name)).items() >= EVERY_KEY[name].items()
    assert config.house.limits == EVERY_KEY["limits"]
    assert (terms_of(config.house).good_roads, config.house.mode) == (("long_banker",), "vip")
    assert config.pins.next.pin == 22
    assert config.lamps["fault"].active_low is True
    assert config.mqtt.commands == ("next", "bets_closed")
    assert config.house.burn == 7


@pytest.mark.parametrize(
    ("procedure", "close", "expected"),
    [
        ("on-demand", None, "auto"),
        ("six-card", None, "next"),
        ("six-card", "auto", "auto"),
        ("on-demand", "next", "next"),
    ],
)
def test_six_card_rounds_end_with_next_unless_set_otherwise(procedure: str, close: str | None, expected: str) -> None:
    table = {"id": "T07"} | ({"close": close} if close else {})
    assert parse({"table": table, "game": {"procedure": procedure}, "pins": {"next": 22}}).house.close == expected


def test_lamps_may_share_a_pin_with_each_other_only() -> None:
    assert parse({"table": {"id": "T"}, "lamps": {"P3": 5, "B3": 5}}).lamps["B3"] == 5
    assert "GPIO 5" in mistakes({"table": {"id": "T"}, "lamps": {"P3": 5}, "pins": {"next": {"pin": 5}}})[0]


def test_a_limit_is_of_a_bet_or_of_the_table() -> None:
    limits = {"table": {"low": 1, "high": 10_000}, "differential": {"high": "50000"}, "big_tiger": {"high": 500}}
    assert parse({"table": {"id": "T"}, "limits": limits}).house.limits == limits
    lines = mistakes({"table": {"id": "T"}, "limits": {"nosuchbet": {"high": 3}, "big_tigre": {"high": 500}}})
    assert "[limits] nosuchbet is not a bet of baccarat: use an id from shoe help payouts, table or" in lines[0]
    assert "[limits] big_tigre is not a bet of baccarat: did you mean big_tiger?" in lines[1]


def test_the_password_comes_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_bytes(b" right \n")
    raw = {"table": {"id": "T"}, "mqtt": {"username": "u", "password_file": f"{tmp_path}/password"}}
    settings = broker_settings(parse(raw))
    assert settings.password == b" right "
    assert "right" not in repr(settings)


def test_the_shipped_example_is_good_and_shows_the_defaults() -> None:
    path = PROJECT / "systemd" / "bridge.toml"
    shipped = load(path)
    assert shipped.table == Config(table=shipped.table).table
    assert (shipped.reader.port, shipped.journal.dir) == ("/dev/shoe-reader", "/var/lib/firmware-bridge")


def test_what_the_example_shows_behind_a_hash_is_taken_too() -> None:
    text = (PROJECT / "systemd" / "bridge.toml").read_text()
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    raw = tomllib.loads("\n".join(line for line in lines if " = " in line or line.startswith("[")))
    config = parse(raw)
    assert (config.table.virtual_cut, config.service.mode) == (13, "standard")
    assert "player" in config.limits


@pytest.mark.parametrize(("written", "holds"), [({}, 13), ({"virtual_cut": 20}, 20), ({"virtual_cut": "none"}, None)])
def test_a_cut_card_is_missed_unless_set_otherwise(written: dict[str, Any], holds: int | None) -> None:
    assert parse({"table": {"id": "T07"} | written, "pins": {"next": 22}}).house.virtual_cut == holds


@pytest.mark.parametrize(
    ("written", "holds"),
    [
        ({}, 60),
        ({"decks": 6}, 60),
        ({"cut_earliest": 100}, 100),
        ({"cut_earliest": "none"}, None),
        ({"virtual_cut": "none"}, 60),
        ({"virtual_cut": 70}, 140),
        ({"game": "blackjack"}, 208),
        ({"game": "blackjack", "decks": 6}, 156),
        ({"game": "blackjack", "cut_earliest": "none"}, None),
        ({"game": "niuniu"}, None),
        ({"game": "zhajinhua"}, None),
        ({"game": "erbagang"}, None),
    ],
)
def test_a_cut_card_far_from_the_end_is_early(written: dict[str, Any], holds: int | None) -> None:
    assert parse({"table": {"id": "T07"} | written, "pins": {"next": 22}}).house.cut_earliest == holds


@pytest.mark.parametrize(
    ("written", "holds"), [({}, 156), ({"cut_earliest": 100}, 100), ({"cut_earliest": "none"}, None)]
)
def test_half_the_shoe_follows_the_decks_of_the_order_that_opens_it(written: dict[str, Any], holds: int | None) -> None:
    house = parse({"table": {"id": "T07", "game": "blackjack"} | written, "pins": {"next": 22}}).house
    assert with_decks(house, 6) == replace(house, decks=6, cut_earliest=holds)


def test_an_order_in_the_list_of_mqtt_has_either_sign() -> None:
    def commands(*names: str) -> tuple[str, ...]:
        return parse({"table": {"id": "T07"}, "mqtt": {"commands": [*names]}}).mqtt.commands

    written = commands("bets-open", "bets_closed", "request-shoe-change")
    assert written == ("bets_open", "bets_closed", "request_shoe_change")
    with pytest.raises(ConfigError, match='"bets-opne" is unknown: did you mean "bets_open"'):
        commands("bets-opne")
