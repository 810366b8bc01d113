"""Two logins at the sockets of a daemon: each way in which an order's wait for the second one can end.

The daemon is a process; the two are connections of uids of their own. Each time the first one asks a third thing on
the same connection, and the daemon goes on dealing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import msgspec
import pytest

from firmware_bridge.cli import main
from firmware_bridge.topics.texts.refusals import words_of
from tests.kit.broker import free_port
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import until
from tests.kit.people import GID, UID, Forked, connected_as, rooms

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

SECTIONS: Final[dict[str, Any]] = {
    "table": {"new_shoe": "command"},
    "rights": {"two_people": "login"},
    "service": {"second_person": ["void"]},
}
VOID: Final = {"do": "void", "why": "misdeal", "by": "anna"}
CONFIRM: Final = {"do": "confirm", "number": 1, "by": "carl"}
STATUS: Final = {"do": "status"}

SHORT_WAIT: Final = """
import sys
from firmware_bridge.cli import main
from firmware_bridge.daemon.table import second_login
second_login.WAITS_S = 0.2
sys.exit(main(sys.argv[1:]))
"""
"""A daemon whose orders wait so briefly that nobody can confirm one."""


class Login:
    """A connection of another user to the socket of his group."""

    open: Final = list["Login"]()

    def __init__(self, table: DaemonTable, who: str) -> None:
        group = who.removeprefix("other ")
        self._socket = connected_as(table.journal_dir / group / "control.sock", UID[who], [GID[group]])
        self._lines = self._socket.makefile("rb")
        self.open.append(self)

    def say(self, *requests: dict[str, Any]) -> Login:
        """Send requests in one piece."""
        self._socket.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in requests))
        return self

    def hear(self) -> dict[str, Any]:
        """The next answer; an empty one at the end."""
        try:
            answer: dict[str, Any] = json.loads(self._lines.readline() or b"{}")
        except ConnectionResetError:
            return {}
        return answer

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        return self.say(request).hear()

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


@pytest.fixture
def table() -> Iterator[DaemonTable]:
    """A running daemon with a round of two cards; its folder lets other users through."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    rooms(folder / "journal", GID)
    table = DaemonTable(folder, free_port(), **SECTIONS)
    yield table
    while Login.open:
        Login.open.pop().close()
    table.close()
    rmtree(folder)


def begun(table: DaemonTable) -> DaemonTable:
    """The table with its daemon, a shoe, and a round of two cards."""
    table.start()
    assert table.ask(do="open_shoe", by="anna")["ok"]
    table.deal("9s Td")
    return table


def waiting(table: DaemonTable, *more: dict[str, Any]) -> Login:
    """The first person, with an order that waits; more: what he asks behind it."""
    first = Login(table, "pit").say(VOID, *more)
    assert first.hear()["waits"] == 1
    assert [each["what"] for each in table.ask(**STATUS)["two_people"]] == ["void"]
    return first


def goes_on(table: DaemonTable, cards: str = "Ts Tc") -> None:
    """The same daemon has nothing that waits, deals, and ends when it is asked to."""
    assert table.process
    assert table.ask(**STATUS)["two_people"] == []
    table.deal(cards)
    assert table.ask(**STATUS)["pid"] == table.process.pid
    assert table.stop() == 0, table.log


def voids(table: DaemonTable) -> list[tuple[bool, str]]:
    """Each answer to a void on record: whether it was carried out, and why not."""
    events = [msgspec.json.decode(raw) for line in table.lines() for raw in line.public.events]
    answers = [each["answer"] for each in events if each["type"] == "CommandAnswered"]
    return [(each["ok"], words_of("en", each)[0]) for each in answers if each.get("do") == "void"]


@pytest.mark.parametrize("is_asked", ["before", "after"])
def test_confirmed(table: DaemonTable, is_asked: str) -> None:
    first = waiting(begun(table), *([STATUS] if is_asked == "before" else []))
    second = Login(table, "other pit")
    assert second.ask(CONFIRM) == {"ok": True, "do": "void"}
    assert first.hear() == {"ok": True, "do": "void"}
    assert (first.hear() if is_asked == "before" else first.ask(STATUS))["table_id"] == "T07"
    assert second.ask(CONFIRM)["error"] == "no such order waits"
    assert first.ask(STATUS)["two_people"] == []
    goes_on(table)
    assert voids(table) == [(True, "")]


def test_confirmed_by_the_commands(table: DaemonTable) -> None:
    begun(table)
    void = ("do", "void", "--by", "anna", "--why", "misdeal", "--yes")
    for words in (void, ("do", "confirm", "9", "--by", "carl")):  # loads what a fork may not; root is no login
        with pytest.raises(SystemExit, match="1"):
            sys.exit(main([*words, "--config", str(table.config_path)]))
    first = commanded(table, "pit", *void)
    until(lambda: first.poll() is not None or table.ask(**STATUS)["two_people"])
    second = commanded(table, "other pit", "do", "confirm", "1", "--by", "carl")
    until(lambda: first.poll() is not None and second.poll() is not None)
    for each in (first, second):
        with each.stdout, each.stderr:
            assert each.returncode == 0, each.stderr.read()
    goes_on(table)
    assert voids(table) == [(True, "")]


def commanded(table: DaemonTable, who: str, *words: str) -> Forked:
    """A command of another user, which runs."""
    return Forked(lambda: main([*words, "--config", str(table.config_path)]), UID[who], [GID["pit"]])


def test_refused_by_who_cannot_confirm_then_confirmed(table: DaemonTable) -> None:
    first = waiting(begun(table), STATUS)
    assert "gave this order" in Login(table, "pit").ask(CONFIRM)["error"]
    second = Login(table, "other pit")
    assert "gave this order" in second.ask(CONFIRM | {"by": "anna"})["error"]
    assert "not for the group" in Login(table, "dealer").ask(CONFIRM)["error"]
    assert second.ask(CONFIRM)["ok"]
    assert (first.hear()["ok"], first.hear()["table_id"]) == (True, "T07")
    goes_on(table)


def test_timed_out(table: DaemonTable) -> None:
    table.code = ("-c", SHORT_WAIT)
    begun(table)
    first = Login(table, "pit").say(VOID, STATUS)
    assert first.hear()["waits"] == 1
    assert first.hear()["error"] == "no second login confirmed it in time"
    assert first.hear()["two_people"] == []
    assert Login(table, "other pit").ask(CONFIRM)["error"] == "no such order waits"
    goes_on(table)
    assert voids(table) == [(False, "no second login confirmed it in time")]


@pytest.mark.parametrize("more", [(), (STATUS,), (STATUS, VOID)])
def test_the_first_is_gone(table: DaemonTable, more: tuple[dict[str, Any], ...]) -> None:
    waiting(begun(table), *more).close()
    until(lambda: not table.ask(**STATUS)["two_people"])
    assert Login(table, "other pit").ask(CONFIRM)["error"] == "no such order waits"
    goes_on(table)
    assert voids(table)[0] == (False, "its command was ended")
    assert not any(ok for ok, _ in voids(table))


def test_the_first_is_gone_before_he_reads_that_it_waits(table: DaemonTable) -> None:
    begun(table)
    for _ in range(5):  # more than may wait at a time
        Login(table, "pit").say(VOID).close()
    until(lambda: len(voids(table)) == 5)
    until(lambda: not table.ask(**STATUS)["two_people"])
    assert waiting_again(table)
    goes_on(table)


def waiting_again(table: DaemonTable) -> bool:
    """Whether one more order waits, and is withdrawn."""
    first = Login(table, "pit")
    waits = "waits" in first.ask(VOID)
    first.close()
    until(lambda: not table.ask(**STATUS)["two_people"])
    return waits


def test_the_second_is_gone_before_he_reads_the_answer(table: DaemonTable) -> None:
    first = waiting(begun(table), STATUS)
    Login(table, "other pit").say(CONFIRM, STATUS).close()
    assert (first.hear()["ok"], first.hear()["table_id"]) == (True, "T07")
    goes_on(table)
    assert voids(table) == [(True, "")]


def test_the_daemon_is_stopped(table: DaemonTable) -> None:
    first = waiting(begun(table), STATUS)
    assert table.stop() == 0, table.log
    assert first.hear() == {}
    assert voids(table) == []
    table.start()
    goes_on(table)


def test_the_round_is_over(table: DaemonTable) -> None:
    first = waiting(begun(table), STATUS)
    table.deal("Ts Tc")
    until(lambda: table.ask(**STATUS)["table"]["phase"] != "dealing")
    refused = Login(table, "other pit").ask(CONFIRM)
    assert refused["error"] == "no round is open"
    assert first.hear() == refused
    assert first.hear()["table_id"] == "T07"
    goes_on(table, "2s")
    assert not any(ok for ok, _ in voids(table))


def test_more_than_a_connection_keeps_ends_the_wait(table: DaemonTable) -> None:
    first = waiting(begun(table)).say(*[STATUS] * 1_000)
    assert first.hear()["error"] == "its command was ended"
    first.close()
    goes_on(table)
