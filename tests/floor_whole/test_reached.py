"""Every screen of the product for who sees little, hears it read, has no mouse or wants nothing to move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.page.people import People
from firmware_bridge.topics.texts import LANGUAGES, Language
from scripts.tools.messages.scenes import GAMES
from tests.floor.every_past import past_messages, stored_past
from tests.floor.tables import alive, baccarat, latest, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import HANG_MS, Page, now_ms, publish
from tests.floor_whole.signed_in import PASSWORD
from tests.floor_whole.test_page_past import with_store
from tests.kit import broker as real
from tests.kit.broker import Broker

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

broker, brokers = real.broker, real.brokers  # fixtures
pages, chromium = whole.pages, whole.chromium  # fixtures
Pages = Callable[..., Page]

LIVE: Final = ("/", "/?wall=on", "/table/T07", "/table/T01", "/table/T02", "/table/T03")
STILL: Final = (
    "/table/T07/history?round=1-2", "/table/T07/shoe/1", "/help/alarm/unreadable", "/help/incidents",
    "/table/none", "/table/T07/order",
)  # fmt: skip
SCREENS: Final = ("/dealer/T01", "/dealer/T02")

FOCUSED: Final = """() => {
  const each = document.activeElement;
  if (!each || each === document.body) return null;
  const seen = [getComputedStyle(each), getComputedStyle(each, "::after")].some(
      (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  const box = each.getBoundingClientRect();
  const reached = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const labels = [...(each.labels || [])].map((label) => label.textContent);
  const name = each.getAttribute("aria-label") || labels.join(" ") || each.textContent || each.title || "";
  each.dataset.reached = "yes";
  return { seen, reached, name: name.trim(), html: each.outerHTML.slice(0, 160) };
}"""
"""What has the focus: whether that is seen, whether it is on the screen, and what it is called."""

MISSED: Final = """() => [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")].filter(
    (each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.type !== "hidden"
        && each.dataset.reached !== "yes").map((each) => each.outerHTML.slice(0, 160))"""
"""Controls that no key has reached."""

MOVES: Final = """() => [...document.querySelectorAll("*")].filter((each) => {
  const style = getComputedStyle(each);
  const times = `${style.transitionDuration}, ${style.animationDuration}`.split(", ");
  return times.some((time) => parseFloat(time) > 0) || style.scrollBehavior === "smooth";
}).map((each) => each.outerHTML.slice(0, 160))"""
"""What would move."""


@pytest.fixture
def page(broker: Broker, pages: Pages, tmp_path: Path) -> Page:
    """A page with people, orders and a store: of tables with a past, blocked, gone, and playing."""
    config: FloorConfig = parse({"store": {"path": str(tmp_path / "floor.db")}})
    people, now = People(tmp_path / "users.json"), now_ms()
    people.add("ANNA", "act", PASSWORD)
    (tmp_path / "page.key").write_bytes(bytes(range(32)))
    stored_past(config, "T07", now=now)
    publish(broker, [*latest(past_messages("T07", now)), *alive("T07", now)])
    publish(broker, [*messages("T01", baccarat(20, 7, "9s ?? Kd"), now), *alive("T01", now)])
    publish(broker, [*messages("T02", baccarat(9), now), *alive("T02", now, state="lost")])
    publish(broker, [*messages("T03", GAMES[1], now), *alive("T03", now)])
    keys = {"users": str(tmp_path / "users.json"), "order_key_file": str(tmp_path / "page.key")}
    return with_store(pages(broker, sign_in="on", **keys), config)


@contextmanager
def signed_in(page: Page, chromium: Browser, **options: Any) -> Iterator[tuple[Tab, list[str]]]:
    """A tab of somebody who may act, and what its console has said."""
    context = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
    tab, errors = context.new_page(), list[str]()
    tab.set_default_timeout(HANG_MS)
    tab.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{page.url}/sign-in?lang=en")
    tab.fill("input[name=name]", "ANNA")
    tab.fill("input[name=password]", PASSWORD)
    tab.press("input[name=password]", "Enter")
    tab.wait_for_selector("body.live")
    tab.wait_for_selector("#tile-T03", state="attached")
    yield tab, errors
    context.close()


def opened(tab: Tab, page: Page, path: str, lang: str) -> None:
    """Show a screen of this language, with all it has."""
    tab.goto(f"{page.url}{path}{'&' if '?' in path else '?'}lang={lang}")
    if path in LIVE:
        tab.wait_for_selector("body.live")
    if path.count("/") == 2 and path.startswith("/table/T"):
        tab.wait_for_selector("#past > *")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_screen_has_a_finding(page: Page, chromium: Browser, lang: Language) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with signed_in(page, chromium) as (tab, errors):
        for path in (*LIVE, *STILL, *SCREENS, page.screen("T02"), "/sign-in"):
            opened(tab, page, path, lang)
            if path == "/table/T07":
                tab.click("details > summary")
            for scheme in ("light", "dark"):
                tab.emulate_media(color_scheme=scheme)
                found = Axe().run(tab)
                assert found.violations_count == 0, (path, scheme, found.generate_report())
                assert tab.title()
                assert tab.get_attribute("html", "lang") == lang
        assert [each for each in errors if "404" not in each] == []  # of the table that nobody knows


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_keys_alone_reach_every_control_and_it_is_seen_where_they_are(
    page: Page, chromium: Browser, lang: Language
) -> None:
    with signed_in(page, chromium, reduced_motion="reduce") as (tab, _):
        for path in (*LIVE, *STILL, "/sign-in"):
            opened(tab, page, path, lang)
            tab.evaluate("document.activeElement.blur()")
            for _ in range(400):
                tab.keyboard.press("Tab")
                focus = tab.evaluate(FOCUSED)
                if focus is None:
                    break
                assert focus["seen"], (path, focus)
                assert focus["reached"], (path, focus)
                assert focus["name"], (path, focus)
            assert tab.evaluate(MISSED) == [], path


def test_nothing_moves_for_who_wants_that(page: Page, chromium: Browser) -> None:
    with signed_in(page, chromium, reduced_motion="reduce") as (tab, _):
        for path in (*LIVE, *STILL, *SCREENS, page.screen("T02"), "/sign-in"):
            opened(tab, page, path, "en")
            assert tab.evaluate(MOVES) == [], path
