"""What `shoe-floor forward` does whatever the engine: each brings the fixture `where`, lines of `[store]`."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.floor.check import of_receivers
from firmware_bridge.floor.config import FloorConfig, load
from firmware_bridge.floor.forward.service import Forwarder
from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.record.state import Changes, ProvedRound, TrustedKey
from firmware_bridge.floor.store.open import open_store
from tests.floor.every_facts import changed, every_row
from tests.floor.facts.played import rows
from tests.floor.journals import AT
from tests.floor.webhooks import KEY_TEXT, Receiver, receiving
from tests.kit.nightly import some
from tests.kit.patience import ended, until
from tests.kit.process import python

ALL = '"round", "alarm", "entry", "dealer", "shoe", "order", "shift"'
Configured = Callable[..., FloorConfig]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as made:
        yield made


@pytest.fixture
def configured(where: str, tmp_path: Path, receiver: Receiver) -> Configured:
    """Makes a floor.toml whose one receiver is ours, with lines of its own, and its store."""
    (tmp_path / "key").write_text(KEY_TEXT)

    def make(lines: str = "", scheme: str = "http") -> FloorConfig:
        url = f"{scheme}://127.0.0.1:{receiver.port}/hook?x=1"
        (tmp_path / "floor.toml").write_text(
            f'[store]\n{where}\n[[forward]]\nname = "cms"\nurl = "{url}"\nkey_file = "{tmp_path}/key"\n{lines}\n'
        )
        config = load(tmp_path / "floor.toml")
        open_store(config, make=True).close()
        return config

    return make


def save(config: FloorConfig, *messages: Row, record: Changes | None = None) -> None:
    with closing(open_store(config)) as store:
        store.save(messages, [], [], record)


@contextmanager
def forwarding(config: FloorConfig) -> Iterator[None]:
    stop = threading.Event()
    forwarder = Forwarder(config.forward[0], stop, 0.01)
    thread = threading.Thread(target=forwarder.run, args=(lambda: open_store(config),))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def process(config: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (config.parent / "forward.log").open("ab") as out:
        made = python("-m", "firmware_bridge.floor", "--config", config, "forward", stdout=out, stderr=out)
    try:
        yield made
    finally:
        made.kill()
        made.wait()


def ids_of(config: FloorConfig, *kinds: str) -> list[tuple[str, str]]:
    """The ids of what is in the feed, in its order."""
    with closing(open_store(config)) as store:
        fed = store.feed_after(0, 100_000)
    return [
        (f"/tables/{each.table}", f"{'round' if each.kind == 'round' else 'event'}/{each.journal}/{each.seq}/{each.n}")
        for each in fed
        if not kinds or each.kind in kinds
    ]


def firsts(ids: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(ids))


def place(config: FloorConfig) -> Any:
    with closing(open_store(config)) as store:
        return next(iter(store.forwarded()), None)


@pytest.fixture
def closed() -> Row:
    return next(each for each in rows("baccarat") if each.topic == "round")


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_every_message_comes_once_signed_and_in_order(configured: Configured, receiver: Receiver, batch: int) -> None:
    config = configured(f"kinds = [{ALL}]\nbatch = {batch}")
    save(config, *every_row())
    with forwarding(config):
        until(lambda: len(receiver.events) == len(ids_of(config)))
        until(lambda: place(config).at)
    assert receiver.ids == ids_of(config)
    bodies = {each.body for each in every_row()}
    for headers, body in receiver.requests:
        of_one = headers["content-type"].startswith("application/cloudevents+json")
        assert of_one == (batch == 1)
        assert isinstance(json.loads(body), dict) == of_one
    for each in receiver.events:
        assert (each["specversion"], each["datacontenttype"]) == ("1.0", "application/json")
        data = each["data"]
        assert each["type"] in (f"shoe.round.{data.get('status')}", f"shoe.event.{data.get('event', {}).get('type')}")
        assert (each["time"], each["partitionkey"]) == (each["data"]["at"], each["data"]["table"])
        assert any(json.loads(body) == each["data"] for body in bodies)
    sequences = [each["sequence"] for each in receiver.events]
    assert sequences == sorted(set(sequences))


def test_a_receiver_gets_the_kinds_that_it_wants(configured: Configured, receiver: Receiver) -> None:
    config = configured()
    save(config, *every_row())
    with forwarding(config):
        until(lambda: len(receiver.events) == len(ids_of(config, "round")))
    assert receiver.ids == ids_of(config, "round")


def test_a_receiver_that_does_all_wrong_loses_nothing(
    configured: Configured, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    config = configured("batch = 5\nanswer_s = 1")
    receiver.acts = [500, 400, "hang", "die", "take", 204, 301, "take", 410, "drip", 200, 429]
    wrong = 12 - 2
    save(config, *every_row())
    with forwarding(config):
        until(lambda: set(receiver.ids) == set(ids_of(config, "round")))
        until(lambda: place(config).place == max(each[0] for each in places(config)))
    assert firsts(receiver.ids) == ids_of(config, "round")
    assert len(receiver.refused) == wrong - 2
    assert len(receiver.ids) > len(set(receiver.ids))
    ids = [each["webhook-id"] for each in receiver.refused]
    assert ids[:4] == [ids[0]] * 4
    assert receiver.requests[0][0]["webhook-id"] == ids[0]
    for why in ("answers 500", "answers 400", "no answer in 1 s", "answers 301", "answers 410", "answers 429"):
        assert why in caplog.text
    assert place(config).trouble == ""


def places(config: FloorConfig) -> list[tuple[int]]:
    with closing(open_store(config)) as store:
        return [(each.place,) for each in store.feed_after(0, 100_000)]


KILLED: Final[tuple[int | str, ...]] = (204, "take", "hang")
"""What a receiver does as the sender is killed."""


def test_a_kill_at_any_moment_loses_nothing_and_keeps_the_order(
    configured: Configured, receiver: Receiver, tmp_path: Path
) -> None:
    config, messages = configured("batch = 1\nanswer_s = 5"), [each for each in every_row() if each.topic == "round"]
    for life, act in enumerate(some(KILLED, 3)):
        came, receiver.acts = len(receiver.requests) + len(receiver.refused), [act]
        save(config, *messages[life::4])
        with process(tmp_path / "floor.toml") as made:
            until(lambda: len(receiver.requests) + len(receiver.refused) > came)  # noqa: B023  # bound now
            made.send_signal(signal.SIGKILL)
    save(config, *messages)
    with process(tmp_path / "floor.toml") as made:
        until(lambda: set(receiver.ids) == set(ids_of(config, "round")), look_s=0.1)  # it opens the store
        made.send_signal(signal.SIGTERM)
        assert ended(made) == 0
    assert firsts(receiver.ids) == ids_of(config, "round")


def test_a_receiver_that_is_away_gets_all_when_it_is_back(
    where: str, tmp_path: Path, configured: Configured, receiver: Receiver
) -> None:
    away = Receiver()
    with receiving(away):
        pass
    config = configured()
    text = (tmp_path / "floor.toml").read_text().replace(str(receiver.port), str(away.port))
    (tmp_path / "floor.toml").write_text(text)
    config = load(tmp_path / "floor.toml")
    save(config, *every_row())
    with forwarding(config):
        until(lambda: place(config) and place(config).trouble)
        with closing(open_store(config)) as store:
            [finding] = of_receivers(config, store)
        assert finding.level == "FAIL"
        assert "no connection" in finding.text
        with receiving(away):
            until(lambda: set(away.ids) == set(ids_of(config, "round")))
            until(lambda: not place(config).trouble)
    assert away.ids == ids_of(config, "round")


def test_what_was_before_is_left_out_where_a_receiver_begins_now(
    configured: Configured, receiver: Receiver, closed: Row
) -> None:
    config = configured('begin = "now"')
    save(config, closed)
    for number in (98, 99):
        with forwarding(config):
            until(lambda: place(config))
            save(config, changed(closed, seq=number, round=number))
            until(lambda: len(receiver.events) == number - 97)  # noqa: B023  # bound now
    assert [each["data"]["round"] for each in receiver.events] == [98, 99]


def test_of_an_enrolled_table_only_verified_messages_are_sent(
    configured: Configured, receiver: Receiver, closed: Row
) -> None:
    config = configured()
    with closing(open_store(config)) as store:
        store.put_key(TrustedKey(closed.table, "vkey", "enrolled", "A", "B", AT))
    other = rows("blackjack", "T99")
    (changes := Changes()).proved.append(ProvedRound(closed, "log", 8))
    with forwarding(config):
        save(config, record=changes)
        save(config, *other)
        until(lambda: len(receiver.events) > 1)
    assert receiver.events[0]["data"] == json.loads(closed.body)


def test_a_message_that_the_store_lost_holds_all_behind_it_and_says_so(
    configured: Configured, receiver: Receiver, closed: Row
) -> None:
    config = configured()
    save(config, closed)
    with closing(open_store(config)) as store, store._transaction() as db:
        db.execute("update feed set seq = seq + 1")
    save(config, changed(closed, seq=99, round=99))
    with forwarding(config):
        until(lambda: place(config) and place(config).trouble)
    assert receiver.events == []
    assert "does not have the message any more" in place(config).trouble


def test_check_says_how_far_a_receiver_is(configured: Configured, receiver: Receiver, closed: Row) -> None:
    config = configured()

    def found() -> tuple[str, str]:
        with closing(open_store(config)) as store:
            [finding] = of_receivers(config, store)
        return finding.level, finding.text

    assert found() == ("WARN", "cms: nothing was ever sent to it")
    save(config, closed)
    with forwarding(config):
        until(lambda: place(config) and place(config).at)
    assert found() == ("OK", "cms: it has all that is stored")
    save(config, changed(closed, seq=99, round=99))
    assert found() == ("OK", "cms: 1 message waits")
    with closing(open_store(config)) as store:
        store.put_forwarded(place(config)._replace(at="2020-01-01T00:00:00.000Z"))
    assert found() == ("WARN", "cms: 1 message waits, and nothing was sent since 2020-01-01T00:00:00.000Z")
