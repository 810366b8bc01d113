"""What every store does with facts, whatever its engine: the tests of each bring the fixtures `engine` and `store`."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest

from firmware_bridge.floor.facts.rows import Round
from firmware_bridge.floor.record.message import Key, Row, row
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes, ProvedRound
from firmware_bridge.floor.store import Store
from tests.floor.facts.played import NAMES, rows

TABLES = {f"T{number:02}": game for number, game in enumerate(NAMES)}
FACTS = (
    "round",
    "stake",
    "day",
    "bet",
    "dealer_bet",
    "pace",
    "hours",
    "alarm",
    "dealer",
    "entry",
    "shoe",
    "order",
    "acts",
    "none",
)


def every_row() -> list[Row]:
    return [each for table, game in TABLES.items() for each in rows(game, table)]


def ask(store: Store, query: str) -> list[Any]:
    found: list[Any] = store._db.execute(query).fetchall()
    return found


def facts(store: Store) -> dict[str, list[Any]]:
    """All facts as plain values, whatever the engine makes of times and JSON; of rounds without the last, `changed`."""
    return {
        name: sorted(
            ([plain(each) for each in found[: -1 if name == "round" else None]] for found in rows_of(store, name)),
            key=str,
        )
        for name in FACTS
    }


def rows_of(store: Store, name: str) -> list[Any]:
    return ask(store, f"select * from fact_{name}")


def plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, str) and value.startswith(("{", "[")):
        return json.loads(value)
    return int(value) if isinstance(value, bool) else value


def put(store: Store, messages: list[Row], at_once: int) -> None:
    for start in range(0, len(messages), at_once):
        store.save(messages[start : start + at_once], [], [])


def rebuild(store: Store, messages: list[Row]) -> None:
    """Make all facts anew, as `shoe-floor rebuild` does of the journals that have progress."""
    for key in {each.key: None for each in messages}:
        store.rebuild_journal(key)
    for table in TABLES:
        store.rebuild_days(table)


def test_facts_come_with_their_messages(store: Store) -> None:
    store.save(every_row(), [], [])
    found = facts(store)
    assert {len(found[name]) > 0 for name in ("round", "stake", "day", "shoe", "order")} == {True}
    assert found["none"] == []
    messages = [json.loads(each.body) for each in every_row() if each.topic == "round"]
    assert sorted(row[9] for row in found["round"] if row[9] != "open") == sorted(each["status"] for each in messages)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_facts_are_the_same_in_any_order_and_any_number(store: Store, at_once: int) -> None:
    messages = [*every_row(), *every_row()]
    random.Random(at_once).shuffle(messages)
    put(store, messages, at_once)
    found = facts(store)
    rebuild(store, messages)
    assert facts(store) == found


@pytest.mark.parametrize("at_once", [1, 1000])
def test_what_reports_read_follows_from_the_other_facts(store: Store, at_once: int) -> None:
    messages = every_row()
    random.Random(at_once).shuffle(messages)
    put(store, messages, at_once)
    for sums, of_others in (
        (
            "select day, tbl, dealt_by, rounds, millis from fact_hours",
            "select day, tbl, dealt_by, sum(rounds), sum(millis) from fact_pace group by day, tbl, dealt_by",
        ),
        (
            "select tbl, journal, shoe, dealt_by from fact_shoe where dealt_by is not null",
            (
                "select s.tbl, s.journal, s.shoe, r.dealt_by from fact_shoe s join fact_round r on r.tbl = s.tbl "
                "and r.journal = s.journal and r.shoe = s.shoe and r.round = s.rounds "
                "where s.ended_at is not null and r.dealt_by is not null"
            ),
        ),
        (
            "select tbl, day, shift, dealt_by, game from fact_dealer_bet",
            "select tbl, day, shift, dealt_by, game from fact_day",
        ),
    ):
        found = sorted(ask(store, sums))
        assert found == sorted(ask(store, of_others))
        assert found


def test_facts_that_were_spoiled_are_made_anew(store: Store) -> None:
    store.save(every_row(), [], [])
    found = facts(store)
    with store._transaction() as db:
        for spoiled in (
            "update fact_round set outcome = 'x', house = 7, day = '2020-01-01'",
            "delete from fact_stake",
            "delete from fact_bet",
            "delete from fact_pace",
            "update fact_hours set rounds = rounds + 1, millis = 7",
            "delete from fact_dealer_bet",
            "update fact_day set rounds = rounds + 1, staked = 0",
            "update fact_shoe set decks = 1, dealt_by = 'x'",
            "delete from fact_order",
        ):
            db.execute(spoiled)
    rebuild(store, every_row())
    assert facts(store) == found


def changed(message: Row, **more: object) -> Row:
    """A message as a table could have sent it, or somebody else."""
    body = json.loads(message.body)
    return row(message.topic, message.table, json.dumps(body | more).encode(), message.received_at)


@pytest.fixture
def closed() -> Row:
    """The first closed round of a baccarat table."""
    return next(each for each in rows("baccarat") if each.topic == "round")


def test_of_two_messages_of_a_round_the_higher_revision_counts(store: Store, closed: Row) -> None:
    later = changed(closed, seq=99, revision=1, status="corrected", outcome="tie", dealt_by="wu", corrects=9, by="bo")
    for order in ([closed, later], [later, closed]):
        put(store, order, 1)
        [(outcome, dealer, at)] = ask(store, "select outcome, dealt_by, cast(closed_at as text) from fact_round")
        assert (outcome, dealer, at[:10]) == ("tie", "wu", closed.at[:10])
        assert ask(store, "select dealt_by, rounds, corrected from fact_day") == [("wu", 1, 1)]


def test_a_void_takes_a_round_out_of_the_sums(store: Store, closed: Row) -> None:
    void = changed(closed, seq=99, revision=1, status="voided", by="bo")
    put(store, [closed, void], 1)
    assert ask(store, "select rounds, voided from fact_day") == [(0, 1)]
    [(bets,)] = ask(store, "select cast(bets as text) from fact_dealer_bet")
    assert json.loads(bets) == {}


def test_other_bytes_in_the_place_of_a_message_are_no_fact(store: Store, closed: Row) -> None:
    put(store, [closed, changed(closed, outcome="banker")], 1)
    assert ask(store, "select outcome from fact_round") == [("player",)]


def test_the_bytes_that_were_verified_count_and_not_those_before_them(store: Store, closed: Row) -> None:
    forged = changed(closed, outcome="banker")
    store.save([forged], [], [])
    (changes := Changes()).proved.append(ProvedRound(closed, "log", 8))
    store.save([], [], [], changes)
    for _ in range(2):
        assert ask(store, "select outcome from fact_round") == [("player",)]
        store.save([forged], [], [])
    found = facts(store)
    store.rebuild_journal(closed.key)
    assert facts(store) == found


def test_facts_go_with_their_journal(store: Store, closed: Row) -> None:
    store.save([closed], [], [Progress(closed.key, closed.shoe, closed.seq, closed.seq)])
    assert store.expire(closed.key, "2026-12-01", "2026-12-02T00:00:00.000Z")
    assert {name: found for name, found in facts(store).items() if found} == {}


def test_a_message_that_is_no_fact_is_named(store: Store, closed: Row) -> None:
    odd = changed(closed, stakes=7)
    store.save([odd, *rows("blackjack", "T09")], [], [])
    assert ask(store, "select tbl, journal, seq, n from fact_none") == [(odd.table, odd.journal, odd.seq, odd.n)]
    assert Key(*ask(store, "select tbl, journal from fact_round where tbl = 'T09'")[0]).table == "T09"


@pytest.mark.parametrize(
    "more",
    [{"outcome": "a\0b"}, {"dealt_by": "w" * 3_000}, {"stakes": {"S" * 3_000: [1, 1]}, "unit": "money"}, {"pit": "\0"}],
    ids=["no character", "a long name", "a long bet", "another"],
)
def test_what_an_engine_cannot_keep_is_no_fact_and_stops_no_message(
    store: Store, closed: Row, more: dict[str, object]
) -> None:
    store.save([changed(closed, **more), *rows("blackjack", "T09")], [], [])
    assert len(ask(store, "select why from fact_none")) == 1
    assert ask(store, "select count(*) from fact_round where tbl = 'T09'")[0][0] > 0


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 10**30])
def test_a_number_that_no_engine_keeps_is_no_fact(store: Store, closed: Row, number: int) -> None:
    opened = json.loads(next(each.body for each in rows("baccarat") if b"ShoeOpened" in each.body))
    opened["event"]["house"]["decks"] = number
    store.save([row("event", opened["table"], json.dumps(opened).encode(), closed.received_at)], [], [])
    assert ask(store, "select topic from fact_none") == [("event",)]


def test_a_forged_number_of_a_round_and_sums_without_end_stop_no_message(store: Store, closed: Row) -> None:
    event = next(each for each in rows("baccarat") if b'"round": 1' in each.body and each.topic == "event")
    body = json.loads(event.body)
    body["event"]["round"] = 10**30
    most = {"unit": "money", "stakes": {"S1": ["9007199254", "-9007199254"]}}
    store.save([row("event", event.table, json.dumps(body).encode(), event.received_at)], [], [])
    put(store, [changed(closed, seq=number, round=number, **most) for number in range(1, 1_100)], 500)
    assert ask(store, "select staked, house from fact_day") == [(2**63 - 1, 2**63 - 1)]


def test_columns_of_a_round_are_those_of_its_fact(store: Store) -> None:
    with store._transaction() as db:
        names = [name for name, *_ in db.execute("select * from fact_round").description]
    assert names[4:22] == list(Round._fields[4:22])


def test_each_change_of_a_round_has_a_higher_number(store: Store, closed: Row) -> None:
    put(store, list(rows("baccarat")), 1)
    found = [number for (number,) in ask(store, "select changed from fact_round order by changed")]
    [(last,)] = ask(store, "select changed from fact_change")
    assert found == sorted(set(found))
    assert found[-1] == last
    put(store, list(rows("baccarat")), 1)
    assert ask(store, "select changed from fact_change") == [(last,)]
    store.save([changed(closed, seq=99, revision=1, status="voided", by="bo")], [], [])
    assert ask(store, f"select status from fact_round where changed > {last}") == [("voided",)]
    for key in {closed.key}:
        store.rebuild_journal(key)
    assert ask(store, f"select count(*) from fact_round where changed <= {last}") == [(0,)]


def test_the_number_of_a_change_does_not_go_back_with_a_journal(store: Store, closed: Row) -> None:
    store.save([closed], [], [Progress(closed.key, closed.shoe, closed.seq, closed.seq)])
    store.expire(closed.key, "2026-12-01", "2026-12-02T00:00:00.000Z")
    assert ask(store, "select changed from fact_change") == [(1,)]


def test_the_time_of_two_dealers_is_shared_as_their_rounds_are(store: Store, closed: Row) -> None:
    times = ["20:40:00.000", "20:41:00.000", "20:49:59.900", "20:50:00.000"]
    rounds = [
        changed(closed, seq=number, round=number, at=f"2026-11-20T{at}Z", dealt_by="wu" if number == 1 else "li")
        for number, at in enumerate(times, 1)
    ]
    put(store, rounds, 3)
    assert sorted(ask(store, "select dealt_by, rounds, millis from fact_pace")) == [
        ("li", 1, 600_000),
        ("li", 2, 400_000),
        ("wu", 1, 200_000),
    ]
    store.save([changed(rounds[0], seq=99, revision=1, status="voided", by="bo")], [], [])
    assert sorted(ask(store, "select dealt_by, rounds, millis from fact_pace")) == [
        ("li", 1, 600_000),
        ("li", 2, 600_000),
    ]


def test_who_entered_a_card_is_a_fact(store: Store) -> None:
    message = next(each for each in rows("baccarat") if each.topic == "event")
    entered = {"type": "CardEntered", "card": "9s", "by": "ANNA", "second": "BO"}
    looked = entered | {"type": "CardLookedAt", "round": 1, "slot": "P1", "seq": 4, "n": 1}
    store.save([changed(message, seq=98, event=entered), changed(message, seq=99, event=looked)], [], [])
    assert sorted(ask(store, "select what, by_name, second from fact_entry")) == [
        ("entered", "ANNA", "BO"),
        ("looked at", "ANNA", "BO"),
    ]
