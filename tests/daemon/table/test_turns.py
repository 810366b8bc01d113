"""A source that sends much takes turns with the others; an item that comes alone is handled at once."""

import asyncio
from collections.abc import Callable

from firmware_bridge.daemon.table.fair_turns import MOST, Turns, Window


class Sources:
    """Sources whose items are noted, with the turn of the loop in which they were handled."""

    def __init__(self) -> None:
        self.loop, self.turn = asyncio.get_running_loop(), 0
        self.handled = list[tuple[int, str]]()
        self.held = list[bool]()

    def source(self) -> Turns[str]:
        return Turns[str](lambda item: self.handled.append((self.turn, item)), self.held.append, self.loop)

    async def turns(self, number: int) -> None:
        for _ in range(number):
            self.turn += 1
            await asyncio.sleep(0)


def played(course: Callable[[Sources], None]) -> Sources:
    async def main() -> Sources:
        sources = Sources()
        course(sources)
        await sources.turns(6)
        return sources

    return asyncio.run(main())


def test_an_item_alone_is_handled_in_the_call_that_brings_it() -> None:
    def course(sources: Sources) -> None:
        sources.source().receive(iter(["a"]))
        assert sources.handled == [(0, "a")]

    assert played(course).held == []


def test_what_is_beyond_eight_waits_for_the_next_turn_and_holds_its_source() -> None:
    items = [str(number) for number in range(2 * MOST + 1)]
    sources = played(lambda sources: sources.source().receive(iter(items)))
    assert [item for _, item in sources.handled] == items
    assert [turn for turn, _ in sources.handled] == [0] * MOST + [1] * MOST + [2]
    assert sources.held == [True, False]


def test_the_order_of_arrival_stays_across_sources() -> None:
    def course(sources: Sources) -> None:
        first, second = sources.source(), sources.source()
        first.receive(iter(["a1", "a2"]))
        second.receive(iter(["b1"]))
        first.receive(iter(["a3"]))

    assert [item for _, item in played(course).handled] == ["a1", "a2", "b1", "a3"]


def test_another_source_is_served_between_two_turns_of_a_flood() -> None:
    def course(sources: Sources) -> None:
        sources.source().receive(iter("x" * 3 * MOST))
        sources.source().receive(iter("b"))

    assert "".join(item for _, item in played(course).handled) == "x" * MOST + "b" + "x" * 2 * MOST


def test_an_item_behind_those_that_wait_stays_behind_them() -> None:
    def course(sources: Sources) -> None:
        source = sources.source()
        source.receive(iter("x" * (MOST + 2)))
        source.receive(iter("y"))
        assert source.are_due

    assert "".join(item for _, item in played(course).handled) == "x" * (MOST + 2) + "y"


def test_all_that_waits_is_handled_before_a_source_is_closed() -> None:
    def course(sources: Sources) -> None:
        source = sources.source()
        source.receive(iter("x" * 5 * MOST))
        source.drain()
        assert len(sources.handled) == 5 * MOST
        assert not source.are_due

    assert len(played(course).handled) == 5 * MOST


def test_an_item_is_taken_after_the_one_before_it_was_handled() -> None:
    handled = list[int]()

    def items() -> object:
        for number in range(20):
            assert handled == list(range(number))
            yield number

    async def main() -> None:
        Turns[int](handled.append, lambda _: None, asyncio.get_running_loop()).receive(items())  # type: ignore[arg-type]
        for _ in range(6):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert handled == list(range(20))


def test_a_window_admits_so_many_within_any_of_its_seconds() -> None:
    window = Window(3, 1.0)
    assert [window.admits(at) for at in (0.0, 0.1, 0.2, 0.3, 0.99, 1.0, 1.05, 1.1)] == [
        *[True] * 3, False, False, True, False, True,
    ]  # fmt: skip
    window.clear()
    assert window.admits(1.2)
