"""A phone on the guests' network that opens all it can: at the page itself, and at the nginx before it."""

from __future__ import annotations

import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from firmware_bridge.floor.page.people import People
from tests.floor_whole import nginx
from tests.floor_whole import pages as whole
from tests.floor_whole.nginx import Nginx, documented, needs_nginx, zones
from tests.floor_whole.pages import Page
from tests.floor_whole.screens import Stream
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S, LIMIT_S, run, until

broker, brokers, pages, nginxes = real.broker, real.brokers, whole.pages, nginx.nginxes  # fixtures
PHONE, SCREEN, PIT = "127.0.0.66", "127.0.0.7", "127.0.0.5"
SCREENS = (Path(__file__).parents[2] / "docs/screen.md").read_text("utf-8")
PASSWORD = "correct horse battery"
SOON_S = 5.0
"""How late an answer to the pit or a screen may come while the phone does what it can; mostly it is some ms.

Seconds that the machine gave: that the phone keeps it busy is no fault of the page.
"""


class From(NamedTuple):
    """A way to a port, from an address."""

    port: int
    address: str

    def link(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=HANG_S, source_address=(self.address, 0))


class Phone:
    """Connections of one address, as many as the machine allows."""

    def __init__(self, port: int, address: str = PHONE) -> None:
        self._port, self._address = port, address
        self.links: list[socket.socket] = []
        self._heads: dict[socket.socket, bytes] = {}

    def open(self, count: int, first: bytes = b"", pause_s: float = 0.0) -> None:
        """Open connections, and send each the same."""
        for _ in range(count):
            link = socket.socket()
            link.settimeout(SOON_S)
            link.bind((self._address, 0))
            with suppress(OSError):  # refused, or reset at once
                link.connect(("127.0.0.1", self._port))
                link.sendall(first)
            self.links.append(link)
            time.sleep(pause_s)

    def kept(self) -> int:
        """How many are still open."""
        return sum(map(_is_open, self.links))

    def answers(self, begin: bytes) -> int:
        """How many have got an answer so far that begins so."""
        for each in self.links:
            self._heads[each] = self._heads.get(each, b"") or _head(each)
        return sum(each.startswith(begin) for each in self._heads.values())

    def close(self) -> None:
        for each in self.links:
            each.close()


def _head(link: socket.socket) -> bytes:
    link.setblocking(False)
    with suppress(OSError):
        return link.recv(64)
    return b""


def _is_open(link: socket.socket) -> bool:
    link.setblocking(False)
    try:
        while came := link.recv(65536):
            pass
        return came != b""
    except BlockingIOError:
        try:
            link.getpeername()
        except OSError:
            return False
        return True
    except OSError:
        return False


@pytest.fixture
def phone() -> Iterator[Callable[..., Phone]]:
    made: list[Phone] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))

    def of(port: int, address: str = PHONE) -> Phone:
        made.append(Phone(port, address))
        return made[-1]

    yield of
    for each in made:
        each.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("address", "owner"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("::1", "::1"),
        ("unknown", "unknown"),
    ],
)
def test_an_owner_is_an_address_or_the_block_of_a_household(address: str, owner: str) -> None:
    from firmware_bridge.floor.serving import block

    assert block(address) == owner


def test_what_a_listener_accepts_sends_each_part_of_an_answer_at_once() -> None:
    from firmware_bridge.floor.serving import Listener, listening

    with (
        Listener(listening("127.0.0.1", 0), 3, 4) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_listener_bounds_each_address_and_all(phone: Callable[..., Phone]) -> None:
    from firmware_bridge.floor.serving import Listener, listening

    listener = Listener(listening("127.0.0.1", 0), 3, 4, ["127.0.0.9"])
    listener.setblocking(False)
    port, taken = listener.getsockname()[1], list[socket.socket]()

    def comes(address: str) -> Phone:
        made = phone(port, address)
        made.open(1)
        with suppress(BlockingIOError):
            taken.append(listener.accept()[0])
        return made

    hostile = [comes(PHONE) for _ in range(5)]
    assert [each.kept() for each in hostile] == [1, 1, 1, 0, 0]
    guest, pit = comes(SCREEN), comes(PIT)
    assert [each.kept() for each in (*hostile, guest, pit)] == [0, 1, 1, 0, 0, 1, 1]
    proxy = [comes("127.0.0.9") for _ in range(9)]
    assert [each.kept() for each in (*hostile, guest, pit, *proxy)] == [0, 1, 1, 0, 0, 1, 1] + [1] * 9
    for each in taken:
        each.close()
    assert [comes(PHONE).kept() for _ in range(4)] == [1, 1, 1, 0]
    for each in taken:
        each.close()
    listener.close()


@pytest.fixture
def page(broker: Broker, pages: Callable[..., Page]) -> Page:
    return pages(broker, sign_in="off")


def asks(path: str, host: str = "127.0.0.1") -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n".encode()


def comes_soon(act: Callable[[], object], seconds: float = SOON_S) -> None:
    """Do something that must be over soon, in time that the machine gave."""
    doing = Thread(target=act, daemon=True)
    doing.start()
    until(lambda: not doing.is_alive(), seconds)


def is_served(way: From, path: str, seconds: float = SOON_S) -> None:
    """A page comes soon, all of it."""
    found = list[tuple[int, bytes]]()

    def ask() -> None:
        link = way.link()
        link.request("GET", path)
        answer = link.getresponse()
        found.append((answer.status, answer.read()))
        link.close()

    comes_soon(ask, seconds)
    assert [status for status, _ in found] == [200], found


def all_is_well(port: int, page: Page) -> None:
    """The pit and a screen are served soon."""
    pit, guest = From(port, PIT), From(port, SCREEN)
    is_served(pit, "/")
    is_served(guest, page.screen())
    for way, path in ((pit, "/stream"), (guest, f"{page.screen()}/stream")):
        opened = list[Stream]()

        def hear(way: From = way, path: str = path, opened: list[Stream] = opened) -> None:
            stream = Stream(way, path)
            stream.event()
            opened.append(stream)

        comes_soon(hear)
        opened[0].close()


def test_idle_connections_by_the_thousand_are_few_at_the_page(page: Page, phone: Callable[..., Phone]) -> None:
    hostile = phone(page.port)
    hostile.open(10_000)
    print("kept of 10,000:", hostile.kept())
    all_is_well(page.port, page)
    assert hostile.kept() <= 50


def test_streams_and_kept_connections_take_the_places_of_one_address(page: Page, phone: Callable[..., Phone]) -> None:
    """The attack as it was found: 200 streams, then 400 connections with one request each, kept alive."""
    streams, kept = phone(page.port), phone(page.port)
    streams.open(200, asks(f"{page.screen()}/stream"), 0.005)
    until(lambda: streams.answers(b"HTTP/1.1 200") >= 4)
    kept.open(400, asks(page.screen()))
    all_is_well(page.port, page)
    kept.open(400, asks("/static/screen.js"))
    kept.open(400, b"GET /screen/T07 HTTP/1.1\r\nhost: 127")
    all_is_well(page.port, page)
    until(lambda: streams.kept() <= 4)
    print("kept with requests:", streams.kept(), kept.kept())
    assert streams.answers(b"HTTP/1.1 200") == streams.kept() == 4


def test_who_reads_nothing_is_left_and_holds_few_meanwhile(page: Page, phone: Callable[..., Phone]) -> None:
    hostile = phone(page.port)
    hostile.open(300, b"".join([asks("/static/page.js")] * 200))
    all_is_well(page.port, page)
    assert len([each for each in hostile.links if _is_there(each)]) <= 68


def _is_there(link: socket.socket) -> bool:
    with suppress(OSError):
        link.getpeername()
        return link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) == 1  # TCP_ESTABLISHED
    return False


def test_two_hundred_addresses_take_no_place_of_the_pit(page: Page, phone: Callable[..., Phone]) -> None:
    """A device that takes addresses of the network as it likes: guests may wait, the pit may not."""
    for number in range(100, 250):
        phone(page.port, f"127.0.1.{number}").open(8, asks(f"{page.screen()}/stream"))
    is_served(From(page.port, PIT), "/")
    Stream(From(page.port, PIT), "/stream").close()


def test_signing_in_goes_on_beside_guests(
    broker: Broker, pages: Callable[..., Page], phone: Callable[..., Phone]
) -> None:
    made = pages(broker, sign_in="on")
    People(made.config.with_name("users.json")).add("ANNA", "look", PASSWORD)
    hostile = phone(made.port)
    hostile.open(200, asks(f"{made.screen()}/stream"))
    hostile.open(200, asks("/"))
    hostile.open(200, asks("/sign-in"))
    is_served(From(made.port, PIT), "/sign-in")
    link = From(made.port, PIT).link()
    body = f"name=ANNA&password={PASSWORD.replace(' ', '+')}&next=/"
    head = {"origin": f"http://127.0.0.1:{made.port}", "content-type": "application/x-www-form-urlencoded"}
    link.request("POST", "/sign-in", body, head)
    assert link.getresponse().status == 303


@needs_nginx
@pytest.mark.parametrize("first", [b"", b"GET /screen/T07 HTTP/1.1\r\nhost: 127"])
def test_idle_connections_at_the_nginx_of_guests_do_not_reach_the_pit(
    broker: Broker, pages: Callable[..., Page], nginxes: Callable[..., Nginx], phone: Callable[..., Phone], first: bytes
) -> None:
    page = pages(broker, sign_in="on", proxies=["127.0.0.1"])
    guests, pit = free_port(), free_port()
    nginxes(f"{zones()}\nserver {{ listen {guests};\n{documented('screen.md', page)}}}", guests)
    nginxes(f"server {{ listen {pit};\n{documented('page.md', page)}}}", pit)
    before = Stream(From(guests, SCREEN), f"{page.screen()}/stream")
    before.event()
    hostile = phone(guests)
    hostile.open(10_000, first)
    is_served(From(pit, PIT), "/sign-in")
    if not first:  # nginx gives up who has sent nothing; who has begun has 5 s, and needs the kernel's limit
        is_served(From(guests, SCREEN), page.screen())
    hostile.close()
    is_served(From(guests, SCREEN), page.screen(), LIMIT_S)
    before.event()
    before.close()


COUNTED = """
import socket
listener = socket.create_server(("0.0.0.0", 80), backlog=1000)
def kept(address):
    links = []
    for _ in range(200):
        link = socket.socket()
        link.bind((address, 0))
        try:
            link.connect(("127.0.0.1", 80))
        except OSError:
            continue
        links.append(link)
    return links
phone = kept("127.0.0.66")
print(len(phone), len(kept("127.0.0.7")))
for each in phone:
    each.close()
while True:
    try:
        listener.settimeout(0.2)
        listener.accept()[0].close()
    except TimeoutError:
        break
print(len(kept("127.0.0.66")))
"""
"""Opens connections as two addresses, then again as the first one after it has closed them."""


def test_the_kernel_gives_one_address_few_connections(tmp_path: Path) -> None:
    """The rules for nftables as docs/screen.md has them, in a network of their own."""
    nft = shutil.which("nft", path=f"{os.environ['PATH']}:/usr/sbin")
    lonely = ["unshare", "--net", "sh", "-c"]
    if nft is None or subprocess.run([*lonely, f"ip link set lo up && {nft} list tables"], check=False).returncode:
        pytest.skip("nft is missing, or this user may make no network")
    (rules,) = re.findall(r"^```\n# nftables[^\n]*\n(.*?)^```", SCREENS, re.DOTALL | re.MULTILINE)
    (tmp_path / "screens.nft").write_text(rules)
    (tmp_path / "phone.py").write_text(COUNTED)
    command = f"ip link set lo up && {nft} -f {tmp_path}/screens.nft && {sys.executable} {tmp_path}/phone.py"
    said = run([*lonely, command], check=True).stdout
    assert said.split() == ["32", "32", "32"]
