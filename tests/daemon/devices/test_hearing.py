"""What a device was heard to say, by a clock that jumps: bursts that are understood, that are not, and silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.daemon.devices.hearing import BURSTS, SILENT_AFTER_S, UNANSWERED, Fault, Hearing
from hardware.readers import READERS, ReaderSettings, rdm6300
from tests.kit import virtual

TAG = rdm6300.encode("0000000008")
DAMAGED = b"\x020000000008FF\x03"


class Ear:
    """A decoder and what is heard of it, on the running loop; every fault that came and went."""

    def __init__(self, protocol: str = "rdm6300") -> None:
        self.loop = asyncio.get_running_loop()
        self.decoder = READERS[protocol].decoder(ReaderSettings())
        self.faults: list[Fault] = []
        self.hearing = Hearing(self.loop, lambda: self.decoder.good, lambda: False, self.faults.append)
        self.hearing.opened()

    async def hear(self, *chunks: bytes, every_s: float = 1.5) -> None:
        for chunk in chunks:
            await asyncio.sleep(every_s)
            list(self.decoder.feed(chunk))
            if chunk:
                self.hearing.received()


def on_time(story: Callable[[Ear], object], protocol: str = "rdm6300") -> Ear:
    async def played() -> Ear:
        ear = Ear(protocol)
        await story(ear)  # type: ignore[misc]  # a coroutine
        await asyncio.sleep(1)
        return ear

    return virtual.run(played())


def test_three_bursts_that_are_not_understood_are_a_fault_until_one_is() -> None:
    async def story(ear: Ear) -> None:
        await ear.hear(b"", *[DAMAGED] * (BURSTS + 1))
        await asyncio.sleep(1)
        assert (ear.faults, ear.hearing.state) == (["not_understood"], "not_understood")
        await ear.hear(TAG)

    ear = on_time(story)
    assert (ear.faults, ear.hearing.state, ear.hearing.bursts_bad) == (["not_understood", ""], "understood", 4)


def test_one_that_is_understood_between_two_that_are_not_begins_the_count_again() -> None:
    async def story(ear: Ear) -> None:
        await ear.hear(*[DAMAGED, DAMAGED, TAG] * 20, every_s=2)

    ear = on_time(story)
    assert (ear.faults, ear.hearing.bursts_bad) == ([], 40)


def test_bursts_within_a_second_count_once() -> None:
    async def story(ear: Ear) -> None:
        await asyncio.sleep(2)
        await ear.hear(*[DAMAGED] * 4, every_s=0.35)

    assert on_time(story).faults == []


def test_what_comes_at_an_opening_is_counted_and_no_fault() -> None:
    async def story(ear: Ear) -> None:
        for _ in range(5):
            ear.hearing.opened()
            await ear.hear(b"GM65 V1.2\r\n", every_s=0.9)
            await asyncio.sleep(1)

    ear = on_time(story)
    assert (ear.faults, ear.hearing.bursts_bad, ear.hearing.state) == ([], 5, "not_heard")


def test_bytes_without_a_pause_are_judged_each_second() -> None:
    async def story(ear: Ear) -> None:
        await asyncio.sleep(2)
        await ear.hear(*[b"\xff"] * 45, every_s=0.1)

    assert on_time(story).faults == ["not_understood"]


def test_a_code_whose_bytes_come_one_at_a_time_is_one_burst() -> None:
    async def story(ear: Ear) -> None:
        await asyncio.sleep(2)
        await ear.hear(*[bytes((each,)) for each in TAG], every_s=0.05)

    ear = on_time(story)
    assert (ear.hearing.bursts_bad, ear.hearing.state) == (0, "understood")


def test_lines_without_an_end_are_not_understood() -> None:
    async def story(ear: Ear) -> None:
        await ear.hear(b"", *[b"9s", b"Td", b"Ts", b"Kc"])

    assert on_time(story, "line").faults == ["not_understood"]


def test_plain_lines_of_an_engine_in_its_factory_mode_are_not_understood() -> None:
    async def story(ear: Ear) -> None:
        await ear.hear(b"", *[b"9s\r\n", b"Td\r\n", b"Ts\r\n", b"Kc\r\n"])

    assert on_time(story, "ssi").faults == ["not_understood"]


def test_a_night_without_a_byte_is_no_fault() -> None:
    async def story(ear: Ear) -> None:
        await asyncio.sleep(8 * 3600)
        assert ear.hearing.state == "not_heard"
        await ear.hear(TAG)
        await asyncio.sleep(SILENT_AFTER_S - 2)
        assert ear.hearing.state == "understood"
        await asyncio.sleep(8 * 3600)

    ear = on_time(story)
    assert (ear.faults, ear.hearing.state) == ([], "silent")


def test_what_the_journal_says_was_heard_counts() -> None:
    async def story(ear: Ear) -> None:
        ear.hearing.known(1_000)

    assert on_time(story).hearing.state == "silent"


def test_a_command_that_stays_unanswered_is_a_fault_until_something_is_understood() -> None:
    async def story(ear: Ear) -> None:
        for sent in range(UNANSWERED + 5):
            ear.hearing.asked(sent)
        assert ear.faults == ["unanswered"]
        await ear.hear(TAG)
        ear.hearing.asked(UNANSWERED + 5)

    assert on_time(story).faults == ["unanswered", ""]


def test_a_port_that_is_closed_ends_the_fault() -> None:
    async def story(ear: Ear) -> None:
        await ear.hear(b"", *[DAMAGED] * BURSTS)
        await asyncio.sleep(1)
        ear.hearing.closed()

    ear = on_time(story)
    assert (ear.faults, ear.hearing.state) == (["not_understood", ""], "not_heard")
