"""The page of docs about the exporter, its runbooks and its unit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.metrics.exporter import (
    OF_ITS_CONDITION,
    OF_RECEIVERS,
    OF_RECORDS,
    OF_THE_EXPORTER,
    OF_THE_STORE,
)
from firmware_bridge.floor.metrics.families import OF_A_TABLE

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/metrics.md").read_text("utf-8")


def test_the_page_of_docs_names_every_metric_with_its_kind_unit_and_meaning() -> None:
    documented = {
        name: tuple(rest) for name, *rest in re.findall(r"^\| `(shoe_\w+)` \| (.*?) \| (.*?) \| (.*) \|$", DOC, re.M)
    }
    own = [*OF_THE_EXPORTER, *OF_THE_STORE, *OF_ITS_CONDITION, *OF_RECORDS, *OF_RECEIVERS]
    of_a_table = [(each.name, each.kind, each.unit, each.help) for each in OF_A_TABLE]
    assert documented == {name: tuple(rest) for name, *rest in (*of_a_table, *own)}


def test_the_unit_is_as_hardened_as_the_ingests() -> None:
    hardening = ("Protect", "Private", "Restrict", "Lock", "Memory", "System", "No", "Capability", "KeyringMode")
    ingest, own = ((ROOT / f"systemd/shoe-floor-{name}.service").read_text() for name in ("ingest", "metrics"))
    wanted = [line for line in ingest.splitlines() if line.startswith(hardening) and "=" in line]
    assert len(wanted) > 20
    assert [line for line in wanted if line not in own.splitlines() and not line.startswith("MemoryMax")] == []
    assert "SocketBindAllow=tcp:9108" in own.splitlines()


def test_every_command_that_the_page_and_the_runbooks_name_is_one() -> None:
    documents = DOC + (ROOT / "docs/prometheus/shoe.rules.yml").read_text("utf-8")
    named = set(re.findall(r"\b(shoe(?:-floor)?) ([a-z]+)", "\n".join(re.findall(r"`[^`\n]+`", documents))))
    assert len(named) > 8
    for program, command in sorted(named):
        with pytest.raises(SystemExit) as ended:
            (shoe if program == "shoe" else shoe_floor)([command, "--help"])
        assert ended.value.code == 0, f"{program} {command}"
