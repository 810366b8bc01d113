"""The words of the code: no nicknames in names, and no riddles in docstrings."""

import ast
import re
from collections.abc import Container, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.kit.sources import tree

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = tuple(sorted(path for room in ("firmware_bridge", "hardware") for path in (ROOT / room).rglob("*.py")))
TESTS: Final = tuple(sorted((ROOT / "tests").rglob("*.py")))

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

MOST_IN_PROSE: Final = 40
"""Uses of `told` in all of the source, strings and comments included."""

REPORTED: Final = frozenset({"told", "foretold"})
"""Parts of no identifier of a test: a value is named by what it is: events, answer, alarms, lines, published."""

RIDDLE: Final = re.compile(r"\b(\w*told|whoever|nobody|whose|anew|meanwhile|is to be|has it)\b", re.IGNORECASE)


@cache
def parts(name: str) -> list[str]:
    """The words of a name, split at `_` and at capitals, in small letters."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


NAMING: Final = {
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler), "name"),
    **dict.fromkeys((ast.MatchAs, ast.MatchStar), "name"),
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.alias: "asname",
    ast.MatchMapping: "rest",
}
"""Kind of node -> its field with the name that it gives; a value or attribute that is only read has another `ctx`."""
STORED: Final = ast.Store()


def names(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives: to functions, classes, values, parameters, attributes and imports."""
    for node in ast.walk(tree):
        field = NAMING.get(type(node))
        if field and isinstance(getattr(node, "ctx", STORED), ast.Store) and (name := getattr(node, field)):
            yield name


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Every identifier of a module, given or read."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name, asname=asname):
                yield from (name, asname or name)
            case _ if isinstance(own := getattr(node, NAMING.get(type(node), ""), None), str):
                yield own


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


Words = dict[Path, frozenset[str]]
"""File -> the words of its text, names among them: a file is parsed only where a word of it could be a wrong name."""


@pytest.fixture(scope="module")
def words() -> Words:
    return {path: frozenset(re.findall(r"\w+", path.read_text("utf-8"))) for path in SOURCES}


def below(path: Path) -> str:
    return str(path.relative_to(ROOT))


def with_part(words: Words, wanted: Container[str]) -> set[str]:
    """All words that have one of the wanted parts."""
    return {each for each in frozenset().union(*words.values()) if any(part in wanted for part in parts(each))}


def given(path: Path, words: Set[str]) -> set[str]:
    """Which of the words are names in a file."""
    return {*names(tree(path))} & words if words else set()


def test_a_word_that_is_a_name_is_found(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text('def told(said): """felt lent."""\nclass Lent: whose = 1\nfrom a import b as anew\nboots()\n')
    assert given(file, {"told", "said", "felt", "lent", "Lent", "whose", "anew", "boots"}) == {
        *("told", "said", "Lent", "whose", "anew"),
    }


def test_no_module_has_a_nickname() -> None:
    found = {path: retired(path.removesuffix(".py"), path) for path in map(below, SOURCES)}
    assert {path: bad for path, bad in found.items() if bad} == {}


def test_no_name_is_a_nickname(words: Words) -> None:
    bad = with_part(words, RETIRED)
    found = {
        f"{below(path)}: {name}": [RETIRED[word] for word in unmet]
        for path, those in words.items()
        for name in given(path, those & bad)
        if (unmet := retired(name, below(path)))
    }
    assert found == {}


def test_every_exception_is_needed(words: Words) -> None:
    used = {
        (word, where)
        for word, where in ALLOWED
        for path, those in words.items()
        if below(path).startswith(where)
        if word in parts(below(path).removesuffix(".py"))
        or given(path, {each for each in those if word in parts(each)})
    }
    assert used == set(ALLOWED)


def reported(path: Path) -> list[str]:
    """The identifiers of a file that have a part of `REPORTED`."""
    if "told" not in path.read_text("utf-8").lower():
        return []  # most files: to read a text is cheap, to parse it is not
    return sorted({name for name in identifiers(tree(path)) if not REPORTED.isdisjoint(parts(name))})


def test_an_identifier_of_a_test_is_found_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import told_a.b\nfrom a import told_b, told_c as told_d\nclass Told:\n    foretold = 1\n"
        "def is_told(told_e, *, _told, **told_f): 'told'  # told\n"
        "TOLD = f(told_g=a.told_h, b=lambda told_i: f'{told_j}')\n"
        "match a:\n    case {'told': told_k, **told_l} | [told_m, *told_n] as told_o: stolid = untold = 'told'\n"
        "try: pass\nexcept E as told_p: pass\n"
        "def test_it_is_told(): pass\n"
    )
    single = {f"told_{each}" for each in "bcdefghijklmnop"}
    assert {*reported(file)} == {"told_a.b", "Told", "foretold", "is_told", "_told", "TOLD", "test_it_is_told", *single}


def test_no_identifier_of_a_test_says_that_something_was_reported() -> None:
    assert {below(path): found for path in TESTS if (found := reported(path))} == {}


def test_only_the_documented_interface_takes(words: Words) -> None:
    assert {below(path) for path, those in words.items() if given(path, those & {"take"})} == set(DOCUMENTED_TAKE)


def test_the_word_for_what_was_reported_is_one_of_prose() -> None:
    assert sum(len(re.findall(r"\btold\b", path.read_text("utf-8"))) for path in SOURCES) <= MOST_IN_PROSE


def test_no_docstring_is_a_riddle() -> None:
    suspects = [path for path in SOURCES if RIDDLE.search(path.read_text("utf-8"))]
    found = {
        below(path): [match[0] for text in docstrings(tree(path)) for match in RIDDLE.finditer(text)]
        for path in suspects
    }
    assert {path: riddles for path, riddles in found.items() if riddles} == {}
