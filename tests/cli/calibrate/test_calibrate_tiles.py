"""The code book and the pack of `shoe calibrate` at a table of tiles: ten faces, four of each."""

from collections.abc import Callable
from pathlib import Path

from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import TILES
from firmware_bridge.games.erbagang import GAME
from hardware.sim.code_boards import LineBoard, Rdm6300Board
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, record
from tests.cli.calibrate.wired import LINE, pull
from tests.kit.daemon_table import BridgeTable

table = wired.table  # fixture
GAME_OF_TILES = {"game": "erbagang", "decks": 1}
ALL = [tile for tile in TILES for _ in range(4)]


def test_a_code_for_each_face_of_the_tiles(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "tiles.csv"
    bridge = table(LineBoard(), table=GAME_OF_TILES, reader=LINE | {"code_book": str(book)})
    visit = Visit(bridge, "codebook", "--yes")
    visit.said("pull 10 sorted tiles: 1 to 9 dots, then white")
    codes = [f"T{n}" for n in range(10)]
    pull(bridge, [*codes[:3], codes[0], *codes[3:]])  # a tile of a face that came before
    assert visit.end() == 0, visit.story()
    recorded = code_books.load(book, 1, GAME.pack)
    assert [recorded[code].card for code in codes] == list(TILES)


def test_a_tag_for_each_of_the_forty_tiles(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "tiles.csv"
    reader = {"protocol": "rdm6300", "code_book": str(book)}
    bridge = table(Rdm6300Board(), table=GAME_OF_TILES, reader=reader)
    tags = [f"1A{n:08X}" for n in range(40)]
    visit = Visit(bridge, "codebook", "--yes")
    visit.said("deck 1 of 1: pull 40 sorted tiles")
    pull(bridge, tags + tags)
    visit.said("pull the cut card, if it has a code")
    assert visit.end() == 0, visit.story()
    recorded = code_books.load(book, 1, GAME.pack)
    assert [recorded[tag] for tag in tags] == [
        code_books.Known(tile, serial=tag) for tile, tag in zip(ALL, tags, strict=True)
    ]


def test_a_whole_pack_has_every_tile_four_times(table: Callable[..., BridgeTable]) -> None:
    bridge = table(table=GAME_OF_TILES)
    visit = Visit(bridge, "pack", "--yes", "--json", "--patience", 5)
    visit.said("pull 40 cards")
    pull(bridge, [native_code(tile, lot=7) for tile in reversed(ALL)])
    assert visit.end() == 0, visit.story()
    assert record(bridge).pack.measured.good == 40


def test_a_fifth_tile_of_a_face_is_one_too_many(table: Callable[..., BridgeTable]) -> None:
    bridge = table(table=GAME_OF_TILES)
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 40 cards")
    pull(bridge, [native_code(tile) for tile in [*ALL[4:8], *ALL[5:], ALL[4]]])
    assert visit.end() == 1
    assert "missing: 1p; too many: 2p" in visit.story()


def test_a_fifth_tile_behind_a_whole_set_is_one_too_many(table: Callable[..., BridgeTable]) -> None:
    bridge = table(table=GAME_OF_TILES)
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 40 cards")
    pull(bridge, [native_code(tile) for tile in [*ALL, ALL[4]]])
    assert visit.end() == 1
    assert "41 cards, too many: 2p" in visit.story()
    assert "tear one 2p, then" in " ".join(visit.story().split())
