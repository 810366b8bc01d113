"""`shoe check`: the disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from tests.cli.check import checked
from tests.cli.check.checked import Checked
from tests.kit import broker as real
from tests.kit import command

broker, brokers, shoe, check = real.broker, real.brokers, command.shoe, checked.check  # fixtures


def test_a_disk_that_is_open_to_others_or_nearly_full(check: Checked) -> None:
    check.table.journal_dir.chmod(0o755)
    found = check(journal={"warn_mb": 10**9})["disk"]
    assert [each["level"] for each in found] == ["WARN", "WARN", "OK"]
    assert found[0]["remedy"] == f"sudo chmod 0700 {check.table.journal_dir}"
    assert "[journal] keep_days" in found[1]["remedy"]


def test_a_disk_that_is_missing_broken_or_slow(check: Checked, mocker: Any, tmp_path: Path) -> None:
    new = check.one("disk", journal={"dir": str(tmp_path / "new" / "journal")})
    if os.geteuid():
        assert new == ("OK", f"{tmp_path}/new/journal will be made at the first start", "")
    else:
        assert new[:2] == (
            "WARN",
            f"{tmp_path}/new/journal does not exist yet; not tried whether shoe-bridge can make it",
        )
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").touch()
    checks = check(journal={"dir": str(tmp_path / "file")})
    assert [each["text"] for each in checks["disk"]] == [f"[journal] dir = {tmp_path}/file is a file"]
    assert "journal" not in checks
    others = [each for name in ("daemon", "calibrated") for each in checks[name]]
    assert not any(each["level"] == "FAIL" or "Not a directory" in each["text"] for each in others)
    level, text, _ = check.one("disk", journal={"dir": "/proc/x"})
    assert (level, text.partition(" (")[0]) == ("FAIL", "/proc/x does not exist, and cannot be made in /proc")
    level, _, remedy = check.one("disk", journal={"dir": str(tmp_path / "file" / "journal")})
    assert (level, remedy.split()[:3]) == ("FAIL", ["sudo", "install", "-d"])
    mocker.patch("os.fdatasync", side_effect=OSError(errno.EIO, "Input/output error"))
    assert "cannot be written (Input/output error)" in check()["disk"][-1]["text"]
    mocker.stopall()
    mocker.patch("firmware_bridge.cli.check.disk.SLOW_MS", -1.0)
    assert "use a faster SD card" in check()["disk"][-1]["remedy"]
