"""Orders that people give on the page, to a real daemon behind a real broker."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from firmware_bridge.client.signing import signing
from firmware_bridge.facts.orders import ALL
from firmware_bridge.floor.page.people import People
from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.floor.tables import baccarat, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import CHROMIUM, HANG_MS, Page, now_ms, publish, until
from tests.floor_whole.signed_in import FORM, PASSWORD, Answer, ask, sign_in
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
backend, table = listening.backend, listened.table  # fixtures

ALLOWS = ("void", "resolve", "bets_open", "bets_closed", "request_shoe_change", "request_dealer_change")


class Pit:
    """A table with a daemon, a page with a key, and people who have signed in: ANNA and CARL act, BO looks."""

    def __init__(self, make: Callable[..., Any], page: Page, key: Path, backend: Backend, **sections: Any) -> None:
        allows = list(sections.pop("allows", ALLOWS))
        row: dict[str, Any] = {"name": "page", "key": signing("page", key, lambda: 0).by.key.vkey, "allows": allows}
        row |= {"two_people": True} if sections.pop("two_people", False) else {}
        self.table, self.page, self.backend = make(orders=[row], **sections), page, backend
        status_is(backend, "online")
        self.act, self.look = sign_in(page).cookie, sign_in(page, "BO").cookie

    def deal(self, cards: str) -> None:
        """Draw cards; the page shows them."""
        self.table.deal(cards)
        dealt = len(cards.split())
        until(lambda: len(re.findall(r'class="card[ "]', self.html())) >= dealt or self.table.pause(0.05))

    def html(self, cookie: str | None = None) -> str:
        return ask(self.page, "/table/T07?lang=en", cookie=cookie or self.act).body

    def links(self, cookie: str | None = None) -> list[dict[str, str]]:
        """What each button of an order asks for."""
        found = re.findall(r'href="/table/T07/order\?([^"]*)"', self.html(cookie))
        return [dict(parse_qsl(unescape(each))) for each in found]

    def asked(self, cookie: str | None = None, **fields: str) -> str:
        """What the page says before an order is given."""
        return unescape(ask(self.page, f"/table/T07/order?{urlencode(fields)}", cookie=cookie or self.act).body)

    def form(self, do: str, cookie: str | None = None, **fields: str) -> dict[str, str]:
        """The form that gives an order, filled in. do: of its button, or what it does with one that waits."""
        link = next(each for each in self.links(cookie) if do in (each.get("do"), *each))
        return self.form_of(cookie, **link) | fields

    def form_of(self, cookie: str | None = None, **link: str) -> dict[str, str]:
        """The form behind the link of a button."""
        page = self.asked(cookie, **link)
        found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
        return dict(found) | ({"why": link["why"]} if "why" in link else {})

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
        people.add("CARL", "act", PASSWORD)
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
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    (voided,) = floor.events("RoundVoided")
    (answered,) = floor.events("CommandAnswered")
    assert (voided["by"], voided["why"]) == ("key/page", ["misdeal"])
    assert (answered["by"], answered["on_behalf_of"]) == ("key/page", "ANNA")
    assert "ANNA gave void to table T07" in floor.page.log


def test_each_order_of_the_pit_is_a_form_and_the_table_answers_in_its_own_words(pit: Callable[..., Pit]) -> None:
    floor = pit(service={"mode": "vip"})
    floor.table.deal("9d")
    until(lambda: "Only after more than 30 rounds of the shoe." in floor.html() or floor.table.pause(0.05))
    assert {each["do"] for each in floor.links()} >= {"request_dealer_change"}
    assert floor.send(floor.form("request_dealer_change")).status == 200
    offered = {each["do"] for each in floor.links()}
    given = [do for do in ("bets_closed", "bets_open") if do in offered]
    for do in given:
        assert "round 1" in floor.asked(**next(each for each in floor.links() if each["do"] == do))
        assert floor.send(floor.form(do)).status == 200
    floor.backend.wait_until(lambda: len(floor.events("CommandAnswered")) == 1 + len(given))
    assert {each["on_behalf_of"] for each in floor.events("CommandAnswered")} == {"ANNA"}
    floor.table.board.fault("unreadable")
    floor.table.pty.tick()
    until(lambda: [each for each in floor.links() if each.get("irregularity") == "unreadable"])
    decision = floor.form("resolve", why="seen by two")
    assert floor.send(decision | {"since": "1"}).status == 409
    assert floor.send(decision).status == 200
    floor.backend.wait_until(lambda: "key/page" in [each.get("by") for each in floor.events("IrregularityClosed")])


def test_correct_and_enter_and_all_other_orders_are_given_by_no_page(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="x")
    others = {*ALL, "enter", "malformed", "", "Void"} - {*ALLOWS, "close_table"}
    assert {"correct", "enter", "open_shoe", "next", "reveal"} <= others
    for do in sorted(others):
        fields = {"cards": "9d 4s", "card": "9d", "second": "BO", "round": form["round"]}
        assert floor.send(form | fields | {"do": do}).status == 400
    assert [each for each in floor.backend.received if each.topic.endswith("/command")] == []


def test_only_a_form_of_ones_own_session_and_of_this_moment_is_sent(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="x")
    assert floor.links(floor.look) == []
    assert "Orders need the role act" in floor.html(floor.look)
    refused = {
        "nobody": floor.send(form, "shoe=" + "A" * 43).status,
        "look": floor.send(form, floor.look).status,
        "another session": floor.send(form, sign_in(floor.page).cookie).status,
        "another site": floor.send(form, origin="https://evil.example").status,
        "no origin": floor.send(form, origin="null").status,
        "no token": floor.send(form | {"token": ""}).status,
        "another id": floor.send(form | {"id": form["id"][:-1] + "x"}).status,
        "no id": floor.send({name: value for name, value in form.items() if name != "id"}).status,
        "another round": floor.send(form | {"round": "7"}).status,
        "another shoe": floor.send(form | {"journal": "9-none"}).status,
        "no round": floor.send(form | {"round": ""}).status,
        "a long reason": floor.send(form | {"why": "x" * 501}).status,
        "no form": floor.send(form, content_type="application/json").status,
        "another table": ask(
            floor.page, "/table/T08/order", "POST", "", origin=floor.page.url, cookie=floor.act
        ).status,
    }
    assert refused == {
        "nobody": 401, "look": 403, "another session": 409, "another site": 403, "no origin": 403, "no token": 409,
        "another id": 409, "no id": 409, "another round": 409, "another shoe": 409, "no round": 400,
        "a long reason": 400, "no form": 400, "another table": 404,
    }  # fmt: skip
    assert [each for each in floor.backend.received if each.topic.endswith("/command")] == []
    assert floor.send(form).status == 200


def test_a_form_that_is_sent_twice_is_one_order(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="misdeal")
    with ThreadPoolExecutor(4) as at_once:
        answers = list(at_once.map(lambda _: floor.send(form).status, range(4)))
    assert answers == [200] * 4
    assert floor.send(form | {"why": "another"}).status == 409
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    assert len(floor.events("CommandAnswered")) == 1
    assert len([each for each in floor.backend.received if each.topic.endswith("/command")]) == 1


TWO: dict[str, Any] = {"service": {"second_person": ["void", "resolve"]}, "two_people": True}


def test_an_order_of_two_people_waits_for_another_one_and_has_both_names(pit: Callable[..., Pit]) -> None:
    floor = pit(**TWO)
    floor.deal("9d 4s")
    carl, look = sign_in(floor.page, "CARL").cookie, floor.look
    link = next(each for each in floor.links() if each["do"] == "void")
    assert "This house asks for two people." in floor.asked(**link)
    form = floor.form("void", why="misdeal")
    waits = floor.send(form)
    assert (waits.status, "Nothing was sent to the table yet." in waits.body) == (202, True)
    assert floor.send(form).status == 202  # the same form again is the same order
    assert "asked for by ANNA, waits for a second person" in floor.html(carl)
    assert "asked for by ANNA" not in floor.html(look)
    assert ["T07: Void round 1" in ask(floor.page, "/?lang=en", cookie=each).body for each in (carl, look)] == [
        True,
        False,
    ]
    assert [each for each in floor.links() if "confirm" in each] == []
    confirm = floor.form("confirm", cookie=carl)
    mine = floor.form_of(confirm=confirm["confirm"])
    refused = {
        "the same person": floor.send(mine).status,
        "the same person, signed in again": floor.send(mine, sign_in(floor.page).cookie).status,
        "who looks": floor.send(confirm, look).status,
        "a token of another session": floor.send(confirm).status,
        "a form to withdraw": floor.send(floor.form_of(carl, withdraw=confirm["confirm"]), carl).status,
        "a token for another act": floor.send(
            {name: value for name, value in confirm.items() if name != "confirm"} | {"withdraw": confirm["confirm"]},
            carl,
        ).status,
    }
    assert refused == {
        "the same person": 409, "the same person, signed in again": 409, "who looks": 403,
        "a token of another session": 409, "a form to withdraw": 409, "a token for another act": 409,
    }  # fmt: skip
    assert [each for each in floor.backend.received if each.topic.endswith("/command")] == []
    with ThreadPoolExecutor(3) as at_once:
        answers = list(at_once.map(lambda _: floor.send(confirm, carl).status, range(3)))
    assert 200 in answers
    assert set(answers) <= {200, 409}
    assert floor.send(confirm, carl).status == 409  # it waits no more
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    (voided,), (answered,) = floor.events("RoundVoided"), floor.events("CommandAnswered")
    assert (voided["by"], voided["second"], answered["on_behalf_of"]) == ("key/page", "CARL", "ANNA")
    assert "ANNA and CARL gave void to table T07" in floor.page.log


def test_an_order_that_waits_is_withdrawn_and_is_of_a_person_who_may_still_act(
    pit: Callable[..., Pit], tmp_path: Path
) -> None:
    floor = pit(**TWO)
    floor.deal("9d 4s")
    carl = sign_in(floor.page, "CARL").cookie
    assert floor.send(floor.form("void", why="misdeal")).status == 202
    confirm = floor.form("confirm", cookie=carl)
    assert floor.send(floor.form("withdraw")).status == 200
    assert floor.send(confirm, carl).status == 409
    assert floor.send(floor.form("void", why="misdeal")).status == 202
    confirm = floor.form("confirm", cookie=carl)
    People(tmp_path / "users.json").remove("ANNA")
    gone = floor.send(confirm, carl)
    assert (gone.status, "may give none any more" in gone.body) == (409, True)
    assert [each for each in floor.backend.received if each.topic.endswith("/command")] == []


def test_a_table_that_takes_two_people_at_the_shoe_alone_has_no_button(pit: Callable[..., Pit]) -> None:
    floor = pit(service={"second_person": ["void"]})
    floor.deal("9d 4s")
    assert "whom this table takes at the shoe alone" in floor.html()
    assert [each for each in floor.links() if each["do"] == "void"] == []


def test_an_order_has_a_button_where_the_table_takes_it(pit: Callable[..., Pit]) -> None:
    floor = pit(table={"burn": 1}, allows=(*ALLOWS, "close_table"))
    until(lambda: [each["do"] for each in floor.links()] == ["close_table"] or floor.table.pause(0.05))
    floor.table.board.fault("unreadable")
    floor.table.pty.tick()
    until(lambda: [each for each in floor.links() if each.get("irregularity") == "unreadable"])
    said = floor.backend.on("table")[-1]["orders"]
    assert "The burn is not finished." in floor.html()
    assert (said["void"], floor.table.ask(do="void", why="x", by="li")["code"]) == ("burn_unfinished",) * 2
    decision = next(each for each in floor.links() if each.get("choice") == "void")
    assert floor.send(floor.form_of(**decision)).status == 200
    floor.deal("9d 4s")
    until(lambda: "void" in [each["do"] for each in floor.links()] or floor.table.pause(0.05))
    assert {each["do"] for each in floor.links()}.isdisjoint(floor.backend.on("table")[-1]["orders"])
    assert floor.send(floor.form("void", why="misdeal")).status == 200


def test_a_decision_has_no_button_where_the_table_refuses_it(pit: Callable[..., Pit]) -> None:
    floor = pit(table={"burn": "first-card"})
    floor.table.board.fault("unreadable")
    floor.table.pty.tick()
    until(lambda: "the exposed burn card decides how many to burn" in floor.html() or floor.table.pause(0.05))
    assert [each for each in floor.links() if each["do"] == "resolve"] == []
    (alarm,) = floor.backend.on("alarm")[-1]["open"]
    decided = floor.table.ask(do="resolve", irregularity="unreadable", choice="void", why="x", by="li")
    assert (decided["code"], alarm["refused"]) == ("burn_card_decides", {"void": "burn_card_decides"})


def test_a_table_is_closed_between_shoes_and_stands_among_the_closed_ones(pit: Callable[..., Pit]) -> None:
    floor = pit(allows=("close_table",))
    floor.deal("9d 4s")
    assert "A shoe is open: the dealer ends it first." in floor.html()
    floor.table.ask(do="void", why="misdeal", by="li")
    floor.table.ask(do="close_shoe", by="li")
    until(lambda: floor.links() or floor.table.pause(0.05))
    assert floor.send(floor.form("close_table", why="night")).status == 200
    until(lambda: "The table is closed already." in floor.html() or floor.table.pause(0.05))
    wall = ask(floor.page, "/?lang=en", cookie=floor.act).body
    assert re.search(r'id="tile-T07" class="is-closed"', wall)
    (closed,) = floor.events("TableClosed")
    assert (closed["by"], closed["why"]) == ("key/page", "night")


def test_a_right_that_the_key_lacks_is_said_by_the_table_and_a_lost_broker_by_the_page(
    pit: Callable[..., Pit], broker: Broker
) -> None:
    floor = pit(allows=("bets_open",))
    floor.deal("9d 4s")
    assert "The table does not take this order from the page: void is not in its config." in floor.html()
    assert floor.links() == []
    form = floor.form_of(do="void", journal=floor.backend.on("table")[-1]["journal"], round="1", why="misdeal")
    answer = floor.send(form)
    assert (answer.status, "void is not allowed for the key page" in answer.body) == (409, True)
    form = floor.form_of(do="void", journal=form["journal"], round="1", why="misdeal")
    broker.kill()
    until(lambda: "no connection to the broker" in floor.html())
    lost = floor.send(form)
    assert (lost.status, "no connection to the broker" in lost.body) == (503, True)


def test_without_a_key_there_are_no_forms(broker: Broker, pages: Callable[..., Page], tmp_path: Path) -> None:
    People(tmp_path / "users.json").add("ANNA", "act", PASSWORD)
    page = pages(broker, sign_in="on", users=str(tmp_path / "users.json"))
    publish(broker, messages("T07", baccarat(2), now_ms()))
    cookie = sign_in(page).cookie
    until(lambda: "T07" in ask(page, "/", cookie=cookie).body)
    assert "/order" not in ask(page, "/table/T07", cookie=cookie).body
    assert ask(page, "/table/T07/order", "POST", "", cookie=cookie, origin=page.url).status == 405


@pytest.mark.skipif(CHROMIUM is None or find_spec("playwright") is None, reason="chromium or playwright is missing")
def test_a_double_click_in_a_browser_without_javascript_is_one_order(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    with ThreadPoolExecutor(1) as browser:  # playwright and the table have an event loop each
        clicked = browser.submit(double_click, f"{floor.page.url}/table/T07?lang=en")
        floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    assert clicked.result() == ("The table has taken the order.", f"{floor.page.url}/table/T07?lang=en")
    assert [each["on_behalf_of"] for each in floor.events("CommandAnswered")] == ["ANNA"]


def double_click(url: str) -> tuple[str, str]:
    """Sign in, and press the button that voids the round twice; what is said then, and where the way back leads."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_context(java_script_enabled=False).new_page()
        tab.set_default_timeout(HANG_MS)
        tab.goto(url)
        tab.fill("input[name=name]", "ANNA")
        tab.fill("input[name=password]", PASSWORD)
        tab.click("button")
        tab.click("text=Void round 1")
        form = tab.locator("form", has_text="give the order")
        form.locator("input[name=why]").fill("misdeal")
        if picture := os.environ.get("PICTURE"):
            tab.screenshot(path=picture, full_page=True)
        form.locator("button").dblclick()
        said = tab.inner_text("[role=status]")
        tab.click("text=Back to table T07")
        tab.wait_for_url(url)
        browser.close()
        return said, url
