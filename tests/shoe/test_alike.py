"""Sealed cards tell nothing: two shoes that differ only in them look the same until the difference is opened."""

from __future__ import annotations

from random import Random
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, Card, cards
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.shoe.state import disclosed
from firmware_bridge.topics.state import last_rounds, mode, snapshots
from tests.kit.nightly import share
from tests.kit.table import LOST, RESTART, RESUMED, Step, Table

HOUSES = st.fixed_dictionaries(
    {
        "disclose": st.just("sealed"),
        "mode": st.just("vip"),
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "none", 2, 37, 46, 48]),
        "after_cut": st.sampled_from(["finish", "one-more"]),
        "policy": st.sampled_from(sorted(POLICIES)),
        "virtual_cut": st.sampled_from([None, 30]),
        "cut_earliest": st.sampled_from([None, None, 3, 40]),
        "decks": st.just(1),
    }
)
WORDS = ["card"] * 12 + ["reveal"] * 4 + ["fill"] * 2 + ["next", "bets-closed", "bets-closed", "time"]
RARE = ["half", "restart", "cut", "bets-open", "lost", "unread", "slot", "player", "void", "burn", "fly", "end"]
RARE += ["slots", "third", "banker's"]
ACTIONS = st.lists(st.sampled_from(WORDS * 2 + RARE), max_size=70)
ROUND = ["bets-closed", "fill", "reveal", "reveal", "fill", "reveal", "fill", "reveal", "next"]
ROUNDS = st.lists(st.sampled_from([[word] for word in [*WORDS, *RARE]] + [ROUND] * 8), max_size=12).map(
    lambda parts: [word for part in parts for word in part]
)
SWAPS = st.dictionaries(st.integers(0, 14), st.integers(0, 14), min_size=1) | st.fixed_dictionaries(
    {4: st.integers(5, 14)}  # the fifth card: what is in it decides the banker's draw
)
OPENS = ("reveal", "slots", "third", "banker's", "time", "half", "end")
"""What may open a sealed card; and a card itself, once the time is over or the round flies."""


SLOTS = {"slots": ("B1", "P2"), "third": ("P3",), "banker's": ("B3",)}
STEPS: dict[str, list[Step]] = {
    "restart": [RESTART],
    "lost": [LOST, RESUMED],
    "time": ["+61s"],
    "half": ["+30s"],
    "void": ["!void misdeal"],
    "burn": ["!resolve overdrawn burn !resolve drawn_before_bets_closed burn"],
    "fly": ["!fly"],
    "end": ["!close_shoe"],
}


class Player:
    """Acts the same at each table, whatever the cards are; `order` is what comes out of the shoe."""

    def __init__(self, house: dict[str, Any], order: list[Card]) -> None:
        self.table = Table(**house).play("shoe")
        self.order, self.drawn = order, 0
        for _ in range(house["burn"] if house["burn"] != "none" else 0):
            self.act("card")

    def act(self, what: str) -> list[Any]:
        """Everything that can be seen of an action and after it, commitments left out."""
        before = len(self.table.lines)
        self._do(what)
        news = [message for line in self.table.lines[before:] for message in messages(line)]
        shoe = self.table.shoe
        return [
            *[_comparable(message.payload) for message in news],
            [len(shoe.held), deadline(shoe), mode(shoe)],
            msgspec.json.encode(snapshots(shoe)).decode(),
            sorted(card.value for card in disclosed(shoe)),
            msgspec.json.encode(last_rounds(shoe)).decode(),
        ]

    def _do(self, what: str) -> None:
        table = self.table
        match what:
            case "card":
                table.take(table.card(self._next()))
            case "fill":
                while table.due and not table.open:
                    table.take(table.card(self._next()))
            case "slot":
                table.take(table.card(self._next(), slot="P2"))
                table.play("!resolve wrong_slot accept")
            case "unread":
                table.play("??")
                table.take(table.order(orders.Enter(self._next(), "second")))
            case what if what in SLOTS:
                table.take(table.order(orders.Reveal(SLOTS[what])))
            case word:
                table.play(*STEPS.get(word, [word]))

    def _next(self) -> Card:
        self.drawn += 1
        return self.order[self.drawn - 1] if self.drawn <= len(self.order) else Card("As")


def _comparable(payload: bytes) -> dict[str, Any]:
    """A message without what differs by nature: commitments, what is made of the sealed part, and how many events there are."""
    message: dict[str, Any] = msgspec.json.decode(payload)
    event = {name: each for name, each in message.pop("event", {}).items() if name != "commit"}
    return message | {"of": None, "head": None, "sealed": None, "event": event}


def opened(player: Player, before: int) -> set[str]:
    """The nonces of the cards named since."""
    events = (each for line in player.table.lines[before:] if line.entry for each in line.entry.events)
    return {each.nonce for each in events if isinstance(each, e.CardRevealed)}


def nonces(player: Player) -> list[str]:
    """The nonces of the cards drawn, in order."""
    facts = (line.entry.input for line in player.table.lines if line.entry)
    return [
        each.nonce
        for each in facts
        if isinstance(each, inputs.CardRead)
        or (isinstance(each, inputs.Ordered) and isinstance(each.order, orders.Enter))
    ]


@given(HOUSES, st.integers(0, 2**32), SWAPS, ACTIONS | ROUNDS)
@settings(max_examples=share(600, 20))
def test_two_shoes_look_the_same_until_their_difference_is_opened(
    house: dict[str, Any], seed: int, differing: dict[int, int], actions: list[str]
) -> None:
    order = list(FACES)
    Random(seed).shuffle(order)
    other = order.copy()
    burned = house["burn"] if house["burn"] != "none" else 0
    for at, to in differing.items():
        at, to = burned + at, burned + to
        if max(at, to) < len(other):
            other[at], other[to] = other[to], other[at]
    one, two = Player(house, order), Player(house, other)
    for what in actions:
        lines, may_open = len(one.table.lines), what in OPENS or one.table.shoe.opening or what == "fly"
        shown, elsewhere = one.act(what), two.act(what)
        if shown == elsewhere:
            continue
        differs = [mine is not theirs for mine, theirs in zip(order, other, strict=True)]
        hidden = {nonce for nonce, differing_card in zip(nonces(one), differs, strict=False) if differing_card}
        named = opened(one, lines) | opened(two, lines)
        ended = "ended" in (one.table.phase, two.table.phase)
        assert hidden & named, f"{what} told a sealed card"
        assert may_open or ended, f"{what} opened a card"
        assert_alike_before(shown, elsewhere, hidden)
        return


def assert_alike_before(shown: list[Any], elsewhere: list[Any], hidden: set[str]) -> None:
    """The messages of one action are the same up to the one that opens the difference."""
    for here, there in zip(shown, elsewhere, strict=False):
        if isinstance(here, dict) and here["event"].get("nonce") in hidden:
            return
        assert here == there


SEALED: dict[str, Any] = {"disclose": "sealed", "burn": "none"}
SIX = SEALED | {"procedure": "six-card"}

# settings; what both shoes do; the cards of the one; the cards of the other; what they do while it is sealed
ALIKE: list[tuple[str, dict[str, Any], str, str, str, str]] = [
    ("natural, or thirds due", SEALED, "fill", "9s Kd Th Kc 2c", "2s Kd Th Kc 2c", "next card cut player half restart"),
    ("pairs, naturals of the banker", SEALED, "fill reveal", "2s 9d Th Kc", "2s 3d Th Kc", "next card cut tie third"),
    ("no such third yet", SEALED, "fill", "9s Kd Th Kc", "2s Kd Th Kc", "third banker's next"),
    ("the banker's third", SEALED, "fill reveal reveal fill", "2s 3d Th Kc 8s", "2s 3d Th Kc 7s", "banker's next card cut"),
    ("six: reserves", SIX, "fill", "9s Kd Th Kc 2c 3c", "2s Kd Th Kc 7d Qd", "third banker's next card cut restart half"),
    ("six: R2 is B3 or not", SIX, "fill reveal reveal", "2s 3d Th Kc 8s 4c", "2s 3d Th Kc 7s 5c", "banker's next card cut half"),
    ("six: carried or not", SIX, "fill reveal", "2s 9d Th Kc 8s 4c", "2s 3d Th Kc 7s 5c", "third banker's next card cut"),
    ("six: what was carried", SIX, "fill reveal reveal fill fill", "9s Kd Th Kc 9c 8c 7c 2s Jd Qd", "9s Kd Th Kc 2c 3c 7c 2s Jd Qd", "next card cut"),
    ("the shoe is empty", SEALED | {"burn": 48, "decks": 1}, "fill", "2d Td 7d Tc", "2d 7d Td Tc", "next third restart half"),
    ("burned", SEALED | {"burn": 2}, "card card fill reveal reveal", "As 2s 9s Kd Th Kc", "7d Qc 9s Kd Th Kc", "card next cut"),
    ("overdrawn", SEALED | {"close": "next"}, "fill reveal reveal card", "9s Kd Th Kc 2s", "9s Kd Th Kc 8h", "next fill cut"),
    ("overdrawn and burned", SEALED | {"policy": "us-burn", "close": "next"}, "fill reveal reveal card", "9s Kd Th Kc 2s", "9s Kd Th Kc 8h", "next"),
    ("void", SEALED, "fill reveal void", "9s 3d Th Kc", "9s Kd Th 6c", "next cut card"),
    ("early", SEALED | {"betting": "required"}, "card card", "9s 3d", "2s 8d", "bets-closed card card half"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("house", "before", "one", "other", "then"), [row[1:] for row in ALIKE], ids=[row[0] for row in ALIKE]
)
def test_what_is_sealed_looks_the_same(house: dict[str, Any], before: str, one: str, other: str, then: str) -> None:
    rest = cards("5h 6h 5d 6d 5c 6c")
    here, there = (Player(house, [*_burned(house), *cards(deal), *rest]) for deal in (one, other))
    for what in (before + " " + then).split():
        assert here.act(what) == there.act(what), what


def _burned(house: dict[str, Any]) -> list[Card]:
    """A burn that leaves four cards."""
    return [card for card in FACES if card not in cards("2d 7d Td Tc")] if house["burn"] == 48 else []
