"""A table's page with its past and its runbook in a real Chromium: what is read first, found and printed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from tests.floor.every_past import past_messages, stored_past
from tests.floor.facts.played import rows
from tests.floor.tables import alive, baccarat, latest, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, now_ms, publish, until
from tests.floor_whole.test_page_past import with_store
from tests.kit import broker as real
from tests.kit.broker import Broker

if TYPE_CHECKING:
    from playwright.sync_api import Browser

broker, brokers = real.broker, real.brokers  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]

LEAD: Final = """() => Math.max(...[...document.querySelectorAll(".lead > *")].map(
    (each) => each.getBoundingClientRect().bottom + scrollY))"""
"""Where state, alarms and cards end."""

CAPITALS: Final = """() => Math.min(...[...document.querySelectorAll(
    ".lead :is(dd, .where, .badge, .alarm h3, .todo, .since, .choices li, .felt .card)")].map(
    (each) => 0.7 * parseFloat(getComputedStyle(each).fontSize)))"""
"""Height of the smallest capitals of what matters, in pixels."""

CUT: Final = """() => [...document.querySelectorAll(".lead *, .past-box *, .past *, .help *, .book *")].filter(
    (each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1
        && getComputedStyle(each).display !== "inline" && !each.closest(".hidden, .scroll, summary")).map(
    (each) => each.outerHTML.slice(0, 200))"""


@pytest.fixture
def config(tmp_path: Path) -> FloorConfig:
    return parse({"store": {"path": str(tmp_path / "floor.db")}})


@pytest.fixture
def page(broker: Broker, pages: Pages, config: FloorConfig) -> Page:
    """A page of a table that has a past, with its store."""
    now = now_ms()
    stored_past(config, "T07", now=now)
    publish(broker, [*latest(past_messages("T07", now)), *alive("T07", now)])
    return with_store(pages(broker), config)


def test_state_what_to_do_and_cards_are_read_first_and_at_two_metres(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*messages("T07", baccarat(30, 4, "9s 8d 9s ?? Kd"), now_ms()), *alive("T07", now_ms())])
    for lang in LANGUAGES:
        tab = tabs(f"{page.url}/table/T07?lang={lang}", viewport={"width": 1920, "height": 1080})
        tab.wait_for_selector("#alarms .alarm.blocks .todo")
        for width, height in ((1920, 1080), (1366, 768)):
            tab.set_viewport_size({"width": width, "height": height})
            assert tab.evaluate(LEAD) <= height
            assert tab.evaluate(CUT) == []
        tab.set_viewport_size({"width": 1920, "height": 1080})
        assert tab.evaluate(CAPITALS) >= 1080 / 90
        assert tab.evaluate("document.querySelector('#roads').getBoundingClientRect().top") < 200
        tab.set_viewport_size({"width": 390, "height": 844})
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        places = tab.evaluate("['state', 'alarms', 'now', 'past', 'roads'].map(id => document.getElementById(id)"
                              ".getBoundingClientRect().top)")  # fmt: skip
        assert places[:3] == sorted(places[:3])
        tab.context.close()
    assert not tabs.errors


def test_the_past_comes_to_an_open_page_and_a_round_is_found(
    broker: Broker, page: Page, tabs: Tabs, config: FloorConfig
) -> None:
    tab = tabs(f"{page.url}/table/T07?lang=en")
    tab.wait_for_selector("#past tr:has-text('Duplicate card'):has-text('remove')")
    assert tab.inner_text("#past td:has-text('1 corrected')") == "4, 1 void, 1 corrected"
    tab.focus("#past a[href*='/shoe/1']")
    assert "UTC" not in tab.inner_text("#past")
    with closing(open_store(config)) as store:
        store.save(rows("niuniu", "T07"), [], [])
    publish(broker, messages("T07", baccarat(4, 7), now_ms()))
    tab.wait_for_selector("#past tr:has-text('the pack is over')")
    assert tab.evaluate("document.activeElement.getAttribute('href')") == "/table/T07/shoe/1?lang=en"
    tab.fill("[name=round]", "1-2")
    tab.press("[name=round]", "Enter")
    tab.wait_for_selector(".found h2:has-text('Shoe 1, round 2')")
    assert "Corrected by backend" in tab.inner_text(".versions li:first-child")
    assert "8♠" in tab.inner_text(".versions li:last-child")
    tab.click("text=All rounds of shoe 1")
    tab.wait_for_selector("tr:has-text('Made void by backend: misdeal')")
    tab.click("text=Card not read")
    tab.wait_for_selector(".help .todo:has-text('Two people must enter the card')")
    tab.click("text=All alarms, and what the pit may decide")
    tab.wait_for_selector(".book h2:has-text('keep-order')")
    assert not tabs.errors


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_past_and_the_runbook_have_no_finding(page: Page, tabs: Tabs, lang: Language) -> None:
    from axe_playwright_python.sync_playwright import Axe

    paths = ("/table/T07", "/table/T07/history", "/table/T07/history?round=1-3", "/table/T07/history?round=x",
             "/table/T07/shoe/1", "/help/alarm/duplicate", "/help/alarm/record_differs", "/help/audit",
             "/help/irregularities")  # fmt: skip
    tab = tabs(f"{page.url}/table/T07?lang={lang}")
    tab.wait_for_selector("#past table")
    for path in paths:
        for scheme, width in (("light", 1400), ("dark", 390)):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 800})
            tab.goto(f"{page.url}{path}{'&' if '?' in path else '?'}lang={lang}")
            tab.wait_for_selector("#past table" if path == "/table/T07" else "main")
            found = Axe().run(tab)
            assert found.violations_count == 0, (path, found.generate_report())
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, path
            assert tab.evaluate(CUT) == [], path
            assert tab.get_attribute("html", "lang") == lang
    assert not tabs.errors


def test_a_printed_page_is_light_and_has_no_controls(page: Page, tabs: Tabs) -> None:
    tab = tabs(f"{page.url}/table/T07?lang=en", color_scheme="dark")
    tab.wait_for_selector("#past table")
    for path in ("/table/T07/shoe/1", "/table/T07"):
        tab.emulate_media(media="print")
        tab.set_viewport_size({"width": 703, "height": 1000})
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(23, 32, 43)"
        assert tab.evaluate("document.documentElement.scrollWidth") <= 703
        assert not [each for each in tab.locator("header nav, form, .skip, button").all() if each.is_visible()]
        assert tab.is_visible("h1")
        assert tab.pdf(format="A4").startswith(b"%PDF")
        tab.emulate_media(media="screen")
        tab.goto(f"{page.url}{path}?lang=en")


def test_without_a_script_the_past_is_a_page_and_a_round_is_found(page: Page, chromium: Browser) -> None:
    tab = chromium.new_context(java_script_enabled=False).new_page()
    until(lambda: (answer := tab.goto(f"{page.url}/table/T07?lang=en")) and answer.ok)
    tab.fill("[name=round]", "1-4")
    tab.press("[name=round]", "Enter")
    assert "Dealt by Lam" in tab.inner_text(".found")
    tab.goto(f"{page.url}/table/T07?lang=en")
    tab.click("text=Earlier shoes, rounds and alarms")
    assert "1 void, 1 corrected" in tab.inner_text("main")
    assert "UTC" in tab.inner_text("main")
    tab.click("tr a[href*='/shoe/1']")
    assert "sudo shoe journal export" in tab.inner_text("main")
    tab.context.close()


def test_without_a_store_the_page_says_what_is_missing(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*messages("T07", baccarat(3), now_ms()), *alive("T07", now_ms())])
    page.stop()
    page.config.write_text(f'{page.config.read_text()}[store]\npath = "{page.config.parent}/none.db"\n')
    page.start()
    tab = tabs(f"{page.url}/table/T07?lang=en")
    tab.wait_for_selector("#past:has-text('This page reads no store')")
    tab.wait_for_selector("#board svg")
    tab.goto(f"{page.url}/table/T07/history?lang=zh-Hant&round=1-1")
    assert text("zh-Hant", "history.no_store") in tab.inner_text("main")
    tab.goto(f"{page.url}/table/T07/shoe/1?lang=en")
    assert text("en", "history.no_store") in tab.inner_text("main")
    assert not tabs.errors


def test_a_store_that_cannot_be_read_is_said_and_the_table_goes_on(
    broker: Broker, pages: Pages, tabs: Tabs, config: FloorConfig
) -> None:
    Path(config.store.path).write_bytes(b"the disk is broken " * 1000)
    publish(broker, [*messages("T07", baccarat(3), now_ms()), *alive("T07", now_ms())])
    page = with_store(pages(broker), config)
    tab = tabs(f"{page.url}/table/T07?lang=en")
    tab.wait_for_selector("#past:has-text('The store cannot be read now')")
    publish(broker, messages("T07", baccarat(3, 7, "9s ?? Kd"), now_ms()))
    tab.wait_for_selector("#alarms .alarm.blocks")
    assert "the past of a table is not shown: " in page.log
    assert all("503" in each for each in tabs.errors), tabs.errors
