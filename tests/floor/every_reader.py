"""What every reader of a store does, whatever its engine: the tests of each bring the fixture `config`."""

import json
import time
from collections.abc import Iterator

import pytest

from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import Key, Row, Unread, row
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes, Incident, Leaf, Log, TrustedKey
from firmware_bridge.floor.store import Counts, Reader, RecordSize, Store
from firmware_bridge.floor.store.cosigned import Cosignature, Witnessed
from firmware_bridge.floor.store.fact_queries import OrderAt
from firmware_bridge.floor.store.open import open_reader, open_store
from firmware_bridge.floor.verified.standing import standings
from tests.floor.journals import AT, event, round_of
from tests.kit.patience import Patience


@pytest.fixture
def store(config: FloorConfig) -> Iterator[Store]:
    made = open_store(config, make=True)
    yield made
    made.close()


def opened(config: FloorConfig) -> Reader:
    reader = open_reader(config)
    assert reader is not None
    return reader


def counted(config: FloorConfig, wanted: Counts) -> Counts:
    """The counts when they are as wanted; a server's statistics come a moment later."""
    patience = Patience()
    while True:
        reader = opened(config)
        found = reader.counts()
        reader.close()
        if found == wanted or patience.is_over:
            return found
        time.sleep(0.1)


def test_a_reader_counts_beside_the_writer(store: Store, config: FloorConfig) -> None:
    assert counted(config, Counts(0, 0, 0, 0)) == Counts(0, 0, 0, 0)
    other = event(1)._replace(body=event(1, kind="Other").body)
    lacking = [Progress(Key("T07", "3-5ad1"), 3, 1, 4, ""), Progress(Key("T08", "3-5ad1"), 3, 4, 4, "since")]
    store.save([event(1), event(2), event(1), other], [Unread("shoe/T07/event", AT, "bad", b"\xff")], lacking)
    assert counted(config, Counts(2, 1, 1, 1, 0, 1, 1)) == Counts(2, 1, 1, 1, 0, 1, 1)
    store.save([event(3)], [], [Progress(Key("T07", "3-5ad1"), 3, 4, 4, "")])
    assert counted(config, Counts(3, 1, 1, 0, 0, 1, 1)) == Counts(3, 1, 1, 0, 0, 1, 1)


def test_a_reader_and_the_writer_never_wait_for_each_other(store: Store, config: FloorConfig) -> None:
    readers = [opened(config) for _ in range(3)]
    for seq in range(1, 20):
        for reader in readers:
            reader.counts()
        assert store.save([event(seq)], [], []).fresh == 1
    for reader in readers:
        reader.close()


KEY = Key("T07", "3-5ad1")
OLD, OLDER = "2-77", "1-44"


def last(config: FloorConfig, key: Key = KEY, shoe: int = 3, most: int = 9) -> list[bytes]:
    reader = opened(config)
    found = reader.last_rounds(key, shoe, most)
    reader.close()
    return found


def prev(journal: str, seq: int) -> str:
    return f'{{"journal":"{journal}","seq":{seq}}}'


def test_the_last_rounds_are_those_of_the_present_journal(store: Store, config: FloorConfig) -> None:
    rounds = [round_of(seq, seq) for seq in range(1, 31)]
    store.save([*rounds, event(31), round_of(99, 99, journal="3-other")], [], [])
    assert last(config) == [each.body for each in rounds[-9:]]
    assert last(config, most=99) == [each.body for each in rounds]
    assert last(config, Key("T08", "3-5ad1")) == last(config, Key("T07", "4-1"), shoe=1) == []


def test_the_last_rounds_are_found_in_the_journals_before_too(store: Store, config: FloorConfig) -> None:
    oldest, old = round_of(5, 50, journal=OLDER), round_of(7, 51, journal=OLD, prev=prev(OLDER, 5))
    rounds = [oldest, old, round_of(2, 1, prev=prev(OLD, 7)), round_of(3, 2, prev=prev(KEY.journal, 2))]
    store.save([*rounds, round_of(1, 1, journal="2-other")], [], [])
    assert last(config) == [each.body for each in rounds]
    assert last(config, most=3) == [each.body for each in rounds[1:]]


def test_the_last_rounds_end_where_messages_are_missing(store: Store, config: FloorConfig) -> None:
    rounds = [round_of(8, 3, prev=prev(KEY.journal, 6)), round_of(9, 4, prev=prev(KEY.journal, 8))]
    store.save([round_of(1, 1, journal=OLD), *rounds], [], [])
    assert last(config) == [each.body for each in rounds]


def test_before_the_first_round_of_a_shoe_the_last_rounds_are_those_of_the_shoe_before(
    store: Store, config: FloorConfig
) -> None:
    known = [Progress(Key("T07", journal), shoe, 9, 9) for journal, shoe in ((OLDER, 1), (OLD, 2), ("2-gone", 2))]
    replaced = round_of(1, 1, journal="2-gone")._replace(at="2020-01-01T00:00:00.000Z")
    newest = round_of(7, 51, journal=OLD)
    store.save(
        [round_of(5, 50, journal=OLDER), newest, replaced], [], [*known, Progress(Key("T07", "9-other"), 9, 9, 9)]
    )
    assert last(config) == [newest.body]


def test_a_correction_comes_with_its_round_or_not_at_all(store: Store, config: FloorConfig) -> None:
    rounds = [
        round_of(1, 1),
        round_of(2, 2),
        round_of(3, 2, revision=1, status="corrected"),
        round_of(4, 3),
        round_of(5, 3, revision=1, status="voided"),
        round_of(6, 4, status="voided"),
    ]
    store.save([*rounds, round_of(7, 1, revision=1, status="voided")], [], [])
    assert last(config) == [*[each.body for each in rounds], round_of(7, 1, revision=1, status="voided").body]
    assert last(config, most=6) == [each.body for each in rounds[1:]]


ORIGIN = "shoe.invalid/1/2"
KEYED = TrustedKey("T07", f"{ORIGIN}+616a891c+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4", "enrolled", "A", "B", AT)
LINE = "- w1.example/1 AAAA\n"


def changed(*, size: int) -> Changes:
    """A record of table T07 whose entries are those of its journal."""
    made = Changes()
    made.keys.append(KEYED)
    made.logs["T07", ORIGIN] = Log(
        "T07", ORIGIN, 1, KEYED.vkey, KEY.journal, 1, size, b"", KEY.journal, size, "", "note"
    )
    made.leaves += [Leaf(ORIGIN, idx, "T07", KEY.journal, idx + 1, "ab" * 32) for idx in range(size)]
    return made


def test_a_reader_says_how_the_records_stand_as_the_store_does(store: Store, config: FloorConfig) -> None:
    late = event(4)._replace(received_at="2026-11-20T21:34:00.000Z")
    rows = [event(1), event(2), round_of(2, 1), event(3), late, event(4, 2, 2), round_of(4, 2), event(5)]
    store.save(rows, [], [], changed(size=5))
    signed = Cosignature(ORIGIN, "w1.example/1+x", 3, 1_795_300_000, LINE)
    noted = [
        Witnessed(ORIGIN, 1, "2026-11-19T10:00:00.000Z", "2026-11-19T11:00:00.000Z", "old"),
        Witnessed(ORIGIN, 2, "2026-11-20T21:30:00.000Z", "2026-11-20T21:31:30.500Z", "older"),
        Witnessed(ORIGIN, 3, "2026-11-20T21:31:30.500Z", "2026-11-20T21:32:00.000Z", "newest"),
    ]
    store.put_cosigned([signed], {"T07": noted})
    store.put_incidents([Incident("T07", "two_heads", "3-5ad1:4", AT, "two heads")])
    reader = opened(config)
    found = standings(reader)
    assert found == standings(store)
    assert reader.records() == [RecordSize("T07", 5, 3)]
    assert reader.newest_witnessed() == noted[2:]
    longest = reader.longest_windows("2026-11-20T00:00:00.000Z")
    assert {origin: round(window, 2) for origin, window in longest.items()} == {ORIGIN: 90.5}
    assert round(reader.longest_windows("")[ORIGIN]) == 3600
    reader.close()
    standing = found["T07"]
    assert (standing.witnessed_at, standing.waits_since, standing.round) == (noted[2].at, AT, (3, 1))
    assert standing.cosigned == {signed.witness: signed}
    assert [each.kind for each in standing.incidents] == ["two_heads"]


def answered(seq: int, do: str, *, ok: bool = True, journal: str = "3-5ad1", **more: str) -> Row:
    """The event of an order that was answered."""
    answer = {"ok": ok, "id": f"o-{seq}", "do": do} | ({} if ok else {"error": "no round is open"})
    kind = json.dumps({"type": "CommandAnswered", "answer": answer, "by": "key/page", **more})
    whole = event(seq, journal=journal).body.replace(b'{"type":"Confirmed"}', kind.encode())
    return row("event", "T07", whole, AT)


def test_a_reader_has_the_newest_orders_of_a_journal(store: Store, config: FloorConfig) -> None:
    store.save(
        [
            answered(1, "void", on_behalf_of="ANNA"),
            answered(2, "mark"),
            answered(3, "void", ok=False),
            answered(1, "resolve", journal="4-6be2"),
        ],
        [],
        [],
    )
    reader = opened(config)
    found = reader.last_orders("T07", "3-5ad1", 2)
    assert [each[:5] for each in found] == [
        ("mark", "key/page", "", True, ""),
        ("void", "key/page", "", False, "no round is open"),
    ]
    assert reader.last_orders("T07", "3-5ad1", 9)[0] == OrderAt("void", "key/page", "ANNA", True, "", AT)
    assert reader.last_orders("T08", "3-5ad1", 9) == []
    reader.close()
