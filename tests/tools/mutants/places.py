"""A place in the source by its names: function, text and occurrence, so that it is found after files have moved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

PACKAGES: Final = ("firmware_bridge", "hardware")
SEARCHED: Final = (*PACKAGES, "tests/tools")
"""Where a place may have moved to."""

LONG: Final = 20
"""Characters from which a text is its own name."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = Function | ast.Assign | ast.AnnAssign


class NotFound(LookupError):
    """There is no such place, or more than one; says which."""


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One change of one expression or statement.

    file: at the commit it was picked from. place: `Class.method`, `function.inner`, a constant or a field of a class.
    was, becomes: as `ast.unparse` writes them. occurrence: among equal texts of the place, from 0.
    """

    room: str
    file: str
    place: str
    operator: str
    was: str
    becomes: str
    occurrence: int
    is_statement: bool


@dataclass(frozen=True, kw_only=True)
class Mutated:
    """A file with one mutation in it. how: by which of its names it was found."""

    path: Path
    text: bytes
    how: str


@dataclass(frozen=True)
class Found:
    """A place that has the text of a mutation, and its nodes."""

    path: Path
    name: str
    nodes: list[ast.expr | ast.stmt]


def sources(root: Path) -> Iterator[Path]:
    for package in SEARCHED:
        yield from sorted((root / package).rglob("*.py"))


def places(tree: ast.Module) -> Iterator[tuple[str, Place]]:
    """Every function, constant and field of a module, by its qualified name."""
    yield from _places(tree, "")


def _places(owner: ast.AST, prefix: str) -> Iterator[tuple[str, Place]]:
    for node in ast.iter_child_nodes(owner):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name, node
                yield from _places(node, f"{prefix}{name}.")
            case ast.ClassDef(name=name):
                yield from _places(node, f"{prefix}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if isinstance(owner, ast.Module | ast.ClassDef):
                    yield prefix + name, node
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.AsyncWith() | ast.AsyncFor() | ast.While():
                yield from _places(node, prefix)


def inside(place: Place) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Nodes of a place with their parents, in the order of the text; no annotation, decorator, or inner function.

    An f-string is one node: what is in it has no position that can be trusted before Python 3.12.
    """
    if isinstance(place, ast.Assign | ast.AnnAssign):
        if place.value:
            yield from _inside(place.value, place)
        return
    for default in (*place.args.defaults, *place.args.kw_defaults):
        if default:
            yield from _inside(default, place.args)
    for statement in place.body:
        yield from _inside(statement, place)


def _inside(node: ast.AST, parent: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    yield node, parent
    if isinstance(node, ast.JoinedStr):
        return
    for name, value in ast.iter_fields(node):
        if name == "annotation":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inside(child, node)


def equals(place: Place, was: str, *, is_statement: bool) -> list[ast.expr | ast.stmt]:
    """The nodes of a place with one text."""
    kind = ast.stmt if is_statement else ast.expr
    return [node for node, _ in inside(place) if isinstance(node, kind) and ast.unparse(node) == was]


def mutated(root: Path, mutation: Mutation) -> Mutated:
    """The file of a tree that has the mutation's place, with the mutation in it.

    The qualified name decides; the same file, or a file of the same name, where several places have it; then the last
    part of the name, then the text alone, where just one place has it. Raises NotFound.
    """
    last, file = mutation.place.rpartition(".")[2], Path(mutation.file)
    by_name = {
        "by name and file": _having(root, [root / file], mutation, lambda name: name == mutation.place),
        "by name": _having(root, sources(root), mutation, lambda name: name == mutation.place),
        "by last part of name": _having(root, sources(root), mutation, lambda name: name.rpartition(".")[2] == last),
        "by text": _having(root, sources(root), mutation, lambda name: len(mutation.was) >= LONG),
    }
    several: list[Found] = []
    for how, finding in by_name.items():
        found = list(finding)
        same = [each for each in found if each.path.name == file.name]
        for one in (found, same):
            if len(one) == 1:
                return _mutated(one[0], mutation, how)
        several = several or found
    if several:
        raise NotFound("ambiguous: " + ", ".join(f"{each.path.relative_to(root)}:{each.name}" for each in several[:6]))
    raise NotFound("place is gone")


def _having(root: Path, paths: Iterable[Path], mutation: Mutation, is_it: Callable[[str], bool]) -> Iterator[Found]:
    for path in paths:
        for name, place in places(_parsed(path)) if path.exists() else ():
            if is_it(name) and (nodes := equals(place, mutation.was, is_statement=mutation.is_statement)):
                yield Found(path, name, nodes)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _mutated(found: Found, mutation: Mutation, how: str) -> Mutated:
    exact = mutation.occurrence < len(found.nodes)
    node = found.nodes[mutation.occurrence if exact else -1]
    text = _replaced(found.path, node, mutation)
    return Mutated(path=found.path, text=text, how=how if exact else f"{how}, last one")


def _replaced(path: Path, node: ast.expr | ast.stmt, mutation: Mutation) -> bytes:
    lines = path.read_bytes().splitlines(keepends=True)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = b"".join(lines)
    new = mutation.becomes if mutation.is_statement else f"({mutation.becomes})"
    text = whole[:start] + new.encode() + whole[end:]
    ast.parse(text)
    return text
