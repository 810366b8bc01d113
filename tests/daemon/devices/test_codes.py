import string
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices.code_books import (
    CARDS,
    CUT_CARD,
    CodeBook,
    Known,
    Pack,
    load,
    of_reader,
    plain,
    save,
)
from firmware_bridge.daemon.devices.reader_inputs import as_input
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import FACES, TILES, Card
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.handlers.card_checks import CardFault, card_fault
from firmware_bridge.shoe.state import HeldCard
from hardware.readers import READERS, ReaderSettings
from hardware.readers.messages import Read
from hardware.readers.rdm6300 import Rdm6300Decoder, encode
from tests.kit.rows import each_row

PRINTED = {f"{n:02}": Known(card) for n, card in enumerate(FACES)}
TAGS = {f"{n:010X}": Known(card, None, f"nr-{n}") for n, card in enumerate(FACES * 8)}
LINES = [f"{code},{known.card.value}" for code, known in PRINTED.items() if known.card]  # line 1 is 00,As


def written(folder: Path, lines: list[str], name: str = "book.csv") -> Path:
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


@pytest.mark.parametrize(
    ("lines", "more"),
    [
        (LINES, {}),
        (["code,card", *LINES], {}),
        (["\ufeffcode,card", *LINES], {}),
        (["code,card,serial", "", *[line.replace(",", " , ") + "," for line in LINES], ",,"], {}),
        ([*LINES, "Z,cut"], {"Z": CUT_CARD}),
        ([*LINES, "Z,cut", "Y,cut"], {"Z": CUT_CARD, "Y": CUT_CARD}),
    ],
)
def test_a_book_as_people_save_it(tmp_path: Path, lines: list[str], more: dict[str, Known]) -> None:
    assert load(written(tmp_path, lines), decks=8) == PRINTED | more


def test_a_book_in_toml(tmp_path: Path) -> None:
    lines = [line.replace(",", ' = "') + '"' for line in LINES]
    lines[0] = '00 = { card = "As", serial = "x1" }'
    assert load(written(tmp_path, lines, "book.toml")) == PRINTED | {"00": Known(Card("As"), None, "x1")}


@pytest.mark.parametrize("name", ["book.csv", "book.toml"])
@pytest.mark.parametrize(
    "book", [PRINTED, TAGS, PRINTED | {'"a, b"\x7f\N{GRINNING FACE}': CUT_CARD}], ids=["printed", "tags", "odd"]
)
def test_what_is_saved_is_loaded(tmp_path: Path, name: str, book: dict[str, Known]) -> None:
    save(tmp_path / name, PRINTED)
    save(tmp_path / name, book)
    assert load(tmp_path / name, decks=8) == book
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_tag_is_found_in_capitals_and_as_it_is_written(tmp_path: Path) -> None:
    lines = [f"{code.lower()},{known.card.value},{known.serial}" for code, known in TAGS.items() if known.card]
    book = load(written(tmp_path, lines), decks=8)
    assert {code: book[code] for code in TAGS} == TAGS
    (read,) = Rdm6300Decoder().feed(encode("000000019f"))
    assert isinstance(read, Read)
    assert book[str(read.code)] == book["000000019f"] == TAGS["000000019F"]


def test_printed_codes_may_differ_by_case_only(tmp_path: Path) -> None:
    letters = string.ascii_letters
    book = load(written(tmp_path, [f"{letter},{face.value}" for letter, face in zip(letters, FACES, strict=True)]))
    assert (book["a"].card, book["A"].card) == (FACES[0], FACES[26])


@pytest.mark.parametrize(("decks", "is_right"), [(None, True), (1, True), (8, False)])
def test_a_serial_is_of_one_card_so_decks_that_share_a_code_have_none(
    tmp_path: Path, decks: int | None, is_right: bool
) -> None:
    book = written(tmp_path, ["00,As,x1", *LINES[1:], "Z,cut,x2"])
    if is_right:
        assert load(book, decks)["00"] == Known(Card("As"), None, "x1")
        return
    with pytest.raises(ConfigError, match="line 1: a serial belongs to one card, but 8 decks share this code"):
        load(book, decks)


TWICE = [*LINES, *[f"x{line}" for line in LINES]]

SEPARATED = "this line has {!r} between its fields, the others {!r}: use one throughout"
NO_CARD = "is not a card: write a card as rank and suit: As, Td, or cut"

# lines, decks, what is told
MISTAKES: list[tuple[list[str], int | None, list[str]]] = [
    (["00;As", *LINES[1:]], 8, [f"line 1: {SEPARATED.format(';', ',')}", "end: As is missing"]),
    (
        [*(line.replace(",", ";") for line in LINES[:51]), LINES[51]],
        8,
        [f"line 52: {SEPARATED.format(',', ';')}", "end: Kc is missing"],
    ),
    (["00", *LINES[1:]], 8, ["line 1: the card is missing", "end: As is missing"]),
    ([",As", *LINES[1:]], 8, ["line 1: the code is missing"]),
    (
        ["00,ax", *LINES[1:]],
        8,
        [f"line 1: 'ax' {NO_CARD}", "end: As is missing"],
    ),
    ([*LINES, "P,3p"], 8, [f"line 53: '3p' {NO_CARD}"]),
    (LINES[1:], 8, ["end: As is missing"]),
    ([*LINES, "x,Kc"], 8, ["line 53: one code too many for Kc: the other faces have 1"]),
    (["01,As", *LINES[1:]], 8, ["line 2: code '01' is used twice, see line 1"]),
    ([*LINES, "00,cut"], 8, ["line 53: code '00' is used twice, see line 1"]),
    (["04a1b2c3d4,As", "04A1B2C3D4,2s", *LINES[2:]], 8, ["line 2: code '04A1B2C3D4' is used twice, see line 1"]),
    (["00,As,7", "01,2s,7", *LINES[2:]], None, ["line 2: serial '7' is used twice, see line 1"]),
    (TWICE[:-1], None, ["end: Kc has 1 of 2 codes"]),
    (TWICE, 8, ["end: every face has 2 codes: give 1, or one for each of the 8 decks of this table"]),
    (TWICE[:-20], None, ["end: 20 faces have 1 of 2 codes: 7d 8d 9d .. Kc"]),
    ([], 8, ["end: 52 faces are missing: As 2s 3s .. Kc; record it: sudo shoe calibrate codebook --by NAME"]),
    (LINES[2:], 8, ["end: 2 faces are missing: As 2s"]),
    (
        [*LINES[:2], "x,11h", *LINES[2:4]],
        8,
        [
            "line 3: '11h' is not a card: write a card as rank and suit: As, Td, or cut",
            "end: 48 faces are missing: 5s 6s 7s .. Kc; record it: sudo shoe calibrate codebook --by NAME",
        ],
    ),
    (
        ["00,As,7", "00,2s,7", "02,3x", *LINES[3:51], "x,As"],
        None,
        [
            "line 2: code '00' is used twice, see line 1",
            "line 2: serial '7' is used twice, see line 1",
            "line 3: '3x' is not a card: write a card as rank and suit: As, Td, or cut",
            "line 52: one code too many for As: the other faces have 1",
            "end: 2 faces are missing: 3s Kc",
        ],
    ),
]


@pytest.mark.parametrize(("lines", "decks", "mistakes"), MISTAKES)
def test_every_mistake_is_reported_with_its_line(
    tmp_path: Path, lines: list[str], decks: int | None, mistakes: list[str]
) -> None:
    book = written(tmp_path, lines)
    with pytest.raises(ConfigError) as raised:
        load(book, decks)
    assert sorted(raised.value.what.split("\n")) == sorted(f"{book}, {each}" for each in mistakes)


def test_in_toml_the_key_is_named(tmp_path: Path) -> None:
    book = written(tmp_path, ['00 = "3x"', *[line.replace(",", ' = "') + '"' for line in LINES[1:]]], "book.toml")
    with pytest.raises(ConfigError, match="key 00: '3x' is not a card"):
        load(book)


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("book.toml", b'A = "As"\nA = "Ad"\n', "A appears twice (line 2); keep one of them"),
        ("book.toml", b"A = As\n", "line 1: Invalid value: A = As; put text in quotation marks"),
        ("book.toml", '“1” = "As"\n'.encode(), 'line 1: “1” = "As"; write " in place of “'),
        (
            "book.toml",
            '黑桃 = "As"\n'.encode(),
            'line 1: 黑桃 = "As"; write the name in quotation marks: "黑桃" = "As"',
        ),
        ("book.csv", "code,card\n".encode("utf-16"), "it is saved as UTF-16; save it as UTF-8"),
        ("book.csv", "code,card\n".encode("utf-16-be"), "it is saved as UTF-16; save it as UTF-8"),
        ("book.csv", "code,card\n01,As\n黑,2s".encode("gb18030"), "line 3 is not valid UTF-8; save it as UTF-8"),
        ("book.csv", "代碼,牌\n".encode("big5"), "line 1 is not valid UTF-8; save it as UTF-8"),
        ("book.csv", b"PK\x03\x04\x14\x00", "it is a workbook of a spreadsheet; save it as CSV in UTF-8"),
        (
            "book.csv",
            "代碼,牌\n".encode(),
            "line 1: '牌' is not a card: write a card as rank and suit: As, Td, or cut; the",
        ),
        ("book.csv", "01,Кs\n".encode(), "line 1: 'Кs'(К=U+041A) is not a card: write a card as rank and suit"),
        ("book.csv", b"1.23E+05,As\n", "line 1: '1.23E+05' is what a spreadsheet made of a number"),
        ("book.csv", b"1,23E+05;As\n", "line 1: '1,23E+05' is what a spreadsheet made of a number"),
    ],
)
def test_a_file_that_is_no_book(tmp_path: Path, name: str, content: bytes, error: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError) as raised:
        load(tmp_path / name)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: "CODE,Card\n" + text,
        lambda text: "sep=;\nCode;CARD;Serial\n" + text.replace(",", ";"),
        lambda text: text.replace(",", "\t").replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "".join('="{}",{}\n'.format(*line.split(",")) for line in text.splitlines()),
        lambda text: "".join('"=""{}""",{}\n'.format(*line.split(",")) for line in text.splitlines()),
        lambda text: "".join(f"'{line}\n" for line in text.splitlines()),
    ],
)
def test_a_book_as_spreadsheets_save_it(tmp_path: Path, change: Callable[[str], str]) -> None:
    (tmp_path / "book.csv").write_bytes(change("".join(f"{line}\n" for line in LINES)).encode())
    assert load(tmp_path / "book.csv", decks=8) == PRINTED


@each_row(
    ("protocol", "code", "pattern", "why"),
    [
        ("rdm6300", "000000019f", "", ""),
        ("rdm6300", "19F", "", "a tag has 10 hexadecimal digits"),
        ("rdm6300", "415", "", "a spreadsheet drops zeros at the front"),
        ("rdm6300", "000000019G", "", "a tag has 10 hexadecimal digits"),
        ("grow", "A 1", "", ""),
        ("grow", "é", "", "only the letters of ASCII"),
        ("grow", "1" * 129, "", "at most 128"),
        ("ssi", "é", "", ""),
        ("ssi", "1" * 92, "", "at most 91"),
        ("ssi", "Ａ1", "", "no reader sends Ａ (U+FF21)"),
        ("line", "é", "", ""),
        ("line", "A 1", "", "finds no such code"),
        ("line", "А1", "", "no reader sends А (U+0410), which may only look like a letter"),
        ("line", "1" * 257, "", "at most 256"),
        ("line", "1\r2", r"(.+)", "line end"),
        ("line", "A 1", r"^ID:(.+)$", ""),
        ("line", "12A4", r"^ID:(\d{4})$", "finds no such code"),
        ("line", "A1", r"(?<=x)(\d)", ""),  # what is around the group may change it: not judged
        ("native", "1", "", ""),
    ],
)
def test_a_code_that_its_reader_never_sends_is_refused(protocol: str, code: str, pattern: str, why: str) -> None:
    settings = ReaderSettings(pattern=pattern or ReaderSettings().pattern)
    reason = READERS[protocol].cannot_send(code, settings)
    assert (bool(reason), why in reason) == (bool(why), True)


def test_a_book_of_codes_that_are_never_sent_is_refused_with_their_lines(tmp_path: Path) -> None:
    book = written(tmp_path, [f"{n},{face.value}" for n, face in enumerate(FACES)])
    reader = ReaderConfig(protocol="rdm6300", code_book=str(book))
    with pytest.raises(ConfigError, match=r"line 1: the reader cannot send '0': a tag has .* \(51 more lines"):
        of_reader(reader, 8, CARDS)
    assert of_reader(msgspec.structs.replace(reader, protocol="line"), 8, CARDS)["51"] == Known(FACES[51])


def test_a_book_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"file .*none\.csv not found; record it: sudo shoe cal"):
        load(tmp_path / "none.csv")
    with pytest.raises(ConfigError, match=f"^code book {tmp_path}: Is a directory; "):
        load(tmp_path)


def test_serials_on_shared_codes_are_reported_in_one_line(tmp_path: Path) -> None:
    book = written(tmp_path, [f"{line},x{n}" for n, line in enumerate(LINES)])
    with pytest.raises(ConfigError, match=r"^[^\n]*line 1: a serial belongs to .* \(51 more lines have one\)$"):
        load(book, decks=8)


@pytest.mark.parametrize(
    ("code", "book", "why"),
    [
        ("X1", PRINTED, "not_in_book"),
        ("X1", plain(), "no_code_book"),
        (62, plain(), "not_in_book"),  # of a native reader, which needs none
    ],
)
def test_a_foreign_code_says_whether_there_is_a_book(code: str | int, book: CodeBook, why: str) -> None:
    unread = as_input(Read(code), book)
    assert isinstance(unread, inputs.CardUnread)
    fault = CardFault("foreign", {"why": phrase(why)})
    assert card_fault(Shoe(), HeldCard(None, unread.nonce, reason=unread.reason)) == fault


def test_a_book_prints_no_card() -> None:
    assert "As" not in repr(PRINTED)
    assert "nr-1" not in repr(TAGS)


TILE_PACK = dict.fromkeys(TILES, 4)
TILE_LINES = [f"{n:02},{tile.value}" for n, tile in enumerate(TILES)]
EACH_TILE = [f"{n:02},{tile.value},s{n}" for n, tile in enumerate(TILES * 4)]


@pytest.mark.parametrize("lines", [TILE_LINES, EACH_TILE])
def test_a_book_of_tiles_fits_packs_of_tiles(tmp_path: Path, lines: list[str]) -> None:
    book = load(written(tmp_path, lines), 1, TILE_PACK)
    assert [known.card for known in book.values()] == list(TILES) * (len(lines) // 10)


@pytest.mark.parametrize(
    ("lines", "pack", "mistake"),
    [
        (
            LINES,
            TILE_PACK,
            (
                "end: these cards (As 2s 3s .. Kc) are not in the packs of this game (1p 2p 3p .. wp): "
                "use another code book"
            ),
        ),
        (
            TILE_LINES,
            CARDS,
            (
                "end: these cards (1p 2p 3p .. wp) are not in the packs of this game (As 2s 3s .. Kc): "
                "use another code book"
            ),
        ),
        ([*TILE_LINES, "x,As"], TILE_PACK, "line 11: 'As' is not a card: write a tile as 1p to 9p, or wp, or cut"),
        (EACH_TILE[:20], TILE_PACK, "end: every face has 2 codes: give 1, or 4 for each of the 1 decks of this table"),
        (EACH_TILE[:-1], TILE_PACK, "end: wp has 3 of 4 codes"),
        (
            [f"{line},s" for line in TILE_LINES[:1]] + TILE_LINES[1:],
            TILE_PACK,
            (
                "line 1: a serial belongs to one card, but several share this code: remove the serial, "
                "or give each 1p its own code"
            ),
        ),
    ],
)
def test_a_book_must_fit_the_packs_of_the_game(tmp_path: Path, lines: list[str], pack: Pack, mistake: str) -> None:
    book = written(tmp_path, lines)
    with pytest.raises(ConfigError) as raised:
        load(book, 1, pack)
    assert raised.value.what == f"{book}, {mistake}"


def test_a_book_with_semicolons_and_signs(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_text("\ufeffcode;card;serial\n" + "\n".join(line.replace(",", ";") for line in LINES) + "\nzz;CUT\n")
    plain = tmp_path / "plain.csv"
    plain.write_text("\n".join([*LINES, "zz,cut"]))
    assert load(path) == load(plain)
    signs = str.maketrans("shdc", "♠♥♦♣")
    written = [f"{line[:-1]}{line[-1].translate(signs)}".replace(",T", ",10") for line in LINES]
    path.write_text("\n".join([*written, "zz,cut"]))
    assert load(path) == load(plain)
