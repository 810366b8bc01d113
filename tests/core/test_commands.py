from typing import Any

import msgspec
import pytest

from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.orders import BY_MQTT, LOCAL
from firmware_bridge.table.desk import LONGEST, NotAnOrder, digest, order_of, parse


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"do": "open_shoe"}, orders.OpenShoe()),
        ({"do": "open-shoe", "pack": {"lot": 3}, "dealer": "d"}, orders.OpenShoe(orders.Pack(3), "d")),
        ({"do": "close_shoe"}, orders.CloseShoe()),
        ({"do": "bets_open"}, orders.BetsOpen()),
        ({"do": "bets_closed", "id": "7", "by": "b"}, orders.BetsClosed()),
        ({"do": "next"}, orders.Next()),
        ({"do": "void", "why": "misdeal"}, orders.Void("misdeal")),
        ({"do": "resolve", "irregularity": "duplicate", "choice": "keep"}, orders.Resolve("duplicate", "keep")),
        ({"do": "resend", "journal": "3-a", "from": 2, "to": 4}, orders.Resend("3-a", 2, 4)),
        ({"do": "enter", "card": "As", "second": "bea"}, orders.Enter(Card("As"), "bea")),
    ],
)
def test_orders_as_they_come_over_the_wire(fields: dict[str, Any], order: orders.Order) -> None:
    assert order_of(fields, LOCAL) == order


@pytest.mark.parametrize(
    ("fields", "error", "hint"),
    [
        ({"do": "nexd"}, "nexd is no command", "did you mean next?"),
        ({"do": "frobnicate"}, "frobnicate is no command", "one of: open_shoe, "),
        ({"do": "enter", "card": "As", "second": "bea"}, "enter is not allowed here", "[mqtt] commands"),
        ({"do": "void"}, "void: why is missing", "void takes why"),
        ({"do": "void", "why": 7}, "void: why is no text of up to 500 characters", "void takes why"),
        ({"do": "next", "twice": True}, "next: it takes no 'twice'", "next takes nothing else"),
        (
            {"do": "resolve", "irregularity": "x", "choice": "guess"},
            "resolve: choice is no choice: one of ",
            "resolve takes irregularity, choice, [why]",
        ),
        (
            {"do": "mark", "word": "H", "seat": 0},
            "mark: seat is no whole number from 1 to 99",
            "mark takes word, [seat]",
        ),
        ({"do": "open_shoe", "pack": 3}, "open_shoe: pack is no object of lot, decks", "open_shoe takes [pack], "),
        ({"do": "resend", "from": "1"}, "resend: from is no whole number, 1 or more", "resend takes [journal], [from]"),
        ({"do": "reveal", "slots": "P1"}, "reveal: slots is no list, each a text", "reveal takes [slots]"),
        ({"do": "bets_closed", "bets": [1]}, 'bets_closed: bets is no object of texts: {"1": "100"}', "takes [bets]"),
    ],
)
def test_what_cannot_be_obeyed_says_why(fields: dict[str, Any], error: str, hint: str) -> None:
    order = order_of(fields, BY_MQTT)
    assert isinstance(order, orders.Malformed)
    assert order.error.startswith(error)
    assert hint in order.hint


def test_a_mistyped_card_is_not_repeated() -> None:
    order = order_of({"do": "enter", "card": "Asx", "second": "bea"}, LOCAL)
    assert isinstance(order, orders.Malformed)
    assert "Asx" not in repr(order)


def test_no_order_by_mqtt_names_a_card() -> None:
    assert "enter" not in BY_MQTT


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"", "not JSON"),
        (b"next", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[1]", 'no "do"'),
        (b'"x"', 'no "do"'),
        (b"{}", 'no "do"'),
        (b'{"do":1}', 'no "do"'),
        (b'{"do":"next","id":5}', '"id" is no text of 1 to 64 characters'),
        (b'{"do":"next","id":""}', '"id" is no text of 1 to 64 characters'),
        (b'{"do":"next","id":"%b"}' % (b"7" * 65), '"id" is no text of 1 to 64 characters'),
        (b'{"do":"void","why":"%b"}' % (b"x" * LONGEST), "too long"),
    ],
)
def test_what_is_no_order_at_all_says_what_to_send(payload: bytes, error: str) -> None:
    with pytest.raises(NotAnOrder) as raised:
        parse(payload)
    assert raised.value.answer.error == error
    assert raised.value.answer.hint


LONG = "x" * 3_900


@pytest.mark.parametrize(
    "fields",
    [
        {"do": LONG},
        {"do": "void", "why": LONG},
        {"do": "void", "why": "misdeal", LONG: 1},
        {"do": "close_shoe", "why": LONG},
        {"do": "resolve", "irregularity": LONG, "choice": "keep"},
        {"do": "resolve", "irregularity": "duplicate", "choice": LONG},
        {"do": "open_shoe", "dealer": LONG},
        {"do": "open_shoe", "confirmed_by": LONG},
        {"do": "open_shoe", "pack": {"decks": 10**3_000}},
        {"do": "reveal", "slots": [LONG]},
        {"do": "dealer", "dealer": LONG},
        {"do": "correct", "round": 10**3_000, "cards": [], "why": ""},
        {"do": "resend", "journal": LONG},
        {"do": "resend", "journal": "3-a", "to": 10**3_000},
        {"do": "enter", "card": "As", "second": LONG},
    ],
)
def test_a_refusal_is_short_whatever_was_asked(fields: dict[str, Any]) -> None:
    order = order_of(fields, LOCAL)
    assert isinstance(order, orders.Malformed)
    assert len(msgspec.json.encode(order)) < 700


def test_a_bomb_of_brackets_is_no_order() -> None:
    with pytest.raises(NotAnOrder, match="not JSON"):
        parse(b"[" * LONGEST)


def test_an_order_is_told_from_others_by_what_it_asks_and_by_who_gives_it() -> None:
    void = orders.Void("misdeal")
    assert digest(void, "backend") == digest(order_of({"do": "void", "why": "misdeal"}, LOCAL), "backend")
    others = {digest(void, "anna"), digest(orders.Void("other"), "backend"), digest(orders.Next(), "backend")}
    assert len({digest(void, "backend"), *others}) == 4


def test_no_card_can_be_found_from_what_is_published_of_an_order() -> None:
    assert len({digest(orders.Enter(card, "bea"), "anna") for card in FACES}) == 1
    assert digest(orders.Enter(FACES[0], "bea"), "anna") != digest(orders.Enter(FACES[0], "cid"), "anna")
