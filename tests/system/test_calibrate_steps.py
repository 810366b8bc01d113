"""The code book and the pack of `shoe calibrate`, and a string reader's test: what is kept, refused and undone."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.calibrate.guide import Guide
from firmware_bridge.devices import code_books
from firmware_bridge.devices.code_books import native_code
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.shoe.state import is_open
from hardware.sim.board import NativeBoard
from hardware.sim.code_boards import Rdm6300Board
from hardware.sim.line_board import LineBoard
from hardware.sim.pty import PtyBoard
from tests.broker import free_port
from tests.system.table import BridgeTable
from tests.system.technician import Caller
from tests.system.visit import Visit, record

LINE = {"protocol": "line", "baud": 9600, "hold": 0.3}


class Wired(BridgeTable):
    """A table with this board at its port, from its first byte on."""

    def __init__(self, folder: Path, board: Any, **sections: Any) -> None:
        self._own = board
        super().__init__(folder, free_port(), **sections)

    async def _plugged(self) -> PtyBoard:
        self.board = self._own or self.board
        return await super()._plugged()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(board: Any = None, **sections: Any) -> BridgeTable:
        table = Wired(tmp_path, board, **sections)
        made.append(table)
        return table

    yield make
    for each in made:
        each.close()


def pull(table: BridgeTable, codes_: list[Any], pause_s: float = 0.0) -> None:
    for code in codes_:
        if isinstance(table.board, NativeBoard):
            table.until(lambda: table.board.waiting < 20)
        table.board.pull(code)
        table.pty.tick()
        table.pause(pause_s)


# ---------------------------------------------------------------- code book


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


def test_half_a_deck_leaves_the_book_before(table: Callable[..., BridgeTable], tmp_path: Path) -> None:
    book = tmp_path / "cards.toml"
    bridge = table(LineBoard(), reader=LINE | {"code_book": str(book)})
    visit = Visit(bridge, "codebook", "--yes", "--patience", 2)
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
    assert "no card came: go on?" in visit.story()
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
    assert "cards.csv.before is gone: one book from before is kept, no older" in again.story()
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
    visit.said("deck 1 of 2: other codes the second time, from 8s on 1")
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


def test_a_string_reader_has_its_test_pass(table: Callable[..., BridgeTable]) -> None:
    bridge = table(LineBoard(), reader=LINE).start()
    visit = Visit(bridge, "reader", "--yes", "--json", "--cards", 3)
    visit.said("pull 3 cards")
    pull(bridge, ["As", "Kd", "7c"])
    assert visit.end() == 0, visit.story()
    assert visit.json[-1]["measured"]["decode_rate"] == 1.0
    again = Visit(bridge, "reader", "--yes", "--cards", 2)
    again.said("pull 2 cards")
    pull(bridge, ["As", "nonsense"])
    assert again.end() == 1
    assert "only 1 of 2 cards were read" in again.story()


# ---------------------------------------------------------------- pack


def test_a_whole_pack_has_every_face_once(table: Callable[..., BridgeTable]) -> None:
    bridge = table().start()
    visit = Visit(bridge, "pack", "--yes", "--json")
    visit.said("pull 52 cards")
    pull(bridge, [native_code(card, lot=7) for card in reversed(FACES)])
    assert visit.end() == 0, visit.story()
    assert visit.json[-1]["measured"] == {"tried": 52, "good": 52, "decode_rate": 1.0, "lot": 7}
    assert record(bridge).pack.measured.lot == 7
    assert bridge.bridge.table.shoe.number == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda pack: [pack[1], *pack[1:]], "missing: As; too many: 2s"),
        (lambda pack: [native_code(FACES[0], lot=9), *pack[1:]], "packs of lots 7, 9 are mixed"),
        (lambda pack: pack[:40], "40 cards, missing: "),
    ],
)
def test_a_pack_that_is_not_whole_is_refused(
    table: Callable[..., BridgeTable], change: Callable[[list[int]], list[int]], why: str
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 1.5)
    visit.said("pull 52 cards")
    pull(bridge, change([native_code(card, lot=7) for card in FACES]))
    assert visit.end() == 1
    assert why in visit.story()
    assert record(bridge).pack is None


def test_several_cards_not_read_in_a_row_say_that_the_reader_is_not_calibrated(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 1.5)
    visit.said("pull 52 cards")

    def unread(times: int) -> None:
        for _ in range(times):
            bridge.board.fault("unreadable")
            bridge.pty.tick()

    unread(2)
    pull(bridge, [native_code(FACES[0])])
    unread(3)
    assert visit.end() == 1
    told = [line.strip() for line in visit.out.lines if "not read: " in line]
    hint = "; Ctrl-C, and calibrate the reader first: sudo shoe calibrate reader --by NAME"
    assert told == ["not read: pull that card again"] * 4 + [f"not read: pull that card again{hint}"]


def test_cards_that_are_no_whole_packs(table: Callable[..., BridgeTable]) -> None:
    visit = Visit(table(), "pack", "--cards", 53)
    assert visit.end() == 1
    assert "53 cards are no whole packs" in visit.story()


def test_the_live_bar_says_what_it_shows(mocker: MockerFixture, capsys: pytest.CaptureFixture[str]) -> None:
    mocker.patch("sys.stdout.isatty", return_value=True)
    guide = Guide("reader", as_json=False, yes=True)
    guide.bar(0.1, 5, 5, "cards", "signal now")
    guide.bar(1.0, 20, 20, "20 read")
    signal, done = capsys.readouterr().out.split("\r\x1b[K")[1:]
    assert signal.startswith("  signal now ███░")
    assert signal.endswith(" 5/5 cards")
    assert done == f"  done {'█' * 30} 20/20 20 read"
