import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.journal import walk
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.resend import Range, lines_of
from firmware_bridge.mqtt.echoes import Echoes
from firmware_bridge.mqtt.outbox import HELD, READ_AHEAD, WINDOW, Outbox, place_behind
from firmware_bridge.mqtt.settings import NotConnected
from firmware_bridge.topics.event_and_round import messages
from tests.disk_and_broker.record import Record


class Wire:
    """The journal, the outbox, and a broker that acknowledges what and when it is told to."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.record = Record(folder)
        self.sent: list[bytes] = []
        self.flying: dict[int, bytes] = {}
        self.taken: list[bytes] = []
        self.broken = False
        self._mid = 0
        self.cursor = CursorFile(folder / "cursor")
        self.loop = loop
        self.mute: list[str] = []
        self.echoes = Echoes(self.mute.append, loop)
        self.outbox = Outbox(folder, self.publish, self.echoes)
        self.outbox.begin(self.cursor, place_behind(folder, self.cursor.value))

    def publish(self, topic: str, payload: bytes) -> int:
        if self.broken:
            raise NotConnected("broken")
        self._mid += 1
        self.sent.append(payload)
        self.flying[self._mid] = payload
        return self._mid

    def deal(self, text: str) -> "Wire":
        """Draw cards; each line goes to the outbox as it is written."""
        for card in text.split():
            known = len(self.record.lines)
            self.record.deal(card)
            self.tell(self.record.lines[known:])
        return self

    def tell(self, lines: list[Line]) -> None:
        for line in lines:
            assert self.record.journal.end
            self.outbox.add(line, self.record.journal.end)

    def ack(self, count: int = 10_000) -> "Wire":
        """The broker acknowledges so many messages, oldest first."""
        while self.flying and count:
            mid = next(iter(self.flying))
            self.taken.append(self.flying.pop(mid))
            assert self.outbox.delivered(mid)
            count -= 1
        return self

    def down(self) -> None:
        self.flying.clear()
        self.outbox.down()

    def again(self) -> "Wire":
        """The daemon ended and starts anew on the same disk."""
        self.outbox.save()
        self.record.close()
        self.echoes.end()
        self.cursor.close()
        return Wire(self.record.journal.directory, self.loop)

    @property
    def all(self) -> list[bytes]:
        """Every message there is, in order."""
        return [each.payload for line in self.record.lines for each in messages(line)]


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    loop = asyncio.new_event_loop()
    wire = Wire(tmp_path / "journal", loop)
    wire.record.begin()
    yield wire
    wire.echoes.end()
    loop.close()


SHOE = "9s Td Ts Tc 2s 3h 4d 5c Ah Ad As 8c 7c 6c 5d 4s"


def test_everything_is_sent_in_order_once(wire: Wire) -> None:
    wire.outbox.up()
    wire.ack().deal(SHOE).ack()
    assert wire.taken == wire.sent == wire.all
    assert not wire.outbox.waiting


def test_at_most_a_window_is_in_flight(wire: Wire) -> None:
    wire.deal(SHOE)
    wire.outbox.up()
    assert wire.sent == wire.all[:WINDOW]
    wire.ack(1)
    assert wire.sent == wire.all[: WINDOW + 1]
    wire.ack()
    assert wire.taken == wire.all


def test_nothing_is_sent_while_down(wire: Wire) -> None:
    wire.deal(SHOE)
    assert (wire.sent, wire.outbox.waiting) == ([], True)


def test_after_a_reconnect_all_behind_the_last_whole_entry_is_sent_again(wire: Wire) -> None:
    wire.deal(SHOE)
    wire.outbox.up()
    wire.ack(3)
    acked = wire.outbox.acked
    wire.down()
    wire.sent.clear()
    wire.outbox.up()
    first = next(place for place, name in enumerate(identities(wire)) if name > (acked.journal, acked.seq))
    assert wire.sent == wire.all[first : first + WINDOW]


def test_what_was_in_flight_when_the_connection_broke_waits(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal("9s Td")
    wire.down()
    assert wire.outbox.waiting


def test_nothing_waits_when_the_connection_broke_behind_the_last_acknowledgement(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal("9s Td").ack()
    wire.down()
    assert not wire.outbox.waiting
    wire.deal("Ts")
    assert wire.outbox.waiting


def identities(wire: Wire) -> list[tuple[str, int]]:
    return [(each.journal, each.seq) for line in wire.record.lines for each in messages(line)]


def test_the_cursor_waits_for_the_oldest(wire: Wire) -> None:
    wire.deal("9s Td")
    wire.outbox.up()
    mids = list(wire.flying)
    for mid in mids[1:]:
        wire.outbox.delivered(mid)
        assert wire.outbox.acked is None
    wire.outbox.delivered(mids[0])
    assert wire.outbox.acked == Cursor(wire.record.shoe.journal, wire.record.shoe.seq)


def test_an_entry_counts_when_its_last_message_is_taken(wire: Wire) -> None:
    wire.deal("9s Td Ts Tc")
    wire.outbox.up()
    closing = messages(wire.record.lines[-1])
    assert len(closing) > 1
    wire.ack(len(wire.all) - 1)
    assert wire.outbox.acked.seq == wire.record.shoe.seq - 1
    wire.ack(1)
    assert wire.outbox.acked.seq == wire.record.shoe.seq


def test_a_restart_begins_behind_the_cursor(wire: Wire) -> None:
    wire.deal(SHOE)
    wire.outbox.up()
    wire.ack(len(wire.all) - 2)
    acked, every = wire.outbox.acked, wire.all
    after = wire.again()
    after.outbox.up()
    assert after.outbox.acked == acked
    assert after.sent == [p for p, (_, seq) in zip(every, identities(wire), strict=True) if seq > acked.seq]


def test_a_restart_without_a_cursor_sends_all_again(wire: Wire) -> None:
    every = wire.deal(SHOE).all
    after = wire.again()
    after.outbox.up()
    after.ack()
    assert after.taken == every


def test_the_journals_files_are_drained_in_order(wire: Wire) -> None:
    for _ in range(3):
        wire.deal("9s Td Ts Tc").record.open_shoe()
    wire.outbox.up()
    wire.ack().deal("2s 3s").ack()
    assert wire.taken == wire.all
    assert not wire.outbox.waiting


def test_a_backlog_of_any_length_takes_little_memory(wire: Wire) -> None:
    for _ in range(12):
        wire.deal(SHOE).record.open_shoe()
    wire.outbox.up()
    most = 0
    while wire.flying:
        most = max(most, len(wire.outbox._due))
        wire.ack(1)
    assert wire.taken == wire.all
    assert READ_AHEAD <= most < 4 * READ_AHEAD


def test_a_wire_that_breaks_while_publishing_loses_nothing(wire: Wire) -> None:
    wire.outbox.up()
    wire.broken = True
    wire.deal(SHOE)
    wire.down()
    wire.broken = False
    wire.outbox.up()
    assert wire.ack().taken == wire.all


def test_a_range_is_sent_again_beside_the_new(wire: Wire) -> None:
    wire.outbox.up()
    wire.ack().deal("9s Td").ack()
    lines = wire.record.lines
    wire.outbox.resend(Range(wire.record.shoe.journal, 1, 2))
    wanted = [each.payload for line in lines[1:3] for each in messages(line)]
    assert wire.taken + list(wire.flying.values()) == wire.all + wanted
    acked = wire.outbox.acked
    assert wire.ack().outbox.acked == acked


@pytest.mark.parametrize("broken", ["when asked", "in flight", "half way"])
def test_a_range_asked_for_survives_a_lost_connection(wire: Wire, broken: str) -> None:
    wire.outbox.up()
    wire.ack().deal(SHOE).ack()
    journal, every = wire.record.shoe.journal, wire.all[-wire_count(wire) :]
    wire.taken.clear()
    wire.broken = broken == "when asked"
    wire.outbox.resend(Range(journal, 1, None))
    if broken == "half way":
        wire.ack(3)
    wire.down()
    wire.broken = False
    wire.outbox.up()
    assert wire.ack().taken == every


@pytest.mark.parametrize("damage", ["flipped", "deleted"])
def test_a_range_that_cannot_be_read_is_told_and_costs_nothing_else(
    wire: Wire, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    wire.outbox.up()
    wire.ack().deal("9s Td Ts Tc").ack()
    old = wire.record.journal.end.path
    wire.record.open_shoe()
    if damage == "deleted":
        old.unlink()
    else:
        whole = bytearray(old.read_bytes())
        whole[-40] ^= 1
        old.write_bytes(whole)
    wire.outbox.resend(Range(journal_id(old), 1, None))
    wire.deal("2s").ack()
    assert "cannot be sent again" in caplog.text
    assert wire.taken[-1] == wire.all[-1]
    assert not wire.flying


def test_parts_that_are_asked_for_twice_before_their_turn_are_sent_once_and_in_turn(wire: Wire) -> None:
    wire.outbox.up()
    wire.ack().deal(SHOE).ack()
    journal, every = wire.record.shoe.journal, wire.all
    wire.taken.clear()
    wire.down()
    for part in [Range(journal, 3, 4), Range(journal, 1, 2), Range(journal, 3, 4)]:
        wire.outbox.resend(part)
    wire.outbox.up()
    wanted = [range(3, 5), range(1, 3)]
    sent = [
        [p for p, (j, seq) in zip(every, identities(wire), strict=True) if j == journal and seq in r] for r in wanted
    ]
    assert wire.ack().taken == sent[0] + sent[1]


def test_the_end_of_a_long_journal_is_sent_again_without_reading_all_before_it(
    wire: Wire, mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.journal.resend.NEAR", 2_000)
    wire.deal(SHOE * 12)
    journal, last = wire.record.shoe.journal, wire.record.shoe.seq
    read = mocker.spy(walk, "unseal")
    for start in (1, 2, last // 2, last - 1, last):
        before = read.call_count
        found = [line.public.seq for line in lines_of(wire.record.journal.directory, Range(journal, start, start + 1))]
        assert found == [start, start + 1][: last - start + 1]
        assert read.call_count - before < 12


# ---------------------------------------------------------------- a broker whose acknowledgements prove nothing


def test_nothing_counts_before_the_first_message_of_each_topic_came_back(wire: Wire) -> None:
    wire.echoes.begin(["event", "round"])
    wire.outbox.up()
    wire.deal("9s Td Ts Tc").ack()
    assert (wire.taken, wire.outbox.acked) == (wire.all, None)
    wire.outbox.heard("event", b"{}")
    wire.outbox.heard("event", wire.all[1])
    assert wire.outbox.acked is None
    wire.outbox.heard("event", wire.all[0])
    assert wire.outbox.acked is None, "the round has not come back"
    (closed,) = [each.payload for line in wire.record.lines for each in messages(line) if each.topic == "round"]
    wire.outbox.heard("round", closed)
    assert wire.outbox.acked == Cursor(wire.record.shoe.journal, wire.record.shoe.seq)
    wire.deal("2s").ack()
    assert not wire.outbox.waiting


def test_what_was_not_proved_is_sent_again_over_the_next_connection(wire: Wire) -> None:
    wire.echoes.begin(["event", "round"])
    wire.outbox.up()
    wire.deal(SHOE).ack()
    wire.echoes.end()
    wire.down()
    wire.taken.clear()
    wire.outbox.up()
    assert wire.ack().taken == wire.all
    assert not wire.outbox.waiting


def test_what_is_acknowledged_while_the_daemon_ends_does_not_count_without_its_echo(wire: Wire) -> None:
    wire.echoes.begin(["event", "round"])
    wire.outbox.up()
    wire.deal("9s Td Ts Tc")
    wire.echoes.close()
    wire.ack()
    after = wire.again()
    assert after.outbox.acked is None
    after.outbox.up()
    assert after.ack().taken == wire.all


def test_a_mute_topic_is_told_and_little_is_kept_meanwhile(wire: Wire, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.echoes.WAIT_S", 0.01)
    for _ in range(20):
        wire.deal(SHOE).record.open_shoe()
    wire.echoes.begin(["event", "round"])
    wire.outbox.up()
    wire.ack()
    assert len(wire.taken) == HELD < len(wire.all)
    wire.outbox.heard("event", wire.all[0])
    wire.loop.run_until_complete(asyncio.sleep(0.05))
    assert wire.mute == ["round"]


def wire_count(wire: Wire) -> int:
    return sum(journal == wire.record.shoe.journal for journal, _ in identities(wire))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_first_arrivals_are_in_order_and_complete(wire: Wire, seed: int) -> None:
    chance, up = random.Random(seed), False
    for card in (SHOE * 6).split():
        match chance.randrange(8):
            case 0:
                wire.down()
                up = False
            case 1 | 2 if not up:
                wire.outbox.up()
                up = True
            case 3:
                lines, wire = wire.record.lines, again(wire)
                assert len(lines) == len(wire.record.lines)
                up = False
            case 4:
                known = len(wire.record.lines)
                wire.record.open_shoe()
                wire.tell(wire.record.lines[known:])
            case _:
                wire.ack(chance.randrange(6))
        wire.deal(card)
    if not up:
        wire.outbox.up()
    wire.ack()
    assert list(dict.fromkeys(wire.taken)) == wire.all
    assert wire.outbox.acked == Cursor(journal_id(wire.record.journal.end.path), wire.record.shoe.seq)


def again(wire: Wire) -> Wire:
    after = wire.again()
    after.record.lines, after.taken = wire.record.lines, wire.taken
    return after
