"""A real table, broker and ingest with a key for names: the store names nobody, and the journal proves it."""

import hashlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.journal.files import journal_files
from tests.floor.ingesting import Ingest
from tests.floor.journals import published
from tests.floor.test_kills import play
from tests.kit import broker as real
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import until

brokers = real.brokers  # fixture

PEOPLE = ("ANNA", "Bo Li", "王芳")
KEY = "0123456789abcdef" * 4


@pytest.fixture
def floor(tmp_path: Path, brokers: Any) -> Iterator[tuple[DaemonTable, Ingest]]:
    broker = brokers(persistence=True)
    daemon, ingest = DaemonTable(tmp_path, broker.port), Ingest(tmp_path, broker.port)
    (tmp_path / "key").write_text(KEY + "\n")
    config = tmp_path / "floor.toml"
    config.write_text(config.read_text() + f'pseudonym_key_file = "{tmp_path / "key"}"\n')
    yield daemon, ingest
    ingest.end()
    daemon.close()


@pytest.mark.story
def test_nobody_is_named_and_every_message_is_that_of_the_journal(
    floor: tuple[DaemonTable, Ingest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    daemon, ingest = floor
    ingest.start()
    daemon.start()
    play(daemon, 2)
    anna, bo, fang = PEOPLE
    daemon.ask(do="dealer", dealer=fang, by=anna)
    play(daemon, 1)
    daemon.pull("Ks")
    until(lambda: daemon.ask(do="status")["table"]["slots"])
    assert daemon.ask(do="void", why="misdeal", by=bo)["ok"]
    assert daemon.ask(do="close_shoe", by=anna)["ok"]
    daemon.until(lambda: len(ingest.kept()) == len(published(daemon.journal_dir)) > 15)
    assert ingest.end(signal.SIGTERM) == 0
    daemon.stop()
    wanted = published(daemon.journal_dir)
    hidden, said = Names(KEY.encode()), b"".join(each.payload for each in wanted)
    assert all(name.encode() in said for name in PEOPLE)
    exports = []
    for number, path in enumerate(journal_files(daemon.journal_dir)):
        exports.append(str(tmp_path / f"export-{number}"))
        assert shoe(["journal", "export", "--dir", str(daemon.journal_dir), str(path), "-o", exports[-1]]) == 0
    assert shoe_floor(["--config", str(tmp_path / "floor.toml"), "backfill", *exports]) == 0
    assert "0 in conflict" in capsys.readouterr().out
    store = SqliteStore(ingest.path)
    rows = {each[:5]: each[7:] for each in store.rows("messages", None, None)}
    text = "".join(str(each) for each in rows.values())
    assert not any(name in text for name in PEOPLE)
    assert all(hidden.pseudonym(name) in text for name in PEOPLE)
    assert f'"code":"closed","values":{{"by":"{hidden.pseudonym(anna)}"}}' in text
    for each in wanted:
        came_as, body = rows[each.topic, "T07", each.journal, each.seq, each.n]
        assert came_as == hashlib.sha256(each.payload).hexdigest() or (came_as, body) == (None, each.payload.decode())
    assert (len(rows), store.count("conflicts"), store.count("quarantine")) == (len(wanted), 0, 0)
    store.close()
