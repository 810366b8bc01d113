"""Two people change the key of a record, and begin another record: between shoes, on record, and verified."""

from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import main
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.events import RecordBegun
from firmware_bridge.journal.journal import Journal
from tests.daemon import listened
from tests.daemon.test_record import ROUND, exported, verified
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.refusals import said

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures

NEXT = bytes(range(1, 33))
NAMES = ["--by", "anna", "--second", "bo"]


@pytest.fixture
def played(table: Any) -> Any:
    """A table that played a shoe, which is closed."""
    bridge = table(table={"decks": 1, "new_shoe": "command"})
    assert bridge.ask(do="open_shoe", by="anna")["ok"]
    bridge.deal(ROUND)
    assert bridge.ask(do="close_shoe", by="anna")["ok"]
    return bridge


def shoe(bridge: Any, *words: str) -> int:
    return main([*words, "--config", str(bridge.config_path)])


def play(bridge: Any) -> None:
    assert bridge.ask(do="open_shoe", by="anna")["ok"]
    bridge.deal(ROUND)
    assert bridge.ask(do="close_shoe", by="anna")["ok"]


def restart(bridge: Any) -> None:
    bridge.stop()
    bridge.start()
    bridge.ask(do="status")


def record_of(bridge: Any) -> dict[str, Any]:
    return dict(bridge.ask(do="status")["record"])


def key_file(bridge: Any) -> str:
    return str(bridge.config_path.with_name("record-key"))


def test_a_key_is_changed_and_the_old_one_retired(played: Any, tmp_path: Path, capsys: Any) -> None:
    old = record_of(played)["key"]
    change = [*NAMES, "--file", key_file(played)]
    assert shoe(played, "key", "rotate", *change) == 0
    assert "give this command again" in capsys.readouterr().out
    restart(played)
    assert shoe(played, "key", "rotate", *change) == 0
    new = record_of(played)["key"]
    assert new != old
    assert new in capsys.readouterr().out
    again = played.ask(do="rotate_key", by="anna", second="bo")
    assert (again["ok"], again["error"]) == (False, "the next key signs already")
    play(played)
    restart(played)  # both sign after a restart, too
    play(played)
    assert shoe(played, "key", "retire", *change) == 0
    assert "the old key signs no longer, and its file is replaced" in capsys.readouterr().out
    restart(played)
    play(played)
    assert record_of(played)["signed"]
    folder = tmp_path / "exports"
    folder.mkdir()
    files = exported(played, folder)
    both = verified(f"log {old}\nlog {new}\nquorum none\n", files)
    assert both.returncode == 0, both.stdout + both.stderr
    alone = verified(f"log {old}\nquorum none\n", files)
    assert alone.returncode == 1


def test_another_record_goes_on_from_the_one_before(played: Any, tmp_path: Path) -> None:
    before = record_of(played)
    begin = ["record", "begin", *NAMES, "--why", "card restored", "--file", key_file(played)]
    assert shoe(played, *begin) == 0  # the next key is made
    assert record_of(played)["key"] == before["key"]
    restart(played)
    assert shoe(played, *begin) == 0
    after = record_of(played)
    assert after["signed"]
    assert after["origin"] != before["origin"]
    restart(played)
    play(played)
    folder = tmp_path / "exports"
    folder.mkdir()
    files = exported(played, folder)
    done = verified(f"log {before['key']}\nlog {after['key']}\nquorum none\n", files)
    assert done.returncode == 0, done.stdout + done.stderr
    begun = [e for line in played.lines() for e in line.entry.events if isinstance(e, RecordBegun)]
    assert begun[1].follows.origin == begun[0].origin
    assert len(begun) == 2


def test_a_record_that_the_disk_takes_late_is_signed_by_its_own_key(
    broker: Broker, tmp_path: Path, mocker: Any
) -> None:
    """The change waits with the inputs behind it; given again, it changes nothing more."""
    table = BridgeTable(tmp_path, broker.port, table={"decks": 1})
    order = {"do": "begin_record", "second": "bo", "why": "card restored"}
    try:
        Path(f"{key_file(table)}-next").write_bytes(NEXT)
        table.start()
        before, recorder = table.bridge.recorder.state(), table.bridge.recorder
        full = mocker.patch.object(Journal, "append", side_effect=DiskError("full", "free some", "disk_full"))
        answer = recorder.order(order, "anna")
        assert (answer.ok, "waits for the disk" in said(answer).error) == (False, True)
        mocker.stop(full)
        table.until(lambda: not table.bridge.table.disk)
        after = recorder.state()
        assert (after.origin != before.origin, after.signed) == (True, True)
        assert said(recorder.order(order, "anna")).error == "the next key signs already"
        table.deal(ROUND)
        folder = tmp_path / "exports"
        folder.mkdir()
        done = verified(f"log {before.key}\nlog {after.key}\nquorum none\n", exported(table, folder))
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        table.close()


def test_another_key_of_this_card_does_not_begin_a_record(played: Any) -> None:
    """A card that came from another Pi has a key of its own: the next key signs, as its file takes that one's place."""
    Path(key_file(played)).write_bytes(bytes(32))
    Path(f"{key_file(played)}-next").write_bytes(NEXT)
    restart(played)
    coming = record_of(played)["next"].split("+", 2)[2]
    answer = played.ask(do="begin_record", by="anna", second="bo", why="x")
    assert answer["ok"], answer
    assert record_of(played)["key"].split("+", 2)[2] == coming


@pytest.mark.parametrize(
    ("order", "refused"),
    [
        ({"do": "begin_record", "second": "Anna ", "why": "x"}, "two different people do this"),
        ({"do": "rotate_key", "second": "bo"}, "no next key was read"),
        ({"do": "retire_key", "second": "bo"}, "no key is to be retired"),
        ({"do": "begin_record", "second": "bo", "why": 7}, '"why" is no text of at most 500 characters'),
    ],
)
def test_what_is_refused_changes_nothing(played: Any, order: dict[str, Any], refused: str) -> None:
    before = record_of(played)
    answer = played.ask(by="anna", **order)
    assert (answer["ok"], answer["error"]) == (False, refused)
    assert record_of(played) == before


def test_nothing_changes_while_a_shoe_is_open(played: Any) -> None:
    assert played.ask(do="open_shoe", by="anna")["ok"]
    answer = played.ask(do="begin_record", by="anna", second="bo", why="x")
    assert answer["error"] == "a shoe is in use"
