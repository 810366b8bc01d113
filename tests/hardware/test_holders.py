"""Who else has a serial port open, as far as anyone may see."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.holders import holders, is_console
from tests.kit.process import python

HOLDS = """
import os, sys, time
held = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
print("holds", flush=True)
time.sleep(60)
"""

LOGIN = """
import os, sys, time
os.setsid()
os.close(os.open(sys.argv[1], os.O_RDWR))
print("holds", flush=True)
time.sleep(60)
"""
"""A program whose terminal is the device, and of which others may see no open file: as of a login."""


@pytest.fixture
def device() -> Iterator[str]:
    master, slave = os.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("code", [HOLDS, LOGIN])
def test_a_program_at_the_port_is_named_but_ours_and_the_other_end_are_not(code: str, device: str) -> None:
    assert holders(device) == []  # we hold both ends of it
    with python("-c", code, device, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"holds\n"
        (found,) = holders(device)
        assert found.endswith(f"(pid {other.pid})")
        assert holders(device, [other.pid]) == []
        assert holders("/dev/null-of-nobody") == []
        other.kill()


@pytest.mark.parametrize(
    ("cmdline", "found"),
    [
        ("console=serial0,115200 console=tty1 root=PARTUUID=1", False),
        ("console=tty1 console=null,9600", True),
        ("root=/dev/null", False),
    ],
)
def test_the_console_of_the_kernel_is_known_by_its_command_line(cmdline: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "cmdline").write_text(cmdline)
    (tmp_path / "reader").symlink_to("/dev/null")
    assert is_console(str(tmp_path / "reader"), tmp_path / "cmdline") is found
    assert not is_console(str(tmp_path / "reader"), tmp_path / "no file")
