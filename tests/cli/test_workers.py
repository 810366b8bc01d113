"""Worker processes: results in order, few in flight, and nothing that lives on."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from firmware_bridge.cli.long_commands import WorkerError, Workers
from firmware_bridge.errors import ScriptError
from tests.kit.patience import Patience, ended, until
from tests.kit.process import python

JOBS = 2

BUSY = """
import os, sys
from firmware_bridge.cli.long_commands import Workers

def spin():
    os.write(1, b"%d\\n" % os.getpid())
    while True: pass

try:
    with Workers(2) as workers:
        for _ in range(4):
            for _ in workers.start(spin): pass
        for _ in workers.finish(): pass
except KeyboardInterrupt:
    sys.exit(130)
"""


def touched(path: Path) -> Iterator[str]:
    path.touch()
    yield path.name


def counted(number: int, pause_s: float) -> Iterator[tuple[int, int]]:
    time.sleep(pause_s)
    for part in range(number % 4):  # some yield nothing
        yield number, part


def refused(after: int) -> Iterator[int]:
    yield from range(after)
    raise ScriptError("line 3: no", "write another")


def died(size: int) -> Iterator[bytes]:
    yield bytes(size)
    os.kill(os.getpid(), signal.SIGKILL)
    yield b"never"


@pytest.mark.parametrize("jobs", [1, JOBS, 5])
def test_results_come_in_the_order_of_their_tasks(jobs: int) -> None:
    heard: list[tuple[int, int]] = []
    with Workers(jobs) as workers:
        for number in range(40):
            heard += workers.start(partial(counted, number, pause_s=0.02 * (number % 3)))
        heard += workers.finish()
    assert heard == [(number, part) for number in range(40) for part in range(number % 4)]


def test_at_most_two_tasks_for_each_process_are_in_flight(tmp_path: Path) -> None:
    done = 0
    with Workers(JOBS) as workers:
        for number in range(12):
            for _ in workers.start(partial(touched, tmp_path / str(number))):
                time.sleep(0.05)  # the reader is slow
                assert len(list(tmp_path.iterdir())) <= done + 2 * JOBS
                done += 1
        done += len(list(workers.finish()))
    assert done == len(list(tmp_path.iterdir())) == 12


def test_an_error_comes_behind_what_its_task_said() -> None:
    heard: list[int] = []

    def hear(workers: Workers) -> None:
        for _ in range(3):
            for each in workers.start(partial(refused, 3)):
                heard.append(each)
        for each in workers.finish():
            heard.append(each)

    with Workers(JOBS) as workers, pytest.raises(ScriptError) as raised:
        hear(workers)
    assert heard == [0, 1, 2]
    assert (str(raised.value), raised.value.hint) == ("line 3: no; write another", "write another")


@pytest.mark.parametrize("size", [1, 50_000_000])
def test_a_process_that_dies_is_an_error(size: int) -> None:
    with Workers(JOBS) as workers:
        list(workers.start(partial(died, size)))
        with pytest.raises(WorkerError, match="a process ended too early"):
            list(workers.finish())
        with pytest.raises(WorkerError, match="a process ended too early"):
            list(workers.start(partial(died, size)))


def test_a_pool_ends_though_its_parent_handles_sigterm() -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        test_a_process_that_dies_is_an_error(1)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_big_tasks_and_results_pass() -> None:
    big = bytes(3_000_000)
    with Workers(JOBS) as workers:
        heard = [each for _ in range(5) for each in workers.start(partial(iter, [big, big]))]
        heard += workers.finish()
    assert heard == [big] * 10


def test_one_that_is_left_ends_its_processes_at_once() -> None:
    before = children(os.getpid())
    with Workers(JOBS) as workers:
        for _ in range(JOBS):
            list(workers.start(partial(counted, 1, pause_s=600)))
        crew = children(os.getpid()) - before
        assert len(crew) == JOBS
        limit = Patience()
    assert not limit.is_over
    assert not children(os.getpid()) & crew


def test_without_a_task_there_is_no_process() -> None:
    before = children(os.getpid())
    with Workers(JOBS) as workers:
        assert list(workers.finish()) == []
        assert children(os.getpid()) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_busy_processes_end_with_the_one_that_forked_them(how: signal.Signals) -> None:
    command = python("-c", BUSY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert command.stdout
    crew = [int(command.stdout.readline()) for _ in range(JOBS)]
    command.send_signal(how)
    assert ended(command) == (130 if how == signal.SIGINT else -how)
    until(lambda: not any(Path(f"/proc/{each}").exists() for each in crew))
    assert command.communicate()[1] == ""


def children(pid: int) -> set[int]:
    return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
