from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.client.signing import Signing
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.record.signer import signer
from tests.floor.journals import event, round_of
from tests.kit.nightly import share


class Said:
    """A source that brings nothing and remembers what it is told."""

    fault = ""

    def __init__(self) -> None:
        self.acknowledged: list[Delivery] = []
        self.published: list[tuple[str, dict[str, object]]] = []

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        return []

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        self.acknowledged += deliveries

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.published.append((topic, msgspec.json.decode(payload)))

    def drop(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "floor.db")
    yield made
    made.close()


def on(name: str, body: bytes) -> Delivery:
    return Delivery(f"shoe/T07/{name}", body)


def test_stored_is_said_after_the_commit_and_again_for_a_repeat(store: SqliteStore) -> None:
    source = Said()
    ingest = Ingest(store, source)
    batch = [on("event", event(1).body), on("event", event(2).body), on("event", event(4).body)]
    ingest.save(batch)
    assert store.count("messages") == 3
    assert source.acknowledged == batch
    stored = ("shoe/T07/stored", {"journal": "3-5ad1", "seq": 2, "by": "floor"})
    assert source.published == [stored]
    ingest.save(batch[:1])
    assert source.published == [stored, stored]


def test_repeats_alone_are_acknowledged_as_stored_by_the_next_run_too(store: SqliteStore) -> None:
    batch = [on("event", event(1).body), on("event", event(2).body)]
    Ingest(store, Said()).save(batch)
    source = Said()
    saved = Ingest(store, source).save(batch[1:])
    assert (saved.fresh, saved.repeats) == (0, 1)
    assert source.published == [("shoe/T07/stored", {"journal": "3-5ad1", "seq": 2, "by": "floor"})]


def test_nothing_is_acknowledged_that_is_not_on_disk(store: SqliteStore, mocker: MockerFixture) -> None:
    source = Said()
    ingest = Ingest(store, source)
    mocker.patch.object(store, "save", side_effect=StoreError("the disk is full"))
    with pytest.raises(StoreError):
        ingest.save([on("event", event(1).body)])
    assert (source.acknowledged, source.published) == ([], [])


def test_bad_bytes_are_kept_and_acknowledged(store: SqliteStore) -> None:
    source = Said()
    batch = [
        on("event", b"\xff"),
        on("round", b"{}"),
        on("status", b""),
        on("reply", b"no"),
        on("round", event(1).body),
    ]
    Ingest(store, source).save(batch)
    assert store.count("quarantine") == 3
    assert source.acknowledged == batch


def test_while_more_waits_stored_is_published_every_two_seconds_and_then_at_once(store: SqliteStore) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now)

    def stored_after(*seqs: int, is_behind: bool) -> list[object]:
        before = len(source.published)
        for seq in seqs:
            ingest.save([on("event", event(seq).body)], is_behind=is_behind)
            ingest.ask()
        return [body["seq"] for topic, body in source.published[before:] if topic == "shoe/T07/stored"]

    assert stored_after(1, is_behind=False) == [1]
    now = 1.9
    assert stored_after(2, 3, is_behind=True) == []
    now = 2.0
    assert stored_after(4, is_behind=True) == [4]
    now = 3.0
    assert stored_after(5, is_behind=True) == []
    assert stored_after(6, is_behind=False) == [6]
    assert store.count("messages") == 6


def test_the_end_of_a_journal_is_asked_for_by_what_its_status_says(store: SqliteStore) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now)
    status = {"v": 1, "table": "T07", "shoe": 3, "journal": "3-5ad1", "as_of": 4, "at": "x", "boot": "5c1e"}
    more = {"state": "online", "version": "1", "build": "x", "next_seq": 5, "mode": "m", "clock": "unknown", "link": 1}
    ingest.save([on("event", event(1).body), on("status", msgspec.json.encode(status | more))])
    ingest.ask()
    now = 6.0
    assert ingest.ask() == 1
    [order] = [body for topic, body in source.published if topic == "shoe/T07/command"]
    assert (order["do"], order["since"]) == ("resend", "1970-01-01T00:00:00Z")
    ingest.save([on("reply", msgspec.json.encode({"id": order["id"], "ok": True, "do": "resend"}))])
    sent = 0
    while not sent:
        now += 1.0
        sent = ingest.ask()
    order = source.published[-1][1]
    assert (order["do"], order["from"], order["to"]) == ("resend", 2, 4)
    assert now < 20.0


def test_all_before_is_asked_for_until_the_table_agrees(store: SqliteStore) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now)
    ingest.save([on("event", event(1).body)])

    def asked(until: float, step: float = 1.0) -> list[dict[str, object]]:
        nonlocal now
        before = len(source.published)
        while now < until:
            ingest.ask()
            now += step
        return [body for topic, body in source.published[before:] if topic.endswith("command")]

    def answer(order: dict[str, object], **answer: object) -> None:
        ingest.save([on("reply", msgspec.json.encode({"id": order["id"], "do": "resend"} | answer))])

    error, hint = "too many parts are waiting to be sent again", "wait until they have arrived"
    refusal = {"ok": False, "error": error, "hint": hint}
    [first] = asked(10.0)
    assert first["since"] == "1970-01-01T00:00:00Z"
    answer(first, **refusal)
    *_, last = orders = asked(7 * 24 * 3600.0, step=60.0)
    assert {order["since"] for order in orders} == {first["since"]}
    assert 20 < len(orders) < 50  # every 6 h in the end
    ingest.save([on("event", event(2).body)])
    assert store.lacking() == [event(1).key]
    answer(last, ok=True)
    ingest.save([on("event", event(3).body)])
    assert store.lacking() == []
    assert asked(now + 24 * 3600.0, step=60.0) == []


def test_words_of_a_table_cannot_make_a_line_of_the_log(store: SqliteStore, caplog: pytest.LogCaptureFixture) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now)
    ingest.save([on("event", event(1).body)])
    ingest.ask()
    now = 6.0
    ingest.ask()
    order = next(body for topic, body in source.published if topic.endswith("command"))
    answer = {"id": order["id"], "ok": False, "error": "no\nCRITICAL all is lost\x1b[2J", "hint": "a\u2028b"}
    ingest.save([on("reply", msgspec.json.encode(answer))])
    assert r"table T07 refuses to send again: no\nCRITICAL all is lost\x1b[2J; a\u2028b" in caplog.text


def test_only_answers_to_its_own_orders_change_its_counts(store: SqliteStore) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now, signing=Signing(signer("floor", bytes(32)), lambda: 1_000))
    ingest.save([on("event", event(1).body)])

    def counts(*answers: dict[str, object]) -> list[int]:
        nonlocal now
        before = len(source.published)
        for each in answers:
            ingest.save([on("reply", msgspec.json.encode({"ok": False} | each))])
        while not (asked := [body for topic, body in source.published[before:] if topic.endswith("command")]):
            now += 60.0
            ingest.ask()
        fields = [msgspec.json.decode(str(body["order"])) for body in asked]
        ours[:] = [fields[-1]["id"]]
        return [each["count"] for each in fields]

    ours = list[str]()
    assert counts() == [1_000]
    assert counts({"id": "cage-1", "code": "old_count", "count": 2**53}) == [1_001]
    assert counts({"id": ours[0], "code": "old_count", "count": 5_000}) == [5_001]
    assert counts({"id": ours[0], "code": "count_ahead", "count": 7}) == [1_000]


def test_a_whole_floor_that_is_silent_is_asked_for_a_little_at_a_time(store: SqliteStore) -> None:
    source, now, tables = Said(), 0.0, share(200)
    ingest = Ingest(store, source, clock=lambda: now)
    said = event(500).body
    ingest.save([Delivery(f"shoe/T{n}/event", said.replace(b'"T07"', b'"T%d"' % n)) for n in range(tables)])
    asked: list[tuple[float, dict[str, object]]] = []
    while now < share(900):
        before = len(source.published)
        ingest.ask()
        asked += [(now, body) for _, body in source.published[before:]]
        open_now = [body for at, body in asked if now - at < 30.0]
        assert sum(10 if "since" in body else 50 for body in open_now) <= 300
        now += 1.0
    spans = [(body["from"], body["to"]) for _, body in asked if "from" in body]
    assert set(spans) == {(1, 50)}


def test_a_round_makes_its_entry_whole(store: SqliteStore) -> None:
    source = Said()
    ingest = Ingest(store, source)
    ingest.save([on("event", event(1, kind="RoundClosed").body)])
    assert source.published == []
    ingest.save([on("round", round_of(1, 31).body)])
    assert [body["seq"] for _, body in source.published] == [1]
