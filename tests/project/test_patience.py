"""The limits of the tests count what the machine gave, and end what hangs."""

import asyncio
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.daemon.flooded import Beats
from tests.kit import patience
from tests.kit.patience import GivenClock, Patience, PatientSocket, awaited, run, until


@pytest.fixture
def crowd() -> Iterator[None]:
    """Programs that compute on the one core that this thread and what it starts now have."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    made = [busy() for _ in range(3)]
    yield
    os.sched_setaffinity(0, before)
    for each in made:
        each.kill()
        each.wait()


def busy() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sh", "-c", "while :; do :; done"])


def test_what_comes_is_returned() -> None:
    came = iter([0, 0, 7])
    assert until(lambda: next(came)) == 7


def test_what_hangs_is_ended_and_tells_its_story() -> None:
    began = time.monotonic()
    with pytest.raises(AssertionError, match=r"not within 0\.2 s that the machine gave; three cards wait"):
        until(lambda: False, 0.2, story=lambda: "three cards wait")
    assert time.monotonic() - began >= 0.2


@pytest.mark.usefixtures("crowd")
def test_time_in_which_a_process_waits_for_a_core_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "COUNT_S", 0.1)
    limit, began = Patience(0.2), time.monotonic()
    until(lambda: time.monotonic() > began + 0.7)
    assert not limit.is_over


def test_plain_time_counts_where_the_kernel_keeps_no_schedstat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_waited", dict)
    limit = Patience(0.05)
    time.sleep(0.06)
    assert limit.is_over


def test_a_command_that_hangs_is_killed_and_shows_what_it_said() -> None:
    with pytest.raises(AssertionError, match="here I am"):
        run(["sh", "-c", "echo here I am; exec sleep 1000"], 0.2)


def test_a_command_gets_its_text_and_gives_what_it_says() -> None:
    done = run(["cat"], text="0123456789" * 50_000)
    assert (done.returncode, done.stdout) == (0, "0123456789" * 50_000)


def test_a_command_that_is_slow_to_read_gets_all_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "COUNT_S", 0.05)
    done = run(["sh", "-c", "sleep 0.2; exec cat"], text="0123456789" * 50_000)
    assert (done.returncode, done.stdout) == (0, "0123456789" * 50_000)


def test_a_socket_waits_for_what_is_said_late_and_ends_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "COUNT_S", 0.05)
    server, path = socket.socket(socket.AF_UNIX), f"\0test-{os.getpid()}"
    server.bind(path)
    server.listen()
    with server, PatientSocket(socket.AF_UNIX) as ours:
        ours.connect(path)
        theirs, _ = server.accept()
        with theirs:
            late = threading.Timer(0.2, theirs.sendall, [b"late\nand"])
            late.start()
            assert ours.makefile("rb").readline() == b"late\n"
            late.join()
            monkeypatch.setattr(patience.Patience, "is_over", True)
            with pytest.raises(AssertionError, match="not within"):
                ours.recv(10)


def test_what_is_awaited_is_given_and_what_hangs_is_ended() -> None:
    async def both() -> int:
        with pytest.raises(AssertionError, match="not within 0"):
            await awaited(asyncio.sleep(1_000), 0.0)
        return await awaited(asyncio.sleep(0.01, 7))

    assert asyncio.run(both()) == 7


@pytest.mark.usefixtures("crowd")
def test_a_given_clock_stands_while_a_process_waits_for_a_core() -> None:
    computing = busy()
    clock, began = GivenClock(computing.pid), time.monotonic()
    given = clock()
    until(lambda: time.monotonic() > began + 0.7)
    spent, passed = clock() - given, time.monotonic() - began
    computing.kill()
    computing.wait()
    assert spent + 0.2 < passed


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets the next reading of how long threads waited last so long, in which they do wait."""
    late, waited = list[float](), [0]

    def read(pid: int) -> dict[str, int]:
        found = {str(pid): waited[0]}
        if late:
            time.sleep(seconds := late.pop())
            waited[0] += int(seconds * 1e9)
        return found

    monkeypatch.setattr(patience, "_waited_by", read)
    return late.append


def test_a_given_clock_counts_no_wait_while_it_is_read(readings: Callable[..., None]) -> None:
    clock = GivenClock()
    begun = clock()
    readings(0.2)
    assert clock.since(begun) < 0.1


def test_a_given_clock_never_goes_back_behind_what_another_thread_has_read(readings: Callable[..., None]) -> None:
    clock = GivenClock()
    readings(0.2)
    late = threading.Thread(target=clock.waited)
    late.start()
    until(lambda: clock.waited() >= 0.2)
    late.join()
    assert clock.waited() >= 0.2


def test_beats_that_come_in_time_are_no_silence_however_late_they_are_read(
    tmp_path: Path, readings: Callable[..., None]
) -> None:
    beats, begun = Beats(tmp_path / "notify"), time.monotonic()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        for late in (0.0, 0.2, 0.0, 0.0):
            readings(late)
            read = len(beats.times)
            daemon.sendto(b"WATCHDOG=1", str(beats.path))
            until(lambda read=read: len(beats.times) > read)  # type: ignore[misc]  # bound now
    assert beats.silence(begun) < 0.1
    silent = time.monotonic()
    time.sleep(0.3)
    assert beats.silence(silent) > 0.2
    beats.close()
