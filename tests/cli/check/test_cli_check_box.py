"""What `shoe check` says of the Pi's clock, disk, supply and heat."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.cli.check.board import clock, pi
from firmware_bridge.cli.check.disk import disk, mount
from tests.cli.check import machines
from tests.cli.check.machines import NOW, PI4, Make, only

machine = machines.machine  # fixture


@pytest.mark.parametrize(
    ("files", "output", "level", "text"),
    [
        ({}, "yes\n", "OK", "synchronised"),
        ({"run/systemd/timesync/synchronized": ""}, "", "OK", "synchronised"),
        ({}, "no\n", "WARN", "not synchronised"),
        ({}, "", "WARN", "cannot tell"),
    ],
)
def test_the_clock(machine: Make, files: dict[str, str], output: str, level: str, text: str) -> None:
    found = only(clock, machine(files, timedatectl=output))
    assert (found.level, text in found.text) == (level, True)


def test_a_clock_behind_the_record(machine: Make, tmp_path: Path) -> None:
    path = tmp_path / "00000001-a.journal"
    path.touch()
    os.utime(path, (NOW + 3600, NOW + 3600))
    assert "the clock is 60 minutes behind the record" in next(clock(machine(timedatectl="yes"))).text


def test_the_shift_and_the_local_time_it_follows_from(machine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    shifts = {"day": "08:00", "evening": "16:00", "night": "00:00"}
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "CST-8")
        time.tzset()
        found = list(clock(machine(timedatectl="yes", table={"id": "T07", "shifts": shifts})))
    time.tzset()
    assert [each.text for each in found] == [
        "synchronised",
        "18:13 local time, UTC +8 h: shift evening of 2026-06-09",
    ]


@pytest.mark.parametrize(
    ("mounts", "cmdline", "level", "text"),
    [
        ("/dev/mmcblk0p2 / ext4 rw,noatime 0 0", "", "OK", "ext4 on /dev/mmcblk0p2 at /"),
        ("/dev/a / ext4 rw 0 0\ntmpfs {} tmpfs rw 0 0", "", "FAIL", "is in memory (tmpfs at"),
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0", "", "FAIL", "is mounted read-only (/dev/mmcblk0p2 at /)"),
        ("overlay / overlay rw 0 0", "console=tty1 boot=overlay", "FAIL", "is in memory (overlay"),
        ("overlay / overlay rw 0 0", "", "OK", "overlay"),
        ("nas:/x {} nfs4 rw 0 0", "", "WARN", "is on the network"),
    ],
)
def test_what_the_journal_is_on(
    machine: Make, tmp_path: Path, mounts: str, cmdline: str, level: str, text: str
) -> None:
    found = only(mount, machine({"proc/mounts": mounts.format(tmp_path), "proc/cmdline": cmdline}))
    assert (found.level, text in found.text) == (level, True), found


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A real tmpfs of 64 kB."""
    point = tmp_path / "memory"
    point.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", point], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("only root mounts")
    yield point
    subprocess.run(["umount", point], check=True)


def test_a_real_tmpfs_is_found_out(machine: Make, memory: Path) -> None:
    made = machine(journal={"dir": str(memory)})._replace(root=Path("/"))
    assert only(mount, made).text == f"{memory} is in memory (tmpfs at {memory}): a power cut loses every round"


def test_a_disk_that_is_really_full(machine: Make, memory: Path) -> None:
    memory.chmod(0o700)
    (memory / "full").write_bytes(b"x" * 65_536)
    *_, found = disk(machine(journal={"dir": str(memory), "warn_mb": 1}))
    assert found.text == f"{memory} cannot be written (No space left on device)"
    assert "free some space" in found.remedy


@pytest.mark.parametrize(
    ("flags", "millidegrees", "levels", "text"),
    [
        ("0", "45000", ["OK", "OK"], "45 °C"),
        ("1", "45000", ["FAIL", "OK"], "under-voltage now"),
        ("10000", "45000", ["WARN", "OK"], "under-voltage since boot"),
        ("0", "72500", ["OK", "WARN"], "72 °C, near the 80 °C"),
        ("0", "81000", ["OK", "FAIL"], "81 °C: it slows down"),
        ("4", "79000", ["OK", "FAIL"], "it slows down"),
        (None, "45000", ["WARN", "OK"], "cannot tell whether the supply"),
    ],
)
@pytest.mark.parametrize("asked", ["kernel", "vcgencmd"])
def test_supply_and_heat(
    machine: Make, flags: str | None, millidegrees: str, levels: list[str], text: str, asked: str
) -> None:
    files = PI4 | {"sys/class/thermal/thermal_zone0/temp": millidegrees}
    program = ""
    if flags and asked == "kernel":
        files["sys/devices/platform/soc/soc:firmware/get_throttled"] = flags
    elif flags:
        program = f"throttled=0x{flags}\n"
    found = list(pi(machine(files, vcgencmd=program)))
    assert [each.level for each in found] == levels
    assert any(text in each.text for each in found)


def test_another_machine_has_no_supply_to_judge(machine: Make) -> None:
    assert list(pi(machine())) == []
