from pathlib import Path

import pytest

from firmware_bridge.cards import Card
from firmware_bridge.codes import Known, load
from firmware_bridge.errors import ConfigError

BOOK = {"A17": Known(Card("As")), "B2": Known(Card("Td")), "Z": Known(None)}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("book.csv", b"A17,As\nB2,Td\nZ,cut\n"),
        ("book.csv", b"code,card,serial\r\nA17,As,0001\r\n\r\n B2 , Td \r\nZ,cut,\r\n,,\r\n"),
        ("book.csv", b"\xef\xbb\xbfA17,As\nB2,Td\nZ,cut\n"),
        ("book.csv", b"\xef\xbb\xbfcode,card\nA17,As\nB2,Td\nZ,cut\n"),
        ("book.toml", b'A17 = "As"\nB2 = "Td"\nZ = "cut"\n'),
    ],
)
def test_a_book_as_people_save_it(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert load(tmp_path / name) == BOOK


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("A17,As\nB2;Td\n", ["line 2: '' is no card"]),
        ("A17,As\nB2\nZ,cut\n", ["line 2: '' is no card"]),
        ("A17,as\nA17,As\nA17,Td\n", ["line 1: 'as' is no card", "line 3: code 'A17' is there twice"]),
    ],
)
def test_every_wrong_line_is_told(tmp_path: Path, content: str, told: list[str]) -> None:
    book = tmp_path / "book.csv"
    book.write_text(content)
    with pytest.raises(ConfigError) as raised:
        load(book)
    lines = raised.value.what.split("\n")
    assert [line.removeprefix(f"{book}, ")[: len(each)] for line, each in zip(lines, told, strict=True)] == told
