"""What the ingest remembers of a table's rounds: little, however long it runs, and no less is found by it."""

from pathlib import Path

from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.verified.rounds import JOURNALS, Rounds
from tests.floor.journals import round_of

PREV = '{"journal":"0-5ad1","seq":1}'


def found(rounds: Rounds, row: Row) -> set[str]:
    return {each.kind for each in rounds.look(row)}


def test_the_rounds_of_two_journals_of_a_table_are_in_memory_and_older_ones_are_read_again(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "floor.db")
    rounds = Rounds("T07", store)
    for shoe in range(1, 9):
        rows = [round_of(number, number, journal=f"{shoe}-5ad1", prev=PREV) for number in range(1, 71)]
        assert not set[str]().union(*(found(rounds, row) for row in rows))
        store.save(rows, [], [])
    assert len(rounds._journals) == JOURNALS

    voided = round_of(300, 7, status="voided", journal="2-5ad1", prev=PREV)
    assert "closed_and_voided" in found(rounds, voided)
    assert len(rounds._journals) == JOURNALS
    store.close()
