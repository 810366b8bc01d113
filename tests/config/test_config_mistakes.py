"""A config with mistakes: all are told at once, each with what is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from firmware_bridge.config.limits import limits
from firmware_bridge.config.load import broker_settings, load, parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import fault
from firmware_bridge.games import GAMES
from tests.config.configs import EVERY_KEY, mistakes
from tests.kit.rows import each_row
from tests.kit.texts import texts


@each_row(
    ("section", "key", "value", "text"),
    [
        ("table", "id", "a/b", "no spaces, and none of / + # $"),
        ("table", "id", "", "not empty"),
        ("table", "id", "Tisch Größe 桌", 'id = "Tisch Größe 桌": a space is not allowed; write text'),
        ("table", "id", "T$0#", '"#" is not allowed'),
        ("table", "id", "T07\n", r'"\n" is not allowed'),
        ("table", "id", "x" * 300, "xxx..: it is too long: at most 64 characters"),
        ("mqtt", "root", "a\x1b", r'"\u001b" is not allowed'),
        ("mqtt", "username", "a\nb", r"a text contains the character \n"),
        ("mqtt", "host", "x" * 2000, "a text is too long: at most 1000 characters"),
        ("mqtt", "prot", 1, "did you mean port?"),
        ("table", "decks", 0, "write a whole number from 1 to 12"),
        ("table", "decks", "8", "write a whole number from 1 to 12"),
        ("game", "procedure", "sixcard", 'did you mean "six-card"?; use one of: "on-demand", "six-card"'),
        ("game", "precedure", "six-card", "did you mean procedure?"),
        ("table", "procedure", "six-card", "[table] procedure belongs in [game]: it is a setting of baccarat"),
        ("lamps", "P4", 5, "use one of: P1, B1, P2, B2, P3, B3, R1, R2, ready, fault"),
        ("presence", "S1", 5, "use one of: P1, B1,"),
        ("table", "burn", True, 'use one of: "first-card", "none"; or write a whole number from 0 to 20'),
        ("table", "dekcs", 8, "did you mean decks?"),
        ("table", "colour", "red", "use one of: id, game"),
        ("reader", "hold", -1, "write a number from 0 to 10"),
        (
            "reader",
            "port",
            "tcp://127.0.0.1",
            "write a device, /dev/.., or a reader on the network, socket://HOST:PORT",
        ),
        ("reader", "port", "socket://127.0.0.1", "socket://HOST:PORT"),
        ("reader", "port", "ttyUSB0", "write a device, /dev/.."),
        ("journal", "dir", "j", "write the full path, starting with /"),
        ("reader", "protocol", "gm65", '"line", "native", "rdm6300", "ssi"; grow is for a GM65'),
        ("reader", "baud", 0, "write a whole number, 1 or more"),
        ("pins", "factory", "rpi", 'use one of: "lgpio", "mock", "rpigpio"'),
        ("reader", "pattern", "(", "is not a regular expression: missing )"),
        ("reader", "pattern", r"\S+", "has 0 groups: put one pair of ( )"),
        ("reader", "pattern", r"(\S)(\S)", "has 2 groups"),
        ("reader", "pattern", 5, "write text in quotation marks"),
        ("pins", "cut_card", 28, "write a whole number from 0 to 27; the 40-pin header has no other GPIO"),
        ("pins", "next", {"pin": 22, "pul_up": True}, ".pul_up is unknown: did you mean pull_up?"),
        ("pins", "next", {"pin": 28}, ".pin = 28: write a whole number from 0 to 27"),
        ("pins", "next", {"pull_up": False}, "or write { pin = .. }"),
        ("mqtt", "port", 70_000, "write a whole number from 1 to 65535"),
        ("mqtt", "commands", ["enter"], '["enter"]: "enter" is unknown: use one of: "bets'),
        ("mqtt", "commands", ["next", "voidd"], '["next", "voidd"]: "voidd" is unknown: did you mean "void"?'),
        ("mqtt", "commands", ["next", 5], '5 is unknown: use one of: "bets'),
        ("mqtt", "commands", "next", "write a list [ .. ]; for each item use one of: "),
        ("service", "second_person", ["viod", "dragon"], 'did you mean "void"? "dragon" is unknown: use one of: "corr'),
        ("roads", "good", ["dragon"], '["dragon"]: "dragon" is unknown: use one of: "alt_stick_banker"'),
        ("mqtt", "live_odds", "yes", "write true or false"),
        ("mqtt", "root", "#", "none of / + # $"),
        ("journal", "keep_days", 0, "write a whole number, 1 or more"),
        ("limits", "player", 1.5, "write player = { low = .., high = .. }"),
        ("limits", "player", 15, "write player = { high = 15 }"),
        ("limits", "player", {"low": 100, "high": 10}, "low (100) is above high (10)"),
        ("limits", "player", {"low": "9.50", "high": "10000.00", "step": "x"}, "step is unknown: write low and high"),
        ("limits", "player", {"low": 100, "high": "1000"}, "one is a number, the other text"),
        ("limits", "player", {"low": "cheap", "high": "10"}, "is not an amount of money"),
        ("limits", "tie", {"high": "a lot"}, 'high = "a lot" is not an amount of money: write 100, 12.5 or "10000.00"'),
        ("limits", "tie", {"low": -1}, "tie.low = -1 is not an amount of money"),
        ("limits", "tie", {"low": True}, "tie.low = true is not an amount of money"),
        ("limits", "tie", {}, "write low, high or both"),
        ("limits", "tie", {"low": 1, "hihg": 9}, "tie.hihg is unknown: did you mean high?"),
        ("limits", "bet", {"low": 1}, "write table = { low = .., high = .. }"),
        ("limits", "min", 5, "write table = { low = .., high = .. }"),
        ("table", "commission", 5, "commission cannot be set: shoe help payout"),
        (
            "table",
            "overdrawn",
            "burn",
            "overdrawn cannot be set: choose [table] policy, one of keep-order, us-burn, macau, studio; shoe help",
        ),
        ("game", "tie_pays", 9, "tie_pays cannot be set: shoe help payout"),
        ("game", "lucky_6", 9, "lucky_6 cannot be set: shoe help payout"),
    ],
)
def test_a_wrong_value_names_section_key_and_what_is_right(section: str, key: str, value: Any, text: str) -> None:
    raw = {"table": {"id": "T07"}}
    raw[section] = raw.get(section, {}) | {key: value}
    (mistake,) = mistakes(raw)
    assert f"[{section}] {key}" in mistake
    assert text in mistake


TEXTS = st.text() | st.sampled_from(["a\nb", "\x1b[2J", "\u202e", "T\x7f", "x" * 70, "x" * 1_100, "/a", "T07"])
KEYS = [(section, key) for section, keys in EVERY_KEY.items() for key in keys if key not in ("line_end", "pattern")]


@given(st.sampled_from(KEYS), TEXTS, st.booleans())
def test_no_text_that_a_terminal_obeys_gets_into_a_config(key: tuple[str, str], text: str, is_key: bool) -> None:
    section, name = key
    raw = {"table": {"id": "T07"}}
    raw[section] = raw.get(section, {}) | ({text: name} if is_key else {name: text})
    try:
        config, refusal = parse(raw), ""
    except ConfigError as error:
        config, refusal = None, error.what
    assert [line for line in refusal.split("\n") if fault(line, 2_000)] == []
    if config:
        held = json.decode(json.encode([config.table, config.house]))
        assert [each for each in (text, *texts(held)) if fault(each, 1_000)] == []


def test_all_mistakes_are_reported_at_once() -> None:
    raw = {
        "table": {"decks": 99, "burn": "all"},
        "raeder": {"port": "x"},
        "mqtt": {"porf": 1883, "host": ""},
        "pins": {"cut_card": 5, "next": 5},
        "lamps": {"P1": 5},
        "journal": 3,
    }
    lines = mistakes(raw)
    assert len(lines) == 8
    assert all(each.startswith("config: ") for each in lines)
    for part in ("did you mean reader?", "did you mean port?", "GPIO 5 is used by", "write [journal]", "id is missing"):
        assert sum(part in each for each in lines) == 1


def test_a_secret_is_not_shown() -> None:
    lines = mistakes({"table": {"id": "T"}, "mqtt": {"password_file": 4711, "password": "s3cret"}})
    assert not any("4711" in each or "s3cret" in each for each in lines)
    assert len(lines) == 2


def test_a_password_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    raw = {"table": {"id": "T"}, "mqtt": {"password_file": f"{tmp_path}/none"}}
    with pytest.raises(ConfigError, match=r"password_file .*/none: No such file"):
        broker_settings(parse(raw))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("table = [", "not TOML: Invalid value .*bracket that is not closed"),
        ("[table]\nid = T07", "not TOML: line 2: Invalid value: id = T07; put text in quotation marks"),
        ('[table]\nid = "T07', "Unterminated string .*a quotation mark or bracket that is not closed"),
        ('[table]\nid = "T07"\nid = "T08"\n', r"bridge\.toml: id appears twice \(line 3\); keep one"),
        ("[limits]\na = { low = 1, low = 2 }\n", r"low appears twice \(line 2\)"),
        ("[table]\n[reader]\n[table]\n", r"\[table\] appears twice \(line 3\); put all its keys under one heading"),
        (
            '[table]\nshifts = { 早班 = "08:00" }',
            'line 2: shifts = .*; write the name in quotation marks: "早班" = "08:00"',
        ),
        ("[limits]\n莊 = [1, 2]", r'line 2: 莊 = .*; write the name in quotation marks: "莊" = \[1, 2\]'),
        ('[桌]\nid = "T07"', r'line 1: \[桌\]; write the name in quotation marks: \["桌"\]'),
        ("[table]\nid = “T07”", 'line 2: id = “T07”; write " in place of “'),
        ('[table]\nid ＝ "T07"', 'line 2: id ＝ "T07"; write = in place of ＝'),
        ("[table]\nid = 早班", "line 2: Invalid value: id = 早班; put text in quotation marks"),
        ("[table]\nid\n", r"not TOML: line 2: .*: id; write \[section\], and key = value below it"),
        (b"\xef\xbb\xbf[table]\n", "it begins with a byte order mark; save it as UTF-8 without one"),
        ("[table]".encode("utf-16"), "saved as UTF-16; save it as UTF-8"),
        (b'[table]\nid = "B\xf6"\n', "line 2 is not valid UTF-8; save it as UTF-8"),
    ],
)
def test_what_is_no_toml_is_reported(tmp_path: Path, content: str | bytes, text: str) -> None:
    path = tmp_path / "bridge.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError, match=text):
        load(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: No such file.*--config"):
        load(tmp_path / "none.toml")


def test_the_virtual_cut_card_lies_in_the_shoe() -> None:
    with pytest.raises(ConfigError, match="only 52 cards"):
        parse({"table": {"id": "T07", "decks": 1, "virtual_cut": 60}})


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ({"decks": 1, "cut_earliest": 60}, "cut_earliest = 60: the shoe has only 52 cards"),
        ({"cut_earliest": 13}, "cut_earliest = 13: the cut card must come before 13 cards are left"),
        ({"cut_earliest": 60, "virtual_cut": 70}, "the cut card must come before 70 cards are left"),
    ],
)
def test_a_cut_card_has_a_place_between_the_earliest_and_the_latest(written: dict[str, int], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        parse({"table": {"id": "T07"} | written})


@pytest.mark.parametrize("pads", [[3], ["next"], {"port": "/dev/pad"}, 3])
def test_a_keypad_that_is_no_table_is_reported(pads: Any) -> None:
    assert mistakes({"table": {"id": "T07"}, "keypad": pads})[0].endswith("write [[keypad]]")


def test_a_limit_of_a_long_name_is_refused() -> None:
    found: list[str] = []
    assert limits({"t" * 65: {"high": 1}}, GAMES["baccarat"], found) == {}
    assert "the name is too long: at most 64 characters" in found[0]
