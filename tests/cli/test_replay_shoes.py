"""`shoe replay` of several shoes: each says the same wherever it stands, and however many processes play."""

import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO

import pytest

from firmware_bridge.facts.cards import FACES
from tests.kit import command
from tests.kit.patience import ended, said, until

shoe = command.shoe  # fixture

FULL = 32 * 1024
"""Bytes from which on a pipe that takes no more is full: it takes 64 KiB in whole pages."""

BATCH = 12
"""Cards in a line of a script."""


def cards(seed: int, count: int) -> str:
    faces = [face.value for face in FACES] * 8
    Random(seed).shuffle(faces)
    return "\n".join(" ".join(faces[at : min(at + BATCH, count)]) for at in range(0, count, BATCH))


SHOES = [f"shoe\n{cards(seed, 90)}" for seed in range(5)]
MISTAKE = "\n".join([*SHOES[:3], "As shoe Kx", *SHOES])
SCRIPTS = {
    "whole shoes": "\n".join(SHOES),
    "cards before the first shoe": f"{cards(9, 20)}\n{SHOES[1]}\n# a comment\n{SHOES[1]} shoe shoe\n",
    "several in a line": "# none yet\n\nshoe As Td shoe 'shoe' 2c 3c; shoe".replace(";", "")
    + '\n!void "a shoe" sho"e" 9s\n',
    "warnings": "next shoe 9sTdTs next shoe 9s\n!close_shoe shoe !open_shoe next\nshoe !void shoe\nshoe",
    "a mistake": MISTAKE,
    "a mistake in the first": "As\nsheo\nshoe",
    "a quotation mark that is left open": f"{SHOES[0]}\n{SHOES[1]}\n!void 'shoe\n{SHOES[2]}",
    "nothing": "\n",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_any_number_of_processes_says_the_same(shoe: command.Run, tmp_path: Path, script: str) -> None:
    path = tmp_path / "a.deal"
    path.write_text(script)
    alone = shoe("replay", path, "--jobs", 1)
    process = command.spawn("replay", path, "--jobs", 3)
    assert command.piped(script, "replay", "-", "--jobs", 2) == alone
    assert (*said(process), process.returncode) == (alone.out, alone.err, alone.code)


def test_a_mistake_is_reported_with_its_line_behind_what_came_before_it(shoe: command.Run, tmp_path: Path) -> None:
    path = tmp_path / "a.deal"
    path.write_text("\n".join(SHOES[:3]))
    before = shoe("replay", path).out
    ran = command.piped(MISTAKE, "replay", "--jobs", 2)
    assert (ran.code, ran.out) == (1, before)
    line = MISTAKE.splitlines().index("As shoe Kx") + 1
    said = f"shoe: line {line}: 'Kx' is not a word of a deal script; write a card as rank and suit: As, Td"
    assert ran.err.splitlines()[-1] == said


def test_a_shoe_says_the_same_wherever_it_stands(shoe: command.Run, tmp_path: Path) -> None:
    """Its number, its nonces and its chain begin anew, and it says all its states."""

    def replayed(*shoes: str) -> str:
        path = tmp_path / "a.deal"
        path.write_text("\n".join([*shoes, "shoe"]))
        return shoe("replay", path).out

    opened = replayed()
    row = [SHOES[4], f"{SHOES[2]}\n+5s lid-open next", SHOES[2], SHOES[4]]
    assert replayed(*row) == "".join(replayed(each).removesuffix(opened) for each in row) + opened


def test_a_shoe_that_waits_for_its_cards_has_said_what_it_can() -> None:
    process = command.spawn("replay", "--jobs", 2, stdin=subprocess.PIPE)
    heard = command.Heard(process.stdout)
    assert process.stdin
    process.stdin.write("\n".join([*SHOES, SHOES[0]]) + "\n")
    process.stdin.flush()
    until(lambda: len([each for each in heard.lines if '"type":"ShoeOpened"' in each]) == len(SHOES) + 1)
    process.stdin.close()
    assert ended(process) == 0
    heard.close()
    assert process.stderr
    process.stderr.close()


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[str]]:
    """A replay with two workers whose script does not end, and which nobody reads."""
    process = command.spawn("replay", "--jobs", 2, stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write("\n".join(["shoe", *SHOES * 2]) + "\n")
    process.stdin.flush()
    until(lambda: len(children(process.pid)) == 2)
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("how", ["by Ctrl-C", "by a reader who has seen enough", "by SIGTERM", "by SIGKILL"])
def test_all_processes_end_with_the_command(endless: subprocess.Popen[str], how: str) -> None:
    assert endless.stdout
    assert endless.stderr
    crew = children(endless.pid)
    assert len(crew) == 2
    if how == "by a reader who has seen enough":
        endless.stdout.close()
    elif how == "by Ctrl-C":
        for pid in (*crew, endless.pid):  # as a terminal sends it
            os.kill(pid, signal.SIGINT)
    else:
        endless.send_signal(signal.Signals[how.removeprefix("by ")])
    codes = {"by Ctrl-C": 130, "by SIGTERM": -signal.SIGTERM, "by SIGKILL": -signal.SIGKILL}
    assert ended(endless) == codes.get(how, 0)
    assert endless.stderr.read() == ""
    if codes.get(how, 0) >= 0:
        assert not any(map(is_alive, crew))
    until(lambda: not any(map(is_alive, crew)))


def test_ctrl_c_ends_it_while_its_output_is_taken_by_nobody(endless: subprocess.Popen[str]) -> None:
    output = endless.stdout
    assert output
    until(lambda: unread(output) >= FULL and state(endless.pid) == "S")
    endless.send_signal(signal.SIGINT)
    assert ended(endless) == 130


def state(pid: int) -> str:
    """How the kernel has a process: R runs, S sleeps."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def unread(pipe: IO[str]) -> int:
    """Bytes in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def test_a_process_that_dies_is_reported(endless: subprocess.Popen[str]) -> None:
    os.kill(children(endless.pid)[0], signal.SIGKILL)
    _, err = said(endless, "\n".join([*SHOES, "shoe\n"]))
    assert endless.returncode == 1
    assert err.splitlines()[-1] == "shoe: a process ended too early; see its message above, or try --jobs 1"


@pytest.mark.parametrize("jobs", ["0", "-1", "65", "two"])
def test_a_number_of_processes_that_is_none(shoe: command.Run, jobs: str) -> None:
    ran = shoe("replay", f"--jobs={jobs}")
    assert (ran.code, ran.err) == (
        2,
        f"shoe replay: --jobs: {jobs!r} is not a number of processes: write 1 to 64; see shoe replay --help\n",
    )
