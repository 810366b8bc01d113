"""What follows from a shoe is worked out once in a row, and anew for each other shoe."""

from __future__ import annotations

import pytest

from firmware_bridge.demo.replay import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.journal.line import unseal
from firmware_bridge.shoe import Shoe, advance
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


def test_a_decision_makes_the_shoe_that_its_journal_makes() -> None:
    replay, folded = Replay(House(), "t", print), Shoe()
    for line in replay.play(parse("shoe As 4d 5h Kc 9s 6h 3h 2d cut 5c !void dropped Kh 9c 8d ?? lid-open 7h")):
        entry = unseal(line.data).entry
        assert entry
        folded = advance(folded, entry)
        assert folded == replay.shoe
