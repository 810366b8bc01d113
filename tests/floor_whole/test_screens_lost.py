"""Six browsers watch while page, store, broker and proxy are killed: each says that it is old, and comes back."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

pytest.importorskip("psycopg")

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.store.open import open_store
from tests.floor.tables import alive, baccarat, messages
from tests.floor_whole import nginx
from tests.floor_whole import pages as whole
from tests.floor_whole import test_nginx as behind
from tests.floor_whole.cluster import Cluster
from tests.floor_whole.nginx import needs_nginx
from tests.floor_whole.pages import now_ms, publish, until
from tests.floor_whole.test_nginx import House, in_browser, open_tab
from tests.floor_whole.test_page_past import with_store
from tests.kit import broker as real
from tests.kit import certificates
from tests.kit.broker import Broker

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

pytestmark = needs_nginx
broker, brokers, tls = real.broker, real.brokers, certificates.tls  # fixtures
pages, chromium, nginxes, house = whole.pages, whole.chromium, nginx.nginxes, behind.house  # fixtures

SAYS_MS: Final = 10_000
"""Longest time until a screen says that what it shows is old."""

TIMED: Final = """() => {
  const old = () => document.body.classList.contains("lost")
      || document.querySelector("#broker .banner, main.is-lost, main.wait");
  const look = () => {
    if (!window.oldAt && old()) window.oldAt = Date.now();
  };
  window.oldAt = 0;
  new MutationObserver(look).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
}"""
"""Notes in the browser when a screen begins to say that it is old."""

FRESH: Final = "body.live:not(:has(#broker .banner, main.is-lost, main.wait))"


@pytest.fixture
def watching(house: House, broker: Broker, mortal: Cluster, chromium: Browser) -> Iterator[list[Tab]]:
    """Six screens of a table: wall, its page, the dealer's, two of guests, the wall on a phone."""
    config = parse({"store": {"url": mortal.url("postgres")}})
    open_store(config, make=True).close()
    with_store(house.page, config)
    again(broker)
    window = in_browser(chromium)
    pit, guests, screen = house.pit.url, house.guests.url, house.page.screen()
    urls = [f"{pit}/?lang=en", f"{pit}/table/T07?lang=en", f"{pit}/dealer/T07?lang=en"]
    urls += [f"{guests}{screen}?lang=en", f"{guests}{screen}?lang=zh-Hant", f"{pit}/?lang=zh-Hans"]
    tabs = [open_tab(window, url) for url in urls]
    tabs[-1].set_viewport_size({"width": 390, "height": 844})
    for tab in tabs:
        tab.wait_for_selector(FRESH)
        tab.evaluate(TIMED)
    yield tabs
    window.close()


def again(broker: Broker) -> None:
    """The table says how it stands, as it does all the time."""
    publish(broker, [*messages("T07", baccarat(3), now_ms()), *alive("T07", now_ms())])


def say_that_they_are_old(tabs: list[Tab], since: int) -> None:
    """Each screen has said so in time, by its own clock."""
    for tab in tabs:
        assert until(partial(tab.evaluate, "window.oldAt")) - since <= SAYS_MS, tab.url


def come_back(tabs: list[Tab]) -> None:
    """Each screen is as it was, by itself."""
    for tab in tabs:
        tab.wait_for_selector(FRESH)


def test_the_page_is_killed(watching: list[Tab], house: House) -> None:
    since = now_ms()
    house.page.kill()
    say_that_they_are_old(watching, since)
    house.page.start()
    come_back(watching)


def test_the_page_is_frozen(watching: list[Tab], house: House) -> None:
    """Connections stay, and nothing comes: three beats are missed."""
    since = now_ms()
    house.page.pause()
    say_that_they_are_old(watching, since)
    house.page.resume()
    come_back(watching)


def test_the_proxy_is_killed(watching: list[Tab], house: House) -> None:
    since = now_ms()
    house.nginx.kill()
    say_that_they_are_old(watching, since)
    house.nginx.start()
    come_back(watching)


def test_the_broker_is_killed(watching: list[Tab], broker: Broker) -> None:
    since = now_ms()
    broker.kill()
    say_that_they_are_old(watching, since)
    broker.start()
    again(broker)
    come_back(watching)


def test_the_store_is_killed_and_play_is_seen_all_the_same(
    watching: list[Tab], broker: Broker, mortal: Cluster
) -> None:
    own = watching[1]
    own.wait_for_selector("#past > *")
    mortal.stop(signal.SIGQUIT)
    own.wait_for_selector("#record:has-text('The record is unknown: the store cannot be read')")
    publish(broker, messages("T07", baccarat(3, 7, "9s ?? Kd"), now_ms()))
    watching[0].wait_for_selector("#trouble > #tile-T07.is-blocked")
    watching[5].wait_for_selector("#trouble > #tile-T07.is-blocked")
    watching[2].wait_for_selector("main.is-blocked")
    own.wait_for_selector("#past:has-text('The store cannot be read now')")
    assert all(tab.query_selector("body.live") for tab in watching)
    mortal.start()
    own.wait_for_selector("#record:not(:has-text('cannot be read'))")
