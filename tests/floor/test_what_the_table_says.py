"""Store, page and answers say what the table says: no name in clear, no offer that it refuses, no rule of their own."""

from __future__ import annotations

import msgspec
import pytest

from firmware_bridge.daemon.table.second_login import needs_two
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.events import CommandAnswered
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.orders import malformed
from firmware_bridge.floor.page.offers import is_of_two, offered
from firmware_bridge.floor.record.message import row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.journal.messages import messages as messages_of
from firmware_bridge.topics.state import table as state_of
from firmware_bridge.topics.texts import LANGUAGES, Language, names
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import Message, alive, messages
from tests.floor.test_page_drawn import views
from tests.kit.table import Table

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


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_offers_no_void_in_the_burn(lang: Language) -> None:
    feed = views(messages("T07", Scene("baccarat", {}, ("shoe ??",))), taking("void"))._feed
    offers = {each.fields["do"]: each for each in offered(feed.floor.tables["T07"], feed.troubles["T07"], lang)}
    assert not Table().play("shoe ?? !void x").answer.ok
    assert offers["void"].why_not


@pytest.mark.parametrize("choice", ["end-shoe", "continue"])
@pytest.mark.parametrize("script", ["shoe lid-open", "shoe 9s lid-open"])
def test_page_socket_and_shoe_ask_two_people_for_the_same_decisions(script: str, choice: Choice) -> None:
    table = Table(burn="none", second_person=("void",)).play(script)
    order = orders.Resolve("lid_opened", choice)
    asked = needs_two(table.shoe, msgspec.to_builtins(order))
    assert asked == is_of_two(order, state_of(table.shoe))
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
