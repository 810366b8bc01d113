"""What people may do at a table, at random: deal, press, order, decide."""

from __future__ import annotations

from collections import Counter

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.house import Row
from firmware_bridge.shoe.handlers.disclosure import deadline, waits_for_reveal
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.shoe.state import cards_left, waiting_cut
from tests.kit.table import Table

HOUSES = st.fixed_dictionaries(
    {
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next", "result"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "first-card", 2]),
        "after_cut": st.sampled_from(["finish", "one-more"]),
        "new_shoe": st.sampled_from(["command", "auto"]),
        "virtual_cut": st.sampled_from([None, None, 20, 45]),
        "cut_earliest": st.sampled_from([None, 10, 46, 51]),
        "decks": st.just(1),
        "disclose": st.sampled_from(["dealt", "sealed"]),
        "policy": st.sampled_from(sorted(POLICIES)),
        "mode": st.sampled_from(["standard", "vip"]),
        "shoe_change_after": st.just(1),
    }
)
CARDS = st.sampled_from(FACES)


class People(RuleBasedStateMachine):
    """One deck, so that duplicates and empty shoes come up."""

    @initialize(house=HOUSES)
    def begin(self, house: dict[str, object]) -> None:
        self.table = Table(**house)
        self.session, self.seq = 1, 255
        self.numbered = True
        self.last: inputs.AnyInput | None = None

    def take(self, fact: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
        self.last = fact
        return self.table.take(fact)

    def row(self, name: str) -> Row:
        """What the policy of this table says about an irregularity."""
        return POLICIES[self.table.house.policy][name]

    def report(self, skip: int = 0) -> inputs.ReportNo | None:
        self.seq = (self.seq + 1 + skip) % 256
        return inputs.ReportNo(self.session, self.seq) if self.numbered else None

    @rule(count=st.integers(1, 9), order=st.randoms(use_true_random=False))
    def deal(self, count: int, order: object) -> None:
        """Cards as they come from a shuffled pack: the ordinary thing."""
        for _ in range(count):
            self.deal_one(order)

    def deal_one(self, order: object) -> None:
        left = list((Counter(FACES) - Counter(self.table.shoe.seen)).elements()) or list(FACES)
        card = left[order.randrange(len(left))]  # type: ignore[attr-defined]  # a Random
        self.take(self.table.card(card, report=self.report()))

    @rule(rounds=st.integers(1, 4), order=st.randoms(use_true_random=False))
    def ordinary_rounds(self, rounds: int, order: object) -> None:
        """Everything is put right, and a few rounds go by."""
        self.put_right(0)
        for _ in range(rounds):
            if self.table.phase == "betting":
                self.take(self.table.order(orders.BetsClosed()))
            before = self.table.shoe.round
            for _ in range(12):
                if self.table.shoe.round != before or self.table.phase == "complete":
                    break
                if waits_for_reveal(self.table.shoe):
                    self.take(inputs.Pressed(at=0, key="reveal"))
                else:
                    self.deal_one(order)
            if self.table.phase == "complete":
                self.take(inputs.Pressed(at=0, key="next"))

    @rule(pick=st.integers(0, 5))
    def put_right(self, pick: int) -> None:
        """The reader comes back, the floor decides all that is open, the dealer confirms; a shoe is opened."""
        if "reader_lost" in self.table.open:
            self.take(inputs.DeviceBack(at=0, device="reader", resumes=True))
        for attempt in range(40):
            waiting = [name for name in self.table.open if self.row(name).blocks]
            if not waiting:
                break
            if self.row(waiting[0]).confirm:
                self.take(inputs.Pressed(at=0, key="next"))
            elif waiting[0] == "unreadable":
                self.take(self.table.order(orders.Enter(FACES[pick], "second")))
            else:
                choices = self.row(waiting[0]).choices
                self.take(self.table.order(orders.Resolve(waiting[0], choices[(pick + attempt) % len(choices)])))
        else:
            raise AssertionError(f"no way out of {self.table.open}")
        if self.table.shoe.status != "open":
            self.open_shoe(None)

    @rule(
        card=CARDS, lot=st.sampled_from([None, None, 1, 2]), flags=st.sampled_from([(), (), ("face_up",), inputs.Flag])
    )
    def any_card(self, card: Card, lot: int | None, flags: object) -> None:
        reported = ("double_feed", "backwards") if flags is inputs.Flag else flags
        self.take(self.table.card(card, report=self.report(), lot=lot, flags=reported))

    @rule()
    def tile(self) -> None:
        self.take(self.table.card("3p", report=self.report()))

    @rule(
        reason=st.sampled_from(
            ["unreadable", "unreadable", "unknown code", "double_feed", "jam", "backwards", "lamp_weak"]
        )
    )
    def unread(self, reason: str) -> None:
        self.take(inputs.CardUnread(at=0, reason=reason, nonce=self.table.nonce(), report=self.report()))

    @rule(card=CARDS, second=st.sampled_from(["second", "second", "floor"]))
    def enter(self, card: Card, second: str) -> None:
        self.take(self.table.order(orders.Enter(card, second)))

    @rule(by=st.sampled_from(["sensor", "reader"]))
    def cut(self, by: str) -> None:
        before = self.table.shoe
        self.take(inputs.CutCardSeen(at=0, by=by, report=self.report() if by == "reader" else None))  # type: ignore[arg-type]
        is_first = before.last_round is None and waiting_cut(before) is None
        if before.status == "open" and is_first and cards_left(before) > (self.table.house.cut_earliest or 99):
            assert "cut_card_early" in self.table.open
            assert self.table.shoe.last_round is None
        else:
            assert "cut_card_early" not in set(self.table.open) - {each.id for each in before.device.irregular}

    @rule(key=st.sampled_from(["next", "next", "next", "reveal", "reveal", "player", "banker", "tie"]))
    def press(self, key: str) -> None:
        self.take(inputs.Pressed(at=0, key=key))

    @rule(
        order=st.sampled_from(
            [
                orders.BetsOpen(),
                orders.BetsClosed(),
                orders.BetsClosed(),
                orders.BetsClosed(),
                orders.OpenShoe(),
                orders.Next(),
            ]
        )
    )
    def order(self, order: orders.Order) -> None:
        self.take(self.table.order(order))

    @rule(
        order=st.sampled_from(
            [
                *(orders.Void("misdeal"), orders.CloseShoe(), orders.CloseTable()),
                *(orders.Malformed("x", "y", "z"), orders.Resend()),
            ]
        )
    )
    def rare_order(self, order: orders.Order) -> None:
        self.take(self.table.order(order))

    @rule(lot=st.sampled_from([None, 1]))
    def open_shoe(self, lot: int | None) -> None:
        self.take(self.table.order(orders.OpenShoe(orders.Pack(lot))))

    @precondition(lambda self: self.table.shoe.device.irregular)
    @rule(pick=st.integers(0, 99))
    def resolve(self, pick: int) -> None:
        """The floor takes one of the choices it has."""
        name = self.table.open[pick % len(self.table.open)]
        if choices := self.row(name).choices:
            self.take(self.table.order(orders.Resolve(name, choices[(pick) % len(choices)])))

    @rule(
        order=st.sampled_from(
            [orders.Fly(), orders.RequestShoeChange(), orders.RequestDealerChange(), orders.DealerIn("Li")]
        )
    )
    def service(self, order: orders.Order) -> None:
        self.take(self.table.order(order))

    @rule(slots=st.lists(st.sampled_from(["P1", "B1", "P2", "B2", "P3", "B3", "R1"]), max_size=3))
    def open_slots(self, slots: list[str]) -> None:
        self.take(self.table.order(orders.Reveal(tuple(slots))))

    @rule(seconds=st.sampled_from([1, 30, 61, 301]))
    def time(self, seconds: int) -> None:
        """Time goes by; afterwards the shoe waits for a moment to come, not for one that is gone."""
        self.table.play(f"+{seconds}s")
        moment = deadline(self.table.shoe)
        assert moment is None or moment > self.table.at
        self.last = None

    @rule(pick=st.integers(0, 99), faces=st.lists(CARDS, min_size=3, max_size=6))
    def correct(self, pick: int, faces: list[Card]) -> None:
        past = self.table.shoe.rounds
        number = past[pick % len(past)].round if past else 1
        self.take(self.table.order(orders.Correct(number, tuple(card.value for card in faces), "camera")))

    @precondition(lambda self: bool(getattr(self.last, "report", None)))
    @rule()
    def repeated(self) -> None:
        """The reader sends its last report again: nothing comes of it."""
        assert self.last
        assert self.table.take(self.last) == ()

    @rule(
        name=st.sampled_from("abc"), order=st.sampled_from([orders.BetsClosed(), orders.Next(), orders.Void("twice")])
    )
    def repeated_order(self, name: str, order: orders.Order) -> None:
        self.take(self.table.order(order, id=name))
        assert self.table.take(self.table.order(order, id=name)) == ()
