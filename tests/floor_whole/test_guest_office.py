"""The office's list of guests' screens in a real browser, and a screen that it loads again, once."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest

from firmware_bridge.floor.page.people import People
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, publish, until
from tests.floor_whole.screens import got, stream, with_screen
from tests.floor_whole.signed_in import FORM, PASSWORD, ask, sign_in
from tests.floor_whole.test_guest_live import replayed
from tests.kit import backend as heard
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, backend = real.broker, real.brokers, heard.backend  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]


@pytest.fixture
def page(broker: Broker, pages: Pages, tmp_path: Path) -> Page:
    """A page that ANNA, who may act, and BO, who may look, sign in to."""
    people = People(tmp_path / "users.json")
    people.add("ANNA", "act", PASSWORD)
    people.add("BO", "look", PASSWORD)
    return pages(broker, sign_in="on", users=str(tmp_path / "users.json"))


def listed(page: Page, cookie: str) -> str:
    return ask(page, "/screens?lang=en", cookie=cookie).body


def form(page: Page, cookie: str, screen: str = "all") -> str:
    """The fields of the form that a person is shown."""
    token = re.findall(r'name="token" value="([0-9a-f]+)"', listed(page, cookie))[0]
    return urlencode({"token": token, "screen": screen})


def test_a_screen_is_listed_and_loads_again_once(broker: Broker, page: Page, tabs: Tabs) -> None:
    publish(broker, replayed("blackjack", 0.3))
    anna = sign_in(page, "ANNA").cookie
    tab = tabs(f"{page.url}{page.screen()}?lang=en", viewport={"width": 1280, "height": 720})
    shown = until(lambda: "1280x720" in listed(page, anna) and listed(page, anna))
    assert "127.0.0.1" in shown
    assert "Shows" in shown
    secret = page.screen().rpartition("/")[2]
    assert secret not in shown
    id = tab.evaluate("localStorage.getItem('screen')")
    assert f"<code>{id}</code>" in shown
    tab.evaluate("window.before = true")
    given = {"cookie": anna, "origin": page.url, "content_type": FORM}
    answer = ask(page, "/screens/reload?lang=en", "POST", form(page, anna), **given)
    assert (answer.status, "load their page again: 1." in answer.body) == (200, True)
    tab.wait_for_function("() => !window.before")
    tab.wait_for_selector("body.live")
    tab.evaluate("window.after = true")
    tab.wait_for_selector("main[data-game=blackjack]")
    page.kill()  # its counts begin anew, and no screen loads again for that
    tab.wait_for_selector("body.lost")
    page.start()
    tab.wait_for_selector("body.live")
    anna = sign_in(page, "ANNA").cookie
    until(lambda: "Shows" in listed(page, anna))
    assert tab.evaluate("window.after")
    tab.close()
    until(lambda: "Gone" in listed(page, anna))


def test_the_list_in_a_browser_without_a_finding(broker: Broker, page: Page, tabs: Tabs) -> None:
    from axe_playwright_python.sync_playwright import Axe

    kiosk = tabs(f"{page.url}{page.screen()}?lang=en")
    name, _, value = sign_in(page, "ANNA").cookie.partition("=")
    browser = kiosk.context.browser
    assert browser
    office = browser.new_context(viewport={"width": 1366, "height": 768})
    office.add_cookies([{"name": name, "value": value, "url": page.url}])
    tab = office.new_page()
    for lang, words in (("en", "Load again"), ("zh-Hant", "重新載入"), ("zh-Hans", "重新加载")):
        tab.goto(f"{page.url}/screens?lang={lang}")
        tab.wait_for_selector("body.live")
        tab.wait_for_selector(f"button:has-text('{words}')")
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
    tab.click("tbody button")
    tab.wait_for_selector("[role=status]")
    kiosk.wait_for_selector("body.live")
    assert not tabs.errors


def test_who_may_load_screens_again(page: Page) -> None:
    anna, bo = sign_in(page, "ANNA").cookie, sign_in(page, "BO").cookie
    with stream(page, f"{page.screen()}/stream?window=1920x1080&id=0badcafe") as kiosk:
        assert kiosk.event()[1]["reload"] == "0"
        assert "0badcafe" in listed(page, bo)
        assert "<form method" not in listed(page, bo).partition("<main")[2]
        filled = form(page, anna)

        def status(cookie: str, body: str, origin: str = page.url) -> int:
            given = {"cookie": cookie, "origin": origin, "content_type": FORM}
            return ask(page, "/screens/reload?lang=en", "POST", body, **given).status

        assert status(bo, filled) == 403
        assert status("", filled) == 401
        assert status(anna, filled, "https://evil.example") == 403
        assert status(anna, filled.replace("token=", "token=0")) == 409
        assert status(sign_in(page, "ANNA").cookie, filled) == 409
        assert status(anna, filled.replace("all", "<b>")) == 400
        assert not any("reload" in each for each in kiosk.quiet())
        assert status(anna, filled) == 200
        assert kiosk.event()[1] == {"reload": "1"}


def test_what_a_screen_tells_of_itself_is_checked(page: Page) -> None:
    anna = sign_in(page, "ANNA").cookie
    bad = "%3Cb%3E"
    with stream(page, f"{page.screen()}/stream?window={bad}&id={bad}") as kiosk:
        kiosk.event()
        assert got(page, f"{page.screen()}/beat?window=1x1&id={bad}").startswith("204")
        shown = listed(page, anna)
        assert "<b>" not in shown.partition("<main")[2]
        assert "not known" in shown
    for path in ("/screen/T07/A/beat", f"{page.screen('T08')[:-1]}/beat"):
        assert got(page, path).startswith("404")


LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><rect width="40" height="10" fill="#f5b942"/></svg>'


def test_the_look_of_a_house(broker: Broker, pages: Pages, tabs: Tabs, tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    (house / "logo.svg").write_text(LOGO)
    (house / "colours.toml").write_text('ground = "#101a10"\npanel = "#1c2a1c"\ntitle = "#f5d78a"\n')
    publish(broker, replayed("baccarat, as it stands", 0.3))
    page = with_screen(pages(broker), f'house = "{house}"')
    tab = tabs(f"{page.url}{page.screen()}?lang=en")
    tab.wait_for_selector("main[data-game=baccarat] .logo")
    assert tab.evaluate("document.querySelector('.logo').naturalWidth") > 0
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 26, 16)"
    assert tab.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(245, 215, 138)"
    assert tab.locator('.road [fill="#1c2a1c"]').count() > 0
    assert not tabs.errors
    logo = got(page, "/screen/-/logo")
    assert "sandbox" in logo
    assert "image/svg+xml" in logo
    assert "nosniff" in logo
    assert got(page, "/screen/-/colours.css").count("--") == 3
    assert got(page, "/screen/-/other").startswith("404")


def test_a_page_does_not_start_with_a_look_that_guests_could_not_read(
    broker: Broker, pages: Pages, tmp_path: Path
) -> None:
    page = pages(broker)
    (tmp_path / "colours.toml").write_text('text = "#556655"\n')
    page.stop()
    page.config.write_text(page.config.read_text().replace("[screen]\n", f'[screen]\nhouse = "{tmp_path}"\n'))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", page.port))  # a page that listens before it reads its look complains of the port
        with pytest.raises(AssertionError, match=r"has a contrast of 3\.1, less than 7"):
            page.start()
