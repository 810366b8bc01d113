"""What follows from a shoe is worked out once in a row, and anew for each other shoe."""

from __future__ import annotations

import pytest

from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.once import once


def test_a_shoe_is_looked_at_once_in_a_row() -> None:
    looked: list[Shoe] = []

    @once
    def number(shoe: Shoe) -> int:
        looked.append(shoe)
        return shoe.number

    first, second = Shoe(number=1), Shoe(number=2)
    assert [number(each) for each in (first, first, second, second, first)] == [1, 1, 2, 2, 1]
    assert looked == [first, second, first]


def test_nothing_is_kept_of_a_failure() -> None:
    shoe = Shoe()
    answers = iter([KeyError, 7])
    number = once(lambda _: _answer(next(answers)))
    with pytest.raises(KeyError):
        number(shoe)
    assert number(shoe) == number(shoe) == 7


def _answer(answer: object) -> object:
    if answer is KeyError:
        raise KeyError
    return answer
