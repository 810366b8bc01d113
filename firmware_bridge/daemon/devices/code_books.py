"""Code books: the card for each code of a reader."""

import csv
import io
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.config.toml_text import decoded, parsed, quoted
from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.cards import FACES, TILES, Card, hint, look_alikes, read_card
from hardware.readers import READERS, ReaderSettings

FACE_BITS: Final = 6
"""Native codes: bits 0-5 are the face, bits 6-15 the pack lot."""

NATIVE_FACES: Final[dict[int, Card]] = dict(enumerate((*FACES, *TILES)))
NATIVE_CUT_CARD: Final = 63


class Known(NamedTuple):
    """The meaning of a code: a card, its batch (`lot`) and secret serial as far as known; `card` None: the cut card."""

    card: Card | None
    lot: int | None = None
    serial: str | None = None

    def __repr__(self) -> str:
        return "Known(??)"


CUT_CARD: Final = Known(None)
CUT: Final = "cut"
"""The name of the cut card in a book."""

SEPARATORS: Final = "\t;,"
"""What may stand between the fields of a CSV file; one in all its lines."""

REMEDY: Final = "record it: sudo shoe calibrate codebook --by NAME"
"""The command that records a code book."""

_TAG: Final = re.compile("[0-9A-Fa-f]{10}")

CodeBook = Mapping[str, Known]


@cache
def native(code: int) -> Known | None:
    """Return the meaning of a native code; None for an unused code."""
    face, lot = code & (1 << FACE_BITS) - 1, code >> FACE_BITS
    if face == NATIVE_CUT_CARD:
        return CUT_CARD
    card = NATIVE_FACES.get(face)
    return Known(card, lot) if card else None


def native_code(card: Card, lot: int = 0) -> int:
    """Return the native code of a card, the inverse of `native`."""
    return next(face for face, each in NATIVE_FACES.items() if each is card) | lot << FACE_BITS


@cache
def plain() -> CodeBook:
    """Return the book for readers that report the cards themselves: `As`, `Td`, and `cut` for the cut card."""
    return {card.value: Known(card) for card in Card} | {CUT: CUT_CARD}


class BookRow(NamedTuple):
    """A row of a book as written, and its place in the file."""

    where: str
    code: str
    face: str
    serial: str
    separator: str = SEPARATORS[-1]


Pack = Mapping[Card, int]
"""The faces of one pack, and the number of each."""

CARDS: Final[Pack] = dict.fromkeys(FACES, 1)


def of_reader(reader: ReaderConfig, decks: int | None, pack: Pack) -> CodeBook:
    """Return the code book of a reader: as `load`, without codes that its protocol cannot send. Raises ConfigError."""
    sent = ReaderSettings(pattern=reader.pattern, line_end=reader.line_end)
    return load(reader.code_book, decks, pack, lambda code: READERS[reader.protocol].cannot_send(code, sent))


def load(
    path: str | Path | None,
    decks: int | None = None,
    pack: Pack = CARDS,
    cannot: Callable[[str], str] = lambda code: "",
) -> CodeBook:
    """Return the book in a CSV file (`code,card[,serial]`) or TOML file (`code = "As"` or `{card = .., serial = ..}`).

    Without a file: the plain one. Every face of the `pack` has one code, or one for each of its cards in `decks` (None:
    any number); a tag is also found in capitals. cannot: why the reader can never send a code, "" if it can. Raises
    ConfigError with every mistake, one a line.
    """
    if not path:
        return plain()
    path = Path(path)
    try:
        text = decoded(path, path.read_bytes().removeprefix(BOM_UTF8))
        rows = list(_toml_rows(path, text) if path.suffix == ".toml" else _csv_rows(text))
    except FileNotFoundError:
        raise ConfigError(f"code book: file {path} not found", f"{REMEDY}, or correct [reader] code_book") from None
    except (OSError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"code book {path}: {why}", "record it again, or correct [reader] code_book") from None
    mistakes = [*_other_pack(rows, pack)] or [*_wrong_rows(rows, pack, cannot), *_wrong_counts(rows, decks, pack)]
    if mistakes:
        raise ConfigError("\n".join(f"{path}, {each}" for each in mistakes))
    return {code: _known(row) for row in rows for code in (row.code, reported_code(row.code))}


def not_read(words: Iterable[str], book: CodeBook) -> frozenset[str]:
    """Return a reader's words for a card that it could not read, in capitals, without those that are codes."""
    return frozenset(word.strip().upper() for word in words) - {code.strip().upper() for code in book}


def can_be(code: str, book: CodeBook) -> bool:
    """Return whether a code that the book lacks can be one of another pack; one that cannot was damaged.

    Of a book of tags only hexadecimal digits can be; of others letters, digits and what else its codes have; of the
    plain book, which stands where there is none, any text that can be printed.
    """
    if book is plain():
        return code.isascii() and code.isprintable()
    is_hex, signs = _signs(frozenset(book))
    if is_hex:
        return bool(_HEX.fullmatch(code))
    return all((sign.isascii() and sign.isalnum()) or sign in signs for sign in code)


def save(path: Path, book: CodeBook) -> None:
    """Write a book to disk, whole or not at all, as CSV or (`.toml`) TOML. Raises OSError."""
    write_whole(path, _toml(book) if path.suffix == ".toml" else _csv(book))


_PROTECTED: Final = re.compile(r"""="([^"]*)"|'([0-9][^']*)""")
_ROUNDED: Final = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+")
AS_TEXT: Final = "give its column the format text, and write or record the codes again"
_HEX: Final = re.compile("[0-9A-Fa-f]+")
_LONG: Final = 8
"""Hexadecimal digits from which on a code is a tag, which has no other letters."""


@lru_cache(8)
def _signs(codes: frozenset[str]) -> tuple[bool, frozenset[str]]:
    """Return whether all codes are tags, and the signs in them."""
    is_hex = all(len(code) >= _LONG and _HEX.fullmatch(code) for code in codes)
    return is_hex, frozenset("".join(codes))


def reported_code(code: str) -> str:
    """Return a code as the reader reports it: tags in capitals, others as printed."""
    return code.upper() if _TAG.fullmatch(code) else code


def _known(row: BookRow) -> Known:
    return CUT_CARD if row.face == CUT else Known(Card(row.face), serial=row.serial or None)


# ---------------------------------------------------------------- what can be wrong

_SHARED: Final = "a serial belongs to one card, but {} share this code: remove the serial, or give each {} its own code"
_ANY: Final = {card.value for card in Card}
_SHOWN: Final = 8
"""Faces listed at most; of more, the first three and the last."""


def _other_pack(rows: list[BookRow], pack: Pack) -> Iterator[str]:
    """Yield the mistake of a book with faces of another pack and none of this one."""
    found = list(dict.fromkeys(row.face for row in rows if row.face in _ANY))
    if found and not {card.value for card in pack} & set(found):
        ours = _some([card.value for card in pack])
        yield f"end: these cards ({_some(found)}) are not in the packs of this game ({ours}): use another code book"


def _wrong_rows(rows: list[BookRow], pack: Pack, cannot: Callable[[str], str]) -> Iterator[str]:
    """Yield mistakes in single rows; codes that are never sent, often those of a whole column, in one."""
    faces = [card.value for card in pack]
    codes: dict[str, str] = {}
    serials: dict[str, str] = {}
    never = list[str]()
    for row in rows:
        code = reported_code(row.code)
        if not code:
            yield f"{row.where}: the code is missing"
        elif _ROUNDED.fullmatch(code):
            yield f"{row.where}: {row.code!r} is what a spreadsheet made of a number, some digits are lost: {AS_TEXT}"
        elif code in codes:
            yield f"{row.where}: code {row.code!r} is used twice, see {codes[code]}"
        elif row.face and (why := cannot(code)):
            never.append(f"{row.where}: the reader cannot send {row.code!r}: {why}")
        if row.face not in {*faces, CUT}:
            yield f"{row.where}: {_wrong_face(row, pack)}"
        if row.serial in serials:
            yield f"{row.where}: serial {row.serial!r} is used twice, see {serials[row.serial]}"
        codes.setdefault(code, row.where)
        if row.serial:
            serials.setdefault(row.serial, row.where)
    if never:
        yield never[0] + (f" ({len(never) - 1} more lines have such codes)" if never[1:] else "")


def _wrong_face(row: BookRow, pack: Pack) -> str:
    """Return what is wrong with a row with a card that the pack does not have."""
    if row.face:
        is_head = row.where == "line 1" and not re.search("[0-9]", row.code)
        header = "; the header is: code,card,serial" if is_head else ""
        return f"{row.face!r}{look_alikes(row.face)} is not a card: {hint(pack)}, or {CUT}{header}"
    if separator := next((each for each in SEPARATORS if each in row.code), None):
        return f"this line has {separator!r} between its fields, the others {row.separator!r}: use one throughout"
    return "the card is missing"


def _wrong_counts(rows: list[BookRow], decks: int | None, pack: Pack) -> Iterator[str]:
    """Yield mistakes in the book as a whole: every face has one code, or one for each of its cards."""
    places: dict[str, list[str]] = {card.value: [] for card in pack}
    for row in rows:
        if row.face in places:
            places[row.face].append(row.where)
    copies, usual = _most(pack.values()), _most(len(where) for where in places.values() if where)
    wanted = {card.value: usual if usual == 1 else usual * pack[card] // copies for card in pack}
    for count, whole in sorted({(len(places[face]), wanted[face]) for face in places}):
        few = [face for face, where in places.items() if (len(where), wanted[face]) == (count, whole)]
        if count < whole:
            yield _too_few(few, count, whole, len(pack))
    for face, where in places.items():
        for extra in where[wanted[face] :]:
            yield f"{extra}: one code too many for {face}: the other faces have {usual}"
    if decks is not None and usual not in (1, decks * copies):
        each = f"{copies} for each" if copies > 1 else "one for each"
        yield f"end: every face has {usual} codes: give 1, or {each} of the {decks} decks of this table"
    with_serial = [row for row in rows if row.serial and row.face in places]
    if with_serial and usual == 1 and (copies > 1 or decks not in (None, 1)):
        more = f" ({len(with_serial) - 1} more lines have one)" if with_serial[1:] else ""
        shared = _SHARED.format(f"{decks} decks" if copies == 1 else "several", with_serial[0].face)
        yield f"{with_serial[0].where}: {shared}{more}"


def _most(counts: Iterable[int]) -> int:
    """Return the most common of some numbers, 1 of none."""
    usual = Counter(counts).most_common(1)
    return usual[0][0] if usual else 1


def _some(faces: list[str]) -> str:
    return " ".join(faces if len(faces) <= _SHOWN else [*faces[:3], "..", faces[-1]])


def _too_few(faces: list[str], count: int, copies: int, all_faces: int) -> str:
    """Return the faces with only `count` codes, in one line, so that they do not hide other mistakes."""
    shown = _some(faces)
    have = f"{count} of {copies} codes"
    if len(faces) == 1:
        return f"end: {shown} {f'has {have}' if count else 'is missing'}"
    remedy = f"; {REMEDY}" if not count and len(faces) > all_faces / 2 else ""
    return f"end: {len(faces)} faces {f'have {have}' if count else 'are missing'}: {shown}{remedy}"


# ---------------------------------------------------------------- the files


def _csv_rows(text: str) -> Iterator[BookRow]:
    separator = max(SEPARATORS, key=text.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    for cells in lines:
        code, face, serial = [*map(_unprotected, cells), "", "", ""][:3]
        is_head = (code.lower(), face.lower()) == ("code", "card") or (lines.line_num == 1 and code.startswith("sep="))
        if any((code, face, serial)) and not is_head:
            yield BookRow(f"line {lines.line_num}", code, _as_named(face), serial, separator)


def _unprotected(cell: str) -> str:
    """Return a cell without what kept a spreadsheet from taking it for a number: `="0123"`, `'0123`."""
    found = _PROTECTED.fullmatch(cell.strip())
    return next(filter(None, found.groups()), "").strip() if found else cell.strip()


def _toml_rows(path: Path, text: str) -> Iterator[BookRow]:
    for code, value in parsed(path, text).items():
        known: dict[str, Any] = value if isinstance(value, dict) else {"card": value}
        yield BookRow(f"key {code}", code, _as_named(str(known.get("card", ""))), str(known.get("serial", "")))


def _as_named(face: str) -> str:
    """Return the name of a card in any usual spelling; another text as it is."""
    card = read_card(face)
    return card.value if card else CUT if face.lower() == CUT else face


def _face(known: Known) -> str:
    return known.card.value if known.card else CUT


def _csv(book: CodeBook) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("code", "card", "serial"))
    rows.writerows((code, _face(known), known.serial or "") for code, known in book.items())
    return text.getvalue()


def _toml(book: CodeBook) -> str:
    return "".join(f"{quoted(code)} = {_toml_value(known)}\n" for code, known in book.items())


def _toml_value(known: Known) -> str:
    card = quoted(_face(known))
    return f"{{ card = {card}, serial = {quoted(known.serial)} }}" if known.serial else card
