"""Store, page and answers say what the table says: no name in clear, no offer that it refuses, no rule of their own."""

from __future__ import annotations

import msgspec
import pytest

from firmware_bridge.daemon.table.second_login import needs_two
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import REFUSALS, phrase
from firmware_bridge.facts.events import CommandAnswered
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.orders import malformed
from firmware_bridge.floor.page.offers import GIVEN, Offer, is_of_two, offered
from firmware_bridge.floor.record.message import row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.journal.messages import messages as messages_of
from firmware_bridge.topics.state import table as state_of
from firmware_bridge.topics.texts import LANGUAGES, Language, known, names
from firmware_bridge.topics.texts.refusals import sentence
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import Message, alive, messages
from tests.floor.test_page_drawn import views
from tests.kit.table import Table
from tests.shoe.test_orders_now import answer

HIDDEN = Names(b"k" * 32)


def kept(table: Table) -> str:
    """What a store with pseudonyms keeps of all messages of a table."""
    sent = [each for line in table.lines for each in messages_of(line) if each.topic == "event"]
    return "".join(str(HIDDEN.row(row("event", "T07", each.payload, "2026-01-01T00:00:00.000Z")).body) for each in sent)


@pytest.mark.parametrize(
    "refused",
    [
        malformed("orders", "many_answers", count=3, source="orders", do="void", by="ANNA", why=phrase("accepted")),
        malformed("confirm", "same_name", by="ANNA"),
        malformed("confirm", "same_login", login="ANNA"),
        malformed("open_shoe", "reader_lent", to="ANNA"),
        orders.Malformed("orders", "3 more orders were answered within a minute, the last one: void by ANNA: no", "x"),
    ],
)
def test_a_refusal_names_nobody_in_a_store_with_pseudonyms(refused: orders.Malformed) -> None:
    table = Table()
    table.take(table.order(refused, by="ANNA"))
    assert any(b"ANNA" in each.payload for each in messages_of(table.lines[-1]))
    assert "ANNA" not in kept(table)


def taking(*orders: str) -> list[Message]:
    """Status and health of a table that takes these orders of the page alone."""
    status, *more = alive("T07")
    said = msgspec.json.decode(status.payload) | {"orders": {"": orders}}
    return [status._replace(payload=msgspec.json.encode(said)), *more]


PLAIN = [do for do in GIVEN if do != "resolve"]


def on_page(batch: list[Message], lang: Language = "en") -> dict[str, Offer]:
    """What the page offers of a table that takes all its orders, but no decision about an alarm."""
    feed = views(batch, taking(*PLAIN))._feed
    offers = offered(feed.floor.tables["T07"], feed.troubles["T07"], lang)
    return {each.fields["do"]: each for each in offers if each.fields["do"] != "resolve"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_offers_no_void_in_the_burn(lang: Language) -> None:
    offers = on_page(messages("T07", Scene("baccarat", {}, ("shoe ??",))), lang)
    assert not Table().play("shoe ?? !void x").answer.ok
    assert offers["void"].why_not


VIP = {"mode": "vip", "disclose": "sealed"}
SCENES = [
    Scene("baccarat", settings, steps)
    for settings in (
        {"burn": "none", "betting": "required"},
        {"burn": "none", "betting": "required", "close": "next", **VIP, "shoe_change_after": 0},
        {"betting": "required", "close": "next", **VIP},
    )
    for steps in (
        (),
        (orders.CloseTable("night"),),
        ("shoe",),
        ("shoe 3c",),
        ("shoe ??",),
        ("shoe 3c 2h 4h 5h",),
        ("shoe 3c 2h 4h 5h bets-closed",),
        ("shoe 3c 2h 4h 5h bets-closed 9s Kd",),
        ("shoe bets-closed 9s Kd Th Kc", orders.Next(), orders.RequestShoeChange(), orders.RequestDealerChange()),
        ("shoe bets-closed 9s Kd Th Kc reveal reveal",),
        ("shoe bets-closed 9s Kd !void misdeal !close_shoe",),
    )
]


@pytest.mark.parametrize("scene", SCENES, ids=range(len(SCENES)))
def test_the_page_offers_what_the_table_takes_and_nothing_else(scene: Scene) -> None:
    table = Table(**scene.settings)
    for step in scene.steps:
        table.play(step if isinstance(step, str) else table.order(step))  # type: ignore[arg-type]  # an order
    for do, offer in on_page(messages("T07", scene)).items():
        order = orders.Void("misdeal") if do == "void" else orders.TYPES[do]()  # type: ignore[call-arg]
        assert (do, not offer.why_not) == (do, answer(table.shoe, order).ok)


def test_a_table_of_a_version_before_says_nothing_and_its_orders_are_offered() -> None:
    said = messages("T07", Scene("baccarat", {"burn": "none"}, ("shoe 9s Kd",)))
    old = [_without_orders(each) if each.topic.endswith("/table") else each for each in said]
    assert {do for do, each in on_page(old).items() if not each.why_not} == set(on_page(old)) - {
        "bets_open",
        "bets_closed",
    }


def _without_orders(message: Message) -> Message:
    said = msgspec.json.decode(message.payload)
    assert said.pop("orders")
    return message._replace(payload=msgspec.json.encode(said))


@pytest.mark.parametrize("code", ["allowed", "silent", "{0.x}", "fly_limit", "of a newer table"])
def test_any_word_of_a_table_is_shown_in_place_of_a_refusal(code: str) -> None:
    said = messages("T07", Scene("baccarat", {"burn": "none"}, ("shoe 9s Kd",)))
    odd = [_with_orders(each, {"void": code}) if each.topic.endswith("/table") else each for each in said]
    shown = on_page(odd)["void"].why_not
    assert shown == code or code in REFUSALS


def _with_orders(message: Message, refused: dict[str, str]) -> Message:
    return message._replace(payload=msgspec.json.encode(msgspec.json.decode(message.payload) | {"orders": refused}))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_refusal_of_an_order_of_the_page_has_words(lang: Language) -> None:
    codes = {code for do in PLAIN for code in ORDERS[do].codes}
    for code in codes:
        assert known(lang, f"order.not.{code}") or sentence(lang, code, {}) != code, code


@pytest.mark.parametrize("choice", ["end-shoe", "continue"])
@pytest.mark.parametrize("script", ["shoe lid-open", "shoe 9s lid-open"])
def test_page_socket_and_shoe_ask_two_people_for_the_same_decisions(script: str, choice: Choice) -> None:
    table = Table(burn="none", second_person=("void",)).play(script)
    order = orders.Resolve("lid_opened", choice)
    asked = needs_two(table.shoe, msgspec.to_builtins(order))
    assert asked == is_of_two(order, state_of(table.shoe)) == (choice == "end-shoe" and "9s" in script)
    table.take(table.order(order))
    answers = [each.answer for each in table.events if isinstance(each, CommandAnswered)]
    assert (answers[-1].code == "two_people") == asked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_slot_that_no_game_here_has_is_not_called_as_one_of_another_game(lang: Language) -> None:
    assert names.slot(lang, "D1") == "D1"
    assert names.slot(lang, "D") != "D"


def test_what_stands_on_record_has_no_sentence() -> None:
    table = Table().play("shoe !void x next")
    said = [msgspec.json.decode(each.payload)["event"] for each in table.messages if each.topic == "event"]
    refused = [each.get("answer", each) for each in said if each["type"] in ("CommandAnswered", "KeyRefused")]
    assert all("error" not in each and "hint" not in each and "why" not in each for each in refused)
