"""`shoe-floor page` as a process of its own, a real Chromium before it, and a publisher of what tables say."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.floor.page.addresses import Addresses, path_of
from tests.floor.tables import Message
from tests.kit import patience
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S, ended
from tests.kit.process import python

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

HANG_MS = 1000 * HANG_S
CHROMIUM = shutil.which("chromium")


class Page:
    """A page on a port that it keeps over restarts; `url` ends without a slash."""

    def __init__(self, folder: Path, broker_port: int, **keys: Any) -> None:
        self.port = keys.setdefault("port", free_port())
        keys.setdefault("users", str(folder / "users.json"))
        if not keys.keys() & {"names", "proxies", "sign_in", "host", "user_header"}:
            keys["sign_in"] = "off"
        self.url = f"http://127.0.0.1:{self.port}"
        self.config, self._log = folder / "floor.toml", folder / "page.log"
        lines = [f"{key} = {str(value).lower() if isinstance(value, bool) else value!r}" for key, value in keys.items()]
        self._addresses = Addresses(folder / "screens.json")
        screen = f'[screen]\nsecrets = "{folder}/screens.json"\n'
        page = "\n".join(lines).replace("'", '"')
        self.config.write_text(f"[mqtt]\nport = {broker_port}\n[page]\n{page}\n{screen}")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Page:
        """Start it and return when it answers."""
        with self._log.open("ab") as log:
            command = ("-m", "firmware_bridge.floor", "--config", self.config, "page")
            self.process = python(*command, stdout=log, stderr=log)
        until(self._answers, lambda: self.log)
        return self

    def stop(self) -> int:
        """End it in order; its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze it: the kernel still takes connections, nobody answers."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self.process
        self.process.send_signal(signal.SIGCONT)

    def link(self) -> HTTPConnection:
        """A new connection to it."""
        return HTTPConnection("127.0.0.1", self.port, timeout=HANG_S)

    def screen(self, table: str = "T07") -> str:
        """The path of a table's guest screen, with its secret."""
        return path_of(table, self._addresses.complete([table])[table])

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def _answers(self) -> bool:
        assert self.process
        assert self.process.poll() is None, self.log
        try:
            return bool(urllib.request.urlopen(f"{self.url}/static/page.css", timeout=HANG_S).status == 200)
        except OSError:  # no page yet, or one that ends meanwhile
            return False

    def _end(self, number: signal.Signals) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        return ended(process)


def until(condition: Callable[[], Any], story: Callable[[], str] = str) -> Any:
    """Wait until a condition is true; its value."""
    return patience.until(condition, story=story, look_s=0.02)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Make running pages of a broker, with keys of `[page]`."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            pytest.skip(f"the package {package} is not installed")
    made: list[Page] = []

    def make(broker: Broker, **keys: Any) -> Page:
        folder = tmp_path / f"page{len(made)}"
        folder.mkdir()
        made.append(Page(folder, broker.port, **keys))
        return made[-1].start()

    yield make
    for each in made:
        each.kill()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A Chromium of the system."""
    if find_spec("playwright") is None:
        pytest.skip("the package playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


class Tabs:
    """Opens tabs, and remembers what their consoles said was wrong."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.errors: list[str] = []

    def __call__(self, url: str, **options: Any) -> Tab:
        """A tab that shows a page, live."""
        tab = self._new(**options)
        answer = tab.goto(url)
        assert answer is not None
        assert answer.ok, answer.text()
        tab.wait_for_selector("body.live")
        return tab

    def signed_in(self, url: str, name: str, password: str) -> Tab:
        """A tab of a person who has signed in, at the wall."""
        tab = self._new()
        tab.goto(f"{url}/sign-in?lang=en")
        tab.fill("input[name=name]", name)
        tab.fill("input[name=password]", password)
        tab.keyboard.press("Enter")
        tab.wait_for_selector("body.live")
        return tab

    def _new(self, **options: Any) -> Tab:
        context = self._browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        tab = context.new_page()
        tab.set_default_timeout(HANG_MS)
        tab.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        return tab

    def close(self) -> None:
        for context in self._browser.contexts:
            context.close()


@pytest.fixture
def tabs(chromium: Browser) -> Iterator[Tabs]:
    """Tabs of the browser; they are closed after the test."""
    made = Tabs(chromium)
    yield made
    made.close()


def publish(broker: Broker, messages: Iterable[Message], user: str | None = None, password: str | None = None) -> None:
    """Publish messages in their order, and wait until the broker has them."""
    client = Client(CallbackAPIVersion.VERSION2, f"test-{os.getpid()}-{time.monotonic_ns()}")
    client.username_pw_set(user, password)
    client.max_queued_messages_set(0)
    client.connect(broker.host, broker.port)
    client.loop_start()
    sent = [client.publish(each.topic, each.payload, qos=1, retain=each.retained) for each in messages]
    for each in sent:
        each.wait_for_publish(HANG_S)
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()


def now_ms() -> int:
    return int(time.time() * 1000)
