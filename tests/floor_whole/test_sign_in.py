"""Signing in to the page, as docs/page.md lists it."""

from __future__ import annotations

import asyncio
import re
import statistics
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any, Final, cast

import pytest

from tests.kit.patience import HANG_S, Patience, ended
from tests.kit.process import python

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


from starlette.requests import Request

from firmware_bridge.config.doors import WAITING
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page.guard import Guard, cookie_name
from firmware_bridge.floor.page.people import People, Person
from firmware_bridge.floor.page.sessions import STRANGER, Browsers, Sessions, Visitor
from firmware_bridge.floor.page.sign_in import SignIn
from firmware_bridge.floor.page_config import PageSection
from firmware_bridge.floor.store.open import open_store
from tests.floor.facts.played import rows
from tests.floor.tables import baccarat, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.floor_whole.signed_in import FORM, PASSWORD, Answer, ask, sign_in
from tests.floor_whole.test_page_past import with_store
from tests.kit import broker as real
from tests.kit import certificates
from tests.kit.broker import Broker, free_port

broker, brokers, tls = real.broker, real.brokers, certificates.tls  # fixtures
pages, chromium = whole.pages, whole.chromium  # fixtures


@pytest.fixture
def page(broker: Broker, pages: Callable[..., Page], tmp_path: Path) -> Page:
    people = People(tmp_path / "users.json")
    people.add("ANNA", "act", PASSWORD)
    people.add("BO", "look", PASSWORD)
    (tmp_path / "page.key").write_bytes(bytes(range(32)))
    made = pages(broker, sign_in="on", users=str(tmp_path / "users.json"), order_key_file=str(tmp_path / "page.key"))
    config = parse({"store": {"path": str(tmp_path / "floor.db")}})
    with closing(open_store(config, make=True)) as store:
        store.save(rows("baccarat", "T07"), [], [])
    with_store(made, config)
    publish(broker, messages("T07", baccarat(2), now_ms()))
    cookie = sign_in(made, "BO").cookie
    until(lambda: "tile-T07" in ask(made, "/", cookie=cookie).body)
    return made


class Watched(Sessions):
    """Sessions that note what counts as activity of a person."""

    def __init__(self) -> None:
        self.activity: list[bool] = []

    def visitor(self, token: str, *, is_activity: bool) -> Visitor:
        self.activity.append(is_activity)
        return STRANGER


@pytest.mark.parametrize(
    ("path", "is_activity"),
    [
        ("/", True),
        ("/stream", False),
        ("/icon/blocked/3.svg", False),
        ("/table/T07/history", True),
        ("/table/T07/history/part", False),
    ],
)
def test_what_an_open_page_asks_by_itself_is_no_activity(tmp_path: Path, path: str, is_activity: bool) -> None:
    async def send(message: Any) -> None: ...

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    sessions, page = Watched(), PageSection(users=str(tmp_path / "users.json"))
    guard = Guard(cast("Any", None), page, People(Path(page.users)), sessions)
    headers = [(b"host", b"127.0.0.1"), (b"cookie", f"{cookie_name(page)}=x".encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    asyncio.run(guard({**scope, "client": ("127.0.0.1", 1)}, receive, send))
    assert sessions.activity == [is_activity]


def test_a_session_is_new_at_each_sign_in_and_the_one_before_ends(page: Page) -> None:
    fixed = "shoe=" + "f" * 43
    first = sign_in(page, cookie=fixed).cookie
    assert first
    assert first != fixed
    assert ask(page, "/", cookie=fixed).status == 303
    second = sign_in(page, cookie=first).cookie
    assert second != first
    assert ask(page, "/", cookie=first).status == 303
    assert ask(page, "/", cookie=second).status == 200


def test_the_cookie_is_for_this_page_alone(page: Page, broker: Broker, pages: Callable[..., Page]) -> None:
    flags = sign_in(page).headers["set-cookie"].lower()
    for flag in ("httponly", "secure", "samesite=strict", "path=/", "max-age=43200"):
        assert flag in flags
    assert "domain" not in flags
    users = re.findall(r'users = "(.*)"', page.config.read_text())[0]
    named = pages(broker, names=["pit.example"], users=users)
    assert sign_in(named, origin=named.url).cookie.startswith("__Host-shoe=")


ELSEWHERE = (
    *("https://evil.example", "null", "", "http://127.0.0.1", "http://127.0.0.1:1"),
    *("http://[", "http://", "{ours}/", "{ours}#", "{ours}?a", "{ours}, {ours}", "x@{ours}", "{ours}@evil.example"),
    *("http://anna@{host}", "ftp://{host}", "//{host}", "{host}", "http://evil.example/{host}"),
)
"""Values of `Origin` that are not, to the last sign, the page's own."""


@pytest.mark.parametrize("given", ELSEWHERE)
def test_a_form_of_another_site_does_nothing(page: Page, given: str) -> None:
    origin = given.format(ours=page.url, host=page.url.partition("//")[2])
    assert sign_in(page, origin=origin).status == 403
    cookie = sign_in(page).cookie
    assert ask(page, "/sign-out", "POST", "", origin=origin, cookie=cookie).status == 403
    assert ask(page, "/", cookie=cookie).status == 200


def test_signing_out_ends_the_session_and_its_streams(page: Page) -> None:
    cookie = sign_in(page).cookie
    link = HTTPConnection("127.0.0.1", page.port, timeout=HANG_S)
    link.request("GET", "/stream", headers={"cookie": cookie})
    stream = link.getresponse()
    assert stream.status == 200
    answer = ask(page, "/sign-out", "POST", "", origin=page.url, cookie=cookie)
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in")
    assert answer.headers["clear-site-data"] == '"cache"'
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert ask(page, "/", cookie=cookie).status == 303
    patience = Patience()
    while stream.read(4096):
        assert not patience.is_over
    link.close()


def test_a_person_who_is_removed_is_out(page: Page) -> None:
    cookie = sign_in(page, "BO").cookie
    People(Path(re.findall(r'users = "(.*)"', page.config.read_text())[0])).remove("BO")
    assert ask(page, "/", cookie=cookie).status == 303
    assert sign_in(page, "BO").status == 403


def test_guessing_is_slow_by_name_and_by_address_and_is_in_the_log(page: Page) -> None:
    answers = [sign_in(page, "ANNA", "wrong password").status for _ in range(7)]
    assert answers == [403] * 5 + [429] * 2
    assert sign_in(page, "BO").status == 429  # the address, too
    assert page.log.count("refused to sign in ANNA from 127.0.0.1") == 5
    assert "requests of strangers were refused: 1, the last one for 127.0.0.1: too many in a minute" in page.log
    assert "wrong password" not in page.log
    assert ask(page, "/sign-in").status == 200


BROWSER: Final = "shoe-browser"


def browser(answer: Answer) -> str:
    """The cookie by which a browser is known."""
    (known,) = [each for each in answer.cookies if each.startswith(f"{BROWSER}=")]
    return known.partition(";")[0]


def test_who_has_signed_in_before_is_locked_out_by_no_stranger(page: Page) -> None:
    anna, bo = browser(sign_in(page)), browser(sign_in(page, "BO"))
    assert [sign_in(page, "ANNA", "wrong").status for _ in range(6)] == [403] * 5 + [429]
    for cookie in ("", bo, f"{BROWSER}=x", f"{anna}0", f"{BROWSER}={anna.partition('=')[2].partition('.')[0]}."):
        assert sign_in(page, "ANNA", cookie=cookie).status == 429, cookie
    assert sign_in(page, "BO", cookie=bo).status == 303
    assert [sign_in(page, "ANNA", "wrong", cookie=anna).status for _ in range(3)] == [403] * 3
    assert sign_in(page, "ANNA", cookie=anna).status == 303
    page.stop()
    page.start()
    assert [sign_in(page, "ANNA", "wrong").status for _ in range(6)] == [403] * 5 + [429]
    assert [sign_in(page, "ANNA", "wrong", cookie=anna).status for _ in range(6)] == [403] * 5 + [429]


def test_another_password_makes_a_browser_unknown(page: Page) -> None:
    anna = browser(sign_in(page))
    People(Path(re.findall(r'users = "(.*)"', page.config.read_text())[0])).add("ANNA", "act", f"{PASSWORD} 2")
    assert [sign_in(page, "ANNA", cookie=anna).status for _ in range(6)] == [403] * 5 + [429]


def test_passwords_of_strangers_that_wait_leave_room_for_a_known_browser(tmp_path: Path) -> None:
    """Eight that wait are the most: beyond, the next stranger is told to wait a minute."""
    path, asked = tmp_path / "users.json", Event()

    class Slow(People):
        def verified(self, name: str, password: str) -> Person | None:
            if name != "ANNA":
                assert asked.wait(HANG_S)
            return self[name]

    people = Slow(path)
    people.add("ANNA", "act", PASSWORD)
    person = people["ANNA"]
    assert person
    routes, mark = SignIn(PageSection(users=str(path)), people, Sessions(people)), Browsers().mark(person)

    async def tried(name: str, cookie: str = "") -> int:
        async def receive() -> Any:
            return {"type": "http.request", "body": f"name={name}&password=x".encode()}

        headers = [(b"content-type", FORM.encode()), (b"cookie", cookie.encode())]
        state = {"address": name, "visitor": STRANGER}
        given = {"type": "http", "method": "POST", "path": "/sign-in", "query_string": b""}
        scope: dict[str, Any] = {**given, "headers": headers, "state": state}
        return (await routes._signed_in(Request(scope, receive))).status_code

    async def play() -> list[int]:
        waiting = [asyncio.create_task(tried(f"N{n}")) for n in range(WAITING)]
        await asyncio.sleep(0)
        while routes._waiting[False] < WAITING:
            await asyncio.sleep(0.01)
        full = await tried("CY"), await tried("ANNA")
        known = asyncio.create_task(tried("ANNA", f"{BROWSER}={mark}"))
        while not routes._waiting[True]:
            await asyncio.sleep(0.01)
        asked.set()
        return [*full, await known, *(await asyncio.gather(*waiting))]

    try:
        assert asyncio.run(play()) == [429, 429, 303, *[403] * WAITING]
    finally:
        routes.close()


def cpu_s(page: Page) -> float:
    """Seconds that the page has computed for so far: what it takes on a machine that does nothing else."""
    assert page.process
    tasks = Path(f"/proc/{page.process.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9


def test_a_wrong_name_gets_the_same_answer_and_takes_the_same_time(page: Page) -> None:
    times: dict[str, list[float]] = {"ANNA": [], "NOBODY": []}
    bodies = set()
    for name in ("ANNA", "NOBODY") * 2:
        began = cpu_s(page)
        answer = sign_in(page, name, "wrong password")
        times[name].append(cpu_s(page) - began)
        assert answer.status == 403
        bodies.add(answer.body)
    assert len(bodies) == 1
    fast, slow = sorted(map(statistics.median, times.values()))
    assert slow < 3 * fast + 0.05


@pytest.mark.parametrize(
    "after", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/a\r\nb"]
)
def test_signing_in_leads_to_this_page_alone(page: Page, after: str) -> None:
    assert sign_in(page, next=after).headers["location"] == "/"
    assert sign_in(page, next="/table/T07?lang=en").headers["location"] == "/table/T07?lang=en"


def test_each_answer_has_the_headers_and_is_not_kept(page: Page) -> None:
    cookie = sign_in(page).cookie
    for path in (
        "/",
        "/sign-in",
        "/table/T07",
        "/nowhere",
        "/static/page.css",
        "/screen/T07",
        page.screen(),
        f"{page.screen()}/stream",
    ):
        headers = ask(page, path, cookie=cookie).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert ("form-action 'none'" in policy) == path.startswith("/screen")
        assert headers["referrer-policy"] == ("no-referrer" if path.startswith("/screen") else "same-origin")


@pytest.mark.parametrize("body", ["name=ANNA&password=" + "x" * 9000, "\xff", "a&" * 50])
def test_a_form_that_is_none_is_refused(page: Page, body: str) -> None:
    answer = ask(page, "/sign-in", "POST", body, origin=page.url, content_type=FORM)
    assert answer.status in (400, 403)
    assert ask(page, "/sign-in", "POST", "{}", origin=page.url, content_type="application/json").status == 400


def test_behind_a_proxy_the_last_address_counts_and_else_none(
    page: Page, broker: Broker, pages: Callable[..., Page]
) -> None:
    users = re.findall(r'users = "(.*)"', page.config.read_text())[0]
    behind = pages(broker, proxies=["127.0.0.1"], users=users)
    for number in range(5):
        forged = {"origin": behind.url, "x_forwarded_for": f"1.2.3.{number}, 10.0.0.9"}
        assert sign_in(behind, f"N{number}", "wrong password", **forged).status == 403
    assert sign_in(behind, "N6", origin=behind.url, x_forwarded_for="9.9.9.9, 10.0.0.9").status == 429
    assert sign_in(behind, "BO", origin=behind.url, x_forwarded_for="10.0.0.9, 10.0.0.8").status == 303
    for _ in range(5):  # no proxy is set: what a browser says of itself changes nothing
        sign_in(page, f"M{_}", "wrong password", x_forwarded_for=f"10.9.9.{_}")
    assert sign_in(page, "BO", x_forwarded_for="10.9.9.200").status == 429


def test_a_sign_in_at_the_proxy_needs_the_secret(page: Page, broker: Broker, pages: Callable[..., Page]) -> None:
    users = Path(re.findall(r'users = "(.*)"', page.config.read_text())[0])
    secret = users.with_name("secret")
    secret.write_text("only the proxy knows\n")
    made = pages(broker, user_header="X-Remote-User", user_secret_file=str(secret), users=str(users))
    assert ask(made, "/", x_remote_user="ANNA").status == 303
    assert ask(made, "/", x_remote_user="ANNA", x_page_secret="guessed").status == 303
    assert ask(made, "/", x_page_secret="only the proxy knows").status == 303
    assert ask(made, "/", x_remote_user="DORA", x_page_secret="only the proxy knows").status == 200


def test_it_speaks_tls_itself(broker: Broker, pages: Callable[..., Page], tls: Path, tmp_path: Path) -> None:
    import ssl
    import urllib.request

    port, config = free_port(), tmp_path / "tls.toml"
    config.write_text(
        f'[mqtt]\nport = {broker.port}\n[page]\nhost = "0.0.0.0"\nport = {port}\nusers = "{tmp_path}/u.json"\n'
        f'cert = "{tls}/broker.pem"\nkey = "{tls}/broker.key"\n'
    )
    process = python("-m", "firmware_bridge.floor", "--config", config, "page")
    context = ssl.create_default_context(cafile=tls / "ca.pem")

    def answers() -> bool:
        try:
            url = f"https://127.0.0.1:{port}/sign-in"
            return bool(urllib.request.urlopen(url, context=context, timeout=HANG_S).status == 200)
        except OSError:
            return False

    try:
        until(answers)
    finally:
        process.terminate()
        ended(process)


def test_a_person_signs_in_and_out_with_a_browser(page: Page, chromium: object) -> None:
    window = chromium.new_context()  # type: ignore[attr-defined]  # playwright may not be installed
    tab = window.new_page()
    tab.set_default_timeout(1000 * HANG_S)
    tab.goto(f"{page.url}/table/T07?lang=en")
    assert "/sign-in" in tab.url
    tab.fill("input[name=name]", "BO")
    tab.fill("input[name=password]", PASSWORD)
    tab.click("button")
    tab.wait_for_selector("body.live")
    assert tab.url == f"{page.url}/table/T07?lang=en"
    assert tab.inner_text(".who span") == "BO"
    tab.click(".who button")
    tab.wait_for_selector("input[name=password]")
    tab.goto(page.url)
    assert "/sign-in" in tab.url
    window.close()
