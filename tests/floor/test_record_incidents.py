"""What should not be in the records of tables: each kind is an incident of its own, and nothing honest is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.verified.records import Limits
from tests.floor.house import House
from tests.kit.forged import entry_of, forged_copies

OTHER = sha256(b"another key of tests").digest()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db", {"T07": Limits(pending_mb=1), "T09": Limits(hours="10:00-04:00")})
    yield made
    made.store.close()


def sent(table: FakeTable, topic: str, at: int = -1) -> bytes:
    """A message of a table, the last one of a topic by default."""
    return [payload for name, payload in table.sent if name == topic][at]


def changed(payload: bytes, **to: object) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(payload) | to)


def forged_round(table: FakeTable) -> tuple[str, bytes]:
    """A round of nobody, as finding S1 has it."""
    last = msgspec.json.decode(sent(table, "round"))
    entry = {"journal": last["journal"], "seq": last["seq"]}
    return "shoe/T07/round", changed(
        sent(table, "round"),
        seq=last["seq"] + 9,
        round=last["round"] + 1,
        outcome="player",
        prev=entry,
        head="ab" * 32,
    )


def by_two_of_one_name(house: House, table: FakeTable) -> None:
    """Two devices with one key: the card was copied."""
    twin = FakeTable(lambda *_: None, "T07")
    twin.play(len(table.rounds) - 1)
    twin.round("void")
    house.send(*((f"shoe/T07/{topic}", payload) for topic, payload in twin.sent[-3:]))


def another_key(house: House, table: FakeTable) -> None:
    table._signer = FakeTable(lambda *_: None, "T07", seed=OTHER)._signer
    table.key = table._signer.key.vkey if table._signer else ""
    table.status()


def another_birth(house: House, table: FakeTable) -> None:
    house.table(seed=OTHER, birth="00000001").play(1)


def taken_back(house: House, table: FakeTable) -> None:
    """A second shoe 1, with another name."""
    again = FakeTable(lambda *_: None, "T07")
    again.play(2)
    house.send(*((f"shoe/T07/{topic}", payload.replace(b"1-fake", b"1-0ther")) for topic, payload in again.sent))


def gone_on_from_another_past(house: House, table: FakeTable) -> None:
    """The card was rewritten and goes on; of the past, nothing is sent again."""
    twin = FakeTable(lambda *_: None, "T07")
    twin.play(len(table.rounds) - 1)
    twin.round("void")
    begun = len(twin.sent)
    twin.play(2)
    house.send(*((f"shoe/T07/{topic}", payload) for topic, payload in twin.sent[begun:]))


def a_round_alone(house: House, table: FakeTable) -> None:
    house.send(forged_round(table))


def closed_and_voided(house: House, table: FakeTable) -> None:
    house.send(("shoe/T07/round", changed(sent(table, "round"), seq=40, status="voided", head="cd" * 32)))


def no_checkpoint(house: House, table: FakeTable) -> None:
    table._signer = None
    table.round()


def other_code(house: House, table: FakeTable) -> None:
    from firmware_bridge.facts import events
    from firmware_bridge.facts.inputs import Code

    code = Code("aa", "bb", "3.13", "cc")
    table._publish(table._entry(events.SoftwareChanged(old=code, new=code, by="anna")))


def alarms(house: House, table: FakeTable) -> None:
    head = {"v": 1, "table": "T07", "shoe": 1, "journal": "1-fake", "as_of": 5, "at": "2026-11-20T21:33:05.123Z"}
    names = ("record_foreign", "record_other_pi", "lid_open")
    body = [
        {"id": id, "since": 1, "severity": "critical", "values": {}, "blocks": False, "choices": []} for id in names
    ]
    house.send(("shoe/T07/alarm", msgspec.json.encode(head | {"boot": "b", "open": body})))


Wrong = Callable[[House, FakeTable], None]


@pytest.mark.parametrize("enrolled", [False, True])
@pytest.mark.parametrize(
    ("wrong", "kinds"),
    [
        (by_two_of_one_name, {"two_heads", "closed_and_voided"}),
        (gone_on_from_another_past, {"two_heads"}),
        (another_key, {"two_keys"}),
        (another_birth, {"new_birth"}),
        (taken_back, {"journal_number", "prev_null"}),
        (a_round_alone, {"round_without_event"}),
        (closed_and_voided, {"closed_and_voided", "round_without_event"}),
        (other_code, {"other_code"}),
        (alarms, {"foreign", "other_pi"}),
    ],
)
def test_what_should_not_be_is_an_incident(house: House, wrong: Wrong, kinds: set[str], enrolled: bool) -> None:
    table = house.table()
    if enrolled:
        house.enrol(table)
    table.play(3)
    table.status()
    assert house.kinds() == set()
    wrong(house, table)
    house.wait(20)
    assert kinds <= house.kinds()
    before = house.store.incidents()
    house.restart()
    house.wait(40)
    assert house.store.incidents() == before


def lag(house: House, table: FakeTable) -> None:
    """Let the ingest lack hundreds of entries, as after a fault."""
    far = changed(sent(table, "event"), table="T09", journal="5-abc", seq=400, n=1, of=1)
    house.send(("shoe/T09/event", far))


def test_the_event_of_a_round_may_be_late_while_the_ingest_is_behind(house: House) -> None:
    table = house.table()
    table.play(3)
    lag(house, table)
    twin = FakeTable(lambda *_: None, "T07")
    twin.play(4)
    late = [(f"shoe/T07/{topic}", payload) for topic, payload in twin.sent[len(table.sent) :]]
    house.send(*(each for each in late if each[0].endswith("/round")))
    house.wait(600)
    assert house.kinds() == set()
    house.send(*late)
    house.wait(1900)
    assert house.kinds() == set()


def test_a_round_of_nobody_is_found_though_the_ingest_stays_behind(house: House) -> None:
    table = house.table()
    table.play(3)
    lag(house, table)
    a_round_alone(house, table)
    house.wait(1900)
    assert house.kinds() == {"round_without_event"}


def test_an_entry_that_closes_something_without_a_checkpoint_is_an_incident(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    no_checkpoint(house, table)
    assert "bad_checkpoint" in house.kinds()
    assert len(house.rounds()) == 2


def test_a_round_outside_the_hours_of_a_table_is_an_incident(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    house.table("T09").play(1)  # at 21:33
    assert house.kinds() == set()
    house.limits = {"T09": Limits(hours="10:00-21:33")}
    house.restart()
    house.table("T09").play(1)
    assert "hours" in house.kinds()


def test_who_has_the_login_alone_gets_nothing_into_an_enrolled_table(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(3)
    house.send(forged_round(table))
    house.wait(20)
    table.play(6)  # by now the table itself has the entry that was forged
    house.wait(20)
    assert house.proofs() == ["signed"] * 9
    bodies = {each["body"].encode() for each in house.rounds()}
    assert bodies == set(table.rounds)
    assert house.store.count("pending") == 1
    assert house.stored()["seq"] == 18


def test_a_forged_entry_that_hangs_on_the_chain_gives_way_to_the_signed_one(house: House) -> None:
    """The chain needs no key, so anybody may continue it; the checkpoint decides, whichever came first."""
    table = house.table()
    house.enrol(table)
    table.play(3)
    thief = FakeTable(lambda *_: None, "T07")
    thief.play(3)
    thief._signer = None
    thief.round("void")
    house.send(*((f"shoe/T07/{topic}", payload) for topic, payload in thief.sent[-3:]))
    table.play(2)
    house.wait(20)
    assert {"two_heads", "bad_checkpoint"} <= house.kinds()
    assert {each["body"].encode() for each in house.rounds()} == set(table.rounds)
    assert house.stored()["head"] == msgspec.json.decode(table.sent[-1][1])["head"]


@pytest.mark.parametrize("seq", [1, 2, 6])
@pytest.mark.parametrize("when", ["before", "within"])
def test_forged_copies_do_not_take_the_place_of_a_message(house: House, seq: int, when: str) -> None:
    """One may have a real checkpoint, of another entry; it may come when the entry follows already, by a bare copy."""
    table = FakeTable(lambda *_: None, "T07")
    house.enrol(table)
    table.play(3)
    begin, end = entry_of(table, seq)
    copies, own = forged_copies(table, seq), table.sent[begin:end]
    at = 0 if when == "before" else len(own) - 1
    sent = [*own[::-1][:at], *copies, *own[::-1][at:]]
    for topic, payload in [*table.sent[:begin], *sent, *table.sent[end:]]:
        house.send((f"shoe/T07/{topic}", payload))
    house.wait(20)
    assert house.proofs() == ["signed"] * 3
    stored = {row.body for row in house.store.stored_rows("T07", "1-fake", 1, 6)}
    assert stored == {payload for _, payload in table.sent}
    assert house.rewritten() == []


def test_a_flood_drops_no_message_of_the_table(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    topic, payload = forged_round(table)
    flood = [(topic, changed(payload, seq=n, hands={"x": "y" * 50_000})) for n in range(100, 160)]
    for each in flood:
        house.send(each)
    table.play(2)
    house.restart()
    for each in flood:
        house.send(each)
    table.play(2)
    house.wait(20)
    assert house.proofs() == ["signed"] * 6
    assert house.store.count("pending") < 30
    assert "foreign" in house.kinds()


def test_a_revoked_key_verifies_nothing_behind_its_size(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    [key] = house.store.record_keys()
    house.store.put_key(key._replace(trust="revoked", until=table._size))
    house.wait(10)
    table.play(2)
    house.wait(20)
    assert house.proofs() == ["signed"] * 2
    assert "bad_checkpoint" in house.kinds() or "two_keys" in house.kinds()


def test_a_new_birth_is_verified_once_it_is_enrolled(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    table.shoe = 2
    again = house.table(seed=OTHER, birth="00000001")
    again.shoe = 3
    again.play(2)
    assert len(house.rounds()) == 2
    house.enrol(again)
    house.wait(60)
    again.play(1)
    assert house.proofs() == ["signed"] * 5


def test_a_store_that_was_rewritten_is_found(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(4)
    assert house.rewritten() == []
    house.store._db.execute("drop trigger message_is_never_changed")
    for old, new in (("banker", "player"), ("player", "banker")):
        done = house.store._db.execute(
            "update message set body = replace(cast(body as text), ?, ?) where topic = 'round' and seq = 2", (old, new)
        )
        assert done.rowcount
        [found] = house.rewritten()
        assert "entry 2 of 1-fake: its round is not the one of its event" in found
    house.store._db.execute("update message set body = cast(replace(cast(body as text), '0.95', '9.95') as blob)")
    assert house.rewritten()[0].endswith(f"its messages do not give its head {head_of(table)[:8]}..")


def head_of(table: FakeTable) -> str:
    return str(msgspec.json.decode(sent(table, "round", 0))["head"])
