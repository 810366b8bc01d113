"""The shoe, its topics and the games keep nothing between two calls but what `functools` caches of pure functions."""

from __future__ import annotations

import ast
import pkgutil
import sys
from collections.abc import Iterator
from enum import Enum
from functools import _lru_cache_wrapper
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import msgspec
import pytest

import firmware_bridge
from tests.golden.digests import Tape
from tests.golden.play import scenarios
from tests.kit.nightly import some
from tests.kit.rows import each_row

ROOT = Path(firmware_bridge.__file__).parent
PURE = ("shoe", "topics", "games")
FILES = [path for room in PURE for path in sorted((ROOT / room).rglob("*.py"))]
CHANGING = {"append", "extend", "insert", "add", "update", "pop", "popitem", "remove", "discard", "clear", "setdefault"}
"""Methods that change what they are called on."""

PLAIN = {int, float, str, bytes, bool, type(None)}
"""Types of values that hold no other one."""


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Every function and method."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def names_of_module(tree: ast.Module) -> set[str]:
    """The names that a module gives to values of its own."""
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def stored(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement or a call changes: the names in `x[..] = `, `x.y = `, `del x[..]`, `x.append()`."""
    match node:
        case (
            ast.Subscript(ctx=ast.Store() | ast.Del(), value=value)
            | ast.Attribute(ctx=ast.Store() | ast.Del(), value=value)
        ):
            yield value
        case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in CHANGING:
            yield value
        case ast.AugAssign(target=ast.Name() as target):
            yield target


@each_row("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_function_changes_a_value_of_its_module(path: Path) -> None:
    tree = ast.parse(path.read_text())
    own = names_of_module(tree)
    for function in functions(tree):
        local = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
        local |= {
            each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        for node in ast.walk(function):
            assert not isinstance(node, ast.Global), f"{function.name}: {ast.unparse(node)}"
            for value in stored(node):
                assert not (isinstance(value, ast.Name) and value.id in own - local), (
                    f"{function.name} changes {value.id}"
                )


@pytest.mark.parametrize("package", ["firmware_bridge", "hardware"])
def test_no_getter_changes_its_object(package: str) -> None:
    for path in (ROOT.parent / package).rglob("*.py"):
        text = path.read_text()
        for function in functions(ast.parse(text)) if "property" in text else ():
            if any(ast.unparse(each).endswith("property") for each in function.decorator_list):
                changed = [ast.unparse(value) for node in ast.walk(function) for value in stored(node)]
                assert not any(each.startswith("self") for each in changed), f"{path}: {function.name}"


def modules() -> list[ModuleType]:
    """Every module of these rooms, imported."""
    for room in PURE:
        package = import_module(f"firmware_bridge.{room}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(each.name)
    wanted = tuple(f"firmware_bridge.{room}" for room in PURE)
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(wanted)]


def written(value: Any, within: tuple[int, ...] = ()) -> Any:
    """A value as it stands, down to what its functions keep in closures; caches of `functools` are left out."""
    if type(value) in PLAIN:
        return repr(value)
    if id(value) in within:
        return "again"
    within = (*within, id(value))
    match value:
        case _lru_cache_wrapper() | type() | ModuleType() | Enum():
            return id(value)
        case dict():
            return {str(key): written(each, within) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [written(each, within) for each in value]
        case FunctionType():
            cells = [written(cell.cell_contents, within) for cell in value.__closure__ or ()]
            return (id(value), cells, written(value.__dict__, within), written(value.__defaults__, within))
        case msgspec.Struct():
            return {name: written(getattr(value, name), within) for name in value.__struct_fields__}
    if type(value).__module__ == "typing":  # msgspec keeps what it decodes at a Literal
        return repr(value)
    return {"is": repr(value), "has": written(getattr(value, "__dict__", {}), within)}


def standing() -> dict[str, Any]:
    """Every value of every module of these rooms."""
    return {
        f"{module.__name__}.{name}": written(value)
        for module in modules()
        for name, value in vars(module).items()
        if not name.startswith("__")
    }


def test_no_value_of_a_module_changes_while_shoes_are_played() -> None:
    before = standing()
    for play in some([play for n, play in enumerate(scenarios().values()) if n % 12 == 0], 28):
        play(Tape())
    after = standing()
    assert [name for name in after if after[name] != before.get(name)] == []
