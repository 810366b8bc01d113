"""An update from a version that wrote its journal in an older format: log, status and check say what becomes of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.journal.cursor import Cursor, CursorFile
from tests import broker as real
from tests.broker import Broker
from tests.system import command
from tests.system.table import DaemonTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures

LINE = b'1\t00000000\t%b\t{"v":1}\t{"input":{"type":"TimePassed","at":0}}\n' % (b"0" * 64)


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    """A table whose older software has left a shoe of five entries, three of them delivered."""
    table = DaemonTable(tmp_path, broker.port)
    table.journal_dir.mkdir(mode=0o700)
    (table.journal_dir / "00000001-0123456789ab.journal").write_bytes(LINE * 5)
    cursor = CursorFile(table.journal_dir / "cursor")
    cursor.store(Cursor("1-0123456789ab", 3))
    cursor.close()
    yield table
    table.close()


def test_an_older_record_is_told_by_check_log_and_status_and_a_new_one_begins(
    table: DaemonTable, shoe: command.Run
) -> None:
    told = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    (found,) = [each for each in told if each["name"] == "journal"]
    assert (found["level"], "the next start of the daemon moves it" in found["text"]) == ("WARN", True)

    status = table.start().ask(do="status")
    aside = table.journal_dir / "v1"
    assert status["older_record"] == str(aside)
    assert f"an older record is in {aside}" in shoe("status", "--config", table.config_path).out
    assert f"are now in {aside}" in table.log
    assert "up to entry 3 of 1-0123456789ab" in table.log
    assert sorted(path.name for path in aside.iterdir()) == ["00000001-0123456789ab.journal", "cursor"]
    table.deal("9s Td Ts Tc")
    assert table.lines()[-1].public.shoe == 1
    ran = shoe("journal", "verify", "--dir", aside)
    assert (ran.code, "line format b'1' is not b'2'; read it with the software that wrote it" in ran.out) == (1, True)
    assert table.stop() == 0
    table.start()
    assert table.ask(do="status")["older_record"] == str(aside)
    told = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    assert [each["level"] for each in told if each["name"] == "journal"] == ["OK"]
