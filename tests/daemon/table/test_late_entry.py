"""An entry whose file the disk is slow to begin is handled when it is on disk: nothing before it, nothing lost."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table import journal_writer
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.journal_writer import StillWriting
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import cards
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.topics.texts.refusals import english
from tests.kit.delivered_record import NoLamps
from tests.kit.patience import comes
from tests.kit.refusals import said

BLOCKED = phrase("disk_silent")


class SlowTable:
    """A table with the disk in a test's hand: `rename` waits while `answers` is not set."""

    def __init__(self, folder: Path, mocker: MockerFixture) -> None:
        self.answers, self.fails = threading.Event(), list[OSError]()
        self.answers.set()
        real = os.rename

        def rename(*names: Any) -> None:
            self.answers.wait()
            if self.fails:
                raise self.fails.pop()
            real(*names)

        mocker.patch("os.rename", rename)
        self.folder, self.published, self.acknowledged = folder, list[int](), list[int]()
        self.table = Table(
            Journal(folder).open(None),
            "T07",
            NoLamps(),
            lambda report: self.acknowledged.append(report.seq),
            lambda line: lambda: self.published.append(line.public.seq),
            lambda: None,
            asyncio.get_running_loop(),
        )
        self.table.start(house_of(new_shoe="auto", burn="none"))
        self.published.clear()

    def draw(self, text: str) -> None:
        for seq, card in enumerate(cards(text), len(self.acknowledged)):
            report = inputs.ReportNo(9, seq)
            self.table.handle(inputs.CardRead(**now(), card=card, nonce=nonce(), report=report))

    def order(self, order: orders.Order, given: str) -> orders.Answer:
        return self.table.order(inputs.Ordered(**now(), order=order, by="floor", nonce=nonce(), id=given))

    async def until(self, condition: Callable[[], Any]) -> None:
        await comes(condition)

    def drawn(self) -> list[str]:
        """The cards on disk."""
        places = (Place(path, 0) for path in journal_files(self.folder))
        entries = [line.entry.input for place in places for line, _ in read_lines(place, whole=True) if line.entry]
        return [each.card.value for each in entries if isinstance(each, inputs.CardRead)]


def played(folder: Path, mocker: MockerFixture, course: Callable[[SlowTable], Coroutine[Any, Any, None]]) -> SlowTable:
    async def main() -> SlowTable:
        slow = SlowTable(folder, mocker)
        await slow.until(lambda: slow.table.disk is None)  # a busy disk may take the start late, too
        slow.published.clear()
        mocker.patch.object(journal_writer, "PATIENCE_S", 0.02)
        await course(slow)
        slow.answers.set()
        slow.table.close()
        slow.table.journal.close()
        return slow

    return asyncio.run(main())


def test_a_card_that_opens_a_shoe_waits_for_the_disk_and_the_next_ones_behind_it(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    async def course(slow: SlowTable) -> None:
        slow.answers.clear()
        slow.draw("9s")
        assert slow.table.disk
        assert (slow.table.disk.why, slow.published, slow.acknowledged) == (BLOCKED, [], [])
        slow.table.handle(inputs.CardRead(**now(), card=cards("Kd")[0], nonce=nonce(), report=inputs.ReportNo(9, 1)))
        await asyncio.sleep(0.1)
        assert (slow.published, slow.acknowledged) == ([], [])
        slow.answers.set()
        await slow.until(lambda: slow.table.disk is None)
        assert slow.published[:2] == [1, 2]
        assert slow.acknowledged == [0, 1]

    assert played(tmp_path, mocker, course).drawn() == ["9s", "Kd"]


def test_an_order_that_waits_has_no_answer_and_acts_once(tmp_path: Path, mocker: MockerFixture) -> None:
    async def course(slow: SlowTable) -> None:
        slow.answers.clear()
        for _ in range(2):
            with pytest.raises(StillWriting):
                slow.order(orders.OpenShoe(), "a")
        other = slow.order(orders.CloseShoe(), "b")
        assert (other.ok, said(other).error) == (False, english(BLOCKED))
        slow.answers.set()
        await slow.until(lambda: slow.table.disk is None)
        assert slow.table.shoe.number == 1
        assert slow.order(orders.OpenShoe(), "a").ok
        assert slow.table.shoe.number == 1

    played(tmp_path, mocker, course)


def test_a_card_that_the_disk_refuses_late_is_tried_again(tmp_path: Path, mocker: MockerFixture) -> None:
    async def course(slow: SlowTable) -> None:
        slow.fails.append(OSError(28, "No space left on device"))
        slow.answers.clear()
        slow.draw("9s Kd")
        slow.answers.set()
        await slow.until(lambda: slow.table.disk is None)
        assert slow.acknowledged == [0, 1]

    assert played(tmp_path, mocker, course).drawn() == ["9s", "Kd"]


def test_a_daemon_that_ends_while_the_disk_is_slow_has_the_card_on_disk_and_not_acknowledged(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    async def course(slow: SlowTable) -> None:
        slow.answers.clear()
        slow.draw("9s")
        asyncio.get_running_loop().call_soon(slow.answers.set)
        await asyncio.sleep(0)

    slow = played(tmp_path, mocker, course)
    assert (slow.drawn(), slow.acknowledged, slow.published) == (["9s"], [], [])


def test_what_comes_after_the_close_is_left_to_the_next_start(tmp_path: Path, mocker: MockerFixture) -> None:
    """A timer of a device may ring as the daemon ends: the reader reports its card again, none is acknowledged."""

    async def closed() -> None:
        made = SlowTable(tmp_path, mocker)
        made.draw("3h")
        made.table.close()
        made.draw("4h 5h")
        assert made.acknowledged == [0]
        made.table.journal.close()

    asyncio.run(closed())
