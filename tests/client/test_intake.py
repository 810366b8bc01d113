"""What a floor says to be stored, and when it asks, without a connection."""

from __future__ import annotations

import msgspec
import pytest

from firmware_bridge.client.batches import Batches
from firmware_bridge.client.ledger import TableLedger
from firmware_bridge.client.testing import FakeTable


def said(intake: Batches) -> list[tuple[str, int]]:
    while batch := intake.batch(0.0, 500, together=False):
        intake.stored(batch)
    return [(stored.journal, stored.seq) for _, stored in intake.due_reports()]


def test_nothing_is_said_of_a_journal_while_one_before_it_is_not_whole() -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    intake = Batches("ledger", 1.0)
    intake.events = True

    def hear(messages: list[tuple[str, bytes]]) -> None:
        for topic, payload in messages:
            if topic in ("round", "event"):
                intake.handle("T07", "event" if topic == "event" else "round", payload, None, 0.0)

    table.round()
    table.round("gap")
    table.new_shoe()
    table.round()
    hear(heard)
    assert ("2-fake", 2) not in said(intake)
    assert list(intake.due_orders(1.0)) == []  # it may close by itself
    asked = list(intake.due_orders(2.1))
    assert {each.order.journal for each in asked} == {"1-fake"}
    heard.clear()
    for each in asked:
        table.handle("shoe/T07/command", b'{"id":"%b","do":"resend","journal":"1-fake"}' % each.id.encode())
    hear(heard)
    for topic, payload in heard:
        if topic == "reply":
            intake.answer(payload)
    assert dict(said(intake)).get("2-fake", 0) >= 2
    assert list(intake.due_orders(400.0)) == []


def settle(intake: Batches) -> None:
    """Answer what it asks about the ends of journals, until it asks nothing more."""
    for now in (400.0, 800.0, 1_200.0):
        for each in list(intake.due_orders(now)):
            intake.answer(b'{"id":"%b","ok":true,"do":"resend"}' % each.id.encode())


def test_repeats_alone_are_said_to_be_stored_again_after_an_own_restart_too() -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    for _ in range(6):
        table.round()
        table.new_shoe()
    stream = [(topic, payload) for topic, payload in heard if topic in ("round", "event")]
    intake = Batches("ledger", 1.0)
    intake.events = True
    for topic, payload in stream:
        intake.handle("T07", "round" if topic == "round" else "event", payload, None, 0.0)
    settle(intake)
    reports = dict(said(intake))
    assert len(reports) == 6
    again = Batches("ledger", 1.0)
    again.events = True
    again.load([payload for _, payload in stream], (), 0.0)
    settle(again)  # and now the oldest journals are let go of
    assert said(again) == []
    for topic, payload in stream:
        journal = msgspec.json.decode(payload)["journal"]
        again.handle("T07", "round" if topic == "round" else "event", payload, None, 1_200.0)
        assert said(again) == [(journal, reports[journal])]


def test_a_table_that_says_how_far_it_is_hears_what_is_stored() -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    table.play(3)
    table.status()
    stored = [payload for topic, payload in heard if topic in ("round", "event")]
    intake = Batches("ledger", 1.0)
    intake.events = True
    intake.load(stored, (), 0.0)
    (status,) = [payload for topic, payload in heard if topic == "status"]
    intake.status("T07", status, 0.0)
    assert said(intake) == [("1-fake", 6)]


def test_who_reads_rounds_alone_says_nothing_of_events_that_it_never_read() -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    table.play(3)
    table.new_shoe()
    table.play(3)
    table.status()
    intake = Batches("ledger", 1.0)
    for number, (topic, payload) in enumerate(heard):
        if topic == "round":
            intake.handle("T07", "round", payload, (1, number), 0.0)
        elif topic == "status":
            intake.status("T07", payload, 0.0)
    assert said(intake) == []
    assert len(intake.done) == 6  # the broker may forget them
    intake.handle("T07", "round", table.rounds[0], (1, 99), 0.0)
    assert said(intake) == []
    assert intake.done[-1] == (1, 99)


def test_a_journal_that_is_lost_for_good_holds_nothing_up() -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    table.play(3)
    table.new_shoe()
    lost = len(heard)
    table.round()
    intake = Batches("ledger", 1.0)
    intake.events = True
    for topic, payload in heard[lost:]:
        intake.handle("T07", "round" if topic == "round" else "event", payload, None, 0.0)
    for now in (0.0, 1.0, 2.1):
        for each in list(intake.due_orders(now)):
            refusal = b'{"id":"%b","ok":false,"do":"resend","error":"journal 1-fake is not on this disk","hint":"-"}'
            intake.answer(refusal % each.id.encode())
    assert said(intake) == [("2-fake", 2)]


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("late", [True, False])
def test_a_late_status_of_an_older_journal_takes_no_newer_end_away(events: bool, late: bool) -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    table.play(2)
    table.status()
    older = heard[-1][1]
    table.new_shoe()
    table.play(2)
    table.round("gap")
    table.status()
    intake = Batches("ledger", 1.0)
    intake.events = events
    for topic, payload in heard:
        if topic == "status":
            intake.status("T07", payload, 0.0)
        elif topic == "round" or events:
            intake.handle("T07", "round" if topic == "round" else "event", payload, None, 0.0)
    if late:
        intake.status("T07", older, 0.0)
    sent = [each.order for now in (1.0, 2.1) for each in intake.due_orders(now)]
    asked = {(each.journal, each.start, each.to) for each in sent}
    assert ("2-fake", 5, 6) in asked


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("3-a 18, 4-b 5", "4-b 4"),
        ("4-b 5, 3-a 18", "4-b 4, 3-a 17"),
        ("4-b 5, 3-a 18, 4-b 6", "4-b 5"),
        ("4-b 9, 3-a 18, 4-b 5", "4-b 8"),
        ("4-b 5, 3-a 18, 2-c 3", "4-b 4, 2-c 2"),
        ("4-b 5, 3-a 18, 5-c 3", "5-c 2"),
        ("4-b 5, 4-c 3", "4-c 2"),
        ("57-a 9, 1-b 3, 1-b 4, 2-c 6", "57-a 8, 2-c 5"),  # another device: its shoes count from 1 again
    ],
)
def test_an_end_stays_until_a_newer_shoe_and_few_are_kept(said: str, ends: str) -> None:
    arrived = TableLedger("T07", events=True)
    for journal, next_seq in map(str.split, said.split(", ")):
        arrived.reaches(journal, int(next_seq), int(journal.split("-")[0]))
    assert {f"{gap.journal} {gap.to}" for gap in arrived.gaps()} == set(ends.split(", "))
