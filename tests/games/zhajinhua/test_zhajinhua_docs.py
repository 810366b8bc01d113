"""What docs/zhajinhua.md and the example config show is what a table says: orders, messages, counts, settings."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.config.load import load, parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import orders
from firmware_bridge.games.zhajinhua import GAME
from firmware_bridge.games.zhajinhua.hands import KINDS
from firmware_bridge.games.zhajinhua.offers import WORDS
from firmware_bridge.games.zhajinhua.seats import ZhaJinHua
from firmware_bridge.topics.state import table as topic
from tests.games.zhajinhua.test_zhajinhua_rounds import CODES, DONE
from tests.games.zhajinhua.test_zhajinhua_table import CARDS, DEALT, answer, table

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/zhajinhua.md").read_text("utf-8")
EXAMPLE = ROOT / "systemd/zhajinhua.toml"
LOOKED = f"{DEALT} 1:look 1:raise=4"


def objects() -> list[dict[str, Any]]:
    """Every JSON object in the page."""
    decoder, found = json.JSONDecoder(), []
    for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL):
        at = 0
        while (at := block.find("{", at)) >= 0:
            value, at = decoder.raw_decode(block, at)
            found.append(value)
    return found


def test_the_orders_shown_play_a_round() -> None:
    played = table()
    given = [{key: value for key, value in each.items() if key != "id"} for each in objects() if "do" in each]
    assert [each["do"] for each in given] == ["bets_closed", "mark", "mark", "mark", "mark"]
    for each in given:
        if each.get("word") == "compare":
            played.play("2:call 3:fold")
        assert answer(played, msgspec.convert(each, orders.Mark | orders.BetsClosed)).ok, each
        if each["do"] == "bets_closed":
            played.play(CARDS)
    assert played.rounds[-1]["winner"] == "S1"


def test_the_messages_shown_are_those_of_a_table() -> None:
    (shown,) = (each for each in objects() if "act" in each)
    now = json.loads(msgspec.json.encode(topic(table(LOOKED).shoe)))
    assert {key: now[key] for key in shown} == shown
    closed, voided = (each for each in objects() if "status" in each)
    message = table(f"{LOOKED} 2:call 3:fold 1:compare=2").rounds[-1]
    hands = {slot: hand for slot, hand in closed["hands"].items() if slot != ".."}
    assert hands.items() <= message["hands"].items()
    assert {key: message[key] for key in closed if key != "hands"} == {
        key: closed[key] for key in closed if key != "hands"
    }
    message = table(f"{LOOKED} 2:call !void misdeal").rounds[-1]
    assert {key: message[key] for key in voided} == voided


def test_every_kind_is_documented_with_its_count() -> None:
    assert GAME.odds
    chances = GAME.odds().of(1, (), ZhaJinHua())
    for kind in (*KINDS, "special_235"):
        assert re.search(rf"\| `{kind}` .* {chances[kind].num:,} \|\n", TEXT), kind


def test_every_mark_entry_and_refusal_is_documented() -> None:
    for word in WORDS:
        assert re.search(rf"[`:]{word}[=`]", TEXT), word
    for entry in DONE - {"place"}:
        assert f'["{entry}"' in TEXT, entry
    assert "not_allowed" in CODES  # its `error`; its `code` has a name of its own
    for code in CODES - {"over", "no_card_due", "duplicate", "not_allowed"} | {"not_possible"}:
        assert f"| `{code}` |" in TEXT, code


def test_the_settings_shown_can_be_set() -> None:
    choices = TEXT.rpartition("## What a house chooses")[2]
    for text in re.findall(r"`(\w+ = [^`]+)`", choices):
        game = tomllib.loads(text)
        if "confirm_shuffle" not in game and "close" not in game:
            table, pins = {"id": "T", "game": "zhajinhua"}, {"next": 22}
            assert parse({"table": table, "pins": pins, "game": {"top": 50} | game}).terms
    for name in ZhaJinHua.__struct_fields__:
        assert f"`{name} = " in choices, name


def test_the_example_config_is_one_and_names_every_setting_with_its_default() -> None:
    config = load(EXAMPLE)
    assert config.terms == ZhaJinHua()
    assert (config.house.game, config.house.decks, config.house.burn) == ("zhajinhua", 1, "none")
    assert (config.house.betting, config.house.new_shoe) == ("required", "auto")
    assert tomllib.loads(EXAMPLE.read_text("utf-8"))["game"].keys() == set(ZhaJinHua.__struct_fields__)


def test_without_purses_nothing_is_dealt() -> None:
    with pytest.raises(ConfigError, match="betting"):
        parse({"table": {"id": "T", "game": "zhajinhua", "betting": "ignored"}})
