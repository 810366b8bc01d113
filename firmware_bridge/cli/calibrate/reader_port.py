"""The reader's port on the technician's bench, which names what to look at where nothing is understood."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices.code_books import CodeBook
from firmware_bridge.daemon.devices.hearing import BURSTS, QUIET_S
from firmware_bridge.daemon.devices.reader_inputs import is_garbled
from firmware_bridge.daemon.devices.reader_limits import GREETING_S
from firmware_bridge.daemon.devices.reader_settings import settings
from hardware.errors import PortError
from hardware.ports import Port
from hardware.readers import READERS
from hardware.readers.messages import Message, Read, ReportNo

EACH_S: Final = 1.0
"""Seconds between two looks at what was understood; unanswered commands are sent again as often, as at the table."""

SILENT_S: Final = 5.0
"""Seconds of waiting for a first byte after which the reader is called silent: longer than a hand takes to begin."""

GARBLED_S: Final = 2.0
"""Seconds of waiting behind bytes after which they are not understood: a damaged card takes as long."""


class Understanding:
    """What came from a reader so far, and what to look at where nothing of it was understood.

    say: called with a text for the technician, once for each silence and each time that what comes is not understood.
    """

    def __init__(self, config: ReaderConfig, say: Callable[[str], None]) -> None:
        protocol = READERS[config.protocol]
        self._say, self._name = say, config.protocol
        speed = f"its speed, here {config.baud or protocol.baud} baud; its mode: {protocol.mode}"
        self._silent = f"check its power and cable; {speed}"
        self._garbled = f"check {speed}; its cable, and other programs at its port"
        self._has_understood = self._is_shown = False
        self._bytes = self._bursts = 0
        self._waited = 0.0
        self._byte_at = self._opened_at = 0.0

    @property
    def suspects(self) -> str:
        """What to look at; "" where the reader was understood, and is."""
        if self._bytes and (self._is_shown or not self._has_understood):
            return f"what came from it was not understood as {self._name}: {self._garbled}"
        return "" if self._has_understood else f"nothing came from it. If cards were pulled: {self._silent}"

    def opened(self, now: float) -> None:
        """Note when the port was opened."""
        self._opened_at = now

    def received(self, count: int, now: float) -> None:
        """Count the bytes that came; a greeting right after the opening counts for nothing."""
        if now - self._opened_at < GREETING_S:
            return
        if not self._bytes:
            self._waited, self._is_shown = 0.0, False
        self._bursts += not self._bytes or now - self._byte_at >= QUIET_S
        self._bytes += count
        self._byte_at = now

    def understood(self) -> None:
        """Note that a frame was understood."""
        self._has_understood, self._is_shown = True, False
        self._bytes = self._bursts = 0
        self._waited = 0.0

    def waits(self, seconds: float) -> None:
        """Say once what is wrong while a card is waited for. seconds: since the last call."""
        self._waited += seconds
        if self._is_shown:
            return
        if self._bytes and self._waited >= GARBLED_S and self._bursts >= (BURSTS if self._has_understood else 1):
            self._is_shown = True
            self._say(f"what comes is not understood as {self._name} ({self._bytes} bytes): {self._garbled}")
        elif not self._bytes and not self._has_understood and self._waited >= SILENT_S:
            self._is_shown = True
            self._say(f"nothing has come from the reader yet. If a card was pulled: {self._silent}")


class ReaderPort:
    """See `hardware.calibrate.bench.Link`; from `open` to `close`. repeats: of `[reader]`. say: to the technician."""

    def __init__(
        self, config: ReaderConfig, report: ReportNo | None, book: CodeBook, repeats: float, say: Callable[[str], None]
    ) -> None:
        protocol = READERS[config.protocol]
        self.decoder = protocol.decoder(settings(config, book, repeats))
        self._report, self._book = report, book
        self._understanding = Understanding(config, say)
        self._received: asyncio.Queue[bytes | PortError | None] = asyncio.Queue()
        self._messages: Iterator[Message] = iter(())
        self._good, self._is_waiting = 0, False
        baud = config.baud or protocol.baud
        self._loop = asyncio.get_running_loop()
        put = self._received.put_nowait
        self._port = Port(config.port, baud, self._loop, put, put, self._on_open)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def suspects(self) -> str:
        """What to look at, where nothing that came was understood; else "" ."""
        return self._understanding.suspects

    async def open(self) -> None:
        """Raise PortError with its remedy if the port cannot be had at once."""
        self._port.start()
        if isinstance(opened := await self._received.get(), PortError):
            self.close()
            raise opened

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._port.close()

    def write(self, chunk: bytes) -> bool:
        return self._port.write(chunk)

    async def next(self, seconds: float) -> Message | None:
        """Return the next message, as `Link.next` does; each report of a chunk must be acknowledged before the next."""
        self._is_waiting = True
        try:
            async with asyncio.timeout(seconds):
                while (message := next(self._messages, None)) is None:
                    self._look()
                    received = await self._heard()
                    if isinstance(received, PortError):
                        raise received
                    self._understanding.received(len(received or b""), self._loop.time())
                    self._messages = iter(self.decoder.feed(received or b""))
        except TimeoutError:
            return None
        finally:
            self._is_waiting = False
        self._look(message)
        return message

    def now(self) -> float:
        return self._loop.time()

    async def _heard(self) -> bytes | PortError | None:
        """Return what comes next; None after the quiet that the decoder waits for."""
        try:
            async with asyncio.timeout(self.decoder.waits_s):
                return await self._received.get()
        except TimeoutError:
            return None

    def _look(self, message: Message | None = None) -> None:
        """Look whether more was understood: text that no book can have was not, though its line was whole."""
        before, self._good = self._good, self.decoder.good
        is_text = isinstance(message, Read) and is_garbled(message, self._book)
        if self._good - before > is_text:
            self._understanding.understood()

    def _each_second(self) -> None:
        self._timer = self._loop.call_later(EACH_S, self._each_second)
        self._port.write(self.decoder.again())
        if self._is_waiting:
            self._understanding.waits(EACH_S)

    def _on_open(self) -> None:
        self._port.write(self.decoder.resume(self._report))
        self._understanding.opened(self._loop.time())
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(EACH_S, self._each_second)
        self._received.put_nowait(None)
