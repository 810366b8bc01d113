import random

import pytest

from firmware_bridge.daemon.delivery.outbox import READ_AHEAD, WINDOW
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.messages import messages
from tests.daemon.delivery import wires
from tests.daemon.delivery.wires import SHOE, Wire, identities

wire = wires.wire  # fixture


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
