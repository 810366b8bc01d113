import pytest

from tests.journal.crash_states import CrashStates


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_power_cut_leaves_no_confirmed_entry_is_lost_or_has_two_contents(seed: int) -> None:
    tried = CrashStates(150, seed).run()
    assert tried["states"] >= 150
    assert tried["entries cut off"] > 10
    assert tried["refused: an acknowledged entry was damaged"] > 0
