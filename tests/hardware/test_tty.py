"""Who may open a device, and what those are told who may not."""

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from hardware.errors import PortBusy, PortDenied, PortError, PortMissing
from hardware.holders import holders
from hardware.ports import close_tty, open_tty
from hardware.sim.board import NativeBoard
from hardware.sim.pty import PtyBoard
from tests.hardware.host import Host
from tests.kit.patience import Patience, comes
from tests.kit.process import python


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """The stable name of a board's device."""
    return tmp_path / "reader"


OWNER = """
import sys, time
from hardware.ports import open_tty
port = open_tty(sys.argv[1], 115200)
print("open", flush=True)
time.sleep(60)
"""


async def owner_of(path: str) -> subprocess.Popen[bytes]:
    """Another program that has opened this device."""
    owner = python("-c", OWNER, path, stdout=subprocess.PIPE)
    assert await asyncio.to_thread(owner.stdout.readline) == b"open\n"
    return owner


async def killed(owner: subprocess.Popen[bytes]) -> None:
    owner.kill()
    await comes(lambda: owner.poll() is not None)
    owner.stdout.close()


def test_a_second_open_is_refused_and_names_who_has_it(reader: Path) -> None:
    async def main() -> None:
        pty = PtyBoard(NativeBoard(), reader)
        other = await owner_of(str(reader))
        with pytest.raises(PortBusy, match=rf"in use by .*\(pid {other.pid}\): stop that program"):
            open_tty(str(reader), 115_200)
        assert any(str(other.pid) in who for who in holders(str(reader)))
        # The board holds the device too, but not the right to it: after kill -9 that is free.
        await killed(other)
        host = Host(str(reader))
        await comes(lambda: host.port.is_open)
        host.port.close()
        pty.close()

    asyncio.run(main())


def test_after_kill_9_of_an_owner_a_daemon_without_root_opens_it_again() -> None:
    async def main() -> None:
        pty = PtyBoard(NativeBoard())
        Path(pty.path).chmod(0o666)
        owner = await owner_of(pty.path)
        assert await opened_by_nobody(pty.path) == "busy"
        await killed(owner)
        patience = Patience()
        while await opened_by_nobody(pty.path) != "open":
            assert not patience.is_over
            await asyncio.sleep(0.01)
        pty.close()

    asyncio.run(main())


async def opened_by_nobody(path: str) -> str:
    # Root may open what is exclusive; the daemon is not root.
    nobody: dict[str, Any] = {"user": 65534} if os.getuid() == 0 else {}
    child = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        f"exec 3<>{path} && echo open",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **nobody,
    )
    out, _ = await child.communicate()
    return out.decode().strip() or "busy"


@pytest.mark.parametrize(
    ("number", "error", "remedy"),
    [
        (13, PortDenied, r"adduser \$USER shoe-bridge"),
        (16, PortBusy, "stop that program"),
        (2, PortMissing, "check its cable"),
        (5, PortError, "cannot be opened as a serial port .* check"),
    ],
)
def test_each_reason_has_its_remedy(mocker: MockerFixture, number: int, error: type[PortBusy], remedy: str) -> None:
    mocker.patch("os.open", side_effect=OSError(number, os.strerror(number)))
    with pytest.raises(error, match=remedy):
        open_tty("/dev/ttyUSB9", 115_200)


def test_a_device_without_bytes_does_not_look_like_its_end() -> None:
    master, slave = os.openpty()
    port = open_tty(os.ttyname(slave), 115_200)
    with pytest.raises(BlockingIOError):
        os.read(port.fileno(), 10)
    close_tty(port)
    os.close(slave)
    os.close(master)


def test_a_file_is_no_serial_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PortError, match=r"/file is a file, not a serial port: check \[reader\] port"):
        open_tty(str(tmp_path / "file"), 115_200)


def test_a_directory_is_no_serial_port(tmp_path: Path) -> None:
    with pytest.raises(PortError, match=r" is a directory: check \[reader\] port") as raised:
        open_tty(str(tmp_path), 115_200)
    assert "Errno" not in str(raised.value)


@pytest.mark.parametrize("device", ["/dev/null", "/dev/urandom"])
def test_not_every_device_is_a_serial_port(device: str) -> None:
    with pytest.raises(PortError, match=rf"^{device} is a device, but not a serial port: check \[reader\]") as raised:
        open_tty(device, 115_200)
    assert "ioctl" not in str(raised.value)


def test_closing_frees_the_device_for_the_next(reader: Path) -> None:
    async def main() -> None:
        pty = PtyBoard(NativeBoard(), reader)
        for _ in range(2):
            close_tty(open_tty(str(reader), 115_200))
        pty.close()

    asyncio.run(main())
