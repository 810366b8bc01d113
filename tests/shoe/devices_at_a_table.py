"""What devices may do at a table, at random: tell, fail, come back."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import rule

from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Card
from firmware_bridge.shoe import fault
from firmware_bridge.shoe.round import layout
from tests.shoe.people_at_a_table import CARDS, People


class Devices(People):
    """The devices of a table where people do whatever they can."""

    @rule(card=CARDS, slot=st.sampled_from(["P1", "B1", "P2", "B2", "P3", "R1"]))
    def to_a_slot(self, card: Card, slot: str) -> None:
        self.take(self.table.card(card, report=self.report(), slot=slot))

    @rule(right=st.booleans(), outcome=st.sampled_from(["player", "banker", "tie", "forced"]))
    def result(self, right: bool, outcome: str) -> None:
        """The reader tells a result: ours, or any."""
        ours = layout(self.table.shoe).result if self.table.shoe.laid else None
        pairs = [f"{side} pair" for side, has_pair in ours.own.pairs.items() if has_pair] if ours else []  # type: ignore[attr-defined]
        words = (ours.outcome, *pairs) if ours and right else (outcome,)
        self.take(inputs.ReaderJudged(at=0, result=inputs.ReaderResult(words)))

    @rule(gap=st.booleans())
    def reader_says(self, gap: bool) -> None:
        self.take(inputs.ReaderSaid(at=0, what="unlocked", gap=gap))

    @rule(is_open=st.booleans())
    def lid(self, is_open: bool) -> None:
        self.take(inputs.LidMoved(at=0, open=is_open))

    @rule()
    def clock(self) -> None:
        self.take(inputs.ClockJumped(at=0, by=-9_000))

    @rule(is_stuck=st.booleans())
    def sensor(self, is_stuck: bool) -> None:
        self.take(inputs.SensorStuck(at=0, sensor="cut", stuck=is_stuck))

    @rule(device=st.sampled_from(["reader", "broker"]), is_lost=st.booleans(), resumes=st.booleans())
    def device(self, device: str, is_lost: bool, resumes: bool) -> None:
        lost = inputs.DeviceLost(at=0, device=device, why="gone")  # type: ignore[arg-type]  # both are devices
        back = inputs.DeviceBack(at=0, device=device, resumes=resumes)  # type: ignore[arg-type]  # both are devices
        self.take(lost if is_lost else back)

    @rule()
    def reader_back(self) -> None:
        self.take(inputs.DeviceBack(at=0, device="reader", resumes=True))

    @rule()
    def restart(self) -> None:
        self.take(inputs.Started(at=0, version="test", house=self.table.house, nonce=self.table.nonce()))

    @rule(hello=st.booleans())
    def board_resets(self, hello: bool) -> None:
        self.session, self.seq = self.session + 1, 255
        if hello:
            self.take(inputs.ReaderBooted(at=0, session=self.session))

    @rule(numbered=st.booleans())
    def another_reader(self, numbered: bool) -> None:
        self.numbered = numbered

    @rule(card=CARDS, skip=st.integers(1, 20))
    def reports_lost(self, card: Card, skip: int) -> None:
        self.take(self.table.card(card, report=self.report(skip), gap=True))

    @rule()
    def disk(self) -> None:
        self.take(inputs.DiskFailed(at=0, irregularity="disk_full", why="no space", until=1))

    @rule(card=CARDS)
    def own_fault(self, card: Card) -> None:
        """`decide` fails on a card: it is kept, not judged."""
        fact = self.table.card(card, report=self.report())
        self.table.carry(fact, fault(self.table.shoe, fact, ValueError("a bug")))
        self.last = fact
