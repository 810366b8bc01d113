"""What a connection at a socket of the daemon may take, and what ends it: it alone."""

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.daemon_socket import FULL as FULL_HERE
from firmware_bridge.config.doors import SOCKET
from firmware_bridge.daemon.table import fair_turns
from firmware_bridge.daemon.table.fair_turns import CountedLog
from firmware_bridge.daemon.table.role_sockets import FULL
from tests.daemon.table import test_control, test_people
from tests.daemon.table.test_control import Client
from tests.daemon.table.test_people import People
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable, DaemonTable
from tests.kit.patience import PatientSocket, comes, until
from tests.kit.people import GID, UID, connected_as, rooms

folder, table, client = test_people.folder, test_control.table, test_control.client  # fixtures

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

WATCH = b'{"do":"watch"}\n'
STATUS = b'{"do":"status"}\n'


def ring(table: BridgeTable, seconds: float) -> None:
    """Let the time-outs ring that end within so many seconds, and not within half of them."""
    loop: Any = table.loop
    late = [each for each in loop._scheduled if seconds / 2 < each.when() - loop.time() <= seconds]
    for timer in [each for each in late if isinstance(getattr(each._callback, "__self__", None), asyncio.Timeout)]:
        loop.call_soon(timer._callback, *timer._args)
        timer.cancel()
    table.pause(0.01)


def test_one_that_asks_for_nothing_ends(table: BridgeTable, client: Client) -> None:
    client.say(b'{"do":"stat')
    table.pause(0.05)
    ring(table, SOCKET.first_s)
    assert client.hear() == {}


@pytest.mark.parametrize("first", [STATUS, WATCH, b'{"do":"lend","device":"reader","by":"anna"}\n'])
def test_one_that_has_asked_may_be_silent(table: BridgeTable, client: Client, first: bytes) -> None:
    client.say(first)
    assert client.hear()
    ring(table, SOCKET.first_s)
    if first == WATCH:
        other = Client(table)
        assert other.ask(do="open_shoe", by="anna")["ok"]
        other.close()
        assert client.hear()["table"]["phase"] == "ready"
    else:
        assert client.ask(do="status" if first == STATUS else "give_back")


@pytest.mark.parametrize("what", [WATCH, STATUS * 50])
def test_one_that_does_not_read_ends(
    table: BridgeTable, client: Client, what: bytes, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    numbers, real = count(), table.bridge.control.status

    def long() -> dict[str, Any]:
        return {**real(), "n": next(numbers), "long": "x" * 50_000}

    mocker.patch.object(table.bridge.control._watchers, "_status", long)
    mocker.patch.object(table.bridge.control, "status", long)
    raw = PatientSocket(1)
    raw.connect(str(client.path))
    raw.sendall(what)
    while "answers unread for 10 s" not in caplog.text:
        ring(table, SOCKET.unread_s)
    raw.close()
    assert client.ask(do="status")["table_id"] == "T07"


def test_a_line_keeps_its_size_in_pieces(table: BridgeTable, client: Client) -> None:
    client.say(b'{"do":"status"' + b" " * (SOCKET.longest - 100))
    table.pause(0.02)
    client.say(b"}\n" + STATUS)
    assert client.hear()["error"] == "the command is too long"  # of an order; the connection stays
    assert client.hear()["table_id"] == "T07"
    client.say(b" " * SOCKET.longest)
    table.pause(0.02)
    client.say(b"  \n")
    assert client.hear()["error"] == "the command is too long"
    assert client.hear() == {}


def test_a_login_has_eight_connections_and_a_socket_thirty_two(table: BridgeTable) -> None:
    open_now = [Client(table) for _ in range(SOCKET.of_one)]
    assert [each.ask(do="status")["table_id"] for each in open_now] == ["T07"] * SOCKET.of_one
    refused = Client(table)
    answer = refused.hear()
    assert (answer["code"], answer["error"]) == (
        FULL,
        f"more than {SOCKET.of_one} connections of a login, {SOCKET.of_all} in all",
    )
    assert refused.hear() == {}
    open_now.pop().close()
    again = Client(table)
    assert again.ask(do="status")["table_id"] == "T07"
    for each in (*open_now, refused, again):
        each.close()


@pytest.mark.parametrize("line", [STATUS, b"nonsense\n", b'{"do":"calibration"}\n', b'{"do":"journals"}\n'])
def test_what_is_no_order_is_answered_at_the_pace_of_its_socket(
    table: BridgeTable, client: Client, line: bytes
) -> None:
    pace = table.bridge.control._role_sockets._paces["owner"]
    began = table.loop.time()  # before the first one, which a busy machine may hear late
    client.say(line * 10)
    for _ in range(10):
        assert client.hear()
    assert table.loop.time() - began > 8 * 60 / SOCKET.a_minute
    before = pace._next
    assert client.ask(do="close_table", by="anna")["ok"]
    assert pace._next == before


def test_the_commands_know_the_code() -> None:
    assert FULL_HERE == FULL


@needs_root
def test_a_full_login_leaves_room_for_others_and_a_full_socket_none(folder: Path) -> None:
    people = People(folder)
    pit = people.table.journal_dir / "pit" / "control.sock"
    made = [connected_as(pit, 50_000 + each // SOCKET.of_one, [GID["pit"]]) for each in range(SOCKET.of_all)]
    people.table.pause(0.05)
    assert people.ask("other pit", "pit", do="status")["code"] == FULL
    assert people.ask("dealer", do="watch")["table_id"] == "T07"
    for each in made[-SOCKET.of_one :]:
        each.close()
    assert people.ask("other pit", "pit", do="status")["table_id"] == "T07"
    for each in made:
        each.close()
    people.table.close()


def test_an_error_ends_its_connection_alone(
    table: BridgeTable, client: Client, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    other = Client(table)
    mocker.patch.object(table.bridge.control, "_calibration", side_effect=RuntimeError("Kc"))
    for _ in range(3):
        asking = Client(table)
        assert asking.ask(do="calibration") == {}
        asking.close()
    assert other.ask(do="status")["table_id"] == "T07"
    lines = [each.getMessage() for each in caplog.records if "were ended" in each.getMessage()]
    assert len(lines) == 1
    assert lines[0].startswith("connections at the socket of owner were ended: 1, the last one for uid ")
    assert "RuntimeError at " in lines[0]
    assert "Kc" not in lines[0]
    other.close()


def test_a_line_a_minute_counts_the_others(caplog: pytest.LogCaptureFixture, mocker: MockerFixture) -> None:
    loop = asyncio.new_event_loop()
    mocker.patch.object(fair_turns, "MINUTE_S", 0.01)
    counted = CountedLog(logging.getLogger("x"), "ended", loop)
    for why in "abc":
        counted.add(why)
    loop.run_until_complete(comes(lambda: counted._timer is None))
    counted.add("d")
    counted.add("e")
    counted.close()
    said = [each.getMessage() for each in caplog.records]
    assert said == [f"ended: {many}, the last one for {why}" for many, why in ((1, "a"), (2, "c"), (1, "d"), (1, "e"))]
    loop.close()


@pytest.mark.parametrize("session", [-1, 2**16, 2**70, "1"])
def test_a_report_that_no_board_makes_ends_the_lease_alone(table: BridgeTable, client: Client, session: object) -> None:
    assert client.ask(do="lend", device="reader", by="anna")["ok"]
    assert client.ask(do="passed", session=session, seq=1) == {}
    other = Client(table)
    until(lambda: other.ask(do="status")["lent"] is None)
    table.stop()
    table.start()
    other.close()


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonTable]:
    rooms(folder / "journal", GID if os.geteuid() == 0 else None)
    daemon = DaemonTable(folder, free_port())
    daemon.start().deal("9s Td")
    yield daemon
    daemon.close()


@needs_root
def test_a_flood_of_endless_lines_by_the_lowest_role(daemon: DaemonTable) -> None:
    assert daemon.process
    pid, before = daemon.process.pid, rss(daemon.process.pid)
    display = connected_as(daemon.journal_dir / "dealer" / "control.sock", UID["nobody"], [GID["dealer"]])
    display.sendall(WATCH)
    lines = display.makefile("rb")
    assert json.loads(lines.readline())["table_id"] == "T07"
    held = []
    for _ in range(60):
        one = connected_as(daemon.journal_dir / "dealer" / "control.sock", UID["dealer"], [GID["dealer"]])
        one.setblocking(False)
        with suppress(OSError):
            one.send(b'{"do":"watch","x":"' + b"a" * 1_000_000)
        held.append(one)
    daemon.deal("Ts Tc")
    assert daemon.ask(do="status")["pid"] == pid
    assert rss(pid) - before < 5_000
    until(lambda: json.loads(lines.readline())["table"]["phase"] != "dealing")
    lines.close()
    for each in (*held, display):
        each.close()
    assert "were ended" in daemon.log
    assert daemon.stop() == 0


def rss(pid: int) -> int:
    """Kilobytes of a process in memory."""
    (line,) = [each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS")]
    return int(line.split()[1])
