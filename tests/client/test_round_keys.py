"""A receiver that requires signatures: a round counts only if the key of its table signed it."""

from pathlib import Path

import msgspec
import pytest

from firmware_bridge.client.batches import Batches
from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.messages import Item, Received, Unsigned
from firmware_bridge.client.payload import MessageError
from firmware_bridge.client.round_keys import RoundKeys
from firmware_bridge.client.testing import SEED, FakeTable

T07, T08 = FakeTable(lambda *_: None, "T07"), FakeTable(lambda *_: None, "T08", seed=b"8" * 32)


@pytest.fixture
def keys(tmp_path: Path) -> RoundKeys:
    page = tmp_path / "keys.txt"
    page.write_text(f"# of the house\nlog {T07.key}\nlog {T08.key}\nquorum none\n")
    return RoundKeys(page)


def received(keys: RoundKeys, *sent: tuple[str, bytes]) -> list[Item]:
    batches = Batches("ledger", 10.0, keys)
    for table, payload in sent:
        batches.handle(table, "round", payload, None, 0.0)
    return [each for items in batches.batch(0.0, 100, together=True).values() for each in items]


def rounds(table: FakeTable) -> list[bytes]:
    played = FakeTable(lambda *_: None, table.table, seed=b"8" * 32 if table is T08 else SEED)
    played.play(3)
    return played.rounds


def test_rounds_that_their_tables_signed_are_received(keys: RoundKeys) -> None:
    sent = [("T07", each) for each in rounds(T07)] + [("T08", each) for each in rounds(T08)]
    assert [type(each) for each in received(keys, *sent)] == [Received] * 6


def test_a_forged_round_is_no_round_and_takes_no_place(keys: RoundKeys) -> None:
    first, second, third = rounds(T07)
    changed = second.replace(b'"player"', b'"banker"')
    bare = msgspec.json.encode({k: v for k, v in msgspec.json.decode(second).items() if k != "sig"})
    items = received(keys, *(("T07", each) for each in (first, changed, bare, second, third)))
    assert [each.why for each in items if isinstance(each, Unsigned)] == [
        "no key that is known signed it",
        "it is not signed",
    ]
    assert [each.raw for each in items if isinstance(each, Received)] == [first, second, third]


def test_a_table_does_not_sign_for_another_one(keys: RoundKeys) -> None:
    thief = FakeTable(lambda *_: None, "T08", seed=b"8" * 32)
    thief.table = "T07"
    thief.play(2)
    first, second, _ = rounds(T07)
    *_, last = received(keys, ("T07", first), ("T07", second), ("T07", thief.rounds[1]))
    assert isinstance(last, Unsigned)
    assert "signed by shoe.invalid/T08/00000000, but earlier" in last.why


def test_what_is_no_page_of_keys_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MessageError, match="name the file of keys"):
        PlainFloor("ledger", require="signed")
    (tmp_path / "keys.txt").write_text("log nonsense\n")
    for name in ("keys.txt", "none.txt"):
        with pytest.raises(MessageError, match="cannot be read"):
            RoundKeys(tmp_path / name)
