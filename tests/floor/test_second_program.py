"""Reports and facts of SQLite are what a second program reads in exported journals alone."""

from __future__ import annotations

import pytest

from tests.floor.facts.compared import Played, differences

pytestmark = pytest.mark.story


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    return Played(folder, 300, f'path = "{folder}/floor.db"')


def test_what_was_played_has_all_that_changes_a_sum(played: Played) -> None:
    assert {each.body["status"] for each in played.rounds} == {"closed", "corrected", "voided"}
    assert len({each.body["game"] for each in played.rounds}) == 5
    assert len({each.dealer for each in played.rounds}) > 3
    assert any(each.body["revision"] > 1 for each in played.rounds)
    assert any(each.at[:10] != each.day for each in played.rounds)
    assert any(card["from"] == "manual" for each in played.rounds for card in each.body["cards"])


def test_reports_and_facts_are_those_of_the_journals(played: Played) -> None:
    assert differences(played) == []
    assert int(played.compact().split()[0]) >= 5
    assert differences(played) == []
    played.rebuild()
    assert differences(played) == []


def test_a_correction_that_is_missed_is_seen(played: Played) -> None:
    at = next(at for at, each in enumerate(played.rounds) if each.body["status"] == "corrected")
    assert differences(played, played.rounds[:at] + played.rounds[at + 1 :])
