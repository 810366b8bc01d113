import pytest

from tests.journal.crash_states import CrashStates
from tests.kit.nightly import share


@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_power_cut_leaves_no_confirmed_entry_is_lost_or_has_two_contents(seed: int) -> None:
    tried = CrashStates(share(100, 4), seed, 0.0).run()
    assert tried["states"] >= share(100, 4)
    assert tried["entries cut off"] > share(10, 4)
    assert tried["notes sent after a start"] > share(10, 4)
    assert tried["refused: an acknowledged entry was damaged"] > 0


def test_a_disk_that_ignores_syncs_is_distinguished_from_one_that_keeps_its_word() -> None:
    """What was sent may be contradicted on it, but not in silence; the table goes on by another record."""
    tried = CrashStates(share(60, 2), 4, 1.0).run()
    assert tried["ignored syncs: two roots were sent of one size"] > 0
    assert tried["ignored syncs: said, and went on by another record"] > 0
    assert tried["ignored syncs: the start was refused"] > 0
