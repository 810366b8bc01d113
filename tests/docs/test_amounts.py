"""Amounts: what documents and schemas say of them is what tables send, and what a program makes of them is right."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from firmware_bridge.cli.schema import AMOUNTS, schema
from firmware_bridge.client import Rounding, Wager, settle
from firmware_bridge.facts import orders
from firmware_bridge.games import GAMES
from tests.docs.pages import DOCS, PAGES, block
from tests.games.seated import Seated
from tests.kit.nightly import share
from tests.kit.patience import run

ROUNDS: Final = share(50, 5)
TYPES: Final[dict[str, type | tuple[type, ...]]] = {"number": (int, float), "string": str}
KEYS: Final = ("bets", "stakes", "moved", "money")

Round = dict[str, Any]


@cache
def rounds(game: str) -> list[Round]:
    """Random rounds of a game as they come by MQTT, every third voided where it stood."""
    found: list[Round] = []
    seed = 0
    while len(found) < ROUNDS:
        seated = Seated(game, seed)
        steps = Random(seed).randrange(1, 12) if seed % 3 == 0 else 10_000
        while not seated.is_over and steps:
            seated.do(seated.next())
            steps -= 1
        if not seated.is_over:
            seated.table.take(seated.table.order(orders.Void("misdeal")))
        found += seated.table.rounds
        seed += 1
    return found[:ROUNDS]


def amounts(message: Round) -> Iterator[Any]:
    """Each amount of a round."""
    for value in (each for name in KEYS for each in message.get(name, {}).values()):
        yield from value if isinstance(value, list) else [value]


def wagers(message: Round) -> list[Wager]:
    """A wager on each bet or seat that the message names; a void of stakes names none."""
    bets: list[str] = [*(message.get("bets") or message["stakes"])] or ["banker"]
    return [Wager("ann", bet, Decimal(100 + n) + Decimal("0.37") * n) for n, bet in enumerate(bets)]


def decimals(part: Any) -> Iterator[Any]:
    """The type of each decimal in a schema."""
    if isinstance(part, dict) and part.get("format") == "decimal":
        yield part["type"]
    elif isinstance(part, dict | list):
        for each in part.values() if isinstance(part, dict) else part:
            yield from decimals(each)


@pytest.mark.parametrize("game", GAMES)
def test_each_amount_has_the_one_type_of_its_game(game: str) -> None:
    kind = AMOUNTS[GAMES[game].money.unit]
    for name, definition in schema()["$defs"].items():
        assert not name.startswith(f"round.{game}.") or set(decimals(definition)) == {kind}, name
    assert {each["status"] for each in rounds(game)} == {"closed", "voided"}
    for message in rounds(game):
        assert all(isinstance(each, TYPES[kind]) for each in amounts(message)), message


def test_the_amounts_in_documents_are_of_the_type_that_is_sent() -> None:
    """Orders have texts, rounds what their unit says; a pair in the prose of docs/mqtt.md is of texts."""
    found = 0
    for page in (each for each in PAGES if each.name != "messages.md"):  # which is made of messages
        for shown in re.findall(r'^ *\{"(?:[^\n]|\n(?! *\{"| *```))*', page.read_text("utf-8"), re.M):
            unit = re.search(r'"unit": ?"(\w+)"', shown)
            kind = AMOUNTS[unit[1]] if unit else "string"  # type: ignore[index]  # another word is a fault
            for of, text in re.findall(r'"(bets|stakes|moved|money)": ?(\{[^{}]*\})', shown):
                message = {of: {bet: each for bet, each in json.loads(text).items() if bet != ".."}}
                assert all(isinstance(each, TYPES[kind]) for each in amounts(message)), (page.name, text)
                found += bool(message[of])
    assert found >= 15
    assert not re.search(r"\[-?\d[\d.]*, -?\d", (DOCS / "mqtt.md").read_text("utf-8"))


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node here")
def test_the_program_of_the_page_settles_as_the_client_does(tmp_path: Path) -> None:
    messages = [message for game in GAMES for message in rounds(game)]
    accepted = [wagers(message) for message in messages]
    pairs = [[[each.bet, str(each.stake)] for each in of] for of in accepted]
    rest = """
const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([round, wagers]) => wagers.map(([bet, wager]) => back(round, bet, wager)))));
"""
    program = tmp_path / "page.js"
    program.write_text(block(DOCS / "mqtt.md", "js", "function back") + rest, "utf-8")
    done = run(["node", program], text=json.dumps(list(zip(messages, pairs, strict=True))))
    assert done.returncode == 0, done.stderr
    for message, of, sums in zip(messages, accepted, json.loads(done.stdout), strict=True):
        settled = settle(message, of, Rounding())
        assert settled.held == ()
        assert [(each.wager, each.amount) for each in settled.paid] == list(zip(of, map(Decimal, sums), strict=True))
