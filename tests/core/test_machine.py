"""Random play at a table: what must hold after every step, whatever people and devices do."""

from __future__ import annotations

from collections import Counter

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.house import Row
from firmware_bridge.shoe import Phase, fault, phase
from firmware_bridge.shoe.judges.disclosure import deadline, waits_for_reveal
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.shoe.round import due, layout
from firmware_bridge.shoe.state import blockers, held_cards
from firmware_bridge.topics.event_and_round import messages
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.core import oracles
from tests.core.table import Table

HOUSES = st.fixed_dictionaries(
    {
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next", "result"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "first-card", 2]),
        "after_cut": st.sampled_from(["finish", "one-more"]),
        "new_shoe": st.sampled_from(["command", "auto"]),
        "virtual_cut": st.sampled_from([None, None, 20, 45]),
        "decks": st.just(1),
        "disclose": st.sampled_from(["dealt", "sealed"]),
        "policy": st.sampled_from(sorted(POLICIES)),
        "mode": st.sampled_from(["standard", "vip"]),
        "shoe_change_after": st.just(1),
    }
)
CARDS = st.sampled_from(FACES)


class AtTheTable(RuleBasedStateMachine):
    """One deck, so that duplicates and empty shoes come up; the machine counts cards by itself."""

    @initialize(house=HOUSES)
    def begin(self, house: dict[str, object]) -> None:
        self.table = Table(**house)
        self.session, self.seq = 1, 255
        self.numbered = True
        self.last: inputs.AnyInput | None = None

    def take(self, told: inputs.AnyInput) -> tuple[events.AnyEvent, ...]:
        self.last = told
        return self.table.take(told)

    def row(self, name: str) -> Row:
        """What the policy of this table says about an irregularity."""
        return POLICIES[self.table.house.policy][name]

    def report(self, skip: int = 0) -> inputs.ReportNo | None:
        self.seq = (self.seq + 1 + skip) % 256
        return inputs.ReportNo(self.session, self.seq) if self.numbered else None

    # -------------------------------------------------------- what happens

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
        told = ("double_feed", "backwards") if flags is inputs.Flag else flags
        self.take(self.table.card(card, report=self.report(), lot=lot, flags=told))

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
        self.take(inputs.CutCardSeen(at=0, by=by, report=self.report() if by == "reader" else None))  # type: ignore[arg-type]

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
            [orders.Void("misdeal"), orders.CloseShoe(), orders.Malformed("x", "y", "z"), orders.Resend()]
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

    @rule(pick=st.integers(0, 99), faces=st.lists(CARDS, min_size=3, max_size=6))
    def correct(self, pick: int, faces: list[Card]) -> None:
        past = self.table.shoe.rounds
        number = past[pick % len(past)].round if past else 1
        self.take(self.table.order(orders.Correct(number, tuple(card.value for card in faces), "camera")))

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

    @rule(card=CARDS)
    def own_fault(self, card: Card) -> None:
        """`decide` fails on a card: it is kept, not judged."""
        told = self.table.card(card, report=self.report())
        self.table.carry(told, fault(self.table.shoe, told, ValueError("a bug")))
        self.last = told

    # -------------------------------------------------------- what must hold

    def teardown(self) -> None:
        """The whole journal once more, from its bytes."""
        if not hasattr(self, "table"):
            return
        lines, shoe = self.table.lines, self.table.shoe
        assert oracles.replayed(lines) == shoe
        assert oracles.cards_keep_their_order(lines) == oracles.waiting(shoe)
        oracles.identities_are_unique(lines)
        oracles.rounds_are_the_rule_books(lines)
        oracles.last_means_last(lines)
        oracles.bets_come_first(lines)
        oracles.corrections_follow_one_another(lines)
        oracles.what_is_opened_was_committed_to(lines)
        if self.table.house.disclose == "sealed":
            oracles.cards_open_by_the_ceremony(lines)

    @invariant()
    def the_packs_hold_what_was_seen(self) -> None:
        """But for copies that were kept, and faces given in a correction: a refusal would name the sealed copy."""
        told = self.table.events
        kept = [
            each
            for each in told
            if isinstance(each, events.IrregularityClosed) and (each.id, each.choice) == ("duplicate", "keep")
        ]
        given = [
            card
            for each in told
            if isinstance(each, events.RoundCorrected)
            for card in each.cards
            if card.origin == "manual"
        ]
        over = Counter(self.table.shoe.seen) - Counter(FACES)
        assert over.total() <= len(kept) + len(given)

    @invariant()
    def one_slot_is_due(self) -> None:
        shoe = self.table.shoe
        lit = lamps(shoe).lit
        steady = [lamp for lamp, rhythm in lit.items() if rhythm == "steady" and lamp not in ("ready", "fault")]
        now = phase(shoe)
        guided = now in (Phase.READY, Phase.DEALING) and not blockers(shoe)
        is_due = guided and not waits_for_reveal(shoe)
        assert steady == ([due(shoe)] if is_due else [])
        assert ("fault" in lit) == bool(shoe.device.irregular)
        if blockers(shoe):
            assert set(lit) == {"fault"}

    @invariant()
    def held_cards_wait_for_a_reason(self) -> None:
        shoe = self.table.shoe
        if shoe.held and not blockers(shoe):
            assert phase(shoe) in (Phase.BETTING, Phase.COMPLETE) or waits_for_reveal(shoe)
        assert shoe.status == "open" or not (shoe.held or shoe.laid or shoe.overdrawn or shoe.aside)

    @invariant()
    def nothing_sealed_is_shown(self) -> None:
        """The nonce of a sealed card stands for it: it is in nothing that leaves, before its time."""
        shoe = self.table.shoe
        sealed = [each.nonce for each in (*shoe.laid, *shoe.overdrawn, *shoe.aside) if not each.shown and each.nonce]
        sealed += [each.nonce for each in held_cards(shoe) if each.nonce]
        news = b"".join(m.payload for line in self.table.lines[-2:] for m in messages(line)).decode()
        assert not [nonce for nonce in sealed if nonce in news]
        for slot, laid in zip(snapshots(shoe)["table"].slots, shoe.laid, strict=True):
            assert (slot.card == laid.card.value) is laid.shown

    @invariant()
    def at_most_one_of_a_name_is_open(self) -> None:
        assert len(set(self.table.open)) == len(self.table.open)


TestAtTheTable = AtTheTable.TestCase
TestAtTheTable.settings = settings(
    max_examples=200,
    stateful_step_count=60,
    suppress_health_check=list(HealthCheck),
)
