"""Each order has one row in the book, and all that speak of orders read it."""

from __future__ import annotations

from typing import get_args

import pytest

from firmware_bridge.cli import do as shoe_do
from firmware_bridge.cli.schema import schema
from firmware_bridge.client.orders import Orders
from firmware_bridge.config.sections import ServiceConfig
from firmware_bridge.daemon.table.budget import _PRICES
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.orders import GUARDED, ORDERS, Price, needs_two
from firmware_bridge.facts.rights import roles_for
from firmware_bridge.floor.page.offers import GIVEN
from firmware_bridge.shoe.decide import HANDLERS
from firmware_bridge.topics.texts import LANGUAGES, Language, known


def test_each_order_has_a_row_and_each_row_an_order() -> None:
    assert set(orders.TYPES) == set(ORDERS) == {orders.tag_of(each) for each in get_args(orders.Order)} - {"malformed"}
    assert list(orders.TYPES) == list(ORDERS)


def test_each_row_has_a_handler_rights_a_price_and_a_command() -> None:
    assert {"reveal_order" if do == "reveal" else do for do in ORDERS} <= set(HANDLERS)
    assert {do: roles_for(do) for do in ORDERS} == {do: row.who for do, row in ORDERS.items()}
    assert {row.price for row in ORDERS.values()} <= set(_PRICES) == set(get_args(Price))
    assert {do for do, row in ORDERS.items() if row.by_wire} == {each.replace("-", "_") for each in shoe_do.ORDERS}


def test_each_row_of_the_wire_has_a_message_and_a_method() -> None:
    defs = schema()["$defs"]
    for do, row in ORDERS.items():
        assert (f"command.{do}" in defs, hasattr(Orders, do)) == (row.by_wire, row.by_wire), do
    assert defs["table"]["properties"]["orders"]["propertyNames"] == {"enum": list(ORDERS)}


def test_a_house_may_ask_two_people_for_the_orders_of_the_book_alone() -> None:
    (guarded, _) = get_args(ServiceConfig.__annotations__["second_person"])
    assert (
        set(get_args(guarded))
        == set(GUARDED)
        == {do for do, row in ORDERS.items() if row.people in ("house", "logins")}
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_button_of_the_page_has_its_words(lang: Language) -> None:
    for do in GIVEN:
        assert known(lang, f"order.{do}") or do == "resolve", do
        assert known(lang, f"order.what.{do}"), do


def test_the_orders_that_name_a_round_and_those_with_a_reason_follow_from_their_fields() -> None:
    assert [orders.tag_of(each) for each in orders.OF_ROUND] == [
        "bets_open", "bets_closed", "mark", "unmark", "next", "reveal", "fly", "void",
    ]  # fmt: skip
    reasons = {do: orders.reason(kind) for do, kind in orders.TYPES.items()}
    assert {do for do, each in reasons.items() if each == "must"} == {"void", "correct"}
    assert {do for do, each in reasons.items() if each == "may"} == {"close_shoe", "close_table", "resolve"}


@pytest.mark.parametrize(
    ("do", "choice", "phase", "asked", "two"),
    [
        ("void", "", "dealing", ("void",), True),
        ("void", "", "dealing", ("resolve",), False),
        ("resolve", "void", "ready", ("void",), True),
        ("resolve", "end-shoe", "ready", ("void",), False),
        ("resolve", "end-shoe", "complete", ("void",), True),
        ("resolve", "continue", "dealing", ("void",), False),
        ("resolve", "continue", "dealing", ("resolve",), True),
        ("next", "", "dealing", ("void", "resolve", "correct"), False),
    ],
)
def test_two_people_are_asked_for_by_one_rule(
    do: str, choice: str, phase: str, asked: tuple[str, ...], two: bool
) -> None:
    assert needs_two(do, asked, phase, choice) == two
