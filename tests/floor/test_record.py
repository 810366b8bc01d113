"""Records of tables at the ingest: an enrolled table's messages count once a checkpoint verifies them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.client.testing import FakeTable
from tests.floor.house import House
from tests.kit.forged import forged_behind


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db")
    yield made
    made.store.close()


def head(message: tuple[str, bytes]) -> str:
    return str(msgspec.json.decode(message[1])["head"])


def leaves(house: House, table: FakeTable) -> list[str]:
    return [each.head for each in house.store.leaves(table.origin)]


Order = Callable[[House, FakeTable], None]


def enrol_first(house: House, table: FakeTable) -> None:
    house.enrol(table)
    table.play(5)
    table.new_shoe()
    table.play(3)


def enrol_later(house: House, table: FakeTable) -> None:
    table.play(5)
    house.restart()
    table.new_shoe()
    house.enrol(table)
    table.play(3)


@pytest.mark.parametrize("order", [enrol_first, enrol_later])
def test_rounds_of_an_enrolled_table_are_signed_and_stored_says_the_head(house: House, order: Order) -> None:
    table = house.table()
    order(house, table)
    house.wait(10)
    assert house.proofs() == ["signed"] * 8
    assert house.kinds() == set()
    entries = list(dict.fromkeys(head(each) for each in table.sent))
    assert leaves(house, table) == entries
    assert house.stored() == {"journal": "2-fake", "seq": 6, "by": "floor", "head": entries[-1]}
    assert house.store.count("messages") == len(table.sent)
    assert house.store.count("pending") == 0


def named_size(house: House) -> int:
    """The size of the checkpoint that `stored` named last, 0 for none."""
    return int(house.stored().get("checkpoint", "\n0\n").split("\n")[1])


def test_stored_names_a_checkpoint_where_the_entry_alone_does_not_say_how_far_it_is_verified(house: House) -> None:
    """Of what somebody put behind the last verified entry, and to a table that was taken back."""
    table = house.table()
    house.enrol(table)
    table.play(3)
    house.wait(10)
    assert (house.stored()["seq"], named_size(house)) == (6, 0)
    table.status()
    assert named_size(house) == 0
    back = house.table()  # the same card, before it played
    back.play(1)
    back.status()
    assert (house.stored()["seq"], named_size(house)) == (6, 6)
    table.status()
    assert named_size(house) == 0
    (ahead := FakeTable(lambda *_: None)).play(4)
    (topic, forged), _ = forged_behind(ahead, 7, head(table.sent[-1]), 1)
    house.send((f"shoe/T07/{topic}", forged))
    assert (house.stored()["seq"], named_size(house)) == (7, 6)


def test_the_first_key_is_remembered(house: House) -> None:
    table = house.table()
    table.play(2)
    assert [(each.vkey, each.trust) for each in house.store.record_keys()] == [(table.key, "seen")]
    assert house.proofs() == ["signed"] * 2


def test_a_table_without_a_key_is_stored_as_before(house: House) -> None:
    table = house.table(seed=None)
    table.play(3)
    assert house.proofs() == ["none"] * 3
    assert house.kinds() == set()
    assert house.stored()["head"] == head(table.sent[-1])


@pytest.mark.parametrize("enrolled", [False, True])
def test_restarts_kills_repeats_and_gaps_make_no_incident(house: House, enrolled: bool) -> None:
    table = house.table()
    if enrolled:
        house.enrol(table)
    for fault in ("repeat", "restart", "void", "correct", "reorder", None, "gap", None):
        table.round(fault)
        house.restart()
    for _, body in [each for each in house.source.published if each[0].endswith("/command")]:
        table.handle("shoe/T07/command", msgspec.json.encode(body))
    table.status()
    done = 0
    for _ in range(40):
        house.wait(1)
        orders = [each for each in house.source.published if each[0].endswith("/command")]
        for topic, body in orders[done:]:
            table.handle(topic, msgspec.json.encode(body))
        done = len(orders)
    assert house.kinds() == set()
    assert set(house.proofs()) == {"signed"}
    assert len(house.rounds()) == 7
    assert len(leaves(house, table)) >= 17


@pytest.mark.parametrize("cut", range(1, 12))
@pytest.mark.parametrize("again", [House.restart, lambda house: house.wait(10)], ids=["restart", "no restart"])
@pytest.mark.parametrize("begins", ["enrolled", "enrolled later"])
def test_what_comes_again_before_the_first_checkpoint_is_verified_makes_no_incident(
    house: House, cut: int, again: Callable[[House], None], begins: str
) -> None:
    messages: list[tuple[str, bytes]] = []
    table = FakeTable(lambda topic, payload: messages.append((topic, payload)), "T07")
    table.play(3)
    if begins == "enrolled":
        house.enrol(table)
    house.send(*messages[:cut])
    if begins != "enrolled":
        house.enrol(table)
    again(house)
    time.sleep(0.002)  # it is received at another time
    house.send(*messages)
    house.wait(40)
    assert [each.text for each in house.store.incidents()] == []
    assert house.proofs() == ["signed"] * 3
    assert house.store.count("pending") == 0
