"""What signing costs is compared round by round, and held to its bounds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.bench import record


def run(us: float, closing: float, rss: float = 36.0, flushes: float = 1.03, start: float = 0.4) -> dict[str, Any]:
    figures = {"cpu_us": 900.0, "flushes": flushes, "disk_kib": 5.6, "rss_mib": rss, "start_s": start}
    return {"latency_us": [us] * 3, "heavy_us": [closing], "other_cpu_pct": 4.0, **figures}


UNSIGNED = [run(1000, 1100), run(2000, 2200), run(1000, 1100)]
"""The machine was slow in the second round."""


@pytest.mark.parametrize(
    ("ours", "says"),
    [
        ([run(1030, 1166, 38.0), run(2060, 2332, 38.0), run(1500, 1166, 38.0)], "nothing"),
        ([run(1060, 1166), run(2120, 2332), run(1030, 1100)], "p50 us"),
        ([run(1000, 1210), run(2000, 2200), run(1000, 1210)], "closing p50 us"),
        ([run(1000, 1100, flushes=2.03)] * 3, "flushes/card"),
        ([run(1000, 1100, rss=40.0, start=0.9)] * 3, "RSS MiB, start s"),
    ],
)
def test_what_is_beyond_its_bound_is_named(
    ours: list[dict[str, Any]],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"host": {"load": [0.5]}, "rounds": {"unsigned": UNSIGNED, "ours": ours}}))
    monkeypatch.setattr(sys, "argv", ["record.py", str(results)])
    assert record.main() == (says != "nothing")
    assert capsys.readouterr().out.endswith(f"beyond its bound: {says}\n")


def test_a_slow_round_of_the_machine_is_no_cost() -> None:
    column = record.COLUMNS[0]
    assert record.added(column, [run(1030, 0), run(2060, 0), run(1500, 0)], UNSIGNED) == pytest.approx(0.03)
