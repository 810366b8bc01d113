"""Names from outside are harmless: in orders, whoever sends them, and in the config."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.daemon.table.command import parse
from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.orders import LOCAL, ORDERS, tag_of
from firmware_bridge.facts.printable import PATTERN, escaped, escaped_json, fault, nearest
from tests.kit.refusals import said
from tests.kit.table import Table
from tests.kit.texts import texts

BAD = ["\0", "\n", "\r", "\x1b", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066", "\ufeff"]
GOOD = ["", "ann", "Ö. Müller", "陳大文", "a b", "a\u3000b", "👩‍⚖️", "naïve", "\u05d0\u200f"]


@pytest.mark.parametrize("character", BAD)
def test_a_character_that_a_terminal_obeys_is_named(character: str) -> None:
    assert fault(f"Eve{character}", 64) == f"contains the character {escaped(character)}"
    assert escaped(character).isprintable()


@pytest.mark.parametrize("name", GOOD)
def test_a_name_may_have_letters_of_every_language(name: str) -> None:
    assert fault(name, 64) is None
    assert escaped(name) == name


@given(st.text())
def test_what_is_escaped_is_one_line_that_means_the_same(text: str) -> None:
    assert fault(escaped(text), 10**6) is None
    document = json.dumps(text, ensure_ascii=False)
    assert json.loads(escaped_json(document)) == text
    assert fault(escaped_json(document), 10**6) is None


WORDS = (
    st.text(max_size=80) | st.sampled_from(BAD) | st.builds("{}{}{}".format, st.text(), st.sampled_from(BAD), st.text())
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.just("x" * 600),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
KINDS = {tag_of(kind): kind for kind in (*ORDERS, orders.Enter)}


@st.composite
def commands(draw: st.DrawFn) -> dict[str, Any]:
    """Fields like those of an order, some of them as they should be."""
    do = draw(st.sampled_from(sorted(KINDS)) | WORDS)
    names = [field.encode_name for field in msgspec.structs.fields(KINDS[do])] if do in KINDS else []
    fields = {name: draw(VALUES | WORDS) for name in names if draw(st.booleans())}
    return {"do": do, **fields, **draw(st.dictionaries(WORDS, VALUES, max_size=1))}


@given(commands())
def test_no_order_holds_what_a_terminal_obeys(fields: dict[str, Any]) -> None:
    fields.pop("id", None)  # of the answer, not of the order: a bad one is refused before
    order = order_of(parse(msgspec.json.encode(fields)), LOCAL)
    assert [text for text in texts(msgspec.to_builtins(order)) if fault(text, 600)] == []


@given(commands())
def test_what_is_said_to_be_wrong_cannot_be_obeyed_and_all_else_can(fields: dict[str, Any]) -> None:
    fields = fields | {"do": fields["do"] if fields["do"] in KINDS else "void"}
    arguments = {name: value for name, value in fields.items() if name not in ("id", "do")}
    try:
        meant = msgspec.convert(arguments | {"do": fields["do"]}, KINDS[fields["do"]])
    except msgspec.ValidationError:
        meant = None
    order = order_of(fields, LOCAL)
    if meant is None or [text for text in texts(arguments) if fault(text, 10**6)]:
        assert isinstance(order, orders.Malformed)
        assert said(order).error
        assert len("".join(said(order))) < 400
    else:
        assert order == meant


def test_the_schema_says_what_a_name_may_hold() -> None:
    schema = msgspec.json.schema(orders.Void)["$defs"]["Void"]["properties"]["why"]
    assert schema == {"type": "string", "maxLength": 500, "pattern": PATTERN}


def test_a_journal_of_before_with_a_name_of_two_lines_can_still_be_read() -> None:
    before = b'{"do":"void","why":"a\\nb"}'
    assert msgspec.json.decode(before, type=orders.Order).why == "a\nb"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("prot", "port"), ("porf", "port"), ("Port", "port"), ("raeder", "reader"), ("roots", "root"), ("xyz", None),
        ("p", None), ("pasword_file", "password_file"), ("", None),
    ],
)  # fmt: skip
def test_swapped_letters_are_one_mistake(word: str, meant: str | None) -> None:
    assert nearest(word, ("root", "port", "reader", "host", "password_file")) == meant


@pytest.mark.parametrize("second", ["anna", " ANNA ", "an\u200bna", "an\u00adna", "\uff41nna", "an na", "\u200b"])
def test_one_person_is_not_two_by_what_nobody_sees(second: str) -> None:
    table = Table(burn="none").play("shoe ??")
    table.take(table.order(orders.Enter(Card("9s"), second), by="anna"))
    assert not table.answer.ok
    table.take(table.order(orders.Enter(Card("9s"), "ben"), by="anna"))
    assert table.answer.ok
