"""Every commitment opens with what is revealed later, and a changed card does not: judged as a backend does."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from firmware_bridge.client.commitments import Verdict, Verifier
from firmware_bridge.facts import events
from firmware_bridge.facts.cards import FACES
from firmware_bridge.shoe.handlers.disclosure import waits_for_reveal
from tests.kit.nightly import share
from tests.kit.table import Table

HOUSES = st.fixed_dictionaries(
    {
        "disclose": st.sampled_from(["sealed", "dealt"]),
        "procedure": st.sampled_from(["on-demand", "six-card"]),
        "close": st.sampled_from(["auto", "next"]),
        "betting": st.sampled_from(["ignored", "required"]),
        "burn": st.sampled_from(["none", "first-card", 3]),
        "decks": st.just(1),
    }
)


def shoe(house: dict[str, Any], seed: int, unread: int = 99) -> Table:
    """A whole shoe, cut card and all; one card is entered by hand."""
    order = [card.value for card in FACES]
    Random(seed).shuffle(order)
    table = Table(**house).play("shoe")
    for drawn, card in enumerate(order[:38]):
        go_on(table)
        table.play(f"?? {order[38]} !enter {card}" if drawn == unread else card)
    go_on(table)
    return table.play("!void misdeal" if table.phase == "dealing" else "", "!close_shoe")


def go_on(table: Table) -> None:
    while waits_for_reveal(table.shoe) or table.phase in ("betting", "complete"):
        table.play({"betting": "bets-closed", "complete": "next"}.get(table.phase, "reveal"))


def event_messages(table: Table) -> list[dict[str, Any]]:
    """The messages of the topic `event`."""
    return [json.loads(each.payload) for each in table.messages if each.topic == "event"]


def judged(messages: list[dict[str, Any]], journal: str) -> tuple[Verdict, ...]:
    verifier = Verifier()
    for each in messages:
        verifier.take(json.dumps(each).encode())
    return verifier.verdicts(journal)


@given(HOUSES, st.integers(0, 2**32), st.integers(12, 30))
@settings(max_examples=share(60, 4))
def test_every_card_that_was_sealed_opens(house: dict[str, Any], seed: int, unread: int) -> None:
    table = shoe(house, seed, unread)
    messages = event_messages(table)
    verdicts = judged(messages, table.shoe.journal)
    assert {each.proof for each in verdicts} <= {"opened"}
    opened = {place for each in verdicts for place in each.opened}
    committed = [each for each in messages if each["journal"] == table.shoe.journal and "commit" in each["event"]]
    assert len(opened) == len(committed)


@pytest.mark.parametrize("what", ["card", "nonce"])
@pytest.mark.parametrize("disclose", ["sealed", "dealt"])
def test_a_changed_card_opens_nothing(disclose: str, what: str) -> None:
    table = shoe({"disclose": disclose, "decks": 1}, 5)
    messages = event_messages(table)
    named = [each for each in messages if each["event"]["type"] == "CardRevealed"]
    assert named
    for each in named:
        event = each["event"]
        before = event[what]
        event[what] = ("As" if before != "As" else "Ah") if what == "card" else "0" * 32
        verdict = next(v for v in judged(messages, each["journal"]) if (v.at.seq, v.at.n) == (each["seq"], each["n"]))
        assert verdict.proof == "changed"
        event[what] = before


def test_nothing_of_a_shoe_stays_sealed_for_good() -> None:
    """Once the shoe is over every card that counted is named."""
    table = shoe({"disclose": "sealed", "decks": 1, "burn": 3}, 7)
    assert (*table.shoe.laid, *table.shoe.aside, *table.shoe.overdrawn) == ()
    named = [each.card for each in table.events if isinstance(each, events.CardRevealed)]
    assert sorted(card.value for card in named) == sorted(card.value for card in table.shoe.seen)


@pytest.mark.parametrize("burn", ["none", 3, "first-card"])
def test_nothing_said_of_a_sealed_first_card_shows_a_part_of_its_nonce(burn: object) -> None:
    """Its input opens the shoe, and names the journal."""
    table = Table(burn=burn, disclose="sealed", new_shoe="auto")
    first = table.card("9s", nonce="0123456789abcdeffedcba9876543210")
    table.take(first)
    assert table.shoe.number == 1
    said = b"".join(each.payload for each in table.messages).decode()
    parts = [first.nonce[at : at + 6] for at in range(len(first.nonce) - 5)]
    assert burn == "first-card" or not [part for part in parts if part in said]
    assert first.nonce[:12] not in table.shoe.journal
