"""The words of the code: no nicknames in names, and no riddles in docstrings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = tuple(sorted(path for room in ("firmware_bridge", "hardware") for path in (ROOT / room).rglob("*.py")))

RETIRED: Final = {
    "told": "message, payload, result, text, line: what the value is",
    "tell": "report, publish, describe, notify",
    "tells": "report, publish, describe, notify",
    "telling": "reporting, publishing",
    "foretell": "precompute",
    "foretold": "precomputed",
    "said": "text, published, reply",
    "hear": "handle, on_message, receive",
    "obey": "execute, handle",
    "knows": "has",
    "anew": "again, reconnect, restart",
    "meanwhile": "a name of what happens",
    "whoever": "owner, user, client",
    "nobody": "none, unclaimed",
    "somebody": "owner, user, client",
    "whose": "owner",
    "lent": "leased",
    "lend": "lease",
    "lends": "leases",
    "lending": "lease, leasing",
    "lendable": "leasable",
    "twin": "duplicate, client_id_conflict",
    "twins": "duplicates, client_id_conflict",
    "namesake": "client_id_conflict",
    "namesakes": "client_id_conflict",
    "mishap": "fault, fault_injection",
    "mishaps": "faults, fault_injection",
    "props": "fixtures",
    "grown": "appended, an append-only sequence",
    "knock": "request, probe",
    "knocks": "requests, probes",
    "knocked": "requested, probed",
    "apart": "detached, interval",
    "mouth": "exit_sensor",
    "felt": "table_widget",
    "sight": "screen_model",
    "crosswise": "validate",
    "boots": "restart_limiter",
    "stamps": "clock",
    "desk": "order_service",
}
"""Part of a name -> the field's words for it."""

ALLOWED: Final = {
    ("felt", "firmware_bridge/games/blackjack/"): "the cloth of a blackjack table is called so",
    ("lent", "firmware_bridge/facts/"): "ReaderLent and `lent`: an event and a field of the wire",
    ("said", "firmware_bridge/facts/"): "ReaderSaid: an input of the journal",
    ("boots", "firmware_bridge/client/testing.py"): "the ids of a table's boots, a documented field",
    ("boots", "firmware_bridge/floor/page/guest/fold.py"): "ids of the boots of a table: what the word means",
}
"""Part of a name and where it may stand -> why."""

DOCUMENTED_TAKE: Final = ("firmware_bridge/client/ledger.py", "firmware_bridge/client/commitments.py")
"""Where a method may be called `take`: `Events`, `Rounds` and `Verifier` of the documented interface."""

TOLD: Final = 40
"""Uses of `told` in all of the source, strings and comments included."""

RIDDLE: Final = re.compile(r"\b(\w*told|whoever|nobody|whose|anew|meanwhile|is to be|has it)\b", re.IGNORECASE)


def parts(name: str) -> list[str]:
    """The words of a name, split at `_` and at capitals, in small letters."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives: to functions, classes, values, parameters, attributes and imports."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Every docstring of a module, those under values and fields too."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


def retired(name: str, path: str) -> list[str]:
    """The retired words in a name of a file, except those allowed there."""
    found = [word for word in parts(name) if word in RETIRED]
    return [word for word in found if not any(word == each and path.startswith(where) for each, where in ALLOWED)]


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in SOURCES}


def test_no_module_has_a_nickname(modules: dict[str, ast.Module]) -> None:
    found = {path: retired(path.removesuffix(".py"), path) for path in modules}
    assert {path: words for path, words in found.items() if words} == {}


def test_no_name_is_a_nickname(modules: dict[str, ast.Module]) -> None:
    found = {
        f"{path}: {name}": [RETIRED[word] for word in words]
        for path, tree in modules.items()
        for name in names(tree)
        if (words := retired(name, path))
    }
    assert found == {}


def test_every_exception_is_needed(modules: dict[str, ast.Module]) -> None:
    used = {
        (word, where)
        for path, tree in modules.items()
        for name in (*names(tree), path.removesuffix(".py"))
        for word, where in ALLOWED
        if word in parts(name) and path.startswith(where)
    }
    assert used == set(ALLOWED)


def test_only_the_documented_interface_takes(modules: dict[str, ast.Module]) -> None:
    assert {path for path, tree in modules.items() if "take" in names(tree)} == set(DOCUMENTED_TAKE)


def test_told_is_a_word_of_prose() -> None:
    assert sum(len(re.findall(r"\btold\b", path.read_text("utf-8"))) for path in SOURCES) <= TOLD


def test_no_docstring_is_a_riddle(modules: dict[str, ast.Module]) -> None:
    found = {
        path: [match[0] for text in docstrings(tree) for match in RIDDLE.finditer(text)]
        for path, tree in modules.items()
    }
    assert {path: riddles for path, riddles in found.items() if riddles} == {}
