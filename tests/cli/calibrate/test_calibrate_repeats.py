"""`shoe calibrate reader` at a reader of codes: whether it reports what lies before it again, kept as `repeats`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from firmware_bridge.cli.calibrate.reader import LONGEST
from hardware.sim.code_boards import GrowBoard
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, record
from tests.kit.daemon_table import BridgeTable

table = wired.table  # fixture

GROW = {"protocol": "grow"}
EACH_MS = 10_000
"""A second of ours: the clock of the board runs ten times as fast."""

FACES = ("As", "Kd", "9h", "4c", "2s")


def calibrated(table: Callable[..., BridgeTable], board: GrowBoard, **reader: Any) -> tuple[Visit, BridgeTable]:
    bridge = table(board, reader=GROW | reader).start()
    visit = Visit(bridge, "reader", "--yes", "--cards", len(FACES))
    visit.said(f"pull {len(FACES)} cards")
    for face in FACES:
        board.pull(face)
        bridge.pause(0.2)
    assert visit.end() == 0, visit.story()
    return visit, bridge


def test_a_module_that_repeats_is_measured_with_what_to_set(table: Callable[..., BridgeTable]) -> None:
    visit, bridge = calibrated(table, GrowBoard(EACH_MS))
    said = visit.story()
    found = re.search(r"yes: each ([\d.]+) s, ([\d.]+) s at most; kept as repeats = ([\d.]+)", said)
    assert found, said
    each, most, kept = map(float, found.groups())
    assert 0.9 <= each <= most, "a busy machine repeats later, never sooner"
    assert kept == pytest.approx(min(2 * most, LONGEST), abs=0.15)
    assert "send 7E 00 08 01 00 00 D7 AB CD" in " ".join(said.split())
    assert max(map(len, said.splitlines())) < 80
    (section,) = [record(bridge).reader]
    assert section is not None
    assert section.after["repeats"] == kept
    bridge.until(lambda: bridge.bridge.reader.again.repeats == section.after["repeats"])


def test_a_silent_module_is_measured_too(table: Callable[..., BridgeTable]) -> None:
    visit, bridge = calibrated(table, GrowBoard(), repeats=2.0)
    said = visit.story()
    assert "no, not later than hold = 0.5 s; kept as repeats = 0" in said
    assert "[reader] repeats = 2 in bridge.toml stays in force" in said
    (section,) = [record(bridge).reader]
    assert section is not None
    assert section.after == {"repeats": 0.0}
    assert bridge.bridge.reader.again.repeats == 2.0
