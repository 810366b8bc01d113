"""A good dealer and his floor at a table of the golden scenarios: their next step, whatever came before."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.golden import golden_table as t
from tests.golden.digests import Tape
from tests.golden.golden_table import NAMES, GoldenTable


class Dealer(GoldenTable):
    """`pack` holds the cards to come, the next one last; `drawn` counts them."""

    def __init__(self, tape: Tape, chance: Random, **settings: Any) -> None:
        self.pack: list[str] = []
        self.drawn, self.session, self.seq, self.numbered = 0, 1, 255, True
        super().__init__(tape, chance, **settings)

    def report(self, skip: int = 0) -> tuple[int, int] | None:
        self.seq = (self.seq + 1 + skip) % 256
        return (self.session, self.seq) if self.numbered else None

    def any_card(self) -> str:
        return str(self.any_of(*NAMES))

    def deal(self) -> None:
        """The next card as it comes from the pack."""
        self.drawn += 1
        name = self.pack.pop() if self.pack else self.any_card()
        more = {"serial": f"{name}{self.chance.randrange(40)}"} if self.drawn % 5 == 0 and self.house.decks == 2 else {}
        self.take(t.card(name, self.nonce(), self.report(), **more))

    def step(self) -> None:
        """What a good dealer and his floor do next."""
        if any(each["blocks"] for each in self.open):
            self.put_right()
        elif self.phase == "betting":
            self.order("bets_closed", by="backend", id=f"c{self.nonces}" if self.once_in(2) else None)
        elif self.phase == "dealing" and self.due is None:
            self.take(t.key("reveal"))
        elif self.phase == "complete" and self.chance.randrange(8):
            self.finish()
        elif self.phase in ("empty", "ended"):
            self.open_shoe()
        else:
            self.deal()

    def finish(self) -> None:
        """The result is told, or NEXT pressed."""
        if self.once_in(3):
            self.take(t.result(self.any_of("player", "banker", "banker", "tie")))
        elif self.once_in(4):
            self.take(t.key(self.any_of("player", "banker", "tie")))
        else:
            self.take(t.key("next"))

    def put_right(self) -> None:
        """The floor decides about what blocks, the dealer confirms, the reader comes back."""
        alarm = self.any_of(*[each for each in self.open if each["blocks"]])
        if alarm["id"] == "reader_lost":
            self.take(t.back("reader", resumes=not self.once_in(3), cut_short=self.once_in(5)))
        elif alarm["id"] == "unreadable" and not self.once_in(4):
            self.order("enter", self.any_card(), "second")
        elif alarm["id"] in ("reader_back", "reader_gap", "restarted_mid_round") and self.once_in(2):
            self.take(t.key("next"))
        elif alarm["id"] == "lid_opened" and self.once_in(2):
            self.take(t.lid(False))
        elif alarm["choices"]:
            self.order("resolve", alarm["id"], self.any_of(*alarm["choices"]), self.any_of("", "", "seen on camera"))

    def open_shoe(self) -> None:
        """A new shoe."""
        pit_boss = self.any_of("", "Chan") if self.house.confirm_shuffle else ""
        lot, decks = self.any_of(None, None, 1, 2), self.any_of(None, None, None, None, 1, 2, 0)
        self.order("open_shoe", lot, decks, dealer=self.any_of("", "", "Li"), confirmed_by=pit_boss)

    def ordinary(self) -> None:
        for _ in range(self.chance.randrange(2, 9)):
            self.step()
