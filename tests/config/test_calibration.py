import os
import tomllib
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.config.calibration import (
    Calibration,
    Count,
    CountSection,
    CutCardSection,
    Pulses,
    ReaderSection,
    Reading,
    calibrated,
    found,
    keep,
    load,
    save,
    undone,
)
from firmware_bridge.errors import ConfigError

AT = "2026-11-20T21:33:05Z"


def reader(threshold: int, by: str = "anna") -> ReaderSection:
    measured = Reading(cards=20, decode_rate=1.0, dark=120.5, white=3_000, black=600, noise=14.2, lamp=200)
    return ReaderSection(at=AT, by=by, before={"threshold": 512}, after={"threshold": threshold}, measured=measured)


FULL = Calibration(
    reader=reader(1_700, 'O"Neil\n\\\x7f\x85\u2028'),
    cut_card=CutCardSection(
        at=AT,
        by="bo",
        after={"debounce_ms": 10, "min_dwell_ms": 4},
        measured=Pulses(passes=5, card_longest=1.5, cut_shortest=12.0, cut_longest=30.0, bounce_longest=0.5),
    ),
    lamps=CountSection(at=AT, by="bo", after={"P1": True}, measured=Count(tried=8, good=8)),
    pack=CountSection(at=AT, by="bo", measured=Count(tried=52, good=52, decode_rate=1.0, lot=7)),
)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    for record in (Calibration(), FULL, calibrated(FULL, "reader", reader(1_800))):
        save(path, record)
        assert load(path) == record
        tomllib.loads(path.read_text())
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_table_that_was_never_calibrated_has_an_empty_record(tmp_path: Path) -> None:
    assert load(tmp_path / "calibration.toml") == Calibration()
    (tmp_path / "file").touch()  # where the directory should be: who needs the directory says so
    assert load(tmp_path / "file" / "calibration.toml") == Calibration()


@pytest.mark.parametrize(
    "text",
    ["[reader", '[reader]\nat = "now"', "[reader]\nat = 3", b"\xff", '[reader]\nat = "x"\nby = "y"\nmeasured = 1'],
)
def test_a_record_that_makes_no_sense_is_refused_with_a_remedy(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "calibration.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match="calibrate again"):
        load(path)


CUT = (
    "[cut_card.measured]\npasses = 1\ncard_longest = 1.0\ncut_shortest = 1.0\ncut_longest = %s\nbounce_longest = 1.0\n"
)

# section, a key of it that is wrong, and as what it is told
WRONG = [
    ("reader", "[reader.after]\nmin_quality = 'hi'", "`$.reader.after.min_quality`"),
    ("reader", "[reader.after]\nmin_quality = 256", "`$.reader.after.min_quality`"),
    ("reader", "[reader.before]\nthreshold = -1", "`$.reader.before.threshold`"),
    ("reader", "[reader.measured]\ncards = 1\ndecode_rate = nan", "`$.reader.measured.decode_rate`"),
    ("reader", "[reader.measured]\ncards = 1\ndecode_rate = 1.0\nlamp = 1e9", "`$.reader.measured.lamp`"),
    ("reader", "[reader.measured]\ncards = 1\ndecode_rate = 1.0\nquality_sd = inf", "`$.reader.measured.quality_sd`"),
    ("cut_card", "[cut_card.after]\ndebounce_ms = 'x'", "`$.cut_card.after.debounce_ms`"),
    ("cut_card", "[cut_card.after]\ndebounce_ms = nan", "`$.cut_card.after.debounce_ms`"),
    ("cut_card", "[cut_card.after]\ndebounce_ms = -5", "`$.cut_card.after.debounce_ms`"),
    ("cut_card", "[cut_card.after]\ndebounce_ms = true", "`$.cut_card.after.debounce_ms`"),
    ("cut_card", "[cut_card.after]\nmin_dwell_ms = 10000000", "`$.cut_card.after.min_dwell_ms`"),
    ("cut_card", CUT % "inf", "`$.cut_card.measured.cut_longest`"),
    ("lamps", "[lamps.after]\nP1 = nan", "`$.lamps.after[...]`"),
    ("pack", "[pack.measured]\ntried = 1\ngood = 'all'", "`$.pack.measured.good`"),
]


@pytest.mark.parametrize(("section", "wrong", "key"), WRONG)
def test_the_key_that_is_out_of_its_limits_is_named(tmp_path: Path, section: str, wrong: str, key: str) -> None:
    path = tmp_path / "calibration.toml"
    path.write_text(f'[{section}]\nat = "{AT}"\nby = "bo"\n{wrong}\n')
    with pytest.raises(ConfigError) as raised:
        load(path)
    assert key in raised.value.what


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    save(path, FULL)
    with pytest.raises(ValueError, match="threshold"):
        save(path, calibrated(FULL, "reader", reader(-1)))
    assert load(path) == FULL


def test_undo_gives_back_the_record_before(tmp_path: Path) -> None:
    renewed = calibrated(FULL, "reader", reader(1_800))
    assert renewed.reader
    assert renewed.reader.after == {"threshold": 1_800}
    assert undone(renewed, "reader") == FULL
    assert undone(undone(renewed, "reader"), "reader").reader is None


def test_only_one_record_before_is_kept() -> None:
    thrice = FULL
    for threshold in (1_800, 1_900, 2_000):
        thrice = calibrated(thrice, "reader", reader(threshold))
    assert thrice.reader
    assert thrice.reader.previous
    assert thrice.reader.previous.after == {"threshold": 1_900}
    assert thrice.reader.previous.previous is None


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_save_that_breaks_off_leaves_the_record_before(tmp_path: Path, broken: str, mocker: MockerFixture) -> None:
    path = tmp_path / "calibration.toml"
    save(path, FULL)
    mocker.patch.object(*((os, "fsync") if broken == "fsync" else (Path, "replace")), side_effect=OSError(28, "full"))
    with pytest.raises(OSError):
        save(path, Calibration())
    mocker.stopall()
    assert load(path) == FULL
    save(path, Calibration())
    assert load(path) == Calibration()


def test_a_calibration_that_would_be_read_otherwise_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    save(path, FULL)
    before = path.read_bytes()
    other = CountSection(at=AT, by="eve", after={"x = 1\n[lamps]\ny": 2}, measured=Count(tried=1, good=1))
    with pytest.raises(ValueError, match="missing required field"):
        save(path, Calibration(pack=other))
    assert path.read_bytes() == before


def test_two_visits_keep_both_their_sections(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    lamps = CountSection(at=AT, by="bo", measured=Count(tried=8, good=8))
    assert keep(path, "reader", reader(1_700)) == keep(path, "lamps", lamps) == ""
    assert load(path) == Calibration(reader=reader(1_700), lamps=lamps)
    assert keep(path, "lamps", None) == ""
    assert found(path) == (Calibration(reader=reader(1_700)), "")


def test_a_damaged_file_is_set_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    path.write_text("reader = 7\n")
    nothing, moved = found(path)
    assert (nothing, "it was moved to" in moved) == (Calibration(), True)
    assert found(path) == (Calibration(), "")
    assert path.with_name("calibration.toml.damaged").read_text() == "reader = 7\n"
