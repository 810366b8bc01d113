"""What is asked for again goes beside the new, in turn, whatever becomes of the connection."""

from collections.abc import Callable

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import reader
from firmware_bridge.journal.files import file_name, journal_id
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.resend import NEAR, Range, last_entry, lines_of
from tests.daemon.delivery import wires
from tests.daemon.delivery.wires import SHOE, Wire, identities, wire_count

wire = wires.wire  # fixture


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
def test_a_range_that_cannot_be_read_is_reported_and_costs_nothing_else(
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


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a byte": lambda line: line[:300] + bytes([line[300] ^ 1]) + line[301:],
    "a sector of zeros": lambda line: bytes(len(line)),
    "lines of nothing": lambda line: b"\n" * len(line),
    "a torn line": lambda line: line[:100] + b"\n" + line[101:],
    "another line": lambda line: line.replace(b'"seq":3', b'"seq":2'),
    "gone": lambda line: b"",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("start", [1, 3, 4])
@pytest.mark.parametrize("near", [600, NEAR])
def test_all_but_what_cannot_be_read_is_sent_again(
    wire: Wire, damage: str, start: int, near: int, caplog: pytest.LogCaptureFixture, mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.journal.resend.NEAR", near)
    wire.outbox.up()
    wire.ack().deal("9s Td Ts Tc 2s 3h").ack()
    journal = wire.record.shoe.journal
    path = wire.record.journal.directory / file_name(journal)
    lines = [line for line in wire.record.lines if line.public.journal == journal]
    path.write_bytes(b"".join(DAMAGES[damage](each.data) if n == 3 else each.data for n, each in enumerate(lines, 1)))
    wire.taken.clear()
    wire.outbox.resend(Range(journal, start, None))
    left = [each for n, each in enumerate(lines, 1) if n >= start and n != 3]
    assert wire.ack().taken == [each.payload for line in left for each in messages(line)]
    assert ("cannot be sent again" in caplog.text) == (start <= 3)
    assert last_entry(path) == len(lines)


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
    faults: list[JournalError] = []
    read = mocker.spy(reader, "unseal")
    for start in (1, 2, last // 2, last - 1, last):
        before = read.call_count
        found = [
            line.public.seq
            for line in lines_of(wire.record.journal.directory, Range(journal, start, start + 1), faults.append)
        ]
        assert found == [start, start + 1][: last - start + 1]
        assert read.call_count - before < 12
    assert not faults
