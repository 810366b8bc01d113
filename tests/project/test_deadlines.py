"""No test has a deadline of its own: what comes late on a busy machine is as right as what comes at once.

`tests.kit.patience` counts the time that the machine gave, and names `HANG_S` for what can count plain time only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parents[1]

CLOCKS: Final = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
NO_LIMITS: Final = ("HANG_S", "HANG_MS", "COUNT_S", "None")
"""What a limit in plain time may be: only what hangs takes so long, or it is taken again."""

AT_ONCE: Final = ("wait", "join", "result", "settimeout", "timeout", "timeout_at", "wait_for_publish")
BEHIND: Final = ("wait_for", "create_connection", "communicate", "acquire")
WAITS: Final = dict.fromkeys(AT_ONCE, 0) | dict.fromkeys(BEHIND, 1)
"""What takes a limit in plain time -> its place among the arguments; or it is called `timeout`."""

CLOCKS_OF_TESTS: Final = {"house", "orders", "watched", "backoff", "mark", "self"}
"""Whose `wait` lets a clock of the test's own jump, or names a limit of pytest's."""

PAUSE_S: Final = 1.0
"""A wait of so long that nothing is made of is a pause, as `stop.wait(0.2)` between two things that are done."""

ALLOWED: Final = {
    "kit/process.py": "a forked program waits as a Popen does",
    "floor/killed_floor.py": "how long it deals until it kills",
    "floor/test_fleet_network.py": "nothing comes through a network that is cut",
    "floor_whole/test_hostile_phone.py": "how long a hostile phone itself has patience",
    "floor_whole/test_rubbish_posted.py": "as many lines as minutes have passed",
    "hil/cable.py": "the clock of a simulated board",
    "hil/people.py": "a program in the emulated machine",
    "mqtt/test_backoff.py": "a clock of its own",
    "mqtt/test_mqtt_mistakes.py": "a pause of the loop",
    "project/test_patience.py": "the limits themselves",
    "soak/": "the minutes that a run may take",
}
"""File, or folder with a slash -> why it may read a clock: nothing fails there by how late it is."""

_CLOCK: Final = rf"(?:{'|'.join(CLOCKS)})\("
_LIMIT: Final = rf"(?!{'|'.join(NO_LIMITS)})(?:\d[\d.]*|[A-Z][A-Z_\d]*)"
SUSPECT: Final = re.compile(
    rf"{_CLOCK}\) [-+<>]|[<>]=? (?:\w+\.)?{_CLOCK}|\.time\(\) \+|timeout=(?:\w+ \* )?{_LIMIT}"
    rf"|[. ](?:{'|'.join(AT_ONCE)})\((?:\d \* )?{_LIMIT}\)|[. ](?:{'|'.join(BEHIND)})\(.*, {_LIMIT}\)"
)
"""What a line has that is parsed: to parse all of them takes ten times as long."""

WORTH: Final = re.compile(rf"{_CLOCK}|timeout|\.time\(\) \+|\.(?:{'|'.join(WAITS)})\(")
"""What a file has that is searched for such lines."""


def deadlines(text: str) -> Iterator[int]:
    """The lines of a program with a deadline in plain time."""
    lines = text.splitlines() if WORTH.search(text) else []
    suspects = [number for number, line in enumerate(lines, 1) if SUSPECT.search(line)]
    for number in suspects:
        try:
            yield from (number for _ in _deadlines(_statement(lines[number - 1])))
        except SyntaxError:  # it is a part of a longer statement
            yield from (each for each in _deadlines(text) if each in suspects)


def _statement(line: str) -> str:
    """A line as a program of its own."""
    line = re.sub(r"^el(?=if )|^async ", "", line.strip())
    return f"{line} pass" if line.endswith(":") else line


def _deadlines(text: str) -> Iterator[int]:
    tree = ast.parse(text)
    pauses = set(_pauses(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Compare() if any(_reads_clock(each) for each in ast.walk(node)):
                yield node.lineno
            case ast.BinOp(left=left, op=ast.Add()) if _reads_clock(left, "time"):
                yield node.lineno
            case ast.Call() if node not in pauses and (limit := _limit(node)) and _is_plain(limit):
                yield node.lineno


def _pauses(tree: ast.AST) -> Iterator[ast.AST]:
    """Short waits of which nothing is made but to go on, or not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.If | ast.While):
            made = node.value if isinstance(node, ast.Expr) else node.test
            made = made.operand if isinstance(made, ast.UnaryOp) else made
            match _limit(made) if isinstance(made, ast.Call) else None:
                case ast.Constant(value=int() | float() as seconds) if seconds <= PAUSE_S:
                    yield made


def _limit(call: ast.Call) -> ast.expr | None:
    """What a call is given to wait for at most; None for none."""
    named = [each.value for each in call.keywords if each.arg == "timeout"]
    if named or not isinstance(call.func, ast.Attribute):
        return named[0] if named else None
    of, place = call.func.value, WAITS.get(call.func.attr)
    if isinstance(of, ast.Constant | ast.JoinedStr):  # words are joined
        return None
    owner = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    if place is None or len(call.args) <= place or owner in CLOCKS_OF_TESTS:
        return None
    return call.args[place]


def _is_plain(limit: ast.expr) -> bool:
    """Whether a limit is a number of seconds; a name in small letters is a parameter, and found where it is given."""
    match limit:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper() and name not in NO_LIMITS
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            return _is_plain(one) or _is_plain(other)
    return False


def _reads_clock(node: ast.AST, *more: str) -> bool:
    if not isinstance(node, ast.Call) or node.args:
        return False
    match node.func:
        case ast.Attribute(value=of, attr=name):
            return name in CLOCKS or (name in more and not (isinstance(of, ast.Name) and of.id == "time"))
        case ast.Name(id=name):
            return name in CLOCKS
    return False


def found() -> dict[str, list[int]]:
    made = {str(path.relative_to(TESTS)): [*deadlines(path.read_text("utf-8"))] for path in TESTS.rglob("*.py")}
    return {name: lines for name, lines in made.items() if lines}


def test_no_test_has_a_deadline_in_plain_time() -> None:
    made = found()
    places = [f"{name}:{line}" for name, lines in made.items() for line in sorted(set(lines)) if not _reason(name)]
    assert places == [], "wait by tests.kit.patience: until, comes, ended, said, run; HANG_S for sockets and locks"
    assert [each for each in ALLOWED if not any(name.startswith(each) for name in made)] == []


def _reason(name: str) -> str:
    return next((why for each, why in ALLOWED.items() if name.startswith(each)), "")


@pytest.mark.parametrize(
    "line",
    [
        "give_up = time.monotonic() + 20",
        "while not done and monotonic() < give_up: pass",
        "assert time.perf_counter() - began < 6",
        "end = loop.time() + LIMIT_S",
        "subprocess.run(command, timeout=5)",
        "assert process.wait(LIMIT_S) == 0",
        "process.wait(30.0)",
        "assert came.wait(0.5)",
        "thread.join(LIMIT_S)",
        "out, _ = process.communicate(timeout=60)",
        "process.communicate(None, 60)",
        "sock.settimeout(5)",
        "asyncio.wait_for(reader.readline(), 20)",
        "with asyncio.timeout(2 * LIMIT_S): pass",
        "socket.create_connection(address, 30)",
        "urlopen(url, timeout=5.0)",
        "sent.wait_for_publish(60)",
        "assert future.result(20) == 0",
    ],
)
def test_a_deadline_is_found(line: str) -> None:
    assert list(deadlines(f"def test() -> None:\n    {line}\n"))[:1] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "until(lambda: done)",
        "house.wait(20)",
        "sock.settimeout(HANG_S)",
        "while not stop.wait(0.1): pass",
        "stop.wait(1.0)",
        "came.wait(HANG_S)",
        "assert abs(time.time() - sent) < 3600",
        "took = monotonic() - began",
        "words = ' '.join(WORDS)",
        "source.receive(100, timeout)",
        "process.wait()",
    ],
)
def test_what_is_no_deadline_is_none(line: str) -> None:
    assert list(deadlines(f"def test() -> None:\n    {line}\n")) == []
