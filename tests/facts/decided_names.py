"""The table of names and pairs of names, each decided: `python -m tests.facts.decided_names` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from firmware_bridge.facts.names import one_person, unfit, unfit_word

FILE = Path(__file__).with_name("decided_names.txt")

HEAD = """# Names and pairs as firmware_bridge/facts/names.py decides; made by: python -m tests.facts.decided_names
# kind, name or both names; what a name of a person, of a table, or a pair is
"""

CHINESE = product("陳李黃張林王吳劉蔡歐陽", ("大文", "嘉欣", "志明", "美玲", "家輝", "俊傑"))
PORTUGUESE = product(
    ("João", "Ângela", "Luís", "Conceição", "António", "Inês", "Zélia", "Gonçalo", "Fátima", "Mário"),
    (" da Silva", " Gonçalves", " Simões", " d'Assumpção", " Guimarães-Sá"),
)
VIETNAMESE = product(
    ("Nguyễn", "Trần", "Lê", "Phạm", "Huỳnh", "Võ", "Đặng", "Bùi", "Đỗ", "Hồ"),
    (" Văn An", " Thị Hương", " Quốc Bảo", " Thùy Dương", " Đức Hạnh"),
)
ARABIC = product(
    ("محمد", "أحمد", "فاطمة", "يوسف", "عائشة", "خالد", "مريم", "عبد الله"),
    (" الهاشمي", " بن علي", " المصري", " الخوري", " السيّد"),
)
JAPANESE = product(
    ("田中", "佐々木", "鈴木", "高橋", "髙橋", "サトウ", "いがらし", "渡辺"),
    ("さくら", "\u3000健太", "ユウコ", " 翔", "・みなみ"),
)
KOREAN = product("김이박최정강", ("철수", "영희", "민준", "서연", " 지훈"))
THAI = product(("สมชาย", "สุดา", "วิชัย", "มาลี", "น้ำฝน"), (" ใจดี", " ศรีสุข", " วงศ์ทอง", " แก้วมณี"))
MIXED = (
    *("VIP廳", "陳Peter", "Peter陳", "VIP3廳", "李Amy 2", "김Peter", "サトウKen", "田中Ken", "林ちゃん", "ㄅㄆA"),
    *("Tシャツ", "Anna Иванова", "Иван Ng", "O'Neil", "O’Brien", "J. R. (Pit 3)", "ANNE-MARIE", "Keyes", "F. Key"),
    *("Key Lee", "key tan", "KEY, Ellen", "Key J. Lee", "Key 陳"),
    *("Shoemaker", "Dealers", "Kasino №7", "Ελένη", "Ольга", "Արամ", "דוד", "नेहा", "ნინო", "Straße", "Ænæs", "Łukasz"),
)
ALLOWED = {
    **dict.fromkeys(map("".join, CHINESE), "Chinese"),
    **dict.fromkeys(map("".join, PORTUGUESE), "Portuguese"),
    **dict.fromkeys(map("".join, VIETNAMESE), "Vietnamese"),
    **dict.fromkeys(map("".join, ARABIC), "Arabic"),
    **dict.fromkeys(map("".join, JAPANESE), "Japanese"),
    **dict.fromkeys(map("".join, KOREAN), "Korean"),
    **dict.fromkeys(map("".join, THAI), "Thai"),
    **dict.fromkeys(MIXED, "mixed"),
}
"""Name -> language, of names that everybody may have."""

INVISIBLE = (
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2064\u2066\u206a\u3164",
    *"\ufe00\ufe0f\ufeff\uffa0\ufff9\U0001d173\U000e0001\U000e0041\U000e0100\u2800\u2009\u00a0",
)
CYRILLIC = str.maketrans("acehijopsxyABCEHIJKMOPSTX", "асеһіјорѕхуАВСЕНІЈКМОРЅТХ")
GREEK = str.maketrans("ABEHIKMNOPTXYZ", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")
IN_CYRILLIC = (
    *("Jessica", "Sasha", "Joe", "Sophie", "Josie", "Jose", "Asia", "Chase", "Isaac", "Hope", "Joyce", "Cassie", "Ace"),
    *("Pia", "Pepe", "Sax", "Cosy", "Ayasha", "Oscap", "Jo 3", "THOM", "KATE", "BOB", "MAX", "T10", "AI", "Al"),
    *("Joseph", "Eva 3", "Jack", "Mischa", "Pat"),
)
IN_GREEK = ("ANNA", "TINA", "EMMA", "KATE", "BOB", "MAX", "ANTON", "MIA", "TONI", "ZOE", "KIM", "HEIKO", "ABBY")
KANA = "ニ二カ力エ工タ夕ト卜ハ八ロ口"
IN_KANA = (*map("".join, product(KANA[::2], "ニロ")), "ラーメン")
SIGNS = (("O'Neil", "O’Neil"), ("Ann-Lee", "Ann‐Lee"), ("A/B", "A∕B"), ("J.R.", "J․R."), ("Bo:1", "Bo∶1"))
FOLDED = ("Anna", "Łukasz", "陳Peter", "João", "Zoé", "Đặng", "VIP3")
RESERVED = (
    *("key/page", "Key/page", "KEY / pit", "key\u2215page", "key\u2044page", "ｋｅｙ／page", "kеy/page", "key/"),
    *("backend", "BACKEND", "Back End", "bасkend", "root", "Root", "rοot", "dealer's keypad"),
    *(
        "Dealer’s Keypad",
        "keypad",
        "keypad 3",
        "Keypad S1",
        "key 5",
        "key NEXT",
        "key",
        "Key",
        "key S1.H",
        "key lot=2",
        "Key Next",
        "kеy next",
        "Keypad Lee",
    ),
    *("key5", "KeypadS1", "key\u2006 5", "key\u200b/page"),
)
WITHIN_LATIN = (
    *(("Marnie", "Mamie"), ("Al", "AI"), ("T10", "T1O"), ("Vivian", "VVivian"), ("Clara", "dara"), ("Bo0", "BoO")),
    *(("VIP陳", "VlP陳"), ("Jose", "José"), ("Thi", "Thị"), ("陳大文", "陈大文"), ("高橋", "髙橋"), ("Zoe", "Zoë")),
)
"""Pairs that are two people, and two tables."""


def pairs() -> Iterator[tuple[str, str]]:
    """Pairs that look alike."""
    for number, sign in enumerate(INVISIBLE):
        for name in (("Anna", "陳大文"), ("João", "T10"))[number % 2]:
            yield name, name[:1] + sign + name[1:]
    for name in IN_CYRILLIC:
        yield name, name.translate(CYRILLIC)
        yield name, name[0].translate(CYRILLIC) + name[1:]
    for name in IN_GREEK:
        yield name, name.translate(GREEK)
        yield name, name[:-1] + name[-1].translate(GREEK)
    in_han = str.maketrans(KANA[::2] + "ー", KANA[1::2] + "一")
    for name in IN_KANA:
        yield name, name.translate(in_han)
        yield name, name[0] + name[1:].translate(in_han)
    for name in FOLDED:
        yield name, name.swapcase()
        yield name, "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in name)
        yield name, f" {name[:1]}\u3000{name[1:]}"
    yield from SIGNS


def table() -> Iterator[str]:
    """The rows, in ASCII."""
    for name, kind in ALLOWED.items():
        yield _row(kind, name, "", _of(name))
    for name in RESERVED:
        yield _row("reserved", name, "", _of(name))
    for one, other in pairs():
        yield _row("alike", one, other, _pair(one, other))
    for one, other in WITHIN_LATIN:
        yield _row("other letters", one, other, _pair(one, other))


def _row(kind: str, one: str, other: str, decided: str) -> str:
    names = f"{_shown(one)} | {_shown(other)}" if other else _shown(one)
    return f"{kind}: {names}: {decided}\n"


def _shown(name: str) -> str:
    """Letters of ASCII and blanks as they are, others by their numbers beside the name where it is seen."""
    plain = name.encode("unicode_escape").decode()
    return name if name.isascii() else f"{name} ({plain})" if name.isprintable() and not unfit_word(name, 64) else plain


def _of(name: str) -> str:
    person, word = unfit(name, 64), unfit_word(name, 64)
    return f"person {person or 'allowed'}, table {word or 'allowed'}"


def _pair(one: str, other: str) -> str:
    return f"{'one person' if one_person(one, other) else 'two people'}; the second: {_of(other)}"


if __name__ == "__main__":
    FILE.write_text(HEAD + "".join(table()), "utf-8")
