"""Reads the shipped documents by chapters and rows of tables."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import firmware_bridge

_CODE: Final = re.compile(r"`([^`]+)`")
_CELL: Final = re.compile(r"(?<!\\)\|")
_RULE: Final = re.compile(r"[|\-: ]+")


class Chapter(NamedTuple):
    """Heading of a document with the text below it, smaller headings included."""

    document: str
    title: str
    text: str


class Row(NamedTuple):
    """Row of a table: label -> cell, and its chapter."""

    chapter: Chapter
    cells: dict[str, str]

    @property
    def names(self) -> list[str]:
        """What it is about: the words in backticks in its first cell."""
        return _CODE.findall(next(iter(self.cells.values())))


def shipped(file: str) -> Path:
    """Return the path of a document: beside the installed package, or in the source tree."""
    package = Path(firmware_bridge.__file__).parent
    places = [folder / file for folder in (package / "docs", package.parent / "docs", package.parent)]
    return next((path for path in places if path.exists()), places[0])


def chapters_of(document: str, text: str) -> Iterator[Chapter]:
    """Yield the chapters of a document, in order. text: its Markdown."""
    heads = [(match.start(), len(match[1]), match[2]) for match in re.finditer(r"^(##+) (.+)$", text, re.M)]
    for n, (start, depth, title) in enumerate(heads):
        end = next((at for at, other, _ in heads[n + 1 :] if other <= depth), len(text))
        yield Chapter(document, title.replace("`", ""), text[start:end].strip())


def rows_of(chapter: Chapter) -> Iterator[Row]:
    """Yield the rows of the tables of a chapter itself, without those of smaller chapters in it."""
    own = re.split(r"^###* ", chapter.text.split("\n", 1)[-1], maxsplit=1, flags=re.M)[0]
    labels: list[str] = []
    for line in own.splitlines():
        if not line.startswith("|"):
            labels = []
            continue
        found = cells(line)
        if not labels:
            labels = found
        elif not is_rule(line):
            yield Row(chapter, dict(zip(labels, found, strict=False)))


def cells(line: str) -> list[str]:
    """Return the cells of a line of a table."""
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip().strip("|"))]


def is_rule(line: str) -> bool:
    """Return whether a line of a table is the one below its labels."""
    return bool(_RULE.fullmatch(line))
