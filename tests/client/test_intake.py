"""What a floor says to be stored, and when it asks, without a connection."""

from __future__ import annotations

import pytest

from firmware_bridge.client.intake import Intake
from firmware_bridge.client.testing import FakeTable


def said(intake: Intake) -> list[tuple[str, int]]:
    while batch := intake.batch(0.0, 500, together=False):
        intake.stored(batch)
    return [(stored.journal, stored.seq) for _, stored in intake.says()]


@pytest.mark.parametrize("events", [False, True])
def test_nothing_is_said_of_a_journal_while_one_before_it_is_not_whole(events: bool) -> None:
    heard: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: heard.append((topic.rsplit("/", 1)[-1], payload)))
    intake = Intake("ledger", 1.0)
    intake.events = events

    def hear(messages: list[tuple[str, bytes]]) -> None:
        for topic, payload in messages:
            if topic == "round" or (topic == "event" and events):
                intake.take("T07", "event" if topic == "event" else "round", payload, None, 0.0)

    table.round()
    table.round("gap")
    table.new_shoe()
    table.round()
    hear(heard)
    assert ("2-fake", 2) not in said(intake)
    assert list(intake.asks(1.0)) == []  # it may close by itself
    asked = list(intake.asks(2.1))
    assert {each.order.journal for each in asked} == {"1-fake"}
    heard.clear()
    for each in asked:
        table.take("shoe/T07/command", b'{"id":"%b","do":"resend","journal":"1-fake"}' % each.id.encode())
    hear(heard)
    for topic, payload in heard:
        if topic == "reply":
            intake.answer(payload)
    assert ("2-fake", 2) in said(intake)
    assert list(intake.asks(400.0)) == []
