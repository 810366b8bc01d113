"""The loop whose clock jumps: as far as the next timer, and never past what a thread does for it."""

import asyncio
import time

from tests.kit.virtual import run


def test_an_hour_takes_no_time_and_is_exact() -> None:
    async def sleeps() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        began, began_here = loop.time(), time.monotonic()
        await asyncio.sleep(3_600)
        return loop.time() - began, time.monotonic() - began_here

    virtual, real = run(sleeps())
    assert (virtual, real < 3_600) == (3_600, True)


def test_no_time_passes_while_a_thread_works_for_the_loop() -> None:
    async def works() -> float:
        loop = asyncio.get_running_loop()
        hour = loop.create_task(asyncio.sleep(3_600))
        await asyncio.to_thread(time.sleep, 0.05)
        now, done = loop.time(), hour.done()
        await hour
        assert not done
        return now

    assert run(works()) == 0


def test_no_time_passes_while_the_loop_waits_for_its_threads_to_end() -> None:
    async def leaves() -> asyncio.AbstractEventLoop:
        working = asyncio.create_task(asyncio.to_thread(time.sleep, 0.2))
        await asyncio.sleep(0)
        working.cancel()
        return asyncio.get_running_loop()

    assert run(leaves()).time() == 0
