from typing import Any

import msgspec
import pytest

from firmware_bridge.daemon.table.command import LONGEST, NotAnOrder, parse
from firmware_bridge.daemon.table.order_service import digest, order_of
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, HINT, Card
from firmware_bridge.facts.orders import ALL, BY_MQTT, LOCAL
from tests.kit.refusals import said
from tests.kit.rows import each_row


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"do": "open_shoe"}, orders.OpenShoe()),
        ({"do": "open-shoe", "pack": {"lot": 3}, "dealer": "d"}, orders.OpenShoe(orders.Pack(3), "d")),
        ({"do": "close_shoe"}, orders.CloseShoe()),
        ({"do": "close_table", "why": "night"}, orders.CloseTable("night")),
        ({"do": "bets_open"}, orders.BetsOpen()),
        ({"do": "bets_closed", "id": "7"}, orders.BetsClosed()),
        ({"do": "bets_closed", "bets": {"S1": "100", "3": "5"}}, orders.BetsClosed({"1": "100", "3": "5"})),
        ({"do": "bets_closed", "money": {"S12": "9"}}, orders.BetsClosed(money={"12": "9"})),
        ({"do": "mark", "seat": "S3", "word": "compare", "value": "S2"}, orders.Mark("compare", 3, "2")),
        ({"do": "unmark", "seat": "S3"}, orders.Unmark(seat=3)),
        ({"do": "next"}, orders.Next()),
        ({"do": "void", "why": "misdeal"}, orders.Void("misdeal")),
        ({"do": "resolve", "irregularity": "duplicate", "choice": "keep"}, orders.Resolve("duplicate", "keep")),
        ({"do": "resend", "journal": "3-a", "from": 2, "to": 4}, orders.Resend("3-a", 2, 4)),
        ({"do": "enter", "card": "As", "second": "bea"}, orders.Enter(Card("As"), "bea")),
    ],
)
def test_orders_as_they_come_over_the_wire(fields: dict[str, Any], order: orders.Order) -> None:
    assert order_of(fields, LOCAL) == order


@each_row(
    ("fields", "error", "hint"),
    [
        ({"do": "nexd"}, "nexd is not a command", "did you mean next?"),
        ({"do": "frobnicate"}, "frobnicate is not a command", "one of: open_shoe, "),
        ({"do": "enter", "card": "As", "second": "bea"}, "enter is not allowed here", "give it at the table"),
        ({"do": "correct"}, "correct is not allowed here", '[mqtt] commands = [.., "correct"]'),
        ({"do": "void"}, "the reason is missing", 'give "why"'),
        ({"do": "void", "why": 7}, "the reason is not a text", "quotation marks"),
        ({"do": "void", "why": "x" * 501}, "the reason is too long: at most 500 characters", "one short line"),
        ({"do": "void", "why": "a\nb"}, "the reason contains the character \\n", "printable characters"),
        (
            {"do": "dealer", "dealer": "Eve\x1b[2J"},
            "the dealer's name contains the character \\x1b",
            "printable characters",
        ),
        ({"do": "open_shoe", "confirmed_by": "\u202eben"}, "the pit boss's name contains the character \\u202e", ""),
        ({"do": "enter", "card": "As", "second": "x" * 65}, "the second name is too long: at most 64 characters", ""),
        ({"do": "request_dealer_change", "twice": True}, '"twice" is unknown', "it has no fields"),
        ({"do": "void", "why": "x", "by": "eve"}, '"by" is not allowed here', "leave it out"),
        ({"do": "void", "whi": "x"}, '"whi" is unknown', "did you mean why?"),
        ({"do": "resend", "\n": 1}, '"\\n" is unknown', "its fields are journal, from, to, since"),
        (
            {"do": "resolve", "irregularity": "x", "choice": "guess"},
            '"choice" is not a valid choice',
            "one of: accept, burn",
        ),
        ({"do": "mark", "word": "hit", "seat": 100}, '"seat" is not a valid whole number', "from 1 to 99"),
        ({"do": "mark", "word": "hit\n"}, '"word" contains the character \\n', ""),
        ({"do": "mark", "word": "ö"}, '"word" has characters that are not plain', ""),
        ({"do": "mark", "word": ""}, '"word" is empty', ""),
        (
            {"do": "correct", "round": 1.5, "cards": [], "why": ""},
            '"round" is not a valid whole number',
            "a whole number",
        ),
        ({"do": "correct", "round": 1, "cards": "As", "why": ""}, '"cards" is not a list', "write it in [ ]"),
        ({"do": "correct", "round": 1, "cards": ["K♠"], "why": ""}, '"cards" has an item that is not a card', HINT),
        ({"do": "reveal", "slots": ["P1", "\x07"]}, '"slots" has an item that contains the character \\x07', ""),
        ({"do": "bets_closed", "bets": [1]}, '"bets" is not an object', "write it in { }"),
        ({"do": "bets_closed", "bets": {"1": 5}}, '"bets" has an item that is not a text', ""),
        ({"do": "open_shoe", "pack": {"lto": 3}}, '"pack" is not valid: "lto" is unknown', "did you mean lot?"),
        ({"do": "open_shoe", "pack": 3}, '"pack" is not an object', ""),
    ],
)
def test_what_cannot_be_obeyed_says_why(fields: dict[str, Any], error: str, hint: str) -> None:
    is_local = fields["do"] in ("correct", "enter") and "not allowed" not in error
    allowed = LOCAL if is_local else [each for each in ALL if each != "correct"]
    order = order_of(fields, allowed)
    assert isinstance(order, orders.Malformed)
    assert said(order).error.startswith(error)
    assert hint in said(order).hint


def test_a_mistyped_card_is_not_repeated() -> None:
    order = order_of({"do": "enter", "card": "Asx", "second": "bea"}, LOCAL)
    assert isinstance(order, orders.Malformed)
    assert "Asx" not in repr(order)


def test_what_the_topic_takes_where_the_config_says_nothing() -> None:
    assert BY_MQTT == ("bets_open", "bets_closed", "mark", "resend")


def test_no_card_is_entered_by_mqtt() -> None:
    assert "enter" not in ALL


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"", "not JSON"),
        (b"next", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[1]", '"do" is missing'),
        (b'"x"', '"do" is missing'),
        (b"{}", '"do" is missing'),
        (b'{"do":1}', '"do" is missing'),
        (b'{"do":"next","id":5}', '"id" must be a text of 1 to 64 printable characters'),
        (b'{"do":"next","id":""}', '"id" must be a text of 1 to 64 printable characters'),
        (b'{"do":"next","id":"%b"}' % (b"7" * 65), '"id" must be a text of 1 to 64 printable characters'),
        (b'{"do":"next","id":"7\\n"}', '"id" must be a text of 1 to 64 printable characters'),
        (b'{"do":"void","why":"%b"}' % (b"x" * LONGEST), "the command is too long"),
    ],
)
def test_what_is_no_order_at_all_says_what_to_send(payload: bytes, error: str) -> None:
    with pytest.raises(NotAnOrder) as raised:
        parse(payload)
    assert said(raised.value.answer).error == error
    assert said(raised.value.answer).hint


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
    with pytest.raises(NotAnOrder, match="not_json"):
        parse(b"[" * LONGEST)


def test_an_order_is_distinguished_from_others_by_what_it_asks_and_by_who_gives_it() -> None:
    void = orders.Void("misdeal")
    assert digest(void, "backend") == digest(order_of({"do": "void", "why": "misdeal"}, LOCAL), "backend")
    others = {digest(void, "anna"), digest(orders.Void("other"), "backend"), digest(orders.Next(), "backend")}
    assert len({digest(void, "backend"), *others}) == 4


def test_no_card_can_be_found_from_what_is_published_of_an_order() -> None:
    assert len({digest(orders.Enter(card, "bea"), "anna") for card in FACES}) == 1
    assert digest(orders.Enter(FACES[0], "bea"), "anna") != digest(orders.Enter(FACES[0], "cid"), "anna")
