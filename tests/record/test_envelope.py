"""Envelopes: the vectors of another implementation, and nothing but an exact envelope is opened or verified."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.record.envelope import LONGEST, Envelope, NotAnEnvelope, content, opened, signed_bytes
from firmware_bridge.record.verify import parse_vkey
from tests.kit.order_keys import COMMAND, OrderKey

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "record.json").read_text("utf-8"))


def envelope(vector: dict[str, Any]) -> bytes:
    return json.dumps({name: vector[name] for name in ("key", "order", "sig")}).encode()


@pytest.mark.parametrize("vector", VECTORS["orders"])
def test_the_vectors_verify_for_their_topic_alone(vector: dict[str, Any]) -> None:
    found, public = opened(envelope(vector)), parse_vkey(vector["key"]).public
    assert found.is_signed(vector["topic"], public)
    assert not found.is_signed("shoe/T08/command", public)
    assert not found._replace(order=f"{found.order} ").is_signed(vector["topic"], public)


def test_what_is_signed_is_the_topic_and_the_text() -> None:
    assert signed_bytes("shoe/T07/command", "{}") == b"shoe-order/1\nshoe/T07/command\n{}"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"null",
        b'{"key":"a","order":"b"}',
        b'{"key":"a","order":"b","sig":"AA=="}',
        b'{"key":"a","key":"b","order":"c","sig":"' + b"A" * 86 + b'=="}',
        b'{"key":"a","order":"\\ud800","sig":"' + b"A" * 86 + b'=="}',
        b'{"key":1,"order":"b","sig":"' + b"A" * 86 + b'=="}',
        b'{"key":"a","order":"b","sig":"' + b"A" * 85 + b'B=="}',
        '{"key":"a"}'.encode("utf-16"),
        b"[" * 8_000,
        b" " * (LONGEST + 1),
    ],
)
def test_what_is_no_envelope_is_not_opened(payload: bytes) -> None:
    with pytest.raises(NotAnEnvelope):
        opened(payload)
    assert content(payload) == payload


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_the_decoder_takes_any_bytes(payload: bytes) -> None:
    try:
        assert isinstance(opened(payload), Envelope)
    except NotAnEnvelope:
        assert content(payload) == payload


def test_ten_thousand_mutations_are_another_envelope_that_no_key_signed_or_the_same_one() -> None:
    key, rng = OrderKey("cage"), random.Random(31)
    as_of = {"journal": "1-bc0b79004a37", "seq": 9, "boot": "5c1e8a02"}
    good = key.order(as_of, do="bets_closed", round=3)
    same, public = opened(good), parse_vkey(key.row["key"]).public
    assert same.is_signed(COMMAND, public)
    passed = 0
    for _ in range(10_000):
        changed = bytearray(good)
        for _ in range(rng.choice((1, 1, 1, 2, 8))):
            at = rng.randrange(len(changed))
            match rng.randrange(4):
                case 0:
                    changed[at] ^= 1 << rng.randrange(8)
                case 1:
                    changed[at] = rng.randrange(256)
                case 2:
                    del changed[at]
                case _:
                    changed.insert(at, rng.randrange(256))
        try:
            found = opened(bytes(changed))
        except NotAnEnvelope:
            continue
        is_same = (found.order, found.sig) == (same.order, same.sig)
        assert found.is_signed(COMMAND, public) == is_same
        passed += not is_same
    assert passed > 1_000  # mutations that only the signature finds
