"""A back office with real witnesses: what each failure of RECORD 2.11 looks like."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.client import testing
from firmware_bridge.client.testing import SEED, FakeTable
from firmware_bridge.floor import check_record, check_witnesses
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.record.state import Leaf
from firmware_bridge.floor.verified.commands import NotDone, witnessed_note
from firmware_bridge.floor.verified.feeder import Reply
from firmware_bridge.floor.verified.feeding import StoredLeaves, Witnessing
from firmware_bridge.floor.verified.quorum import fed, page_of_keys, policy
from firmware_bridge.floor.verified.standing import Standing, Watching, standings, watching
from firmware_bridge.floor.verified.witnesses import Client
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from firmware_bridge.record.verify import (
    cosigned,
    leaf_hash,
    parse_checkpoint,
    parse_note,
    parse_policy,
    parse_vkey,
    verified_checkpoint,
)
from tests.floor.house import House
from tests.kit.nightly import share
from tests.kit.patience import Patience
from tests.kit.witnesses import Liar, Served

pytest.importorskip("nacl")


class Floor:
    """A back office with an enrolled table, and three witnesses; `kinds` are their classes."""

    def __init__(self, folder: Path, kinds: tuple[type[Served], ...] = (Served, Served, Served)) -> None:
        self.house = House(folder / "floor.db")
        self.table: FakeTable = self.house.table()
        self.house.enrol(self.table)
        self.table.play(2)
        self.house.wait(5)
        key = parse_vkey(self.table.key)
        self.witnesses = [kind(folder, f"w{n}.example/1", [key], n) for n, kind in enumerate(kinds, 1)]
        rows = [{"vkey": each.key.vkey, "url": each.url} for each in self.witnesses]
        self.config = parse({"witness": rows})
        self.client = Client(fed(self.config), answer_s=5.0)
        self._began = time.time() - 1_000.0
        self.now, self.published = 1_000.0, list[tuple[str, str]]()
        self.start()

    def start(self) -> None:
        """As after a restart of the ingest."""
        self.witnessing = Witnessing(self.config, self.house.store, self.client, self._clock)

    def _clock(self) -> str:
        return datetime.fromtimestamp(self._began + self.now, UTC).isoformat(timespec="milliseconds")

    def turn(self, until: Callable[[], object], after: float = 0.0) -> None:
        """Turn until something is so, after some seconds of the feeder's clock."""
        self.now += after
        patience = Patience()
        while not until():
            assert not patience.is_over
            self.published += self.witnessing.turn(self.now)
            time.sleep(0.02)

    def play(self, rounds: int = 1) -> int:
        """Play rounds; returns the size of the record then."""
        self.table.play(rounds)
        self.house.wait(2)
        return self.size

    @property
    def size(self) -> int:
        return self.house.store.logs()[0].size

    @property
    def witnessed(self) -> int:
        return self.house.store.logs()[0].witnessed

    def sizes(self) -> list[int]:
        """The sizes that each witness cosigned last."""
        found = {each.witness: each.size for each in self.house.store.cosignatures()}
        return [found.get(each.key.vkey, 0) for each in self.witnesses]


@contextmanager
def opened(folder: Path, *kinds: type[Served]) -> Iterator[Floor]:
    made = Floor(folder, kinds or (Served, Served, Served))
    try:
        yield made
    finally:
        made.client.close()
        for each in made.witnesses:
            each.stop()
            each.close()
        made.house.store.close()


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with opened(tmp_path) as made:
        yield made


def test_rounds_become_witnessed_and_the_table_hears_the_note(floor: Floor) -> None:
    assert floor.house.proofs() == ["signed"] * 2
    floor.turn(lambda: floor.published and floor.sizes() == [floor.size] * 3)
    assert floor.house.proofs() == ["witnessed"] * 2
    [(table, text)] = floor.published
    note = parse_note(text)
    assert (table, verified_checkpoint(note, [parse_vkey(floor.table.key)]).size) == ("T07", floor.size)
    assert policy(floor.config).is_met(each.witness for each in cosigned(note, [each.key for each in floor.witnesses]))
    size = floor.play()
    floor.turn(lambda: floor.sizes() == [size] * 3, after=20.0)
    assert floor.house.proofs() == ["witnessed"] * 3
    assert floor.house.kinds() == set()


class Between(Future[Reply]):
    """An answer that comes just behind the first look for it."""

    def __init__(self, real: Future[Reply]) -> None:
        super().__init__()
        self._real, self._looks = real, 0

    def done(self) -> bool:
        self._looks += self._real.done()
        return self._looks > 1

    def result(self, timeout: float | None = None) -> Reply:
        return self._real.result(timeout)


def test_an_answer_that_comes_while_others_are_read_is_not_lost(floor: Floor, mocker: MockerFixture) -> None:
    post = floor.client.post
    mocker.patch.object(floor.client, "post", lambda what: Between(post(what)))
    for _ in range(2):
        floor.play()
        floor.turn(lambda: floor.sizes() == [floor.size] * 3, after=20.0)


def test_the_leaves_of_a_log_are_fetched_once_for_all_witnesses(floor: Floor, mocker: MockerFixture) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    size = floor.play(12)
    fetches = mocker.spy(floor.house.store, "some_leaves")
    floor.turn(lambda: floor.sizes() == [size] * 3, after=20.0)
    assert fetches.call_count == 1
    assert floor.house.kinds() == set()


def test_leaves_are_those_of_the_store_in_whatever_parts_they_are_asked_for(mocker: MockerFixture) -> None:
    heads = {origin: [sha256(b"%s %d" % (origin.encode(), n)).hexdigest() for n in range(3_000)] for origin in "ab"}

    def some(origin: str, first: int, most: int) -> list[Leaf]:
        numbered = enumerate(heads[origin][first : first + most], first)
        return [Leaf(origin, idx, "T07", "00000001-a", idx + 1, head) for idx, head in numbered]

    hashed = {origin: [leaf_hash(bytes.fromhex(each)) for each in of] for origin, of in heads.items()}
    leaves, random = StoredLeaves(mocker.Mock(some_leaves=some)), Random(7)
    leaves.sizes = {"a": 3_000, "b": 2_500}
    for _ in range(share(2_000, 10)):
        origin = random.choice("ab")
        first, end = sorted(random.choices(range(leaves.size(origin) + 1), k=2))
        if random.random() < 0.5:
            end = min(end, first + random.randint(0, 70))
        assert leaves.leaves(origin, first, end) == hashed[origin][first:end]


def test_after_a_restart_the_note_is_published_again_and_nothing_is_asked_twice(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    notes = [each.line for each in floor.house.store.cosignatures()]
    before, floor.published = floor.published, []
    floor.start()
    floor.turn(lambda: floor.published)
    assert floor.published == before
    assert [each.line for each in floor.house.store.cosignatures()] == notes


def test_a_witness_that_is_down_changes_nothing_and_catches_up(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    old = floor.size
    floor.witnesses[0].stop()
    size = floor.play()
    floor.turn(lambda: floor.witnessed == size and floor.sizes() == [old, size, size], after=20.0)
    floor.witnesses[0].start()
    floor.turn(lambda: floor.sizes() == [size] * 3, after=300.0)
    assert floor.house.kinds() == set()


def test_below_the_quorum_nothing_is_witnessed_and_nothing_stops(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    old = floor.size
    floor.witnesses[0].stop()
    floor.witnesses[1].stop()
    size = floor.play(3)
    floor.turn(lambda: floor.sizes() == [old, old, size], after=20.0)
    assert floor.witnessed == old
    assert floor.house.proofs() == ["witnessed"] * 2 + ["signed"] * 3
    floor.witnesses[1].start()
    floor.turn(lambda: floor.witnessed == size, after=300.0)
    newest = floor.house.store.newest_witnessed()[0]
    assert round(seconds(newest.at) - seconds(newest.since), 2) == 300.0


def test_a_withheld_feed_is_a_window_also_over_a_restart(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    [first] = floor.house.store.newest_witnessed()
    floor.now += 3_600.0
    size = floor.play()
    floor.start()
    floor.turn(lambda: floor.witnessed == size)
    [second] = floor.house.store.newest_witnessed()
    longest = floor.house.store.longest_windows("")
    assert {origin: round(each, 1) for origin, each in longest.items()} == {floor.table.origin: 3_600.0}
    assert floor.house.store.longest_windows("9999") == {}
    assert seconds(second.since) == seconds(first.at)
    assert round(seconds(second.at) - seconds(second.since), 2) == 3_600.0


def test_a_night_without_a_round_is_no_window(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    floor.published = []
    floor.start()
    floor.turn(lambda: floor.published)
    floor.now += 36_000.0
    size = floor.play()
    floor.turn(lambda: floor.witnessed == size)
    newest = floor.house.store.newest_witnessed()[0]
    assert newest.at == newest.since


def other_history(floor: Floor) -> str:
    """A note of another history of the same size, by somebody who has the table's key."""
    return signed_note(checkpoint_text(floor.table.origin, floor.size, bytes(32)), [signer(floor.table.origin, SEED)])


def test_another_history_that_a_witness_saw_first_is_an_incident_with_its_evidence(floor: Floor) -> None:
    body = f"old 0\n\n{other_history(floor)}".encode()
    assert floor.witnesses[1]._witness.add_checkpoint(body).status == 200
    floor.turn(lambda: floor.witnessed == floor.size and floor.house.kinds())
    incidents = floor.house.store.incidents()  # another one where the store asks the witness once more meanwhile
    assert {(each.table, each.kind) for each in incidents} == {("T07", "split_view")}
    found = {(each.name, each.body) for each in floor.house.store.evidence()}
    assert {parse_checkpoint(parse_note(body).text).size for name, body in found if name == "note"} == {floor.size}
    assert [body for name, body in found if name == "answer" and body.startswith("422\n")]
    assert len(floor.witnesses[1].evidence()) == 1


def test_one_of_three_lying_is_found_by_the_comparison_alone(tmp_path: Path) -> None:
    """w3 cosigns both histories: w1 and w3 are a quorum of ours, w2 and w3 of the other, which w2 was shown first."""
    with opened(tmp_path, Served, Served, Liar) as floor:
        liar = floor.witnesses[2]
        assert isinstance(liar, Liar)
        floor.turn(lambda: floor.sizes() == [floor.size] * 3)
        floor.play()
        liar.shows = liar.cosigned(other_history(floor))
        floor.turn(lambda: floor.sizes() == [floor.size] * 3, after=20.0)
        assert floor.house.kinds() == set()
        floor.turn(lambda: floor.house.kinds(), after=600.0)
        [incident] = floor.house.store.incidents()
        assert incident.kind == "split_view"
        assert "w3.example/1 was shown another history" in incident.text
        assert floor.house.store.evidence()[0].body


@pytest.mark.parametrize(
    ("off_s", "says"), [(0, []), (-290, []), (-350, ["6 min behind"]), (290, []), (350, ["6 min ahead of"])]
)
def test_a_wrong_clock_is_said_from_five_minutes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, off_s: int, says: list[str]
) -> None:
    """Nothing in the record depends on it: the sizes of the trees order them."""
    at = datetime.fromtimestamp(time.time() + off_s, UTC).isoformat(timespec="milliseconds")
    monkeypatch.setattr(testing, "AT", at.replace("+00:00", "Z"))
    with opened(tmp_path) as floor:
        floor.turn(lambda: floor.sizes() == [floor.size] * 3)
        lines = [each.text for each in check_record.findings(floor.house.store, whole=False) if each.name == "clock"]
        assert lines == [f"T07: its clock is {each} that of witnesses" for each in says]
        assert floor.house.proofs() == ["witnessed"] * 2


def found(floor: Floor) -> list[tuple[str, str, str]]:
    return [(each.level, each.name, each.text) for each in check_witnesses.findings(floor.config, floor.house.store)]


def test_check_asks_every_witness_and_says_window_and_liars(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    quorum, *witnesses, differ, window = found(floor)
    assert "need the lies of 1 of 3 witnesses" in quorum[2]
    assert [each[0] for each in witnesses] == ["OK"] * 3
    assert witnesses[0][2] == "w1.example/1 has seen 1 of 1 records as the store has them"
    assert differ[0] == "OK"
    assert window[2].startswith(f"T07: witnessed to {floor.size} of {floor.size}, longest window in a day ")
    floor.witnesses[1].stop()
    assert [each[0] for each in found(floor)] == ["OK", "OK", "WARN", "OK", "OK", "OK"]


def test_check_finds_another_history_at_once(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    floor.house.store._db.execute("drop trigger leaf_is_never_changed")
    floor.house.store._db.execute("update leaf set head = ? where idx = 0", (bytes(32),))
    floor.house.store._db.commit()
    assert ("FAIL", "witnesses", "3 of their notes are of another history") in found(floor)
    assert floor.house.kinds() == {"split_view"}
    found(floor)
    assert len(floor.house.store.incidents()) == 3


def test_an_auditor_verifies_with_policy_and_note_of_the_house(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    page = "\n".join(page_of_keys(floor.config, [floor.table.key])) + "\n"
    read = parse_policy(page)
    note = parse_note(witnessed_note(floor.house.store, "T07"))
    assert verified_checkpoint(note, read.logs).size == floor.size
    assert read.is_met(each.witness for each in cosigned(note, list(read.witnesses.values())))
    with pytest.raises(NotDone, match="table T08"):
        witnessed_note(floor.house.store, "T08")


def standing(floor: Floor) -> Standing:
    return standings(floor.house.store)["T07"]


def test_the_standing_of_a_record_names_round_quorum_and_each_witness(floor: Floor) -> None:
    assert (standing(floor).witnessed_at, standing(floor).round, standing(floor).delay(time.time())) == ("", None, "")
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    found = standing(floor)
    assert (found.seen, found.waits_since, found.round, found.incidents) == ("", "", (1, 2), ())
    assert found.witnessed_at == floor.house.store.newest_witnessed()[0].at
    assert [found.cosigned[each.key.vkey].size for each in floor.witnesses] == [floor.size] * 3
    assert watching(floor.config) == Watching(tuple(each.key for each in floor.witnesses), 1)


def test_below_the_quorum_a_record_is_late_after_ten_minutes_and_overdue_after_an_hour(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    before = time.time()
    floor.play()
    found = standing(floor)
    assert before - 1 < seconds(found.waits_since) < time.time() + 1
    assert found.round == (1, 2)
    since = seconds(found.waits_since)
    assert [found.delay(since + each) for each in (599, 600, 3_599, 3_600)] == ["", "late", "late", "overdue"]
    floor.turn(lambda: floor.sizes() == [floor.size] * 3, after=20.0)
    assert (standing(floor).waits_since, standing(floor).round) == ("", (1, 3))


def test_a_night_without_a_round_is_not_late(floor: Floor) -> None:
    floor.turn(lambda: floor.sizes() == [floor.size] * 3)
    assert standing(floor).delay(time.time() + 36_000.0) == ""
    floor.play()
    assert standing(floor).delay(time.time()) == ""
    *_, window = found(floor)
    assert window[0] == "OK"
