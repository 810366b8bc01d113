"""One connection at a socket of the daemon: requests come as lines, and whatever is wrong with it ends it alone."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import msgspec

from firmware_bridge.config.doors import SOCKET
from firmware_bridge.daemon.table.command import too_long
from firmware_bridge.daemon.table.fair_turns import MOST
from firmware_bridge.facts.orders import Answer
from firmware_bridge.topics.texts.refusals import worded


class Cut(ConnectionError):
    """A connection that this daemon ends; the text says why."""


@contextmanager
def not_of_a_connection() -> Iterator[None]:
    """End the process for an error in the block: what is done there is the table's, whatever asked for it."""
    try:
        yield
    except Exception as error:
        failed = {"message": "what was asked for failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(failed)
        raise


class Connection:
    """Reads the requests of a connection, at most `MOST` in a turn of the loop, and writes the answers.

    After its first request it may be silent: it watches, leases or waits.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        setattr(writer.transport, "max_size", SOCKET.longest)  # noqa: B010  # else 256 KiB are read at a time, and kept
        self._unread, self._count = bytearray(), 0

    def read(self, is_on: bool) -> None:
        """Read what is sent, or let it wait at the other side."""
        transport = self._writer.transport
        if isinstance(transport, asyncio.ReadTransport) and transport.is_reading() != is_on:
            (transport.resume_reading if is_on else transport.pause_reading)()

    async def next(self) -> bytes:
        """Return the next line, empty at the end of the connection. Raises ConnectionError, Cut if ended here."""
        self._count += 1
        if self._count % MOST == 0:  # buffered lines are returned without a turn
            await asyncio.sleep(0)
        try:
            async with asyncio.timeout(SOCKET.first_s if self._count == 1 else None):
                while b"\n" not in self._unread and await self._more():
                    pass
        except TimeoutError:
            raise Cut(f"no request within {SOCKET.first_s:.0f} s") from None
        size = self._unread.find(b"\n") + 1 or len(self._unread)
        if size > SOCKET.longest:
            self.put(too_long().answer)
            raise Cut(f"a request of more than {SOCKET.longest} bytes")
        line = bytes(self._unread[:size])
        del self._unread[:size]
        return line

    async def send(self, value: Any) -> None:
        """Write a JSON line. Raises ConnectionError, as Cut where the other side does not read."""
        await self.write(_line(value))

    def put(self, value: Any) -> None:
        """Write a JSON line, and do not wait until it is read."""
        self._writer.write(_line(value))

    async def write(self, data: bytes) -> None:
        """Write bytes. Raises as `send` does."""
        self._writer.write(data)
        try:
            async with asyncio.timeout(SOCKET.unread_s):
                await self._writer.drain()
        except TimeoutError:
            self._writer.transport.abort()
            raise Cut(f"answers unread for {SOCKET.unread_s:.0f} s") from None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Yield a task done once the other side is gone. What it asks until the block ends is kept for `next`."""
        gone = asyncio.create_task(self._gone())
        try:
            yield gone
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)  # two must not read at once

    async def end(self) -> None:
        """Close the connection; what is not read within `SOCKET.unread_s` is lost."""
        self._writer.close()
        try:
            async with asyncio.timeout(SOCKET.unread_s):
                await self._writer.wait_closed()
        except (TimeoutError, OSError):
            pass
        finally:
            self._writer.transport.abort()

    async def _more(self) -> bool:
        """Wait for more bytes; return False at the end, and where too many are unread."""
        if len(self._unread) > SOCKET.longest:
            return False
        more = await self._reader.read(SOCKET.longest)
        self._unread += more
        return bool(more)

    async def _gone(self) -> None:
        with suppress(OSError):
            while await self._more():
                pass


def _line(value: Any) -> bytes:
    """Return a value as a line of JSON; an answer with its words for people."""
    return msgspec.json.encode(worded(value) if isinstance(value, Answer) else value) + b"\n"
