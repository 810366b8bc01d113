"""The queries of docs/facts.md on a store of known contents, whatever its engine: each brings the fixture `store`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from firmware_bridge.floor.record.message import Row, rfc3339, row
from firmware_bridge.floor.store import FactName, Store
from firmware_bridge.floor.store.fact_exports import Wanted
from firmware_bridge.floor.store.fact_queries import Between
from tests.floor.every_facts import every_row
from tests.floor.facts.played import rows

DOC = (Path(__file__).parents[2] / "docs/facts.md").read_text("utf-8")
QUERIES = dict(re.findall(r"^### ([^\n]+)\n.*?^```sql\n(.*?)^```", DOC, re.M | re.S))
NETS = {"player": (1, -1, -1), "banker": (-1, 0.95, -1), "tie": (0, 0, 8)}


@dataclass(frozen=True)
class Dealt:
    """A round of the floor of these tests. stakes: what was put in and its net, in money."""

    table: str
    shoe: int
    round: int
    at: datetime
    dealer: str
    outcome: str
    stakes: tuple[int, int] | None
    is_void: bool = False

    @property
    def day(self) -> str:
        return f"{self.at:%Y-%m-%d}"


def month() -> list[Dealt]:
    """Rounds from the end of October to the begin of December: shoes of ten rounds, an hour of rounds a day."""
    chance, made = Random(7), []
    for table in ("T06", "T07", "T08"):
        number = count()
        for day in range(40):
            begin = datetime(2026, 10, 27, 20, tzinfo=UTC) + timedelta(day)
            for minute in range(0, 60, 5):
                shoe, nth = divmod(next(number), 10)
                outcome = chance.choice(("player", "banker", "banker", "tie"))
                stakes = (chance.randrange(10, 100), chance.randrange(-50, 50)) if table == "T08" else None
                dealer = chance.choice(("wu", "li", ""))
                made.append(Dealt(table, shoe + 1, nth + 1, begin + timedelta(0, 60 * minute), dealer, outcome, stakes))
    return [replace(each, is_void=chance.random() < 0.1) for each in made]


def november(dealt: list[Dealt]) -> list[Dealt]:
    return [each for each in dealt if each.at.month == 11]


def message_of(each: Dealt, seq: int, pattern: dict[str, Any]) -> Row:
    more: dict[str, Any] = {
        "table": each.table,
        "journal": f"{each.shoe}-abc",
        "shoe": each.shoe,
        "round": each.round,
        "seq": seq,
        "at": rfc3339(each.at),
        "gaming_day": each.day,
        "dealt_by": each.dealer,
        "outcome": each.outcome,
        "bets": dict(zip(NETS, NETS[each.outcome], strict=True)),
    }
    if each.is_void:
        more |= {"status": "voided", "by": "bo", "bets": {}}
    if each.stakes:
        more |= {"unit": "money", "stakes": {"S1": each.stakes}}
    return row("round", each.table, json.dumps(pattern | more).encode(), more["at"])


def event_of(table: str, shoe: int, seq: int, at: datetime, pattern: dict[str, Any], kind: dict[str, Any]) -> Row:
    place = {"table": table, "journal": f"{shoe}-abc", "shoe": shoe, "seq": seq, "at": rfc3339(at), "event": kind}
    return row("event", table, json.dumps(pattern | place).encode(), rfc3339(at))


def example(topic: str) -> dict[str, Any]:
    return json.loads(next(each.body for each in rows("baccarat") if each.topic == topic))


@pytest.fixture
def dealt(store: Store) -> list[Dealt]:
    found = month()
    store.save([message_of(each, 10 * each.round, example("round")) for each in found], [], [])
    return found


def answer(store: Store, title: str) -> list[dict[str, Any]]:
    with store._transaction() as db:
        cursor = db.execute(QUERIES[title])
        names = [each[0] for each in cursor.description]
        return [dict(zip(names, each, strict=True)) for each in cursor.fetchall()]


def near(found: Any, wanted: float) -> bool:
    return float(found) == pytest.approx(wanted, abs=0.006)


def test_hold_by_table_and_day(store: Store, dealt: list[Dealt]) -> None:
    wanted: dict[tuple[str, str], list[Dealt]] = defaultdict(list)
    for each in november(dealt):
        wanted[each.table, each.day].append(each)
    found = answer(store, "Hold by table and day")
    assert [(line["tbl"], line["day"]) for line in found] == sorted(wanted)
    for line in found:
        counted = [each for each in wanted[line["tbl"], line["day"]] if not each.is_void]
        stakes = [each.stakes for each in counted if each.stakes]
        staked, won = sum(put for put, _ in stakes), -sum(net for _, net in stakes)
        assert line["rounds"] == len(counted)
        assert (Decimal(line["staked"]), Decimal(line["won"])) == (staked, won)
        assert near(line["hold"], 100 * won / staked) if staked else line["hold"] is None


def test_ties_at_a_table(store: Store, dealt: list[Dealt]) -> None:
    counted = [each for each in november(dealt) if each.table == "T07" and not each.is_void]
    rounds = Counter(each.day for each in counted)
    ties = Counter(each.day for each in counted if each.outcome == "tie")
    assert [(each["day"], each["rounds"], each["ties"]) for each in answer(store, "Ties at a table")] == [
        (day, rounds[day], ties[day]) for day in sorted(rounds)
    ]
    assert sum(ties.values()) > 30


def test_pace_of_each_dealer(store: Store, dealt: list[Dealt]) -> None:
    slots: dict[object, Counter[str]] = defaultdict(Counter)
    for each in november(dealt):
        if not each.is_void:
            slots[each.table, f"{each.at:%d %H}", each.at.minute // 10][each.dealer] += 1
    hours: dict[str, float] = defaultdict(float)
    for slot in slots.values():
        for dealer, number in slot.items():
            hours[dealer] += number / slot.total() / 6
    rounds = sum(slots.values(), Counter[str]())
    found = {line["dealer"]: line for line in answer(store, "Pace of each dealer")}
    assert {dealer: line["rounds"] for dealer, line in found.items()} == rounds
    for dealer, line in found.items():
        assert near(line["hours"], hours[dealer])
        assert float(line["an_hour"]) == pytest.approx(rounds[dealer] / hours[dealer], abs=0.06)


def test_shoes_ended_early(store: Store, dealt: list[Dealt]) -> None:
    whys = ("the last round is over", "closed by pit", "the shoe is empty", "the pit ended it: lid_opened: torn card")
    lasts = [each for each in dealt if each.round == 10]
    ended = [(each, whys[at % 4]) for at, each in enumerate(lasts)]
    store.save(
        [
            event_of(it.table, it.shoe, 900, it.at, example("event"), {"type": "ShoeEnded", "why": why, "rounds": 10})
            for it, why in ended
        ],
        [],
        [],
    )
    wanted = [(each.dealer, why in (whys[1], whys[3])) for each, why in ended if each in november(dealt)]
    shoes, early = Counter(dealer for dealer, _ in wanted), Counter(dealer for dealer, is_early in wanted if is_early)
    assert [tuple(each.values()) for each in answer(store, "Shoes ended early")] == sorted(
        ((dealer, shoes[dealer], early[dealer]) for dealer in shoes), key=lambda each: (-each[2], each[0])
    )


def test_cards_entered_by_hand_by_person_and_dealer(store: Store, dealt: list[Dealt]) -> None:
    people = (("ANNA", "BO"), ("ANNA", "CY"), ("DEE", "BO"))
    by_hand = [(each, people[at % 3]) for at, each in enumerate(dealt[::7])]
    store.save(
        [
            event_of(
                each.table,
                each.shoe,
                10 * each.round - 1,
                each.at - timedelta(0, 30),
                example("event"),
                {"type": "CardEntered", "card": "9s", "by": by, "second": second},
            )
            for each, (by, second) in by_hand
        ],
        [],
        [],
    )
    wanted = Counter((by, second, each.dealer) for each, (by, second) in by_hand if each in november(dealt))
    assert [tuple(each.values()) for each in answer(store, "Cards entered by hand, by person and dealer")] == [
        (*who, number) for who, number in sorted(wanted.items(), key=lambda each: (-each[1], each[0]))
    ]


def test_results_beside_their_expectation(store: Store, dealt: list[Dealt]) -> None:
    share = {"player": 0.446247, "banker": 0.458597, "tie": 0.095156}
    assert sum(share.values()) == pytest.approx(1)
    found = answer(store, "Results beside their expectation")
    assert sorted(line["tbl"] for line in found) == ["T06", "T07", "T08"]
    for line in found:
        counted = Counter(each.outcome for each in november(dealt) if each.table == line["tbl"] and not each.is_void)
        assert {name: line[name] for name in share} == counted
        expected = {name: part * counted.total() for name, part in share.items()}
        assert float(line["expected_tie"]) == pytest.approx(expected["tie"], abs=0.06)
        chi = sum((counted[name] - expected[name]) ** 2 / expected[name] for name in share)
        assert near(line["chi_square"], chi)
        assert chi > 13.82  # these tables have far too many ties
    assert [line["chi_square"] for line in found] == sorted((line["chi_square"] for line in found), reverse=True)


def test_every_query_of_the_page_is_tested() -> None:
    names = {name.removeprefix("test_").replace("_", " ") for name in globals() if name.startswith("test_")}
    assert {title.lower().replace(",", "") for title in QUERIES} <= names
    assert len(QUERIES) == DOC.count("```sql")


@pytest.mark.parametrize("name", get_args(FactName))
def test_an_export_has_the_same_values_from_each_engine(store: Store, name: str) -> None:
    store.save(every_row(), [], [])
    kinds = {"text": str, "integer": int, "time": str, "bool": bool, "json": str}
    with store.facts(Wanted(name)) as written:
        found = list(written.rows)
        [(count,)] = store._db.execute(f"select count(*) from {name}").fetchall()
    assert len(found) == count
    for values in found:
        for column, value in zip(written.columns, values, strict=True):
            assert value is None or type(value) is kinds[column.kind]
            assert value is None or column.kind != "time" or re.fullmatch(r"[\d-]{10}T[\d:]{8}\.\d{3}Z", str(value))


def test_an_export_has_the_days_columns_and_changes_that_are_wanted(store: Store, dealt: list[Dealt]) -> None:
    columns = ("bet.tie", "tbl", "round", "day")
    days = Wanted("fact_round", columns, "2026-11-03", "2026-11-04", "T07", is_flat=True)
    wanted = [each for each in dealt if each.table == "T07" and each.day in ("2026-11-03", "2026-11-04")]
    with store.facts(days) as written:
        assert sorted(written.rows, key=str) == sorted(
            (
                (None if each.is_void else NETS[each.outcome][2] * 1_000_000, "T07", each.round, each.day)
                for each in wanted
            ),
            key=str,
        )
    last = written.change
    assert last == len(dealt)
    later = replace(wanted[0], outcome="banker", is_void=False)
    store.save([message_of(later, 999, example("round") | {"revision": 1, "by": "bo", "corrects": 3})], [], [])
    with store.facts(Wanted("fact_round", ("tbl", "round", "outcome"), after=last)) as written:
        assert list(written.rows) == [("T07", later.round, "banker")]
    assert written.change == last + 1


def test_sums_beyond_an_integer_of_an_engine_are_whole(store: Store, dealt: list[Dealt]) -> None:
    with store._transaction() as db:
        db.execute("update fact_day set staked = 9223372036854775807, house = -9223372036854775807 where tbl = 'T08'")
        [(days,)] = db.execute("select count(*) from fact_day where tbl = 'T08'").fetchall()
    found = store.sums(Between("2026-01-01", "2026-12-31", "T08"), ("tbl",))
    assert [(each.day.staked, each.day.house) for each in found] == [(days * (2**63 - 1), -days * (2**63 - 1))]
