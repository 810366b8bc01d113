"""Programs written for the version before (dc0f51a4) settle what tables of this one send, without a change.

`settle_money-1.py.txt` is docs/examples/settle_money.py as it was there. It runs on the client package of this version.
"""

from __future__ import annotations

import json
import runpy
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.client import round_message
from firmware_bridge.client.messages import Received
from firmware_bridge.games import GAMES
from tests.floor.facts import dealing
from tests.kit import kept_formats as kept
from tests.topics.test_before import TableBefore

PROGRAM: Final = SimpleNamespace(**runpy.run_path(str(kept.VECTORS / "settle_money-1.py.txt")))
STAKE: Final = Decimal(100)
ROUNDS: Final = 25
"""Rounds of each `v`."""

Round = tuple[str, int, int]
"""Journal, shoe and number of a round."""


def rounds(folder: Path) -> Iterator[bytes]:
    yield from (each.payload for each in kept.published(folder) if each.topic == "round")


def sent(folder: Path, game: str, mocker: MockerFixture) -> list[bytes]:
    """The `round` messages of a table as it goes on in format 3, and of one that has begun format 4."""
    dealing.Dealing("NEW", game, folder, 2).play(ROUNDS)
    mocker.patch.object(dealing, "MemoryTable", TableBefore)
    dealing.Dealing("OPEN", game, folder, 1).play(ROUNDS)
    return [*rounds(folder / "OPEN"), *rounds(folder / "NEW")]


def final(messages: list[bytes]) -> dict[Round, dict[str, Any]]:
    found: dict[Round, dict[str, Any]] = {}
    for raw in messages:
        each = json.loads(raw, parse_float=Decimal, parse_int=Decimal)
        of = each["journal"], int(each["shoe"]), int(each["round"])
        if of not in found or each["revision"] > found[of]["revision"]:
            found[of] = each
    return found


def wagered(of: dict[str, Any]) -> dict[str, Decimal]:
    """Bet -> amount, each by a person of that name; a game in money names what was put in, if anything was."""
    put_in = {bet: Decimal(amount) or Decimal(1) for bet, (amount, _) in of["stakes"].items()}
    return put_in if of["unit"] == "money" else dict.fromkeys(of.get("bets", ("banker",)), STAKE)


def due(of: dict[str, Any], bet: str) -> Decimal:
    """What comes back on a bet, by the keys of the message alone."""
    x = Decimal(1) if of["unit"] == "money" else STAKE
    put_in, _ = of["stakes"].get(bet, (1, None))
    return x * (Decimal(put_in) + Decimal(of.get("bets", {}).get(bet, 0)))


@pytest.mark.parametrize("game", GAMES)
def test_fifty_rounds_are_settled(tmp_path: Path, mocker: MockerFixture, game: str) -> None:
    messages = sent(tmp_path, game, mocker)
    ended, paid, expected = final(messages), Counter[str](), Counter[str]()
    assert {int(each["v"]) for each in ended.values()} == {1, 2}
    assert len(ended) == 2 * ROUNDS
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(PROGRAM.TABLES)
        for (journal, shoe, number), of in ended.items():
            for bet, amount in wagered(of).items():
                row = (of["table"], journal, shoe, number, f"{journal} {shoe} {number} {bet}", bet, str(amount))
                db.execute("insert into wager values (?, ?, ?, ?, ?, ?, ?)", row)
                expected[row[4]] = due(of, bet)  # type: ignore[assignment]
        for raw in messages:
            PROGRAM.book(db, Received(json.loads(raw)["table"], "round", round_message(raw), raw))
        for person, amount in db.execute("select person, amount from payment"):
            paid[person] += Decimal(amount)  # type: ignore[assignment]
        assert db.execute("select what from incident").fetchall() == []
    assert {person: paid[person] for person in expected} == dict(expected)
    assert any(expected.values())
