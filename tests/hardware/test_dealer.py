"""The simulated dealer: what it does is what the lamps ask for, at the pace of a hand."""

import asyncio
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from hardware.sim.dealer import ANSWER_S, THINK_S, Dealer, Mistake, Paper, Puzzled
from tests.hardware.lamps_in_steps import Enough, Table
from tests.kit.virtual import run

CUT_FROM_END = (13, 52)
PACKS = [Paper(code, burns=2) for code in range(52)]
READY = {"ready": "confirm"}


def played(*steps: dict[str, str], **options: Any) -> Table:
    """The table after a dealer has played it to the end of its steps, and one thing more."""

    async def main() -> Table:
        table = Table(steps)
        dealer = Dealer(table, PACKS, Random(1), **options)
        with pytest.raises(Enough):
            await dealer.work()
        return table

    return run(main())


def test_a_dealer_waits_for_the_guests_before_a_card() -> None:
    class Slow(Table):
        asked = 50

        def waits(self) -> str:
            self.asked -= 1
            return "marks" if self.asked > 0 else ""

    async def main() -> Slow:
        table = Slow([READY, {}])
        with pytest.raises(Enough):
            await Dealer(table, PACKS, Random(1)).work()
        return table

    table = run(main())
    assert (table.done[:2], table.asked <= 0) == (["shoe", "draw"], True)


def test_a_lamp_that_stays_lit_for_the_next_card_is_one_that_answered() -> None:
    class Counting(Table):
        def left(self) -> int:
            return 52 - len(self.drawn)

    async def main() -> Table:
        table = Counting([{"P1": "steady"}] * 4)
        with pytest.raises(Enough):
            await Dealer(table, PACKS, Random(1)).work()
        return table

    assert run(main()).done == ["shoe", "draw", "draw", "draw", "draw"]


@pytest.mark.parametrize(
    ("steps", "done"),
    [
        # The reader may have missed cards when the shoe was opened: first that is settled.
        ([{"fault": "confirm"}, READY, {"P1": "steady"}], "shoe next draw draw"),
        # The exposed first card says that two more are burned.
        ([READY, READY, READY, {"P1": "steady"}, {}], "shoe draw draw draw draw shoe"),
        ([{"P1": "steady"}, {"B1": "steady"}, {"P2": "steady"}, {}], "shoe draw draw draw shoe"),
        # No card is due while a lamp asks for NEXT, for the floor, or for a look at the cards.
        ([{"P1": "steady"}, READY, {"P1": "steady"}, {}], "shoe draw next draw shoe"),
        ([{"P1": "steady"}, {"fault": "blocked"}, {"P1": "steady"}, {}], "shoe draw floor draw shoe"),
        ([{"P1": "steady"}, {"fault": "confirm"}, {"B1": "steady"}, {}], "shoe draw next draw shoe"),
        # A steady fault lamp, and a last round, keep nobody from dealing.
        ([{"P1": "steady"}, {"B1": "steady", "fault": "steady", "ready": "double"}, {}], "shoe draw draw shoe"),
        ([{"P1": "steady"}, {"ready": "double"}, {}], "shoe draw next shoe"),
        # Reserves are moved while R2 and P1 blink together; B1 is due.
        ([{"P1": "steady"}, {"R2": "confirm", "P1": "confirm", "B1": "steady"}, {}], "shoe draw draw shoe"),
        ([{"P1": "steady"}, {"R1": "confirm", "P3": "confirm", **READY}, {}], "shoe draw next shoe"),
    ],
)
def test_the_dealer_does_what_the_lamps_ask_for(steps: list[dict[str, str]], done: str) -> None:
    assert " ".join(played(*steps).done) == done


SHOE = [{"P1": "steady"}, {"B1": "steady"}, {"P2": "steady"}, READY] * 3


async def _smudge(dealer: Dealer) -> bool:
    dealer.draw("unreadable")
    return True


async def _hurry(dealer: Dealer) -> bool:
    await dealer.hands.press_next()
    return False


@pytest.mark.parametrize(
    ("mistake", "done"),
    [
        (Mistake(_smudge, ("P2",), after=0), "shoe draw draw draw unreadable next draw"),
        (Mistake(_smudge, ("P2",)), "shoe draw draw draw next draw draw draw unreadable"),
        (Mistake(_smudge, ("next",), after=0), "shoe draw draw draw draw unreadable"),
    ],
)
def test_a_mistake_is_made_once_at_its_moment(mistake: Mistake, done: str) -> None:
    made = " ".join(played(*SHOE, mistake=mistake).done)
    assert made.startswith(done)
    assert made.count("unreadable") == 1


def test_next_before_the_burn_is_done() -> None:
    table = played(READY, READY, READY, READY, {"P1": "steady"}, {}, mistake=Mistake(_hurry, ("burn",), after=0))
    assert table.done == ["shoe", "draw", "draw", "next", "draw", "draw", "shoe"]


def deal_all(**options: Any) -> Table:
    """Two lamps in turn until the shoe is empty."""
    steps = [{"P1": "steady"} if n % 2 else {"B1": "steady"} for n in range(200)]

    async def main() -> Table:
        table = Table(steps)
        with pytest.raises(Puzzled, match="the shoe is empty"):
            await Dealer(table, PACKS, Random(2), **options).work()
        return table

    return run(main())


def test_every_card_of_the_packs_is_dealt_once_and_the_cut_card_where_it_belongs() -> None:
    table = deal_all(cut_from_end=CUT_FROM_END)
    assert sorted(table.drawn) == list(range(52))
    assert table.drawn != list(range(52))
    behind = len(table.done) - 1 - table.done.index("cut")
    assert CUT_FROM_END[0] <= behind <= CUT_FROM_END[1]


def test_a_forgotten_cut_card_never_comes() -> None:
    assert "cut" not in deal_all(cut_from_end=None).done


@pytest.mark.parametrize("speed", [1.0, 2.0, 50.0])
def test_cards_come_at_the_pace_of_a_hand(speed: float) -> None:
    at = deal_all(speed=speed, cut_from_end=None).at
    pauses = [after - before for before, after in pairwise(at)]
    assert min(pauses) >= THINK_S[0] / speed
    assert max(pauses) <= THINK_S[1] / speed + 0.01


def test_a_lamp_that_never_answers_puzzles_the_dealer() -> None:
    async def main() -> None:
        table = Table([{"P1": "steady"}] * 9)
        with pytest.raises(Puzzled, match=f"waited {ANSWER_S:.0f} s for the lamp of P1 to go out: it did not come"):
            await Dealer(table, PACKS, Random(3)).work()

    run(main())


def test_a_paper_hides_its_face() -> None:
    assert "17" not in repr(Paper(17))


def test_a_table_that_answers_late_is_given_time_before_next_is_pressed_again() -> None:
    class Late(Table):
        async def press_next(self) -> None:
            self.done.append("next")
            if self.done.count("next") == 1:
                asyncio.get_running_loop().call_later(2.5, self.__setattr__, "lamps", {"P1": "steady"})

    async def main() -> Table:
        table = Late([{"P1": "steady"}, READY])
        with pytest.raises(Enough):
            await Dealer(table, PACKS, Random(1)).work()
        return table

    assert run(main()).done == ["shoe", "draw", "next", "draw"]


@pytest.mark.parametrize("lost", ["quick", "double"])
@pytest.mark.parametrize("wait", [0.0, 0.03, 0.06, 0.11, 0.17, 0.23])
def test_the_sign_of_a_lost_hand_does_not_hold_up_the_next_key(lost: str, wait: float) -> None:
    class Asked(Table):
        asked = 5

        def waits(self) -> str:
            self.asked -= len(self.done) == 3
            return "marks" if len(self.done) == 3 and self.asked > 0 else ""

    async def main() -> Table:
        await asyncio.sleep(wait)
        table = Asked([{"P1": "steady"}, {"B1": "steady"}, {"P1": lost, **READY}])
        with pytest.raises(Enough):
            await Dealer(table, PACKS, Random(1), 6.0).work()
        return table

    table = run(main())
    assert (table.done[-1], len(table.done)) == ("next", 4)
    assert table.at[-1] - table.at[-2] < 3


def test_a_hand_that_takes_card_after_card_is_dealt_at_the_pace_of_a_hand() -> None:
    class Counting(Table):
        def left(self) -> int:
            return 52 - len(self.drawn)

    async def main() -> Table:
        table = Counting([{"P1": "steady"}] * 9)
        with pytest.raises(Enough):
            await Dealer(table, PACKS, Random(1), 1.0).work()
        return table

    pauses = [after - before for before, after in pairwise(run(main()).at[1:])]
    assert max(pauses) <= THINK_S[1] + 0.02
