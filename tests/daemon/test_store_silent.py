"""A store that is silent, slow or wrong: what it lacks is sent again, and who says something wrong is told."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.daemon.delivery import store as stores
from firmware_bridge.daemon.table import store_watch
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable

brokers, broker, backend = real.brokers, real.broker, listening.backend  # fixtures


@pytest.fixture
def bridge(tmp_path: Path, broker: Broker) -> Iterator[BridgeTable]:
    made = BridgeTable(tmp_path, broker.port, mqtt={"stored": "floor"})
    yield made
    made.close()


def said(backend: Backend) -> list[str]:
    return [each["id"] for each in backend.on("alarm")[-1]["open"]] if backend.on("alarm") else []


def test_a_silent_store_is_an_alarm_and_play_goes_on(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 0.1)
    monkeypatch.setattr(store_watch, "SILENT_S", 0.3)
    bridge.start()
    bridge.deal("9s Td Ts Tc")
    bridge.until(lambda: said(backend) == ["store_silent"])
    bridge.deal("2s 3h")
    assert len(journaled_cards(bridge)) == 6
    seen = Counter((each["journal"], each["seq"], each["n"]) for each in backend.on("event"))
    bridge.until(lambda: len(backend.on("event")) > len(seen))
    for journal, seq in ends(bridge):
        backend.publish("shoe/T07/stored", {"journal": journal, "seq": seq, "by": "floor"})
    bridge.until(lambda: said(backend) == [])
    assert not bridge.bridge.uplink.outbox.waiting


def test_what_is_sent_again_comes_part_by_part_and_then_no_more(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 1.0)
    monkeypatch.setattr(stores, "PART", 2)
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    *older, (journal, last) = ends(bridge)
    for each in older:
        say(bridge, backend, *each)
    bridge.until(lambda: times(backend, journal, 2) >= 2)
    assert times(backend, journal, 3) == 1
    say(bridge, backend, journal, 2)
    bridge.until(lambda: times(backend, journal, 4) >= 2)
    assert times(backend, journal, last) == 1
    monkeypatch.setattr(store_watch, "AGAIN_S", 60.0)
    say(bridge, backend, journal, last)
    assert not bridge.bridge.uplink.outbox.waiting
    bridge.deal("5d 6d 7d")
    for seq in range(last + 1, ends(bridge)[-1][1] + 1):
        bridge.until(partial(times, backend, journal, seq))
        say(bridge, backend, journal, seq)
        bridge.pause(0.05)
        assert times(backend, journal, seq) == 1


def test_later_parts_are_sent_again_too_where_the_store_stays_behind_one(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 0.2)
    monkeypatch.setattr(store_watch, "AGAIN_AT_MOST_S", 0.2)
    monkeypatch.setattr(stores, "PART", 2)
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    *older, (journal, last) = ends(bridge)
    for each in older:
        say(bridge, backend, *each)
    for seq in (last, 1, 3, last):
        before = times(backend, journal, seq)
        bridge.until(partial(came_again, backend, journal, seq, before))


def test_a_store_that_is_on_its_way_is_not_sent_more_in_the_meantime(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 0.2)
    monkeypatch.setattr(store_watch, "FIRST_PART", 16)
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    *older, (journal, last) = ends(bridge)
    bridge.until(lambda: times(backend, journal, last) >= 3)
    watch = bridge.bridge.uplink._store
    waits_s = watch._wait.s
    assert waits_s >= 0.8
    for each in (*older, (journal, 1), (journal, 2)):
        say(bridge, backend, *each)
        assert watch._wait.s >= waits_s
    say(bridge, backend, journal, last)
    assert watch._wait.s >= waits_s, "an entry that was sent again says nothing about the pace of the store"
    bridge.deal("5d")
    [*_, (journal, last)] = ends(bridge)
    say(bridge, backend, journal, last)
    assert watch._wait.s < waits_s


def test_entries_that_the_backend_asks_for_are_not_sent_by_themselves_too(
    bridge: BridgeTable, backend: Backend
) -> None:
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    [*_, (journal, last)] = ends(bridge)
    watch = bridge.bridge.uplink._store
    before = watch._again.when()
    backend.publish("shoe/T07/command", {"do": "resend", "journal": journal, "from": last, "to": last})
    bridge.until(lambda: times(backend, journal, last) == 2)
    assert watch._again.when() > before
    assert not watch._again.cancelled()


def came_again(backend: Backend, journal: str, seq: int, before: int) -> bool:
    return times(backend, journal, seq) > before


def say(table: BridgeTable, backend: Backend, journal: str, seq: int) -> None:
    table.until(lambda: backend.on("event"))  # before it is there, it hears of no store
    backend.publish("shoe/T07/stored", {"journal": journal, "seq": seq, "by": "floor"})
    table.until(lambda: table.bridge.uplink.outbox.cursor == (journal, seq))


def times(backend: Backend, journal: str, seq: int) -> int:
    return sum((each["journal"], each["seq"], each["n"]) == (journal, seq, 1) for each in backend.on("event"))


def test_who_says_something_wrong_gets_an_answer_and_nothing_moves(bridge: BridgeTable, broker: Broker) -> None:
    bridge.start()
    bridge.deal("9s Td Ts Tc")
    journal, seq = ends(bridge)[-1]
    with Backend(broker.port, of_shoes=False, client_id="wrong") as wrong:
        stored = {"journal": journal, "seq": seq + 1000, "by": "floor"}
        for each in (stored, stored | {"by": "audit"}, {"journal": [], "seq": "x"}, stored | {"journal": "../1-a"}):
            known = wrong.on("reply")
            wrong.publish("shoe/T07/stored", each)
            bridge.until(partial(has_more, wrong, known))
    assert not any(each["ok"] for each in wrong.on("reply"))
    store = bridge.bridge.uplink.status()["store"]
    assert (store["stored"], store["refused"]) == (None, 4)


def has_more(backend: Backend, known: list[Any]) -> bool:
    return len(backend.on("reply")) > len(known)


def journaled_cards(table: BridgeTable) -> list[Any]:
    events = [event for line in table.lines() if line.entry for event in line.entry.events]
    return [event for event in events if type(event).__name__ == "CardDealt"]


def ends(table: BridgeTable) -> list[tuple[str, int]]:
    return list({line.public.journal: line.public.seq for line in table.lines()}.items())
