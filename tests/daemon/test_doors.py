"""The measure of each socket of a daemon, row by row, by users of its group; then all of them flooded at once."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import pytest

from firmware_bridge.config.doors import SOCKET
from firmware_bridge.facts.book.roles import GROUPS, Role
from tests.daemon.doors_flooded import MOST_MB, Display, Lines, Socket, floods_of_sockets, killed, memory_mb
from tests.daemon.flooded import Feeling, Flooded
from tests.kit.broker import free_port
from tests.kit.daemon_table import DaemonTable
from tests.kit.nightly import EVERY
from tests.kit.patience import until
from tests.kit.people import GID, rooms

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

ROLES: Final[tuple[Role, ...]] = ("owner", *GROUPS)
WATCH: Final[dict[str, Any]] = {"do": "watch"}
SILENT_S: Final = 3.0
"""The longest silence of the loop, less the time that it waited for a core."""

ON_DISK_S: Final = 3.0
"""A card to the disk, or an answer, beside a flood: 0.1 on a quiet machine, whose disk nobody else uses."""

OF_A_SHOE: Final = 30
"""Rounds of a shoe."""

FLOODED_S: Final = 120.0 if EVERY else 2.0
QUIET_S: Final = 3_600.0 if EVERY else 1.0

BRIEF: Final = """
import sys
from firmware_bridge.cli import main
from itertools import count
from firmware_bridge.daemon.table import connection
from firmware_bridge.daemon.table.control import Control

real, numbers = Control.status, count()
Control.status = lambda control: {**real(control), "acts": [next(numbers), "x" * 50_000]}
connection.SOCKET = connection.SOCKET._replace(first_s=5.0, unread_s=0.3)
sys.exit(main(sys.argv[1:]))
"""
"""A daemon that waits briefly for a first request, and for its answers to be read, which are long."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A table's folder that lets other users through, with the folders of the roles."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    rooms(folder / "journal", GID)
    yield folder
    rmtree(folder)


@pytest.fixture
def table(folder: Path) -> Iterator[Flooded]:
    table = Flooded(folder, free_port()).begin()
    yield table
    table.close()


def is_ended(lines: Lines) -> bool:
    """Whether a connection has ended, whatever it said before."""
    while lines.hear():
        pass
    return True


def test_a_socket_takes_so_many_connections_and_so_long_a_line(table: Flooded) -> None:
    assert table.process
    pid, feeling, since = table.process.pid, Feeling(table), time.monotonic()
    before = memory_mb(pid)
    for n, role in enumerate(ROLES):
        uids = [None] if role == "owner" else [50_000 + 10 * n + each for each in range(5)]
        held = [each for uid in uids for each in Socket(table, role, uid).connected(SOCKET.of_one + 1)]
        answered = ["table_id" in each.ask(**WATCH) for each in held]
        of_one = [True] * SOCKET.of_one + [False]
        assert answered == (of_one * 4 + [False] * 9)[: len(held)], role
        while held:
            held.pop().close()
        long, again = Socket(table, role).connected(2)
        assert long.say(b"x" * (SOCKET.longest + 1)).hear()["error"] == "the command is too long"
        assert is_ended(long)
        assert again.ask(**WATCH)["table_id"] == "T07"
        long.close()
        again.close()
    feeling.deal("9s Td", 0.0)
    felt = feeling.end() | {"silence_s": table.beats.silence(since), "mb": memory_mb(pid, "VmHWM") - before}
    print(felt)
    assert felt["mb"] < MOST_MB
    assert max(felt["card_s"], felt["status_s"], felt["silence_s"]) < SILENT_S
    assert table.log.count("connections at the socket of") == len(ROLES), table.log


def test_a_socket_ends_who_asks_nothing_or_reads_nothing(folder: Path) -> None:
    table = DaemonTable(folder, free_port())
    table.code = ("-c", BRIEF)
    table.start().control().close()
    each_role = [Socket(table, role).connected(3) for role in ROLES]
    for silent, idle, deaf in each_role:
        assert silent.say(b"x\n").hear()["error"] == "not JSON"
        idle.say(b'{"do":"stat')
        deaf.say(WATCH)
    for silent, idle, deaf in each_role:
        assert is_ended(idle)
        until(lambda deaf=deaf: deaf.is_hung_up)  # type: ignore[misc]  # bound now
        assert silent.say(b"x\n").hear()["error"] == "not JSON"
        for each in (silent, idle, deaf):
            each.close()
    assert table.stop() == 0, table.log
    assert table.log.count("no request within 5 s") == len(ROLES)
    assert table.log.count("answers unread for 0 s") == len(ROLES)
    table.close()


def test_all_sockets_flooded_at_once_change_nothing_at_the_table(table: Flooded) -> None:
    assert table.process
    pid, display = table.process.pid, Display(table)
    (lender,), (pit,) = [Socket(table, role).connected() for role in ("tech", "pit")]
    assert lender.ask(do="calibration")["ok"]  # from now on it may be silent
    quiet = felt_while(table, pit, 0.0)
    before, floods = memory_mb(pid), floods_of_sockets(table)
    try:
        flooded = felt_while(table, pit, FLOODED_S / 2)
        assert lender.ask(do="lend", device="reader", by="tess", open_shoe=True)["ok"]
        table.pause(FLOODED_S / 2)
        assert table.ask(do="status")["lent"]["to"] == "tess"
        begun = table.beats.clock()
        assert pit.ask(do="take_back", by="anna")["ok"]
        flooded["take_back_s"] = table.beats.clock.since(begun)
        assert lender.hear()["taken_back"] == "anna"
        until(lambda: display.seen["acts"] == table.ask(do="status")["acts"])
        grown = memory_mb(pid, "VmHWM") - before
    finally:
        killed(floods)
    print({"quiet": quiet, "flooded": flooded, "grown_mb": round(grown, 2), "seconds": FLOODED_S})
    assert grown < MOST_MB
    assert flooded["silence_s"] < SILENT_S
    assert max(flooded["card_s"], flooded["order_s"], flooded["take_back_s"]) < ON_DISK_S
    for each in (display, lender, pit):
        each.close()
    assert table.stop() == 0, table.log
    closed = [each for line in table.lines() for each in line.public.events if b'"RoundClosed"' in bytes(each)]
    assert len(closed) == quiet["rounds"] + flooded["rounds"]
    assert table.log.count("were ended") <= len(GROUPS) * (2 + FLOODED_S // 60), table.log


def felt_while(table: Flooded, pit: Lines, seconds: float) -> dict[str, float]:
    """What rounds, and orders of the pit, feel for so many seconds, for two rounds at least."""
    feeling, orders, rounds, began = Feeling(table), list[float](), 0, table.loop.time()
    while rounds < 2 or table.loop.time() - began < seconds:
        feeling.deal(" ".join(natural(rounds)), 0.05)
        rounds += 1
        begun = table.beats.clock()
        order = "void" if rounds % OF_A_SHOE else "close_shoe"
        assert pit.ask(do=order, by="anna", why="x").get("error") == ("no round is open" if order == "void" else None)
        orders.append(table.beats.clock.since(begun))
    return {**feeling.end(), "order_s": max(orders), "rounds": rounds}


def natural(number: int) -> list[str]:
    """The four cards of a round that the player wins; no face comes too often within `OF_A_SHOE` of them."""
    tens = [f"{rank}{suit}" for rank in "TJQK" for suit in "shdc"]
    first = f"{'98'[number % 2]}{'shdc'[number // 2 % 4]}"
    return [first, *(tens[(3 * number + each) % len(tens)] for each in range(3))]


@pytest.mark.timeout(600 + 2 * QUIET_S)
def test_a_display_of_a_quiet_table_is_still_there(table: Flooded) -> None:
    display = Display(table)
    table.pause(QUIET_S)
    table.deal("9s Td")
    until(lambda: display.seen["table"]["round"] == 1)
    display.close()
