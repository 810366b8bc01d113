"""No module compares a text of the wire that people read: what it says stands beside it, as a code and values."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import firmware_bridge

ROOT: Final = Path(firmware_bridge.__file__).parent

TEXTS: Final = frozenset(["detail", "error", "hint", "todo", "why"])
"""Fields of messages, states and answers that people read."""

METHODS: Final = frozenset(["startswith", "endswith", "removeprefix", "removesuffix", "partition", "split", "find"])

PATTERNS: Final = frozenset(["match", "search", "fullmatch", "sub", "findall"])

KNOWN: Final = Counter(
    {
        "client/batches.py": 1,  # of a table before codes
        "shoe/evolve.py": 1,
    }
)
"""File -> places that still compare one. It may only shrink."""


def field(node: ast.expr) -> str:
    """The field that an expression reads: `answer.error`, `answer["error"]`, `answer.get("error")`; "" for none."""
    match node:
        case ast.Attribute(attr=name):
            return name if name in TEXTS else ""
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name if name in TEXTS else ""
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name if name in TEXTS else ""
        case ast.BoolOp(values=[first, *_]):
            return field(first)
    return ""


def is_a_text(node: ast.expr) -> bool:
    """Whether an expression is a sentence, or the name of a constant that may be one; None and "" are none."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str) and value != ""
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
    return False


def compared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines in which a text is compared, and its field."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others) if not all(
                isinstance(each, ast.Is | ast.IsNot)
                for each in ops  # of objects, not of what they say
            ):
                for one, other in ((left, others), *((each, [left]) for each in others)):
                    if (name := field(one)) and any(map(is_a_text, other)):
                        yield node.lineno, name
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in METHODS:
                if name := field(value):
                    yield node.lineno, name
            case ast.Call(func=ast.Attribute(attr=method), args=args) if method in PATTERNS:
                yield from ((node.lineno, name) for each in args if (name := field(each)))


def places() -> Counter[str]:
    found = Counter[str]()
    for path in sorted(ROOT.rglob("*.py")):
        lines = {line for line, _ in compared(ast.parse(path.read_text()))}
        found[str(path.relative_to(ROOT))] += len(lines)
    return +found


def test_no_module_compares_a_text_of_the_wire() -> None:
    assert places() == KNOWN, "a code beside the text says it; where one place went, take it off the list"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('answer.error == "no round is open"', 1),
        ('"not here" in (answer.error or "")', 1),
        ('answer.get("hint") != HINT', 1),
        ('alarm["todo"].startswith("the reader")', 1),
        ('re.match("x", event.detail)', 1),
        ("answer.error is None", 0),
        ('answer.error == ""', 0),
        ('answer.code == "no_round"', 0),
    ],
)
def test_what_compares_is_found(source: str, count: int) -> None:
    assert len(list(compared(ast.parse(source)))) == count


IN_SQL: Final = re.compile(r"\b(detail|error|hint|todo|why)\s*(=|in|like|<>)\s*\(?\s*'\w")


def test_no_statement_of_the_store_asks_for_a_text_of_the_wire() -> None:
    sources = {path.name: path.read_text() for path in (ROOT / "floor" / "store").glob("*.py")}
    assert [name for name, source in sources.items() if IN_SQL.search(source)] == []
