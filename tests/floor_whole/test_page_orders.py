"""Orders that people give on the page, to a real daemon behind a real broker."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from firmware_bridge.client.signing import signing
from firmware_bridge.floor.page.people import People
from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, until
from tests.floor_whole.signed_in import FORM, PASSWORD, Answer, ask, sign_in
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
backend, table = listening.backend, listened.table  # fixtures

ALLOWS = ("void", "resolve", "bets_open", "bets_closed", "request_shoe_change", "request_dealer_change")


class Pit:
    """A table with a daemon, a page with a key, and one person of each role who has signed in."""

    def __init__(self, table: Callable[..., Any], page: Page, key: Path, backend: Backend, **sections: Any) -> None:
        row = {"name": "page", "key": signing("page", key, lambda: 0).by.key.vkey, "allows": list(ALLOWS)}
        self.table, self.page, self.backend = table(orders=[row], **sections), page, backend
        status_is(backend, "online")
        self.act, self.look = sign_in(page).cookie, sign_in(page, "BO").cookie

    def deal(self, cards: str) -> None:
        """Draw cards; the page shows them."""
        self.table.deal(cards)
        dealt = len(cards.split())
        until(lambda: len(re.findall(r'class="card[ "]', self.html())) >= dealt or self.table.pause(0.05))

    def html(self, cookie: str | None = None) -> str:
        return ask(self.page, "/table/T07?lang=en", cookie=cookie or self.act).body

    def forms(self, cookie: str | None = None) -> list[dict[str, str]]:
        """The fields of each form of an order."""
        found = re.findall(r'<form method="post" action="/table/T07/order[^>]*>(.*?)</form>', self.html(cookie))
        pairs = [re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', each) for each in found]
        return [{name: unescape(value) for name, value in each} for each in pairs]

    def form(self, do: str, **fields: str) -> dict[str, str]:
        """The form of an order, filled in."""
        wanted = [each for each in self.forms() if each["do"] == do]
        return {**wanted[0], **fields}

    def send(self, fields: dict[str, str], cookie: str | None = None, **headers: str) -> Answer:
        """Send a form; the table lives until it is answered."""
        headers = {"origin": self.page.url, "content_type": FORM, "cookie": cookie or self.act} | headers
        return ask(self.page, "/table/T07/order?lang=en", "POST", urlencode(fields), **headers)

    def events(self, kind: str) -> list[dict[str, Any]]:
        first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in self.backend.on("event")}
        return [each for each in first.values() if each["type"] == kind]


@pytest.fixture
def pit(
    broker: Broker, pages: Callable[..., Page], table: Callable[..., Any], backend: Backend, tmp_path: Path
) -> Callable[..., Pit]:
    def make(**sections: Any) -> Pit:
        people, key = People(tmp_path / "users.json"), tmp_path / "page.key"
        people.add("ANNA", "act", PASSWORD)
        people.add("BO", "look", PASSWORD)
        key.write_bytes(bytes(range(32)))
        page = pages(broker, sign_in="on", users=str(tmp_path / "users.json"), order_key_file=str(key))
        return Pit(table, page, key, backend, **sections)

    return make


def test_a_void_on_the_page_voids_the_round_and_the_record_names_the_person(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    answer = floor.send(floor.form("void", why="misdeal"))
    assert (answer.status, "The table has taken the order." in answer.body) == (200, True)
    floor.backend.wait_until(lambda: floor.events("RoundVoided"))
    (voided,) = floor.events("RoundVoided")
    (answered,) = floor.events("CommandAnswered")
    assert (voided["by"], voided["why"]) == ("key/page", ["misdeal"])
    assert (answered["by"], answered["on_behalf_of"]) == ("key/page", "ANNA")
    assert "ANNA gave void to table T07" in floor.page.log
