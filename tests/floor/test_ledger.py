from itertools import count

import pytest

from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.record.ledger import LEAST, Ask, Ledger, Loaded, Previous
from firmware_bridge.floor.record.message import Key, Row, row
from firmware_bridge.floor.record.progress import Progress
from tests.floor.journals import AT, event, round_of

KEY = Key("T07", "3-5ad1")
EVERYTHING = Resend(since="1970-01-01T00:00:00Z")


def ledger_of(*rows: Row, asks: bool = False) -> Ledger:
    """asks: whether a new journal begins with an order for all before it."""
    made = Ledger(lambda key: Loaded(Progress(key, 0, 0, 0), ()), asks=asks)
    for each in rows:
        made.add(each)
    return made


def asked(of: Ledger, now: float) -> list[tuple[int | None, int | None]]:
    return [(ask.order.start, ask.order.to) for ask in of.due(now) if ask.order.journal]


def test_an_entry_is_whole_with_all_its_events() -> None:
    assert ledger_of(event(1, 1, 2)).stored(KEY) == 0
    assert ledger_of(event(1, 1, 2), event(1, 2, 2)).stored(KEY) == 1


def test_an_event_of_a_round_needs_the_message_of_the_round() -> None:
    closed = event(1, kind="RoundClosed")
    assert ledger_of(closed).stored(KEY) == 0
    assert ledger_of(closed, round_of(1, 31)).stored(KEY) == 1
    assert ledger_of(round_of(1, 31), closed).stored(KEY) == 1


def test_messages_may_come_in_any_order_and_twice() -> None:
    assert ledger_of(event(3), event(1), event(1), event(2), event(3)).stored(KEY) == 3


def test_a_gap_is_asked_for_after_a_while_and_less_often_later() -> None:
    ledger = ledger_of(event(1), event(4), event(6))
    assert asked(ledger, 0.0) == []
    assert asked(ledger, 4.9) == []
    assert asked(ledger, 5.0) == [(2, 5)]
    assert asked(ledger, 14.9) == []
    assert asked(ledger, 15.0) == [(2, 5)]
    assert asked(ledger, 30.0) == []
    ledger.add(event(2))
    assert asked(ledger, 31.0) == []
    assert asked(ledger, 36.0) == [(3, 5)]


def test_an_entry_that_never_comes_hides_no_later_one() -> None:
    there = {*range(1, 10), *range(60, 90), *range(128, 300)}
    ledger = ledger_of(*(event(seq) for seq in sorted(there)))
    orders: list[tuple[int | None, int | None]] = []
    for now in range(20_000):
        for start, to in asked(ledger, now):
            assert start
            assert to
            assert to - start < 50
            orders.append((start, to))
            for seq in range(start, to + 1):
                if seq != 10:
                    ledger.add(event(seq))
    assert (90, 127) in orders
    assert ledger.stored(KEY) == 9
    assert set(orders[4:]) == {(10, 10)}
    assert len(orders) < 50
    ledger.add(event(10))
    assert ledger.stored(KEY) == 299
    assert asked(ledger, 30_000.0) == []


def test_gaps_that_are_not_filled_are_asked_for_in_turn() -> None:
    ledger = ledger_of(*(event(seq) for seq in range(1, 401) if seq % 100))
    ledger.reach(KEY, 3, 400)
    orders = [each for now in range(8_000) for each in asked(ledger, now)]
    assert orders[:9] == [(seq, seq) for seq in (100, 200, 100, 300, 100, 400, 100, 200, 100)]


def test_what_comes_anew_does_not_let_an_old_gap_be_asked_for_more_often() -> None:
    ledger = ledger_of(event(1), event(3))
    orders = []
    for now in range(600):
        ledger.add(event(4 + now))
        orders += asked(ledger, now)
    assert orders == [(2, 2)] * 6


def test_repeats_of_what_is_there_do_not_put_off_a_gap() -> None:
    ledger = ledger_of(event(1), event(3), event(5))
    orders = []
    for now in range(600):
        ledger.add(event(3))
        ledger.add(event(1))
        orders += asked(ledger, now)
    assert orders[0] == (2, 4)
    assert len(orders) == 6


def test_the_shoe_of_a_journal_that_a_state_named_first_is_kept() -> None:
    ledger = ledger_of()
    ledger.reach(KEY, 3, 2)
    assert [each.shoe for each in ledger.changes()] == [0]
    ledger.add(event(2))
    assert [(each.shoe, each.whole, each.known) for each in ledger.changes()] == [(3, 0, 2)]
    assert list(ledger.changes()) == []


def test_the_tail_is_known_by_a_state() -> None:
    ledger = ledger_of(event(1))
    ledger.reach(KEY, 3, 3)
    assert asked(ledger, 0.0) == []
    assert asked(ledger, 5.0) == [(2, 3)]


def test_a_round_names_the_journal_before() -> None:
    ledger = ledger_of(event(1, kind="RoundClosed"), round_of(1, 1, prev='{"journal":"2-77","seq":9}'))
    assert not list(ledger.due(0.0))
    assert list(ledger.due(5.0)) == [Ask("T07", Resend(journal="2-77", start=1, to=9))]


def test_with_a_new_journal_the_end_of_the_one_before_is_asked_for() -> None:
    ledger = ledger_of(event(1), asks=True)
    assert not list(ledger.due(0.0))
    assert list(ledger.due(5.0)) == [Ask("T07", EVERYTHING)]
    assert list(ledger.due(15.0)) == [Ask("T07", EVERYTHING)]
    ledger.answered("T07", ok=True)
    ledger.add(event(2))
    assert not list(ledger.due(60.0))


def test_a_table_is_met_with_one_order_and_not_asked_again_for_what_it_sends() -> None:
    ledger = ledger_of(event(9, journal="2-77", shoe=2), event(9), asks=True)
    orders: list[tuple[float, Resend]] = []
    seconds = count()

    def until(end: int) -> None:
        while (now := next(seconds)) < end:
            orders.extend((now, ask.order) for ask in ledger.due(now))

    until(6)
    assert orders == [(5, EVERYTHING)]
    ledger.add(event(1, journal="2-77", shoe=2))  # before its answer
    until(12)
    ledger.answered("T07", ok=True)
    for seq in range(2, 9):
        ledger.add(event(seq, journal="2-77", shoe=2))
        until(8 + 4 * seq)
    assert orders == [(5, EVERYTHING)]
    until(60)
    assert [order for _, order in orders[1:2]] == [Resend(journal="3-5ad1", start=1, to=8)]


def test_nothing_is_asked_for_from_before_the_first_journal_of_a_table() -> None:
    ledger = ledger_of(event(1, journal="0-5ad1", shoe=0), asks=True)
    assert [ledger.due(now) for now in range(60)] == [[]] * 60


def behind(*, number: int) -> Ledger:
    """A table with journal 3 in the store, 9 entries of it, which begins another."""
    none = Progress(KEY, 0, 0, 0)
    made = Ledger(lambda key: Loaded(none._replace(key=key), (), Previous(3, AT, "3-5ad1", 9)))
    made.add(event(1, journal=f"{number}-77", shoe=number))
    assert not made.due(0.0)
    return made


def test_with_the_next_journal_only_the_end_of_the_one_before_is_sent_again() -> None:
    ledger = behind(number=4)
    assert [ask.order for ask in ledger.due(5.0)] == [Resend(journal="3-5ad1", start=10)]
    ledger.answered("T07", ok=True)
    assert not [ledger.due(now) for now in range(6, 60) if ledger.due(now)]


def test_a_table_without_the_journal_before_is_asked_for_all_since_its_end() -> None:
    ledger = behind(number=4)
    assert [ask.order.journal for ask in ledger.due(5.0)] == ["3-5ad1"]
    ledger.answered("T07", ok=False)
    assert [ask.order for now in range(6, 12) for ask in ledger.due(now)] == [Resend(since=AT)]


def test_with_a_journal_that_is_not_the_next_one_all_is_sent_since_the_end_of_the_one_before() -> None:
    assert [ask.order for ask in behind(number=5).due(5.0)] == [Resend(since=AT)]


def test_what_came_whole_is_followed_by_the_next_order_at_once() -> None:
    ledger = ledger_of()
    ledger.reach(KEY, 3, 170)
    assert asked(ledger, 0.0) == []
    for now, span in ((5.0, (1, 50)), (5.5, (51, 100)), (6.0, (101, 150)), (6.5, (151, 170))):
        assert asked(ledger, now) == [span]
        for seq in range(span[0], span[1] + 1):
            assert asked(ledger, now) == []
            ledger.add(event(seq))
    assert ledger.stored(KEY) == 170


def came(of: Ledger, *orders: Ask) -> None:
    """Let all come that is asked for."""
    for table, order in orders:
        for seq in range(order.start or 1, (order.to or 0) + 1):
            body = event(seq).body.replace(b"T07", table.encode())
            of.add(row("event", table, body, AT))


def test_no_more_is_asked_for_than_comes_and_tables_take_turns() -> None:
    ledger = ledger_of()
    for n in range(60):
        ledger.connected(f"T{n}", ("5c1e", 1))
        ledger.reach(Key(f"T{n}", "3-5ad1"), 3, 50)
    assert list(ledger.due(0.0)) == []
    orders = ledger.due(5.0)
    assert [ask.table for ask in orders] == ["T0", "T1", "T2", "T3", "T4"]
    assert ledger.due(6.0) == []
    came(ledger, *orders)
    orders = ledger.due(7.0)
    assert [ask.table for ask in orders] == [f"T{n}" for n in range(5, 15)]
    came(ledger, *orders[:2])
    assert [ask.table for ask in ledger.due(8.0)] == ["T15", "T16", "T17", "T18"]
    assert ledger.room == 600
    ledger.due(37.0)  # what has not come in 30 s is late
    assert ledger.room == 300
    ledger.due(38.0)
    assert ledger.room == 250
    for now in range(40, 100):
        came(ledger, *ledger.due(now))
    assert ledger.missing() == 0
    assert 1_000 < ledger.room <= 2_000


def test_as_many_entries_are_asked_for_at_first_as_there_is_room_for() -> None:
    ledger = ledger_of()
    for n in range(LEAST + 1):
        ledger.reach(Key(f"T{n}", "3-5ad1"), 3, 1)
    assert list(ledger.due(0.0)) == []
    assert len(ledger.due(5.0)) == LEAST


def test_tables_that_agree_and_send_nothing_keep_no_other_from_being_asked() -> None:
    """As after a broker that was killed with the answers in it."""
    ledger, asked_of = ledger_of(asks=True), dict[str, list[Resend]]()
    for name in (f"T{n}" for n in range(60)):
        ledger.connected(name, ("5c1e", 1))
        ledger.add(row("event", name, event(9).body.replace(b"T07", name.encode()), AT))
    for now in range(120):
        for table, order in ledger.due(now):
            asked_of.setdefault(table, []).append(order)
            if order.since:
                ledger.answered(table, ok=True)
    assert len(asked_of) == 60
    assert {len(orders) > 1 for orders in asked_of.values()} == {True}


def test_a_thousand_tables_are_met_within_seconds_where_they_answer_at_once() -> None:
    ledger, met = ledger_of(asks=True), dict[str, int]()
    for name in (f"T{n}" for n in range(1_000)):
        ledger.connected(name, ("5c1e", 1))
        ledger.add(row("event", name, event(1).body.replace(b"T07", name.encode()), AT))
    for now in range(30):
        for table, order in ledger.due(now):
            met.setdefault(table, now)
            ledger.answered(table, ok=order == EVERYTHING)
    assert len(met) == 1_000
    assert max(met.values()) < 25  # it is due after 5 s
    assert sum(now == 5 for now in met.values()) == 25


def test_what_was_late_is_asked_for_again_at_the_first_that_comes() -> None:
    ledger = ledger_of()
    for name in ("T0", "T1", "T2"):
        ledger.connected(name, ("5c1e", 1))
        ledger.reach(Key(name, "3-5ad1"), 3, 20)

    def times(*seconds: int) -> list[tuple[int, str]]:
        return [(now, ask.table) for now in range(*seconds) for ask in ledger.due(now)]

    assert times(70) == [(now, name) for now in (5, 15, 35, 65) for name in ("T0", "T1", "T2")]
    ledger.refused(Key("T2", "3-5ad1"))
    came(ledger, Ask("T0", Resend(journal="3-5ad1", start=1, to=20)))
    assert times(72, 90) == [(72, "T1"), (82, "T1")]


def test_a_table_that_is_connected_is_asked_each_half_minute_unless_it_refuses() -> None:
    ledger = ledger_of(event(1), event(3))

    def times(until: int) -> list[int]:
        return [now for now in range(until) if asked(ledger, now)]

    ledger.connected("T07", ("5c1e", 1))
    assert times(200) == [5, 15, 35, 65, 95, 125, 155, 185]
    ledger.refused(KEY)
    assert [now for now in range(200, 2_000) if asked(ledger, now)] == [215, 275, 395, 635, 1115, 1715]
    ledger.connected("T07", ("5c1e", 1), is_up=False)
    assert [now for now in range(2_000, 9_000) if asked(ledger, now)] == []
    ledger.connected("T07", ("5c1e", 2))
    assert [now for now in range(9_000, 9_020) if asked(ledger, now)] == [9005, 9015]
    ledger.connected("T07", ("5c1e", 1), is_up=False)  # of an older connection
    assert [now for now in range(9_020, 9_050) if asked(ledger, now)] == [9035]
    ledger.connected("T07", ("5c1e", 2), is_up=False)
    ledger.alive("T07")
    assert [now for now in range(9_050, 9_060) if asked(ledger, now)] == [9055]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not a message"),
        (b"{}", "not a message"),
        (event(1).body.replace(b'"seq":1', b'"seq":0'), "event 1 of 1 of entry 0"),
        (event(1).body.replace(b"T07", b"T08"), "table 'T08'"),
        (event(1).body.replace(b'"seq":1', b'"seq":9007199254740993'), "above"),
        (event(1).body.replace(b"3-5ad1", b"3\\u0000"), "contains the character"),
        (event(1).body.replace(b"3-5ad1", b"\\ud800"), "not a message"),
        (b"[" * 100_000, "not a message"),
    ],
)
def test_bad_bytes_are_named(body: bytes, reason: str) -> None:
    with pytest.raises(MessageError, match=reason):
        row("event", "T07", body, AT)
