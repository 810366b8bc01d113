"""The lines for nginx of docs/page.md and docs/screen.md, before a real page: what the pit, guests and browsers get."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from firmware_bridge.config.doors import PEOPLE
from firmware_bridge.floor.page_config import PageSection
from tests.floor.tables import alive, baccarat, messages
from tests.floor_whole import nginx
from tests.floor_whole import pages as whole
from tests.floor_whole.nginx import TO_PAGE, Nginx, Through, documented, needs_nginx, zones
from tests.floor_whole.pages import HANG_MS, Page, now_ms, publish, until
from tests.floor_whole.screens import Stream, got, stream, with_screen
from tests.kit import broker as real
from tests.kit import certificates
from tests.kit.broker import Broker, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Tab

pytestmark = needs_nginx
broker, brokers, tls = real.broker, real.brokers, certificates.tls  # fixtures
pages, chromium, nginxes = whole.pages, whole.chromium, nginx.nginxes  # fixtures

NAME = "pit.example"
USER, PASSWORD = "pit", "open-sesame"
LOGIN = {"authorization": f"Basic {b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"}
SECRET = "only nginx and the page know this"
DIRECT = {"x-remote-user": USER, "x-page-secret": SECRET}
"""What nginx says to the page of who has signed in."""

TO_SIGN_IN = "proxy_set_header Host $host;"
SIGNED_IN = f'{TO_SIGN_IN} proxy_set_header X-Remote-User $remote_user; proxy_set_header X-Page-Secret "{SECRET}";'
WAITS = '<p class="state">Please wait</p>'
STREAMS = 20
SOON_MS = 2000
"""How late an event may come: before the next beat, which could push it out of a buffer."""


class House(NamedTuple):
    """A page, and the two ways to it through one nginx; `plain` is the pit's without HTTP/2."""

    page: Page
    nginx: Nginx
    pit: Through
    plain: Through
    guests: Through


@pytest.fixture
def house(
    broker: Broker, pages: Callable[..., Page], nginxes: Callable[..., Nginx], tls: Path, tmp_path: Path
) -> House:
    (tmp_path / "secret").write_text(SECRET)
    keys = {"user_header": "X-Remote-User", "user_secret_file": str(tmp_path / "secret"), "proxies": ["127.0.0.1"]}
    page = with_screen(pages(broker, names=[NAME], streams=STREAMS, **keys), f"streams = {STREAMS}")
    passwords = tmp_path / "passwords"
    passwords.write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
    pit, plain, guests = Through(free_port(), tls), Through(free_port(), tls), Through(free_port())
    behind = f'auth_basic "the pit"; auth_basic_user_file {passwords};\n{documented("page.md", page)}'
    behind = behind.replace(TO_SIGN_IN, SIGNED_IN)
    behind = f"server_name {NAME}; ssl_certificate {tls}/broker.pem; ssl_certificate_key {tls}/broker.key;\n{behind}"
    servers = [
        zones(),
        f"server {{ listen 127.0.0.1:{pit.port} ssl http2;\n{behind}}}",
        f"server {{ listen 127.0.0.1:{plain.port} ssl;\n{behind}}}",
        f"server {{ listen 127.0.0.1:{guests.port};\n{documented('screen.md', page)}}}",
    ]
    return House(page, nginxes("\n".join(servers), pit.port, plain.port, guests.port), pit, plain, guests)


@pytest.fixture
def table(house: House, broker: Broker) -> None:
    """The table T07, at which all is well; the page knows it."""
    publish(broker, [*messages("T07", baccarat(3), now_ms()), *alive("T07", now_ms())])
    until(
        lambda: (
            "is-playing" in got(house.page, "/", **DIRECT)
            and WAITS not in got(house.page, f"{house.page.screen()}?lang=en")
        )
    )


def late_ms(watching: Stream) -> int:
    """How long ago the page sent the last event that came."""
    return now_ms() - int(re.findall(rb"id: (\d{13})", watching.raw)[-1])


def alike(direct: str, through: str) -> None:
    """Both were served, with the same bytes, and what browsers may do."""
    assert through.startswith("200 ")
    assert "default-src 'none'" in through
    assert through.partition("\n\n")[2] == direct.partition("\n\n")[2]


def test_the_lines_lead_to_where_the_page_listens() -> None:
    page = PageSection()
    assert f"proxy_pass http://{page.host}:{page.port};" == TO_PAGE


def test_the_pit_needs_tls_and_its_login_for_all(house: House) -> None:
    for path in ("/", "/stream", "/table/T07", "/table/T07/stream", "/static/page.js", house.page.screen(), "/nowhere"):
        for login in ({}, {"authorization": "Basic " + b64encode(b"pit:wrong").decode()}):
            answer = got(house.pit, path, **login)
            assert answer.startswith("401 "), answer
            assert "content-security-policy" not in answer
    assert got(Through(house.pit.port), "/", **LOGIN).startswith("400 ")


@pytest.mark.usefixtures("table")
def test_the_pit_is_served_as_the_page_serves(house: House) -> None:
    page = got(house.pit, "/?lang=en", host=NAME, **LOGIN)
    assert page.startswith("200 ")
    assert "default-src 'none'" in page
    assert "tile-T07" in page
    assert "T07" in got(house.pit, "/table/T07?lang=zh-Hant", host=NAME, **LOGIN)
    for path in ("/static/page.js", "/static/page.css", house.page.screen()):
        alike(got(house.page, path, **DIRECT), got(house.pit, path, host=NAME, **LOGIN))
    assert got(house.pit, "/", "HEAD", **LOGIN).startswith("200 ")
    assert got(house.pit, "/", "POST", **LOGIN).startswith("405 ")


def test_a_name_that_is_not_ours_gets_nothing(house: House) -> None:
    for way, path in ((house.pit, "/"), (house.guests, house.page.screen())):
        assert got(way, path, host=NAME, **LOGIN).startswith("200 ")
        assert got(way, path, host="evil.example", **LOGIN).startswith("421 ")


def test_an_address_with_a_slash_too_much_stays_behind_nginx(house: House) -> None:
    there = f"https://{NAME}:{house.pit.port}/table/T07"
    answer = got(house.pit, "/table/T07/?lang=en", host=NAME, **LOGIN)
    assert answer.startswith("307 ")
    assert re.findall(r"(?i)^location: (.*)$", answer, re.MULTILINE) == [f"{there}?lang=en"]
    assert got(house.guests, f"{house.page.screen()}/").startswith("404 ")


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("path", ["/stream", "/table/T07/stream", "/screen"])
def test_what_changes_is_seen_at_once(house: House, broker: Broker, path: str) -> None:
    """What waits in a buffer comes with the next beat, each time; on a busy machine some come as late."""
    way, path = (house.guests, f"{house.page.screen()}/stream") if path == "/screen" else (house.pit, path)
    states = cycle(["stopped", "online"])
    with stream(way, f"{path}?lang=en", host=NAME, **LOGIN) as watching:

        def is_seen_at_once() -> bool:
            while watching.event()[0] != "beat":  # nothing is left that could push what comes next
                pass
            late = late_ms(watching)
            before = now_ms()
            publish(broker, alive("T07", before, state=next(states))[:1])
            return watching.event()[0] == "parts" and max(late, now_ms() - before, late_ms(watching)) < SOON_MS

        until(is_seen_at_once)


@pytest.mark.parametrize("path", ["/stream", "/table/T07/stream", "/screen"])
def test_a_browser_that_leaves_gives_its_stream_back(house: House, path: str) -> None:
    way, path = (house.guests, f"{house.page.screen()}/stream") if path == "/screen" else (house.pit, path)
    opened = [Stream(way, path, **LOGIN) for _ in range(4 if way is house.guests else PEOPLE.streams)]
    assert got(way, path, **LOGIN).startswith("503 ")
    for each in opened:
        each.close()
    until(lambda: got(house.page, path, "HEAD", **DIRECT).startswith("200 "))


@pytest.mark.usefixtures("table")
def test_the_way_of_guests_has_the_screen(house: House) -> None:
    files = re.findall(r'(?:href|src)="([^"]+)"', got(house.guests, f"{house.page.screen()}?lang=en"))
    assert len(files) == 4
    for path in (f"{house.page.screen()}?lang=en", f"{house.page.screen()}?lang=zh-Hans", *files):
        alike(got(house.page, path), got(house.guests, path))


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("host", ["127.0.0.1", NAME, "localhost"])
def test_the_way_of_guests_has_nothing_else(house: House, host: str) -> None:
    pit = [
        "/",
        "/?lang=en",
        "/stream",
        "/table/T07",
        "/table/T07/stream",
        "/favicon.ico",
        "/icon/blocked/3.svg",
        "/static/",
        "/static/page.js",
    ]
    pit += ["/dealer/T07", "/dealer/T07/stream", "/static/dealer.js", "/static/dealer.css"]
    pit += ["/static/page.css", "/static/screen.css/", "/static/screen_css", "/screens"]
    paths = [*pit, *(f"http://{NAME}{path}" for path in pit)]
    screen = house.page.screen()
    for path in pit:
        paths += [f"{there}{path}" for there in ("/screen/..", f"{screen}/../../..", "/screen/%2e%2e", "/screen/..%2f")]
        paths += [f"{there}{path}" for there in ("/", "/static/screen.js/..")]
        paths += [f"{path}{back}/screen/..{screen}/x" for back in ("/..", "/../..", "%2f..", "%23/../..", "%3f")]
        paths += [f"/static/screen.js%00/..{path}", f"{path}%0a", f"{path}%0a/../screen/"]
    paths += ["/screen/%252e%252e/", "/screen/%252e%252e/table/T07", "/screen/%252e%252e%252ftable%252fT07"]
    for number, path in enumerate(paths):
        guest = house.guests._replace(address=f"127.0.1.{number % 250 + 1}")  # within the limits of each
        answer = got(guest, path, host=host)
        assert answer.startswith("40"), (path, answer)
        assert "T07" not in answer


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("path", ["/dealer/T07", "/dealer/T07?lang=en", "/dealer/T07/stream", "/dealer/NONE"])
def test_the_way_of_guests_has_no_dealers_screen(house: House, path: str) -> None:
    assert 'id="screen"' in got(house.page, "/dealer/T07", **DIRECT)
    answer = got(house.guests, path)
    assert answer.startswith("404 ")
    assert "T07" not in answer


def test_no_log_of_nginx_has_a_screens_secret(house: House) -> None:
    screen = house.page.screen()
    secret = screen.rpartition("/")[2]
    asked = [screen, f"{screen}/stream", f"{screen}/", f"{screen}/%", f"{screen}\\x"]
    for path in asked:
        got(house.guests, path, "HEAD")
    assert house.page.stop() == 0
    for path in asked:
        got(house.guests, path, "HEAD")
    for _ in range(100):  # beyond the limit of requests
        got(house.guests, screen, "HEAD")
    logs = [house.nginx.log(name) for name in ("access", "error", "said")]
    assert "/screen/" not in "".join(logs)
    assert secret not in "".join(logs) + house.page.log


def test_each_address_of_guests_has_its_own_limits(house: House) -> None:
    path = f"{house.page.screen()}/stream"
    phone, screen = (house.guests._replace(address=each) for each in ("127.0.0.66", "127.0.0.7"))
    opened = [Stream(phone, path) for _ in range(4)]
    assert got(phone, path).startswith("503 ")
    assert got(phone, path, **{"x-forwarded-for": "127.0.0.9"}).startswith("503 ")
    opened += [Stream(screen, path) for _ in range(4)]
    for each in opened:
        each.close()


def in_browser(browser: Browser) -> BrowserContext:
    """A window of the pit, which takes the test's certificate and knows the login."""
    return browser.new_context(ignore_https_errors=True, http_credentials={"username": USER, "password": PASSWORD})


def open_tab(window: BrowserContext, url: str, limit_ms: float = HANG_MS) -> Tab:
    """A tab that shows a page, live."""
    tab = window.new_page()
    tab.set_default_timeout(limit_ms)
    tab.goto(url)
    tab.wait_for_selector("body.live")
    return tab


def test_more_than_six_pages_in_one_browser_need_http_2(house: House, chromium: Browser) -> None:
    from playwright.sync_api import TimeoutError as TooLong

    window = in_browser(chromium)
    for _ in range(8):
        open_tab(window, house.pit.url)
    window.close()
    window = in_browser(chromium)
    for _ in range(6):
        open_tab(window, house.plain.url)
    with pytest.raises(TooLong):
        open_tab(window, house.plain.url, 3000)
    window.close()


@pytest.mark.usefixtures("table")
def test_browsers_come_back_when_the_page_does(house: House, chromium: Browser) -> None:
    window = in_browser(chromium)
    tabs = [open_tab(window, house.pit.url), open_tab(window, f"{house.guests.url}{house.page.screen()}?lang=en")]
    house.page.stop()
    for tab in tabs:
        tab.wait_for_selector("body.lost")
    until(lambda: re.search(r"GET /stream.* 502 ", house.nginx.log("access")))
    house.page.start()
    for tab in tabs:
        tab.wait_for_selector("body.live")
    tabs[0].wait_for_selector("#t-T07 .badge.is-playing")
    tabs[1].wait_for_selector("main:not(.wait)")
    window.close()
