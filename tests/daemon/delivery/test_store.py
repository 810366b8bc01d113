"""What a store says is judged against the journal on disk: forwards only, and never beyond what was sent."""

import asyncio
import json
from collections.abc import Iterator
from itertools import compress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.daemon.delivery import store as stores
from firmware_bridge.daemon.delivery.store import LONGEST, NotStored, Store
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files, journal_id
from tests.daemon.delivery.wires import SHOE, Wire, identities
from tests.kit.nightly import share
from tests.kit.refusals import said


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    loop = asyncio.new_event_loop()
    wire = Wire(tmp_path / "journal", loop, Store(tmp_path / "journal", "floor"))
    wire.record.begin()
    wire.tell(wire.record.lines)
    yield wire
    wire.close()
    loop.close()


def store_of(wire: Wire) -> Store:
    assert wire.store
    return wire.store


def say_older(wire: Wire) -> None:
    """The journals before the present one are stored."""
    ends = {line.public.journal: line.public.seq for line in wire.record.lines}
    for journal, seq in list(ends.items())[:-1]:
        assert say(wire, seq, journal)


def say(wire: Wire, seq: int, journal: str | None = None, by: str = "floor") -> bool:
    message = {"journal": journal or wire.record.shoe.journal, "seq": seq, "by": by}
    return store_of(wire).receive(json.dumps(message).encode())


def refused(wire: Wire, seq: int, journal: str | None = None, by: str = "floor") -> str:
    before = store_of(wire).cursor
    with pytest.raises(NotStored) as raised:
        say(wire, seq, journal, by)
    assert store_of(wire).cursor == before
    return said(raised.value).error


def test_the_cursor_follows_the_store_and_not_the_broker(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal(SHOE).ack()
    last = Cursor(wire.record.shoe.journal, wire.record.shoe.seq)
    assert (wire.outbox.acked, wire.outbox.cursor, wire.outbox.waiting) == (last, None, True)
    say_older(wire)
    assert say(wire, 5)
    assert wire.outbox.save() == wire.cursor.value == (last.journal, 5)
    assert say(wire, last.seq)
    assert not say(wire, last.seq)
    assert (wire.outbox.cursor, wire.outbox.waiting) == (last, False)


def test_a_message_that_is_stored_before_its_acknowledgement_counts(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal("9s Td")
    say_older(wire)
    assert say(wire, wire.record.shoe.seq)
    wire.ack()
    assert not wire.outbox.waiting


def test_what_goes_back_or_ahead_or_comes_from_another_is_refused(wire: Wire) -> None:
    wire.deal("9s Td")
    assert "was not sent" in refused(wire, 1)
    wire.outbox.up()
    wire.ack()
    last = wire.record.shoe.seq
    assert "was not sent" in refused(wire, last + 1)
    assert "was not sent" in refused(wire, 10**30)
    assert "is not the store of this table" in refused(wire, last, by="audit")
    say_older(wire)
    assert say(wire, last)
    assert "is older than what is stored" in refused(wire, last - 1)
    assert "not on this disk" in refused(wire, 1, "77-abcdef")


def test_an_older_journal_ends_where_it_ends(wire: Wire) -> None:
    first = wire.record.shoe.journal
    wire.outbox.up()
    wire.deal("9s Td Ts Tc")
    known = len(wire.record.lines)
    end = next(line.public.seq for line in reversed(wire.record.lines) if line.public.journal == first)
    wire.record.open_shoe()
    wire.tell(wire.record.lines[known:])
    wire.ack()
    closed = [line.public.seq for line in wire.record.lines if line.public.journal == first][-1]
    assert closed > end
    assert "was not sent" in refused(wire, closed + 1, first)
    say_older(wire)
    assert wire.outbox.waiting
    assert say(wire, 1)
    assert not say(wire, closed, first)  # of repeats it is said again
    assert "is older than what is stored" in refused(wire, closed - 1, first)


def test_a_journal_counts_once_those_before_it_are_stored_to_their_ends(wire: Wire) -> None:
    for _ in range(2):
        wire.deal("9s Td Ts Tc")
        known = len(wire.record.lines)
        wire.record.open_shoe()
        wire.tell(wire.record.lines[known:])
    wire.outbox.up()
    wire.ack()
    ends = list({line.public.journal: line.public.seq for line in wire.record.lines}.items())
    for journal, seq in reversed(ends[1:]):
        assert not say(wire, seq, journal)
    assert say(wire, ends[0][1], ends[0][0])
    assert wire.outbox.cursor == ends[-1]
    assert not wire.outbox.waiting


@pytest.mark.parametrize(
    "journal", ["", "-", "1", "../1-a", "1-../../cursor", "01-%s", "+1-%s", "\0", "1-\0", "9" * 500]
)
def test_no_name_reaches_another_file(wire: Wire, journal: str) -> None:
    wire.outbox.up()
    wire.deal("9s").ack()
    nonce = wire.record.shoe.journal.split("-")[1]
    assert refused(wire, 1, journal.replace("%s", nonce) or "-")


def test_what_the_daemon_before_sent_counts_after_a_restart(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal(SHOE).ack()
    say_older(wire)
    assert say(wire, 3)
    after = wire.again()
    assert after.outbox.cursor == (wire.record.shoe.journal, 3)
    assert after.store
    assert after.store.receive(json.dumps({"journal": wire.record.shoe.journal, "seq": 9, "by": "floor"}).encode())
    after.outbox.up()
    after.ack()
    behind = [(wire.record.shoe.journal, 3) < name for name in identities(wire)]
    assert after.taken == list(compress(wire.all, behind))


def test_what_is_missing_is_read_from_disk_part_by_part(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PART", 2)
    for _ in range(3):
        wire.deal("9s Td Ts Tc")
        known = len(wire.record.lines)
        wire.record.open_shoe()
        wire.tell(wire.record.lines[known:])
    wire.outbox.up()
    wire.ack()
    assert len({line.public.journal for line in wire.record.lines}) > 3
    entries = []
    while part := store_of(wire).missing():
        assert part.to
        assert part.to - part.start < stores.PART
        entries += [(part.journal, seq) for seq in range(part.start, part.to + 1)]
        assert say(wire, part.to, part.journal)
    assert entries == [(line.public.journal, line.public.seq) for line in wire.record.lines]
    assert not store_of(wire).behind


def test_messages_that_are_acknowledged_and_not_stored_take_no_memory(wire: Wire) -> None:
    wire.outbox.up()
    for _ in range(8):
        wire.deal(SHOE).ack()
    assert wire.taken == wire.all
    assert (len(wire.outbox._due), len(wire.outbox._flying), len(wire.outbox._by_mid)) == (0, 0, 0)
    assert wire.outbox.waiting


def test_a_lost_connection_sends_again_what_the_broker_lacks_and_no_more(wire: Wire) -> None:
    wire.outbox.up()
    wire.deal("9s Td").ack()
    wire.down()
    wire.sent.clear()
    wire.outbox.up()
    assert wire.sent == []


@settings(max_examples=share(300, 10), deadline=None)
@given(
    st.binary(max_size=2 * LONGEST)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(repr).map(str.encode)
)
def test_no_bytes_crash_the_decoder(payload: bytes) -> None:
    with pytest.raises(NotStored):
        Store(Path("/nonexistent"), "floor").receive(payload)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[" * 900,
        b'{"journal":"1-a","seq":0,"by":"floor"}',
        b'{"journal":"1-a","seq":-1,"by":"floor"}',
        b'{"journal":"1-a","seq":1.5,"by":"floor"}',
        b'{"journal":"1-a","seq":true,"by":"floor"}',
        b'{"journal":"1-a","seq":"1","by":"floor"}',
        b'{"journal":1,"seq":1,"by":"floor"}',
        b'{"journal":"1-a","seq":1}',
        b'{"journal":"\xff","seq":1,"by":"floor"}',
        b'{"journal":"1-a","seq":1,"by":"floor","x":' + b"[" * 900 + b"]" * 50,
        b'{"journal":"1-a","seq":1' + b"0" * 900 + b',"by":"floor"}',
        b'{"journal":"1-a","seq":1,"by":"floor"}' + b" " * LONGEST,
    ],
)
def test_what_is_malformed_is_refused(payload: bytes) -> None:
    with pytest.raises(NotStored):
        Store(Path("/nonexistent"), "floor").receive(payload)


def test_the_files_of_the_journal_name_its_ids(wire: Wire) -> None:
    assert journal_id(journal_files(wire.record.journal.directory)[-1]) == wire.record.shoe.journal
