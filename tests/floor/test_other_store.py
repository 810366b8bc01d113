"""A store of another format: every command refuses it, and writes nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store import FORMAT, OLDEST, OtherFormat
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.kit.trees import tree

COMMANDS = [
    "ingest",
    "metrics",
    "page",
    "prepare",
    "export rounds",
    "backup copy",
    "expire",
    "backfill some.journal",
    "report day",
    "rebuild facts",
    "close quarantine --by ANNA --why junk",
]


HINTS = {
    OLDEST - 1: "install the version that made it, or set another store in [store] of floor.toml",
    FORMAT - 1: "stop what uses it, then run shoe-floor migrate, which keeps a backup; --dry-run only looks",
    FORMAT + 1: "install the version that made it, or set another store in [store] of floor.toml",
}


@pytest.fixture(params=HINTS)
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def config(tmp_path: Path, version: int) -> Path:
    path, config = tmp_path / "floor.db", tmp_path / "floor.toml"
    SqliteStore(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"pragma user_version = {version}")
    nowhere = '[mqtt]\nhost = "127.0.0.1"\nport = 9\n'
    config.write_text(f'[store]\npath = "{path}"\nkeep_years = 7\n{nowhere}')
    return config


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_refused(
    config: Path, version: int, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    before = tree(config.parent)
    assert main(["--config", str(config), *command.split()]) == 78
    assert capsys.readouterr().err == (
        f"shoe-floor: {config.parent}/floor.db is a store of format {version}, but this shoe-floor needs "
        f"format {FORMAT}; {HINTS[version]}\n"
    )
    assert tree(config.parent) == before


def test_the_check_says_so(
    config: Path, version: int, capsys: pytest.CaptureFixture[str], mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.floor.check.ANSWER_S", 0.2)  # no broker is there
    before = tree(config.parent)
    assert main(["--config", str(config), "check"]) == 1
    assert f"floor.db is a store of format {version}, but this shoe-floor" in capsys.readouterr().out
    assert tree(config.parent) == before


def test_a_server_that_comes_back_with_another_format_ends_the_ingest(
    tmp_path: Path, mocker: MockerFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "floor.toml"
    config.write_text('[store]\nurl = "postgresql://x@127.0.0.1/x"\n[mqtt]\nhost = "127.0.0.1"\nport = 9\n')
    gone = StoreError("no server", "wait")
    mocker.patch("firmware_bridge.floor.service.open_store", side_effect=[gone, gone, OtherFormat("the server", 7)])
    assert main(["--config", str(config), "ingest"]) == 78
    assert "the server is a store of format 7" in capsys.readouterr().err


def test_no_unit_starts_again_what_another_format_ended() -> None:
    units = [each.read_text().splitlines() for each in Path(__file__).parents[2].glob("systemd/shoe-floor-*.service")]
    started = [each for each in units if any(line.startswith("Restart=") for line in each)]
    assert len(started) == 5
    assert all("RestartPreventExitStatus=78" in each for each in started)
