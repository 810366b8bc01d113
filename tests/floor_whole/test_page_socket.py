"""A page at a Unix socket, behind a real nginx that knows who has signed in."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from html import unescape
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from firmware_bridge.floor.page.people import People
from tests.floor.tables import baccarat, messages, sent_by
from tests.floor_whole import nginx
from tests.floor_whole.nginx import DOCS, Nginx, needs_nginx
from tests.floor_whole.pages import now_ms, publish, until
from tests.floor_whole.signed_in import FORM
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S, ended
from tests.kit.process import python, ran

broker, brokers, nginxes = real.broker, real.brokers, nginx.nginxes  # fixtures

NAME = "pit.example"


class Unix(HTTPConnection):
    """A connection to a page at a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, timeout=HANG_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(HANG_S)
        self.sock.connect(str(self._path))


class Answer(NamedTuple):
    status: int
    body: str


def ask(
    link: HTTPConnection, path: str = "/?lang=en", *headers: tuple[str, str], host: str = NAME, form: str | None = None
) -> Answer:
    with closing(link):
        link.putrequest("GET" if form is None else "POST", path, skip_host=True)
        length = [("content-type", FORM), ("content-length", str(len(form)))] if form is not None else []
        for name, value in (("host", host), *headers, *length):
            link.putheader(name, value)
        with suppress(BrokenPipeError):  # a refusal comes before the form is read
            link.endheaders((form or "").encode())
        answer = link.getresponse()
        return Answer(answer.status, answer.read().decode())


class SocketPage:
    """A page with a key, at a socket in `folder`; ANNA and DORA may act, everybody else may look."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        self.path, self._log = folder / "run" / "page.sock", folder / "page.log"
        self.path.parent.mkdir()
        for name in ("ANNA", "DORA"):
            People(folder / "users.json").add(name, "act", None)
        (folder / "page.key").write_bytes(bytes(range(32)))
        self._config = folder / "floor.toml"
        self._config.write_text(
            f'[mqtt]\nport = {broker.port}\n[page]\nsocket = "{self.path}"\nusers = "{folder}/users.json"\n'
            f'names = ["{NAME}"]\nuser_header = "X-Remote-User"\n'
            f'order_key_file = "{folder}/page.key"\n'
        )
        self.command = ("-m", "firmware_bridge.floor", "--config", str(self._config), "page")

    def start(self, *, waits: bool = True) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            self.process = python(*self.command, stdout=log, stderr=log)
        if waits:
            until(self._answers, lambda: self.log)
        return self.process

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log
        try:
            return ask(Unix(self.path), "/static/page.css").status == 200
        except OSError:
            return False


@pytest.fixture
def page(tmp_path: Path, broker: Broker) -> Iterator[SocketPage]:
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")
    made = SocketPage(tmp_path, broker)
    made.start()
    publish(broker, messages("T07", baccarat(2), now_ms()))
    until(lambda: "tile-T07" in ask(Unix(made.path), "/", ("X-Remote-User", "BO")).body)
    yield made
    made.process.kill()
    ended(made.process)


def test_at_the_socket_the_header_says_who_has_signed_in(page: SocketPage) -> None:
    def status(*headers: tuple[str, str], host: str = NAME) -> int:
        return ask(Unix(page.path), "/", *headers, host=host).status

    anna = ("X-Remote-User", "ANNA")
    assert status(anna) == status(("X-Remote-User", "somebody of the house")) == 200
    assert status() == status(("X-Remote-User", "")) == 303
    assert status(anna, ("X-Remote-User", "BO")) == 303
    assert status(anna, ("X-Forwarded-For", "10.0.0.9")) == 200
    assert status(anna, host="evil.example") == 421


def test_an_order_is_of_the_person_whom_the_proxy_names(page: SocketPage) -> None:
    def html(name: str, path: str = "/table/T07?lang=en") -> str:
        return ask(Unix(page.path), path, ("X-Remote-User", name)).body

    *_, last = [each.payload["round"] for each in sent_by(baccarat(2)) if each.topic == "table"]
    until(lambda: f"Void round {last}<" in html("ANNA"))  # all that the table said has come
    link = re.findall(r'href="(/table/T07/order\?[^"]*)"', html("ANNA"))[0]
    drawn = html("ANNA", unescape(link))
    form = urlencode([*re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', drawn), ("why", "x")])
    assert "/order" not in html("BO")

    def sent(name: str, *headers: tuple[str, str]) -> int:
        return ask(Unix(page.path), "/table/T07/order", ("X-Remote-User", name), *headers, form=form).status

    ours = ("Origin", f"https://{NAME}")
    assert sent("ANNA") == sent("ANNA", ("Origin", "https://evil.example")) == 403
    assert (sent("BO", ours), sent("DORA", ours)) == (403, 409)
    assert sent("ANNA", ours) == 504  # no such table is there to answer


def test_the_socket_is_for_its_group_and_is_made_again_after_a_crash(page: SocketPage) -> None:
    assert page.path.stat().st_mode & 0o777 == 0o660
    second = ran(*page.command)
    assert (second.returncode, "another program listens" in second.stderr) == (1, True)
    page.process.send_signal(signal.SIGKILL)
    ended(page.process)
    assert page.path.is_socket()
    page.start()
    page.process.send_signal(signal.SIGTERM)
    assert ended(page.process) == 0
    assert not page.path.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_nobody_else_reaches_the_socket(page: SocketPage) -> None:
    for folder in page.path.parents:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    if (child := os.fork()) == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os._exit(socket.socket(socket.AF_UNIX).connect_ex(str(page.path)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == errno.EACCES


@needs_nginx
def test_nginx_says_who_and_no_browser_can(page: SocketPage, nginxes: Callable[..., Nginx], tmp_path: Path) -> None:
    (passwords := tmp_path / "passwords").write_text("BO:{PLAIN}open-sesame\n")
    lines = (DOCS / "page.md").read_text("utf-8")
    documented = "proxy_pass http://unix:/run/shoe-floor-page/page.sock;"
    assert documented in lines
    assert "proxy_set_header X-Remote-User $remote_user;" in lines
    port = free_port()
    server = (
        f'server {{ listen 127.0.0.1:{port}; auth_basic "the pit"; auth_basic_user_file {passwords};\n'
        f"location / {{ {documented.replace('/run/shoe-floor-page/page.sock', str(page.path))}\n"
        "proxy_set_header Host $host; proxy_set_header X-Remote-User $remote_user;\n"
        "proxy_set_header X-Forwarded-For $remote_addr; }}".replace("}}", "}")
        + "}"
    )
    nginxes(server, port)

    def got(*headers: tuple[str, str]) -> Answer:
        return ask(HTTPConnection("127.0.0.1", port, timeout=HANG_S), "/?lang=en", *headers)

    login = ("Authorization", f"Basic {b64encode(b'BO:open-sesame').decode()}")
    assert got().status == got(("X-Remote-User", "ANNA")).status == 401
    for forged in (("X-Remote-User", "ANNA"), ("x-remote-user", "ANNA"), ("X_Remote_User", "ANNA")):
        answer = got(login, forged)
        assert (answer.status, "ANNA" in answer.body) == (200, False)
