"""A real broker, a real table and a real ingest, killed in turn: the store has what the journals make, key by key."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.journal.files import journal_files, journal_id
from tests.floor.ingesting import Ingest
from tests.floor.journals import made, published
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import Patience

pytestmark = pytest.mark.story

brokers = real.brokers  # fixture

ROUND = "9s Td Ts Tc"
LIMIT_S = 270.0


@pytest.fixture
def table(tmp_path: Path, brokers: Any) -> Iterator[Callable[..., tuple[DaemonTable, Ingest, Broker]]]:
    parts: list[tuple[DaemonTable, Ingest]] = []

    def make(**options: Any) -> tuple[DaemonTable, Ingest, Broker]:
        broker = brokers(**options)
        parts.append((DaemonTable(tmp_path, broker.port), Ingest(tmp_path, broker.port)))
        return (*parts[-1], broker)

    yield make
    for daemon, ingest in parts:
        ingest.end()
        daemon.close()


def play(daemon: DaemonTable, rounds: int) -> None:
    for _ in range(rounds):
        daemon.deal(ROUND)


def whole(daemon: DaemonTable, ingest: Ingest) -> None:
    """Wait until the store has what the journals make; then nothing else is in it."""
    patience = Patience(LIMIT_S)
    while ingest.kept() != (wanted := made(published(daemon.journal_dir))):
        missing = sorted(set(wanted) - set(ingest.kept()), key=str)
        assert not patience.is_over, f"{len(missing)} missing: {missing[:5]}; {ingest.log}"
        daemon.pause(0.2)
    assert len(wanted) > 20
    daemon.until(lambda: ingest.counts() == (0, 0, 0))


def test_the_store_has_what_the_journals_make(table: Callable[..., tuple[DaemonTable, Ingest, Broker]]) -> None:
    daemon, ingest, _ = table(persistence=True)
    ingest.start()
    daemon.start()
    play(daemon, 3)
    whole(daemon, ingest)
    assert ingest.end(signal.SIGTERM) == 0


def test_what_was_said_before_the_ingest_came_is_asked_for(
    table: Callable[..., tuple[DaemonTable, Ingest, Broker]],
) -> None:
    daemon, ingest, _ = table()
    daemon.start()
    play(daemon, 3)
    ingest.start()
    whole(daemon, ingest)
    assert ingest.log.count("asked table T07 for") == 1  # its history comes once
    assert "asked table T07 for everything since 1970" in ingest.log


def test_an_entry_that_the_tables_disk_lost_hides_no_other(
    table: Callable[..., tuple[DaemonTable, Ingest, Broker]],
) -> None:
    daemon, ingest, _ = table()
    daemon.start()
    play(daemon, 12)
    wanted = made(published(daemon.journal_dir))
    newest = journal_files(daemon.journal_dir)[-1]
    with newest.open("r+b") as file:  # a sector of its second line
        file.seek(file.read().index(b'"seq":2,'))
        file.write(b"?")
    damaged = {key for key in wanted if (key[2], key[3]) == (journal_id(newest), 2)}
    ingest.start()
    daemon.until(lambda: ingest.kept().keys() >= wanted.keys() - damaged)
    daemon.until(lambda: "refuses to send again: an entry cannot be read" in ingest.log)
    play(daemon, 1)
    daemon.until(lambda: len(ingest.kept()) > len(wanted))
    daemon.until(lambda: ingest.counts() == (0, 0, 1))
    assert not ingest.kept().keys() & damaged


def test_a_backfill_of_an_export_brings_the_bytes_that_the_table_published(
    table: Callable[..., tuple[DaemonTable, Ingest, Broker]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    daemon, ingest, _ = table()
    daemon.start()
    play(daemon, 3)
    daemon.stop()
    exports = []
    for number, path in enumerate(journal_files(daemon.journal_dir)):
        exports.append(str(tmp_path / f"export-{number}"))
        assert shoe(["journal", "export", "--dir", str(daemon.journal_dir), str(path), "-o", exports[-1]]) == 0
    words = ["--config", str(tmp_path / "floor.toml"), "backfill", *exports]
    assert shoe_floor(words) == shoe_floor(words) == 0
    assert ": 0 new" in capsys.readouterr().out
    assert ingest.kept() == made(published(daemon.journal_dir))
    assert ingest.counts() == (0, 0, 0)


def test_kills_of_ingest_and_broker_lose_nothing(table: Callable[..., tuple[DaemonTable, Ingest, Broker]]) -> None:
    daemon, ingest, broker = table()  # without persistence: a killed broker forgets the session and what it held
    ingest.start()
    daemon.start()
    for kill in ("ingest", "broker", "both", "daemon", "ingest", "broker"):
        play(daemon, 2)
        if kill in ("ingest", "both"):
            ingest.end()
        if kill in ("broker", "both"):
            broker.kill()
        if kill == "daemon":
            daemon.kill()
            daemon.start()
        play(daemon, 1)
        if kill in ("broker", "both"):
            broker.start()
        if kill in ("ingest", "both"):
            ingest.start()
    play(daemon, 1)
    whole(daemon, ingest)
