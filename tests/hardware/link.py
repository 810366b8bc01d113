"""A host and a simulated board, joined by two cables, on the board's clock."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hardware.readers.messages import Hello, Read, Repeat, ReportNo, Unread
from hardware.readers.native import NativeDecoder
from hardware.sim.board import NativeBoard
from tests.kit.cable import BadCable


@dataclass
class Link:
    """The host keeps `journal` (all it took) and `durable` (the last report in it) over its restarts."""

    board: NativeBoard = field(default_factory=lambda: NativeBoard(session=500))
    up: BadCable = field(default_factory=BadCable)
    down: BadCable = field(default_factory=BadCable)
    step: int = 100
    chunk: int = 10_000
    now: int = 0
    durable: ReportNo | None = None
    journal: list[Read | Unread] = field(default_factory=list)
    others: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.restart()

    @property
    def codes(self) -> list[int | str]:
        return [message.code for message in self.journal if isinstance(message, Read)]

    def restart(self) -> None:
        """Another host, which knows the journal only."""
        self.host = NativeDecoder()
        self.hear(self.host.resume(self.durable))

    def hear(self, said: bytes) -> None:
        self.board.receive(self.down.carry(said))

    def run(self, steps: int = 1, crash: Callable[..., Any] | None = None) -> None:
        """Let `steps` times `step` ms pass; `crash(report)` is asked where the power could go, as 'before' or
        'after' the journal."""
        for _ in range(steps):
            said = self.up.carry(self.board.tick(self.now))
            self.now += self.step
            for at in range(0, len(said), self.chunk):
                self._judge(said[at : at + self.chunk], crash)

    def _judge(self, chunk: bytes, crash: Callable[..., Any] | None) -> None:
        for message in self.host.feed(chunk):
            match message:
                case Read() | Unread():
                    assert message.report is not None
                    if crash and crash("before"):
                        return self.restart()
                    self.journal.append(message)
                    self.durable = message.report
                    if crash and crash("after"):
                        return self.restart()
                    self.hear(self.host.acknowledge(message.report))
                case Repeat():
                    assert message.report is not None
                    self.hear(self.host.acknowledge(message.report))
                case Hello():
                    self.others.append(message)
                    self.hear(self.host.greet(message))
                case _:
                    self.others.append(message)
        return None
