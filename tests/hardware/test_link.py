"""Host and simulated board over good and bad cables: no wrong card, none lost, none doubled, in order."""

from random import Random
from typing import Any

import pytest

from hardware import framing
from hardware.readers.messages import Beat, Done, Hello, Param, Sample, Unread
from hardware.readers.native import Get, Raw, Save, Selftest, Set, pack
from hardware.sim.board import NativeBoard
from tests.hardware.link import Link
from tests.kit.cable import BadCable
from tests.kit.nightly import EVERY


def deal(link: Link, codes: list[int], depth: int = 8, **run: Any) -> None:
    """Pull a card of each code whenever fewer than `depth` wait; until all were acknowledged."""
    rest = iter(codes)
    drawn = 0
    while drawn < len(codes) or link.board.waiting:
        if drawn < len(codes) and link.board.waiting < depth:
            link.board.pull(next(rest))
            drawn += 1
        link.run(**run)
        assert link.now < 10**9, "the link stands still"


def shoe(seed: int, cards: int = 416) -> list[int]:
    return Random(seed).choices(range(52), k=cards)


def test_a_good_cable_gives_each_card_at_once() -> None:
    link = Link(step=1)
    for number, code in enumerate(shoe(0)):
        link.board.pull(code)
        link.run()
        assert len(link.codes) == number + 1
    assert link.codes == shoe(0)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("harm", ["flipped", "dropped"])
def test_a_cable_that_harms_one_byte_in_five(seed: int, harm: str) -> None:
    """80 cards by day, a whole shoe at night; scripts/soak deals whole shoes too."""
    cards = 416 if EVERY else 80
    bad = {harm: 0.2}
    link = Link(up=BadCable(seed, **bad), down=BadCable(seed + 100, **bad))
    deal(link, shoe(seed, cards))
    assert link.codes == shoe(seed, cards)
    assert not any(message.gap for message in link.journal)
    assert link.host.bad > 24 * cards


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_shoe_byte_by_byte_over_a_cable_that_flips_and_drops(seed: int) -> None:
    link = Link(up=BadCable(seed, flipped=0.03, dropped=0.03), down=BadCable(seed + 100, dropped=0.05), chunk=1)
    deal(link, shoe(seed))
    assert link.codes == shoe(seed)


def test_a_cable_that_stalls_gives_all_of_it_later() -> None:
    link = Link()
    deal(link, [1, 2, 3])
    link.up.stalled = True
    for code in (4, 5, 6):
        link.board.pull(code)
        link.run(5)
    assert link.codes == [1, 2, 3]
    link.up.stalled = False
    link.run(5)
    assert link.codes == [1, 2, 3, 4, 5, 6]


def test_sequence_numbers_wrap_within_a_session() -> None:
    link = Link()
    deal(link, shoe(9, 600), depth=32)
    assert link.codes == shoe(9, 600)
    assert {message.report.session for message in link.journal} == {500}
    assert link.journal[-1].report.seq == 599 % 256


def test_faults_stand_in_line_with_the_cards() -> None:
    link = Link()
    link.board.pull(1)
    link.board.fault("jam")
    link.board.pull(2)
    link.run()
    assert link.codes == [1, 2]
    assert [m.reason for m in link.journal if isinstance(m, Unread)] == ["jam"]
    assert [m.report.seq for m in link.journal] == [0, 1, 2]


def test_a_board_reset_begins_a_session_without_what_it_forgot() -> None:
    link = Link()
    deal(link, [1, 2])
    link.up.stalled = link.down.stalled = True
    link.board.pull(3)
    link.run()
    link.board.reset()
    link.up = BadCable()
    link.down = BadCable()
    deal(link, [4, 5])
    assert link.codes == [1, 2, 4, 5]
    assert [m.report.session for m in link.journal] == [500, 500, 501, 501]
    assert [m.session for m in link.others if isinstance(m, Hello)] == [500, 501]


def test_more_reports_than_the_board_keeps_are_reported_as_a_gap() -> None:
    link = Link()
    deal(link, [1])
    link.down.stalled = True
    link.up.dropped = 1.0
    for code in range(40):
        link.board.pull(code)
        link.run()
    link.up.dropped = 0.0
    link.down = BadCable()
    link.run(40)
    assert link.codes == [1, *range(8, 40)]
    assert [m.gap for m in link.journal] == [False, True] + 31 * [False]
    assert link.journal[1].lost == 8


@pytest.mark.parametrize("passed", [100, 150, 224])
def test_a_host_that_slept_through_a_hundred_cards_finds_the_way_back(passed: int) -> None:
    link = Link()
    deal(link, [1])
    for code in range(passed):
        link.board.pull(code)
    link.restart()
    link.run(40)
    assert link.codes == [1, *range(passed - 32, passed)]
    assert link.journal[1].gap


@pytest.mark.parametrize("seed", range(12))
def test_a_host_that_dies_anywhere_neither_loses_nor_doubles(seed: int) -> None:
    dice = Random(seed)
    harm = 0.05 * (seed % 2)
    link = Link(up=BadCable(seed, flipped=harm), down=BadCable(seed, dropped=harm))
    deal(link, shoe(seed), crash=lambda where: dice.random() < 0.2)
    assert link.codes == shoe(seed)
    assert not any(message.gap for message in link.journal)


def test_a_resumed_host_has_the_backlog_at_once() -> None:
    link = Link(step=1)
    deal(link, [1])
    link.up.dropped = 1.0
    for code in range(2, 20):
        link.board.pull(code)
        link.run(50)
    link.up.dropped = 0.0
    link.restart()  # its ACK asks for what is left
    link.run(25)
    assert link.codes == list(range(1, 20))


def answers(board: NativeBoard, packet: Any) -> list[object]:
    link = Link(board=board)
    link.run(2)
    board.receive(framing.encode(pack(packet)))
    link.others.clear()
    link.run()
    return link.others


def test_the_board_answers_every_command() -> None:
    board = NativeBoard()
    assert answers(board, Get(1)) == [Param(1, 512)]
    assert answers(board, Set(1, 700)) == [Param(1, 700)]
    assert answers(board, Get(99)) == [Done(0x82, 1)]
    assert answers(board, Save()) == [Done(0x84, 0)]
    assert answers(board, Selftest()) == [Done(0x86, 0)]
    done, sample = answers(board, Raw(1))
    assert done == Done(0x85, 0)
    assert isinstance(sample, Sample)


def test_only_saved_parameters_outlive_a_reset() -> None:
    board = NativeBoard()
    board.receive(framing.encode(pack(Set(1, 700))) + framing.encode(pack(Save())) + framing.encode(pack(Set(1, 9))))
    assert board.params[1] == 9
    board.reset()
    assert board.params[1] == 700


def test_hello_twice_a_second_until_it_is_greeted_and_a_beat_each_second() -> None:
    link = Link()
    link.down.dropped = 1.0
    link.run(20)
    assert [type(m) for m in link.others] == [Hello, Hello, Hello, Beat, Hello]
    link.down.dropped = 0.0
    link.run(30)
    assert [type(m) for m in link.others[5:]] == [Hello, Beat, Beat, Beat]
