"""A short soak: some daemons end themselves between signing and publishing; no size of the record gets two roots."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.soak import Soak

pytestmark = pytest.mark.story


def test_kills_around_signing_lose_nothing_and_contradict_no_note(tmp_path: Path) -> None:
    soak = Soak(tmp_path, kills=6, seed=7)
    try:
        account = soak.run()
    finally:
        soak.close()
    assert account.faults == []
    assert account.figures["notes that were sent"] > 10
    assert account.figures["notes that were sent"] >= account.figures["rounds"] > 0  # a round's entry is signed
    assert soak.done["kills"] >= 6
