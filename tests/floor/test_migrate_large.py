"""A store of 100,000 rounds of all games: migrated, killed and gone on with, and back. By night."""

import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any, Final

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store import FORMAT
from tests.floor.test_migrate import OLD, forked, written
from tests.kit import kept_formats as kept
from tests.kit.nightly import EVERY

COPIES: Final = 5_000 if EVERY else 5
ROUNDS: Final = 100_000 if EVERY else 100
STEPS: Final = ("_copy", "_migrated", "_blocks", "_facts", "_swap")[:: 1 if EVERY else 3]
"""Functions, at the beginning of each of which one run is killed."""

SUMS: Final = """
select 'rounds', game, status, count(*), sum(staked), sum(house), sum(revision) from fact_round group by 2, 3
union all select 'days', game, '', count(*), sum(rounds), sum(house), sum(voided) from fact_day group by 2
union all select 'stakes', bet, '', count(*), sum(put), sum(net), 0 from fact_stake group by 2
union all select 'messages', topic, '', count(*), sum(seq), sum(n), 0 from message group by 2
union all select 'blocks', '', '', count(*), sum(messages), sum(last_seq), 0 from block order by 1, 2, 3
"""


def summed(path: Path) -> tuple[int, list[Any]]:
    """The format of a store, and its sums."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        return int(db.execute("pragma user_version").fetchone()[0]), db.execute(SUMS).fetchall()


def killed_in(function: str, config: Path) -> int:
    """Run the command in a process that is killed where a function begins; its exit code."""

    def trace(frame: FrameType, *_: object) -> None:
        if frame.f_code.co_name == function:
            os.kill(os.getpid(), signal.SIGKILL)

    def act() -> int:
        sys.settrace(trace)
        return main(["--config", str(config), "migrate"])

    return forked(act)


def test_sums_are_the_same_after_kills_forward_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, config = kept.store(tmp_path), written(tmp_path)
    assert kept.multiply(path, COPIES) >= ROUNDS
    before = summed(path)
    capsys.readouterr()
    assert main(["--config", str(config), "migrate", "--dry-run"]) == 0
    planned, began = capsys.readouterr().out, monotonic()
    for step in STEPS:
        assert killed_in(step, config) == -signal.SIGKILL
        assert summed(path) == before
    assert main(["--config", str(config), "migrate"]) == 0
    assert summed(path) == (FORMAT, before[1])
    said = capsys.readouterr().out
    assert main(["--config", str(config), "migrate", "--back", str(OLD)]) == 0
    assert summed(path) == before
    with capsys.disabled():
        print(f"\n{planned}{said}{monotonic() - began:.0f} s with {len(STEPS)} kills, {path.stat().st_size >> 20} MiB")
