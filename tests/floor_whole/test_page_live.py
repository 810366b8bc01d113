"""The page in a real Chromium, with a real daemon at a real broker: what happens at a table is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.topics.texts import LANGUAGES
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import a_hundred, alive, baccarat, latest, messages
from tests.floor.test_wall import COUNTS, two_hundred
from tests.floor_whole import pages as whole
from tests.floor_whole.elsewhere import Elsewhere
from tests.floor_whole.pages import HANG_MS, Page, Tabs, now_ms, publish, until
from tests.kit import broker as real
from tests.kit.broker import Broker

if TYPE_CHECKING:
    from playwright.sync_api import Browser

broker, brokers = real.broker, real.brokers  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Elsewhere]:
    """A table at which a card may be drawn twice."""
    made = Elsewhere(tmp_path, broker.port, table={"decks": 1})
    yield made
    made.close()


def test_a_round_at_a_table_is_seen(broker: Broker, pages: Pages, tabs: Tabs, table: Elsewhere) -> None:
    page = pages(broker)
    grid = tabs(f"{page.url}/?lang=en")
    grid.wait_for_selector("#fine #t-T07")
    own = tabs(f"{page.url}/table/T07?lang=zh-Hant", color_scheme="dark")
    table.deal("9s Kd")
    own.wait_for_selector("#state dd:has-text('P2')")
    own.wait_for_selector("#now .card:has-text('9♠')")
    grid.wait_for_selector("#fine #t-T07 .badge.is-playing")
    table.deal("Th Kc")
    own.wait_for_selector("#rounds tbody tr:has-text('例牌 9')")
    own.wait_for_selector("#board svg")
    assert not tabs.errors


def test_an_alarm_comes_and_goes_and_is_said(broker: Broker, pages: Pages, tabs: Tabs, table: Elsewhere) -> None:
    page = pages(broker)
    grid = tabs(f"{page.url}/?lang=en")
    table.deal("2c")
    publish(broker, [*messages("T01", baccarat(3), now_ms()), *alive("T01", now_ms())])
    grid.wait_for_selector("#tile-T01 + #tile-T07")
    table.deal("9s 9s")
    grid.wait_for_selector("#trouble > #tile-T07 .badge.is-blocked")
    grid.wait_for_selector("#fine > #tile-T01")
    assert grid.inner_text("#n-blocked") == "1"
    assert grid.title().startswith("1 blocked · ")
    grid.wait_for_selector("#news:has-text('Table T07: Duplicate card')", state="attached")
    assert grid.get_attribute("#news", "aria-live") == "polite"
    grid.click("#tile-T07 a")
    grid.wait_for_selector("body.live")
    assert "remove: the card does not belong to this shoe" in grid.inner_text("#alarms")
    table.order("resolve", "ben", irregularity="duplicate", choice="remove", why="seen")
    grid.wait_for_selector("#alarms:has-text('No alarm is open.')")
    grid.wait_for_selector("#news:has-text('Table T07: no alarm is open')", state="attached")
    grid.click("a.back")
    grid.wait_for_selector("#fine > #tile-T01 + #tile-T07 .badge.is-playing")
    assert not tabs.errors


def test_a_page_that_is_gone_is_grey_at_once_and_comes_back(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*messages("T01", baccarat(3), now_ms()), *alive("T01", now_ms())])
    tab = tabs(f"{page.url}/?lang=zh-Hans")
    tab.wait_for_selector("#t-T01 .badge.is-playing")
    page.kill()
    tab.wait_for_selector("body.lost #banner:has-text('与本页的连接已中断')")
    assert "grayscale" in tab.evaluate("getComputedStyle(document.querySelector('main')).filter")
    assert tab.inner_text("#news")
    publish(broker, [*messages("T02", baccarat(3), now_ms()), *alive("T02", now_ms())])
    page.start()
    tab.wait_for_selector("body.live")
    tab.wait_for_selector("#t-T02 .badge.is-playing")
    assert tab.is_hidden("#banner")
    assert tab.evaluate("getComputedStyle(document.querySelector('main')).filter") == "none"
    assert all("ERR_" in each for each in tabs.errors), tabs.errors


def test_a_page_that_says_nothing_is_lost_too(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    tab = tabs(f"{page.url}/?lang=en")
    page.pause()
    tab.wait_for_selector("body.lost")
    page.resume()
    tab.wait_for_selector("body.live")
    assert not tabs.errors


def test_a_page_without_its_broker_says_so_until_it_is_back(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*messages("T01", baccarat(3), now_ms()), *alive("T01", now_ms())])
    tab = tabs(f"{page.url}/?lang=en")
    tab.wait_for_selector("#t-T01 .badge.is-playing")
    broker.kill()
    tab.wait_for_selector("#broker .banner:has-text('no connection to the broker')")
    broker.start()
    tab.wait_for_selector("#broker:not(:has(.banner))", state="attached")
    assert not tabs.errors


def test_a_shoe_that_is_lost_is_a_card_of_its_own_and_one_that_stopped_in_order_is_closed(
    broker: Broker, pages: Pages, tabs: Tabs
) -> None:
    page = pages(broker)
    for name in ("T01", "T02"):
        publish(broker, [*messages(name, baccarat(3), now_ms()), *alive(name, now_ms())])
    tab = tabs(f"{page.url}/?lang=en")
    tab.wait_for_selector("#fine > #tile-T01 + #tile-T02")
    publish(broker, [*alive("T01", now_ms(), state="lost")[:1], *alive("T02", now_ms(), state="stopped")[:1]])
    tab.wait_for_selector("#trouble > #tile-T01.is-silent .stale:has-text('disconnected')")
    assert tab.evaluate("getComputedStyle(document.querySelector('#tile-T01')).outlineStyle") == "dashed"
    tab.wait_for_selector("#closed > #tile-T02", state="attached")
    tab.click("[data-show=closed]")
    tab.wait_for_selector("#closed > #tile-T02")
    assert tab.is_hidden("#tile-T01")
    assert tab.url.endswith("show=closed")
    assert tab.title().startswith("1 gone · ")


def test_keys_alone_reach_everything_and_updates_leave_the_focus(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [each for name in ("T01", "T02") for each in messages(name, baccarat(3), now_ms())])
    tab = tabs(f"{page.url}/?lang=en")
    tab.wait_for_selector("#tile-T02")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.dataset.show") == "blocked"
    reached = []
    while "T02" not in reached:
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.textContent || document.activeElement.id"))
        assert len(reached) < 20, reached
    assert {"find", "bell", "Pit 3", "T01"} <= set(reached)
    assert "Wall screen" in tab.locator("header a").all_inner_texts()
    publish(broker, messages("T02", baccarat(4, 7, "9s ?? Kd"), now_ms()))
    tab.wait_for_selector("#fine > #tile-T02.is-blocked")  # the order is held, what is wrong is not
    assert tab.is_visible("#held")
    tab.wait_for_selector("#trouble > #tile-T02")
    assert tab.evaluate("document.activeElement.textContent") == "T02"
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#board:focus, #alarms")
    assert tab.url.endswith("/table/T02?lang=en")


def test_a_table_does_not_move_from_under_a_pointer(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [each for name in ("T01", "T02") for each in messages(name, baccarat(3), now_ms())])
    tab = tabs(f"{page.url}/?lang=en")
    tab.hover("#fine > #tile-T02")
    publish(broker, messages("T01", baccarat(4, 7, "9s ?? Kd"), now_ms()))
    tab.wait_for_selector("#fine > #tile-T01.is-blocked .badge")
    assert tab.is_visible("#held")
    tab.mouse.move(0, 0)
    tab.wait_for_selector("#trouble > #tile-T01")
    assert tab.is_hidden("#held")


def test_the_same_alarm_at_many_tables_is_a_line_that_opens(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    lost = inputs.DeviceLost(at=0, device="broker", why="x")
    tables = [f"T{number:02}" for number in range(1, 6)]
    publish(
        broker, [each for name in tables for each in messages(name, Scene("baccarat", {}, ("shoe", lost)), now_ms())]
    )
    tab = tabs(f"{page.url}/?lang=en")
    tab.wait_for_selector(".fold summary:has-text('5 tables')")
    assert tab.is_hidden("#tile-T01")
    tab.click(".fold summary")
    tab.wait_for_selector(".fold #tile-T05")
    publish(broker, messages("T03", baccarat(3), now_ms()))
    tab.wait_for_selector(".fold[open], .fold [open] summary:has-text('4 tables')")
    tab.mouse.move(0, 0)
    tab.wait_for_selector("#fine > #tile-T03")
    tab.fill("#find", "t04")
    assert [tab.is_visible(f"#tile-{name}") for name in tables] == [False, False, False, True, False]
    assert not tabs.errors


@pytest.mark.parametrize(("lang", "scheme"), [("en", "light"), ("zh-Hant", "dark"), ("zh-Hans", "light")])
def test_a_hundred_tables_without_a_finding(broker: Broker, pages: Pages, tabs: Tabs, lang: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = pages(broker)
    publish(broker, a_hundred(now_ms()))
    publish(broker, [*messages("B1", baccarat(30, 5, "9s ?? Kd"), now_ms()), *alive("B1", now_ms(), state="lost")])
    tab = tabs(f"{page.url}/?lang={lang}", color_scheme=scheme)
    tab.wait_for_selector("#tile-T100")
    assert tab.evaluate("document.querySelector('#trouble > li').id") == "tile-B1"
    assert tab.evaluate("document.querySelectorAll('#wall [id^=tile-]').length") == 101
    for path in ("/", "/table/B1", "/table/T002", "/table/T003"):
        for width in (1400, 360):
            tab.set_viewport_size({"width": width, "height": 800})
            tab.goto(f"{page.url}{path}?lang={lang}")
            tab.wait_for_selector("body.live")
            found = Axe().run(tab)
            assert found.violations_count == 0, found.generate_report()
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert not tabs.errors


def test_without_a_script_counts_filter_and_names_are_found(broker: Broker, pages: Pages, chromium: Browser) -> None:
    page = pages(broker)
    publish(broker, [*messages("T01", baccarat(3, 7, "9s ??"), now_ms()), *alive("T01", now_ms())])
    for name, state in (("T02", "online"), ("T03", "online"), ("T04", "stopped")):
        publish(broker, [*messages(name, baccarat(3), now_ms()), *alive(name, now_ms(), state=state)])
    tab = chromium.new_context(java_script_enabled=False).new_page()
    until(lambda: tab.goto(f"{page.url}/?lang=en") and tab.locator("#tile-T04").count())

    def sees(*wanted: str) -> None:
        """Until the page is whole."""
        until(lambda: [name for name in ("T01", "T02", "T03", "T04") if tab.is_visible(f"#tile-{name}")] == [*wanted])

    sees("T01", "T02", "T03")
    tab.click("#shut summary")
    sees("T01", "T02", "T03", "T04")
    tab.click("[data-show=blocked]")
    sees("T01")
    tab.click("[data-show=closed]")
    sees("T04")
    tab.click("[data-show='']")
    tab.fill("#find", "t03")
    tab.press("#find", "Enter")
    sees("T03")
    tab.goto(f"{page.url}/?lang=en&wall=on")
    assert tab.is_visible("noscript p")
    tab.context.close()


def test_who_wants_it_hears_that_one_table_more_is_blocked(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*messages("T01", baccarat(3, 7, "9s ??"), now_ms()), *alive("T01", now_ms())])
    publish(broker, [*messages("T02", baccarat(3), now_ms()), *alive("T02", now_ms())])
    tab = tabs(f"{page.url}/?lang=en")
    tab.evaluate("() => { window.rung = 0; OscillatorNode.prototype.start = () => { window.rung += 1; }; }")
    tab.evaluate("() => { OscillatorNode.prototype.stop = () => {}; }")
    tab.wait_for_selector("#trouble > #tile-T01")
    tab.check("#bell")
    publish(broker, alive("T02", now_ms(), state="stopped")[:1])
    tab.wait_for_selector("#closed > #tile-T02", state="attached")
    assert tab.evaluate("window.rung") == 0
    publish(broker, alive("T02", now_ms(), state="lost")[:1])
    tab.wait_for_selector("#trouble > #tile-T02")
    assert tab.evaluate("window.rung") == 2


BOTTOM = """() => Math.max(...[...document.querySelectorAll("#bar, #trouble > li")].map(
    (each) => each.getBoundingClientRect().bottom + scrollY))"""
"""Where that ends which matters: counts and trouble."""

NARROW = """() => [...document.querySelectorAll("#bar a, .tiles > li, .lines > li, h3, .more > *")].filter(
    (each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline").map(
    (each) => each.outerHTML)"""
"""What is cut."""

CAPITALS = """() => [...document.querySelectorAll(".tiles :is(h3 a, .alarm-name, .old span, .more time, .of)")].map(
    (each) => 0.7 * parseFloat(getComputedStyle(each).fontSize))"""
"""Height of capitals of what matters, in pixels."""


def wait_until_above(tab: Any, height: int) -> None:
    """Wait until what matters ends above a line: a browser without a core lays out late."""
    until(lambda: tab.evaluate(BOTTOM) <= height)


def test_all_that_matters_of_two_hundred_tables_is_seen(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = pages(broker)
    publish(broker, [each for batch in two_hundred(now_ms()).values() for each in latest(batch)])
    tab = tabs(f"{page.url}/?lang=en")
    tab.wait_for_selector("#n-all:has-text('200')")
    assert [tab.inner_text(f"#n-{name}") for name in COUNTS] == [str(count) for count in COUNTS.values()]
    for lang in LANGUAGES:
        for width, height, screens in ((1920, 1080, 1), (1366, 768, 2), (390, 844, 2), (3840, 2160, 1)):
            tab.set_viewport_size({"width": width, "height": height})
            tab.goto(f"{page.url}/?lang={lang}")
            tab.wait_for_selector("body.live")
            wait_until_above(tab, screens * height)
            assert tab.evaluate(NARROW) == []
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            first = tab.evaluate("[...document.querySelectorAll('#trouble > li')].map(each => each.className)")
            assert first == ["is-blocked"] * 3 + ["is-silent"] * 6 + ["fold"]
    tab.click("#shut summary")
    tab.click(".fold summary")
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    for width, height in ((1920, 1080), (3840, 2160)):
        tab.set_viewport_size({"width": width, "height": height})
        tab.goto(f"{page.url}/?lang=zh-Hant&wall=on")
        tab.wait_for_selector("body.live")
        wait_until_above(tab, height)
        assert min(tab.evaluate(CAPITALS)) >= height / 60
    assert not tabs.errors


def test_a_table_that_nobody_knows_yet_comes_by_itself(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, messages("T01", baccarat(3), now_ms()))
    tab = tabs(f"{page.url}/table/T01?lang=en")
    tab.goto(f"{page.url}/table/T02?lang=en")
    tab.wait_for_selector("#state:has-text('There is no table with this name')")
    publish(broker, messages("T02", baccarat(3), now_ms()))
    tab.wait_for_selector("#board svg")
    assert all("404" in each for each in tabs.errors)


def test_too_many_browsers_are_refused_with_the_reason(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker, streams=1)
    first = tabs(f"{page.url}/?lang=en")
    context = first.context.browser.new_context()
    second = context.new_page()
    second.goto(f"{page.url}/?lang=en")
    second.wait_for_selector("#banner:has-text('Too many browsers')", timeout=HANG_MS)
    first.close()
    second.wait_for_selector("body.live", timeout=HANG_MS)
