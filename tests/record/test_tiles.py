"""Tiles lie where C2SP tlog-tiles says, and proofs from them are those of RFC 6962."""

from __future__ import annotations

import random
from hashlib import sha256
from pathlib import Path

import pytest

from firmware_bridge.record import verify as v
from firmware_bridge.record.tiles import WIDTH, Tiles, tile_name
from tests.record.test_tree import LEAVES, path, subproof, tree


@pytest.mark.parametrize(
    ("level", "number", "name"),
    [
        (0, 0, "0/000"),
        (0, 67, "0/067"),
        (1, 1234, "1/x001/234"),
        (0, 1_234_067, "0/x001/x234/067"),
        (0, 1000, "0/x001/000"),
    ],
)
def test_names_of_tiles(level: int, number: int, name: str) -> None:
    assert tile_name(level, number) == name


@pytest.fixture
def tiles(tmp_path: Path) -> Tiles:
    """Seven whole tiles and 208 leaves behind them."""
    return filled(tmp_path, LEAVES)


def filled(folder: Path, leaves: list[bytes]) -> Tiles:
    tiles = Tiles(folder)
    for at in range(0, len(leaves) - WIDTH + 1, WIDTH):
        tiles.append(leaves[at : at + WIDTH])
    return Tiles(folder, leaves[tiles.size :])


def test_proofs_are_those_of_the_recursive_definition(tiles: Tiles) -> None:
    chance = random.Random(1)
    for size in [1, 2, 255, 256, 257, 511, 512, 1024, 1793, 2000, *(chance.randint(1, 2000) for _ in range(60))]:
        assert tiles.root(size) == tree(0, size)
        for index in {0, size - 1, size // 2, chance.randrange(size)}:
            assert tiles.inclusion(index, size) == path(index, 0, size)
            assert tiles.consistency(index + 1, size) == subproof(index + 1, 0, size, True)
            assert tiles.leaf(index) == LEAVES[index]


def test_a_level_above_is_written_once_it_is_full(tmp_path: Path) -> None:
    leaves = [sha256(b"%d" % n).digest() for n in range(WIDTH * WIDTH + 300)]
    tiles = filled(tmp_path, leaves)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["0", "1"]
    assert (tmp_path / "1" / "000").stat().st_size == 8192
    edge: list[bytes] = []
    for size, leaf in enumerate(leaves):
        v.grow(edge, size, leaf)
    assert tiles.root(len(leaves)) == v.root_of(edge)
    for index in (0, 1, 65_535, 65_536, 65_835):
        proof = tiles.inclusion(index, len(leaves))
        assert v.root_by_inclusion(index, len(leaves), leaves[index], proof) == v.root_of(edge)


def test_a_tile_that_a_power_cut_left_is_none(tiles: Tiles) -> None:
    (tiles.directory / "0" / "006").write_bytes(b"")
    assert Tiles(tiles.directory).size == 6 * WIDTH
    with pytest.raises(LookupError, match="leaf 1536"):
        Tiles(tiles.directory).root(2000)
