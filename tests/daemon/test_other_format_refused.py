"""An update from a version with another format of the journal: check and start refuse it, and write nothing."""

import json
from pathlib import Path

import pytest

from firmware_bridge.journal.cursor import Cursor, CursorFile
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.daemon_table import SHOWS_DAMAGE_BRIEFLY, DaemonTable
from tests.kit.trees import tree

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures

LINE = b'%d\t00000000\t%b\t{"v":1}\t{"input":{"type":"TimePassed","at":0}}\n'


@pytest.mark.parametrize("version", [2, 5])
def test_another_format_is_refused_by_check_and_start(
    tmp_path: Path, broker: Broker, shoe: command.Run, version: int
) -> None:
    table = DaemonTable(tmp_path, broker.port)
    table.code = SHOWS_DAMAGE_BRIEFLY
    table.journal_dir.mkdir(mode=0o700)
    (table.journal_dir / "00000001-0123456789ab.journal").write_bytes(LINE % (version, b"0" * 64) * 5)
    cursor = CursorFile(table.journal_dir / "cursor")
    cursor.store(Cursor("1-0123456789ab", 3))
    cursor.close()
    before = tree(table.journal_dir)

    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    (found,) = [each for each in checks if each["name"] == "journal"]
    text = f"00000001-0123456789ab.journal is a journal of format {version}, and this version reads formats 3 and 4"
    assert (found["level"], found["text"]) == ("FAIL", text)
    assert "install the version that wrote it; if you cannot, continue with a new record: sudo" in found["remedy"]
    assert tree(table.journal_dir) == before

    try:
        assert table.start().fallen() == 78
        assert table.log.splitlines()[-1] == f"shoe: {text}; {found['remedy']}"
        after = tree(table.journal_dir)
        assert after | {".": before["."]} == before  # without a unit the control socket was there for a while
    finally:
        table.close()
    ran = shoe("journal", "verify", "--dir", table.journal_dir)
    assert (ran.code, f"line format b'{version}' is not b'3' or b'4'" in ran.out) == (1, True)
