"""What may happen at a table of the golden scenarios: the ordinary, and anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.golden import golden_table as t
from tests.golden.dealer import Dealer
from tests.golden.golden_table import ALL_NAMES

SLOTS: Final = ("P1", "B1", "P2", "B2", "P3", "B3", "R1", "R2", "burn")
CHOICES: Final = ("burn", "keep", "remove", "void", "accept", "continue", "end-shoe")
NO_FACE: Final = ("unreadable", "unreadable", "unknown code", "no code book")
NO_CARD: Final = ("double_feed", "jam", "backwards", "lamp_weak")


class Wild(Dealer):
    """Whatever people and devices do."""

    def act(self) -> None:
        """Something ordinary, or not."""
        if self.once_in(5 if self.phase == "ended" else 2):
            self.ordinary()
        else:
            self.single()

    def single(self) -> None:
        """One thing out of order."""
        self.any_of(*ACTS)(self)

    def wrong_card(self) -> None:
        name = self.any_card() if self.chance.randrange(8) else ALL_NAMES[self.chance.randrange(len(ALL_NAMES))]
        more: dict[str, Any] = {}
        if self.once_in(3):
            more["lot"] = self.any_of(1, 1, 2)
        if self.once_in(3):
            more["flags"] = self.any_of(("face_up",), ("double_feed",), ("backwards",), ("double_feed", "backwards"))
        if self.once_in(3):
            more["slot"] = self.any_of(*SLOTS)
        if self.once_in(4):
            more["serial"] = self.any_of("a", "b")
        if self.once_in(6):
            more["quality"] = self.chance.randrange(100)
        self.take(t.card(name, self.nonce(), self.report(), **more))

    def reports_lost(self) -> None:
        report = self.report(self.chance.randrange(1, 21))
        kind = self.chance.randrange(3)
        if kind == 0:
            self.take(t.card(self.any_card(), self.nonce(), report, gap=True))
        elif kind == 1:
            self.take(t.unread("unreadable", self.nonce(), report, gap=True))
        else:
            self.take(t.cut_card("reader", report, gap=True))

    def deal_many(self) -> None:
        for _ in range(self.chance.randrange(1, 8)):
            self.deal()

    def unread(self) -> None:
        self.take(t.unread(self.any_of(*NO_FACE, *NO_CARD), self.nonce(), self.report()))

    def enter(self) -> None:
        self.order("enter", self.any_card(), self.any_of("second", "second", "Floor ", ""))

    def cut(self) -> None:
        by = self.any_of("sensor", "reader")
        self.take(t.cut_card(by, self.report() if by == "reader" else None))

    def press(self) -> None:
        self.take(t.key(self.any_of("next", "next", "reveal", "player", "banker", "tie")))

    def result(self) -> None:
        outcome = self.any_of("player", "banker", "tie", "forced")
        self.take(t.result(outcome, self.any_of((), (), ("player",), ("player", "banker"))))

    def bets(self) -> None:
        self.order(self.any_of("bets_open", "bets_closed"), by="backend")

    def plain_order(self) -> None:
        names = ("next", "fly", "fly", "request_shoe_change", "request_dealer_change", "resend", "close_shoe")
        self.order(self.any_of(*names), by=self.any_of("floor", "guest"))

    def worded_order(self) -> None:
        name, *words = self.any_of(
            ("void", "misdeal"), ("dealer", "Li"), ("dealer", " "), ("dealer", "Ho"), ("malformed", "x", "y", "z")
        )
        self.order(name, *words)

    def reveal(self) -> None:
        slots = [self.any_of(*SLOTS[:6]) for _ in range(self.chance.randrange(4))]
        self.order("reveal", tuple(slots), by="guest")

    def correct(self) -> None:
        faces = [self.any_card() for _ in range(self.chance.randrange(4, 7))]
        self.order("correct", max(1, self.round - self.chance.randrange(3)), faces, "camera")

    def resolve(self) -> None:
        names = [each["id"] for each in self.open] or ["wrong_slot", "no such thing", "lid_opened"]
        self.order("resolve", self.any_of(*names), self.any_of(*CHOICES))

    def settle(self) -> None:
        if alarms := [each for each in self.open if each["choices"]]:
            alarm = self.any_of(*alarms)
            self.order("resolve", alarm["id"], self.any_of(*alarm["choices"]), by="floor 2")
        else:
            self.order("resolve", "unshuffled", "continue")

    def repeated_order(self) -> None:
        name = self.any_of("a", "b", "c")
        for _ in range(2):
            self.order(self.any_of("bets_closed", "next", "bets_open"), id=name)

    def repeated(self) -> None:
        if self.last:
            self.take(self.last)

    def pause(self) -> None:
        self.wait(1000 * self.any_of(1, 15, 30, 61, 301))

    def short_burn(self) -> None:
        self.take(t.key("next"))
        self.order("resolve", "burn_short", "accept")

    def overdrawn(self) -> None:
        self.deal()
        self.order("resolve", "overdrawn", "burn")

    def overdrawn_on_a_slot(self) -> None:
        for _ in range(9):
            if self.phase != "complete":
                self.step()
        self.deal()
        self.take(t.slot_filled(self.any_of("P3", "B3", "B1")))

    def old_report(self) -> None:
        """A report from further back than the last: a repeat, or too old for one."""
        report = (self.session, (self.seq - self.any_of(1, 2, 30, 31, 32, 33, 60)) % 256)
        self.take(t.card(self.any_card(), self.nonce(), report))

    def change(self) -> None:
        self.order("request_shoe_change", by="guest")
        self.wait(1000 * self.any_of(10, 90, 301))

    def end(self) -> None:
        self.order("close_shoe", self.any_of("", "the cards are worn"))

    def moment(self) -> None:
        self.take(t.time_passed())

    def lid(self) -> None:
        self.take(t.lid(self.once_in(2)))

    def slot(self) -> None:
        self.take(t.slot_filled(self.any_of(*SLOTS[:6])))

    def sensor(self) -> None:
        self.take(t.sensor_stuck(self.any_of("cut", "key next", "lid"), self.once_in(2)))

    def clock(self) -> None:
        self.take(t.clock_jumped(self.any_of(-9_000, 61_250)))

    def says(self) -> None:
        self.take(t.said(self.any_of("unlocked", "burn card"), self.once_in(3)))

    def device(self) -> None:
        device = self.any_of("reader", "broker", "broker")
        if self.once_in(2):
            self.take(t.lost(device, self.any_of("unplugged", "gone")))
        else:
            self.take(t.back(device, self.once_in(2), device == "reader" and self.once_in(4)))

    def loan(self) -> None:
        """A technician has the reader, takes reports, and gives it back; or something happens meanwhile."""
        self.take(t.lost("reader", "lent", None, self.any_of("Ann", "Bo")))
        if self.once_in(2):
            self.take(t.lost("reader", "a report taken", self.report(), self.any_of("Ann", "")))
        if self.once_in(2):
            self.any_of(Wild.press, Wild.cut, Wild.enter, Wild.open_shoe, Wild.deal, Wild.boot_again)(self)
        if self.chance.randrange(4):
            self.take(t.back("reader", self.once_in(2), self.once_in(3)))

    def by_hand(self) -> None:
        """Cards are entered while the reader is away, which then reports them, or others."""
        self.take(t.lost("reader", "unplugged"))
        names = [self.any_card() for _ in range(self.chance.randrange(1, 5))]
        for name in names:
            self.order("enter", name, "second")
        self.take(t.back("reader", not self.once_in(4)))
        for name in names:
            self.take(t.card(name if self.chance.randrange(6) else self.any_card(), self.nonce(), self.report()))

    def boot_again(self) -> None:
        self.boot(self.once_in(2))

    def board(self) -> None:
        self.session, self.seq = self.session + 1, 255
        if self.once_in(2):
            self.take(t.booted(self.session))

    def booted(self) -> None:
        self.take(t.booted(self.session))

    def another_reader(self) -> None:
        self.numbered = not self.numbered

    def disk(self) -> None:
        self.take(t.disk_failed(self.any_of("disk_full", "disk_error"), "no space"))

    def another_record(self) -> None:
        self.take(self.any_of(*t.record_changes()))

    def own_fault(self) -> None:
        card = t.unread("unreadable", self.nonce()) if self.once_in(3) else t.card(self.any_card(), self.nonce())
        self.take(self.any_of(card, card, t.lid(True)), broken=True)


ACTS: Final[tuple[Callable[[Wild], None], ...]] = (
    Wild.deal, Wild.deal_many, Wild.deal_many, Wild.wrong_card, Wild.wrong_card, Wild.reports_lost, Wild.unread,
    Wild.enter, Wild.cut, Wild.press, Wild.press, Wild.result, Wild.bets, Wild.plain_order, Wild.plain_order,
    Wild.worded_order, Wild.worded_order, Wild.plain_order, Wild.device, Wild.press,
    Wild.reveal, Wild.correct, Wild.resolve, Wild.settle, Wild.repeated_order, Wild.repeated,
    Wild.pause, Wild.moment, Wild.lid, Wild.slot, Wild.sensor, Wild.clock, Wild.says, Wild.device, Wild.loan,
    Wild.by_hand, Wild.boot_again, Wild.board, Wild.booted, Wild.another_reader, Wild.disk, Wild.own_fault,
    Wild.short_burn, Wild.overdrawn, Wild.overdrawn, Wild.change, Wild.end, Wild.settle,
    Wild.overdrawn_on_a_slot, Wild.overdrawn_on_a_slot, Wild.old_report, Wild.old_report, Wild.open_shoe,
    Wild.another_record,
)  # fmt: skip
