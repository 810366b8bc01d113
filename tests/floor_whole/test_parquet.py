"""Facts as files of Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from pyarrow.parquet import read_table
from pytest_mock import MockerFixture

from firmware_bridge.floor.store import FactName
from tests.floor import test_export_facts as facts
from tests.floor.test_export_facts import sheet

config, store, run = facts.config, facts.store, facts.run  # fixtures


def test_parquet_has_the_same_values(run: Any, tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.floor.facts.written.GROUP", 3)
    for name in get_args(FactName):
        file = tmp_path / f"{name}.parquet"
        run(name, "--parquet", str(file))
        found = read_table(file).to_pylist()
        lines = sheet(run(name, "--csv")[0])
        assert [[as_csv(value) for value in row.values()] for row in found] == [list(row.values()) for row in lines]


def as_csv(value: Any) -> str:
    """A value of Parquet as CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat(timespec="milliseconds")).replace("+00:00", "Z")
    return str(value)
