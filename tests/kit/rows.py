"""A table as one case: like `parametrize`, but only a row that fails costs a report, as a subtest of its own name.

A case costs 4 ms on its way between a worker and its controller, and time in each worker when tests are collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any

import pytest

Test = Callable[..., None]
Rows = list[tuple[str, dict[str, Any]]]
"""The name of each row, and the values of its arguments."""

REPORTED = (Exception, pytest.fail.Exception, pytest.skip.Exception)


@contextmanager
def row(subtests: pytest.Subtests, name: str) -> Iterator[None]:
    """A subtest of this name where the block fails, and then the next row; nothing where it passes."""
    __tracebackhide__ = True
    try:
        yield
    except REPORTED:
        with subtests.test(name):
            raise


def each_row(
    names: str | Sequence[str],
    rows: Iterable[Any] | Callable[[], Iterable[Any]],
    ids: Callable[[Any], str] | Iterable[object] | None = None,
    by: Callable[[str], str] | None = None,
) -> Callable[[Test], Test]:
    """Runs a test with each row, all in one case; two of them, one above the other, with each pair of rows.

    Arguments are those of `parametrize`, and a row has the name that its case would have. `rows` may be a function,
    which is called when the test runs. `by` makes a case of all rows whose names give the same text; it calls `rows`
    at collection. Other fixtures are the same for all rows of a case.
    """
    arguments = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)

    def wrapped(test: Test) -> Test:
        inner: Test = getattr(test, "test_of_a_row", test)
        below: Callable[[], Rows] = getattr(test, "rows", lambda: [("", {})])

        @cache
        def all_rows() -> Rows:
            own = _named(arguments, list(rows() if callable(rows) else rows), ids)
            return [("-".join(filter(None, (a, b))), x | y) for a, x in below() for b, y in own]

        @wraps(inner)
        def run(*self: Any, subtests: pytest.Subtests, section: str | None = None, **fixtures: Any) -> None:
            __tracebackhide__ = True
            chosen = [each for each in all_rows() if section is None or by is None or by(each[0]) == section]
            assert chosen, "a table without rows"
            for name, values in chosen:
                with row(subtests, name):
                    inner(*self, **fixtures, **values)

        run.test_of_a_row, run.rows = inner, all_rows  # type: ignore[attr-defined]  # for a decorator above this one
        kept = [each for each in signature(test).parameters.values() if each.name not in (*arguments, "subtests")]
        asked = [*kept, *(_asked(name) for name in ("subtests", *(["section"] if by else [])))]
        run.__signature__ = signature(test).replace(parameters=asked)  # type: ignore[attr-defined]  # pytest reads it
        if by is None:
            return run
        return pytest.mark.parametrize("section", dict.fromkeys(by(name) for name, _ in all_rows()))(run)

    return wrapped


def _asked(name: str) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY)


def _named(arguments: list[str], rows: list[Any], ids: Callable[[Any], str] | Iterable[object] | None) -> Rows:
    given = list(ids) if ids is not None and not callable(ids) else None
    found = []
    for n, each in enumerate(rows):
        of_param = each.values if hasattr(each, "marks") else each if len(arguments) > 1 else (each,)
        values = dict(zip(arguments, of_param, strict=True))
        name = getattr(each, "marks", None) is not None and each.id
        if given is not None:
            name = str(given[n])
        elif not name:
            name = "-".join(ids(value) if callable(ids) else _id_of(of, value, n) for of, value in values.items())
        found.append((name, values))
    return found


def _id_of(argument: str, value: object, n: int) -> str:
    """How pytest names a value."""
    if isinstance(value, str | int | float | bytes | None):
        return str(value)
    return str(getattr(value, "__name__", f"{argument}{n}"))
