"""The roads of a table whose daemon does not run, read off its newest journal."""

from pathlib import Path

import pytest

from firmware_bridge.cli.roads import running
from firmware_bridge.facts import orders
from firmware_bridge.games.baccarat.roads import Bead
from tests.kit.journal_record import Record
from tests.kit.table import faces

PLAYER = "9s Td Ts Kc"


NATURAL = Bead("P", natural=True)


@pytest.fixture
def record(tmp_path: Path) -> Record:
    (tmp_path / "journal").mkdir()
    (tmp_path / "bridge.toml").write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path}/journal"\n')
    return Record(tmp_path / "journal").begin().deal(PLAYER).deal(PLAYER)


def drawn(record: Record) -> list[Bead]:
    record.close()
    return running(record.journal.directory.parent / "bridge.toml")[0]


def correct(record: Record, cards: str) -> None:
    record.order(orders.Correct(1, faces(cards), "camera"))


def test_a_correction_is_drawn_with_the_daemon_stopped(record: Record) -> None:
    correct(record, "2s 3s 4h 4d")
    assert drawn(record) == [Bead("B"), NATURAL]


def test_the_last_of_several_corrections_counts_with_its_pairs(record: Record) -> None:
    correct(record, "2s 3s 4h 4d")
    correct(record, "9s 9d 9h 9c")
    assert drawn(record) == [Bead("T", banker_pair=True, player_pair=True, natural=True), NATURAL]


def test_a_void_leaves_no_bead(record: Record) -> None:
    record.deal("9h").order(orders.Void("misdeal"))
    assert drawn(record) == [NATURAL, NATURAL]
