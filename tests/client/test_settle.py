"""What rounds pay on stakes, and what a correction changes."""

from __future__ import annotations

import json
from decimal import Context, Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.client import MessageError, MoneyError, Rounding, Wager, payments, settle
from firmware_bridge.games.baccarat.bets import BETS
from firmware_bridge.games.baccarat.bets.rows import tiers
from tests.client.wagers import round_message, wagers

EXACT = Rounding()
BANKER = {"player": -1, "banker": 0.95, "banker_no_commission": 1, "tie": -1, "lucky_6": -1}
BANKER_6 = {"player": -1, "banker": 0.95, "banker_no_commission": 0.5, "tie": -1, "lucky_6": 12}
TIE = {"player": 0, "banker": 0, "banker_no_commission": 0, "tie": 8, "lucky_6": -1}
RESULTS = {"banker": BANKER, "banker 6": BANKER_6, "tie": TIE}


def money(text: str) -> dict[str, Decimal]:
    """`ann 195, bo 0` by person."""
    return {person: Decimal(amount) for person, amount in (each.split() for each in text.split(",") if each.strip())}


# result; accepted bets; what goes back to each person, the stake included
PAYS = [
    ("banker", "ann banker 100", "ann 195.00"),
    ("banker", "ann banker 0.01", "ann 0.0195"),
    ("banker", "ann banker 33.33", "ann 64.9935"),
    ("banker", "ann player 100", "ann 0"),
    ("banker", "ann banker 100, bo player 70, ann player 10, cy tie 5", "ann 195, bo 0, cy 0"),
    ("banker", "ann banker_no_commission 100", "ann 200"),
    ("banker 6", "ann banker_no_commission 100, ann lucky_6 10", "ann 280"),
    ("banker 6", "ann banker_no_commission 0.05", "ann 0.075"),
    ("tie", "ann player 100, bo banker 100, cy tie 100, di lucky_6 100", "ann 100, bo 100, cy 900, di 0"),
    ("tie", "", ""),
]


@pytest.mark.parametrize(("result", "accepted", "back"), PAYS)
def test_a_round_pays(result: str, accepted: str, back: str) -> None:
    outcome: Any = RESULTS[result]
    told = round_message(**outcome)
    for payload in (told, json.dumps(told), json.dumps(told).encode()):
        assert settle(payload, wagers(accepted), EXACT).by_person == money(back)


# quantum and mode; stake on banker, which wins 0.95 -> what goes back
ROUNDS = [
    (None, "half-even", "1.11", "2.1645"),
    ("0.01", "half-even", "1.11", "2.16"),
    ("0.01", "down", "1.11", "2.16"),
    ("0.01", "half-even", "1.10", "2.14"),
    ("0.01", "half-even", "1.30", "2.54"),
    ("0.01", "half-even", "1.70", "3.32"),
    ("0.01", "down", "1.70", "3.31"),
    ("1", "half-even", "10", "20"),
    ("1", "down", "10", "19"),
    ("1", "half-even", "30", "58"),
    ("0.5", "half-even", "5", "10.0"),
    ("0.5", "down", "5", "9.5"),
    ("5", "half-even", "50", "100"),
    ("5", "down", "50", "95"),
    ("5", "down", "5", "5"),
    ("100", "down", "5", "5"),
]


@pytest.mark.parametrize(("quantum", "mode", "stake", "back"), ROUNDS)
def test_only_what_is_won_is_rounded(quantum: str | None, mode: Any, stake: str, back: str) -> None:
    house = Rounding(Decimal(quantum) if quantum else None, mode)
    assert settle(round_message(**BANKER), wagers(f"ann banker {stake}"), house).by_person == money(f"ann {back}")


@pytest.mark.parametrize("more", [{}, {"bets": {"player": 1}}])
def test_a_voided_round_gives_stakes_back(more: dict[str, Any]) -> None:
    told = round_message("voided") | more
    assert settle(told, wagers("ann player 0.37, ann tie 5, bo x 7"), Rounding(Decimal(5))).by_person == money(
        "ann 5.37, bo 7"
    )


ACCEPTED = "ann banker 100, bo player 70, cy tie 5"
FIRST = settle(round_message(**BANKER), wagers(ACCEPTED), EXACT)
SAME = settle(round_message("corrected", 1, **BANKER), wagers(ACCEPTED), EXACT)
TIED = settle(round_message("corrected", 1, **TIE), wagers(ACCEPTED), EXACT)
VOID = settle(round_message("voided", 2), wagers(ACCEPTED), EXACT)

# what comes; what was paid last -> what is still to be paid
OWED = [
    (FIRST, None, "ann 195"),
    (FIRST, FIRST, ""),
    (SAME, FIRST, ""),
    (TIED, FIRST, "ann -95, bo 70, cy 45"),
    (TIED, None, "ann 100, bo 70, cy 45"),
    (FIRST, TIED, ""),
    (TIED, TIED, ""),
    (VOID, TIED, "cy -40"),
    (VOID, FIRST, "ann -95, bo 70, cy 5"),
    (VOID, None, "ann 100, bo 70, cy 5"),
]


@pytest.mark.parametrize(("now", "before", "owed"), OWED)
def test_a_correction_pays_the_difference_once(now: Any, before: Any, owed: str) -> None:
    assert payments(now, before) == money(owed)


def test_two_rounds_are_not_set_off() -> None:
    for other in ({"round": 13}, {"table": "T08"}, {"shoe": 4}, {"journal": "4-def"}):
        with pytest.raises(ValueError, match="is not the round"):
            payments(settle(round_message(**BANKER) | other, wagers(ACCEPTED), EXACT), FIRST)


def in_money(status: str = "closed", **stakes: tuple[str, str]) -> dict[str, Any]:
    """A round of a game that is played for money, by what was put in and its net."""
    told = round_message(status) | {"unit": "money", "stakes": stakes}
    return told if status == "voided" else told | {"bets": {bet: net for bet, (_, net) in stakes.items()}}


def in_units(status: str = "closed", **stakes: tuple[Any, Any]) -> dict[str, Any]:
    """A round told per unit staked, where a bet did not put in 1."""
    told = round_message(status, **{bet: net for bet, (_, net) in stakes.items()} | {"x": 1})
    return told | {"stakes": stakes}


# one formula: back = x * (staked + net); the message, an accepted bet, what goes back
ONE_FORMULA = [
    ("won", in_money(S3=("20", "20")), "ann S3 20", "40"),
    ("doubled after it was accepted, and lost", in_money(S3=("20", "-20")), "ann S3 10", "0"),
    ("surrendered", in_money(S3=("10", "-5")), "ann S3 10", "5"),
    ("a push", in_money(S3=("10", "0")), "ann S3 10", "10"),
    ("3 to 2, to the last digit", in_money(S3=("0.01", "0.015")), "ann S3 0.01", "0.025"),
    ("nothing put in, won", in_money(S3=("0", "27")), "ann S3 1", "27"),
    ("nothing put in, owed", in_money(S3=("0", "-3")), "ann S3 1", "-3"),
    ("voided: all that was put in", in_money("voided", S3=("20", "0")), "ann S3 10", "20"),
    ("voided: nothing put in", in_money("voided", S3=("0", "0")), "ann S3 10", "0"),
    ("voided before the table knew of it", in_money("voided"), "ann S3 10", "10"),
    ("per unit, doubled and lost", in_units(S3=(2, -2)), "ann S3 10", "0"),
    ("per unit, doubled and won", in_units(S3=(2, 2)), "ann S3 10", "40"),
    ("per unit, half of it more", in_units(S3=(1.5, 1.5)), "ann S3 0.1", "0.30"),
    ("per unit, not listed", in_units(S3=(2, 2)), "ann x 10", "20"),
    ("per unit, voided when doubled", in_units("voided", S3=(2, 0)), "ann S3 10", "20"),
]


@pytest.mark.parametrize(("what", "told", "accepted", "back"), ONE_FORMULA, ids=[row[0] for row in ONE_FORMULA])
def test_one_formula_settles_every_game(what: str, told: dict[str, Any], accepted: str, back: str) -> None:
    for payload in (told, json.dumps(told).encode()):
        assert settle(payload, wagers(accepted), EXACT).by_person == money(f"ann {back}")


def test_what_is_won_in_money_is_rounded_as_well() -> None:
    (paid,) = settle(in_money(S3=("0.01", "0.015")), wagers("ann S3 0.01"), Rounding(Decimal("0.01"), "down")).paid
    assert paid.amount == Decimal("0.02")


def test_a_bet_told_in_money_has_one_wager() -> None:
    with pytest.raises(MoneyError, match="give its bet one wager"):
        settle(in_money(S3=("20", "20")), wagers("ann S3 10, ann S3 10"), EXACT)


@pytest.mark.parametrize(
    "told",
    [
        round_message(player=1),
        round_message(tie="NaN"),
        round_message(tie=-2),
        round_message(tie=0) | {"stakes": {"tie": [1, -0.5]}},
        round_message(tie=-2) | {"stakes": {"tie": [1.5, -2]}},
        round_message(tie=0) | {"stakes": {"tie": [-1, 0]}},
        round_message(tie="sNaN") | {"stakes": {"tie": [2, "sNaN"]}},
        in_money(S3=("10", "0")),
        in_money(tie=("10", "0")) | {"stakes": {}},
        in_money(tie=("10", "-10.01")),
        round_message("voided") | {"stakes": {"tie": ["NaN", 0]}},
    ],
)
def test_a_wager_without_a_result_is_held_and_the_others_are_paid(told: Any) -> None:
    told = told | {"bets": told.get("bets", {}) | {"player": 1}} if told["status"] == "closed" else told
    others = "" if told["unit"] == "money" else "bo player 10, "
    settled = settle(told, wagers(f"{others}ann tie 5"), EXACT)
    assert [(each.wager.person, each.why) for each in settled.held] == [
        ("ann", "round 12 of journal 3-abc tells no result of tie: ask the floor")
    ]
    back = "bo 10" if told["status"] == "voided" else "bo 20"
    assert payments(settled) == money(back if others else "")


def test_a_misspelled_bet_keeps_nobody_else_unpaid() -> None:
    settled = settle(round_message(**BANKER), wagers("ann bankr 100, bo banker 100, ann player 5"), EXACT)
    assert payments(settled) == money("bo 195")
    assert [each.wager.bet for each in settled.held] == ["bankr"]
    assert settled.held[0].why.endswith("tells no result of bankr: did you mean banker? ask the floor")


HELD = settle(round_message(**BANKER), wagers("ann bankr 100, bo player 70, cy tie 5"), EXACT)
# what comes; what was paid last -> what is still to be paid
SAID_BY_THE_FLOOR = [
    ("the wager was meant for the banker", FIRST, HELD, "ann 195"),
    ("the same once more", FIRST, FIRST, ""),
    ("a late repeat of what held it", HELD, FIRST, ""),
    ("still held", HELD, HELD, ""),
    ("a correction while it is held", TIED, HELD, "ann 100, bo 70, cy 45"),
]


@pytest.mark.parametrize(
    ("what", "now", "before", "owed"), SAID_BY_THE_FLOOR, ids=[row[0] for row in SAID_BY_THE_FLOOR]
)
def test_a_held_wager_is_paid_once_the_floor_has_said_what_it_was(what: str, now: Any, before: Any, owed: str) -> None:
    assert payments(now, before) == money(owed)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (round_message(tie=0) | {"unit": "chips"}, "not a message of this topic"),
        ({name: each for name, each in round_message(tie=0).items() if name != "unit"}, "not a message of this topic"),
        (round_message(tie=[]), "not a message of this topic"),
        (round_message(status="open", tie=8), "not a message of this topic"),
        ({}, "not a message of this topic"),
        (b"", "not a message of this topic"),
        (b"null", "not a message of this topic"),
        (b'{"journal":"3-abc","seq":57', "not a message of this topic"),
        ("\ud800", "not a message of this topic"),
    ],
)
def test_what_is_no_round_message_settles_nothing(told: Any, why: str) -> None:
    with pytest.raises(MessageError, match=why):
        settle(told, wagers("ann tie 5"), EXACT)


@pytest.mark.parametrize("quantum", ["0", "-1", "NaN"])
def test_a_quantum_is_an_amount(quantum: str) -> None:
    with pytest.raises(MoneyError, match="quantum is"):
        Rounding(Decimal(quantum))


EVERY_NET = {(bet, net) for bet, paid in tiers("identical", "must-win").items() for net in [*paid, -1]}
STAKES = st.decimals("0.0001", "99999999999999", places=4)


@given(st.sampled_from(sorted(EVERY_NET)), STAKES)
def test_every_tier_pays_to_the_last_digit_whatever_the_context(tier: tuple[str, float], stake: Decimal) -> None:
    bet, net = tier
    bets: dict[str, Any] = {bet: net}
    with localcontext(Context(prec=3)):
        (paid,) = settle(json.dumps(round_message(**bets)), [Wager("ann", bet, stake)], EXACT).paid
    assert paid.amount.as_integer_ratio() == (stake + stake * Decimal(str(net))).as_integer_ratio()
    assert paid.amount >= 0


@given(STAKES, st.sampled_from(["0.01", "0.05", "0.25", "1", "5", "7"]), st.sampled_from(["down", "half-even"]))
def test_rounding_gives_a_multiple_less_than_a_quantum_away(stake: Decimal, quantum: str, mode: Any) -> None:
    step = Decimal(quantum)
    (exact,) = settle(round_message(banker=0.95), [Wager("ann", "banker", stake)], EXACT).paid
    (paid,) = settle(round_message(banker=0.95), [Wager("ann", "banker", stake)], Rounding(step, mode)).paid
    assert (paid.amount - stake) % step == 0
    lost = exact.amount - paid.amount
    assert (0 <= lost < step) if mode == "down" else (2 * abs(lost) <= step)


TIES = st.lists(st.sampled_from([-1, 0, 8]), min_size=6, max_size=6)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), TIES)
def test_in_any_order_and_repeated_the_highest_revision_is_paid(order: list[int], ties: list[int]) -> None:
    """A ledger that adds up the payments ends where the highest revision alone would."""
    told = [round_message("corrected", revision, tie=tie) for revision, tie in enumerate(ties)]
    settled = [settle(each, wagers("ann tie 5"), EXACT) for each in told]
    ledger, last = Decimal(0), None
    for revision in order:
        ledger += payments(settled[revision], last).get("ann", Decimal(0))
        last = settled[revision] if last is None or revision > last.revision else last
    assert ledger == settled[max(order)].by_person["ann"]


def test_every_bet_of_the_book_can_be_settled() -> None:
    told = round_message(**dict.fromkeys(BETS, -1))
    assert settle(told, [Wager("ann", bet, Decimal(1)) for bet in BETS], EXACT).by_person == {"ann": Decimal(0)}
