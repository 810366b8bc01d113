"""What rounds pay on stakes, to the last digit."""

from __future__ import annotations

import json
from decimal import Context, Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.client import MoneyError, Rounding, Wager, settle
from firmware_bridge.games.baccarat.bets import BETS, tiers
from tests.client.results import BANKER, EXACT, RESULTS, in_money, money
from tests.client.wagers import round_message, wagers

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
    message = round_message(**outcome)
    for payload in (message, json.dumps(message), json.dumps(message).encode()):
        assert settle(payload, wagers(accepted), EXACT).by_person == money(back)


def test_a_settlement_names_its_round() -> None:
    message = round_message(**RESULTS["banker"])  # type: ignore[arg-type]  # results only
    now, named = settle(message, [], EXACT), ("table", "shoe", "journal", "round", "revision", "status")
    assert [getattr(now, name) for name in named] == [message[name] for name in named]


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
    message = round_message("voided") | more
    assert settle(message, wagers("ann player 0.37, ann tie 5, bo x 7"), Rounding(Decimal(5))).by_person == money(
        "ann 5.37, bo 7"
    )


def in_units(status: str = "closed", **stakes: tuple[Any, Any]) -> dict[str, Any]:
    """A round told per unit staked, where a bet did not put in 1."""
    message = round_message(status, **{bet: net for bet, (_, net) in stakes.items()} | {"x": 1})
    return message | {"stakes": stakes}


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


@pytest.mark.parametrize(("what", "message", "accepted", "back"), ONE_FORMULA, ids=[row[0] for row in ONE_FORMULA])
def test_one_formula_settles_every_game(what: str, message: dict[str, Any], accepted: str, back: str) -> None:
    for payload in (message, json.dumps(message).encode()):
        assert settle(payload, wagers(accepted), EXACT).by_person == money(f"ann {back}")


def test_what_is_won_in_money_is_rounded_as_well() -> None:
    (paid,) = settle(in_money(S3=("0.01", "0.015")), wagers("ann S3 0.01"), Rounding(Decimal("0.01"), "down")).paid
    assert paid.amount == Decimal("0.02")


def test_of_two_wagers_on_a_bet_in_money_both_are_held_and_the_others_paid() -> None:
    now = settle(in_money(S3=("20", "20"), S4=("5", "5")), wagers("ann S3 10, bo S4 5, ann S3 10"), EXACT)
    assert now.by_person == money("bo 10")
    assert [each.wager.person for each in now.held] == ["ann", "ann"]
    assert "has two wagers on S3: its results are in money, so give it one" in now.held[0].why


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


def test_every_bet_of_the_book_can_be_settled() -> None:
    message = round_message(**dict.fromkeys(BETS, -1))
    assert settle(message, [Wager("ann", bet, Decimal(1)) for bet in BETS], EXACT).by_person == {"ann": Decimal(0)}
