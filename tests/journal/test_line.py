"""The journal's line: every fact round-trips, and damage is called by its name."""

from __future__ import annotations

import string
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any, get_args, get_origin
from zlib import crc32

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import Entry
from firmware_bridge.facts.house import House, Row
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.line import FIRST_CHAIN, FORMAT, Line, seal, unseal, verify_chain, without_sealed
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.preallocate import padded
from firmware_bridge.shoe.policy import KEEP_ORDER
from tests.kit.nightly import share
from tests.kit.table import Table

TEXT = st.text(max_size=12)
NUMBER = st.integers(0, 2**53)
CARD = st.sampled_from(Card)
SECRET = st.builds(events.Secret, CARD, st.text(string.hexdigits, min_size=32, max_size=32))
HOUSES = st.sampled_from([House(), House(burn=3, virtual_cut=14), house_of(burn="none", procedure="six-card")])


def built(fact: type[Any]) -> st.SearchStrategy[Any]:
    """Values of a fact's type, field by field; the secret and the device only where a line keeps them."""
    fields = {field.name: _values(field.type) for field in msgspec.structs.fields(fact)}
    if issubclass(fact, events.CardEvent):
        fields["secret"] = st.none() | SECRET
    if fact is events.ShoeOpened:
        fields["device"] = st.none()
    return st.builds(fact, **fields)


def _values(kind: Any) -> st.SearchStrategy[Any]:
    if get_origin(kind) is Annotated:  # a limit on what may come in: the texts and numbers here keep to it
        base = get_args(kind)[0]
        if kind is orders.Word:
            return st.text(string.ascii_letters + string.digits + " :.=", min_size=1, max_size=12)
        most = min((meta.le for meta in get_args(kind)[1:] if meta.le is not None), default=2**53)
        return st.integers(1, most) if base is int else _values(base)
    if kind is msgspec.Raw:
        return st.sampled_from([msgspec.Raw(b"{}"), msgspec.Raw(b'{"player":{"cards":["As"],"total":1}}')])
    if kind in (str, int):
        return TEXT if kind is str else NUMBER
    if kind is float:
        return st.floats(allow_nan=False, allow_infinity=False)  # the only ones that JSON can write
    if kind is Phrase:  # it may hold others of its kind
        return st.builds(Phrase, TEXT, st.dictionaries(TEXT, TEXT | NUMBER, max_size=2))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return HOUSES if kind is House else built(kind)
    arguments = get_args(kind)
    if getattr(kind, "__origin__", None) is tuple:
        if arguments[-1] is not Ellipsis:
            return st.tuples(*map(_values, arguments))
        return st.lists(_values(arguments[0]), max_size=3).map(tuple)
    if getattr(kind, "__origin__", None) is dict:
        return (
            st.just(KEEP_ORDER)
            if arguments[1] is Row
            else st.dictionaries(_values(arguments[0]), _values(arguments[1]), max_size=2)
        )
    if arguments and not str(kind).startswith("typing.Literal"):
        return st.one_of(*map(_values, arguments))
    return st.from_type(kind)


def entries() -> st.SearchStrategy[Entry]:
    happened = st.one_of(*[built(fact) for fact in get_args(events.AnyEvent)])
    came = st.one_of(*[built(fact) for fact in get_args(inputs.AnyInput)])
    several = st.lists(happened, min_size=1, max_size=4).map(tuple)
    return st.builds(Entry, TEXT, st.integers(0, 99), TEXT, NUMBER, TEXT, came, several).map(
        lambda entry: msgspec.structs.replace(entry, input=msgspec.structs.replace(entry.input, at=1_700_000_000_123))
    )


ENTRIES = st.deferred(entries)


@given(ENTRIES)
@settings(max_examples=share(300, 4))
def test_every_fact_round_trips(entry: Entry) -> None:
    line = seal(entry, FIRST_CHAIN)
    assert unseal(line.data) == line
    assert line.entry == entry
    assert messages(unseal(line.data)) == messages(line)


@given(ENTRIES)
@settings(max_examples=50)
def test_without_its_sealed_part_a_line_still_verifies(entry: Entry) -> None:
    line = seal(entry, "ab" * 32)
    outside = unseal(without_sealed(line))
    assert outside.entry is None
    assert (outside.public, outside.chain) == (line.public, line.chain)
    assert verify_chain(outside, "ab" * 32)
    assert not verify_chain(outside, FIRST_CHAIN)
    assert without_sealed(outside) == without_sealed(line)


PLAYED = Table(procedure="six-card").play("shoe 2c Qd 3c 9s Kd Th Kc 8h 2c ?? 4d", "!enter 9h").lines


def test_lines_chain() -> None:
    for before, line in pairwise(PLAYED):
        assert verify_chain(line, before.chain)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_line_or_an_error(data: bytes) -> None:
    with pytest.raises(JournalError):
        unseal(data)


@given(st.sampled_from(PLAYED), st.data())
def test_a_flipped_bit_is_seen(line: Line, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line.data) * 8 - 1))
    broken = bytearray(line.data)
    broken[at // 8] ^= 1 << at % 8
    with pytest.raises(JournalError):
        unseal(bytes(broken))


@given(st.sampled_from(PLAYED), st.data())
def test_a_line_cut_short_is_seen(line: Line, data: st.DataObject) -> None:
    with pytest.raises(JournalError):
        unseal(line.data[: data.draw(st.integers(0, len(line.data) - 1))])


def forged(chain: bytes, public: bytes, sealed: bytes, proof: bytes = b"") -> bytes:
    """Bytes with a right checksum."""
    body = b"\t".join((chain, public, sealed, proof.rstrip(b" ")))
    return padded(b"%b\t%08x\t%b" % (b"%d" % FORMAT, crc32(b"%d%b" % (FORMAT, body)), body))


@given(st.sampled_from(PLAYED), st.data())
def test_a_forged_line_is_a_line_or_an_error(line: Line, data: st.DataObject) -> None:
    """Damage under a right checksum: another value somewhere, never another exception."""
    parts = line.data[:-1].split(b"\t")[2:]
    which = data.draw(st.integers(0, 3))
    start = data.draw(st.integers(0, len(parts[which])))
    piece = data.draw(st.sampled_from([b"", b"9", b"-1", b'"', b"null", b"{}", b"[]", b"\xff", b'"99":', b"[" * 5000]))
    parts[which] = parts[which][:start] + piece + parts[which][start + data.draw(st.integers(0, 9)) :]
    with suppress(JournalError):
        unseal(forged(*parts))


@pytest.mark.parametrize(
    "sealed",
    [
        b'{"input":{"type":"Pressed","at":0,"key":"next"},"secrets":{"99":{"card":"As","nonce":""}}}',
        b'{"input":{"type":"Pressed","at":0,"key":"next"},"secrets":{"x":{"card":"As","nonce":""}}}',
        b'{"input":{"type":"Pressed","at":0,"key":"next"},"secrets":{"1":{"card":"As","nonce":""}}}',
        b"[" * 100_000,
        b"nonsense",
    ],
)
def test_a_sealed_part_that_does_not_belong_is_an_error(sealed: bytes) -> None:
    chain, public, _, _ = PLAYED[0].data[:-1].split(b"\t")[2:]
    with pytest.raises(JournalError):
        unseal(forged(chain, public, sealed))


def test_errors_spell_no_card() -> None:
    line = PLAYED[2]
    chain, public, sealed, _ = line.data[:-1].split(b"\t")[2:]
    with pytest.raises(JournalError) as caught:
        unseal(forged(chain, public, sealed.replace(b'"at":', b'"at":"Qd"')))
    assert "Qd" not in repr(caught.value)
    assert "Qd" not in repr(line)
    assert caught.value.__suppress_context__


def test_orders_round_trip() -> None:
    for order in get_args(orders.Order):
        assert orders.tag_of(order) in msgspec.json.encode(_example(order)).decode()


def _example(order: type[orders.Order]) -> orders.Order:
    filled: dict[str, Any] = {"why": "w", "irregularity": "i", "choice": "keep", "card": "As", "second": "s"}
    filled |= {"what": "w", "error": "e", "hint": "h", "dealer": "d", "round": 1, "cards": ["As"], "word": "S"}
    names = {field.name for field in msgspec.structs.fields(order) if field.required}
    return msgspec.convert({"do": orders.tag_of(order)} | {name: filled[name] for name in names}, order)
