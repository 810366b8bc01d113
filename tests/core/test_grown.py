"""A sequence that grows and stays a value, against tuples."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.shoe.grown import Grown

STEPS = st.lists(st.tuples(st.integers(0, 99), st.lists(st.sampled_from("abc"), max_size=3)), max_size=30)


@given(begun=st.text("abc", max_size=4), steps=STEPS)
def test_each_value_stays_as_it_is_whatever_grows_from_it(begun: str, steps: list[tuple[int, list[str]]]) -> None:
    values = [(Grown(begun), tuple(begun))]
    for which, new in steps:
        grown, plain = values[which % len(values)]
        assert grown.count("a") == plain.count("a")  # the index may be made at any time
        values.append((grown.plus(*new), (*plain, *new)))
    for grown, plain in values:
        assert tuple(grown) == plain == grown
        assert grown == Grown(plain)
        assert (len(grown), bool(grown), hash(grown), repr(grown)) == (
            len(plain),
            bool(plain),
            hash(plain),
            repr(plain),
        )
        assert [grown.count(each) for each in "abcd"] == [plain.count(each) for each in "abcd"]
        assert [each in grown for each in "abcd"] == [each in plain for each in "abcd"]
        assert list(grown.counts().items()) == list(Counter(plain).items())
        assert [grown[at] for at in range(-len(plain), len(plain))] == [*plain, *plain]
        assert (grown[1:3], grown[-2:], grown[:0]) == (plain[1:3], plain[-2:], plain[:0])


def test_no_item_of_a_longer_one_can_be_had() -> None:
    short = Grown("ab")
    short.plus("c")
    for at in (2, -3):
        with pytest.raises(IndexError):
            short[at]


def test_it_knows_what_it_grew_from() -> None:
    begun = Grown("a")
    one, other = begun.plus("b"), begun.plus("c")
    assert one.begins_with(begun)
    assert one.begins_with(begun.plus("b"))
    assert not begun.begins_with(one)
    assert not other.begins_with(one)
    assert not Grown("ab").begins_with(begun)  # it does, but nobody knows


def test_nothing_else_is_equal_to_it() -> None:
    assert Grown("ab") != "ab"
    assert Grown("ab") != ("a",)
    assert Grown("ab") != Grown("ba")


def test_growing_again_in_the_same_way_gives_the_same_list() -> None:
    """A decision is folded twice: while it is made, and when it is on disk."""
    begun = Grown([{"round": 1}])
    first, again = begun.plus({"round": 2}), begun.plus({"round": 2})
    assert first[-1] is again[-1]
