"""The outbox where a broker's acknowledgements prove nothing: what counts is what comes back."""

from pytest_mock import MockerFixture

from firmware_bridge.daemon.delivery.outbox import HELD
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.messages import messages
from tests.daemon.delivery import wires
from tests.daemon.delivery.wires import SHOE, Wire
from tests.kit.patience import comes

wire = wires.wire  # fixture


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


def test_a_mute_topic_is_reported_and_little_is_kept_meanwhile(wire: Wire, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.daemon.delivery.outbox.WAIT_S", 0.01)
    for _ in range(20):
        wire.deal(SHOE).record.open_shoe()
    wire.echoes.begin(["event", "round"])
    wire.outbox.up()
    wire.ack()
    assert len(wire.taken) == HELD < len(wire.all)
    wire.outbox.heard("event", wire.all[0])
    wire.loop.run_until_complete(comes(lambda: wire.mute))
    assert wire.mute == ["round"]
