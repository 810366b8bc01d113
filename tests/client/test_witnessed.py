"""A receiver that requires witnesses: a round is given once a quorum has cosigned its entry."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import msgspec
import pytest

from firmware_bridge.client import follower
from firmware_bridge.client.batches import Batches
from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.gate import Gate
from firmware_bridge.client.messages import Item, Received, Unsigned
from firmware_bridge.client.payload import MessageError
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts.orders import Resend
from firmware_bridge.record.signer import checkpoint_text, signed_note
from firmware_bridge.record.verify import root_of
from tests.kit import broker as real
from tests.kit.forged import entry_of, forged_behind, forged_copies

pytest.importorskip("nacl")

from tests.record.exports import KEYS, cosigned

brokers, broker = real.brokers, real.broker  # fixtures
WAIT_S = 10.0


def policy(*tables: FakeTable, quorum: str = "two") -> str:
    lines = [f"log {each.key}" for each in tables]
    lines += [f"witness {name} {key.vkey}" for name, key in KEYS.items()]
    return "\n".join([*lines, "group two 2 w1 w2 w3", f"quorum {quorum}", ""])


@pytest.fixture(autouse=True)
def real_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name journals of fake tables as a real table does, in hex digits: a proof has a real line in it."""
    monkeypatch.setattr(FakeTable, "journal", property(lambda table: f"{table.shoe}-fa4e"))


class Receiver:
    """A receiver without a broker. events: whether it is given events too."""

    def __init__(self, folder: Path, *tables: FakeTable, events: bool = False, proofs: tuple[str, ...] = ()) -> None:
        page = folder / "keys.txt"
        page.write_text(policy(*tables))
        self.gate, self.batches = Gate(page, proofs, WAIT_S), Batches("ledger", WAIT_S, is_gated=True)
        self.batches.events, self.now = events, 0.0
        self.items: list[Item] = []
        self.proofs: dict[str, str] = {}

    def take(self, *sent: tuple[str, bytes], table: str = "T07") -> list[bytes]:
        """The rounds that are given after these messages; all of them are stored."""
        for topic, payload in sent:
            self.gate.handle(table, topic.rpartition("/")[2], payload, self.now)
        self.orders = [each.order for each in self.gate.pass_on(self.batches, self.now)]
        given: list[Item] = []
        while batch := self.batches.batch(self.now, 3, together=True):
            self.proofs = self.gate.proofs(batch, self.batches)
            given += [item for items in batch.values() for item in items]
            self.batches.stored(batch)
        self.items += given
        return [each.raw for each in given if isinstance(each, Received) and each.topic == "round"]

    def why(self) -> list[str]:
        return [each.why for each in self.items if isinstance(each, Unsigned)]


def note(table: FakeTable, by: tuple[str, ...] = ("w1", "w3")) -> tuple[str, bytes]:
    """The newest tree of a table, as witnesses cosign it."""
    assert table._signer
    text = signed_note(checkpoint_text(table.origin, table._size, root_of(table._edge)), [table._signer])
    return "witnessed", cosigned(text, by).encode()


def played(rounds: int, table: FakeTable | None = None) -> FakeTable:
    made = table or FakeTable(lambda *_: None)
    made.play(rounds)
    return made


@pytest.mark.parametrize("order", [1, -1])
def test_rounds_wait_for_a_note_of_a_quorum_that_covers_them(tmp_path: Path, order: int) -> None:
    table = played(3)
    receiver = Receiver(tmp_path, table)
    first = note(table)
    assert receiver.take(*table.sent[::order]) == []
    assert receiver.take(note(table, ("w1",))) == []
    assert receiver.take(first) == table.rounds
    seen = len(table.sent)
    played(2, table)
    second = note(table)
    assert receiver.take(*table.sent[seen:][::order]) == []
    assert receiver.take(first) == []
    assert receiver.take(second) == table.rounds[3:]
    assert receiver.why() == []


def test_a_note_that_comes_before_its_entries_waits_for_them(tmp_path: Path) -> None:
    table = played(2)
    receiver = Receiver(tmp_path, table)
    assert receiver.take(note(table), *table.sent[:-1]) == []
    assert receiver.take(table.sent[-1]) == table.rounds


def test_events_come_too_where_the_whole_record_is_read(tmp_path: Path) -> None:
    table = played(2)
    table.new_shoe()
    played(1, table)
    receiver = Receiver(tmp_path, table, events=True)
    receiver.take(*table.sent, note(table))
    assert [each.raw for each in receiver.items if isinstance(each, Received)] == [raw for _, raw in table.sent]
    assert [(table, each.journal, each.seq) for table, each in receiver.batches.due_reports()] == [("T07", "1-fa4e", 5)]


def test_a_round_of_a_copied_card_is_given_to_nobody_as_a_round(tmp_path: Path) -> None:
    """Signed by the table's own key, with a chain and a checkpoint of its own; no witness has seen it."""
    table, copy = played(3), played(3)
    receiver = Receiver(tmp_path, table)
    receiver.take(*table.sent, note(table))
    copy.round("void")
    forged = copy.sent[-3:]
    assert receiver.take(*forged) == []
    seen = len(table.sent)
    played(1, table)
    assert receiver.take(*table.sent[seen:], note(table)) == table.rounds[3:]
    assert receiver.why() == ["another entry is witnessed in its place"]


def test_a_note_on_a_forged_entry_is_no_proof_of_it(tmp_path: Path) -> None:
    """The real checkpoint of the table, copied into an entry that it never wrote."""
    table, copy = played(3), played(2)
    receiver = Receiver(tmp_path, table)
    copy.round("void")
    real, forged = table.sent[-3:], copy.sent[-3:]
    own, its = (msgspec.json.encode(msgspec.json.decode(each[1][1])["checkpoint"]) for each in (real, forged))
    forged[1] = ("event", forged[1][1].replace(its, own))
    assert own in forged[1][1]
    assert receiver.take(*table.sent[:-3], *forged, note(table)) == []
    assert receiver.take(*real) == table.rounds


def test_a_forged_copy_of_a_message_does_not_take_its_place(tmp_path: Path) -> None:
    table = played(2)
    receiver = Receiver(tmp_path, table, events=True)
    topic, last = table.sent[-2]
    note_of = msgspec.json.encode(msgspec.json.decode(last)["checkpoint"])
    other = note_of[:-6] + b"AAAA\\n" + b'"'
    bare = table.rounds[1].replace(b'"outcome":"player"', b'"outcome":"banker"')
    assert bare != table.rounds[1]
    receiver.take(("round", bare), *table.sent[:-2], (topic, last.replace(note_of, other)), *table.sent[-2:])
    receiver.take((topic, last.replace(b'"checkpoint":%b,' % note_of, b"")), note(table))
    given = [each.raw for each in receiver.items if isinstance(each, Received)]
    assert given == [raw for _, raw in table.sent]
    assert receiver.why() == ["no key that is known signed it"]


@pytest.mark.parametrize("seq", [1, 2, 6])
@pytest.mark.parametrize("order", ["before", "between", "after"])
@pytest.mark.parametrize("seed", range(4))
def test_forged_copies_do_not_block_the_message_of_the_table(tmp_path: Path, seq: int, order: str, seed: int) -> None:
    """The true one may come when the entry follows already, by a copy without its checkpoint, which no head covers."""
    table = played(3)
    begin, end = entry_of(table, seq)
    forged, own = forged_copies(table, seq), table.sent[begin:end]
    Random(seed).shuffle(forged)
    sent = {
        "before": [*forged, *own],
        "between": [*own[:-1], *forged, own[-1]] if own[-1][0] == "event" else [*own[1:], *forged, own[0]],
        "after": [*own, *forged],
    }
    receiver = Receiver(tmp_path, table, events=True)
    receiver.take(*table.sent[:begin], *sent[order], *table.sent[end:], note(table))
    assert [each.raw for each in receiver.items if isinstance(each, Received)] == [raw for _, raw in table.sent]
    assert receiver.why() == []


def test_an_event_whose_checkpoint_does_not_verify_is_never_given(tmp_path: Path) -> None:
    table = played(2)
    receiver = Receiver(tmp_path, table, events=True)
    begin, end = entry_of(table, 4)
    own = [each for each in table.sent[begin:end] if b'"checkpoint"' in each[1]]
    copies = [each for each in forged_copies(table, 4) if b'"checkpoint"' in each[1]]
    rest = [each for each in table.sent if each not in own]
    assert receiver.take(*copies, *rest, note(table)) == []
    assert receiver.items == []
    assert receiver.take(*own) == table.rounds
    assert [each.raw for each in receiver.items if isinstance(each, Received)] == [raw for _, raw in table.sent]


def test_more_forged_copies_than_may_be_in_memory_give_way_to_what_is_sent_again(tmp_path: Path) -> None:
    table = played(2)
    receiver = Receiver(tmp_path, table)
    begin, end = entry_of(table, 1)
    events = [each for each in table.sent[begin:end] if each[0] == "event"]
    assert len(events) > 1
    flood = [
        ("event", payload.replace(b'"event":{', b'"event":{"x":%d,' % n, 1))
        for _, payload in events
        for n in range(3 * follower.TRIES)
    ]
    assert receiver.take(*table.sent[begin : end - 1], *flood, table.sent[end - 1], *flood, *table.sent[end:]) == []
    assert receiver.take(note(table)) == []
    assert receiver.take(*table.sent[begin:end]) == table.rounds


def test_a_second_record_goes_on_behind_the_first(tmp_path: Path) -> None:
    table = played(2)
    second = FakeTable(lambda *_: None, birth="00000001")
    second._chain, second.shoe = table._chain, 2
    receiver = Receiver(tmp_path, table, second)
    first = note(table)
    receiver.take(*table.sent, first)
    played(2, second)
    assert receiver.take(*second.sent, note(second)) == second.rounds
    assert receiver.take(first, note(second)) == []
    assert receiver.gate.next_at() is None


@pytest.mark.parametrize("is_known", [True, False])
def test_a_record_that_does_not_go_on_from_the_one_before_is_not_followed(tmp_path: Path, is_known: bool) -> None:
    """Neither one of another device, whose first entry follows nothing, nor one of a key that the policy lacks."""
    table = played(2)
    other = FakeTable(lambda *_: None, birth="00000001", seed=b"9" * 32)
    other.shoe = 2
    if not is_known:
        other._chain = table._chain
    receiver = Receiver(tmp_path, *[table, other][: 1 + is_known])
    first = note(table)
    played(2, other)
    assert receiver.take(*table.sent, first, *other.sent, note(other)) == table.rounds
    receiver.now += WAIT_S
    assert receiver.take(*other.sent, note(other)) == []
    assert receiver.gate._tables["T07"].follower.size(other.origin) == 0
    played(1, table)
    assert receiver.take(*table.sent, note(table)) == table.rounds[2:]


def test_what_is_in_memory_of_a_table_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "MOST", 20)
    monkeypatch.setattr(follower, "TRIES", 5)
    table = played(3)
    receiver = Receiver(tmp_path, table)
    payload = table.sent[2][1]
    for n in range(100):
        other = re.sub(b'"head":"....', b'"head":"%04x' % n, payload)
        form = payload.replace(b'"event":{', b'"event":{"x":%d,' % n, 1)
        receiver.take(*(("event", each.replace(b'"seq":2,', b'"seq":%d,' % n)) for each in (other, form)))
        receiver.take(("event", other), ("event", form))
    entries = receiver.gate._tables["T07"].follower._chain._entries
    assert len(entries) == 20
    forms = [[len([*each.messages]) for each in some.values()] for some in entries.values()]
    assert max(len(each) for each in forms) == 5
    assert max(max(each) for each in forms) <= 5
    assert receiver.take(*table.sent, note(table)) == table.rounds


def test_a_flood_of_forged_entries_makes_no_room_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "MOST", 50)
    table = played(10)
    receiver = Receiver(tmp_path, table)
    spoiled = table.sent[4][1]
    flood = [("event", spoiled.replace(b'"seq":3,', b'"seq":%d,' % n)) for n in range(100, 300)]
    flood += [("event", re.sub(b'"head":"....', b'"head":"%04x' % n, spoiled)) for n in range(200)]
    assert len(set(flood)) == 400
    assert receiver.take(*flood, *table.sent[:20], *flood, *table.sent[20:], note(table)) == table.rounds


@pytest.mark.parametrize("comes_first", [False, True])
def test_forged_entries_that_follow_are_bounded_and_block_no_true_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comes_first: bool
) -> None:
    """They need no key: each has a head that follows from the true entry before, and so have those behind them."""
    monkeypatch.setattr(follower, "TRIES", 5)
    table = played(4)
    receiver = Receiver(tmp_path, table)
    begin = entry_of(table, 2)[0]
    receiver.take(*table.sent[:begin])
    chain = receiver.gate._tables["T07"].follower._chain
    [true] = [each.head for each in chain.nodes]
    if comes_first:
        receiver.take(*table.sent[begin:])
    for n in range(50):
        forged, head = forged_behind(table, 2, true, n)
        receiver.take(forged, forged_behind(table, 3, head, n)[0])
    assert max(len(each) for each in chain._entries.values()) == 5
    assert len([*chain.nodes]) == len({each.head for each in chain.nodes}) == 11
    assert receiver.take(note(table)) == []
    receiver.now = WAIT_S
    receiver.take()
    assert [type(each) for each in receiver.orders] == [Resend]
    assert receiver.take(*table.sent[begin:]) == table.rounds


def test_another_table_s_record_is_not_followed(tmp_path: Path) -> None:
    other = played(2, FakeTable(lambda *_: None, "T08", seed=b"8" * 32))
    table = played(2)
    receiver = Receiver(tmp_path, table, other)
    assert receiver.take(*other.sent, note(other)) == []
    assert receiver.take(*table.sent, note(table)) == table.rounds


def test_what_is_missing_is_asked_for_since_the_last_entry_that_follows(tmp_path: Path) -> None:
    table = played(3)
    receiver = Receiver(tmp_path, table)
    receiver.take(*table.sent[5:], note(table))
    asked = []
    for _ in range(70):
        receiver.now += 10.0
        receiver.take()
        asked += [(receiver.now, each.since) for each in receiver.orders]
    assert asked[0] == (10.0, "1970-01-01T00:00:00Z")
    assert [at for at, _ in asked] == [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 620.0]
    assert receiver.take(*table.sent) == table.rounds
    assert receiver.gate.next_at() is None


def test_after_a_restart_it_goes_on_from_the_proof_that_was_stored(tmp_path: Path) -> None:
    table = played(4)
    receiver = Receiver(tmp_path, table)
    receiver.take(*table.sent, note(table))
    proof = receiver.proofs["T07"]
    seen = len(table.sent)
    table.new_shoe()
    played(3, table)
    again = Receiver(tmp_path, table, proofs=(proof,))
    assert again.take(note(table)) == []
    again.now += WAIT_S
    again.take()
    assert [each.since for each in again.orders] == ["2026-11-20T21:33:05.123Z"]
    assert again.take(*table.sent[seen:]) == table.rounds[4:]
    whole = Receiver(tmp_path, table)
    assert whole.take(*table.sent, note(table)) == table.rounds


def test_a_proof_is_for_the_last_items_of_a_table_alone(tmp_path: Path) -> None:
    """What waits behind a batch is not stored yet: a proof that covers it would lose it."""
    table = played(4)
    receiver = Receiver(tmp_path, table)
    for topic, payload in [*table.sent, note(table)]:
        receiver.gate.handle("T07", topic, payload, 0.0)
    assert list(receiver.gate.pass_on(receiver.batches, 0.0)) == []
    batch = receiver.batches.batch(0.0, 3, together=False)
    assert receiver.gate.proofs(batch, receiver.batches) == {}
    receiver.batches.stored(batch)
    batch = receiver.batches.batch(0.0, 3, together=False)
    assert set(receiver.gate.proofs(batch, receiver.batches)) == {"T07"}


def test_what_cannot_be_required_is_refused(tmp_path: Path) -> None:
    table = played(2)
    page = tmp_path / "keys.txt"
    with pytest.raises(MessageError, match="name the file of keys"):
        PlainFloor("ledger", require="witnessed")
    page.write_text(policy(table, quorum="none"))
    with pytest.raises(MessageError, match="asks for no witness"):
        PlainFloor("ledger", keys=page, require="witnessed")
    receiver = Receiver(tmp_path, table)
    receiver.take(*table.sent, note(table))
    good = receiver.proofs["T07"]
    for bad in ("", good.replace("index 3\n", "index 2\n"), good.replace("\u2014 witness.example/w1", "\u2014 w1")):
        with pytest.raises(MessageError, match="a proof to go on from: "):
            Receiver(tmp_path, table, proofs=(bad,))
