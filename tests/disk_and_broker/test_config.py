import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import asdict

from firmware_bridge.config.limits import limits
from firmware_bridge.config.load import SECTIONS, broker_settings, load, parse
from firmware_bridge.config.modes import contradictions
from firmware_bridge.config.pins import PinsConfig
from firmware_bridge.config.sections import Config
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.facts.printable import fault
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.house import terms_of
from tests.texts import texts

PROJECT = Path(__file__).parents[2]

EVERY_KEY: dict[str, dict[str, Any]] = {
    "table": {
        "id": "T07", "game": "baccarat", "decks": 6, "burn": 7, "close": "auto",
        "betting": "required", "disclose": "dealt", "after_cut": "one-more", "new_shoe": "auto", "virtual_cut": 14,
        "policy": "keep-order",
    },
    "game": {
        "procedure": "six-card", "leading_ties": "own-column", "row1_limit": "descend",
        "tiger_pair_top": "same-rank", "natural_bets": "any-natural", "squeeze": "any-bettor",
    },
    "service": {
        "mode": "vip", "reveal_timeout": 30, "fly_limit": 3, "shoe_change_after": 20, "shoe_change_minutes": 4,
        "confirm_shuffle": True,
    },
    "roads": {"good": ["long_banker"]},
    "limits": {"player": {"low": "100", "high": "10000.00"}},
    "reader": {
        "protocol": "line", "port": "socket://reader:4001", "baud": 9600, "code_book": "book.csv", "pattern": "(.+)",
        "line_end": "\r\n", "hold": 0.25, "min_quality": 12,
    },
    "pins": {
        "factory": "mock", "cut_card": 27, "next": {"pin": 22, "pull_up": False, "debounce_ms": 5}, "reveal": 23,
        "player": 24, "banker": 17, "tie": 18, "lid": {"pin": 4, "stuck_after": 60}, "presence": 7, "buzzer": 8,
        "lock": {"pin": 9, "fail_safe": "locked"},
    },
    "presence": {"P1": 0, "B1": 1, "P2": 2, "B2": 3, "P3": 10, "B3": 11},
    "lamps": {
        "P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "R1": 16, "R2": 20, "ready": 12,
        "fault": {"pin": 25, "active_low": True},
    },
    "mqtt": {
        "host": "broker", "port": 8883, "root": "casino", "client_id": "c", "username": "u", "password_file": "p",
        "ca": "ca.pem", "cert": "c.pem", "key": "k.pem", "live_odds": True, "commands": ["next", "void"],
        "stored": "floor",
    },
    "journal": {"dir": "/tmp/j", "keep_days": 30, "max_mb": 100, "warn_mb": 50},
}  # fmt: skip


def mistakes(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        parse(raw)
    return raised.value.what.split("\n")


def test_only_the_tables_name_has_no_default() -> None:
    assert parse({"table": {"id": "T07"}}).table.id == "T07"
    assert "id is missing" in mistakes({})[0]
    assert "id is missing" in mistakes({"table": {}})[0]


def test_every_key_is_taken() -> None:
    config = parse(EVERY_KEY)
    assert {*EVERY_KEY, "keys", "keypad"} == set(SECTIONS)  # of games whose seats have a say: test_keypads.py
    for name in set(EVERY_KEY) - {"limits", "game", "pins", "presence", "lamps"}:  # whose keys house and game name
        assert set(EVERY_KEY[name]) == set(SECTIONS[name].__struct_fields__)
    assert set(EVERY_KEY["pins"]) | {"keys"} == {*PinsConfig.__struct_fields__, *GAME.keys}
    assert set(EVERY_KEY["lamps"]) == {*GAME.slots, "ready", "fault"}
    assert set(EVERY_KEY["presence"]) <= set(GAME.slots)
    assert {*EVERY_KEY["game"], "good_roads"} == set(GAME.terms.__struct_fields__)  # which stand in [roads]
    for name in ("table", "game", "service", "reader", "journal"):
        assert asdict(getattr(config, name)).items() >= EVERY_KEY[name].items()
    assert config.house.limits == EVERY_KEY["limits"]
    assert (terms_of(config.house).good_roads, config.house.mode) == (("long_banker",), "vip")
    assert config.pins.next.pin == 22
    assert config.lamps["fault"].active_low is True
    assert config.mqtt.commands == ("next", "void")
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
def test_six_card_rounds_end_with_next_unless_told_otherwise(procedure: str, close: str | None, expected: str) -> None:
    table = {"id": "T07"} | ({"close": close} if close else {})
    assert parse({"table": table, "game": {"procedure": procedure}}).house.close == expected


@pytest.mark.parametrize(
    ("section", "key", "value", "text"),
    [
        ("table", "id", "a/b", "no spaces, none of / + # $"),
        ("table", "id", "", "not an empty one"),
        ("table", "id", "Tisch Größe 桌", "id = 'Tisch Größe 桌': a blank cannot stand there; write a text"),
        ("table", "id", "T$0#", "'#' cannot stand there"),
        ("table", "id", "T07\n", r"'\n' cannot stand there"),
        ("table", "id", "x" * 300, "xxx..: it is too long: at most 64 characters"),
        ("mqtt", "root", "a\x1b", r"'\x1b' cannot stand there"),
        ("mqtt", "username", "a\nb", r"a text there has the character \n in it"),
        ("mqtt", "host", "x" * 2000, "a text there is too long: at most 1000 characters"),
        ("mqtt", "prot", 1, "did you mean port?"),
        ("table", "decks", 0, "write a whole number from 1 to 12"),
        ("table", "decks", "8", "write a whole number from 1 to 12"),
        ("game", "procedure", "sixcard", "known are: on-demand, six-card"),
        ("game", "precedure", "six-card", "did you mean procedure?"),
        ("table", "procedure", "six-card", "[table] procedure stands in [game]: it is a setting of baccarat alone"),
        ("lamps", "P4", 5, "known are: P1, B1, P2, B2, P3, B3, R1, R2, ready, fault"),
        ("presence", "S1", 5, "known are: P1, B1,"),
        ("table", "burn", True, "known are: first-card, none; or write a whole number from 0 to 20"),
        ("table", "dekcs", 8, "did you mean decks?"),
        ("table", "colour", "red", "known are: id, game"),
        ("reader", "hold", -1, "write a number from 0 to 10"),
        (
            "reader",
            "port",
            "tcp://127.0.0.1",
            "known are a device, /dev/.., and a reader on the network, socket://HOST:PORT",
        ),
        ("reader", "port", "socket://127.0.0.1", "socket://HOST:PORT"),
        ("reader", "port", "ttyUSB0", "known are a device, /dev/.."),
        ("journal", "dir", "j", "write the whole path, from / on"),
        ("reader", "protocol", "gm65", "known are: angel-eye, grow, line, native, rdm6300, ssi; a GM65"),
        ("reader", "baud", 0, "write a whole number, 1 or more"),
        ("pins", "factory", "rpi", "known are: lgpio, mock, rpigpio"),
        ("reader", "pattern", "(", "is no regular expression: missing )"),
        ("reader", "pattern", r"\S+", "has 0 groups: put one pair of brackets"),
        ("reader", "pattern", r"(\S)(\S)", "has 2 groups"),
        ("reader", "pattern", 5, "write a text in quotation marks"),
        ("pins", "cut_card", 28, "write a whole number from 0 to 27; the 40-pin header has no other GPIO"),
        ("pins", "next", {"pin": 22, "pul_up": True}, ".pul_up is unknown: did you mean pull_up?"),
        ("pins", "next", {"pin": 28}, ".pin = 28: write a whole number from 0 to 27"),
        ("pins", "next", {"pull_up": False}, "or write { pin = .. }"),
        ("mqtt", "port", 70_000, "write a whole number from 1 to 65535"),
        ("mqtt", "commands", ["enter"], "write a list in [ ]; known are: bets_closed,"),
        ("mqtt", "live_odds", "yes", "write true or false"),
        ("mqtt", "root", "#", "none of / + # $"),
        ("journal", "keep_days", 0, "write a whole number, 1 or more"),
        ("limits", "player", 1.5, 'write money as a whole number or a text, player = "10000.00"'),
        ("limits", "player", {"low": 100, "high": 10}, "low, 100, is above high, 10"),
        ("limits", "player", {"low": "9.50", "high": "10000.00", "step": "x"}, "step is no amount of money"),
        ("limits", "player", {"low": 100, "high": "1000"}, "one is a number, the other a text"),
        ("limits", "tie", "a lot", 'tie is no amount of money: write tie = "10000.00"'),
        ("limits", "tie", -1, "tie is no amount of money"),
    ],
)
def test_a_wrong_value_names_section_key_and_what_is_right(section: str, key: str, value: Any, text: str) -> None:
    raw = {"table": {"id": "T07"}}
    raw[section] = raw.get(section, {}) | {key: value}
    (told,) = mistakes(raw)
    assert f"[{section}] {key}" in told
    assert text in told


TEXTS = st.text() | st.sampled_from(["a\nb", "\x1b[2J", "\u202e", "T\x7f", "x" * 70, "x" * 1_100, "/a", "T07"])
KEYS = [(section, key) for section, keys in EVERY_KEY.items() for key in keys if key not in ("line_end", "pattern")]


@given(st.sampled_from(KEYS), TEXTS, st.booleans())
def test_no_text_that_a_terminal_obeys_gets_into_a_config(key: tuple[str, str], text: str, is_key: bool) -> None:
    section, name = key
    raw = {"table": {"id": "T07"}}
    raw[section] = raw.get(section, {}) | ({text: name} if is_key else {name: text})
    try:
        config, told = parse(raw), ""
    except ConfigError as error:
        config, told = None, error.what
    assert [line for line in told.split("\n") if fault(line, 2_000)] == []
    if config:
        held = json.decode(json.encode([config.table, config.house]))
        assert [each for each in (text, *texts(held)) if fault(each, 1_000)] == []


def test_all_mistakes_are_told_at_once() -> None:
    raw = {
        "table": {"decks": 99, "burn": "all"},
        "raeder": {"port": "x"},
        "mqtt": {"porf": 1883, "host": ""},
        "pins": {"cut_card": 5, "next": 5},
        "lamps": {"P1": 5},
        "journal": 3,
    }
    told = mistakes(raw)
    assert len(told) == 8
    assert all(each.startswith("config: ") for each in told)
    for part in ("did you mean reader?", "did you mean port?", "GPIO 5 is used by", "write [journal]", "id is missing"):
        assert sum(part in each for each in told) == 1


def test_lamps_may_share_a_pin_with_each_other_only() -> None:
    assert parse({"table": {"id": "T"}, "lamps": {"P3": 5, "B3": 5}}).lamps["B3"] == 5
    assert "GPIO 5" in mistakes({"table": {"id": "T"}, "lamps": {"P3": 5}, "pins": {"next": {"pin": 5}}})[0]


def test_a_limit_is_of_a_bet_or_of_the_table() -> None:
    limits = {"table": {"low": 1, "high": 10_000}, "differential": "50000", "big_tiger": 500}
    assert parse({"table": {"id": "T"}, "limits": limits}).house.limits == limits
    told = mistakes({"table": {"id": "T"}, "limits": {"nosuchbet": 3, "big_tigre": 500}})
    assert "[limits] nosuchbet is no bet of baccarat: name one as `shoe odds --json` does, or table or" in told[0]
    assert "[limits] big_tigre is no bet of baccarat: did you mean big_tiger?" in told[1]


def test_a_secret_is_not_shown() -> None:
    told = mistakes({"table": {"id": "T"}, "mqtt": {"password_file": 4711, "password": "s3cret"}})
    assert not any("4711" in each or "s3cret" in each for each in told)
    assert len(told) == 2


def test_the_password_comes_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_bytes(b" right \n")
    raw = {"table": {"id": "T"}, "mqtt": {"username": "u", "password_file": f"{tmp_path}/password"}}
    settings = broker_settings(parse(raw))
    assert settings.password == b" right "
    assert "right" not in repr(settings)


def test_a_password_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    raw = {"table": {"id": "T"}, "mqtt": {"password_file": f"{tmp_path}/none"}}
    with pytest.raises(ConfigError, match=r"password_file .*/none: No such file"):
        broker_settings(parse(raw))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("table = [", "not TOML: Invalid value .*a bracket is not closed"),
        ("[table]\nid = T07", "not TOML: line 2: Invalid value: id = T07; a text is written in quotation marks"),
        ('[table]\nid = "T07', "Unterminated string .*a quotation mark or a bracket is not closed"),
        ('[table]\nid = "T07"\nid = "T08"\n', r"bridge\.toml: id is there twice \(line 3\); keep one"),
        ("[limits]\na = { low = 1, low = 2 }\n", r"low is there twice \(line 2\)"),
        ("[table]\n[reader]\n[table]\n", r"\[table\] is there twice \(line 3\); put the keys of both under one"),
        ("[table]\nid\n", r"not TOML: line 2: .*: id; write \[section\], and below it key = value"),
        (b"\xef\xbb\xbf[table]\n", "it begins with a byte order mark; save it as UTF-8 without one"),
        ("[table]".encode("utf-16"), "saved as UTF-16; save it as UTF-8"),
        (b'[table]\nid = "B\xf6"\n', "line 2 has letters that are not in UTF-8; save it as UTF-8"),
    ],
)
def test_what_is_no_toml_is_told(tmp_path: Path, content: str | bytes, text: str) -> None:
    path = tmp_path / "bridge.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError, match=text):
        load(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: No such file.*--config"):
        load(tmp_path / "none.toml")


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


def test_the_virtual_cut_card_lies_in_the_shoe() -> None:
    with pytest.raises(ConfigError, match="only 52 cards"):
        parse({"table": {"id": "T07", "decks": 1, "virtual_cut": 60}})


# ---------------------------------------------------------------- what the mode stands for

STANDS_FOR = [
    ("standard", "dealt", "ignored", "largest-stake", ""),
    ("vip", "sealed", "required", "largest-stake", "reveal fly request_shoe_change request_dealer_change"),
    ("squeeze", "sealed", "ignored", "any-bettor", "reveal"),
]


@pytest.mark.parametrize(("mode", "disclose", "betting", "squeeze", "more"), STANDS_FOR)
def test_a_mode_sets_defaults(mode: str, disclose: str, betting: str, squeeze: str, more: str) -> None:
    config = parse({"table": {"id": "T07"}, "service": {"mode": mode}})
    assert (config.house.mode, config.house.disclose, config.house.betting) == (mode, disclose, betting)
    assert terms_of(config.house).squeeze == squeeze
    assert config.mqtt.commands == (*BY_MQTT, *more.split())
    assert list(contradictions(config)) == []


WRITTEN: dict[str, dict[str, Any]] = {
    "table": {"id": "T07", "disclose": "dealt", "betting": "ignored"},
    "game": {"squeeze": "largest-stake"},
    "mqtt": {"commands": ["bets_closed", "reveal"]},
}


@pytest.mark.parametrize("mode", ["standard", "vip", "squeeze"])
def test_a_key_that_is_written_out_wins(mode: str) -> None:
    config = parse(WRITTEN | {"service": {"mode": mode}})
    assert (config.house.disclose, config.house.betting) == ("dealt", "ignored")
    assert terms_of(config.house).squeeze == "largest-stake"
    assert config.mqtt.commands == ("bets_closed", "reveal")


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("standard", []),
        ("vip", ['disclose = "dealt"', 'betting = "ignored"', "fly, request_dealer_change, request_shoe_change:"]),
        ("squeeze", ['disclose = "dealt"', 'squeeze = "largest-stake"']),
    ],
)
def test_what_is_written_against_the_mode_is_told(mode: str, told: list[str]) -> None:
    found = list(contradictions(parse(WRITTEN | {"service": {"mode": mode}})))
    assert len(found) == len(told)
    for each, text in zip(found, told, strict=True):
        assert each.what.startswith(f'[service] mode = "{mode}" and ')
        assert text in each.what
        assert each.remedy


def test_a_mode_excuses_no_mistake() -> None:
    for raw in ({"service": {"mode": "vip"}}, {"table": 3, "service": {"mode": "vip"}}):
        assert any("id is missing" in each or "write [table]" in each for each in mistakes(raw))
    assert "known are: squeeze, standard, vip" in mistakes({"table": {"id": "T"}, "service": {"mode": "vap"}})[0]


def test_a_reader_that_judges_cannot_seal_by_its_mode_either() -> None:
    raw: dict[str, Any] = {"table": {"id": "T"}, "service": {"mode": "vip"}, "reader": {"protocol": "angel-eye"}}
    (told,) = mistakes(raw)
    assert '(what [service] mode = "vip" stands for)' in told
    assert parse(raw | {"table": {"id": "T", "disclose": "dealt"}}).house.disclose == "dealt"


@pytest.mark.parametrize(("written", "holds"), [({}, 13), ({"virtual_cut": 20}, 20), ({"virtual_cut": "none"}, None)])
def test_a_cut_card_is_missed_unless_told_otherwise(written: dict[str, Any], holds: int | None) -> None:
    assert parse({"table": {"id": "T07"} | written}).house.virtual_cut == holds


def test_a_limit_of_a_long_name_is_refused() -> None:
    found: list[str] = []
    assert limits({"t" * 65: 1}, found) == {}
    assert "the name is too long: at most 64 characters" in found[0]
