"""A clock that jumped, and journals that are old only by it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import event

OLD = "2001-01-01T00:00:00.000Z"


def days_ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("sent", "came", "deletes"),
    [
        pytest.param(4000, 4000, False, id="the clock jumped and nothing came since"),
        pytest.param(4000, 0, False, id="the clock jumped and something came since"),
        pytest.param(91, 0, False, id="by the shoes nothing was played for 91 days"),
        pytest.param(0, 91, False, id="nothing came for 91 days"),
        pytest.param(80, 80, True, id="nothing was played for 80 days"),
    ],
)
def test_a_clock_far_ahead_of_every_message_deletes_nothing(
    sent: int, came: int, deletes: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = SqliteStore(tmp_path / "floor.db")
    old = event(1)._replace(at=OLD, received_at=OLD)
    new = event(1, journal="4-6b")._replace(at=days_ago(sent), received_at=days_ago(came))
    store.save([old, new], [], [Progress(each.key, 3, 1, 1) for each in (old, new)])
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\nkeep_years = 10\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "expire"]) == (0 if deletes else 1)
    assert store.count("messages") == (1 if deletes else 2)
    assert ("set the clock;" in capsys.readouterr().err) == (not deletes)
    store.close()
