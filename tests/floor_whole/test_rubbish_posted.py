"""What is posted to the page, a witness and the metrics is read or refused, whatever its bytes: and no traceback."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Final

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from firmware_bridge.floor.witness.request import PATH, body_of
from tests.floor_whole import pages as whole
from tests.floor_whole import test_doors as doors
from tests.floor_whole.exported import Exported
from tests.floor_whole.screens import Stream
from tests.floor_whole.signed_in import FORM
from tests.floor_whole.test_doors import Proxied
from tests.floor_whole.witnessing import Witnessing
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.nightly import EVERY, some
from tests.kit.patience import HANG_S, until
from tests.kit.rubbish import examples, rubbish

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
page, witness = doors.page, doors.witness  # fixtures

COUNT: Final = 300 if EVERY else 0
"""Spoiled forms for each address, beside the known bad ones."""

FORMS: Final = {
    "/sign-in": b"name=ANNA&password=x&next=%2F",
    "/hand-over": b"token=x&holder=ANNA&note=x",
    "/table/T07/take": b"token=x&alarm=unreadable&since=1&act=take&holder=&note=x",
    "/table/T07/order": b"token=x&id=page-1-1&do=void&round=1&journal=1-x&why=x",
    "/screens/reload": b"token=TOKEN&screen=1",
}
"""Address of a form -> its fields. With its token the number of a screen is read too."""

CHUNKED: Final = b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n%b\r\n"
BROKEN: Final = b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n%b\r\nname="


def posted(port: int, path: str, body: bytes, address: str = "127.0.0.1", **head: str) -> int:
    """The status of what is posted; 0 where the connection was ended before all of it was read."""
    link = HTTPConnection("127.0.0.1", port, timeout=HANG_S, source_address=(address, 0))
    with closing(link), suppress(ConnectionError):
        link.request("POST", path, body, {name.replace("_", "-"): value for name, value in head.items()})
        return link.getresponse().status
    return 0


def breaks_off(port: int, path: str, head: str = "") -> None:
    """A body that ends before its end; then one that is no more a body once its request is answered, or before."""
    with socket.create_connection(("127.0.0.1", port), HANG_S) as link:
        link.sendall(BROKEN % (path.encode(), head.encode()))
    for is_answered in (True, False):
        with socket.create_connection(("127.0.0.1", port), HANG_S) as link:
            link.sendall(CHUNKED % (path.encode(), head.encode()))
            link.settimeout(0.2 if is_answered else HANG_S)
            with suppress(OSError):  # where there is no answer yet
                link.recv(64 if is_answered else 0)
            with suppress(ConnectionError):
                link.settimeout(HANG_S)
                link.sendall(b"no length\r\n")
                link.recv(64)


def spoiled(path: str, *seeds: bytes) -> Iterator[bytes]:
    return iter(some(list(rubbish(seeds, Random(path), COUNT)), 4))


def test_forms_of_the_page(page: Proxied) -> None:
    begun = time.monotonic()
    act = dict(each.split(": ") for each in page.head("ANNA").splitlines())
    screen = Stream(page._page, f"{page._page.screen()}/stream")
    with closing(HTTPConnection("127.0.0.1", page.port, timeout=HANG_S)) as link:
        link.request("GET", "/screens", headers=act)
        (token,) = set(re.findall(rb'name="token" value="(\w+)"', link.getresponse().read()))
    screen.close()
    head = act | {"origin": f"http://127.0.0.1:{page.port}", "content_type": FORM}
    for path, form in FORMS.items():
        for body in spoiled(path, form.replace(b"TOKEN", token)):
            assert posted(page.port, path, body, **head) < 500, (path, body[:200])
        lines = f"{page.head('ANNA')}origin: http://127.0.0.1\r\ncontent-type: {FORM}\r\n"
        breaks_off(page.port, path, lines)
    assert page.status("/", "ANNA") == 200
    until(lambda: "forms were not read" in page._page.log)
    is_quiet(page._page.log, begun)


def test_requests_to_a_witness(witness: Witnessing) -> None:
    begun = time.monotonic()
    good = body_of(0, [], examples()["witnessed"][0].decode())
    for number, body in enumerate(spoiled(PATH, good)):
        assert posted(witness.port, PATH, body, f"127.0.1.{number % 250 + 1}") < 500, body
    for path in (PATH, "/"):
        breaks_off(witness.port, path)
    assert posted(witness.port, "/", b"", "127.0.2.1") == 404
    is_quiet(witness.log, begun)


def test_requests_for_metrics(broker: Broker, tmp_path: Path) -> None:
    begun = time.monotonic()
    exported = Exported(tmp_path, broker.port).start()
    for body in spoiled("/metrics", b"a=b"):
        assert posted(exported.port, "/metrics", body) in (0, 405)
    breaks_off(exported.port, "/metrics")
    assert posted(exported.port, "/", b"") == 405
    is_quiet(exported.log, begun)
    assert exported.end() == 0


def is_quiet(log: str, begun: float) -> None:
    """Nothing raised, and each kind of line about strangers came once a minute at most."""
    assert "Traceback" not in log
    kinds = re.findall(r"(forms were not read|requests were no HTTP|requests of \w+ were refused|were refused):", log)
    assert max(map(kinds.count, kinds), default=0) <= 2 + (time.monotonic() - begun) / 60, log
