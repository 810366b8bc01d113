"""One receiver: whatever is lost, mixed up or repeated, all who drive it ask for what is missing and get everything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.client.ledger import Entries, TableLedger
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.record.ledger import Ledger, Loaded
from firmware_bridge.floor.record.message import Key, row
from firmware_bridge.floor.record.progress import Progress
from tests.floor.journals import AT
from tests.kit.nightly import share

Sent = tuple[str, bytes]


def sent(shoes: int) -> list[Sent]:
    """What a fake table says in a few shoes."""
    table = FakeTable(lambda topic, payload: None)
    for number in range(shoes):
        table.play(3, {2: "correct"})
        if number < shoes - 1:
            table.new_shoe()
    return table.sent


SENT = sent(3)
LAST = {"1-fake": 8, "2-fake": 8, "3-fake": 7}
"""The last entry of each journal."""


def between(journal: str | None, start: int | None, to: int | None) -> list[Sent]:
    """What a table sends again."""
    decoded = [(each, json.loads(each[1])) for each in SENT]
    return [
        each
        for each, body in decoded
        if body["journal"] == journal and (start or 1) <= body["seq"] <= (body["seq"] if to is None else to)
    ]


CAME = st.lists(st.sampled_from(SENT), max_size=60)


@given(came=CAME)
def test_a_floor_gets_everything(came: list[Sent]) -> None:
    arrived = TableLedger("T07", events=True)
    got = [arrived.receive(*each) for each in [*came, SENT[-1]]]  # type: ignore[arg-type]  # a topic
    arrived.reaches("3-fake", LAST["3-fake"] + 1, 3)
    while gaps := arrived.gaps():
        for gap in gaps:
            arrived.answered(gap)
            got += [arrived.receive(*each) for each in between(gap.journal, gap.start, gap.to)]  # type: ignore[arg-type]
    assert sum(each is not None for each in got) == len(SENT)
    assert {journal: arrived.stored_up_to(journal, None) for journal in LAST} == LAST
    assert not any(arrived.lacks_older(journal, set()) for journal in LAST)


@given(came=CAME)
@settings(max_examples=share(100))
def test_a_store_gets_everything(came: list[Sent]) -> None:
    ledger, now = Ledger(lambda key: Loaded(Progress(key, 0, 0, 0), ())), 0.0

    def take(messages: list[Sent]) -> None:
        for topic, payload in messages:
            ledger.add(row(topic, "T07", payload, AT))

    take([*came, SENT[-1]])
    for journal, last in LAST.items():
        ledger.reach(Key("T07", journal), int(journal[0]), last)
    for _ in range(20):
        now += 700.0
        for _, order in ledger.due(now):
            take(between(order.journal, order.start, order.to))
    assert {journal: ledger.stored(Key("T07", journal)) for journal in LAST} == LAST


# entries as seq.n/of, rN.n for a round message, ! for an event that comes with one -> the last whole entry, and gaps
ENTRIES = [
    ("", 0, ""),
    ("1.1/1 2.1/1", 2, ""),
    ("2.1/1", 0, "1-1"),
    ("1.1/2", 0, "1-1"),
    ("1.2/2 1.2/2 1.1/2", 1, ""),
    ("1.1/1!", 0, "1-1"),
    ("r1.1 1.1/1!", 1, ""),
    ("1.1/2! r1.1 1.2/2!", 0, "1-1"),
    ("1.1/2! r1.1 1.2/2! r1.2", 1, ""),
    ("1.1/1 r4.1", 1, "2-4"),
    ("1.1/1 3.1/1 4.1/1 6.1/1!", 1, "2-2, 5-6"),
    ("1.1/1 r2.1 3.1/1", 1, "2-2"),
]


@pytest.mark.parametrize(("came", "whole", "gaps"), ENTRIES)
def test_an_entry_is_whole_with_all_its_messages(came: str, whole: int, gaps: str) -> None:
    journal = Entries()
    for word in came.split():
        seq, _, rest = word.strip("r!").partition(".")
        n, _, of = rest.partition("/")
        if word.startswith("r"):
            journal.round(int(seq), int(n))
        else:
            journal.event(int(seq), int(n), int(of), has_round=word.endswith("!"))
    assert journal.whole == whole
    assert ", ".join(f"{each.start}-{each.stop - 1}" for each in journal.gaps()) == gaps


def test_a_last_round_without_its_event_is_a_gap() -> None:
    arrived = TableLedger("T07", events=True)
    for topic, payload in SENT[:4]:
        if (topic, json.loads(payload)["seq"]) != ("event", 2):
            arrived.receive(topic, payload)  # type: ignore[arg-type]  # a topic
    assert [(gap.start, gap.to) for gap in arrived.gaps()] == [(2, 2)]


def test_a_journal_that_a_round_names_holds_up_the_next_one_though_only_a_status_spoke_of_it() -> None:
    arrived = TableLedger("T07", events=True)
    for topic, payload in between("2-fake", 1, None):
        arrived.receive(topic, payload)  # type: ignore[arg-type]  # a topic
    arrived.reaches("1-fake", LAST["1-fake"] + 1, 1)
    assert arrived.lacks_older("2-fake", set())
