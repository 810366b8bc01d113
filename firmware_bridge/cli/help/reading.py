"""Turns a shipped document into lines to read on a terminal: no Markdown, a table row by row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from firmware_bridge.config.documents import cells, is_rule

SHORT: Final = 20
"""Longest first cell of a table with two columns that stands beside the second one."""

HEADING: Final = re.compile(r"(#+) (.+)")
_FENCED: Final = re.compile(r"^```.*?^```$", re.M | re.S)
_ITEM: Final = re.compile(r" *(?:[-*]|\d+\.) ")
_INLINE: Final = re.compile(
    r"!\[(?P<image>[^]]*)]\([^)]*\)|\[(?P<link>(?:[^][]|\[[^]]*])+)]\((?P<url>[^)]*)\)|\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`"
)


def inline(markdown: str) -> Text:
    """Return a text without the signs of Markdown; an address on the web stays beside its link."""
    text, at = Text(), 0
    for found in _INLINE.finditer(markdown):
        text.append(markdown[at : found.start()])
        at = found.end()
        if found["image"] is not None:
            text.append(f"(picture: {found['image']})")
        elif found["link"]:
            text.append_text(inline(found["link"]))
            text.append(f" ({found['url']})" if found["url"].startswith("http") else "")
        elif found["bold"]:
            bold = inline(found["bold"])
            bold.stylize("bold")
            text.append_text(bold)
        else:
            text.append(found["code"], "cyan")
    return text.append(markdown[at:])


def row_lines(row: Mapping[str, str]) -> Iterator[Text]:
    """Yield a row of a table, a line for each label and its cell."""
    labels = {label: inline(label).plain for label in row}
    width = max(map(len, labels.values())) + 3
    for label, cell in row.items():
        if cell or len(row) == 1:
            yield Text.assemble((f"  {labels[label] + ':':<{width}}", "dim"), inline(cell))


def readable(markdown: str) -> Iterator[Text]:
    """Yield the lines of a document: a paragraph is one line, wrapped where it is shown. Its headings stand on top."""
    prose = _FENCED.sub("", markdown)
    headings = [found[2] for line in prose.splitlines() if (found := HEADING.fullmatch(line))]
    is_code = False
    lines: list[str] = []
    yield from _contents(headings[1:])
    for line in markdown.splitlines():
        if line.startswith("```"):
            yield from _block(lines)
            lines, is_code = [], not is_code
            if not is_code:
                yield Text()
        elif is_code:
            yield Text(f"    {line}", "cyan")
        elif not line.strip():
            yield from _block(lines)
            lines = []
        elif lines and _begins(line, lines):
            yield from _block(lines, is_last=False)
            lines = [line]
        else:
            lines.append(line)
    yield from _block(lines)


def _contents(headings: Sequence[str]) -> Iterator[Text]:
    if len(headings) > 1:
        yield Text.assemble(("Contents: ", "dim"), " · ".join([inline(each).plain for each in headings]))
        yield Text()


def _begins(line: str, before: Sequence[str]) -> bool:
    """Return whether a line begins a block of its own behind other lines."""
    return bool(_ITEM.match(line)) or line.startswith("|") != before[0].startswith("|") or line.startswith("#")


def _block(lines: Sequence[str], is_last: bool = True) -> Iterator[Text]:
    """Yield the lines of a block; a blank one behind it, unless another item of the same list follows."""
    if not lines:
        return
    if heading := HEADING.fullmatch(lines[0]):
        title = inline(heading[2])
        title.stylize("bold")
        yield Text(title.plain.upper(), "bold") if len(heading[1]) < 3 else title
    elif lines[0].startswith("|"):
        yield from _table(lines)
        return
    elif lines[0].startswith("    ") and not _ITEM.match(lines[0]):
        yield from [Text(line, "cyan") for line in lines]
    elif item := _ITEM.match(lines[0]):
        words = " ".join([lines[0][item.end() :], *[line.strip() for line in lines[1:]]])
        yield Text.assemble(item[0], inline(words))
        if not is_last:
            return
    else:
        yield inline(" ".join(line.strip() for line in lines))
    yield Text()


def _table(lines: Sequence[str]) -> Iterator[Text]:
    """Yield a table's rows, all in one shape: beside each other if the first cells are short, else by their labels."""
    labels, *rows = [cells(line) for line in lines if not is_rule(line)]
    if len(labels) == 2 and all(inline(row[0]).cell_len <= SHORT for row in rows):
        for row in rows:
            first = inline(row[0])
            yield Text.assemble("  ", first, " " * (SHORT + 2 - first.cell_len), inline(" | ".join(row[1:])))
        yield Text()
        return
    for row in rows:
        yield from row_lines(dict(zip(labels, row, strict=False)))
        yield Text()
