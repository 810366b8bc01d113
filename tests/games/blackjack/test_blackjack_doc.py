"""What docs/blackjack.md shows is what a table says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.config.load import load
from firmware_bridge.facts import orders
from firmware_bridge.games.blackjack.odds import odds, piles_of
from firmware_bridge.games.blackjack.result import Hand, Own
from firmware_bridge.games.house import usual
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/blackjack.md").read_text("utf-8")
EXAMPLE = ROOT / "systemd/blackjack.toml"
PICTURE = ROOT / "docs/wiring-blackjack.svg"


def table(text: str) -> Table:
    return Table(**{"game": "blackjack", **usual("blackjack")}).play(f"shoe {text}")


def blocks() -> list[str]:
    return re.findall(r"```json\n(.*?)```", TEXT, re.S)


def shown(of: str) -> list[dict[str, Any]]:
    """The JSON objects that one block shows, one behind the other."""
    decoder, text = json.JSONDecoder(), next(each for each in blocks() if of in each)
    found: list[dict[str, Any]] = []
    while text.strip():
        value, end = decoder.raw_decode(text.strip())
        found.append(value)
        text = text.strip()[end:]
    return found


def test_the_orders_are_taken_and_answered_as_shown() -> None:
    bets, *marks = shown('"do": "bets_closed"')
    now = table("")
    now.take(now.order(orders.BetsClosed(bets=bets["bets"])))
    assert now.answer.hint == "S5 takes no part: above_max"
    now.play("8h As 6c 8d Kd 9s")
    for mark, cards in zip(marks, ("3d", "Th Tc 1:S 7d"), strict=True):
        given = {name: value for name, value in mark.items() if name not in ("id", "do")}
        now.take(now.order(orders.Mark(**given)))
        assert now.answer.ok, now.answer
        now.play(cards)
    closed, corrected, voided = shown('"status":"closed"')
    assert closed == {name: now.rounds[0][name] for name in closed}
    assert set(corrected) - {".."} < {*now.rounds[0], "corrects", "by"}
    now.play("bets=1:100,3:12.5 Ah Th 6c Kd 6d 9s 3:SU !void misdeal bets=1:100,3:12.5 Ah Th 6c Kd 6d 9s")
    now.play("3:H 2c !void misdeal")
    assert set(voided) < set(now.rounds[2])
    assert now.rounds[2]["moved"] == {"S1": "150"}


def test_the_topic_table_is_as_shown() -> None:
    (part,) = shown('"hands":{"S1.1":["8h","8d"]')
    now = snapshots(table("bets=1:100,3:12.5 8h As 6c 8d Kd 9s").shoe)["table"]
    message = msgspec.json.decode(msgspec.json.encode(now))
    assert {name: message[name] for name in part} == part


@pytest.mark.parametrize("name", [*Hand.__struct_fields__, *Own.__struct_fields__])
def test_each_part_of_the_round_is_there(name: str) -> None:
    assert f'"{name}":' in TEXT


def test_the_odds_have_the_keys_shown() -> None:
    text = next(each for each in blocks() if "peeked" in each)
    full_odds = odds(piles_of(8, ()))
    assert all(f'"{key}":' in text for key in full_odds.__struct_fields__)
    assert (full_odds.bust["12"].num, full_odds.bust["12"].den) == (128, 416)


def test_the_example_config_is_a_table_of_blackjack() -> None:
    config = load(EXAMPLE)
    assert (config.table.game, config.house.decks, config.house.betting) == ("blackjack", 8, "required")
    assert set(config.lamps) == {*config.rules.slots, "ready", "fault"}
