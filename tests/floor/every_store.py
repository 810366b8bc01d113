"""What every store does, whatever its engine: the tests of each bring the fixtures `engine` and `store`."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple, get_args

import pytest

from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.ledger import Ledger, Previous
from firmware_bridge.floor.record.message import Key, Row, Unread, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes, Incident, Leaf, Log, ProvedRound, TrustedKey
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import FORMAT, Old, OtherFormat, Saved, Store, What
from firmware_bridge.floor.store.blocks import packed, shoes
from firmware_bridge.floor.store.closings import Closing
from firmware_bridge.floor.store.cosigned import Cosignature, Witnessed
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.schema import KEPT
from tests.floor.journals import AT, event, round_of
from tests.floor.test_ingest import Said

KEY = Key("T07", "3-5ad1")


class Engine(NamedTuple):
    """A kind of store: opens the one of this test, and its SQL. execute: what another program may do to it.

    other: the statement that makes it of another format. blob: its type of bytes. content: all of it, to be compared.
    """

    open: Callable[[], Store]
    execute: Callable[[str], None]
    other: str
    blob: str
    content: Callable[[], object]


@pytest.fixture
def store(engine: Engine) -> Iterator[Store]:
    made = engine.open()
    yield made
    made.close()


def test_a_message_is_kept_once(store: Store) -> None:
    assert store.save([event(1), event(1), event(2)], [], []) == Saved(2, 1, 0)
    assert store.save([event(1)], [], []) == Saved(0, 1, 0)
    assert store.count("messages") == 2


def test_other_bytes_under_the_same_key_are_a_conflict(store: Store) -> None:
    first, other = event(1), event(1, kind="Other")
    assert store.save([first, other, other], [], []) == Saved(1, 0, 2)
    [found] = store.rows("conflicts", None, None)
    assert found[6] == first.body.decode()
    assert found[8] == other.body.decode()


def test_the_round_that_counts_has_the_highest_revision_and_is_not_voided(store: Store) -> None:
    rounds = [round_of(1, 1), round_of(2, 2), round_of(5, 1, revision=1, status="corrected"), round_of(3, 3)]
    store.save([*rounds, round_of(6, 3, revision=1, status="voided")], [], [])
    columns = store.columns("rounds")
    rows = [dict(zip(columns, each, strict=True)) for each in store.rows("rounds", "T07", None)]
    assert [(each["round"], each["seq"], each["status"]) for each in rows] == [(1, 5, "corrected"), (2, 2, "closed")]


def test_messages_are_never_changed_or_deleted(store: Store, engine: Engine) -> None:
    store.save([event(1)], [], [])
    for statement in ("update message set seq = 2", "delete from message"):
        with pytest.raises(Exception, match="messages are never"):
            engine.execute(statement)
    assert store.count("messages") == 1


@pytest.mark.parametrize(("table", "what"), [(table, what) for table, whats in KEPT.items() for what in whats])
def test_rows_of_records_are_never_changed_or_deleted(store: Store, engine: Engine, table: str, what: str) -> None:
    keep_a_record(store)
    before = list_of(store, table)
    assert before
    done = "changed" if what == "update" else "deleted"
    columns = {
        "block": "last_at",
        "block_shoe": "last_at",
        "closed": "why",
        "evidence": "body",
        "leaf": "idx",
        "names": "name",
        "proved": "origin",
        "witnessed": "note",
    }
    column = columns.get(table)
    statement = f"update {table} set {column} = {column}" if what == "update" else f"delete from {table}"
    with pytest.raises(Exception, match=f"{table}: rows are never {done}"):
        engine.execute(statement)
    assert list_of(store, table) == before


def keep_a_record(store: Store) -> None:
    """Keep a row of everything that a record has."""
    log = Log("T07", "o/T07/1", 1, "vkey", "3-5ad1", 1, 2, b"e" * 32, "3-5ad1", 2, "ab", "note")
    found = Incident("T07", "two_heads", "place", AT, "text")
    changes = Changes()
    changes.logs[("T07", log.origin)] = log
    changes.leaves += [Leaf(log.origin, n, "T07", "3-5ad1", n + 1, f"{n:064x}") for n in range(2)]
    changes.proved.append(ProvedRound(round_of(1, 1), log.origin, 0))
    store.save([round_of(1, 1)], [], [], changes)
    store.put_key(TrustedKey("T07", "vkey", "enrolled", "A", "B", AT))
    witnessed = Witnessed(log.origin, 2, AT, AT, "note")
    store.put_cosigned([Cosignature(log.origin, "w1", 2, 1, "line")], {"T07": [witnessed]})
    store.put_evidence(found, {"note": "text"})
    with store._transaction():
        store._many(store._sql.BLOCK_MADE, [packed([event(1, journal="2-over")])])
        store._many(store._sql.BLOCK_SHOES, shoes([event(1, journal="2-over")]))
    store.save([], [], [Progress(KEY, 3, 1, 2)])
    assert store.close_gap(KEY, 0, Closing("ANNA", "lost", AT)) == 2


def list_of(store: Store, table: str) -> list[object]:
    """The rows of a table of records."""
    with store._in_words():
        return list(store._db.execute(f"select * from {table}").fetchall())


def test_what_may_change_of_a_record_does(store: Store) -> None:
    """A key by its people, a log as it grows, a cosignature by a newer one, an incident that is closed."""
    keep_a_record(store)
    store.put_key(TrustedKey("T07", "vkey", "revoked", "C", "D", AT, 7))
    [log] = store.logs()
    changes = Changes()
    changes.logs[("T07", log.origin)] = log._replace(size=3, head="cd")
    store.save([], [], [], changes)
    store.put_cosigned([Cosignature(log.origin, "w1", 3, 2, "line 2"), Cosignature(log.origin, "w1", 1, 3, "older")])
    assert store.close_incidents("T07", "two_heads", "by A and B: x", AT) == 1
    assert [(each.trust, each.until) for each in store.record_keys()] == [("revoked", 7)]
    assert [(each.size, each.head, each.witnessed) for each in store.logs()] == [(3, "cd", 2)]
    assert [(each.size, each.line) for each in store.cosignatures()] == [(3, "line 2")]
    assert store.incidents() == []
    assert [each.name for each in store.evidence()] == ["note"]


def test_a_commit_is_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(StoreError, match=r"(?i)not.null"):
        store.save([event(1), event(2)._replace(at=None)], [], [])  # type: ignore[arg-type]  # broken on purpose
    assert store.count("messages") == 0


def test_the_quarantine_keeps_bytes_and_reason(store: Store) -> None:
    store.save([], [Unread("shoe/T07/event", AT, "not a message", b"\xff")] * 2, [])
    assert list(store.rows("quarantine", None, None)) == [
        ("shoe/T07/event", AT, "not a message", b"\xff", sha256(b"\xff").hexdigest())
    ]


def test_a_ledger_of_a_new_process_asks_for_the_same_end_of_the_journal_before(store: Store) -> None:
    store.save([event(9)], [], [Progress(KEY, 3, 9, 9)])
    ledger, begun = Ledger(store.load), event(1, journal="4-77", shoe=4)
    ledger.add(begun)
    store.save([begun], [], list(ledger.changes()))
    asks = [Resend(journal="3-5ad1", start=10)]
    again = Ledger(store.load, store.lacking())
    assert [[ask.order for ask in each.due(0.0) + each.due(5.0)] for each in (ledger, again)] == [asks, asks]
    again.answered("T07", ok=True)
    store.save([], [], list(again.changes()))
    assert store.load(begun.key).progress == Progress(begun.key, 4, 1, 1)


def test_a_ledger_goes_on_where_the_store_is(store: Store) -> None:
    ledger = Ledger(store.load)
    rows = [event(1), event(3, 1, 2), event(3, 2, 2)]
    for each in rows:
        ledger.add(each)
    store.save(rows, [], list(ledger.changes()))
    assert store.lacking() == [KEY]
    assert store.load(KEY).progress == Progress(KEY, 3, 1, 3, "1970-01-01T00:00:00Z")
    assert store.load(Key("T07", "4-1")).previous == Previous(3, AT, "3-5ad1", 3)
    assert store.load(Key("T08", "4-1")).previous is None
    again = Ledger(store.load, store.lacking())
    assert not list(again.due(0.0))
    assert [ask.order for ask in again.due(5.0)] == [Resend(since="1970-01-01T00:00:00Z")]
    again.answered("T07", ok=True)
    orders = [ask.order for now in range(6, 20) for ask in again.due(now)]
    assert orders == [Resend(journal="3-5ad1", start=2, to=2)]
    again.add(event(2))
    store.save([event(2)], [], list(again.changes()))
    assert store.lacking() == []
    assert again.stored(KEY) == 3


def test_progress_never_goes_back(store: Store) -> None:
    store.save([], [], [Progress(KEY, 3, 9, 9)])
    store.save([], [], [Progress(KEY, 3, 2, 12)])
    assert store.load(KEY).progress == Progress(KEY, 3, 9, 12)


def test_the_quarantine_knows_no_journals(store: Store) -> None:
    with pytest.raises(StoreError, match="no journal"):
        list(store.rows("quarantine", None, "3-5ad1"))


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6, 99])
def test_a_store_of_another_format_is_left_alone(engine: Engine, version: int) -> None:
    engine.open().close()
    engine.execute(engine.other.format(version))
    before = engine.content()
    for _ in range(2):
        with pytest.raises(
            OtherFormat, match=f"store of format {version}, but this .* format {FORMAT}; install the ver"
        ):
            engine.open()
        assert engine.content() == before


BEFORE, NOW = "2026-11-21", "2026-11-22T00:00:00.000Z"


def test_an_old_whole_journal_is_deleted_and_noted(store: Store, engine: Engine) -> None:
    old = [event(1, kind="RoundClosed"), round_of(1, 1)]
    following = '{"journal":"3-5ad1","seq":1}'
    new = [event(1, journal="4-6b", shoe=4), round_of(1, 1, journal="4-6b", prev=following)]
    new = [each._replace(at="2026-11-21T00:00:00.000Z") for each in new]
    store.save([*old, *new], [], [Progress(KEY, 3, 1, 1), Progress(Key("T07", "4-6b"), 4, 1, 1)])
    [found] = store.old(BEFORE)
    assert found == Old(KEY, 3, AT, AT, 2, 1, "")
    assert store.expire(Key("T07", "4-6b"), BEFORE, NOW) is None
    assert store.expire(KEY, BEFORE, NOW) == found
    assert [row[2] for row in store.rows("messages", None, None)] == ["4-6b", "4-6b"]
    assert list(store.rows("expired", None, None)) == [("T07", "3-5ad1", 3, AT, AT, 2, 1, NOW)]
    gap = "insert into quarantine select 'gap', journal, tbl, cast('' as $blob), cast('' as $blob) from round_gaps"
    engine.execute(gap.replace("$blob", engine.blob))
    assert store.count("quarantine") == 0
    assert store.expire(KEY, BEFORE, NOW) is None
    with pytest.raises(Exception, match="messages are never deleted"):
        engine.execute("delete from message")
    assert store.lacking() == []


def test_the_newest_message_is_as_old_as_the_earlier_of_both_clocks_has_it(store: Store) -> None:
    assert store.newest() == ""
    store.save([event(1), event(2)._replace(at="9999-01-01T00:00:00.000Z")], [], [])
    assert store.newest() == AT
    store.save([event(3)._replace(received_at="9999-02-01T00:00:00.000Z")], [], [])
    assert store.newest() == "9999-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("more", "progress", "why"),
    [
        ([], Progress(KEY, 3, 1, 2), "it is not complete"),
        ([], Progress(KEY, 3, 1, 1, "1970-01-01T00:00:00Z"), "it is not complete"),
        ([event(1, kind="Other")], Progress(KEY, 3, 1, 1), "it has messages in conflict"),
        ([round_of(2, 2, prev='{"journal":"2-1","seq":9}')], Progress(KEY, 3, 2, 2), "it refers to a missing round"),
    ],
)
def test_an_old_journal_with_a_flaw_stays(store: Store, more: list[Row], progress: Progress, why: str) -> None:
    store.save([event(1), *more], [], [progress])
    assert [each.stays for each in store.old(BEFORE)] == [why]
    assert store.expire(KEY, BEFORE, NOW) is None
    assert store.count("messages") > 0


def test_a_journal_is_as_old_as_the_day_it_came(store: Store) -> None:
    store.save([event(1)._replace(at="1970-01-01T00:00:00Z")], [], [Progress(KEY, 3, 1, 1)])
    assert store.old(AT) == []
    assert len(store.old(BEFORE)) == 1


def named(seq: int, name: str) -> Row:
    """An event with the name of a person."""
    body = event(seq, kind="DealerSignedIn").body.replace(b'"}}', f'","dealer":"{name}"}}}}'.encode())
    return row("event", "T07", body, AT)


def test_names_are_not_kept_and_repeats_are_still_distinguished_from_conflicts(store: Store) -> None:
    hidden, later = Names(b"k" * 32), Names(b"K" * 32)
    came = named(1, "ANNA")
    assert store.save([hidden.row(came)], [], []) == Saved(1, 0, 0)
    assert store.save([hidden.row(came), later.row(came), came], [], []) == Saved(0, 3, 0)
    assert store.save([hidden.row(named(1, "Anna"))], [], []) == Saved(0, 0, 1)  # one person, other bytes
    assert store.save([hidden.row(named(1, "BO"))], [], []) == Saved(0, 0, 1)
    before = named(2, "ANNA")  # kept before the setting
    assert store.save([before], [], []) == Saved(1, 0, 0)
    assert store.save([hidden.row(before)], [], []) == Saved(0, 1, 0)
    first, second = store.rows("messages", None, None)
    assert (first[7], second[7]) == (sha256(came.body).hexdigest(), None)
    assert hidden.pseudonym("ANNA") in str(first[8])
    loaded = list(store.load(KEY).rows)
    assert loaded == [hidden.row(came), before]
    everything = [str(each) for what in get_args(What) for each in store.rows(what, None, None)]
    assert len(everything) > 4
    assert [each for each in everything if "ANNA" in each] == [str(second)]


def test_an_ingest_keeps_no_names(store: Store) -> None:
    source, hidden = Said(), Names(b"k" * 32)
    ingest = Ingest(store, source, names=hidden)
    deliveries = [Delivery("shoe/T07/event", named(1, "ANNA").body), Delivery("shoe/T08/event", named(2, "ANNA").body)]
    ingest.save(deliveries)
    ingest.save(deliveries)
    assert source.acknowledged == deliveries * 2
    assert (store.count("messages"), store.count("quarantine"), store.count("conflicts")) == (1, 1, 0)
    everything = [str(each) for what in get_args(What) for each in store.rows(what, None, None)]
    assert not any("ANNA" in each for each in everything)


def test_new_messages_repeats_and_conflicts_are_distinguished_in_large_batches(store: Store) -> None:
    first = [event(seq) for seq in range(1, 101)]
    mixed = [*first[50:], event(7, kind="Other"), *(event(seq) for seq in range(101, 131))]
    assert store.save(first, [], []) == Saved(100, 0, 0)
    assert store.save(mixed, [], []) == Saved(30, 50, 1)
    assert store.save([event(200), *(event(seq) for seq in range(131, 200)), event(200)], [], []) == Saved(70, 1, 0)
    assert store.save([event(seq) for seq in range(201, 301)], [], []) == Saved(100, 0, 0)
    assert (store.count("messages"), store.count("conflicts")) == (300, 1)


def test_a_message_in_a_row_or_in_a_block_is_one(store: Store) -> None:
    assert not store.has_messages()
    store.save([event(1)], [], [])
    assert store.has_messages()
