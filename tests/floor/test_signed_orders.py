"""The ingest signs what it sends to tables; `shoe-floor key` makes keys."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from firmware_bridge.client.payload import command
from firmware_bridge.client.signing import signing
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.cli import main
from firmware_bridge.record.envelope import opened
from firmware_bridge.record.verify import parse_vkey

TOPIC = "shoe/T07/command"


def test_a_key_is_made_once_and_verifies_what_it_signs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cage.key"
    assert main(["key", "new", "cage", "--file", str(file)]) == 0
    (row,) = tomllib.loads(capsys.readouterr().out)["orders"]
    assert (row["name"], len(file.read_bytes()), file.stat().st_mode & 0o777) == ("cage", 32, 0o600)
    assert main(["key", "new", "cage", "--file", str(file)]) != 0
    assert "is there already" in capsys.readouterr().err
    made = opened(signing("cage", file, lambda: 0).order(TOPIC, command(Resend(since="2026-01-01T00:00:00Z"), "a")))
    assert made.is_signed(TOPIC, parse_vkey(row["key"]).public)


def test_a_count_only_grows_also_where_the_clock_goes_back(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(bytes(32))
    clock = iter((1_000, 900, 5_000))
    by = signing("floor", file, lambda: next(clock))
    payload = command(Resend(since="2026-01-01T00:00:00Z"), "a")
    counts = [json.loads(opened(by.order(TOPIC, payload)).order)["count"] for _ in range(3)]
    assert counts == [1_000, 1_001, 5_000]


def test_no_key_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="shoe-floor key new"):
        signing("floor", tmp_path / "none", lambda: 0)
