"""A place in the source by its names: function, text and occurrence, so that it is found after files have moved."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Final

PACKAGES: Final = ("firmware_bridge", "hardware")
SEARCHED: Final = (*PACKAGES, "scripts/tools")
"""Where a place may have moved to."""

ALIKE: Final = 0.5
MARGIN: Final = 0.15
"""Least likeness of a place that was renamed, and least distance to the next."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Edit = tuple[int, int, bytes]
Place = Function | ast.Assign | ast.AnnAssign


class NotFound(LookupError):
    """No such place, or more than one; the text states which."""


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
    """A file, relative to its tree, and a mutation in it. edit: start and end in bytes, and what is there then.

    how: by which of its names it was found.
    """

    path: Path
    edit: Edit
    how: str


@dataclass(frozen=True)
class Found:
    """A place that has the text of a mutation, and its nodes."""

    path: Path
    name: str
    place: Place
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


def mutated(root: Path, mutation: Mutation, before: str = "") -> Mutated:
    """The file of a tree that has the mutation's place, with the mutation in it.

    The qualified name decides where one place has it, or one in the same file. Otherwise, of all places with the text,
    the one that is by far the most like the place `before`, a text of `ast.unparse`. Raises NotFound.
    """
    in_file, anywhere = [root / mutation.file], list(sources(root))
    named: list[Found] = []
    for how, paths in (("by name and file", in_file), ("by name", anywhere)):
        named = list(_having(paths, mutation, mutation.place))
        if len(named) == 1:
            return _mutated(root, named[0], mutation, how)
    have = list(_having(anywhere, mutation))
    by_likeness = sorted(((_likeness(before, each.place), each) for each in have), key=lambda pair: -pair[0])
    [(best, found_place), (second, _), *_] = [*by_likeness, (0.0, None), (0.0, None)]
    if found_place and best >= ALIKE and best - second >= MARGIN:
        return _mutated(root, found_place, mutation, f"{found_place.name}, alike by {best:.2f}")
    if several := named or [each for each in have if each.name.rpartition(".")[2] == mutation.place.rpartition(".")[2]]:
        raise NotFound("ambiguous: " + ", ".join(f"{each.path.relative_to(root)}:{each.name}" for each in several[:6]))
    raise NotFound("place is gone")


def text_of(source: str, name: str) -> str:
    """A place of a module as `ast.unparse` writes it; empty if there is none."""
    return next((ast.unparse(place) for each, place in places(ast.parse(source)) if each == name), "")


def _likeness(before: str, place: Place) -> float:
    """How much of two texts is the same: 0 to 1."""
    return SequenceMatcher(None, before.split(), ast.unparse(place).split(), autojunk=False).ratio()


def _having(paths: Iterable[Path], mutation: Mutation, place_name: str = "") -> Iterator[Found]:
    """The places that have the text of a mutation, and this name if one is given; texts are compared last."""
    for path in paths:
        for name, place in _places_of(path):
            if place_name in ("", name) and mutation.was in _texts(place):
                nodes = equals(place, mutation.was, is_statement=mutation.is_statement)
                if nodes:
                    yield Found(path, name, place, nodes)


@cache
def _places_of(path: Path) -> list[tuple[str, Place]]:
    return list(places(ast.parse(path.read_bytes()))) if path.exists() else []


@cache
def _texts(place: Place) -> frozenset[str]:
    return frozenset(ast.unparse(node) for node, _ in inside(place) if isinstance(node, ast.expr | ast.stmt))


def edited(text: bytes, *edits: Edit) -> bytes:
    """A text with some edits, none of which overlaps another."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    ast.parse(text)
    return text


def _mutated(root: Path, found: Found, mutation: Mutation, how: str) -> Mutated:
    exact = mutation.occurrence < len(found.nodes)
    node = found.nodes[mutation.occurrence if exact else -1]
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = found.path.read_bytes().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    new = mutation.becomes if mutation.is_statement else f"({mutation.becomes})"
    path = found.path.relative_to(root)
    return Mutated(path=path, edit=(start, end, new.encode()), how=how if exact else f"{how}, last one")
