"""The control socket: how the command line talks to the running daemon, a JSON line each way."""

import asyncio
import logging
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from firmware_bridge import __build__, __version__
from firmware_bridge.daemon.table.leases import Leasable, Leases, NotLeased
from firmware_bridge.daemon.table.order_service import NotAnOrder, OrderService, parse
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import orders
from firmware_bridge.facts.orders import LOCAL, LONGEST_NAME
from firmware_bridge.facts.printable import REMEDY, fault
from firmware_bridge.facts.wire_states import Health
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.topics.state import last_rounds, mode

log = logging.getLogger(__name__)

WATCH_S: Final = 0.02
"""A watcher is told at most this often: a dealer with a card a 20th of a second is followed card by card."""

LOOK_S: Final = 0.2
"""How often a watcher is told of what changes without an entry: pins, frames, the reader's light."""

HEARD: Final = 2**20
"""Bytes heard of a request: one too long for a command is refused, one without an end is hung up on."""


class Watch(Protocol):
    """What is seen beyond the status, while somebody watches."""

    def begin(self) -> None:
        """Somebody watches."""

    def end(self) -> None:
        """A watcher has left."""

    def seen(self, after: int) -> dict[str, Any]:
        """What is seen now; `frames` only those numbered beyond `after`."""


class Control:
    """Answers on a Unix socket that only the daemon's user and root can open, until `close`.

    A request is an order (`{"do": "void", "by": "anna", "why": ".."}`), `{"do": "status"}`, or `{"do": "watch"}`,
    which is answered with a status, and in `seen` what `watch` sees, whenever that changes.
    `{"do": "lend", "device": "reader", "by": "anna"}` lends one of `devices` until `{"do": "give_back"}` or the
    connection's end. In between `{"do": "passed", "session": 1, "seq": 7}` announces that the borrower acknowledges
    the report of a test card, and `{"do": "leave", "restore": "00ff"}` gives the bytes that put the device's settings
    back if the borrower is killed. The borrower of a device that is taken back is sent `{"taken_back": "bo"}`, and
    the connection is closed.
    broker, reader, health: the state of the link, of the reader and of everything, for the status.
    """

    def __init__(
        self,
        path: Path,
        table: Table,
        order_service: OrderService,
        broker: Callable[[], dict[str, Any]],
        reader: Callable[[], dict[str, Any]],
        health: Callable[[], Health | None],
        devices: Mapping[str, Leasable] = {},
        watch: Watch | None = None,
    ) -> None:
        self._view, self._watchers = watch, set[asyncio.Event]()
        self._path, self._table, self._orders = path, table, order_service
        self._broker, self._reader, self._health = broker, reader, health
        self._leases = Leases(table, devices)
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._borrower: tuple[asyncio.Task[None], asyncio.StreamWriter] | None = None

    async def start(self) -> None:
        """Listen, unless it does; a socket left by a daemon that died is replaced. Raises OSError."""
        if self._server:
            return
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=HEARD)
        self._path.chmod(0o600)

    async def close(self) -> None:
        """Stop listening and let everyone go."""
        if self._server is None:
            return
        self._server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    def changed(self) -> None:
        """Something that watchers see may be different now."""
        for watcher in self._watchers:
            watcher.set()

    def status(self) -> dict[str, Any]:
        """What the daemon knows, without any sealed card."""
        shoe = self._table.shoe
        return {
            "version": __version__,
            "build": __build__,
            "table_id": self._table.name,
            "boot": self._table.boot,
            "shoe": shoe.number,
            "journal": shoe.journal,
            "seq": shoe.seq,
            "mode": mode(shoe, self._table.observing, bool(self._table.disk)),
            "disk": self._table.disk and self._table.disk.what,
            "broker": self._broker(),
            "reader": self._reader(),
            "health": msgspec.to_builtins(self._health()),
            "lent": self._leases.status(),
            "returning": self._leases.returning(),
            "rounds": msgspec.to_builtins(last_rounds(shoe)),
            "points": dict(rules(shoe).demo.points(layout(shoe))) if shoe.laid else {},
            **msgspec.json.decode(msgspec.json.encode(self._table.states())),
        }

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            while line := await reader.readline():
                await self._answer(line, reader, writer)
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass
        finally:
            self._clients.discard(task)
            writer.close()

    async def _answer(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            fields = parse(line)
        except NotAnOrder as error:
            await _send(writer, error.answer)
            return
        if fields["do"] == "status":
            await _send(writer, self.status())
        elif fields["do"] == "watch":
            await self._watch(reader, writer)
        elif not isinstance(by := fields.pop("by", None), str) or not by.strip():
            await _send(writer, orders.Answer(ok=False, error="nobody signed this order", hint="say who: --by NAME"))
        elif wrong := fault(by, LONGEST_NAME):
            await _send(writer, orders.Answer(ok=False, error=f"the name {wrong}", hint=REMEDY))
        elif fields["do"] == "lend":
            await self._lease(fields, by, reader, writer)
        elif fields["do"] == "take_back":
            await _send(writer, await self._end_lease(by))
        else:
            await _send(writer, self._orders.give(fields, LOCAL, by))

    async def _lease(
        self, fields: dict[str, Any], by: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Lend a device for as long as this connection asks for it, and no longer."""
        try:
            known = self._leases.acquire(fields.get("device"), by, fields.get("open_shoe") is True, _pid(writer))
        except NotLeased as error:
            await _send(writer, orders.Answer(ok=False, error=error.what, hint=error.hint))
            return
        task = asyncio.current_task()
        assert task is not None
        self._borrower = task, writer
        try:
            await _send(writer, {"ok": True, "do": "lend", **known})
            while (line := await reader.readline()) and (request := parse(line))["do"] != "give_back":
                if request["do"] == "leave":
                    self._leases.leave(request.get("restore"))
                else:
                    self._leases.passed(request.get("session"), request.get("seq"))
            self._leases.release(cut_short=not line)
        finally:
            self._leases.release()
        await _send(writer, {"ok": True, "do": "give_back"})

    async def _end_lease(self, by: str) -> orders.Answer:
        """Take the lent device back: its borrower's command is sent who did it, and the connection is closed."""
        if (lease := self._leases.status()) is None or self._borrower is None:
            return orders.Answer(ok=False, error="nothing is lent", hint="see: shoe status")
        log.warning("the %s is taken back from %s by %s", lease["device"], lease["to"], by)
        task, writer = self._borrower
        writer.write(msgspec.json.encode({"ok": False, "taken_back": by}) + b"\n")
        task.cancel()
        await asyncio.wait({task})
        hint = f"if the {lease['device']} stays lost: sudo kill -9 {lease['pid']}" if lease["pid"] else None
        return orders.Answer(ok=True, do="take_back", hint=hint)

    async def _watch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A watcher who is slow to read misses states, and keeps nobody waiting."""
        changed = asyncio.Event()
        self._watchers.add(changed)
        if self._view:
            self._view.begin()
        try:
            await self._show(changed, reader, writer)
        finally:
            self._watchers.discard(changed)
            if self._view:
                self._view.end()

    async def _show(self, changed: asyncio.Event, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        last, shown = None, 0
        while not reader.at_eof():  # the watcher's end: writing alone would find out at the next change only
            changed.clear()
            status = self.status()
            if self._view:
                status["seen"] = seen = self._view.seen(shown)
                shown = seen["frames"][-1]["n"] if seen["frames"] else shown
            if status != last:
                await _send(writer, status)
                last = status
            await asyncio.sleep(WATCH_S)
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), LOOK_S - WATCH_S)


async def _send(writer: asyncio.StreamWriter, value: Any) -> None:
    writer.write(msgspec.json.encode(value) + b"\n")
    await writer.drain()


def _pid(writer: asyncio.StreamWriter) -> int:
    """The process at the other end of a connection, 0 for one that cannot be seen from here."""
    known = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    return int(_UCRED.unpack(known)[0])


_UCRED: Final = struct.Struct("3i")
"""pid, uid and gid, as the kernel tells them (unix(7))."""
