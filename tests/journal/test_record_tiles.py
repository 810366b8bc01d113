"""The tree of a record outlives its journals: proofs of any age."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from firmware_bridge.journal import record_tiles, record_tree
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.record_tiles import leaves_from, leaves_of, root_at, tiles_of
from firmware_bridge.journal.record_tree import RecordTree
from firmware_bridge.journal.retention import DAY_S, Retention
from firmware_bridge.record import verify as v
from tests.kit import journal_record
from tests.record.exports import ORIGIN, SECOND, SignedRecord

NOW = journal_record.AT


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SignedRecord:
    """Three months: ten shoes of eight rounds, about 500 entries; nothing is deleted yet."""
    record = SignedRecord(tmp_path / "journal")
    record.begin_device()
    for shoe in range(10):
        monkeypatch.setattr(journal_record, "AT", NOW + shoe * 10 * DAY_S * 1000)
        record.open_shoe()
        record.play(8).prepare()
    return record


def expire(record: SignedRecord, keep_days: int = 30) -> list[Path]:
    """Deletes what is older, one after another; what went."""
    gone = []
    files = journal_files(record.journal.directory)
    sent = Cursor(journal_id(files[-1]), 1)
    retention = Retention(record.journal.directory, keep_days, None, record.journal.tiles.secure)
    while path := retention.expire(sent, is_clock_right=True):
        record.journal.forget(path)
        gone.append(path)
    return gone


def roots_of(tree: RecordTree) -> dict[int, bytes]:
    """The roots that are kept, by the size of the tree."""
    return {size: root for size in range(1, tree.size + 1) if (root := tree.root(size))}


def test_a_proof_from_size_1_after_90_days(record: SignedRecord) -> None:
    tree, roots = record.journal.tree, roots_of(record.journal.tree)
    assert len(expire(record)) >= 5
    tiles = tiles_of(record.journal.directory, ORIGIN)
    tiles.rest = tuple(leaf.hash for leaf in leaves_from(record.journal.files, ORIGIN, tiles.size))
    assert tiles.size + len(tiles.rest) == tree.size > 450
    for old in (1, 2, 255, 256, 257, tree.size - 1, tree.size):
        proof = tiles.consistency(old, tree.size)
        v.check_consistency(old, tree.size, roots[old], roots[tree.size], proof)
        leaf = v.leaf_hash(bytes.fromhex(record.lines[old - 1].chain))
        path = tiles.inclusion(old - 1, tree.size)
        assert v.root_by_inclusion(old - 1, tree.size, leaf, path) == roots[tree.size]


def test_a_root_of_any_size_by_the_one_journal_with_its_last_entry(record: SignedRecord) -> None:
    tree, files = record.journal.tree, record.journal.files
    for size in (1, 2, *range(3, tree.size, 17), tree.size):
        assert root_at(files, ORIGIN, size) == tree.root(size)
    for size in (0, tree.size + 1):
        assert root_at(files, ORIGIN, size) is None
    assert root_at(files, SECOND, 2) is None
    assert root_at(files[5:], ORIGIN, 1) is None


def test_leaves_are_read_from_the_journals_that_have_them_alone(record: SignedRecord) -> None:
    files = record.journal.files
    (first, *_) = leaves_of(files[5])
    whole = leaves_from(files, ORIGIN, first.number)
    files[4].unlink()
    assert leaves_from(files, ORIGIN, first.number) == whole
    assert whole[0] == first


def test_a_running_table_reads_no_journal_for_its_tiles(record: SignedRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_tiles, "read_lines", lambda _: pytest.fail("a journal was read"))
    tiles = tiles_of(record.journal.directory, ORIGIN)
    before = tiles.size
    for _ in range(6):
        record.open_shoe()
        record.play(8).prepare()
    tiles = tiles_of(record.journal.directory, ORIGIN)
    assert tiles.size > before
    leaves = [v.leaf_hash(bytes.fromhex(line.chain)) for line in record.lines]
    assert [tiles.leaf(n) for n in range(tiles.size)] == leaves[: tiles.size]


def test_roots_of_the_newest_trees_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_tree, "KEPT", 128)
    record = SignedRecord(tmp_path / "journal")
    record.begin_device()
    tree, edge, roots = record.journal.tree, list[bytes](), dict[int, bytes]()
    for _ in range(5):
        record.open_shoe()
        record.play(8)
    for size, line in enumerate(record.lines):
        v.grow(edge, size, v.leaf_hash(bytes.fromhex(line.chain)))
        roots[size + 1] = v.root_of(edge)
    kept = roots_of(tree)
    assert kept == {size: roots[size] for size in range(tree.size - len(kept) + 1, tree.size + 1)}
    assert 128 <= len(kept) < 200 < tree.size
    assert tree.root(tree.size + 1) is None
    assert tree.leaves(tree.size - len(kept) - 1, 10) == []


def test_a_journal_stays_until_its_leaves_are_in_a_whole_tile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = SignedRecord(tmp_path / "journal")
    record.begin_device()
    for shoe in range(6):
        monkeypatch.setattr(journal_record, "AT", NOW + shoe * 10 * DAY_S * 1000)
        record.open_shoe()
        record.prepare()
    assert expire(record) == []
    for _ in range(6):
        record.open_shoe()
        record.play(8).prepare()
    assert len(expire(record)) > 1


def test_it_is_synced_before_a_journal_goes(record: SignedRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr("firmware_bridge.record.tiles.sync_path", lambda path: synced.append(path.name))
    real = Path.unlink

    def unlink(path: Path, *, missing_ok: bool = False) -> None:
        synced.append(f"- {path.name}")
        real(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    gone = expire(record)
    assert synced.index("000") < synced.index(f"- {gone[0].name}")
    assert {"000", "tree", "0"} <= set(synced)


def test_tiles_that_a_power_cut_took_come_back_from_the_journals(record: SignedRecord) -> None:
    tree = record.journal.directory / "tree"
    before = {path.name: path.read_bytes() for path in (tree / "0").iterdir()}
    record.close()
    shutil.rmtree(tree / "0")
    again = Journal(record.journal.directory).open(None)
    while step := again.preparation(True):
        again.prepare(step)
    again.close()
    assert {path.name: path.read_bytes() for path in (tree / "0").iterdir()} == before


def test_a_tile_with_wrong_bytes_is_mended_before_its_journal_goes(record: SignedRecord) -> None:
    path = record.journal.directory / "tree" / "0" / "000"
    right = path.read_bytes()
    path.write_bytes(bytes(len(right)))
    gone = len(expire(record))
    assert gone >= 5
    kept = next(leaf.number for leaf in leaves_of(record.journal.files[0]))
    assert path.read_bytes()[: 32 * kept] == right[: 32 * kept]


def test_an_earlier_birth_keeps_its_tree_to_its_end(record: SignedRecord) -> None:
    size, roots = record.journal.tree.size, roots_of(record.journal.tree)
    record.journal.tree.origin = SECOND  # as after a RecordBegun: no order begins one in this fold
    record.journal.tiles.step(record.journal.tree, record.journal.files)
    tiles = tiles_of(record.journal.directory, ORIGIN)
    assert tiles.directory.name == "tree-d683a89c"
    assert tiles.root(size) == roots[size]
    assert tiles_of(record.journal.directory, SECOND).directory.name == record_tiles.FOLDER


def test_a_damaged_journal_stops_the_tree_and_not_the_table(
    record: SignedRecord, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(record.journal.directory / "tree")
    path = record.journal.files[2]
    path.write_bytes(path.read_bytes().replace(b"RoundClosed", b"RoundOpened", 1))
    tiles = record_tiles.RecordTiles(record.journal.directory)
    while tiles.wants(record.journal.tree):
        tiles.step(record.journal.tree, record.journal.files)
    assert "the tree of the record is not kept any further" in caplog.text
    record.journal.tiles = tiles
    assert expire(record)
