"""The record of `shoe calibrate`: several visits write into it, and a damaged one is set aside."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from firmware_bridge.config.calibration import Count, CountSection
from tests.cli.calibrate import calibrate_step
from tests.cli.calibrate.calibrate_step import visit
from tests.cli.calibrate.visit import record
from tests.kit.daemon_table import BridgeTable

table = calibrate_step.table  # fixture

COUNTED = CountSection(at="2026-11-20T21:33:05Z", by="bo", measured=Count(tried=1, good=1))


def test_two_visits_at_once_lose_no_section(table: Callable[..., BridgeTable]) -> None:
    bridge = table()
    one, other = visit(bridge, "keypad"), visit(bridge, "lamps")
    one.keep(COUNTED)
    other.keep(COUNTED)
    assert (record(bridge).keypad, record(bridge).lamps) == (COUNTED, COUNTED)


def test_many_visits_write_their_sections_in_turn(table: Callable[..., BridgeTable]) -> None:
    bridge = table()
    steps = ("keypad", "lamps", "codebook", "pack")
    visits = [visit(bridge, step) for step in steps * 5]
    with ThreadPoolExecutor(len(visits)) as pool:
        list(pool.map(lambda each: each.keep(COUNTED), visits))
    assert all(getattr(record(bridge), step).previous for step in steps)


def test_of_many_visits_to_a_damaged_record_one_sets_it_aside(table: Callable[..., BridgeTable]) -> None:
    bridge = table()
    path = bridge.journal_dir / "calibration.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("[reader")
    steps = ("keypad", "lamps", "codebook", "pack")
    with ThreadPoolExecutor(len(steps)) as pool:
        list(pool.map(lambda step: visit(bridge, step).keep(COUNTED), steps))
    assert all(getattr(record(bridge), step) == COUNTED for step in steps)
    assert path.with_name("calibration.toml.damaged").read_text() == "[reader"


def test_a_record_damaged_meanwhile_is_set_aside(
    table: Callable[..., BridgeTable], capsys: pytest.CaptureFixture[str]
) -> None:
    bridge = table()
    work = visit(bridge, "lamps")
    path = bridge.journal_dir / "calibration.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("[reader")
    work.keep(COUNTED)
    assert record(bridge).lamps == COUNTED
    assert path.with_name("calibration.toml.damaged").read_text() == "[reader"
    assert "it was moved to" in capsys.readouterr().out
