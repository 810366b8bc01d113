"""Which bets are refused, and why: rule book section 7."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.client import FIVE_AREAS, MoneyError, Pool, Range, Wager, common, refusals, refusals_of_five
from firmware_bridge.games.baccarat.bets import BETS, closed
from tests.client.wagers import wagers
from tests.kit.rows import each_row

OWN = Range(Decimal(100), Decimal(10_000))
POOL = Pool(Decimal(15_000), {"tie": Decimal(12_000), "big_tiger": Decimal(500)})


def limits(text: str) -> Range:
    low, high = text.split("-")
    return Range(Decimal(low), Decimal(high))


# account, table -> what is in both
COMMON = [
    ("100-20000", "1-10000", "100-10000"),
    ("1-10000", "100-20000", "100-10000"),
    ("50-60", "1-100", "50-60"),
    ("1-100", "100-200", "100-100"),
    ("0.50-2.50", "1-2.25", "1-2.25"),
    ("1-99", "100-200", None),
    ("300-400", "100-200", None),
]


@pytest.mark.parametrize(("account", "table", "both"), COMMON)
def test_a_person_may_bet_what_account_and_table_have_in_common(account: str, table: str, both: str | None) -> None:
    assert common(limits(account), limits(table)) == (both and limits(both))


# already accepted; the bet -> the rules against it, and what people are told
TABLE = [
    ("", "ann player 100", "", ""),
    ("", "ann player 10000", "", ""),
    ("", "ann player 99", "minimum", "99 on player is less than 100"),
    ("", "ann player 10001", "maximum", "10001 on player is more than 10000; at most 10000 more"),
    ("ann player 9900", "ann player 100", "", ""),
    ("ann player 9900", "ann player 50", "", ""),
    ("ann player 9900", "ann player 101", "maximum", "10001 on player is more than 10000; at most 100 more"),
    ("ann player 10000", "ann player 1", "maximum", "nothing more"),
    ("ann player 9900", "bo player 101", "", ""),
    ("ann player 9900", "ann tie 101", "", ""),
    ("ann player 10000", "bo player 5000", "", ""),
    ("ann player 10000", "bo player 5001", "differential", "differ by 15001, more than 15000; at most 5000 more"),
    ("ann player 10000, cy banker 1000", "bo player 6000", "", ""),
    ("ann player 10000, cy banker_no_commission 1000", "bo player 6000", "", ""),
    ("ann banker 9000, cy banker_no_commission 6000", "bo banker 100", "differential", "nothing more"),
    ("ann banker 9000, cy banker_no_commission 6000", "bo player 100", "", ""),
    ("ann banker 9000, cy banker 9000", "bo player 100", "differential", "would differ by 17900, more than 15000"),
    ("ann tie 10000", "bo tie 2000", "", ""),
    ("ann tie 10000", "bo tie 2001", "total", "12001 at this table on tie is more than 12000; at most 2000 more"),
    ("", "bo big_tiger 501", "total", "at most 500 more"),
    ("", "bo lucky_6 100", "not offered", "lucky_6 is not offered at this table"),
    ("", "bo tie 20000", "maximum total", ""),
    ("ann player 10000", "ann player 5001", "maximum differential", ""),
]


@each_row(("accepted", "bet", "rules", "text"), TABLE)
def test_limits_of_the_table(accepted: str, bet: str, rules: str, text: str) -> None:
    found = refusals(wagers(bet)[0], wagers(accepted), OWN, POOL)
    assert " ".join(each.rule for each in found) == rules
    assert text in "".join(each.why for each in found)


@pytest.mark.parametrize(("number", "rules"), [(1, ""), (30, ""), (31, "closed"), (90, "closed")])
def test_big_tiger_closes_after_round_30(number: int, rules: str) -> None:
    found = refusals(wagers("ann big_tiger 100")[0], (), OWN, POOL, closed(number))
    assert " ".join(each.rule for each in found) == rules


def test_without_a_common_range_there_is_no_betting() -> None:
    for bet in ("ann player 100", "ann tie 100"):
        (found,) = refusals(wagers(bet)[0], (), None, POOL)
        assert found.rule == "no range"


# already accepted; the bet, with at most 1000 an area -> the rules against it
FIVE = [
    ("", "ann player 1000", ""),
    ("", "ann player 0.01", ""),
    ("", "ann player 1000.01", "maximum"),
    ("ann player 900", "ann player 100", ""),
    ("ann player 900", "ann player 101", "maximum"),
    ("bo player 1000", "ann player 1000", ""),
    ("ann player 1", "ann banker 1", "both sides"),
    ("ann banker 1", "ann player 1", "both sides"),
    ("bo banker 1", "ann player 1", ""),
    ("ann banker 1", "ann banker 1", ""),
    ("ann player 1000, ann tie 1000, ann player_pair 1000", "ann banker_pair 1000", ""),
    ("", "ann lucky_6 1", "not offered"),
    ("", "ann banker_no_commission 1", "not offered"),
    ("ann tie 1000, ann player_pair 1000, ann banker_pair 1000, ann player 1000, ann x 1000", "ann banker 1000",
     "round both sides"),
]  # fmt: skip


@pytest.mark.parametrize(("accepted", "bet", "rules"), FIVE)
def test_limits_of_the_five_areas(accepted: str, bet: str, rules: str) -> None:
    found = refusals_of_five(wagers(bet)[0], wagers(accepted), Decimal(1000))
    assert " ".join(each.rule for each in found) == rules


def bets_on(*ids: str) -> st.SearchStrategy[list[Wager]]:
    stakes = st.decimals("1", "15000", places=1)
    return st.lists(st.builds(Wager, st.sampled_from(["ann", "bo"]), st.sampled_from(ids), stakes), max_size=40)


@given(bets_on("player", "banker", "banker_no_commission", "tie", "big_tiger"))
def test_what_is_accepted_one_by_one_never_leaves_a_limit(offered: list[Wager]) -> None:
    accepted: list[Wager] = []
    for wager in offered:
        if not refusals(wager, accepted, OWN, POOL):
            accepted.append(wager)
        sums = {bet: sum((each.stake for each in accepted if each.bet == bet), Decimal(0)) for bet in BETS}
        assert abs(sums["banker"] + sums["banker_no_commission"] - sums["player"]) <= POOL.differential
        assert all(sums[bet] <= limit for bet, limit in POOL.totals.items())
        for person in ("ann", "bo"):
            own = [sum(e.stake for e in accepted if (e.person, e.bet) == (person, bet)) for bet in BETS]
            assert all(each == 0 or OWN.low <= each <= OWN.high for each in own)


@given(bets_on(*FIVE_AREAS))
def test_nobody_gets_beyond_the_five_areas(offered: list[Wager]) -> None:
    accepted: list[Wager] = []
    for wager in offered:
        if not refusals_of_five(wager, accepted, OWN.high):
            accepted.append(wager)
    for person in ("ann", "bo"):
        own = [each for each in accepted if each.person == person]
        assert sum(each.stake for each in own) <= 5 * OWN.high
        assert not {"player", "banker"} <= {each.bet for each in own}


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: Wager("ann", "tie", cast("Decimal", 1.5)),
            "the stake of ann on tie is of type float; give a decimal.Decimal",
        ),
        (lambda: Wager("ann", "tie", cast("Decimal", 1)), "is of type int"),
        (lambda: Wager("ann", "tie", Decimal(0)), "is 0; give an amount of more than 0"),
        (lambda: Wager("ann", "tie", Decimal(-5)), "is -5"),
        (lambda: Wager("ann", "tie", Decimal("NaN")), "is NaN"),
        (lambda: Wager("ann", "tie", Decimal("Infinity")), "is Infinity"),
        (lambda: Range(Decimal(0), Decimal(5)), "the lower limit is 0"),
        (lambda: Range(Decimal(6), Decimal(5)), "the lower limit 6 is above the upper limit 5"),
        (lambda: Pool(Decimal(0), {}), "the differential limit is 0"),
        (lambda: Pool(Decimal(1), {"tie": cast("Decimal", 2.0)}), "the total limit of tie is of type float"),
        (lambda: refusals_of_five(wagers("ann tie 1")[0], (), Decimal(-1)), "the largest stake is -1"),
    ],
)
def test_what_is_no_amount_is_refused(make: Callable[[], object], text: str) -> None:
    with pytest.raises(MoneyError, match=text):
        make()
