"""The page as programs meet it: what it refuses, what it allows browsers, and its streams."""

import http.client
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.floor.tables import baccarat, latest, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import HANG_MS, Page, now_ms, publish, until
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S
from tests.kit.process import ran

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
DOC = (Path(__file__).parents[2] / "docs/page.md").read_text("utf-8")
Pages = Callable[..., Page]


def ask(page: Page, method: str = "GET", path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=HANG_S)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    answer.body = answer.read().decode()  # type: ignore[attr-defined]  # read before the connection is closed
    connection.close()
    return answer


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_certificate_that_cannot_be_used_is_named_before_the_page_listens(
    broker: Broker, pages: Pages, tmp_path: Path, content: str | None
) -> None:
    page = pages(broker)
    page.stop()
    cert = tmp_path / "page.pem"
    if content:
        cert.write_text(content)
    page.config.write_text(page.config.read_text().replace("[page]\n", f'[page]\ncert = "{cert}"\nkey = "{cert}"\n'))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", page.port))
        with pytest.raises(AssertionError, match=rf"TLS cannot be served with {cert} and {cert}: .*; check both files"):
            page.start()
    assert "Traceback" not in page.log


class Listener:
    """A browser's stream, read as slowly as one likes."""

    def __init__(self, page: Page, path: str = "/stream") -> None:
        self.socket = socket.socket()
        self.socket.settimeout(HANG_S)
        self.socket.connect(("127.0.0.1", page.port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode())
        self.read = b""

    def until(self, pattern: str) -> re.Match[str]:
        """Read until something came."""
        while not (found := re.search(pattern, self.read.decode(errors="replace"), re.DOTALL)):
            came = self.socket.recv(65536)
            assert came, self.read[-500:]
            self.read += came
        return found


@pytest.fixture
def listen() -> Iterator[Callable[..., Listener]]:
    """Open streams; they are closed after the test."""
    made: list[Listener] = []

    def opened(page: Page, path: str = "/stream") -> Listener:
        made.append(Listener(page, path))
        return made[-1]

    yield opened
    for each in made:
        each.socket.close()


Listen = Callable[..., Listener]


def test_it_only_reads(broker: Broker, pages: Pages) -> None:
    page = pages(broker)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = ask(page, method)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    for path in ("/", "/stream", "/static/page.js", "/table/T01"):
        assert ask(page, "HEAD", path).body == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 303),
        ("LOCALHOST:8080", 303),
        ("[::1]:8080", 303),
        ("10.1.2.3", 303),
        ("pit.example", 303),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ],
)
def test_names_that_are_not_ours_get_nothing(broker: Broker, pages: Pages, host: str, status: int) -> None:
    answer = ask(pages(broker, names=["pit.example"]), host=host)
    assert answer.status == status
    assert ("[page] names" in answer.body) == (status == 421)  # type: ignore[attr-defined]


def test_every_answer_says_what_a_browser_may_do(broker: Broker, pages: Pages) -> None:
    page = pages(broker)
    for path in ("/", "/nowhere", "/static/page.js", "/table/none"):
        headers = ask(page, path=path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_an_unknown_table_says_so(broker: Broker, pages: Pages) -> None:
    answer = ask(pages(broker), path="/table/%3Cb%3E?lang=en")
    assert answer.status == 404
    assert "&lt;b&gt;" in answer.body  # type: ignore[attr-defined]
    assert "<b>" not in answer.body  # type: ignore[attr-defined]


def test_streams_are_limited_and_the_answer_says_so(broker: Broker, pages: Pages, listen: Listen) -> None:
    page = pages(broker, streams=2)
    publish(broker, messages("T01", baccarat(2), now_ms()))
    first, second = listen(page), listen(page)
    first.until("event: parts")
    second.until("event: parts")
    answer = ask(page, path="/stream?lang=en")
    assert (answer.status, answer.headers["retry-after"]) == (503, "10")
    assert answer.body.startswith("2 browsers already show this page")  # type: ignore[attr-defined]
    second.socket.close()
    until(lambda: ask(page, "HEAD", "/stream").status == 200)


def test_it_ends_in_order_while_browsers_look(broker: Broker, pages: Pages, listen: Listen) -> None:
    page = pages(broker)
    listener = listen(page)
    listener.until("event: ")
    assert page.stop() == 0
    assert "ERROR" not in page.log
    assert "Traceback" not in page.log


def test_nothing_that_logs_in_reaches_a_browser(
    brokers: Callable[..., Broker], pages: Pages, listen: Listen, tmp_path: Path
) -> None:
    rights = re.search(r"(user pit\n.*?)```", DOC, re.DOTALL)
    assert rights
    acl = f"{rights[1]}\nuser table\ntopic readwrite shoe/#"
    broker = brokers(users={"pit": "open-sesame", "table": "x"}, acl=acl)
    secret = tmp_path / "password"
    secret.write_text("open-sesame\n")
    page = pages(broker)
    page.stop()
    config = page.config.read_text().replace("[page]", f'username = "pit"\npassword_file = "{secret}"\n[page]')
    page.config.write_text(config)
    page.start()
    listener = listen(page)
    listener.until("event: parts")
    until(lambda: "banner" not in ask(page).body.split("<main")[1])  # type: ignore[attr-defined]
    publish(broker, latest(messages("T01", baccarat(2), now_ms())), "table", "x")
    until(lambda: "tile-T01" in ask(page).body)  # type: ignore[attr-defined]
    listener.until("tile-T01|t-T01")
    sent = listener.read.decode() + ask(page).body + ask(page, path="/static/page.js").body  # type: ignore[attr-defined]
    assert "open-sesame" not in sent + page.log
    assert '"pit"' not in sent


def test_an_address_in_use_says_what_to_do(broker: Broker, pages: Pages) -> None:
    first = pages(broker)
    done = ran("-m", "firmware_bridge.floor", "--config", first.config, "page")
    assert done.returncode == 1
    assert re.search(r"cannot listen at 127\.0\.0\.1, port \d+: .*; check \[page\]", done.stderr)


def test_an_event_names_the_time_and_the_release(broker: Broker, pages: Pages, listen: Listen) -> None:
    listener = listen(pages(broker))
    found = listener.until(r"id: (\d{13}) (\S+)\nevent: parts\ndata: (\{.*?\})\n\n")
    assert abs(int(found[1]) - now_ms()) < HANG_MS
    assert "broker" in json.loads(found[3])
