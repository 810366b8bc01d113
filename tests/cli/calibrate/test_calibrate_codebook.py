"""The code book of `shoe calibrate`: what is recorded, refused and undone."""

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.daemon.devices import code_books
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.shoe.state import is_open
from hardware.sim.code_boards import LineBoard, Rdm6300Board
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, record
from tests.cli.calibrate.wired import LINE, pull
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Caller

table = wired.table  # fixture


def test_a_code_book_is_recorded_used_at_once_and_undone(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "cards.csv"
    code_books.save(book, {f"old{n}": code_books.Known(card) for n, card in enumerate(FACES)})
    before = book.read_bytes()
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(book)}).start()
    visit = Visit(bridge, "codebook", "--yes", "--json")
    visit.said("pull 52 cards of a sorted deck: spades, hearts, diamonds, clubs")
    deck = [f"C{n:02}" for n in range(52)]
    pull(bridge, [*deck[:2], deck[0], *deck[2:], "CUT"])  # the ace comes again: it is the same card
    assert visit.end() == 0, visit.story()
    recorded = code_books.load(book)
    assert [recorded[code].card for code in deck] == list(FACES)
    assert recorded["CUT"] == code_books.CUT_CARD
    assert any("recorded as As" in line for line in visit.out.lines)
    assert record(bridge).codebook.measured.good == 53

    bridge.until(lambda: not is_open(bridge.bridge.table.shoe, "reader_lost"))
    bridge.board.pull("C12")  # type: ignore[arg-type]  # it is a board of strings
    bridge.until(lambda: bridge.bridge.table.shoe.seen)
    assert bridge.bridge.table.shoe.seen == (Card("Ks"),)
    assert Visit(bridge, "codebook", "--undo", "--open-shoe").end() == 1  # never inside a shoe
    floor = Caller(bridge)
    assert floor.ask(do="void", by="bo", why="a test")["ok"]
    assert floor.ask(do="close_shoe", by="bo")["ok"]
    floor.hang_up()
    assert Visit(bridge, "codebook", "--undo").end() == 0
    assert book.read_bytes() == before
    assert record(bridge).codebook is None


def test_a_code_that_is_also_a_word_for_not_read_is_a_card_on_the_bench_and_at_the_table(
    table: Callable[..., BridgeTable], tmp_path: Path
) -> None:
    book, deck = tmp_path / "cards.csv", ["NR", *(f"C{n:02}" for n in range(1, 52))]
    code_books.save(book, {code: code_books.Known(card) for code, card in zip(deck, FACES, strict=True)})
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(book)}).start()
    visit = Visit(bridge, "codebook", "--yes")
    visit.said("pull 52")
    pull(bridge, [*deck, "CUT"])
    assert visit.end() == 0, visit.story()
    assert code_books.load(book)["NR"] == code_books.Known(FACES[0])


def test_half_a_deck_leaves_the_book_before(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "cards.toml"
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(book)})
    visit = Visit(bridge, "codebook", "--yes", "--patience", 5)
    visit.said("pull 52")
    pull(bridge, [f"C{n}" for n in range(26)])
    assert visit.end() == 1
    assert "only 26 of 52 cards passed" in visit.story()
    assert not book.exists()


def test_nobody_pulls_and_the_technician_gives_up(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(tmp_path / "cards.csv")})
    visit = Visit(bridge, "codebook", "--patience", 0.5, stdin=subprocess.PIPE)
    with suppress(BrokenPipeError):
        while visit.process.poll() is None:  # the question is not a whole line: it cannot be waited for
            visit.process.stdin.write("n\n")
            visit.process.stdin.flush()
            bridge.pause(0.1)
    assert visit.end() == 1
    with suppress(BrokenPipeError):
        visit.process.stdin.close()
    assert "no card came: continue?" in visit.story()
    assert "only 0 of 52 cards passed" in visit.story()


def test_only_one_book_from_before_is_put_back(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "cards.csv"
    code_books.save(book, {f"old{n}": code_books.Known(card) for n, card in enumerate(FACES)})
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(book)})
    for pack in "AB":
        visit = Visit(bridge, "codebook", "--yes")
        visit.said("pull 52")
        pull(bridge, [*[f"{pack}{n}" for n in range(52)], "CUT"])
        assert visit.end() == 0, visit.story()
    assert Visit(bridge, "codebook", "--undo").end() == 0
    first = book.read_bytes()
    assert b"A0,As" in first
    again = Visit(bridge, "codebook", "--undo")
    assert again.end() == 1
    assert "cards.csv.before is gone: only the last book is kept" in again.story()
    assert book.read_bytes() == first


def test_all_decks_of_tags_are_recorded_and_a_misread_tag_is_found(
    table: Callable[..., BridgeTable], tmp_path: Path
) -> None:
    book = tmp_path / "cards.csv"
    reader = {"protocol": "rdm6300", "code_book": str(book)}
    bridge = table(Rdm6300Board(), table={"decks": 2}, reader=reader)
    one, two = ([f"{deck}A{n:08X}" for n in range(52)] for deck in (1, 2))
    misread = [*one[:7], "1B00000007", *one[8:]]
    visit = Visit(bridge, "codebook", "--yes")
    visit.said("deck 1 of 2: pull 52")
    pull(bridge, misread + one)
    visit.said("deck 1 of 2: codes that differ the second time: 1, the first at 8s")
    pull(bridge, one + one + two + two)
    visit.said("pull the cut card, if it has a code")
    pull(bridge, ["3A00000000"])
    visit.said("pull the cut card again")
    bridge.pause(1.5)  # longer than its sightings and `hold`
    pull(bridge, ["3A00000000"])
    assert visit.end() == 0, visit.story()
    recorded = code_books.load(book, decks=2)
    assert [recorded[code] for code in one + two] == [
        code_books.Known(face, serial=code) for code, face in zip(one + two, FACES * 2, strict=True)
    ]
    assert len(recorded) == 104 + 1
    assert recorded["3A00000000"] == code_books.CUT_CARD


@pytest.mark.parametrize(
    ("reader", "code", "why"),
    [({}, 1, "they need no code book"), (LINE, 78, "[reader] code_book is missing")],
)
def test_a_book_nobody_needs_or_named(
    table: Callable[..., BridgeTable], reader: dict[str, Any], code: int, why: str
) -> None:
    visit = Visit(table(reader=reader), "codebook", "--yes")
    assert visit.end() == code
    assert why in visit.story()
