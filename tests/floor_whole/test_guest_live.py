"""The guest screen in a real Chromium: every game by axe, and how it is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.floor.guests import STAGES
from tests.floor.tables import Message
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, publish, until
from tests.floor_whole.screens import with_screen
from tests.kit import backend as heard
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, backend = real.broker, real.brokers, heard.backend  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]

SIZES = ((1920, 1080), (1280, 720), (720, 1280))
GAMES = ("baccarat, as it stands", "blackjack", "niuniu", "zhajinhua", "erbagang")


def replayed(name: str, upto: float = 1.0) -> list[Message]:
    """What a table of the stages said, as it comes from a broker."""
    said = STAGES[name]().said
    part = said[: int(len(said) * upto)]
    kept = [each for each in part if each.topic in ("status", "table", "roads", "alarm", "round")]
    return [Message(f"shoe/T07/{each.topic}", each.payload, each.topic != "round") for each in kept]


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
@pytest.mark.parametrize("game", GAMES)
def test_a_screen_of_each_game_without_a_finding(
    broker: Broker, pages: Pages, tabs: Tabs, game: str, lang: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = with_screen(pages(broker), 'cards = "live"')
    tab = tabs(f"{page.url}{page.screen()}?lang={lang}")
    publish(broker, replayed(game))
    tab.wait_for_selector(f"main[data-game={game.split(',')[0]}] .board .title")
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    assert tab.get_attribute("html", "lang") == lang
    assert not tabs.errors


def test_a_screen_that_is_lost_says_please_wait_and_comes_back(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, replayed("blackjack"))
    tab = tabs(f"{page.url}{page.screen()}?lang=zh-Hans", viewport={"width": 1280, "height": 720})
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
    tab = tabs(f"{page.url}{page.screen()}?lang=en")
    publish(broker, [each for each in replayed("baccarat, as it stands") if each.topic != "shoe/T07/alarm"])
    publish(broker, [each for each in replayed("baccarat, as it stands", 0.02) if each.topic == "shoe/T07/alarm"])
    until(lambda: "wait" not in str(tab.get_attribute("main", "class")))
    broker.kill()
    tab.wait_for_selector("main.wait")
    assert not tabs.errors
