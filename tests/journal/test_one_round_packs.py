"""A game whose packs last one round keeps its journal for many of them."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import ShoeOpened
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.audit import Audit
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.preallocate import STEP, content_size
from firmware_bridge.shoe.handlers.rounds import DAY_MS, PACKS_IN_A_JOURNAL
from tests.kit import journal_record
from tests.kit.journal_record import AT, Record
from tests.war.rules import GAME

SHORT = replace(GAME, name="short-war", play=replace(GAME.play, one_round_packs=True))


@pytest.fixture(autouse=True)
def short_war() -> Iterator[None]:
    GAMES[SHORT.name] = SHORT
    yield
    del GAMES[SHORT.name]


@pytest.fixture
def packs(tmp_path: Path) -> Record:
    """A table whose packs last one round, with one open."""
    kept = Record(tmp_path)
    begin(kept, SHORT.name)
    return kept.open_shoe()


def begin(kept: Record, game: str) -> None:
    house = house_of(game=game, burn="none", betting="required" if game == SHORT.name else "ignored")
    kept.take(inputs.Started(at=journal_record.AT, version="0", house=house, nonce="ab" * 16))


def begun(kept: Record) -> list[tuple[int, int]]:
    """Where packs were opened: journal and entry."""
    lines = [line for line in kept.lines if line.entry and isinstance(line.entry.events[0], ShoeOpened)]
    return [(int(line.public.journal.split("-")[0]), line.public.seq) for line in lines]


def test_packs_of_a_day_share_a_journal_and_their_entries_are_numbered_on(packs: Record) -> None:
    for _ in range(3):
        packs.open_shoe()
    assert begun(packs) == [(1, 1), (1, 3), (1, 5), (1, 7)]
    assert [line.public.shoe for line in packs.lines[1:]] == [1, 1, 2, 2, 3, 3, 4]
    numbers = [line.public.seq for line in packs.lines[1:]]
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert packs.shoe.number == 4
    files = packs.close()
    assert len(files) == 2
    journal = Journal(packs.journal.directory).open(None)
    assert journal.shoe == packs.shoe
    journal.close()
    audit = Audit(packs.journal.directory, whole=True, replay=True)
    assert [audit.verify(path).fault for path in files] == [None, None]


def test_what_a_device_carries_is_not_written_again_for_each_pack(packs: Record) -> None:
    for number in range(30):
        order = orders.Void("no round is open")
        packs.take(inputs.Ordered(at=AT, order=order, by="backend", nonce="00" * 16, id=f"a command of {number:040}"))
    answers = packs.shoe.device.answers
    before = packs.shoe.device
    packs.open_shoe()
    assert len(packs.lines[-1].data) < 8_192
    assert packs.lines[-1].entry.events[0].device is None
    assert packs.shoe.device.answers == answers
    assert packs.shoe.device == replace(before, lent="", turn=packs.shoe.device.turn)


def test_a_journal_is_left_after_so_many_packs(packs: Record) -> None:
    for _ in range(2 * PACKS_IN_A_JOURNAL):
        packs.open_shoe()
    assert [place for place in begun(packs) if place[1] == 1] == [(1, 1), (2, 1), (3, 1)]
    assert begun(packs).index((2, 1)) == PACKS_IN_A_JOURNAL
    files = packs.close()
    assert [int(path.name[:8]) for path in files] == [0, 1, 2, 3]
    audit = Audit(packs.journal.directory, whole=True)
    assert [audit.verify(path).fault for path in files] == [None] * 4


@pytest.mark.parametrize(("passed", "is_new"), [(0, False), (DAY_MS - 1, False), (DAY_MS, True), (-1, True)])
def test_a_journal_is_left_after_a_day_or_when_the_clock_goes_back(
    packs: Record, monkeypatch: pytest.MonkeyPatch, passed: int, is_new: bool
) -> None:
    monkeypatch.setattr(journal_record, "AT", AT + passed)
    packs.open_shoe()
    assert (begun(packs)[-1] == (2, 1)) == is_new


def test_another_game_begins_a_journal_of_its_own(packs: Record) -> None:
    begin(packs, "baccarat")
    packs.open_shoe()
    assert begun(packs)[-1] == (2, 1)
    begin(packs, SHORT.name)
    packs.open_shoe().open_shoe()
    assert begun(packs)[-2:] == [(3, 1), (3, 3)]


def test_its_file_stays_filled_between_two_packs_and_is_cut_when_it_is_left(packs: Record) -> None:
    packs.prepare()
    packs.order(orders.CloseShoe())
    path = journal_files(packs.journal.directory)[-1]
    packs.prepare()
    assert path.stat().st_size - content_size(path) > STEP / 2
    begin(packs, "baccarat")
    packs.open_shoe().prepare()
    assert path.stat().st_size == content_size(path)
    assert journal_id(path) != packs.shoe.journal
