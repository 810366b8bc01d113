"""What docs/niuniu.md and docs/erbagang.md show is what a table says: orders, messages, counts, settings."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.config.load import parse
from firmware_bridge.facts.orders import Order
from firmware_bridge.games import GAMES
from firmware_bridge.games.erbagang.hands import KINDS as TILE_KINDS
from firmware_bridge.games.niuniu.hands import KINDS as CARD_KINDS
from tests.games.erbagang.test_erbagang import table as erbagang
from tests.games.niuniu.test_niuniu import BETS, CARDS, GRABS
from tests.games.niuniu.test_niuniu import table as niuniu

DOCS = Path(__file__).parents[2] / "docs"
TEXTS = {game: (DOCS / f"{game}.md").read_text("utf-8") for game in ("niuniu", "erbagang")}

SHORT = "money=1:100,2:40,3:20,4:20 1:grab=200 2:grab=0 3:grab=0 4:grab=0 2:bet=66 3:bet=1 4:bet=1"
GRABBED_AGAIN = "money=1:100,2:40,3:20,4:20 1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
TILES = "wp 2p 9p 1p wp 8p 8p 9p"


def objects(text: str) -> list[Any]:
    """Every JSON object in a document, with what is left out in it."""
    decoder, found = json.JSONDecoder(), []
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        at = 0
        while (at := block.find("{", at)) >= 0:
            value, at = decoder.raw_decode(block, at)
            found.append(value)
    return found


@pytest.mark.parametrize("game", TEXTS)
def test_the_orders_shown_are_orders(game: str) -> None:
    shown = [each for each in objects(TEXTS[game]) if "do" in each]
    assert len(shown) >= 3
    for each in shown:
        order = msgspec.convert({name: value for name, value in each.items() if name != "id"}, Order)
        assert order


def assert_shown(shown: dict[str, Any], message: dict[str, Any]) -> None:
    for name, value in shown.items():
        if isinstance(value, dict) and name in ("hands",):
            assert {slot: hand for slot, hand in value.items() if slot != ".."}.items() <= message[name].items()
        else:
            assert message[name] == value, name


def test_the_messages_shown_are_those_of_a_table() -> None:
    closed, voided = (each for each in objects(TEXTS["niuniu"]) if "status" in each)
    assert_shown(closed, niuniu(f"{GRABS} {BETS} {CARDS}").rounds[0])
    assert_shown(voided, niuniu(f"{GRABS} {BETS} Kh !void misdeal").rounds[0])
    closed, voided = (each for each in objects(TEXTS["erbagang"]) if "status" in each)
    assert_shown(closed, erbagang(f"{SHORT} {TILES}").rounds[0])
    assert_shown(voided, erbagang(f"{GRABBED_AGAIN} {TILES} 1:grab=1 !void misdeal").rounds[1])


@pytest.mark.parametrize(("game", "kinds"), [("niuniu", CARD_KINDS), ("erbagang", TILE_KINDS)])
def test_every_kind_is_documented_with_its_count(game: str, kinds: tuple[str, ...]) -> None:
    made = GAMES[game].odds
    assert made
    chances = made().of(1, (), GAMES[game].terms())
    rows = "\n".join(line for line in TEXTS[game].splitlines() if line.startswith("| `"))
    assert sum(chance.num for chance in chances.values()) == next(iter(chances.values())).den
    for kind in kinds:
        count = f"{chances[kind].num:,}"
        assert count in rows, kind
        assert f"`{kind}`" in rows or kind.startswith("bull_")


@pytest.mark.parametrize("game", TEXTS)
def test_the_settings_shown_can_be_set(game: str) -> None:
    choices = TEXTS[game].rpartition("## What a house chooses")[2]
    for text in re.findall(r"`(?:\[(?:table|service)\] )?(\w+ = [^`]+)`", choices):
        [(key, value)] = tomllib.loads(text).items()
        section = next(name for name, keys in SECTIONS.items() if key in keys) if key in KNOWN else "game"
        document: dict[str, dict[str, Any]] = {"table": {"id": "T", "game": game}, "pins": {"next": 22}}
        document.setdefault(section, {})
        assert parse({**document, section: document[section] | {key: value}})
    for name in GAMES[game].terms.__struct_fields__:
        assert f"`{name}" in choices, name


SECTIONS = {"table": ("disclose", "betting", "close"), "service": ("confirm_shuffle",)}
KNOWN = [key for keys in SECTIONS.values() for key in keys]
