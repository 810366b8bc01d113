"""Stakes and purses of zha jin hua, refused as the table itself would refuse them."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Literal

import pytest

from firmware_bridge.client import MoneyError, Seated, Stakes, purses_refused, stake_refused
from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.games.moves import Mark
from firmware_bridge.games.zhajinhua.offers import refuse_wrong
from firmware_bridge.games.zhajinhua.seats import Seat, Table, ZhaJinHua
from tests.kit.rows import each_row

STAKES = Stakes(Decimal(1), Decimal(1), Decimal(10))
Word = Literal["call", "raise", "compare"]


def rule(word: Word, amount: str, purse: str = "100", stake: str = "2", looked: bool = False, round: int = 2) -> str:
    seat = Seated(Decimal(purse), Decimal(stake), looked, round)
    refused = stake_refused(word, Decimal(amount), seat, STAKES)
    return refused.rule if refused else ""


def test_a_call_costs_the_stake_and_double_after_a_look() -> None:
    assert [rule("call", each) for each in ("1", "2", "3")] == ["minimum", "", "maximum"]
    assert [rule("call", each, looked=True) for each in ("2", "4")] == ["minimum", ""]


def test_a_raise_goes_by_whole_steps_to_the_top_as_far_as_the_purse_has_it() -> None:
    raises = [rule("raise", each) for each in ("2", "3", "2.5", "10", "11")]
    assert raises == ["minimum", "", "step", "", "maximum"]
    assert [rule("raise", each, looked=True) for each in ("4", "5", "6", "20", "22")] == [
        "minimum", "step", "", "", "maximum",
    ]  # fmt: skip
    assert rule("raise", "9", purse="8") == "purse"
    assert rule("raise", "11", stake="10") == "maximum"


def test_comparisons_begin_in_round_two_and_all_in_earlier() -> None:
    assert rule("compare", "2", round=1) == "closed"
    assert rule("compare", "2") == ""
    assert rule("compare", "1", purse="1", round=1) == ""
    assert rule("compare", "0", purse="0", round=1) == ""
    assert rule("compare", "2", purse="1") == "purse"
    assert rule("call", "1", purse="1") == "purse"


@each_row("seed", range(300))
def test_what_is_refused_here_the_table_refuses_too(seed: int) -> None:
    random = Random(seed)
    stakes = Stakes(Decimal(1), Decimal("0.5"), Decimal(5))
    stake, purse = Decimal(random.randint(2, 10)) / 2, Decimal(random.randint(0, 40)) / 2
    looked, round = random.random() < 0.5, random.randint(1, 2)
    word: Word = random.choice(["call", "raise", "compare"])
    amount = Decimal(random.randint(0, 24)) / 2
    seat = Seat("1", purse, looked=looked)
    rivals = [Seat(number, Decimal(50)) for number in "23"]
    table = Table(ZhaJinHua(ante=stakes.ante, step=stakes.step, top=stakes.top), [seat, *rivals], stake, round)
    if word != "raise":
        amount = min(purse, table.cost(seat))
    value = {"raise": str(amount), "call": None, "compare": None if table.is_short(seat) else "2"}[word]
    try:
        refuse_wrong(table, seat, Mark("1", word, value))
        is_refused = False
    except Refused:
        is_refused = True
    refused = stake_refused(word, amount, Seated(purse, stake, looked, round), stakes)
    assert (refused is not None) == is_refused


def test_purses_below_the_ante_take_no_part_and_three_to_five_make_a_round() -> None:
    money = {"1": Decimal("0.5"), "2": Decimal(1), "4": Decimal(5), "5": Decimal(100)}
    assert {seat: each.rule for seat, each in purses_refused(money, STAKES).items()} == {"1": "minimum"}
    del money["2"]
    assert {seat: each.rule for seat, each in purses_refused(money, STAKES).items()} == {
        "1": "minimum", "4": "round", "5": "round",
    }  # fmt: skip
    assert set(purses_refused({str(seat): Decimal(9) for seat in range(1, 7)}, STAKES)) == set("123456")
    assert purses_refused({str(seat): Decimal(9) for seat in range(1, 6)}, STAKES) == {}


@pytest.mark.parametrize("wrong", ["0", "-1", "nan", "Infinity"])
def test_what_is_no_amount_is_reported(wrong: str) -> None:
    with pytest.raises(MoneyError):
        Stakes(Decimal(wrong), Decimal(1), Decimal(10))
    with pytest.raises(MoneyError):
        purses_refused({"1": Decimal(wrong)}, STAKES)
    with pytest.raises(MoneyError):
        Seated(Decimal(1), Decimal(wrong), False, 1)


def test_the_top_is_no_less_than_the_ante() -> None:
    with pytest.raises(MoneyError, match="less than the ante"):
        Stakes(Decimal(5), Decimal(1), Decimal(4))
