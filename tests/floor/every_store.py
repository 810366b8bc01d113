"""What every store does, whatever its engine: the tests of each engine import these and bring the fixture `store`."""

import pytest

from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.ledger import Ledger, Previous, Progress
from firmware_bridge.floor.message import Key, Unread
from firmware_bridge.floor.store import Saved, Store, StoreError
from tests.floor.journals import AT, event, round_of

KEY = Key("T07", "3-5ad1")


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
    told = [round_of(1, 1), round_of(2, 2), round_of(5, 1, revision=1, status="corrected"), round_of(3, 3)]
    store.save([*told, round_of(6, 3, revision=1, status="voided")], [], [])
    columns = store.columns("rounds")
    rows = [dict(zip(columns, each, strict=True)) for each in store.rows("rounds", "T07", None)]
    assert [(each["round"], each["seq"], each["status"]) for each in rows] == [(1, 5, "corrected"), (2, 2, "closed")]


def test_a_commit_is_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(StoreError, match=r"(?i)not.null"):
        store.save([event(1), event(2)._replace(at=None)], [], [])  # type: ignore[arg-type]  # broken on purpose
    assert store.count("messages") == 0


def test_the_quarantine_keeps_bytes_and_reason(store: Store) -> None:
    store.save([], [Unread("shoe/T07/event", AT, "not a message", b"\xff")] * 2, [])
    assert list(store.rows("quarantine", None, None)) == [("shoe/T07/event", AT, "not a message", b"\xff")]


def test_a_ledger_goes_on_where_the_store_is(store: Store) -> None:
    told = Ledger(store.load)
    rows = [event(1), event(3, 1, 2), event(3, 2, 2)]
    for each in rows:
        told.take(each)
    store.save(rows, [], list(told.changes()))
    assert store.lacking() == [KEY]
    assert store.load(KEY).progress == Progress(KEY, 3, 1, 3, "1970-01-01T00:00:00Z")
    assert store.load(Key("T07", "4-1")).previous == Previous(3, AT)
    assert store.load(Key("T08", "4-1")).previous is None
    again = Ledger(store.load, store.lacking())
    assert not list(again.due(0.0))
    orders = [ask.order for ask in again.due(5.0)]
    assert orders == [Resend(journal="3-5ad1", start=2, to=2), Resend(since="1970-01-01T00:00:00Z")]
    again.answered("T07")
    again.take(event(2))
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
