from typing import Any

import pytest

from firmware_bridge.cards import Card
from firmware_bridge.commands import BY_MQTT, LOCAL, NotAnOrder, order_of, parse
from firmware_bridge.facts import orders as o


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"do": "open_shoe"}, o.OpenShoe()),
        ({"do": "open-shoe", "pack": {"lot": 3}, "dealer": "d"}, o.OpenShoe(o.Pack(3), "d")),
        ({"do": "close_shoe"}, o.CloseShoe()),
        ({"do": "bets_open"}, o.BetsOpen()),
        ({"do": "bets_closed", "id": "7", "by": "b"}, o.BetsClosed()),
        ({"do": "next"}, o.Next()),
        ({"do": "void", "why": "misdeal"}, o.Void("misdeal")),
        ({"do": "resolve", "irregularity": "duplicate", "choice": "keep"}, o.Resolve("duplicate", "keep")),
        ({"do": "resend", "journal": "3-a", "from": 2, "to": 4}, o.Resend("3-a", 2, 4)),
        ({"do": "enter", "card": "As", "second": "bea"}, o.Enter(Card("As"), "bea")),
    ],
)
def test_orders_as_they_come_over_the_wire(fields: dict[str, Any], order: o.Order) -> None:
    assert order_of(fields, LOCAL) == order


@pytest.mark.parametrize(
    ("fields", "error", "hint"),
    [
        ({"do": "nexd"}, "nexd is no command", "did you mean next?"),
        ({"do": "frobnicate"}, "frobnicate is no command", "one of: open_shoe, "),
        ({"do": "enter", "card": "As", "second": "bea"}, "enter is not allowed here", "[mqtt] commands"),
        ({"do": "void"}, "void: Object missing required field `why`", "README"),
        ({"do": "void", "why": 7}, "void: Expected `str`, got `int`", "README"),
        ({"do": "next", "twice": True}, "next: Object contains unknown field `twice`", "README"),
        ({"do": "resolve", "irregularity": "x", "choice": "guess"}, "resolve: Invalid enum value 'guess'", "README"),
    ],
)
def test_what_cannot_be_obeyed_says_why(fields: dict[str, Any], error: str, hint: str) -> None:
    order = order_of(fields, BY_MQTT)
    assert isinstance(order, o.Malformed)
    assert order.error.startswith(error)
    assert hint in order.hint


def test_a_mistyped_card_is_not_repeated() -> None:
    order = order_of({"do": "enter", "card": "Asx", "second": "bea"}, LOCAL)
    assert isinstance(order, o.Malformed)
    assert "Asx" not in repr(order)


def test_no_order_by_mqtt_names_a_card() -> None:
    assert "enter" not in BY_MQTT


NO_ORDERS = [b"", b"next", b"[1]", b'"x"', b"{}", b'{"do":1}', b'{"do":"next","id":5}', b"\xff"]


@pytest.mark.parametrize("payload", NO_ORDERS)
def test_what_is_no_order_at_all_says_what_to_send(payload: bytes) -> None:
    with pytest.raises(NotAnOrder, match=r"send|string"):
        parse(payload)


def test_a_bomb_of_brackets_is_no_order() -> None:
    with pytest.raises(NotAnOrder):
        parse(b"[" * 100_000)
