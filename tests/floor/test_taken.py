from pathlib import Path

import pytest
from msgspec import json
from pytest_mock import MockerFixture

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.page import taken
from firmware_bridge.floor.page.taken import AlarmKey, Taken, Takings


def entry(alarm: str, name: str = "ANNA") -> Taken:
    return Taken(1, "T07", alarm, 5, "ANNA", name)


def names(takings: Takings) -> dict[AlarmKey, str]:
    return {key: each.name for key, each in takings.of("T07").items()}


def test_a_file_that_is_full_begins_anew_with_what_counts(tmp_path: Path, mocker: MockerFixture) -> None:
    path = tmp_path / "taken.jsonl"
    takings = Takings(path)
    takings.add([entry("lid_open"), entry("reader_lost")])
    takings.add([entry("lid_open", "")])
    before = path.read_bytes()
    mocker.patch.object(taken, "LARGEST", 1)
    takings.add([entry("cut_card_early")])
    assert (tmp_path / "taken.jsonl.before").read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o600
    fresh = Takings(path)
    fresh.refresh()
    assert names(fresh) == names(takings) == {AlarmKey(each, 5): "ANNA" for each in ("reader_lost", "cut_card_early")}


def test_a_power_cut_while_the_file_begins_anew_loses_nobody(tmp_path: Path, mocker: MockerFixture) -> None:
    path = tmp_path / "taken.jsonl"
    takings = Takings(path)
    takings.add([entry("lid_open")])
    mocker.patch.object(taken, "LARGEST", 1)
    mocker.patch.object(taken, "write_whole", side_effect=OSError("the power is gone"))
    with pytest.raises(ConfigError, match="cannot be written"):
        takings.add([entry("reader_lost")])
    fresh = Takings(path)
    fresh.refresh()
    assert names(fresh) == {AlarmKey("lid_open", 5): "ANNA"}


@pytest.mark.parametrize("torn", [b"{", b'{"at":1,"table"'])
def test_an_entry_behind_one_that_a_power_cut_tore_is_read(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "taken.jsonl"
    path.write_bytes(torn)
    Takings(path).add([entry("lid_open")])
    fresh = Takings(path)
    fresh.refresh()
    assert names(fresh) == {AlarmKey("lid_open", 5): "ANNA"}


def test_each_entry_is_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "taken.jsonl"
    for alarm in ("lid_open", "reader_lost"):
        Takings(path).add([entry(alarm)])
    assert [json.decode(line)["alarm"] for line in path.read_bytes().splitlines()] == ["lid_open", "reader_lost"]
