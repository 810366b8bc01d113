"""The same cards give the same rounds, whatever happens around them and is put right."""

from __future__ import annotations

from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.shoe.handlers.disclosure import waits_for_reveal
from firmware_bridge.shoe.policy import POLICIES
from tests.kit.nightly import share
from tests.kit.table import BACK, LOST, RESTART, RESUMED, Table
from tests.shoe import oracles

JAM = inputs.CardUnread(at=0, reason="jam", nonce="a" * 32)
CUT = inputs.CutCardSeen(at=0, by="sensor")

HOUSES = st.fixed_dictionaries(
    {
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "first-card", 2]),
        "after_cut": st.sampled_from(["finish", "one-more"]),
        "decks": st.just(2),
        "disclose": st.sampled_from(["dealt", "sealed"]),
        "mode": st.just("vip"),
    }
)
DISTURBANCES = ["restart", "next", "unread", "blocked", "lost", "gap", "entered", "repeat", "broker", "keep"]
DISTURBANCES += ["time", "lid", "stuck", "clock", "wrong_slot", "right_slot", "result", "dealer", "slots", "correct"]


class Dealer:
    """Deals a shuffled shoe with its cut card; `disturb` says what goes wrong before which card."""

    def __init__(self, house: dict[str, Any], seed: int, cut: int) -> None:
        order = list(FACES * house["decks"])
        Random(seed).shuffle(order)
        self.coming: list[Card | inputs.CutCardSeen] = [*order[:cut], CUT, *order[cut:]]
        self.table = Table(**house).play("shoe")
        self.seq = 0

    def deal(self, disturb: dict[int, str]) -> Table:
        """The whole shoe; its table."""
        drawn = 0
        while self.table.shoe.status == "open":
            assert drawn < 500, f"no way out of {self.table.open}"
            self._go_on()
            if self.table.shoe.status == "open":
                self._disturbed(disturb.get(drawn, ""))
                drawn += 1
        return self.table

    def _go_on(self) -> None:
        """What a dealer does between cards: bets are closed, a complete round is ended."""
        steps = 0
        while self.table.phase in ("betting", "complete") or waits_for_reveal(self.table.shoe):
            steps += 1
            assert steps < 20, f"no way on from {self.table.phase}, {self.table.open}"
            self.table.play({"betting": "bets-closed", "complete": "next"}.get(self.table.phase, "reveal"))

    def _draw(self, **report: Any) -> None:
        if not self.coming or self.table.shoe.status != "open":
            return
        each = self.coming.pop(0)
        if not isinstance(each, Card):
            self.table.take(each)
            return
        self.seq = (self.seq + 1) % 256
        self.table.take(self.table.card(each, report=inputs.ReportNo(1, self.seq), **report))

    def _more(self, count: int) -> None:
        """Cards drawn although the shoe is blocked; not in the burn, where nobody knows how many are left."""
        if self.table.phase != "burning":
            for _ in range(count):
                self._draw()

    def _disturbed(self, what: str) -> None:
        is_card = isinstance(self.coming[0], Card)
        getattr(self, what if is_card and what else "_draw")()

    def restart(self) -> None:
        self.table.play(RESTART)

    def next(self) -> None:
        self.table.play("" if self.table.phase == "burning" else "next")
        self._draw()

    def broker(self) -> None:
        self.table.play(inputs.DeviceLost(at=0, device="broker", why="gone"))

    def unread(self) -> None:
        self.table.play("??")
        face = self.coming.pop(0)
        self._more(3)
        self.table.take(self.table.order(orders.Enter(face, "second")))  # type: ignore[arg-type]  # a card

    def blocked(self) -> None:
        self.table.play(JAM)
        self._draw()
        self._more(6)
        self.table.play("!resolve jam keep")

    def lost(self) -> None:
        self.table.play(LOST)
        self._draw()
        self._more(1)
        self.table.play(BACK)
        self._more(1)
        self.table.play("next")

    def gap(self) -> None:
        self._draw(gap=True)
        self._more(1)
        self.table.play("next")

    def entered(self) -> None:
        self.table.play(LOST)
        self.table.take(self.table.order(orders.Enter(self.coming[0], "second")))  # type: ignore[arg-type]  # a card
        self.table.play(RESUMED)
        self._draw()

    def repeat(self) -> None:
        self._draw()
        assert self.table.take(self.table.card("As", report=inputs.ReportNo(1, self.seq))) == ()

    def time(self) -> None:
        """The time to open the cards is over: they open by themselves, or as they are drawn."""
        self.table.play("+61s")
        self._draw()

    def lid(self) -> None:
        if "continue" in POLICIES[self.table.house.policy]["lid_opened"].choices:
            self.table.play("lid-open")
            self._more(2)
            self.table.play("lid-close !resolve lid_opened continue")
        self._draw()

    def stuck(self) -> None:
        """While its sensor is stuck the reader, or the floor, sees the cut card."""
        self.table.take(inputs.SensorStuck(at=0, sensor="cut", stuck=True))
        self._draw()
        self.table.take(inputs.SensorStuck(at=0, sensor="cut", stuck=False))

    def clock(self) -> None:
        self.table.take(inputs.ClockJumped(at=0, by=-3_600_000))
        self._draw()

    def wrong_slot(self) -> None:
        """The floor accepts a card that went elsewhere: it counts as the one due."""
        self._draw(slot=self._elsewhere())
        if "wrong_slot" in self.table.open:
            self._more(1)
            self.table.play("!resolve wrong_slot accept")

    def _elsewhere(self) -> str:
        return "P1" if self.table.due != "P1" else "B1"

    def right_slot(self) -> None:
        self._draw(slot=self.table.due)

    def result(self) -> None:
        """The dealer tells the right result of the round before, or too early."""
        past = self.table.shoe.rounds
        self.table.play(past[-1].outcome or "tie" if past else "tie")
        self._draw()

    def dealer(self) -> None:
        self.table.play("!dealer Li !request_dealer_change")
        self._draw()

    def slots(self) -> None:
        """A guest opens a card of his own choice, or cannot yet."""
        self._draw()
        self.table.take(self.table.order(orders.Reveal(("B2",))))

    def correct(self) -> None:
        """A correction of an earlier round, to the cards that it had, changes none that comes later."""
        if past := self.table.shoe.rounds:
            came = tuple(each.card.value for each in past[0].cards)
            self.table.take(self.table.order(orders.Correct(past[0].round, came, "camera")))
        self._draw()

    def keep(self) -> None:
        self._draw(flags=("face_up",))
        self._more(1)
        self.table.play("!resolve face_up keep")


def facts(table: Table) -> list[tuple[Any, ...]]:
    """What money depends on in each round."""
    return [
        (r["round"], r["status"], [(c["slot"], c["card"]) for c in r["cards"]], r.get("outcome"), r["last"])
        for r in table.rounds
        if r["status"] != "corrected"
    ]


@given(
    HOUSES,
    st.integers(0, 2**32),
    st.integers(14, 90),
    st.dictionaries(st.integers(0, 80), st.sampled_from(DISTURBANCES), max_size=12),
)
@settings(max_examples=share(120, 12))
def test_disturbances_that_are_put_right_change_no_round(
    house: dict[str, Any], seed: int, cut: int, disturb: dict[int, str]
) -> None:
    quiet = Dealer(house, seed, cut).deal({})
    table = Dealer(house, seed, cut).deal(disturb)
    assert facts(table) == facts(quiet)
    oracles.last_means_last(table.lines)
    oracles.bets_come_first(table.lines)


@pytest.mark.parametrize("what", DISTURBANCES)
@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
@pytest.mark.parametrize("first", [0, 1])
def test_one_kind_of_trouble_at_every_other_card(procedure: str, what: str, first: int) -> None:
    house = {"procedure": procedure, "decks": 2, "betting": "required"}
    quiet = Dealer(house, 1, 60).deal({})
    assert facts(Dealer(house, 1, 60).deal(dict.fromkeys(range(first, 99, 2), what))) == facts(quiet)
    assert len(facts(quiet)) > 6
