"""An event loop whose clock jumps to the next timer: rhythms and bounces are exact, and take no time."""

import asyncio
import selectors


class _Jumping(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        if timeout and not (ready := super().select(0)):
            self.now += timeout
            return ready
        return super().select(timeout)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self):
        return self._jumping.now

    def turn_to(self, now):
        """Let the time pass without the loop: it is busy."""
        self._jumping.now = now


def run(main):
    """`asyncio.run` in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
