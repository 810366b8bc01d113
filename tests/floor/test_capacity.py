"""The capacity page: its table is what its figures make, and the figures of baccarat are what a store takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.facts.events import RoundClosed
from firmware_bridge.floor.record.state import TrustedKey
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.games import GAMES
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from tests.floor.house import House, shoes_over
from tests.floor.journals import event
from tests.kit.journal_record import AT

pytest.importorskip("nacl")

from tests.record.exports import SignedRecord, device

DOC = (Path(__file__).parents[2] / "docs/capacity.md").read_text()
NOW = "2026-11-20T21:33:05.123Z"
ROUNDS = 70
"""Rounds of a shoe."""

DAYS_OF_A_YEAR = 365


def figures(game: str) -> tuple[int, int]:
    """Bytes a round as rows, and with its events in a block."""
    found = re.search(rf"^\| {game}.*\| ([\d,]+) \| ([\d,]+) \|$", DOC, re.M)
    assert found, game
    rows, blocks = (int(each.replace(",", "")) for each in found.groups())
    return rows, blocks


def number(name: str) -> int:
    """A number that the page reckons with."""
    found = re.search(rf"([\d,]+) {name}", DOC)
    assert found, name
    return int(found[1].replace(",", ""))


def test_the_table_is_what_its_figures_make() -> None:
    rows, blocks = figures("five games")
    a_day = number("rounds an hour") * number("hours a day")
    found = re.findall(
        r"^\| ([\d,]+) tables? \| ([\d,]+) \| ([\d.]+) GB \| ([\d.,]+) GB \| ([\d.,]+) GB \|$", DOC, re.M
    )
    assert [int(each[0].replace(",", "")) for each in found] == [1, 20, 200, 1_000]
    for tables, rounds, day, before, year in found:
        count = int(tables.replace(",", "")) * a_day
        assert int(rounds.replace(",", "")) == count
        assert float(day) == pytest.approx(count * blocks / 1e9, rel=0.1)
        assert float(before.replace(",", "")) == pytest.approx(count * rows / 1e9, rel=0.1)
        assert float(year.replace(",", "")) == pytest.approx(DAYS_OF_A_YEAR * count * blocks / 1e9, rel=0.1)


@pytest.mark.story
def test_a_round_of_baccarat_takes_what_the_page_says(tmp_path: Path) -> None:
    house = House(tmp_path / "floor.db")
    house.store.put_key(TrustedKey("T07", device().key.vkey, "enrolled", "ANNA", "BO", NOW))
    house.wait(10)
    record = SignedRecord(tmp_path / "journals", "dealt")
    send(house, record.begin_device().lines)
    sizes = list[tuple[int, int]]()
    for _ in range(2):
        send(house, two_shoes(record))
        house.wait(30)
        before = pages(house)
        shoes_over(house.store, [])
        house.store.save([event(len(sizes) + 1, journal=f"{len(sizes)}-aa")], [], [])
        assert not compact(house.store, 0, rest=False).startswith("0 journals")
        sizes.append((before, pages(house)))
    house.store.close()
    (_, first), (rows, blocks) = sizes
    said = figures("baccarat")
    assert (rows - first) / (2 * ROUNDS) == pytest.approx(said[0], rel=0.1)
    assert (blocks - first) / (2 * ROUNDS) == pytest.approx(said[1], rel=0.1)


def two_shoes(record: SignedRecord) -> list[Line]:
    """The lines of two shoes, each dealt from a shuffled pack."""
    first = len(record.lines)
    for _ in range(2):
        record.open_shoe()
        closed, cards = 0, list(GAMES["baccarat"].pack) * 8
        Random(len(record.lines)).shuffle(cards)
        while closed < ROUNDS:
            record.take(inputs.CardRead(at=AT, card=cards.pop(), nonce=record.nonce()))
            closed += any(isinstance(each, RoundClosed) for each in record.lines[-1].entry.events)
    return record.lines[first:]


def send(house: House, lines: Iterable[Line]) -> None:
    for line in lines:
        house.send(*((f"shoe/T07/{each.topic}", each.payload) for each in messages(line)))


def pages(house: House) -> int:
    """Bytes of the pages that a store uses."""
    [(count,)] = house.store._db.execute("pragma page_count").fetchall()
    [(free,)] = house.store._db.execute("pragma freelist_count").fetchall()
    [(size,)] = house.store._db.execute("pragma page_size").fetchall()
    return int((count - free) * size)
