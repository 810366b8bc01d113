"""Every backend gives the same answer to a signature, also to those that libraries differ on."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from firmware_bridge.record import verify as v
from tests.kit.rows import each_row

KEY: Final = SigningKey(bytes(31) + b"\7")
PUBLIC: Final = bytes(KEY.verify_key)
MESSAGE: Final = b"one message"
SIGNED: Final = KEY.sign(MESSAGE).signature

Backend = Callable[[bytes, bytes, bytes], bool]
BACKENDS: Final = {"Python": v._verified_in_python, "PyNaCl": v._by_nacl()}
if importlib.util.find_spec("cryptography"):  # of the back office; no test of the shoe needs it
    BACKENDS["cryptography"] = v._by_cryptography()

SMALL: Final = [y.to_bytes(32, "little") for y in sorted(v._SMALL_ORDER)]
NOT_CANONICAL: Final = [(v.PRIME + y).to_bytes(32, "little") for y in range(19)]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(v, "_verified", BACKENDS[request.param])


def with_s(s: int) -> bytes:
    return SIGNED[:32] + s.to_bytes(32, "little")


ODD: Final = {
    "as it is": (PUBLIC, SIGNED, True),
    "S beyond the order": (PUBLIC, with_s(int.from_bytes(SIGNED[32:], "little") + v.ORDER), False),
    "another message's S": (PUBLIC, with_s(5), False),
    "too short": (PUBLIC, SIGNED[:-1], False),
    "key too short": (PUBLIC[:-1], SIGNED, False),
    "no point": (b"\2" + bytes(31), SIGNED, False),
    **{f"key of small order {n}": (key, key + bytes(32), False) for n, key in enumerate(SMALL)},
    **{
        f"negative key of small order {n}": (key[:31] + bytes([key[31] | 128]), SIGNED, False)
        for n, key in enumerate(SMALL)
    },
    **{f"R of small order {n}": (PUBLIC, key + SIGNED[32:], False) for n, key in enumerate(SMALL)},
    **{f"key not canonical {n}": (key, SIGNED, False) for n, key in enumerate(NOT_CANONICAL)},
}


@pytest.mark.usefixtures("backend")
@each_row("name", ODD)
def test_odd_signatures(name: str) -> None:
    public, signature, expected = ODD[name]
    assert v.is_signed(public, signature, MESSAGE) is expected


@given(st.binary(max_size=200), st.integers(0, 63), st.integers(1, 255))
def test_random_signatures(message: bytes, place: int, change: int) -> None:
    signed = KEY.sign(message).signature
    changed = signed[:place] + bytes([signed[place] ^ change]) + signed[place + 1 :]
    for verified in BACKENDS.values():
        assert verified(PUBLIC, signed, message)
    assert (
        len(
            {v.is_signed(PUBLIC, changed, message)}
            | {verified(PUBLIC, changed, message) for verified in BACKENDS.values()}
        )
        == 1
    )


def test_the_points_of_small_order() -> None:
    """Each times eight is the neutral point; a random point is not."""
    points = [v._point(each) for each in [*SMALL, PUBLIC]]
    assert all(points)
    times_eight = [v._sum_of(8, point, 0, point) for point in points if point]
    assert [x % v.PRIME == 0 and (y - z) % v.PRIME == 0 for x, y, z, _ in times_eight] == [*[True] * len(SMALL), False]


def test_the_first_vector_of_rfc_8032() -> None:
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    key = SigningKey(seed)
    assert v._verified_in_python(bytes(key.verify_key), key.sign(b"").signature, b"")
