"""The measure of each door of the back office, row by row: who asks beyond it, and others who are answered meanwhile.

The page is behind a proxy that says who has signed in: so people cost no password. Its stranger has an address.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from firmware_bridge.config.doors import DEALERS, FORM, GUESTS, KEPT, METRICS, PAGE, PEOPLE, STRANGERS, UNASKED, WITNESS
from firmware_bridge.floor.page.people import People
from tests.daemon.doors_flooded import MOST_MB, memory_mb
from tests.floor.tables import baccarat, messages
from tests.floor_whole import pages as whole
from tests.floor_whole import test_hostile_phone
from tests.floor_whole.exported import Exported
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.floor_whole.screens import with_screen
from tests.floor_whole.test_hostile_phone import PHONE, SCREEN, From, Phone, asks, is_served
from tests.floor_whole.witnessing import Witnessing
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.nightly import share
from tests.kit.patience import HANG_S

broker, brokers, pages, phone = real.broker, real.brokers, whole.pages, test_hostile_phone.phone  # fixtures

Phones = Callable[..., Phone]
PROXY: Final = "127.0.0.1"
STREAMS: Final = 30
"""`[page] streams`, and of `[screen]`: few, so that a day's flood is small."""

MANY: Final = share(200, 5)
"""Streams that one person asks for."""

LONG: Final = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"a" * (PAGE.longest + 1)
UNFINISHED: Final = (
    b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://127.0.0.1\r\n%b"
    b"content-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\nname="
)
"""A form that never comes."""


class Proxied:
    """The page as its proxy reaches it: for whom, and from which address."""

    def __init__(self, page: Page) -> None:
        self.port, self._page = page.port, page
        assert page.process
        self.pid = page.process.pid
        self._before = memory_mb(self.pid)

    @staticmethod
    def head(name: str, address: str = "10.0.0.1") -> str:
        """The headers of a person; "" of a stranger."""
        shown = f"x-remote-user: {name}\r\nx-page-secret: only the proxy knows\r\n" if name else ""
        return f"{shown}x-forwarded-for: {address}\r\n"

    def asks(self, path: str, name: str = "", address: str = "10.0.0.1") -> bytes:
        return f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{self.head(name, address)}\r\n".encode()

    def status(self, path: str, name: str = "", address: str = "10.0.0.1") -> int:
        """The status of a request, as soon as it is answered."""
        with socket.create_connection((PROXY, self.port), HANG_S) as link:
            link.sendall(self.asks(path, name, address))
            return int(link.recv(64).split()[1])

    def opens(self, phone: Phone, count: int, first: bytes) -> None:
        """Open connections, so few at a time that the page has read what they ask."""
        for begun in range(0, count, UNASKED // 2):
            phone.open(min(UNASKED // 2, count - begun), first)
            assert self.status("/static/page.css", "ANNA") == 200

    def is_small(self) -> None:
        """Memory did not grow much."""
        grown = memory_mb(self.pid, "VmHWM") - self._before
        print("grown by MB:", round(grown, 2))
        assert grown < MOST_MB


@pytest.fixture
def page(broker: Broker, pages: Callable[..., Page], tmp_path: Path) -> Proxied:
    (tmp_path / "secret").write_text("only the proxy knows\n")
    People(tmp_path / "users.json").add("ANNA", "act", None)
    keys = {"user_header": "X-Remote-User", "user_secret_file": str(tmp_path / "secret"), "proxies": [PROXY]}
    made = pages(broker, users=str(tmp_path / "users.json"), streams=STREAMS, **keys)
    with_screen(made, f"streams = {STREAMS}")
    publish(broker, messages("T07", baccarat(2), now_ms()))
    proxied = Proxied(made)
    until(lambda: proxied.status("/table/T07", "ANNA") == 200)
    return proxied


def statuses(phone: Phone, count: int) -> dict[int, int]:
    """Status -> how many of the connections got it, once so many have an answer."""
    until(lambda: phone.answers(b"HTTP/1.1 ") >= count)
    found = [int(each.split()[1]) for each in phone._heads.values() if each]
    return {each: found.count(each) for each in set(found)}


def test_people(page: Proxied, phone: Phones) -> None:
    """One who looks has twelve streams; all who look leave some to those who may act."""
    left, one, look = STREAMS - STREAMS // KEPT, phone(page.port, PROXY), phone(page.port, PROXY)
    page.opens(one, MANY, page.asks("/stream", "BO"))
    assert statuses(one, MANY) == {200: PEOPLE.streams, 503: MANY - PEOPLE.streams}
    assert page.status("/screens/stream", "bo") == page.status("/table/T07/stream", "BO") == 503
    for number in range(3):
        look.open(8, page.asks("/table/T07/stream", f"N{number}"))
    assert statuses(look, 24) == {200: left - PEOPLE.streams, 503: 24 - left + PEOPLE.streams}
    assert page.status("/stream", "CY") == 503
    assert page.status("/stream", "ANNA") == 200
    one.close()
    until(lambda: page.status("/stream", "CY") == 200)
    page.is_small()


def test_requests_of_people(page: Proxied, phone: Phones) -> None:
    slow, others = phone(page.port, PROXY), phone(page.port, PROXY)
    most, left = PEOPLE.of_one, PEOPLE.of_all - PEOPLE.of_all // KEPT
    page.opens(slow, most + 6, UNFINISHED % (b"/hand-over", page.head("BO").encode()))
    assert statuses(slow, 6) == {503: 6}
    assert page.status("/", "BO") == 503
    for number in range(4):
        page.opens(others, most, UNFINISHED % (b"/hand-over", page.head(f"N{number}").encode()))
    assert statuses(others, 5 * most - left)[503] >= 5 * most - left  # looks of ANNA's between may take one
    assert page.status("/", "CY") == 503
    assert page.status("/", "ANNA") == 200
    assert page.status("/sign-in", "", "10.0.0.9") == 200
    page.is_small()
    slow.close()
    others.close()


def test_dealers(page: Proxied, phone: Phones) -> None:
    one = phone(page.port, PROXY)
    one.open(DEALERS.streams + 5, page.asks("/dealer/T07/stream", "BO"))
    assert statuses(one, DEALERS.streams + 5) == {200: DEALERS.streams, 503: 5}
    assert page.status("/dealer/T07/stream", "CY") == page.status("/stream", "BO") == 200
    page.is_small()


def test_guests(page: Proxied, phone: Phones, pages: object) -> None:
    one, screen = phone(page.port, PROXY), page._page.screen()
    one.open(20, page.asks(f"{screen}/stream"))
    assert statuses(one, 20) == {200: 4, 503: 16}
    assert page.status(f"{screen}/stream", "", "10.0.0.2") == page.status("/stream", "BO") == 200
    slow = phone(page.port, PROXY)
    slow.open(GUESTS.of_one, UNFINISHED % (b"/sign-in", page.head("").encode()))
    assert page.status(screen) == 200  # what a guest does elsewhere is counted apart
    page.is_small()


def test_strangers(page: Proxied, phone: Phones) -> None:
    one = phone(page.port, PROXY)
    one.open(STRANGERS.of_one + 8, UNFINISHED % (b"/sign-in", page.head("").encode()))
    assert statuses(one, 8) == {503: 8}
    assert page.status("/sign-in") == 503
    assert page.status("/sign-in", "", "10.0.0.2") == page.status("/", "BO") == 200
    long = HTTPConnection(PROXY, page.port, timeout=HANG_S)
    head = {"x-forwarded-for": "10.0.0.3", "origin": f"http://{PROXY}:{page.port}"}
    form = {"content-type": "application/x-www-form-urlencoded"}
    long.request("POST", "/sign-in", "name=" + "a" * FORM, head | form)
    assert long.getresponse().status == 400
    long.close()
    page.is_small()


def test_page_connections(page: Proxied, phone: Phones) -> None:
    idle, long, begun = [phone(page.port) for _ in range(3)]
    idle.open(300)

    def are_few() -> bool:
        is_served(From(page.port, SCREEN), "/static/page.css")
        return idle.kept() <= UNASKED

    until(are_few)
    long.open(4, LONG)
    assert statuses(long, 4) == {400: 4}
    begun.open(300, b"GET / HTTP/1.1\r\nhost: 127")
    is_served(From(page.port, SCREEN), "/static/page.css")
    assert idle.kept() + begun.kept() <= PAGE.of_one + 4
    assert page._page.log.count("connections were ended: ") <= 2
    page.is_small()


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witnessing]:
    made = Witnessing(tmp_path)
    yield made
    made.kill()


def test_witness(witness: Witnessing, phone: Phones) -> None:
    before, idle, busy = memory_mb(witness.pid), phone(witness.port), phone(witness.port)
    idle.open(200)
    busy.open(200, b"POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 60000\r\n\r\n" + b"a" * 30_000)
    until(lambda: idle.kept() + busy.kept() <= WITNESS.of_one)
    is_answered(witness.port, SCREEN, b"GET / HTTP/1.1\r\nhost: w\r\n\r\n", b"HTTP/1.1 404")
    idle.close()
    busy.close()
    is_answered(witness.port, PHONE, b"GET / HTTP/1.1\r\nhost: w\r\n\r\n", b"HTTP/1.1 429")
    is_answered(witness.port, SCREEN, b"GET / HTTP/1.1\r\nhost: w\r\n\r\n", b"HTTP/1.1 404")
    print("grown by MB:", grown := memory_mb(witness.pid, "VmHWM") - before)
    assert grown < MOST_MB


def test_metrics(broker: Broker, tmp_path: Path, phone: Phones) -> None:
    exported = Exported(tmp_path, broker.port).start()
    process = exported._process
    assert process
    before, ask = memory_mb(process.pid), asks("/metrics", "localhost")
    idle, busy = phone(exported.port), phone(exported.port)
    idle.open(200)
    until(lambda: idle.kept() <= METRICS.of_one)
    is_answered(exported.port, SCREEN, ask, b"HTTP/1.1 200")
    idle.close()

    def is_too_often() -> bool:
        busy.close()
        busy.links.clear()
        busy._heads.clear()
        busy.open(METRICS.of_one, ask)
        until(lambda: busy.answers(b"HTTP/1.1 ") + busy.answers(b"") >= METRICS.of_one)
        return bool(busy.answers(b"HTTP/1.1 429"))

    until(is_too_often)
    is_answered(exported.port, SCREEN, ask, b"HTTP/1.1 200")
    is_answered(exported.port, PROXY, ask, b"HTTP/1.1 200")
    print("grown by MB:", grown := memory_mb(process.pid, "VmHWM") - before)
    assert grown < MOST_MB
    assert exported.end() == 0


def is_answered(port: int, address: str, request: bytes, begin: bytes) -> None:
    """A request of an address gets an answer that begins so, at once or once its connections are free."""

    def answer() -> bytes:
        with suppress(OSError), socket.create_connection((PROXY, port), HANG_S, (address, 0)) as link:
            link.sendall(request)
            return link.recv(64)
        return b""

    until(lambda: answer().startswith(begin))
