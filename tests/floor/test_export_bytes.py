"""Bytes that are no message in an export: whoever reads it has them as they came."""

from __future__ import annotations

import csv
import json
from base64 import b64decode
from pathlib import Path

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.record.message import Unread
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import AT


@pytest.mark.parametrize("form", [["--csv"], []], ids=["csv", "jsonl"])
def test_a_byte_is_told_from_a_text_that_looks_like_it(tmp_path: Path, form: list[str]) -> None:
    bad = [b"\xff", rb"\xff", b'{"a":\n"\xe8\x8e\x8a"', b""]
    store = SqliteStore(tmp_path / "floor.db")
    store.save([], [Unread("shoe/T07/event", AT, "bad", each) for each in bad], [])
    store.close()
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\n')
    words = ["export", "quarantine", *form, "-o", str(tmp_path / "out")]
    assert main(["--config", str(tmp_path / "floor.toml"), *words]) == 0
    lines = (tmp_path / "out").read_text().splitlines()
    rows = list(csv.DictReader(lines)) if form else [json.loads(line) for line in lines]
    assert sorted(b64decode(row["body"], validate=True) for row in rows) == sorted(bad)
