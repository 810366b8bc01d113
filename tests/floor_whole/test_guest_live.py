"""The guest screen in a real Chromium: every game, full tables, and how it is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import Limit, View, view
from firmware_bridge.games.guest import Hand, Result
from firmware_bridge.topics.texts import Language
from tests.floor.guest_table import kept
from tests.floor.guests import STAGES
from tests.floor.tables import Message
from tests.floor.test_page_record import NOTE
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, publish, until
from tests.floor_whole.screens import with_screen
from tests.kit import backend as heard
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.tools.pictures.pages import guests

broker, brokers, backend = real.broker, real.brokers, heard.backend  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]

SIZES = ((1920, 1080), (1280, 720), (720, 1280))
GAMES = ("baccarat, as it stands", "blackjack", "niuniu", "zhajinhua", "erbagang")


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
    tab = tabs(f"{page.url}{page.screen()}?lang={lang}")
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


LOST: Final = ("Th", "Td", "5s")
SEATS: Final = tuple(
    Hand(f"S{n}.{hand}", LOST, "25", "is.blackjack.bust", "lose") for n in range(1, 8) for hand in (1, 2)
)
DEALER: Final = Hand("D", ("6c", "9s", "Tc"), "25", "is.blackjack.bust")
STRAIGHTS: Final = tuple(
    Hand(f"S{n}", ("Qd", "Ad", "7d"), "", "is.zhajinhua.straight_flush", "win") for n in range(1, 6)
)
FULL: Final[dict[str, View]] = {
    "blackjack": View(
        waits=False,
        game="blackjack",
        round=12,
        limits=(Limit("bet", "10", "1000"),),
        result=Result(11, "is.blackjack.dealer_bust", "", (DEALER, *SEATS)),
        results=(Result(10, "is.blackjack.dealer_bust"),) * 10,
    ),
    "blackjack, live": View(
        waits=False,
        game="blackjack",
        round=12,
        cards=tuple(Hand(each.name, each.cards) for each in (DEALER, *SEATS)),
        limits=(Limit("bet", "10", "1000"),),
        result=Result(11, "is.blackjack.dealer_bust", "", (DEALER, *SEATS)),
    ),
    "zhajinhua": View(
        waits=False,
        game="zhajinhua",
        round=1,
        pot="1234.5",
        stake="10",
        seats=("S1", "S2", "S3", "S4", "S5"),
        limits=(Limit("ante", "1", ""), Limit("top", "10", "")),
        result=Result(1, "wins.seat", "S5", STRAIGHTS, pot="998.25"),
        results=(Result(1, "wins.seat", "S3"),) * 10,
    ),
}
FULL["blackjack, between shoes"] = FULL["blackjack"]._replace(round=None, note=NOTE)
FULL["baccarat, between shoes"] = View(
    waits=False,
    game="baccarat",
    limits=(Limit("table", "100", "50000"),),
    roads=view(kept(STAGES["baccarat, as it stands"]().said)).roads,
    result=Result(80, "wins.banker", "", tuple(Hand(name, LOST, "9") for name in ("player", "banker")), natural=True),
    note=NOTE,
)
"""Tables at which every seat is taken, and what stands there between shoes."""


@pytest.mark.parametrize("lang", ["en", "zh-Hans"])
def test_a_full_table_has_room(broker: Broker, pages: Pages, tabs: Tabs, lang: Language) -> None:
    page = pages(broker)
    tab = tabs(f"{page.url}{page.screen()}?lang={lang}")
    over = """() => [...document.querySelectorAll(".last *, .now *")].filter(each => {
        const box = each.getBoundingClientRect(), below = document.querySelector(".before, footer");
        return box.right > innerWidth || (box.height && box.bottom > below.getBoundingClientRect().top + 1);
    }).map(each => each.outerHTML)"""
    for name, shown in FULL.items():
        tab.evaluate("html => { document.getElementById('screen').innerHTML = html }", screen("T07", shown, lang))
        for width, height in SIZES:
            tab.set_viewport_size({"width": width, "height": height})
            assert tab.evaluate(over) == [], (name, width)


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_the_last_round_of_baccarat_fills_its_side(broker: Broker, pages: Pages, tabs: Tabs, lang: Language) -> None:
    page = pages(broker)
    tab = tabs(f"{page.url}{page.screen()}?lang={lang}")
    drawn = guests(lang).parts["screen"]
    tab.evaluate("html => { document.getElementById('screen').innerHTML = html }", drawn)
    tab.evaluate("""() => document.querySelectorAll(".last .cards").forEach(each => {
        each.innerHTML = '<span class="card">10<i>♣</i></span>'.repeat(3);
    })""")
    for width, height in ((1280, 720), (1920, 1080), (3840, 2160)):
        tab.set_viewport_size({"width": width, "height": height})
        low = "selector => document.querySelector(selector).getBoundingClientRect().bottom"
        assert abs(tab.evaluate(low, ".last .hands") - tab.evaluate(low, ".roads")) < height / 50
        assert (
            tab.evaluate("() => new Set([...document.querySelectorAll('.last .card')].map(x => x.offsetTop)).size") == 2
        )
        within = "() => [...document.querySelectorAll('.last .hand')].every(x => x.scrollWidth <= x.clientWidth)"
        assert tab.evaluate(within)


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
