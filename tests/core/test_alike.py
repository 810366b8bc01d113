"""Sealed cards tell nothing: two shoes that differ only in them look the same until the difference is opened."""

from __future__ import annotations

from random import Random
from typing import Any

import hypothesis.strategies as st
import msgspec
from hypothesis import given, settings

from firmware_bridge.cards import FACES, Card
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs as i
from firmware_bridge.facts import orders as o
from firmware_bridge.messages import messages
from firmware_bridge.policy import POLICIES
from firmware_bridge.shoe.disclosure import deadline
from firmware_bridge.snapshots import disclosed, last_rounds, mode, snapshots
from tests.core.table import LOST, RESTART, RESUMED, Table

HOUSES = st.fixed_dictionaries(
    {
        "disclose": st.just("sealed"),
        "mode": st.just("vip"),
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "none", 2]),
        "after_cut": st.sampled_from(["finish", "one-more"]),
        "policy": st.sampled_from(sorted(POLICIES)),
        "virtual_cut": st.sampled_from([None, 400]),
    }
)
WORDS = ["card"] * 12 + ["reveal"] * 4 + ["next", "bets-closed", "bets-closed", "time"]
RARE = ["half", "restart", "cut", "bets-open", "lost", "unread", "slot", "player", "void", "burn", "slots", "fly", "end"]
ACTIONS = st.lists(st.sampled_from(WORDS * 2 + RARE), max_size=70)
ROUND = ["bets-closed", *["card"] * 4, "reveal", "reveal", "card", "reveal", "card", "reveal", "next"]
ROUNDS = st.lists(st.sampled_from([[word] for word in [*WORDS, *RARE]] + [ROUND] * 8), max_size=12).map(
    lambda parts: [word for part in parts for word in part]
)
OPENS = ("reveal", "slots", "time", "half", "end")
"""What may open a sealed card; and a card itself, once the time is over or the round flies."""


class Player:
    """Acts the same at each table, whatever the cards are; `order` is what comes out of the shoe."""

    def __init__(self, house: dict[str, Any], order: list[Card]) -> None:
        self.table = Table(**house).play("shoe")
        self.order, self.drawn = order, 0

    def act(self, what: str) -> list[Any]:
        """Everything that can be seen of an action and after it, commitments left out."""
        before = len(self.table.lines)
        self._do(what)
        news = [message for line in self.table.lines[before:] for message in messages(line)]
        shoe = self.table.shoe
        return [
            *[_without_commit(msgspec.json.decode(message.payload)) for message in news],
            [msgspec.to_builtins(self.table.shoe.held and len(self.table.shoe.held)), deadline(shoe), mode(shoe)],
            msgspec.json.encode(snapshots(shoe)).decode(),
            sorted(card.value for card in disclosed(shoe)),
            msgspec.json.encode(last_rounds(shoe)).decode(),
        ]

    def _do(self, what: str) -> None:
        match what:
            case "card":
                self.table.tell(self.table.card(self._next()))
            case "slot":
                self.table.tell(self.table.card(self._next(), slot="P2"))
                self.table.play("!resolve wrong_slot accept")
            case "unread":
                self.table.play("??")
                self.table.tell(self.table.order(o.Enter(self._next(), "second")))
            case "restart":
                self.table.play(RESTART)
            case "lost":
                self.table.play(LOST, RESUMED)
            case "time" | "half":
                self.table.play("+61s" if what == "time" else "+30s")
            case "slots":
                self.table.tell(self.table.order(o.Reveal(("B1", "P2"))))
            case "void":
                self.table.play("!void misdeal")
            case "burn":
                self.table.play("!resolve overdrawn burn !resolve drawn_before_bets_closed burn")
            case "fly":
                self.table.play("!fly")
            case "end":
                self.table.play("!close_shoe")
            case word:
                self.table.play(word)

    def _next(self) -> Card:
        self.drawn += 1
        return self.order[self.drawn - 1]


def _without_commit(told: Any) -> Any:
    told["event" if "event" in told else "v"] = told.get("event") and {
        name: each for name, each in told["event"].items() if name != "commit"
    }
    return told


def opened(player: Player, before: int) -> set[str]:
    """The nonces of the cards named since."""
    events = (each for line in player.table.lines[before:] if line.entry for each in line.entry.events)
    return {each.nonce for each in events if isinstance(each, e.CardRevealed)}


def nonces(player: Player) -> list[str]:
    """The nonces of the cards drawn, in order."""
    told = (line.entry.input for line in player.table.lines if line.entry)
    return [
        each.nonce
        for each in told
        if isinstance(each, i.CardRead) or (isinstance(each, i.Ordered) and isinstance(each.order, o.Enter))
    ]


@given(HOUSES, st.integers(0, 2**32), st.sets(st.integers(0, 40), min_size=1), ACTIONS | ROUNDS)
@settings(max_examples=400)
def test_two_shoes_look_the_same_until_their_difference_is_opened(
    house: dict[str, Any], seed: int, differing: set[int], actions: list[str]
) -> None:
    order = list(FACES * 8)
    Random(seed).shuffle(order)
    other = order.copy()
    for at in differing:
        other[at], other[at + 200] = other[at + 200], other[at]
    one, two = Player(house, order), Player(house, other)
    for what in actions:
        lines, may_open = len(one.table.lines), what in OPENS or one.table.shoe.opening or what == "fly"
        shown, elsewhere = one.act(what), two.act(what)
        if shown == elsewhere:
            continue
        hidden = {nonce for at, nonce in enumerate(nonces(one)) if order[at] is not other[at]}
        named = opened(one, lines) | opened(two, lines)
        ended = "ended" in (one.table.phase, two.table.phase)
        assert hidden & named, f"{what} told a sealed card"
        assert may_open or ended, f"{what} opened a card"
        assert_alike_before(shown, elsewhere, hidden)
        return


def assert_alike_before(shown: list[Any], elsewhere: list[Any], hidden: set[str]) -> None:
    """The messages of one action are the same up to the one that opens the difference."""
    for here, there in zip(shown, elsewhere, strict=False):
        if here != there:
            assert isinstance(here, dict)
            assert here["event"]["nonce"] in hidden
            return
        if isinstance(here, dict) and (here["event"] or {}).get("nonce") in hidden:
            return
