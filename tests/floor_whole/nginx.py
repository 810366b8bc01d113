"""A real nginx on private ports, with the lines that the documents give for it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.floor_whole.pages import Page
from tests.kit.patience import HANG_S, ended, until

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
DOCS: Final = Path(__file__).parents[2] / "docs"
TO_PAGE: Final = "proxy_pass http://127.0.0.1:8080;"
"""As the documents have it: where the page listens if nobody says otherwise."""

FRAME: Final = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 768; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    sendfile on;
    tcp_nopush on;
    gzip on;
    proxy_ignore_headers X-Accel-Buffering;
{servers}
}}
"""
"""What Debian's nginx.conf sets for all servers, in a folder of its own; without the page's own word on buffering."""

needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is missing: install the package nginx")


def documented(name: str, page: Page) -> str:
    """The lines for nginx in a document, for a page of the tests."""
    (lines,) = re.findall(
        r"^```\n# nginx, [^\n]*\n(.*?)^```", (DOCS / name).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert TO_PAGE in lines
    return str(lines).replace(TO_PAGE, f"proxy_pass {page.url};")


def zones() -> str:
    """The zones that the lines for the screens count in."""
    document = (DOCS / "screen.md").read_text("utf-8")
    head = "# /etc/nginx/conf.d/screens.conf"
    (lines,) = re.findall(rf"^```\n{head}[^\n]*\n(.*?)^```", document, re.DOTALL | re.MULTILINE)
    return str(lines)


class Through(NamedTuple):
    """A way to the page through nginx; with `tls`, the folder of `certificates`, by TLS. address: of who asks."""

    port: int
    tls: Path | None = None
    address: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def link(self) -> HTTPConnection:
        """A new connection to it."""
        if self.tls is None:
            return HTTPConnection("127.0.0.1", self.port, timeout=HANG_S, source_address=(self.address, 0))
        context = ssl.create_default_context(cafile=self.tls / "ca.pem")
        return HTTPSConnection("127.0.0.1", self.port, timeout=HANG_S, context=context)


class Nginx:
    """An nginx with these server blocks, which listen at `ports`."""

    def __init__(self, folder: Path, servers: str, *ports: int) -> None:
        self._folder, self._ports = folder, ports
        (folder / "nginx.conf").write_text(FRAME.format(folder=folder, servers=servers))
        assert NGINX is not None, "these tests need nginx"
        self.start()

    def start(self) -> None:
        """Start it, and return when it listens."""
        folder = self._folder
        command = [str(NGINX), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
        with (folder / "said.log").open("ab") as said:
            self._process = subprocess.Popen(command, stdout=said, stderr=said)
        for port in self._ports:
            self._ready(port)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._process.kill()
        ended(self._process)

    def log(self, name: str) -> str:
        """What it has logged so far: `access`, `error` or `said`."""
        path = self._folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def end(self) -> None:
        """End it, at once for all."""
        self._process.send_signal(signal.SIGTERM)
        ended(self._process)

    def _ready(self, port: int) -> None:
        def story() -> str:
            return self.log("said") + self.log("error")

        def listens() -> bool:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=HANG_S):
                return True
            assert self._process.poll() is None, story()
            return False

        until(listens, story=story)


@pytest.fixture
def nginxes(tmp_path: Path) -> Iterator[Callable[..., Nginx]]:
    """Make running ones, of server blocks and their ports; they are ended after the test."""
    made: list[Nginx] = []

    def make(servers: str, *ports: int) -> Nginx:
        folder = tmp_path / f"nginx{len(made)}"
        folder.mkdir()
        made.append(Nginx(folder, servers, *ports))
        return made[-1]

    yield make
    for each in made:
        each.end()
