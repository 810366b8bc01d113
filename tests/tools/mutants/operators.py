"""What a mutation does: an operator takes a node and its parent; it returns what becomes of it, or None.

Left out because no test could notice, or every test would: texts, logs, annotations, decorators, assertions, arguments
of an exception, durations, sizes of buffers, sums of texts, swapped arguments of `isinstance` and its like.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable
from typing import Final

from tests.tools.mutants.places import Function

Operator = Callable[[ast.AST, ast.AST], ast.AST | None]

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
UNSEEN_KEYWORD: Final = re.compile(
    r"timeout|indent|exist_ok|missing_ok|daemon|slots|frozen|check|text|parents|maxlen|limit|errors|encoding|flush"
    r"|repr|eq|ensure_ascii|kw_only|forbid_unknown_fields|follow_symlinks|return_exceptions|capture|reuse|strict"
)
DURATION: Final = re.compile(r"_(S|MS|US|NS|HZ|BYTES|KIB|MIB|MB|PX)$")
NOT_SWAPPED: Final = {
    *("isinstance", "issubclass", "getattr", "setattr", "hasattr", "max", "min", "zip", "gather", "cast"),
}


def comparison_swapped(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return None
    return ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)


def constant_off_by_one(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= 60
    is_unit = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult | ast.Div | ast.LShift | ast.Pow)
    is_shown = isinstance(parent, ast.Call) and _called(parent) in {"round", "sleep", "exit", "recv", "read", "wait"}
    if not is_number or is_unit or is_shown:
        return None
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return ast.Constant(node.value + 1)


def condition_negated(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    is_condition = isinstance(parent, ast.If | ast.IfExp) and node is parent.test
    is_filter = isinstance(parent, ast.comprehension) and node in parent.ifs
    is_other = isinstance(node, ast.Compare | ast.NamedExpr)
    if not isinstance(node, ast.expr) or not (is_condition or is_filter) or is_other:
        return None
    return node.operand if isinstance(node, ast.UnaryOp) else ast.UnaryOp(ast.Not(), node)


def and_or(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.BoolOp):
        return None
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def call_dropped(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    match node:
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            return ast.Pass()
    return None


def returns_none(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    match node:
        case ast.Return(value=ast.Constant() | None):
            return None
        case ast.Return():
            return ast.Return(ast.Constant(None))
    return None


def returns_early(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if not isinstance(parent, Function) or not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        return None
    returns_nothing = isinstance(parent.returns, ast.Constant) and parent.returns.value is None
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not returns_nothing or is_text or node is parent.body[-1] or parent.name == "__init__":
        return None
    return ast.Return()


def plus_minus(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.BinOp | ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub):
        return None
    texts = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
    for each in ast.walk(node):
        if isinstance(each, texts) or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes)):
            return None
    other = copy.copy(node)
    other.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    return other


def true_false(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return None


def element_removed(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    match node, parent:
        case ast.Set(), _:
            pass
        case ast.Tuple() | ast.List(), ast.Compare(ops=[ast.In() | ast.NotIn()]):
            pass
        case ast.Tuple() | ast.List(), ast.For() | ast.comprehension() if node is parent.iter:
            pass
        case ast.Tuple() | ast.List(), ast.Dict():
            pass
        case _:
            return None
    assert isinstance(node, ast.Set | ast.Tuple | ast.List)
    if len(node.elts) < 2 or any(isinstance(each, ast.Starred) for each in node.elts):
        return None
    other = copy.copy(node)
    other.elts = node.elts[:-1]
    return other


def arguments_swapped(node: ast.AST, parent: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Call) or len(node.args) < 2 or _called(node) in NOT_SWAPPED:
        return None
    first, second, *rest = node.args
    named = ast.Name | ast.Attribute
    if not (isinstance(first, named) and isinstance(second, named)) or ast.unparse(first) == ast.unparse(second):
        return None
    return ast.Call(node.func, [second, first, *rest], node.keywords)


OPERATORS: Final[dict[str, Operator]] = {
    "comparison swapped": comparison_swapped,
    "constant off by one": constant_off_by_one,
    "condition negated": condition_negated,
    "and or": and_or,
    "call dropped": call_dropped,
    "returns None": returns_none,
    "returns early": returns_early,
    "plus minus": plus_minus,
    "True False": true_false,
    "element removed": element_removed,
    "arguments swapped": arguments_swapped,
}


def is_unseen(node: ast.AST, parent: ast.AST) -> bool:
    """Whether nothing under a node is mutated."""
    match node:
        case ast.Assert() | ast.Raise() | ast.JoinedStr():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logging"))):
            return True
        case ast.Expr(value=value):
            return is_unseen(value, node)
        case ast.keyword(arg=str(name)):
            return bool(UNSEEN_KEYWORD.search(name))
        case ast.Slice():
            return True
    return isinstance(parent, ast.Subscript) and node is parent.slice and isinstance(node, ast.Tuple)


def is_duration(name: str) -> bool:
    return bool(DURATION.search(name))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
