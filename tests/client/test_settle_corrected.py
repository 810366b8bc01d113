"""What a correction changes: the difference is paid, once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.client import payments, settle
from tests.client.results import ACCEPTED, BANKER, EXACT, FIRST, TIED, money
from tests.client.wagers import round_message, wagers

SAME = settle(round_message("corrected", 1, **BANKER), wagers(ACCEPTED), EXACT)
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


TIES = st.lists(st.sampled_from([-1, 0, 8]), min_size=6, max_size=6)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), TIES)
def test_in_any_order_and_repeated_the_highest_revision_is_paid(order: list[int], ties: list[int]) -> None:
    """A ledger that adds up the payments ends where the highest revision alone would."""
    revisions = [round_message("corrected", revision, tie=tie) for revision, tie in enumerate(ties)]
    settled = [settle(each, wagers("ann tie 5"), EXACT) for each in revisions]
    ledger, last = Decimal(0), None
    for revision in order:
        ledger += payments(settled[revision], last).get("ann", Decimal(0))
        last = settled[revision] if last is None or revision > last.revision else last
    assert ledger == settled[max(order)].by_person["ann"]
