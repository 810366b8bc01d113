"""An outbox with its journal, and a broker that acknowledges what and when it is told to."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.daemon.delivery.backlog import place_behind
from firmware_bridge.daemon.delivery.outbox import EchoCheck, Outbox
from firmware_bridge.daemon.delivery.store import Store
from firmware_bridge.journal.cursor import CursorFile
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.mqtt.settings import NotConnected
from tests.kit.journal_record import Record


class Wire:
    """The journal, the outbox, and a broker that acknowledges what and when it is told to."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop, store: Store | None = None) -> None:
        self.record = Record(folder)
        self.sent: list[bytes] = []
        self.flying: dict[int, bytes] = {}
        self.taken: list[bytes] = []
        self.broken = False
        self._mid = 0
        self.cursor = CursorFile(folder / "cursor")
        self.loop = loop
        self.mute: list[str] = []
        self.echoes = EchoCheck(self.mute.append, loop)
        self.store = store
        self._next: Wire | None = None
        self.outbox = Outbox(folder, "T07", self.publish, self.echoes, store)
        self.outbox.begin(self.cursor, place_behind(folder, self.cursor.value))

    def publish(self, topic: str, payload: bytes) -> int:
        if self.broken:
            raise NotConnected("broken")
        self._mid += 1
        self.sent.append(payload)
        self.flying[self._mid] = payload
        return self._mid

    def deal(self, text: str) -> "Wire":
        """Draw cards; each line goes to the outbox as it is written."""
        for card in text.split():
            known = len(self.record.lines)
            self.record.deal(card)
            self.tell(self.record.lines[known:])
        return self

    def tell(self, lines: list[Line]) -> None:
        for line in lines:
            self.outbox.add(messages(line), self.record.journal.end)

    def ack(self, count: int = 10_000) -> "Wire":
        """The broker acknowledges so many messages, oldest first."""
        while self.flying and count:
            mid = next(iter(self.flying))
            self.taken.append(self.flying.pop(mid))
            assert self.outbox.delivered(mid)
            count -= 1
        return self

    def down(self) -> None:
        self.flying.clear()
        self.outbox.down()

    def again(self) -> "Wire":
        """The daemon ended and starts anew on the same disk."""
        self.outbox.save()
        self.close()
        folder = self.record.journal.directory
        self._next = Wire(folder, self.loop, Store(folder, self.store.name) if self.store else None)
        return self._next

    def close(self) -> None:
        """Put everything away, or what `again` made in its place."""
        if self._next:
            self._next.close()
            return
        self.record.close()
        self.echoes.end()
        self.cursor.close()

    @property
    def all(self) -> list[bytes]:
        """Every message there is, in order."""
        return [each.payload for line in self.record.lines for each in messages(line)]


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    loop = asyncio.new_event_loop()
    wire = Wire(tmp_path / "journal", loop)
    wire.record.begin()
    yield wire
    wire.close()
    loop.close()


SHOE = "9s Td Ts Tc 2s 3h 4d 5c Ah Ad As 8c 7c 6c 5d 4s"


def identities(wire: Wire) -> list[tuple[str, int]]:
    return [(each.journal, each.seq) for line in wire.record.lines for each in messages(line)]


def wire_count(wire: Wire) -> int:
    return sum(journal == wire.record.shoe.journal for journal, _ in identities(wire))
