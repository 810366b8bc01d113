"""A table that had time before a card journals what it would have journaled without."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.look_ahead import LookAhead
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import FACES
from firmware_bridge.facts.orders import OpenShoe
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.rejudge import Rejudge
from firmware_bridge.topics.before import as_written
from tests.daemon.table.ahead import at_rest
from tests.kit.delivered_record import NoLamps

OWN = "a" * 32
CARDS = 24


def journaled(folder: Path, has_time: bool, settings: dict[str, Any]) -> list[inputs.CardRead]:
    """Deal cards; what is on disk of them, where each entry is decided again. has_time: the table may look ahead."""
    cards = Random(3).sample([*FACES], CARDS)

    async def play() -> None:
        table = Table(
            Journal(folder).open(None),
            "T07",
            NoLamps(),
            lambda _: None,
            lambda _: lambda: None,
            lambda: None,
            asyncio.get_running_loop(),
        )
        table.start(house_of(new_shoe="auto", burn="none", **settings))
        table.order(inputs.Ordered(**now(), order=OpenShoe(), by="floor", nonce=OWN))
        for seq, card in enumerate(cards):
            report = inputs.ReportNo(9, seq)
            table.handle(inputs.CardRead(**now(), card=card, nonce=OWN, report=report, quality=seq))
            if has_time:
                assert table._ahead
                await at_rest(table._ahead)
        table.close()
        table.journal.close()

    asyncio.run(play())
    again, entries = Rejudge(as_written), []
    for path in journal_files(folder):
        again.begin(path.name, follows=True)
        for line, _ in read_lines(Place(path, 0), whole=True):
            again.judge(line)
            entries.append(line.entry)
        assert again.whole
    return [entry.input for entry in entries if entry and isinstance(entry.input, inputs.CardRead)]


@pytest.mark.parametrize("settings", [{}, {"procedure": "six-card"}, {"disclose": "sealed", "reveal_timeout": 1}])
def test_cards_with_time_before_them_are_journaled_as_they_are_decided(
    tmp_path: Path, settings: dict[str, Any], mocker: MockerFixture
) -> None:
    events = mocker.spy(LookAhead, "events")
    read = journaled(tmp_path, has_time=True, settings=settings)
    assert [card.quality for card in read] == list(range(CARDS))
    assert all(card.nonce == OWN for card in read)
    known = [each for each in events.spy_return_list if each]
    assert (not known) if "disclose" in settings else (len(known) > CARDS / 2)


def test_cards_in_a_row_are_not_waited_for(tmp_path: Path, mocker: MockerFixture) -> None:
    events = mocker.spy(LookAhead, "events")
    read = journaled(tmp_path, has_time=False, settings={})
    assert [card.quality for card in read] == list(range(CARDS))
    assert not any(events.spy_return_list)


def test_who_only_observes_does_not_judge_ahead(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.journal.cursor.Crashes.too_many", return_value=True)
    judged = mocker.patch("firmware_bridge.daemon.table.look_ahead.decide")
    journaled(tmp_path, has_time=True, settings={})
    judged.assert_not_called()
