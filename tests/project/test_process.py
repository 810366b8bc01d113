"""A forked program is, to its test, what an executed one is."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.kit.process import Forked, python, ran

WAYS = pytest.mark.parametrize("execute", [False, True], ids=["forked", "executed"])


def heard(words: str, execute: bool, *more: str, **options: Any) -> tuple[int, str, str]:
    done = ran("-c", words, *more, execute=execute, **options)
    return done.returncode, done.stdout, done.stderr.strip().rpartition("\n")[2]


@WAYS
@pytest.mark.parametrize(
    ("program", "code", "out", "err"),
    [
        ("print('done')", 0, "done\n", ""),
        ("import sys; print(sys.argv[1:])", 0, "['a', 'b']\n", ""),
        ("import sys; sys.exit(3)", 3, "", ""),
        ("import sys; sys.exit('no port')", 1, "", "no port"),
        ("raise ValueError('a card')", 1, "", "ValueError: a card"),
        ("import atexit; atexit.register(print, 'end')", 0, "end\n", ""),
        ("import threading; threading.Timer(0.1, print, ['late']).start()", 0, "late\n", ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, "", ""),
        ("import os; os.write(1, b'raw')", 0, "raw", ""),
        ("import asyncio, os; asyncio.run(asyncio.sleep(0)); print(os.environ['X'])", 0, "y\n", ""),
        ("import sys; print(sys.stdin.read())", 0, "päss\n", ""),
        ("print(__name__)", 0, "__main__\n", ""),
        ("import sys; print(sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__)", 0, "True True\n", ""),
        ("import sys; sys.stderr.write('no end of line')", 0, "", "no end of line"),
    ],
)
def test_a_program_ends_as_python_ends_it(program: str, code: int, out: str, err: str, execute: bool) -> None:
    given = heard(program, execute, "a", "b", text="päss", env=os.environ | {"X": "y"})
    assert given == (code, out, err)


@WAYS
def test_ctrl_c_ends_it_by_the_signal(execute: bool) -> None:
    process = python(
        "-c", "print(1, flush=True); import time; time.sleep(100)", execute=execute, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT


@WAYS
def test_it_works_in_its_own_directory_and_session(tmp_path: Path, execute: bool) -> None:
    said = heard(
        "import os; print(os.getcwd(), os.getsid(0) == os.getpid())", execute, cwd=tmp_path, start_new_session=True
    )
    assert said == (0, f"{tmp_path} True\n", "")


@WAYS
def test_an_exception_in_a_callback_of_its_own_loop_is_its_own(execute: bool) -> None:
    main = "async def main():\n asyncio.get_running_loop().call_soon(lambda: 1 / 0)\n await asyncio.sleep(0.1)"
    code, _, err = heard(f"import asyncio\n{main}\nasyncio.run(main())", execute)
    assert (code, err) == (0, "ZeroDivisionError: division by zero")


@pytest.mark.parametrize("variable", ["PYTHONUTF8", "LC_ALL"])
def test_what_python_reads_at_its_start_needs_a_start(variable: str) -> None:
    with python("-c", "", env=os.environ | {variable: "1"}) as process:
        assert not isinstance(process, Forked)


def test_what_a_fork_spends_is_known_while_and_after_it_runs() -> None:
    with python("-c", "import time\nwhile time.process_time() < 0.2: pass\ntime.sleep(0.2)") as process:
        assert isinstance(process, Forked)
        while process.poll() is None:
            time.sleep(0.01)
        assert process.spent_s >= 0.1
