"""Python programs of ours, forked from a process that has imported them: 0.02 s of CPU in place of 0.7.

A forked program has its own process, loop, streams, environment, directory, signals and end, as one that was executed.
It shares what was imported before it began: a test of the start itself, of the words in `/proc/PID/cmdline` or of a
fresh import says `execute=True`.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
import types
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import wait
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Final, NoReturn

from tests.kit import patient_products
from tests.kit.patience import LIMIT_S, said

PRELOADED: Final = (
    "tests.kit.process",
    "firmware_bridge.cli.run",
    "firmware_bridge.cli.demo.options",
    "firmware_bridge.daemon.bridge",
    "firmware_bridge.floor.service",
)
"""What the fork server imports. None of them starts a thread or opens anything."""

OF_A_BACK_OFFICE: Final = (
    "firmware_bridge.floor.page.service",
    "firmware_bridge.floor.metrics.service",
    "firmware_bridge.floor.store.postgres",
    "uvicorn.lifespan.on",
)
"""What it also imports where the packages of scripts/test-floor are; where they are missing, this is passed over."""

READ_AT_START: Final = ("PYTHON", "LC_", "LANG")
"""Beginnings of the variables that Python reads while it starts."""

FORKED: Final = {"stdin", "stdout", "stderr", "cwd", "env", "text", "errors", "encoding", "start_new_session"}
"""Options of Popen that a fork knows."""

CRASHED, UNWRITTEN = 1, 120
"""Exit codes of Python: after an exception, and if it could not write the rest of stdout."""


def python(*words: object, execute: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """Start `python WORDS` with these options of Popen: forked, if `-m` or `-c` come first and nothing forbids it."""
    given = [str(word) for word in words]
    if execute or given[0] not in ("-m", "-c") or not options.keys() <= FORKED or _starts_otherwise(options.get("env")):
        options["env"] = patient_products.executed(options.get("env"))
        return subprocess.Popen([sys.executable, *given], **options)
    return Forked([sys.executable, *given], **options)


def ran(*words: object, text: Any = None, seconds: float = LIMIT_S, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run `python WORDS` to its end, with `text` on its stdin; stdout and stderr, as text, unless `options` differ."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    if text is not None:
        streams["stdin"] = subprocess.PIPE
    with python(*words, **streams | options) as process:
        out, err = said(process, text, seconds)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def spent_s() -> float:
    """CPU seconds of the forked programs of this process so far, as seen when they were last looked at."""
    return Forked.spent + sum(each.spent_s for each in Forked.running)


class Forked(subprocess.Popen[Any]):
    """`python WORDS` in a fork; the pipes and waits are Popen's."""

    count, spent = 0, 0.0
    """How many were started, and the CPU seconds of those that have ended."""
    running: Final = set["Forked"]()

    spent_s = 0.0
    """CPU seconds of it and of those it waited for."""

    def _execute_child(self, args: list[str], *given: Any) -> None:
        cwd, env, pipes, session = given[4], given[5], given[9:15], given[20]
        theirs = (pipes[0], pipes[3], pipes[5])
        streams = [_Passed(own if end == -1 else end) for own, end in enumerate(theirs)]
        begun = (args[1:], streams, cwd or Path.cwd(), dict(os.environ if env is None else env), session)
        # A daemon of multiprocessing: ended with the tests.
        self._process = _server().Process(target=_program, args=begun, daemon=True)
        main, sys.modules["__main__"] = sys.modules["__main__"], types.ModuleType("__main__")
        try:
            self._process.start()  # else the fork would import our main module first
        finally:
            sys.modules["__main__"] = main
        self.pid, self._child_created = int(self._process.pid or 0), True
        Forked.count += 1
        Forked.running.add(self)
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]  # Popen's own

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None:
            self._look()
            self.returncode = self._process.exitcode
            if self.returncode is not None:
                Forked.running.discard(self)
                Forked.spent += self.spent_s
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            wait([self._process.sentinel], 0.1)
        return code

    def _look(self) -> None:
        with suppress(OSError, IndexError):
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            self.spent_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class _Passed:
    """A file descriptor that is passed on with a process that is being started; there it is a number."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (DupFd(self._number),)


def _received(passed: Any) -> int:
    return int(passed.detach())


def _server() -> Any:
    """The context of the fork server, which starts with its first process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, *(OF_A_BACK_OFFICE if find_spec("uvicorn") else ())])
    return context


def _starts_otherwise(env: dict[str, str] | None) -> bool:
    def read(variables: Any) -> dict[str, str]:
        return {name: value for name, value in variables.items() if name.startswith(READ_AT_START)}

    return env is not None and read(env) != read(os.environ)


def _program(words: list[str], streams: list[int], cwd: Path, env: dict[str, str], session: bool) -> NoReturn:
    """Be `python WORDS`, from its first line to its exit code."""
    if session:
        os.setsid()
    for number, passed in enumerate(streams):
        os.dup2(passed, number)
        os.close(passed)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    patient_products.wait_long()
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # it may have its own
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]  # Final there
    code = _code(words)
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does at its end
    atexit._run_exitfuncs()
    sys.stderr.flush()
    try:
        sys.stdout.flush()
    except OSError:
        code = code or UNWRITTEN
    os._exit(code)


def _code(words: list[str]) -> int:
    """Run the program; its exit code."""
    way, what, *rest = words
    sys.argv = ["-c" if way == "-c" else what, *rest]
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    try:
        if way == "-c":
            exec(compile(what, "<string>", "exec"), main.__dict__)
        else:
            runpy.run_module(what, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return CRASHED
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return CRASHED
    return 0
