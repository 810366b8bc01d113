"""`scripts/floor` as a person meets it: the page lives, every table's rounds are stored, nothing is left at the end."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import pytest

from scripts.tools.floor_demo.floor import TABLES
from scripts.tools.floor_demo.people import PASSWORD
from scripts.tools.floor_demo.trouble import TROUBLES
from tests.floor.kills_record import end_left_behind, working_in
from tests.kit import patience
from tests.kit.patience import HANG_S
from tests.kit.process import python

pytestmark = pytest.mark.skipif(
    find_spec("uvicorn") is None or find_spec("starlette") is None, reason="pip install '.[floor]'"
)

ROOT = Path(__file__).parents[2]
LIMIT_S = 360.0

Floor = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder with a short name: that of a socket in it has 107 bytes at most."""
    with TemporaryDirectory(prefix="floor-") as folder:
        yield Path(folder)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    """Starts a floor whose files are all in `tmp_path`."""
    made: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        ports = [] if "--port" in words else ["--port", "0", "--broker-port", "0"]
        command = ("-m", "scripts.tools.floor_demo", "--speed", "20", *ports, *words)
        environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
        made.append(python(*command, execute=True, stdout=-1, stderr=-1, text=True, env=environment))
        return made[-1]

    yield start
    for each in made:
        each.kill()
        each.communicate()
    end_left_behind(tmp_path)


def startup_text(process: subprocess.Popen[str]) -> str:
    """What it prints until everything runs."""
    lines = [process.stdout.readline()]
    while lines[-1] and not lines[-1].startswith("Ctrl-C"):
        lines.append(process.stdout.readline())
    assert lines[-1], process.communicate()
    return "".join(lines)


def until(condition: Callable[[], Any], story: Callable[[], object] = str) -> Any:
    return patience.until(condition, LIMIT_S, story=story, look_s=0.1)


def page(said: str, name: str = "page") -> str:
    [address] = re.findall(rf"^{name} +(\S+)$", said, re.M)
    with urllib.request.urlopen(address, timeout=HANG_S) as answer:
        return answer.read().decode()


def asked(said: str, query: str) -> list[Any]:
    """The first column of what the store answers; nothing before there is one."""
    [path] = re.findall(r"^store +(\S+);", said, re.M)
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        return [first for first, *_ in store.execute(query)]
    return []


def rounds(said: str) -> set[str]:
    """The tables that have a round in the store."""
    return set(asked(said, "select distinct tbl from rounds"))


def count(said: str, view: str) -> int:
    """The rows of a view."""
    return sum(asked(said, f"select count(*) from {view}"))


@pytest.mark.parametrize(("how", "broker"), [(signal.SIGINT, "mosquitto"), (signal.SIGTERM, "amqtt")])
def test_a_whole_floor_lives_and_leaves_nothing(floor: Floor, tmp_path: Path, how: signal.Signals, broker: str) -> None:
    running = floor("--broker", broker)
    said = startup_text(running)
    assert f"broker    {broker} at 127.0.0.1:" in said
    names = {table.id for table in TABLES}
    until(lambda: all(name in page(said) for name in names))
    until(lambda: rounds(said) == names)
    assert TABLES[0].id in page(said, "guests")
    assert len(working_in(tmp_path)) >= len(TABLES) + 2
    running.send_signal(how)
    assert patience.said(running, seconds=LIMIT_S) == ("", "")
    assert running.returncode == 0
    assert working_in(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


SHOWN = (
    *("Card not read", "Lid opened", "Reader lost", "Sensor stuck", "Record not signed"),
    *("False messages in this table", "software was stopped", "The shoe is disconnected"),
)
"""What the page says of the troubles of a floor."""


def test_a_floor_shows_every_trouble_and_leaves_nothing(floor: Floor, tmp_path: Path) -> None:
    running = floor("--trouble")
    said = startup_text(running)
    assert [each for each in TROUBLES if each.text not in said] == []
    until(lambda: not [each for each in SHOWN if each not in page(said)])
    wrong = ("gaps", "conflicts", "quarantine")
    until(lambda: all(count(said, view) for view in wrong), lambda: {view: count(said, view) for view in wrong})
    until(lambda: len(rounds(said)) == len(TABLES) + len(TROUBLES))
    running.send_signal(signal.SIGINT)
    assert patience.said(running, seconds=LIMIT_S) == ("", "")
    assert running.returncode == 0
    assert working_in(tmp_path) == list(tmp_path.iterdir()) == []


def test_people_sign_in_at_a_floor_and_give_the_orders_that_its_tables_take(floor: Floor, tmp_path: Path) -> None:
    running = floor("--trouble", "--people")
    said = startup_text(running)
    [address] = re.findall(r"^page +(\S+)/$", said, re.M)
    port = int(address.rpartition(":")[2])
    with closing(HTTPConnection("127.0.0.1", port, timeout=HANG_S)) as server:

        def answer(method: str, path: str, body: str = "", **headers: str) -> tuple[HTTPResponse, str]:
            server.request(method, path, body or None, headers)
            response = server.getresponse()
            return response, response.read().decode()

        form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": address}
        signed_in, _ = answer("POST", "/sign-in", urlencode({"name": "ANNA", "password": PASSWORD}), **form)
        cookie = "; ".join(each.partition(";")[0] for each in signed_in.headers.get_all("set-cookie"))
        until(lambda: "do=resolve" in answer("GET", "/table/T04?lang=en", Cookie=cookie)[1])
        shown = answer("GET", "/table/T04?lang=en", Cookie=cookie)[1]
        [link] = re.findall(r'href="(/table/T04/order[^"]*do=resolve[^"]*)"', shown)
        assert "asks for two people" in answer("GET", unescape(link), Cookie=cookie)[1]
    running.send_signal(signal.SIGINT)
    assert patience.said(running, seconds=LIMIT_S) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_a_floor_of_too_few_tables_for_its_troubles_says_how_many(floor: Floor) -> None:
    running = floor("--trouble", "--tables", "5")
    assert f"--tables is {len(TABLES) + len(TROUBLES)} to 100 with --trouble" in patience.said(running)[1]
    assert running.returncode == 2


def test_a_port_in_use_is_replaced_and_reported(floor: Floor) -> None:
    first = startup_text(floor())
    ports = re.findall(r"127\.0\.0\.1:(\d+)", first)
    said = startup_text(floor("--broker-port", ports[0], "--port", ports[1]))
    assert f"port {ports[0]} is in use: the broker has " in said
    assert f"port {ports[1]} is in use: the page has " in said
    assert not set(ports) & set(re.findall(r"127\.0\.0\.1:(\d+)", said))


def test_a_program_that_falls_is_named_and_all_others_end(floor: Floor, tmp_path: Path) -> None:
    running = floor()
    startup_text(running)
    [table] = [each for each in working_in(tmp_path) if str(tmp_path) in words(each) and "T02" in words(each)]
    os.kill(table, signal.SIGKILL)
    _, error = patience.said(running, seconds=LIMIT_S)
    assert error.startswith("floor: T02 has ended: ")
    assert running.returncode == 1
    assert working_in(tmp_path) == list(tmp_path.iterdir()) == []


def words(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text()


def test_a_floor_can_be_ended_while_it_starts(floor: Floor, tmp_path: Path) -> None:
    running = floor()
    until(lambda: working_in(tmp_path))
    running.send_signal(signal.SIGTERM)
    assert patience.said(running, seconds=LIMIT_S) == ("", "")
    assert working_in(tmp_path) == list(tmp_path.iterdir()) == []
