"""Bytes that are no message in an export: whoever reads it has them as they came."""

from __future__ import annotations

import csv
import json
from base64 import b64decode
from pathlib import Path

import pytest

from firmware_bridge.client.payload import MessageError
from firmware_bridge.floor.cells import cell
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.record import message
from firmware_bridge.floor.record.message import Unread
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import AT, event, round_of
from tests.kit.rows import each_row


@pytest.mark.parametrize("form", [["--csv"], []], ids=["csv", "jsonl"])
def test_a_byte_is_distinguished_from_a_text_that_looks_like_it(tmp_path: Path, form: list[str]) -> None:
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


FORMULAS = ("=1+1", "+1", "-2", "@SUM(1)", "\t=1", "\r=1", "=cmd|'/C calc'!A0")


@pytest.mark.parametrize("text", [*FORMULAS, "T07", "'=1", "1-2", "", " =1"])
def test_a_spreadsheet_calculates_no_text_of_an_export(tmp_path: Path, text: str) -> None:
    row = event(1)._replace(table=text, seq=7)
    store = SqliteStore(tmp_path / "floor.db")
    store.save([row], [], [])
    store.close()
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\n')
    assert (
        main(["--config", str(tmp_path / "floor.toml"), "export", "messages", "--csv", "-o", str(tmp_path / "out")])
        == 0
    )
    with (tmp_path / "out").open(newline="") as file:
        (cells,) = csv.DictReader(file)
    assert cells["table"] == ("'" * (text in FORMULAS)) + text
    assert (cells["seq"], cells["body"]) == ("7", row.body.decode())
    assert not [cell for cell in cells.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_numbers_of_an_export_stay_numbers() -> None:
    assert [cell(each) for each in (-1, 0, -1.5, None, b"\xfb\xff")] == [-1, 0, -1.5, None, "'+/8="]


@each_row("field", ["game", "status", "journal"])
@each_row("text", FORMULAS)
def test_a_formula_in_the_place_of_a_name_is_no_message(field: str, text: str) -> None:
    body = json.loads(round_of(1, 1).body) | {field: text}
    with pytest.raises(MessageError):
        message.row("round", "T07", json.dumps(body).encode(), AT)
