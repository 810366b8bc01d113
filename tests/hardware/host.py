"""A bridge without rules, for tests of ports."""

import asyncio
from typing import Any

from hardware.ports import Port
from hardware.readers.messages import Hello, Read, Repeat
from hardware.readers.native import NativeDecoder


class Host:
    """A bridge without rules: takes what comes, remembers what it was told."""

    def __init__(self, target: str) -> None:
        self.read: list[int | str] = []
        self.lost: list[Any] = []
        self.opened, self.heard = 0, b""
        self.decoder = NativeDecoder()
        self.port = Port(target, 115_200, asyncio.get_running_loop(), self.hear, self.lost.append, self.resume)
        self.port.start()

    def resume(self) -> None:
        self.opened += 1
        self.port.write(self.decoder.resume(self.decoder.last))

    def hear(self, chunk: bytes) -> None:
        self.heard += chunk
        for message in self.decoder.feed(chunk):
            match message:
                case Read():
                    assert message.report is not None
                    self.read.append(message.code)
                    self.port.write(self.decoder.acknowledge(message.report))
                case Repeat():
                    assert message.report is not None
                    self.port.write(self.decoder.acknowledge(message.report))
                case Hello():
                    self.port.write(self.decoder.greet(message))
