"""Commands that read a store: where there is none they make none, and what was saved of it before stays."""

import signal
from pathlib import Path
from threading import Event

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.floor import service
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import FloorConfig, StoreSection
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.floor.store.sqlite import SqliteStore


@pytest.mark.parametrize("left", [None, b""], ids=["nothing", "an empty file"])
@pytest.mark.parametrize("command", ["backup", "export", "check", "expire"])
def test_where_there_is_no_store_none_is_made(
    command: str, left: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str], mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.floor.check.ANSWER_S", 0.2)  # nobody is at port 1
    config, path, backup = tmp_path / "floor.toml", tmp_path / "away ?#%41.db", tmp_path / "backup.db"
    config.write_text(f'[mqtt]\nport = 1\n[store]\npath = "{path}"\nkeep_years = 10\n')
    backup.write_bytes(b"yesterday's")
    if left is not None:
        path.write_bytes(left)
    words = ["--config", str(config), command, *{"backup": [str(backup)], "export": ["messages"]}.get(command, [])]
    assert main(words) == 1
    printed = capsys.readouterr()
    assert f"there is no store at {path}" in (printed.out if command == "check" else printed.err)
    assert backup.read_bytes() == b"yesterday's"
    assert (path.read_bytes() if path.exists() else None) == left
    assert {each.name for each in tmp_path.iterdir()} - {path.name} == {backup.name, config.name}
    assert main(["--config", str(config), "prepare"]) == 0
    assert main(words) == (1 if command == "check" else 0)
    assert "there is no store" not in capsys.readouterr().err


def test_a_backup_is_its_owners_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "floor.db")
    store.backup(tmp_path / "backup.db")
    store.close()
    assert (tmp_path / "backup.db").stat().st_mode & 0o777 == 0o600


def test_an_ingest_that_goes_on_after_a_fault_makes_no_store_in_place_of_one_that_is_gone(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    path, gone = tmp_path / "floor.db", tmp_path / "away.db"
    really, stop = open_store, Event()

    def opened(config: FloorConfig, *, make: bool = False) -> Store:
        if gone.exists():
            stop.set()
        elif path.exists():
            path.rename(gone)
            raise StoreError("the disk is gone", "look at it")
        return really(config, make=make)

    mocker.patch.object(service, "open_store", opened)
    mocker.patch.object(service, "Event", return_value=stop)
    mocker.patch.object(service, "FIRST_S", 0.01)
    mocker.patch.object(signal, "signal")
    assert service.run(FloorConfig(store=StoreSection(path=str(path)))) == 0
    assert [each.name for each in tmp_path.iterdir()] == [gone.name]
