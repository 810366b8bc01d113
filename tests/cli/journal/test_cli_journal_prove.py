"""`shoe journal prove`, `heads` and `verify --policy`, on the journals of a device that signs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.record import verify as v
from tests.cli.journal import kept_files
from tests.kit import command
from tests.record.exports import ORIGIN, SignedRecord, cosigned, device, note_of, policy_text, verified

shoe, journal = command.shoe, kept_files.journal  # fixtures


@pytest.fixture
def record(tmp_path: Path) -> SignedRecord:
    record = SignedRecord(tmp_path / "j")
    record.begin()
    record.play(2).open_shoe()
    for _ in range(6):
        record.play(8).open_shoe()
        record.prepare()
    record.play(1).order(orders.CloseShoe())
    record.close()
    return record


def checked(folder: Path, policy: str, *files: str) -> subprocess.CompletedProcess[str]:
    (folder / "keys.txt").write_text(policy)
    alone = ["--no-witness"] if "quorum none" in policy else []
    command = [sys.executable, "-I", "-S", str(Path(v.__file__).resolve()), "--policy", "keys.txt", *alone, *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_proof_of_an_entry_is_checked_alone(
    record: SignedRecord, journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    number = record.lines[-1].public.journal.split("-")[0]
    for name in (f"{number}:2", "1", f"@{record.lines[5].public.seq}"):
        assert journal("prove", name, "-o", tmp_path / "x.tlog-proof").code == 0
        done = checked(tmp_path, policy_text(quorum="none"), "x.tlog-proof")
        assert done.returncode == 0, done.stdout
        assert f"of {ORIGIN}" in done.stdout
    wrong = checked(tmp_path, policy_text(), "x.tlog-proof")
    assert (wrong.returncode, "no quorum of witnesses" in wrong.stdout) == (v.NOT_WITNESSED, True)


def test_a_proof_by_a_cosigned_checkpoint(
    record: SignedRecord, journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "note").write_text(cosigned(record.journal.tree.note, ["w1", "w3"]))
    assert journal("prove", "@1", "--note", tmp_path / "note", "-o", tmp_path / "x.tlog-proof").code == 0
    assert checked(tmp_path, policy_text(), "x.tlog-proof").returncode == 0
    (tmp_path / "note").write_text("nonsense")
    assert "the checkpoint: a note without" in journal("prove", "@1", "--note", tmp_path / "note").err


def test_an_entry_whose_journal_is_gone(
    record: SignedRecord, journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    for path in sorted((tmp_path / "j").glob("*.journal"))[:3]:
        path.unlink()
    ran = journal("prove", "@1")
    assert (ran.code, "its journal was deleted" in ran.err) == (0, True)
    proof = v.parse_proof(ran.out)
    assert v.check_proof(proof, bytes.fromhex(record.lines[0].chain), v.parse_policy(policy_text(quorum="none")))
    (tmp_path / "x.tlog-proof").write_text(ran.out)
    done = checked(tmp_path, policy_text(quorum="none"), "x.tlog-proof")
    assert (done.returncode, "it holds no entry" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("99:1", "no journal 99"),
        ("77", "no shoe here has a round 77"),
        ("x", "names no entry"),
        ("@9999", "checkpoint has"),
    ],
)
def test_no_such_entry(record: SignedRecord, journal: Callable[..., command.Ran], name: str, error: str) -> None:
    ran = journal("prove", name)
    assert ran.code == 1
    assert error in ran.err


def test_heads_name_a_line_that_cannot_be_read_by_its_leaf(
    record: SignedRecord, journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    path = sorted((tmp_path / "j").glob("*.journal"))[2]
    lines = [line for line in record.lines if line.public.journal.startswith("2-")]
    rows = [row.split("\t") for row in journal("heads", "2").out.splitlines()]
    assert [(int(seq), head) for seq, _, head, _ in rows] == [(line.public.seq, line.chain) for line in lines]
    path.write_bytes(path.read_bytes().replace(b'"seq":3,', b'"seq":4,', 1))
    damaged = [row.split("\t") for row in journal("heads", "2").out.splitlines()]
    assert damaged[2] == [rows[2][0], rows[2][1], "-", rows[2][3]]
    assert damaged[:2] + damaged[3:] == rows[:2] + rows[3:]


def test_checkpoints_that_were_taken_off_are_missed(tmp_path: Path, journal: Callable[..., command.Ran]) -> None:
    """From the change on, chain and checksums are right again; the tree is not."""
    record = SignedRecord(tmp_path / "j")
    record.begin()
    record.play(4).open_shoe()
    record.journal.tree.signers = ()  # as after the key was lost
    record.play(2)
    ran = journal("verify")
    assert (ran.code, "no checkpoint covers it" in ran.out) == (1, True)
    record.journal.tree.signers = (device(ORIGIN),)
    record.play(1).close()
    assert journal("verify").code == 0  # the next checkpoint covers all before it


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_open_round_is_said_and_is_no_fault(tmp_path: Path, journal: Callable[..., command.Ran], jobs: int) -> None:
    record = SignedRecord(tmp_path / "j")
    record.begin()
    record.play(1).open_shoe()
    record.play(2)
    assert "verified up to" not in journal("verify", "--jobs", jobs).out
    record.deal("9s8s").journal.close()
    ran = journal("verify", "--jobs", jobs)
    assert ran.code == 0, ran.out
    words = "verified up to entry 22 of 24; the open round behind it is not signed yet\n"
    assert re.search(rf"\nhead 15:[0-9a-f]{{64}}\n{words}\Z", ran.out)
    exports = record.exports()
    report = verified(exports, policy_text(), [("w", cosigned(note_of(exports[2]), ("w1", "w2")))])
    assert (report.code, report.open_round) == (v.OPEN_ROUND, (22, 24))  # the auditor reads the same


def test_entries_behind_the_last_checkpoint_of_no_round(tmp_path: Path, journal: Callable[..., command.Ran]) -> None:
    record = SignedRecord(tmp_path / "j")
    record.begin()
    record.play(1).order(orders.CloseShoe())
    record.order(orders.DealerIn("anna"))
    record.close()
    ran = journal("verify")
    assert ran.code == 0, ran.out
    assert re.search(
        r"\nverified up to entry 9 of 10; those behind it are not signed yet, and of no open round\n", ran.out
    )


def test_verify_by_the_page_of_keys(record: SignedRecord, journal: Callable[..., command.Ran], tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(policy_text(quorum="none"))
    assert journal("verify", "--policy", keys).code == 0
    keys.write_text(policy_text(device(ORIGIN, bytes(32)).key, quorum="none"))
    ran = journal("verify", "--policy", keys)
    assert (ran.code, "not signed by a key that is known" in ran.out) == (1, True)
    keys.write_text("nonsense")
    assert "policy, line 1" in journal("verify", "--policy", keys).err
