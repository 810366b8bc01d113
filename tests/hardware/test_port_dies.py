"""Ports that open and die: what is waited before each try, what is told, and connections without another side."""

import asyncio
import socket
from pathlib import Path
from typing import Final

import pytest

from hardware import connections, ports
from hardware.errors import PortMissing, PortVanished
from tests.hardware.host import Host
from tests.kit.patience import comes
from tests.kit.serial_server import DyingAdapter, SerialServer

FASTER: Final = 10
"""The waits of these tests are this much shorter than those at a table."""

WAITS: Final = [0.02, 0.04, 0.08, 0.16, 0.16]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_RETRY", "LAST_RETRY", "STEADY_S"):
        monkeypatch.setattr(ports, name, getattr(ports, name) / FASTER)


def test_at_a_table_a_card_that_passes_2_s_after_the_port_is_good_is_read() -> None:
    longest = ports.LAST_RETRY * FASTER
    assert longest < 2.0
    assert connections.CONNECT_S <= 2.0
    assert WAITS[-1] * FASTER == pytest.approx(longest)


@pytest.mark.parametrize("kind", ["server", "adapter"])
def test_the_wait_grows_over_openings_that_die(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        dying = SerialServer() if kind == "server" else DyingAdapter(tmp_path / "reader")
        host = Host(dying.target)
        await comes(lambda: len(dying.times) > len(WAITS) and len(host.lost) >= len(dying.times))
        late = 0.005  # of the other side's look at it
        assert all(gap > wait - late for gap, wait in zip(dying.gaps, WAITS, strict=False)), dying.gaps
        assert {type(why) for why in host.lost} == {PortVanished}
        assert host.port.cut_short == len(dying.times)
        host.port.close()
        dying.close()

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["server", "adapter"])
def test_once_it_is_good_it_is_read(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        dying = SerialServer() if kind == "server" else DyingAdapter(tmp_path / "reader")
        host = Host(dying.target)
        await comes(lambda: host.port.cut_short >= 4)
        dying.be_good()
        await comes(lambda: host.port.open_s > ports.STEADY_S)
        assert host.port.cut_short >= 4  # until it is lost again, or understood
        host.port.understood()
        assert host.port.cut_short == 0
        host.port.close()
        dying.close()

    asyncio.run(main())


@pytest.mark.parametrize("good", ["steady", "understood"])
def test_the_wait_is_forgotten_by_a_port_that_stays_open_or_is_understood(good: str) -> None:
    async def main() -> None:
        server = SerialServer()
        host = Host(server.target)
        await comes(lambda: host.port.cut_short >= 4)
        server.hold_s = None
        await comes(lambda: host.port.is_open and server.clients)
        if good == "steady":
            await comes(lambda: host.port.open_s >= ports.STEADY_S)
        else:
            host.port.understood()
        losses = len(host.lost)
        server.hang_up(server.clients[0])
        await comes(lambda: len(host.lost) > losses)
        assert host.port.cut_short == 0
        assert host.port._wait == 2 * ports.FIRST_RETRY  # that of the try after the next
        host.port.close()
        server.close()

    asyncio.run(main())


def test_a_server_that_is_off_between_twohang_ups_is_no_news() -> None:
    async def main() -> None:
        server = SerialServer()
        host = Host(server.target)
        await comes(lambda: host.lost)
        port = server.target.rpartition(":")[2]
        server.close()
        await comes(lambda: host.port._wait == ports.LAST_RETRY)
        again = socket.create_server(("127.0.0.1", int(port)))
        known = len(host.lost)
        again.setblocking(False)
        client, _ = await asyncio.get_running_loop().sock_accept(again)
        client.close()
        await comes(lambda: len(host.lost) > known)
        again.close()
        assert PortMissing not in {type(why) for why in host.lost}
        assert "what else is connected to it" in str(host.lost[0])
        host.port.close()

    asyncio.run(main())


def test_a_server_with_one_client_hangs_up_on_the_second_until_the_first_is_gone() -> None:
    async def main() -> None:
        server = SerialServer(one="first", greeting=b"Port already in use\r\n")
        first = Host(server.target)
        await comes(lambda: first.port.is_open and server.clients)
        second = Host(server.target)
        await comes(lambda: second.port.cut_short >= 3)
        assert not first.lost
        first.port.close()
        await comes(lambda: second.port.is_open and second.port.open_s > ports.STEADY_S)
        second.port.close()
        server.close()

    asyncio.run(main())


def test_two_hosts_of_a_server_that_keeps_the_last_client_take_it_from_each_other_slowly() -> None:
    async def main() -> None:
        server = SerialServer(one="last")
        hosts = [Host(server.target), Host(server.target)]
        await comes(lambda: all(len(host.lost) >= 4 for host in hosts))
        took = server.times[-1] - server.times[0]
        # Each opening of a host is at least the longest wait after the one before, but for its first three.
        assert len(server.times) <= 2 * (4 + took / ports.LAST_RETRY)
        for host in hosts:
            host.port.close()
        server.close()

    asyncio.run(main())


@pytest.mark.parametrize("writes", [False, True])
def test_a_connection_without_another_side_ends(writes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    soon = {socket.TCP_KEEPIDLE: 1, socket.TCP_KEEPINTVL: 1, socket.TCP_KEEPCNT: 1, socket.TCP_USER_TIMEOUT: 2_000}
    options = [(level, name, soon.get(name, value)) for level, name, value in connections.KEPT_ALIVE]
    monkeypatch.setattr(connections, "KEPT_ALIVE", options)

    async def main() -> None:
        server = SerialServer(hold_s=None)
        host = Host(server.target)
        await comes(lambda: host.port.is_open and server.clients)
        server.vanish()
        if writes:
            host.port.write(b"01")
        await comes(lambda: len(server.times) == 2)
        assert [type(why) for why in host.lost] == [PortVanished]
        host.port.close()
        server.close()

    asyncio.run(main())


def test_at_a_table_it_ends_after_half_a_minute() -> None:
    async def main() -> None:
        server = SerialServer(hold_s=None)
        connection = await connections.connected(server.target, asyncio.get_running_loop())
        options = {name: connection.getsockopt(level, name) for level, name, _ in connections.KEPT_ALIVE}
        assert options[socket.SO_KEEPALIVE] == options[socket.TCP_NODELAY] == 1
        assert options[socket.TCP_KEEPIDLE] + options[socket.TCP_KEEPCNT] * options[socket.TCP_KEEPINTVL] == 30
        assert options[socket.TCP_USER_TIMEOUT] == 30_000
        connection.close()
        server.close()

    asyncio.run(main())
