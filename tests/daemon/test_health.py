"""The topic `health`, from a running table to a real broker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from firmware_bridge.config import calibration
from firmware_bridge.config.calibration import Calibration, CutCardSection, Pulses, ReaderSection, Reading
from firmware_bridge.daemon.devices import health
from firmware_bridge.daemon.devices import health as statistics
from firmware_bridge.daemon.devices.health import MeanQualities
from firmware_bridge.facts.inputs import NO_CARD, CardUnread
from hardware.readers.messages import CONCERNS, Unread
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable

brokers = real.brokers
READER = ReaderSection(
    at="2026-11-21T03:00:00Z",
    by="anna",
    measured=Reading(cards=52, decode_rate=1.0, quality_mean=221.0, quality_sd=6.0, lamp=200),
)


FALLING = tuple(200.0 - 3 * n for n in range(16))
"""Two shoes of a reader that gets dirty."""


@pytest.fixture
def backend(brokers: Any) -> Iterator[tuple[int, Backend]]:
    broker = brokers()
    with Backend(broker.port) as listening:
        yield broker.port, listening


def table(folder: Path, port: int, mocker: Any, known: Calibration | None = None, **sections: Any) -> BridgeTable:
    mocker.patch.object(health, "EVERY_S", 0.2)
    made = BridgeTable(folder, port, **sections)
    if known:
        made.journal_dir.mkdir(exist_ok=True)
        calibration.save(made.journal_dir / calibration.FILE, known)
    return made.start()


def test_it_tells_reads_beside_what_was_calibrated(tmp_path: Path, backend: Any, mocker: Any) -> None:
    port, listening = backend
    made = table(tmp_path, port, mocker, Calibration(reader=READER))
    try:
        made.deal("9s Kd Th")
        made.until(lambda: (listening.on("health") or [{"reader": {"reads": 0}}])[-1]["reader"]["reads"] == 3)
        published = listening.on("health")[-1]
        assert published["v"] == 2
        assert isinstance(published["queue"], int)
        assert not isinstance(published["queue"], bool)
        assert published["disk_free_mb"] > 0
        reader = published["reader"]
        assert (reader["quality"], reader["quality_calibrated"], reader["lamp_calibrated"]) == (220.0, 221.0, 200)
        assert (reader["unread"], reader["frames_bad"], reader["forecast"]) == (0, 0, None)
        assert made.bridge.control.status()["health"]["reader"]["reads"] == 3
        with Backend(port, client_id="late") as newcomer:
            made.until(lambda: newcomer.on("health"))
            assert next(each for each in newcomer.received if each.topic.endswith("/health")).retained
    finally:
        made.close()


def test_a_faded_lamp_is_reported(tmp_path: Path, backend: Any, mocker: Any) -> None:
    port, listening = backend
    bright = replace(READER, measured=replace(READER.measured, lamp=255))
    mocker.patch.object(health, "WEAK_LAMP", 0.9)
    made = table(tmp_path, port, mocker, Calibration(reader=bright))
    try:
        made.until(lambda: any(each["reader"]["forecast"] for each in listening.on("health")))
        assert "lamp has faded" in str(listening.on("health")[-1]["reader"]["forecast"])
    finally:
        made.close()


def test_a_record_that_makes_no_sense_is_passed_over(tmp_path: Path, backend: Any, mocker: Any) -> None:
    port, listening = backend
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / calibration.FILE).write_text("reader = 7\n")
    made = table(tmp_path, port, mocker)
    try:
        made.until(lambda: listening.on("health"))
        assert listening.on("health")[-1]["reader"]["quality_calibrated"] is None
    finally:
        made.close()


def test_the_status_counts_each_card_at_once_and_what_waits_for_the_broker(tmp_path: Path) -> None:
    made = BridgeTable(tmp_path, free_port()).start()
    try:
        measured = made.bridge.control.status()["health"]
        assert (measured["reader"]["reads"], measured["reader"]["unread"]) == (0, 0)
        made.deal("9s Kd")
        made.board.fault("unreadable")
        made.until(lambda: made.bridge.control.status()["health"]["reader"]["unread"] == 1)
        status = made.bridge.control.status()
        assert (status["health"]["reader"]["reads"], status["health"]["reader"]["quality"]) == (2, 220.0)
        assert status["health"]["queue"] == status["seq"]  # no broker: all of it
    finally:
        made.close()


@pytest.mark.parametrize(
    ("reason", "unread"),
    [("unreadable", 1), ("double_feed", 1), ("jam", 0), ("backwards", 0), ("lamp_weak", 0), ("saturated", 0)],
)
def test_only_a_card_that_was_not_read_counts_as_unread(tmp_path: Path, reason: str, unread: int) -> None:
    made = BridgeTable(tmp_path, free_port()).start()
    try:
        made.board.fault(reason)
        made.deal("9s")
        assert made.bridge.control.status()["health"]["reader"]["unread"] == unread
    finally:
        made.close()


@pytest.mark.parametrize("reason", [*CONCERNS, "unknown code", "no bar code on it"])
def test_the_reader_and_the_shoe_agree_on_what_concerns_a_card(reason: str) -> None:
    assert CardUnread(at=0, reason=reason, nonce="").concerns == Unread(reason).concerns


def test_the_shoe_knows_no_reason_that_readers_do_not() -> None:
    assert {reason: concern for reason, concern in CONCERNS.items() if concern != "card"} == NO_CARD


@pytest.mark.parametrize(
    ("kept", "calibrated", "is_forecast"),
    [
        (MeanQualities("", FALLING), None, True),  # never calibrated
        (MeanQualities(READER.at, FALLING), READER, True),
        (MeanQualities("2026-11-20T03:00:00Z", FALLING), READER, False),  # calibrated since
        (b"{", READER, False),
    ],
)
def test_the_forecast_outlives_a_restart_but_no_calibration(
    tmp_path: Path,
    backend: Any,
    mocker: Any,
    kept: MeanQualities | bytes,
    calibrated: ReaderSection | None,
    is_forecast: bool,
) -> None:
    port, listening = backend
    folder = tmp_path / "journal"
    folder.mkdir()
    (folder / health.FILE).write_bytes(kept if isinstance(kept, bytes) else msgspec.json.encode(kept))
    made = table(tmp_path, port, mocker, Calibration(reader=calibrated))
    try:
        made.until(lambda: listening.on("health"))
        assert bool(listening.on("health")[-1]["reader"]["forecast"]) is is_forecast
    finally:
        made.close()


def test_the_qualities_are_kept(tmp_path: Path, backend: Any, mocker: Any) -> None:
    port, _ = backend
    mocker.patch.object(statistics, "BLOCK", 2)
    made = table(tmp_path, port, mocker)
    try:
        made.deal("9s Kd Th Kc")
        made.until(lambda: health._past(made.journal_dir / health.FILE).means == (220.0, 220.0))
    finally:
        made.close()


@pytest.mark.parametrize(("pin", "debounce"), [(27, 35), ({"pin": 27}, 20)])
def test_the_calibrated_debounce_holds_where_the_config_gives_none(
    tmp_path: Path, backend: Any, mocker: Any, pin: Any, debounce: int
) -> None:
    pulses = Pulses(passes=5, card_longest=0, cut_shortest=40, cut_longest=60, bounce_longest=4)
    section = CutCardSection(at="", by="anna", after={"debounce_ms": 35}, measured=pulses)
    port, _ = backend
    made = table(tmp_path, port, mocker, Calibration(cut_card=section), pins={"factory": "mock", "cut_card": pin})
    try:
        assert round(1000 * made.bridge.sensors.held["cut_card"]._quiet_after) == debounce
    finally:
        made.close()
