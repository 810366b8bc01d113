"""The short form of `scripts/fuzz`."""

import pytest

from tests.hardware.fuzz import fuzz
from tests.hardware.streams import LINES


@pytest.mark.parametrize("protocol", LINES)
def test_damaged_streams_make_up_no_card(protocol: str) -> None:
    tally = fuzz(protocol, 1_000, 7)
    assert tally.wrong == []
    assert tally.cards > 1_000
