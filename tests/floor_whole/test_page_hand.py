"""Who goes to which alarm: said on a page behind a real broker, seen by all, kept over restarts."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from firmware_bridge.floor.page.people import People
from firmware_bridge.topics.texts import LANGUAGES
from tests.floor.tables import alive, baccarat, latest, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, now_ms, publish, until
from tests.floor_whole.signed_in import FORM, PASSWORD, Answer, ask, sign_in
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
chromium, tabs = whole.chromium, whole.tabs  # fixtures

ALARM = "Card not read"
TAKE = "/table/T07/take?lang=en"


class Floor:
    """A page, a blocked table, and people: ANNA and CARL may act, BO looks."""

    def __init__(self, page: Page, broker: Broker) -> None:
        self.page, self.broker = page, broker
        self.cookies = dict[str, str]()
        self.say(is_blocked=True)

    def say(self, is_blocked: bool, table: str = "T07") -> None:
        """What a table says: a card was not read, or all is well."""
        batch = messages(table, baccarat(20, 7, *(["9s ?? Kd"] if is_blocked else [])), now_ms())
        publish(self.broker, latest(batch))
        until(lambda: (ALARM in self.html("BO", f"/table/{table}?lang=en")) == is_blocked)

    def cookie(self, name: str) -> str:
        if name not in self.cookies:
            self.cookies[name] = sign_in(self.page, name).cookie
        return self.cookies[name]

    def html(self, name: str, path: str = "/table/T07?lang=en") -> str:
        return unescape(ask(self.page, path, cookie=self.cookie(name)).body)

    def form(self, name: str, path: str = "/table/T07?lang=en", **fields: str) -> dict[str, str]:
        """The hidden fields of the first form about an alarm, with others."""
        form = re.findall(
            r'<form method="post" action="/(?:table/T0\d/take|hand-over)[^>]*>(.*?)</form>',
            self.html(name, path),
            re.DOTALL,
        )
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form[0])) | fields

    def send(self, name: str, fields: dict[str, str], path: str = TAKE, **headers: str) -> Answer:
        headers = {"origin": self.page.url, "content_type": FORM, "cookie": self.cookie(name)} | headers
        return ask(self.page, path, "POST", urlencode(fields), **headers)

    def restart(self, how: str = "stop") -> None:
        getattr(self.page, how)()
        self.page.start()
        self.cookies.clear()
        until(lambda: ALARM in self.html("BO"))


@pytest.fixture
def floor(broker: Broker, pages: Callable[..., Page], tmp_path: Path) -> Floor:
    people = People(tmp_path / "users.json")
    for name, role in (("ANNA", "act"), ("CARL", "act"), ("BO", "look")):
        people.add(name, role, PASSWORD)  # type: ignore[arg-type]  # both are roles
    return Floor(pages(broker, sign_in="on", users=str(tmp_path / "users.json")), broker)


def test_who_goes_is_seen_by_all_and_kept_over_a_restart_until_the_alarm_ends(floor: Floor) -> None:
    assert "Nobody goes yet." in floor.html("BO")
    note = "<b>with the cards</b>"
    assert floor.send("ANNA", floor.form("ANNA", act="take", note=note)).status == 303
    for page in ("/table/T07?lang=en", "/?lang=en"):
        assert "ANNA goes" in floor.html("BO", page)
        assert note not in ask(floor.page, page, cookie=floor.cookie("BO")).body
        assert note in floor.html("BO", page)
    floor.restart("kill")
    assert "ANNA goes" in floor.html("BO", "/?lang=en")
    assert "unreadable of table T07: ANNA goes, says ANNA" in floor.page.log
    floor.say(is_blocked=False)
    assert "ANNA goes" not in floor.html("BO") + floor.html("BO", "/?lang=en")


def test_an_alarm_is_taken_over_given_back_and_handed_over(floor: Floor) -> None:
    free = floor.form("CARL", act="take")
    assert floor.send("ANNA", floor.form("ANNA", act="take")).status == 303
    assert floor.send("CARL", free).status == 409  # ANNA was quicker: nobody takes it over without knowing
    assert "ANNA goes" in floor.html("BO")
    assert floor.send("CARL", floor.form("CARL", act="give_back")).status == 409
    assert floor.send("CARL", floor.form("CARL", act="hand_over", to="CARL")).status == 400
    assert floor.send("CARL", floor.form("CARL", act="take_over")).status == 303
    assert "CARL goes" in floor.html("BO")
    assert floor.send("CARL", floor.form("CARL", act="hand_over", to="BO")).status == 400  # who only looks
    assert floor.send("CARL", floor.form("CARL", act="hand_over", to="ANNA", note="end of shift")).status == 303
    assert "ANNA goes" in floor.html("BO")
    assert "end of shift" in floor.html("BO")
    assert floor.send("ANNA", floor.form("ANNA", act="give_back")).status == 303
    assert "Nobody goes yet." in floor.html("BO")


def test_a_shift_is_handed_over_with_all_its_alarms(floor: Floor) -> None:
    floor.say(is_blocked=True, table="T08")
    for table in ("T07", "T08"):
        path = f"/table/{table}?lang=en"
        taken = floor.send("ANNA", floor.form("ANNA", path, act="take"), f"/table/{table}/take")
        assert taken.status == 303
    assert "T07: Card not read" in floor.html("ANNA", "/hand-over?lang=en")
    assert "You go to no open alarm." in floor.html("CARL", "/hand-over?lang=en")
    form = floor.form("ANNA", "/hand-over?lang=en", act="hand_over")
    assert floor.send("ANNA", form | {"to": "CARL", "note": "good night"}, "/hand-over").status == 303
    wall = floor.html("BO", "/?lang=en")
    assert (wall.count("CARL goes"), wall.count("good night"), wall.count("ANNA goes")) == (2, 2, 0)


def test_only_who_may_act_takes_an_alarm_by_a_form_of_his_own(floor: Floor) -> None:
    assert "I go" not in floor.html("BO")
    form = floor.form("ANNA", act="take")
    refused = {
        "look": floor.send("BO", form).status,
        "another session": floor.send("CARL", form).status,
        "another site": floor.send("ANNA", form, origin="https://evil.example").status,
        "no token": floor.send("ANNA", form | {"token": ""}).status,
        "another alarm": floor.send("ANNA", form | {"since": "1"}).status,
        "no alarm": floor.send("ANNA", form | {"since": "x"}).status,
        "another act": floor.send("ANNA", form | {"act": "void"}).status,
        "a long note": floor.send("ANNA", form | {"note": "x" * 201}).status,
        "a note of two lines": floor.send("ANNA", form | {"note": "a\nb"}).status,
        "another table": floor.send("ANNA", form, "/table/T99/take").status,
    }
    assert refused == {
        "look": 403, "another session": 409, "another site": 403, "no token": 409, "another alarm": 409,
        "no alarm": 400, "another act": 400, "a long note": 400, "a note of two lines": 400, "another table": 404,
    }  # fmt: skip
    assert "Nobody goes yet." in floor.html("BO")
    answers = [floor.send("ANNA", form | {"note": str(number)}).status for number in range(40)]
    assert answers[-1] == 429


def test_two_pages_of_a_machine_show_the_same(
    floor: Floor, broker: Broker, pages: Callable[..., Page], tmp_path: Path
) -> None:
    other = Floor(pages(broker, sign_in="on", users=str(tmp_path / "users.json")), broker)
    assert floor.send("ANNA", floor.form("ANNA", act="take")).status == 303
    until(lambda: "ANNA goes" in other.html("BO"))
    assert other.send("CARL", other.form("CARL", act="take_over")).status == 303
    until(lambda: "CARL goes" in floor.html("BO"))


def test_a_file_that_cannot_be_written_is_said_and_a_torn_line_loses_nothing_else(floor: Floor, tmp_path: Path) -> None:
    taken = tmp_path / "taken.jsonl"
    assert floor.send("ANNA", floor.form("ANNA", act="take")).status == 303
    assert taken.stat().st_mode & 0o777 == 0o600
    with taken.open("ab") as file:
        file.write(b'{"at":1,"tab')
    assert floor.send("CARL", floor.form("CARL", act="take_over")).status == 303
    assert "CARL goes" in floor.html("BO")
    floor.restart()
    assert "CARL goes" in floor.html("BO")
    taken.unlink()
    taken.mkdir()
    answer = floor.send("ANNA", floor.form("ANNA", act="take_over"))
    assert (answer.status, "could not write it down" in answer.body) == (503, True)


def test_a_table_without_a_connection_is_taken_until_it_is_heard_again(floor: Floor, broker: Broker) -> None:
    quiet = messages("T09", baccarat(2), now_ms())
    publish(broker, [*latest(quiet), *alive("T09", now_ms(), state="lost")])
    path = "/table/T09?lang=en"
    until(lambda: "The shoe is disconnected" in floor.html("BO", path))
    assert (
        floor.send("ANNA", floor.form("ANNA", path, act="take", note="at the switch"), "/table/T09/take").status == 303
    )
    assert "at the switch" in floor.html("BO", "/?lang=en")
    publish(broker, alive("T09", now_ms() + 1000))
    until(lambda: "The shoe is disconnected" not in floor.html("BO", path))
    publish(broker, alive("T09", now_ms() + 2000, state="lost")[:1])
    until(lambda: "The shoe is disconnected" in floor.html("BO", path))
    assert "Nobody goes yet." in floor.html("BO", path)  # it is another loss


def test_all_that_people_do_is_done_with_the_keyboard_alone_and_has_no_finding_of_axe(
    broker: Broker, pages: Callable[..., Page], tmp_path: Path, tabs: Tabs
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    key = tmp_path / "page.key"
    key.write_bytes(bytes(range(32)))
    for name in ("ANNA", "CARL"):
        People(tmp_path / "users.json").add(name, "act", PASSWORD)
    page = pages(broker, sign_in="on", users=str(tmp_path / "users.json"), order_key_file=str(key))
    publish(broker, [*latest(messages("T07", baccarat(20, 7, "9s ?? Kd"), now_ms())), *alive("T07", now_ms())])
    tab = tabs.signed_in(page.url, "ANNA", PASSWORD)
    for lang in LANGUAGES:
        tab.goto(f"{page.url}/table/T07?lang={lang}")
        tab.wait_for_selector("body.live")
        assert violations(Axe().run(tab)) == []
        tab.focus("#more-unreadable")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("input[name=note]")
        assert violations(Axe().run(tab)) == []
        tab.keyboard.press("Tab")
        tab.goto(f"{page.url}/table/T07?lang={lang}")
        tab.wait_for_selector("body.live")
        tab.focus("#order-resolve-unreadable-void")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("input[name=why]")
        assert violations(Axe().run(tab)) == []
    tab.goto(f"{page.url}/table/T07?lang=en")
    tab.wait_for_selector("body.live")
    tab.focus("#go-unreadable")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=ANNA goes")
    tab.goto(f"{page.url}/hand-over?lang=en")
    assert violations(Axe().run(tab)) == []
    tab.focus("select[name=to]")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=CARL goes")
    assert tabs.errors == []


def violations(found: Any) -> list[str]:
    """What axe has found."""
    return [each["id"] for each in found.response["violations"]]
