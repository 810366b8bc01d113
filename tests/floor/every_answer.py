"""What `shoe-floor report` answers by name, whatever the engine of its store: each brings the fixture `store`."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from firmware_bridge.floor.facts.answers import RoundMessage, alarms, changes
from firmware_bridge.floor.facts.reports import NO_DEALER
from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.fact_queries import Between
from firmware_bridge.floor.store.house_statements import QUERIES
from tests.floor.every_facts import changed
from tests.floor.every_query import Dealt, answer, dealt, event_of, example  # noqa: F401  # the fixture
from tests.floor.facts.played import rows

NOVEMBER = Between("2026-11-01", "2026-11-30")
TITLES = {
    "hold": "Hold by table and day",
    "ties": "Ties at a table",
    "early": "Shoes ended early",
    "hands": "Cards entered by hand, by person and dealer",
    "chance": "Results beside their expectation",
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_report_by_name_has_the_numbers_of_its_query(store: Store, dealt: list[Dealt], name: str) -> None:  # noqa: F811
    entered = {"type": "CardEntered", "card": "9s", "by": "ANNA", "second": "BO"}
    ended = {"type": "ShoeEnded", "why": "closed by pit", "rounds": 10}
    some = [each for each in dealt if each.round == 10]
    store.save([happened(each, 95, each.at, entered) for each in some], [], [])
    store.save([happened(each, 105, each.at, ended) for each in some], [], [])
    found = store.asked(name, NOVEMBER._replace(table="T07" if name == "ties" else ""))
    wanted = [tuple(each.values()) for each in answer(store, TITLES[name])]
    assert len(found.titles) == len(wanted[0])
    assert [tuple(map(as_number, row)) for row in found.rows] == [tuple(map(as_number, row)) for row in wanted]
    of_one = store.asked(name, NOVEMBER._replace(table="T07"))
    assert 0 < len(of_one.rows) <= len(found.rows)
    assert of_one.rows != found.rows or name == "ties"
    assert store.asked(name, NOVEMBER._replace(table="none")).rows == []


def happened(each: Dealt, seq: int, at: datetime, kind: dict[str, Any]) -> Row:
    return event_of(each.table, each.shoe, seq, at, example("event"), kind)


def as_number(value: Any) -> Any:
    """A value of a query, or a cell of a report, as a number where it is one."""
    try:
        return round(float(value), 2) if value not in (None, NO_DEALER) else ""
    except ValueError:
        return value


def test_each_correction_and_void_is_said_with_what_it_replaced(store: Store) -> None:
    closed = next(each for each in rows("baccarat") if each.topic == "round")
    who = {"by": "ANNA", "second": "BO", "dealt_by": "wu"}
    corrected = {"status": "corrected", "outcome": "tie", "corrects": 9, "why": ["misread"]}
    later = changed(closed, **who, **corrected, seq=99, revision=1, at="2026-11-22T09:00:00.000Z")
    last = changed(closed, **who, status="voided", why=["seen on camera"], seq=101, revision=2)
    store.save([last, closed, later], [], [])
    found = changes(store.changes(NOVEMBER))
    lines = [dict(zip(found.titles, row, strict=True)) for row in found.rows]
    assert [(each["what"], each["by"], each["second"], each["dealer"], each["why"]) for each in lines] == [
        ("corrected", "ANNA", "BO", "wu", "misread"),
        ("voided", "ANNA", "BO", "wu", "seen on camera"),
    ]
    assert lines[0]["at"] == "2026-11-22T09:00:00.000Z"
    cards = " ".join(each["card"] for each in json.loads(closed.body)["cards"])
    assert lines[0]["before"] == f"{json.loads(closed.body)['outcome']} ({cards})"
    assert lines[0]["now"] == lines[1]["before"] == f"tie ({cards})"
    assert lines[1]["now"] == ""
    assert store.changes(NOVEMBER._replace(table="none")) == store.changes(Between("2026-12-01", "2026-12-31")) == []


def test_a_change_without_its_messages_is_said_too() -> None:
    found = changes([RoundMessage("2026-11-20", "T07", "1-abc", 1, 2, "voided", "wu", b"", "")])
    assert found.rows == [("2026-11-20", "T07", "1", "2", "", "voided", "", "", "wu", "", "", "")]


def test_who_is_the_person_for_whom_a_key_gave_the_order(store: Store) -> None:
    """The messages name the key; the answer of the same entry names the person."""
    closed = next(each for each in rows("baccarat") if each.topic == "round")
    order = {"type": "CommandAnswered", "answer": {"ok": True, "do": "void"}, "by": "key/page", "on_behalf_of": "ANNA"}
    voided = changed(closed, by="key/page", second="CARL", status="voided", why=["misdeal"], seq=101, revision=1)
    answered = event_of("T07", 1, 101, datetime.fromisoformat("2026-11-03T10:00:00+00:00"), example("event"), order)
    begin = {"type": "Irregular", "values": {"round": 3}, "since": 1, "id": "jam"}
    end = {"type": "IrregularityClosed", "choice": "end shoe", "id": "jam"}
    store.save([closed, voided, answered._replace(table=closed.table, journal=closed.journal, n=2)], [], [])
    store.save([at_minute(1, 10, begin), at_minute(2, 20, end), at_minute(2, 20, order)._replace(n=9)], [], [])
    day = Between("2026-11-01", "2026-11-30", "T07")
    [void] = changes(store.changes(NOVEMBER)).rows
    assert void[6:8] == ("ANNA (key/page)", "CARL")
    [alarm] = alarms(store.alarms(day), day.end).rows
    assert alarm[4:7] == ("end shoe", "ANNA (key/page)", "")


def test_an_alarm_is_open_until_the_next_end_of_its_kind(store: Store) -> None:
    begin = {"type": "Irregular", "values": {"round": 3}, "since": 1}
    end = {"type": "IrregularityClosed", "choice": "burn", "by": "ANNA", "second": "BO"}
    times = {"jam": (1, 4.5), "lid": (2, None), "reader_lost": (0, 50 * 60)}
    saved = []
    for seq, (name, (began, ended)) in enumerate(times.items(), 1):
        saved.append(at_minute(began, 10 * seq, begin | {"id": name}))
        if ended is not None:
            saved.append(at_minute(ended, 10 * seq + 1, end | {"id": name}))
    store.save(saved, [], [])
    day = Between("2026-11-03", "2026-11-03", "T07")
    found = alarms(store.alarms(day), day.end)
    assert [row[:5] for row in found.rows] == [
        ("T07", "reader_lost", "2026-11-03T10:00:00.000Z", "3000.0", "burn"),
        ("T07", "jam", "2026-11-03T10:01:00.000Z", "3.5", "burn"),
        ("T07", "lid", "2026-11-03T10:02:00.000Z", "", "open"),
    ]
    later = Between("2026-11-04", "2026-11-05", "T07")
    assert alarms(store.alarms(later), later.end).rows == []


def at_minute(minutes: float, seq: int, kind: dict[str, Any]) -> Row:
    at = datetime.fromisoformat("2026-11-03T10:00:00+00:00").timestamp() + 60 * minutes
    return event_of("T07", 1, seq, datetime.fromtimestamp(at).astimezone(), example("event"), kind)
