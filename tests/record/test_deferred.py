"""Signatures that other processes check: the answer is that of one process, wherever one of them is wrong."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.record import verify as v
from tests.record.exports import five_rounds, policy_text, proof_of, sealed_line

JOB: Final = (b"", b"", b"")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The exports of five rounds, with a policy, in the current directory; a batch is of three signatures."""
    monkeypatch.setattr(v, "BATCH", 3)
    monkeypatch.setattr(v, "BATCHES", 2)
    monkeypatch.chdir(tmp_path)
    Path("keys.txt").write_text(policy_text(quorum="none"))
    for number, lines in enumerate(five_rounds(tmp_path / "journal")):
        Path(f"{number}.export").write_bytes(b"".join(lines))
    return [f"{number}.export" for number in range(number + 1)]


def said(files: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = v.main(["--policy", "keys.txt", "--no-witness", *files])
    return code, capsys.readouterr().out


def test_all_are_right(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out = said(files, capsys)
    assert code == 0
    assert "10 checkpoints and 5 rounds signed" in out


@pytest.mark.parametrize("nth", range(10))
def test_each_checkpoint_with_a_bit_changed_is_found_in_its_line(
    nth: int, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [(name, number, line) for name in files for number, line in enumerate(read(name), 1) if b'"note"' in line]
    name, number, line = lines[nth]
    note = proof_of(line)["note"]
    at = len(note) - 10
    other = note[:at] + ("A" if note[at] != "A" else "B") + note[at + 1 :]
    _, _, head, public, sealed, proof = line.rstrip(b"\n").split(b"\t")
    changed = sealed_line(head, public, sealed, proof.replace(note[-20:-1].encode(), other[-20:-1].encode()))
    Path(name).write_bytes(Path(name).read_bytes().replace(line, changed))
    code, out = said(files, capsys)
    assert code == 1
    assert f"WRONG  {name}, line {number} (" in out
    assert "the signature of the log is wrong" in out


def read(name: str) -> list[bytes]:
    return Path(name).read_bytes().splitlines(keepends=True)


def test_a_process_that_was_killed_has_checked_nothing() -> None:
    deferred = v.Deferred()
    for _ in range(2 * v.BATCH):
        deferred(*JOB)
    for process in list(deferred._pool._processes.values()):
        os.kill(process.pid, signal.SIGKILL)
    assert not deferred.were_right()


def test_without_processes_this_one_checks(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", none)
    assert said(files, capsys)[0] == 0
    wrong = v.Deferred()
    for _ in range(v.BATCH):
        wrong(*JOB)
    assert not wrong.were_right()


def test_what_was_wrong_only_at_first_is_not_verified(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(v.Deferred, "were_right", lambda _: False)
    code, out = said(files, capsys)
    assert code == 1
    assert "wrong at first" in out
