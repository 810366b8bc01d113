"""A real pseudo-terminal, opened, lost and opened again."""

import asyncio
import errno
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from hardware.errors import PortError, PortMissing, PortStalled, PortVanished
from hardware.ports import MOST_UNWRITTEN, QUIET, Port
from hardware.readers.line import LineDecoder
from hardware.readers.messages import Read, Unread
from hardware.sim.board import NativeBoard
from hardware.sim.code_boards import LineBoard
from hardware.sim.pty import PtyBoard
from tests.hardware.host import Host
from tests.kit.patience import comes


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """The stable name of a board's device."""
    return tmp_path / "reader"


def test_cards_over_a_real_pty(reader: Path) -> None:
    async def main() -> None:
        board = NativeBoard()
        pty = PtyBoard(board, reader)
        host = Host(str(reader))
        for code in range(50):
            board.pull(code)
            pty.tick()
            await comes(lambda: board.waiting < 16)
        await comes(lambda: len(host.read) == 50 and not board.waiting)
        assert host.read == list(range(50))
        host.port.close()
        assert not host.port.is_open
        assert not host.port.write(b"late")
        pty.close()
        assert not reader.is_symlink()

    asyncio.run(main())


def test_bytes_that_waited_before_the_open_are_kept(reader: Path) -> None:
    async def main() -> None:
        board = LineBoard()
        pty = PtyBoard(board, reader)
        board.pull("A17")
        pty.tick()
        await asyncio.sleep(0.02)
        host = Host(str(reader))
        await comes(lambda: host.heard == b"A17\r\n")
        host.port.close()
        pty.close()

    asyncio.run(main())


@pytest.mark.parametrize(("quiet", "expected"), [(0.0, Unread("unreadable")), (2 * QUIET, Read("A17"))])
def test_a_line_is_believed_when_the_port_was_quiet_before_it_not_when_the_bridge_was_busy(
    reader: Path, quiet: float, expected: Read | Unread
) -> None:
    async def main() -> None:
        pty = PtyBoard(board := LineBoard(), reader)
        decoder = LineDecoder()
        heard: list[object] = []

        def resume() -> None:
            decoder.resume(None)
            time.sleep(2 * QUIET)  # the disk is slow, and a line comes meanwhile
            if not quiet:
                loop.call_soon(print_line_while_busy)

        def print_line_while_busy() -> None:
            print_line()
            time.sleep(QUIET)

        def print_line() -> None:
            board.pull("A17")
            pty.tick()

        def hear(chunk: bytes) -> None:
            heard.extend(decoder.feed(chunk))

        loop = asyncio.get_running_loop()
        port = Port(str(reader), 9_600, loop, hear, heard.append, resume)
        port.start()
        await comes(lambda: port.is_open)
        if quiet:
            await asyncio.sleep(quiet)
            print_line()
        await comes(lambda: heard)
        assert heard == [expected]
        port.close()
        pty.close()

    asyncio.run(main())


def test_an_unplugged_reader_is_reported_at_once_and_opened_again(reader: Path) -> None:
    async def main() -> None:
        board = NativeBoard()
        pty = PtyBoard(board, reader)
        host = Host(str(reader))
        board.pull(1)
        await comes(lambda: host.read == [1] and not board.waiting)
        pty.unplug()
        await comes(lambda: host.lost)
        assert not host.port.is_open
        board.pull(2)
        await asyncio.sleep(0.3)
        board.pull(3)
        pty.replug()
        await comes(lambda: host.read == [1, 2, 3])
        assert [type(why) for why in host.lost] == [PortVanished]
        assert "check the reader's cable" in str(host.lost[0])
        assert host.opened == 2
        host.port.close()
        pty.close()

    asyncio.run(main())


def test_a_missing_reader_is_reported_once_and_waited_for(reader: Path) -> None:
    async def main() -> None:
        host = Host(str(reader))
        await comes(lambda: host.lost)
        await asyncio.sleep(0.7)
        assert [type(why) for why in host.lost] == [PortMissing]
        assert "check its cable and [reader] port" in str(host.lost[0])
        pty = PtyBoard(NativeBoard(), reader)
        await comes(lambda: host.port.is_open)
        host.port.close()
        pty.close()

    asyncio.run(main())


def test_a_reader_that_takes_no_bytes_is_lost_not_waited_for(reader: Path) -> None:
    async def main() -> None:
        master, slave = os.openpty()  # nobody reads the master
        host = Host(os.ttyname(slave))
        await comes(lambda: host.port.is_open)
        while host.port.write(bytes(MOST_UNWRITTEN // 2)):
            pass
        assert [type(why) for why in host.lost] == [PortStalled]
        host.port.close()
        os.close(slave)
        os.close(master)

    asyncio.run(main())


def test_what_a_slow_reader_cannot_take_yet_is_written_later() -> None:
    async def main() -> None:
        master, slave = os.openpty()
        host = Host(os.ttyname(slave))
        await comes(lambda: host.port.is_open)
        sent = 0
        while not host.port._unwritten:
            assert host.port.write(bytes(1000))
            sent += 1000
        taken = 0
        os.set_blocking(master, False)

        def took() -> bool:
            nonlocal taken
            with suppress(BlockingIOError):
                taken += len(os.read(master, 65536))
            return taken >= sent

        await comes(took, look_s=0.001)
        assert taken == sent
        assert not host.port._unwritten
        host.port.close()
        os.close(slave)
        os.close(master)

    asyncio.run(main())


def test_a_reader_on_the_network_is_read_lost_and_found_again() -> None:
    async def main() -> None:
        board = LineBoard()
        clients: list[asyncio.StreamWriter] = []

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            clients.append(writer)
            board.pull("A17")
            writer.write(board.tick(0))

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        host = Host(f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await comes(lambda: host.heard == b"A17\r\n")
        clients[0].close()
        await comes(lambda: host.lost)
        await comes(lambda: host.heard == 2 * b"A17\r\n")
        assert [type(why) for why in host.lost] == [PortVanished]
        host.port.close()
        clients[1].close()
        server.close()
        await server.wait_closed()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("target", "reason"),
    [("socket://127.0.0.1:1", "no reader answers"), ("socket://nowhere", "write socket://host:port")],
)
def test_a_network_reader_that_cannot_be_had_is_reported(target: str, reason: str) -> None:
    async def main() -> None:
        host = Host(target)
        await comes(lambda: host.lost)
        assert reason in str(host.lost[0])
        host.port.close()

    asyncio.run(main())


def test_a_device_that_fails_while_it_is_read_is_lost_and_opened_again(reader: Path, mocker: MockerFixture) -> None:
    async def main() -> None:
        board = LineBoard()
        pty, lost = PtyBoard(board, reader), list[PortError]()
        heard = list[bytes]()
        port = Port(str(reader), 9_600, asyncio.get_running_loop(), heard.append, lost.append, lambda: None)
        port.start()
        await comes(lambda: port.is_open)
        fails = mocker.patch("hardware.ports.os.read", side_effect=OSError(errno.EIO, "Input/output error"))
        port._readable()
        mocker.stop(fails)
        assert [str(each) for each in lost] == [f"{reader} is gone (Input/output error): check the reader's cable"]
        assert not port.is_open
        await comes(lambda: port.is_open)
        port.close()
        pty.close()

    asyncio.run(main())
