"""Who goes to which alarm: said on a page behind a real broker, seen by all, kept over restarts."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from firmware_bridge.floor.page.people import People
from tests.floor.tables import baccarat, latest, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.floor_whole.signed_in import FORM, PASSWORD, Answer, ask, sign_in
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures

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
        told = messages(table, baccarat(20, 7, *(["9s ?? Kd"] if is_blocked else [])), now_ms())
        publish(self.broker, latest(told))
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
            r'<form method="post" action="/(?:table/T07/take|hand-over)[^>]*>(.*?)</form>',
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
