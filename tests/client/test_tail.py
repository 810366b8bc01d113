"""The end of a table's journal is asked for seldom, and a last round that was lost is found."""

from __future__ import annotations

import msgspec

from firmware_bridge.client.asking import QUIET, Tail
from firmware_bridge.client.batches import Batches
from firmware_bridge.client.payload import command
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts.orders import Resend

WAIT_S = 10.0
HOUR_S = 3_600.0


class Relay:
    """A fake table and an intake of its rounds on a clock of their own; what is not `lost` arrives at once."""

    def __init__(self, *, readers: int = 1, known: tuple[bytes, ...] = ()) -> None:
        self.now, self.lost, self.answers = 0.0, False, True
        self.intakes = [Batches(f"ledger{number}", WAIT_S) for number in range(readers)]
        for each in self.intakes:
            each.load(known, (), self.now)
        self.table = FakeTable(self._said)

    def _said(self, topic: str, payload: bytes) -> None:
        for each in self.intakes:
            match topic.rsplit("/", 1)[-1]:
                case "round" if not self.lost:
                    each.handle("T07", "round", payload, None, self.now)
                case "status":
                    each.status("T07", payload, self.now)
                case "reply" if self.answers:
                    each.answer(payload)

    def play(self, rounds: int = 1, *, lost: bool = False) -> None:
        self.lost = lost
        self.table.play(rounds)
        self.table.status()
        self.lost = False

    def idle(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            for each in self.intakes:
                for due in list(each.due_orders(self.now)):
                    self.table.handle("shoe/T07/command", command(due.order, due.id))
            self.now += 1.0

    @property
    def kept(self) -> list[bytes]:
        intake, kept = self.intakes[0], []
        while batch := intake.batch(self.now, 500, together=False):
            kept += [each.raw for items in batch.values() for each in items if hasattr(each, "raw")]
            intake.stored(batch)
        return kept

    @property
    def orders(self) -> int:
        return len(self.table.orders)


def test_an_idle_table_is_asked_once_however_long_it_stands_and_however_many_read_it() -> None:
    for readers in (1, 3):
        relay = Relay(readers=readers)
        relay.play(3)
        relay.table.handle("shoe/T07/command", b'{"id":"1","do":"bets_open"}')  # and so its journal goes on
        relay.idle(24 * HOUR_S)
        assert relay.orders == 1 + readers


def test_a_table_whose_journal_ends_with_its_last_round_is_never_asked() -> None:
    relay = Relay()
    relay.play(3)
    relay.idle(24 * HOUR_S)
    assert relay.orders == 0


def test_without_an_answer_it_gives_up() -> None:
    relay = Relay()
    relay.answers = False
    relay.play(3)
    relay.play(1, lost=True)
    relay.table.forget(relay.table.journal)
    relay.idle(24 * HOUR_S)
    assert relay.orders == 3


def test_the_last_round_that_was_lost_is_found_after_five_minutes() -> None:
    relay = Relay()
    relay.play(3)
    relay.idle(20.0)  # until its connection is no news
    relay.play(1, lost=True)
    relay.idle(290.0)
    assert relay.orders == 0
    relay.idle(20.0)
    assert relay.kept == relay.table.rounds
    relay.idle(24 * HOUR_S)
    assert relay.orders == 1


def test_a_round_that_was_lost_after_an_idle_day_is_found_too() -> None:
    relay = Relay()
    relay.play(3)
    relay.idle(24 * HOUR_S)
    relay.play(1, lost=True)
    relay.idle(310.0)
    assert relay.kept == relay.table.rounds


def test_a_round_lost_behind_an_end_that_was_asked_for_is_named_by_the_next_one() -> None:
    relay = Relay()
    relay.play(3)
    relay.table.handle("shoe/T07/command", b'{"id":"1","do":"bets_open"}')
    relay.idle(24 * HOUR_S)
    relay.play(1, lost=True)
    relay.idle(HOUR_S)
    assert len(relay.kept) == 3
    relay.play(1)
    relay.idle(2 * WAIT_S + 5.0)
    assert sorted(relay.kept) == sorted(relay.table.rounds[3:])


def test_a_round_lost_with_a_connection_is_found_at_once() -> None:
    for reconnect in ("ours", "the table's"):
        relay = Relay()
        relay.play(3)
        relay.idle(HOUR_S)
        relay.play(1, lost=True)
        if reconnect == "ours":
            relay.intakes[0].connected()
            relay.table.status()
        else:
            relay.table.restart()
        relay.idle(WAIT_S + 2.0)
        assert sorted(relay.kept) == sorted(relay.table.rounds)


def test_a_journal_that_is_long_gone_by_is_asked_for_once_from_behind_what_is_known() -> None:
    before = Relay()
    before.play(5)
    relay = Relay(known=tuple(before.table.rounds[:3]))
    relay.play(5, lost=True)
    relay.idle(24 * HOUR_S)
    assert [(each["from"], each["to"]) for each in relay.table.orders] == [(7, 10)]
    assert msgspec.json.decode(relay.kept[-1])["round"] == 5


def test_behind_an_answer_the_next_round_is_no_reason_to_ask_soon() -> None:
    tail, end = Tail(WAIT_S), Resend("j", 1)
    tail.dropped(0.0)
    assert tail.order(end, WAIT_S) == end
    tail.answered(end)
    assert tail.at is None
    tail.came(20.0)
    assert tail.at == 20.0 + QUIET * WAIT_S
