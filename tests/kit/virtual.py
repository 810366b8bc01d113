"""An event loop whose clock jumps to the next timer: rhythms and bounces are exact, and take no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from selectors import SelectorKey
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    now = 0.0
    working = 0
    """Calls in threads that the loop waits for: its time stands still until they are done."""

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.working or timeout is None:
            return super().select(None)
        self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def turn_to(self, now: float) -> None:
        """Let the time pass without the loop: it is busy."""
        self._jumping.now = now

    def run_in_executor(self, *given: Any) -> asyncio.Future[Any]:  # type: ignore[override]  # as it is called
        """Run a function in a thread, while no time passes."""
        called = super().run_in_executor(*given)
        self._jumping.working += 1
        called.add_done_callback(self._has_worked)
        return called

    async def shutdown_default_executor(self, *given: Any, **named: Any) -> None:
        """Wait for the threads, while no time passes: Python 3.12 and later give them 300 s of the loop's."""
        self._jumping.working += 1
        try:
            await super().shutdown_default_executor(*given, **named)
        finally:
            self._jumping.working -= 1

    def _has_worked(self, _: object) -> None:
        self._jumping.working -= 1


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
