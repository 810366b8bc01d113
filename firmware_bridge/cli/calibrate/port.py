"""The port of a reader on the technician's bench, opened by the command itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from firmware_bridge.config.sections import ReaderConfig
from hardware.errors import PortError
from hardware.ports import Port
from hardware.readers import READERS, ReaderSettings
from hardware.readers.messages import Message, ReportNo


class ReaderPort:
    """See `hardware.calibrate.bench.Link`; from `open` to `close`."""

    def __init__(self, config: ReaderConfig, report: ReportNo | None) -> None:
        settings = ReaderSettings(config.min_quality, config.pattern, config.line_end, config.hold)
        protocol = READERS[config.protocol]
        self.decoder = protocol.decoder(settings)
        self._report = report
        self._heard: asyncio.Queue[bytes | PortError | None] = asyncio.Queue()
        self._messages: Iterator[Message] = iter(())
        baud = config.baud or protocol.baud
        loop = asyncio.get_running_loop()
        self._port = Port(config.port, baud, loop, self._heard.put_nowait, self._heard.put_nowait, self._on_open)

    async def open(self) -> None:
        """Raises PortError with its remedy if the port cannot be had at once."""
        self._port.start()
        if isinstance(said := await self._heard.get(), PortError):
            self.close()
            raise said

    def close(self) -> None:
        """Give the port back."""
        self._port.close()

    def write(self, chunk: bytes) -> bool:
        """See `Link.write`."""
        return self._port.write(chunk)

    async def next(self, seconds: float) -> Message | None:
        """See `Link.next`; each report of a chunk is to be acknowledged before the next is asked for."""
        try:
            async with asyncio.timeout(seconds):
                while (message := next(self._messages, None)) is None:
                    heard = await self._heard.get()
                    if isinstance(heard, PortError):
                        raise heard
                    self._messages = iter(self.decoder.feed(heard or b""))
        except TimeoutError:
            return None
        return message

    def now(self) -> float:
        """See `Line.now`."""
        return asyncio.get_running_loop().time()

    def _on_open(self) -> None:
        self._port.write(self.decoder.resume(self._report))
        self._heard.put_nowait(None)
