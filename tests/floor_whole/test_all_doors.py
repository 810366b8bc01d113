"""All doors of a table and its back office flooded at once, by the lowest role of each, in real processes.

Sockets by a user of each group, the page by one who looks, by a guest and by a stranger, witness and metrics by a
stranger. Two minutes by night; `tests/daemon/test_doors.py` floods the sockets alone, by day too.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Final

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from firmware_bridge.floor.page.people import People
from tests.daemon.doors_flooded import MOST_MB, PAUSE_S, Display, Socket, floods_of_sockets, forked, killed, memory_mb
from tests.daemon.flooded import Flooded
from tests.daemon.test_doors import FLOODED_S, ON_DISK_S, SILENT_S, felt_while
from tests.floor_whole import exported as exporting
from tests.floor_whole import pages as whole
from tests.floor_whole import witnessing as witnesses
from tests.floor_whole.exported import Exported
from tests.floor_whole.pages import Page
from tests.floor_whole.screens import Stream
from tests.floor_whole.test_doors import PROXY, UNFINISHED, Proxied, is_answered
from tests.floor_whole.test_hostile_phone import PHONE, SCREEN, asks
from tests.floor_whole.witnessing import Witnessing
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import until
from tests.kit.people import GID, UID, rooms
from tests.kit.process import python

pytestmark = [
    pytest.mark.story,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users"),
]

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures

HELD: Final = 300
"""Connections of a flood; the oldest is closed for a new one."""


@pytest.fixture
def table(broker: Broker) -> Iterator[Flooded]:
    """A table that has not begun."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    rooms(folder / "journal", GID)
    table = Flooded(folder, broker.port)
    table.execute = True
    yield table
    table.close()
    rmtree(folder)


def flooded(port: int, address: str, firsts: tuple[bytes, ...], over: Callable[[], bool]) -> None:
    """Open connections of an address without end, and read of every other one: as nobody, in this process."""
    os.setgroups([])
    os.setresgid(UID["nobody"], UID["nobody"], UID["nobody"])
    os.setresuid(UID["nobody"], UID["nobody"], UID["nobody"])
    random, held = Random(port), list[socket.socket]()
    while not over():
        one = socket.socket()
        with suppress(OSError):
            one.bind((address, 0))
            one.settimeout(1.0)
            one.connect(("127.0.0.1", port))
            one.setblocking(False)
            one.send(random.choice(firsts))
        held.append(one)
        for each in held[::2]:
            with suppress(OSError):
                each.recv(1 << 16)
        if len(held) > HELD:
            held.pop(0).close()
        time.sleep(PAUSE_S)


RUBBISH: Final = (b"", b"GET / HTTP/1.1\r\nhost: 127", b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000, b"\x16\x03")
"""What is no request, or never complete; a proxy passes none of it on."""


def test_all_doors_flooded_at_once_change_nothing(
    broker: Broker, pages: Callable[..., Page], table: Flooded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (whole, exporting, witnesses):  # a fork shows less memory than it has, until it has touched it
        monkeypatch.setattr(module, "python", partial(python, execute=True))
    (tmp_path / "secret").write_text("only the proxy knows\n")
    People(tmp_path / "users.json").add("ANNA", "act", None)
    keys = {"user_header": "X-Remote-User", "user_secret_file": str(tmp_path / "secret"), "proxies": [PROXY]}
    made = pages(broker, users=str(tmp_path / "users.json"), **keys)
    page, exported, witness = Proxied(made), Exported(tmp_path, broker.port).start(), Witnessing(tmp_path)
    table.begin()
    assert table.process
    assert exported._process
    pids = {"daemon": table.process.pid, "page": page.pid, "metrics": exported._process.pid, "witness": witness.pid}
    display = Display(table)
    (lender,), (pit,) = Socket(table, "tech").connected(), Socket(table, "pit").connected()
    assert lender.ask(do="calibration")["ok"]  # from now on it may be silent
    quiet = felt_while(table, pit, 0.0)
    table.until(lambda: page.status("/table/T07", "ANNA") == 200)
    act = dict(line.split(": ") for line in page.head("ANNA").splitlines())
    wall = Stream(made, "/stream", **act)
    wall.event()
    ask, form = asks("/metrics", "localhost"), UNFINISHED % (b"/sign-in", b"")
    post = b"POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 60000\r\n\r\n" + b"a" * 30_000
    guest = [asks(f"{made.screen()}/stream"), asks(made.screen())]
    look = [page.asks(each, "BO") for each in ("/stream", "/", "/table/T07", "/screens")]
    by_http: tuple[tuple[int, str, tuple[bytes, ...]], ...] = (
        (page.port, PHONE, (*guest, asks("/sign-in"), form, *RUBBISH)),
        (page.port, PROXY, tuple(look)),
        (exported.port, PHONE, (ask, *RUBBISH)),
        (witness.port, PHONE, (post, b"GET / HTTP/1.1\r\nhost: w\r\n\r\n", *RUBBISH)),
    )
    before = {name: memory_mb(pid) for name, pid in pids.items()}
    with ExitStack() as ending:
        floods = floods_of_sockets(table)
        ending.callback(killed, floods)
        floods += [forked(partial(flooded, *each)) for each in by_http]
        felt = felt_while(table, pit, FLOODED_S / 2)
        assert page.status("/", "ANNA") == page.status("/table/T07", "ANNA") == 200
        wall.event()
        is_answered(exported.port, SCREEN, ask, b"HTTP/1.1 200")
        is_answered(witness.port, SCREEN, b"GET / HTTP/1.1\r\nhost: w\r\n\r\n", b"HTTP/1.1 404")
        assert lender.ask(do="lend", device="reader", by="tess", open_shoe=True)["ok"]
        table.pause(FLOODED_S / 2)
        assert table.ask(do="status")["lent"]["to"] == "tess"
        begun = table.beats.clock()
        assert pit.ask(do="take_back", by="anna")["ok"]
        felt["take_back_s"] = table.beats.clock.since(begun)
        assert lender.hear()["taken_back"] == "anna"
        until(lambda: display.seen["acts"] == table.ask(do="status")["acts"])
        assert page.status("/", "ANNA") == 200
        wall.event()
        grown = {name: round(memory_mb(pid, "VmHWM") - before[name], 2) for name, pid in pids.items()}
    print({"quiet": quiet, "flooded": felt, "grown_mb": grown, "seconds": FLOODED_S})
    assert max(grown.values()) < MOST_MB
    assert felt["silence_s"] < SILENT_S
    assert max(felt["card_s"], felt["order_s"], felt["take_back_s"]) < ON_DISK_S
    for each in (display, lender, pit, wall):
        each.close()
    witness.kill()
    assert exported.end() == 0
