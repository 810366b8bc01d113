"""The guest screen with a real daemon, broker, server and Chromium: what it is sent, how it looks, how it is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests import backend as heard
from tests import broker as real
from tests.backend import Backend
from tests.broker import Broker
from tests.floor.guests import STAGES
from tests.floor.tables import Message
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import LIMIT_S, Page, Tabs, publish, until
from tests.system.table import DaemonTable

broker, brokers, backend = real.broker, real.brokers, heard.backend  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]

PEOPLE = ("ANNABEL", "BORIS")
WHY = "SPILLEDTEA"
SIZES = ((1920, 1080), (1280, 720), (720, 1280))
GAMES = ("baccarat, as it stands", "blackjack", "niuniu", "zhajinhua", "erbagang")


class Elsewhere:
    """A daemon that deals baccarat on a thread of its own: the browser's driver has the loop of this one."""

    def __init__(self, folder: Path, port: int) -> None:
        self._thread = ThreadPoolExecutor(1)
        given = {"table": {"decks": 1, "betting": "required"}, "limits": {"tie": 5000, "tiger_pair": 77}}
        self._table = self._do(lambda: DaemonTable(folder, port, **given).start())

    def deal(self, text: str) -> None:
        """Draw these cards and let the daemon journal them all."""
        self._do(lambda: self._table.deal(text))

    def order(self, do: str, **fields: Any) -> None:
        """Give an order that is obeyed."""
        answer = self._do(lambda: self._table.ask(do=do, by="ANNABEL", **fields))
        assert answer["ok"], answer

    def close(self) -> None:
        """Put everything away."""
        self._do(self._table.close)
        self._thread.shutdown()

    def _do(self, what: Callable[[], Any]) -> Any:
        return self._thread.submit(what).result()


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Elsewhere]:
    """A table of one pack at which bets are closed by an order."""
    made = Elsewhere(tmp_path, broker.port)
    yield made
    made.close()


class Stream:
    """A screen's stream as a browser reads it: every byte, and the screens in it."""

    def __init__(self, page: Page, path: str) -> None:
        self.raw = b""
        self._link = HTTPConnection("127.0.0.1", page.port, timeout=LIMIT_S)
        self._link.request("GET", path)
        self._answer = self._link.getresponse()
        assert self._answer.status == 200
        self.headers = str(self._answer.headers)

    def event(self) -> tuple[str, dict[str, str]]:
        """The next event that is not silence."""
        told: dict[str, str] = {}
        while line := self._line():
            key, _, value = line.partition(": ")
            told[key] = value
        return (told["event"], json.loads(told["data"])) if "event" in told else self.event()

    def screen(self, wanted: str) -> str:
        """The next screen with this text."""
        while True:
            name, parts = self.event()
            if name == "parts" and wanted in parts["screen"]:
                return parts["screen"]

    def quiet(self) -> list[str]:
        """The screens that came until nothing was new for a beat."""
        screens: list[str] = []
        while (told := self.event())[0] != "beat":
            screens.append(told[1]["screen"])
        return screens

    def close(self) -> None:
        self._link.close()

    def _line(self) -> str:
        line = self._answer.readline()
        assert line, "the stream has ended"
        self.raw += line
        return line.decode().rstrip("\n")


@contextmanager
def stream(page: Page, path: str) -> Iterator[Stream]:
    made = Stream(page, path)
    yield made
    made.close()


def got(page: Page, path: str) -> str:
    """The answer to a request, head and body."""
    link = HTTPConnection("127.0.0.1", page.port, timeout=LIMIT_S)
    link.request("GET", path)
    answer = link.getresponse()
    told = f"{answer.status} {answer.headers}{answer.read().decode()}"
    link.close()
    return told


def with_screen(page: Page, keys: str) -> Page:
    """The page again, with keys of `[screen]`."""
    page.stop()
    page.config.write_text(f"{page.config.read_text()}[screen]\n{keys}\n")
    return page.start()


# ---------------------------------------------------------------- what is sent


def test_every_byte_that_is_sent_is_for_guests(
    broker: Broker, backend: Backend, pages: Pages, table: Elsewhere
) -> None:
    page = pages(broker)
    table.order("open_shoe")
    with stream(page, "/screen/T07/stream?lang=en") as told:
        told.screen("Place your bets")
        table.order("bets_closed")
        table.deal("9s Kd Th")
        told.screen("No more bets")
        assert not any("9<i>" in each for each in told.quiet())
        table.deal("Kc")
        assert "9<i>♠" in told.screen("Player wins")
        table.order("bets_closed")
        table.deal("8h 8h")
        told.screen("Please wait")
        table.order("resolve", irregularity="duplicate", choice="remove", why=WHY)
        told.screen("No more bets")
        table.order("void", why=WHY)
        told.screen("Round void")
        backend.wait_until(lambda: any(each.payload.get("status") == "voided" for each in backend.received))
        sent = told.headers + told.raw.decode() + got(page, "/screen/T07") + got(page, "/screen/T07?lang=zh-Hans")
    said = [each.payload for each in backend.received]
    hidden = {each["head"] for each in said if "head" in each} | {each["boot"] for each in said if "boot" in each}
    hidden |= {each["journal"] for each in said if "journal" in each} | {"tiger", WHY, *PEOPLE}
    hidden |= {"duplicate", "cards_left", "409", "411", "412", "commit", "version", "firmware"}
    assert len(hidden) > 15
    assert [word for word in hidden if word in sent] == []
    assert "8<i>" not in sent.replace(json.dumps("♥")[1:-1], "♥")
    assert "5000" in sent


def test_cards_are_live_where_the_house_wants_it_and_never_before_bets_are_closed(
    broker: Broker, pages: Pages, table: Elsewhere
) -> None:
    page = with_screen(pages(broker), 'cards = "live"\nlanguage = "zh-Hant"')
    table.order("open_shoe")
    with stream(page, "/screen/T07/stream") as told:
        told.screen("請下注")
        table.deal("9s")
        assert not any("♠" in each for each in told.quiet())
        table.order("bets_closed")
        told.screen("9<i>♠")


def test_a_screen_has_no_way_to_anything_else(broker: Broker, pages: Pages) -> None:
    page = pages(broker)
    for path in ("/screen/T07", "/screen/T07/stream?lang=xx", "/screen/%3Cb%3E"):
        link = HTTPConnection("127.0.0.1", page.port, timeout=LIMIT_S)
        link.request("POST", path)
        assert link.getresponse().status == 405
        link.close()
    assert "<b>" not in got(page, "/screen/%3Cb%3E")
    assert got(page, "/screen/T07").count('href="/static/') == 2
    assert got(page, "/screen/T07").count("href") == 2


def test_too_many_screens_leave_the_pit_its_streams(broker: Broker, pages: Pages) -> None:
    page = with_screen(pages(broker), "streams = 1")
    with stream(page, "/screen/T07/stream") as first:
        first.event()
        assert got(page, "/screen/T08/stream").startswith("503")
        with stream(page, "/stream") as pit:
            pit.event()


# ---------------------------------------------------------------- in a browser


def replayed(name: str, upto: float = 1.0) -> list[Message]:
    """What a table of the stages said, as it comes from a broker."""
    said = STAGES[name]().said
    told = said[: int(len(said) * upto)]
    kept = [each for each in told if each.topic in ("status", "table", "roads", "alarm", "round")]
    return [Message(f"shoe/T07/{each.topic}", each.payload, each.topic != "round") for each in kept]


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
@pytest.mark.parametrize("game", GAMES)
def test_a_screen_of_each_game_without_a_finding(
    broker: Broker, pages: Pages, tabs: Tabs, game: str, lang: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = with_screen(pages(broker), 'cards = "live"')
    tab = tabs(f"{page.url}/screen/T07?lang={lang}")
    publish(broker, replayed(game))
    tab.wait_for_selector(f"main[data-game={game.split(',')[0]}] .last .outcome")
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        beyond = (
            "e => [...e.querySelectorAll('*')].filter(x => x.getBoundingClientRect().right > innerWidth + 1).length"
        )
        assert tab.eval_on_selector(".last", beyond) == 0
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    assert tab.get_attribute("html", "lang") == lang
    assert not tabs.errors


def test_a_screen_that_is_lost_says_please_wait_and_comes_back(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, replayed("blackjack"))
    tab = tabs(f"{page.url}/screen/T07?lang=zh-Hans", viewport={"width": 1280, "height": 720})
    tab.wait_for_selector("main[data-game=blackjack]")
    page.kill()
    tab.wait_for_selector("#lost:has-text('请稍候')")
    assert not tab.is_visible("#screen")
    page.start()
    tab.wait_for_selector("body.live")
    assert not tab.is_visible("#lost")
    page.pause()
    tab.wait_for_selector("#lost:has-text('请稍候')")
    page.resume()
    tab.wait_for_selector("body.live")
    assert all("ERR_" in each for each in tabs.errors), tabs.errors


def test_a_screen_waits_while_the_broker_is_gone(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    tab = tabs(f"{page.url}/screen/T07?lang=en")
    publish(broker, [each for each in replayed("baccarat, as it stands") if each.topic != "shoe/T07/alarm"])
    publish(broker, [each for each in replayed("baccarat, as it stands", 0.02) if each.topic == "shoe/T07/alarm"])
    until(lambda: "wait" not in str(tab.get_attribute("main", "class")))
    broker.kill()
    tab.wait_for_selector("main.wait")
    assert not tabs.errors
