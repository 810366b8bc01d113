"""An event loop whose clock jumps to the next timer: rhythms and bounces are exact, and take no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from selectors import SelectorKey
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        if timeout and not (ready := super().select(0)):
            self.now += timeout
            return ready
        return super().select(timeout)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def turn_to(self, now: float) -> None:
        """Let the time pass without the loop: it is busy."""
        self._jumping.now = now


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
