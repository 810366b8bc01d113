"""Tries mutations in a copy of a tree: one with chosen tests, or several at once with the whole suite."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.tools.mutants.places import Mutated, edited

TIMEOUT_S: Final = 900.0
"""Longest run of the tests of one place."""

ALONE_S: Final = 240.0
"""Longest run of one test."""

WHOLE_TIMEOUT_S: Final = 3600.0
NOT_FOUND, NONE_RAN = 4, 5
"""Exit codes of pytest: no such test, and no test at all."""

MARK: Final = "MUTANT_RUN"
"""Variable that every process of a run inherits, so that no process outlives it."""

HANGS: Final = re.compile(r"^([^\s:]+\.py::[^\n]+?) $", re.M)
"""A line of `pytest -v` that has no outcome yet."""

FAILED: Final = re.compile(r"^(?:FAILED|ERROR) ([^\s:]+\.py(?:::[^\[\n]+?(?:\[.*?\])?)?)(?: - .*)?$", re.M)


OF_BACK_OFFICE: Final = "tests/floor_whole/"
"""Tests that run in the environment of scripts/test-floor."""


class Copy:
    """A clone of a tree's commit with virtual environments of its own; one mutation in it at a time."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self._from = folder, root
        subprocess.run(["git", "clone", "-q", str(root), str(folder)], check=True)
        self._times = itertools.count(1_000_000_000)

    def python(self, tests: Sequence[str]) -> Path:
        """The interpreter for some tests; its environment is copied when it is wanted first."""
        venv = self.root / (".venv-floor" if any(each.startswith(OF_BACK_OFFICE) for each in tests) else ".venv")
        if not venv.exists():
            shutil.copytree(self._from / venv.name, venv, symlinks=True)
            named = *venv.rglob("*.pth"), *venv.rglob("direct_url.json"), venv / "pyvenv.cfg"
            for path in (*(venv / "bin").iterdir(), *named):
                if path.is_file() and not path.is_symlink() and str(self._from).encode() in (text := path.read_bytes()):
                    path.write_bytes(text.replace(str(self._from).encode(), str(self.root).encode()))
        return venv / "bin/python"

    @contextlib.contextmanager
    def mutated(self, *changes: Mutated) -> Iterator[None]:
        """Hold mutations, also several of one file."""
        originals = {path: (self.root / path).read_bytes() for path in {change.path for change in changes}}
        for path, original in originals.items():
            self._write(path, edited(original, *(change.edit for change in changes if change.path == path)))
        try:
            yield
        finally:
            for path, original in originals.items():
                self._write(path, original)

    def _write(self, path: Path, text: bytes) -> None:
        """Write a file at a time of its own: bytecode of the text before, of the same length, would be taken for it."""
        (self.root / path).write_bytes(text)
        now = next(self._times)
        os.utime(self.root / path, (now, now))

    def failures(
        self, tests: Sequence[str], *options: str, timeout_s: float = TIMEOUT_S, every_cell: bool = False
    ) -> list[str]:
        """The tests that fail, or the one that hangs; else one text, the end of pytest's output."""
        python, mark = self.python(tests), uuid.uuid4().hex
        command = ["nice", "-n", "19", str(python), "-m", "pytest", "-v", "-p", "no:cacheprovider", *options, *tests]
        environment = os.environ | {MARK: mark, "PATH": f"{python.parent}:{os.environ['PATH']}:/usr/sbin"}
        environment |= {"EVERY_CELL": "yes"} if every_cell else {}
        run = subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = run.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            _end_all(mark)
            output, _ = run.communicate()
            return HANGS.findall(output)[-1:] or ["timeout"]
        finally:
            _end_all(mark)
            run.wait()
        failed = FAILED.findall(output)  # also by NOT_FOUND: of a file that cannot be imported no test is found
        if failed or run.returncode in (0, NOT_FOUND, NONE_RAN):
            return failed
        return [f"pytest ended with {run.returncode}: {output[-300:]}"]

    def proves(self, test: str, change: Mutated, *options: str) -> bool:
        """Whether a test, alone, fails with a mutation and passes without."""
        with self.mutated(change):
            if not self.failures([test], *options, timeout_s=ALONE_S):
                return False
        return self.passes(test, *options)

    def passes(self, test: str, *options: str) -> bool:
        """Whether a test, alone, passes without a mutation."""
        return not self.failures([test], *options, timeout_s=ALONE_S)


def _end_all(mark: str) -> None:
    """Kill what a run left behind."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


def caught_by(copy: Copy, change: Mutated, tests: Sequence[str], *options: str) -> tuple[str | None, list[str]]:
    """The test that catches a mutation, if any; and tests that failed but prove nothing.

    A test catches it that fails with the mutation, if others ran with it a second time alone, and passes without.
    """
    doubtful: list[str] = []
    while len(doubtful) < 5:
        deselected = [option for each in doubtful for option in ("--deselect", each)]
        with copy.mutated(change):
            timeout_s = ALONE_S if len(tests) == 1 and "::" in tests[0] else TIMEOUT_S
            failed = copy.failures(tests, "-x", *options, *deselected, timeout_s=timeout_s)
        if not failed:
            break
        if is_no_test(failed[0]):
            return failed[0], doubtful
        if copy.passes(failed[0], *options) if list(tests) == failed else copy.proves(failed[0], change, *options):
            return failed[0], doubtful
        doubtful.append(failed[0])
    return None, doubtful


def caught_together(copy: Copy, changes: Sequence[Mutated]) -> list[str | None]:
    """Run every cell of the suite once with several mutations; for each, the test that catches it alone, if any.

    A run each would take hours. That one mutation hides another is improbable: the tests tried first caught neither.
    Raises RuntimeError if the suite does not come to its end.
    """
    with copy.mutated(*changes):
        failed = copy.failures([], "-n", "4", "--dist", "loadfile", timeout_s=WHOLE_TIMEOUT_S, every_cell=True)
    print(f"whole suite with {len(changes)} at once: {len(failed)} failed", *failed, sep="\n    ", flush=True)
    if failed and is_no_test(failed[0]):
        raise RuntimeError(failed[0])
    return [next((test for test in failed if copy.proves(test, change)), None) for change in changes]


def is_no_test(failed: str) -> bool:
    return "::" not in failed and not failed.endswith(".py")
