"""A real pseudo-terminal, opened, lost and opened again."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.errors import PortBusy, PortDenied, PortError, PortMissing, PortStalled, PortVanished
from hardware.port import MOST_UNWRITTEN, Port
from hardware.readers.native import NativeDecoder
from hardware.reads import Hello, Read, Repeat
from hardware.sim.board import NativeBoard
from hardware.sim.line_board import LineBoard
from hardware.sim.pty import PtyBoard
from hardware.tty import close_tty, holders, open_tty

PATIENCE = 20  # seconds: for a slow machine, never for a good run


async def until(condition):
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


class Host:
    """A bridge without rules: takes what comes, remembers what it was told."""

    def __init__(self, target):
        self.read, self.lost, self.opened, self.heard = [], [], 0, b""
        self.decoder = NativeDecoder()
        self.port = Port(target, 115_200, asyncio.get_running_loop(), self.hear, self.lost.append, self.resume)
        self.port.start()

    def resume(self):
        self.opened += 1
        self.port.write(self.decoder.resume(self.decoder.last))

    def hear(self, chunk):
        self.heard += chunk
        for message in self.decoder.feed(chunk):
            match message:
                case Read():
                    self.read.append(message.code)
                    self.port.write(self.decoder.acknowledge(message.mark))
                case Repeat():
                    self.port.write(self.decoder.acknowledge(message.mark))
                case Hello():
                    self.port.write(self.decoder.greet(message))


@pytest.fixture
def reader(tmp_path):
    """The stable name of a board's device."""
    return tmp_path / "reader"


def test_cards_over_a_real_pty(reader):
    async def main():
        board = NativeBoard()
        pty = PtyBoard(board, reader)
        host = Host(str(reader))
        for code in range(50):
            board.pull(code)
            pty.tick()
            await until(lambda: board.waiting < 16)
        await until(lambda: len(host.read) == 50 and not board.waiting)
        assert host.read == list(range(50))
        host.port.close()
        assert not host.port.is_open
        assert not host.port.write(b"late")
        pty.close()
        assert not reader.is_symlink()

    asyncio.run(main())


def test_bytes_that_waited_before_the_open_are_kept(reader):
    async def main():
        board = LineBoard()
        pty = PtyBoard(board, reader)
        board.pull("A17")
        pty.tick()
        await asyncio.sleep(0.02)
        host = Host(str(reader))
        await until(lambda: host.heard == b"A17\r\n")
        host.port.close()
        pty.close()

    asyncio.run(main())


def test_a_second_open_is_refused_and_names_who_has_it(reader):
    async def main():
        pty = PtyBoard(NativeBoard(), reader)
        other = await asyncio.create_subprocess_exec(sys.executable, "-c", OWNER, str(reader), stdout=subprocess.PIPE)
        assert await other.stdout.readline() == b"open\n"
        with pytest.raises(PortBusy, match=rf"in use by .*\(pid {other.pid}\): stop it"):
            open_tty(str(reader), 115_200)
        assert any(str(other.pid) in who for who in holders(str(reader)))
        # The board holds the device too, but not the right to it: after kill -9 that is free.
        other.send_signal(signal.SIGKILL)
        await other.wait()
        host = Host(str(reader))
        await until(lambda: host.port.is_open)
        host.port.close()
        pty.close()

    asyncio.run(main())


OWNER = """
import sys, time
from hardware.tty import open_tty
port = open_tty(sys.argv[1], 115200)
print("open", flush=True)
time.sleep(60)
"""


def test_after_kill_9_of_an_owner_a_daemon_without_root_opens_it_again():
    async def main():
        pty = PtyBoard(NativeBoard())
        Path(pty.path).chmod(0o666)
        owner = await asyncio.create_subprocess_exec(sys.executable, "-c", OWNER, pty.path, stdout=subprocess.PIPE)
        assert await owner.stdout.readline() == b"open\n"
        assert await opened_by_nobody(pty.path) == "busy"
        owner.send_signal(signal.SIGKILL)
        await owner.wait()
        async with asyncio.timeout(PATIENCE):
            while await opened_by_nobody(pty.path) != "open":
                await asyncio.sleep(0.01)
        pty.close()

    asyncio.run(main())


async def opened_by_nobody(path):
    # Root may open what is exclusive; the daemon is not root.
    nobody = {"user": 65534} if os.getuid() == 0 else {}
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


def test_an_unplugged_reader_is_told_at_once_and_opened_again(reader):
    async def main():
        board = NativeBoard()
        pty = PtyBoard(board, reader)
        host = Host(str(reader))
        board.pull(1)
        await until(lambda: host.read == [1] and not board.waiting)
        pty.unplug()
        await until(lambda: host.lost)
        assert not host.port.is_open
        board.pull(2)
        await asyncio.sleep(0.3)
        board.pull(3)
        pty.plug()
        await until(lambda: host.read == [1, 2, 3])
        assert [type(why) for why in host.lost] == [PortVanished]
        assert "check the reader's cable" in str(host.lost[0])
        assert host.opened == 2
        host.port.close()
        pty.close()

    asyncio.run(main())


def test_a_missing_reader_is_told_once_and_waited_for(reader):
    async def main():
        host = Host(str(reader))
        await until(lambda: host.lost)
        await asyncio.sleep(0.7)
        assert [type(why) for why in host.lost] == [PortMissing]
        assert "check its cable and [reader] port" in str(host.lost[0])
        pty = PtyBoard(NativeBoard(), reader)
        await until(lambda: host.port.is_open)
        host.port.close()
        pty.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("number", "error", "remedy"),
    [
        (13, PortDenied, "usermod -aG dialout"),
        (16, PortBusy, "stop it"),
        (2, PortMissing, "check its cable"),
        (5, PortError, "check"),
    ],
)
def test_each_reason_has_its_remedy(mocker, number, error, remedy):
    mocker.patch("os.open", side_effect=OSError(number, os.strerror(number)))
    with pytest.raises(error, match=remedy):
        open_tty("/dev/ttyUSB9", 115_200)


def test_a_device_without_bytes_does_not_look_like_its_end():
    master, slave = os.openpty()
    port = open_tty(os.ttyname(slave), 115_200)
    with pytest.raises(BlockingIOError):
        os.read(port.fileno(), 10)
    close_tty(port)
    os.close(slave)
    os.close(master)


def test_a_file_is_no_serial_port(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PortError, match="cannot be opened as a serial port"):
        open_tty(str(tmp_path / "file"), 115_200)


def test_closing_frees_the_device_for_the_next(reader):
    async def main():
        pty = PtyBoard(NativeBoard(), reader)
        for _ in range(2):
            close_tty(open_tty(str(reader), 115_200))
        pty.close()

    asyncio.run(main())


def test_a_reader_that_takes_no_bytes_is_lost_not_waited_for(reader):
    async def main():
        master, slave = os.openpty()  # nobody reads the master
        host = Host(os.ttyname(slave))
        await until(lambda: host.port.is_open)
        while host.port.write(bytes(MOST_UNWRITTEN // 2)):
            pass
        assert [type(why) for why in host.lost] == [PortStalled]
        host.port.close()
        os.close(slave)
        os.close(master)

    asyncio.run(main())


def test_what_a_slow_reader_cannot_take_yet_is_written_later():
    async def main():
        master, slave = os.openpty()
        host = Host(os.ttyname(slave))
        await until(lambda: host.port.is_open)
        sent = 0
        while not host.port._unwritten:
            assert host.port.write(bytes(1000))
            sent += 1000
        taken = 0
        os.set_blocking(master, False)
        async with asyncio.timeout(PATIENCE):
            while taken < sent:
                try:
                    taken += len(os.read(master, 65536))
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        assert taken == sent
        assert not host.port._unwritten
        host.port.close()
        os.close(slave)
        os.close(master)

    asyncio.run(main())


def test_a_reader_on_the_network_is_read_lost_and_found_again():
    async def main():
        board, clients = LineBoard(), []

        async def serve(_, writer):
            clients.append(writer)
            board.pull("A17")
            writer.write(board.tick(0))

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host = Host(f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await until(lambda: host.heard == b"A17\r\n")
        clients[0].close()
        await until(lambda: host.lost)
        await until(lambda: host.heard == 2 * b"A17\r\n")
        assert [type(why) for why in host.lost] == [PortVanished]
        host.port.close()
        clients[1].close()
        server.close()
        await server.wait_closed()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("target", "told"),
    [("socket://127.0.0.1:1", "no reader answers"), ("socket://nowhere", "write socket://host:port")],
)
def test_a_network_reader_that_cannot_be_had_is_told(target, told):
    async def main():
        host = Host(target)
        await until(lambda: host.lost)
        assert told in str(host.lost[0])
        host.port.close()

    asyncio.run(main())
