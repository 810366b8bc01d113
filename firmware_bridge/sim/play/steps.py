"""What a step of a played round says: what is due, who must act with which marks, and what a move caused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from firmware_bridge.facts import events as e
from firmware_bridge.facts.events import AnyEvent, CardDealt, CardEvent
from firmware_bridge.games.asks import (
    Between,
    CardDue,
    Choice,
    MarkDue,
    Nothing,
    Offer,
    Price,
    Target,
    Whole,
    in_words,
)
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.moves import LOT

Step = dict[str, Any]


def over(did: list[Any]) -> Step:
    """The step that ends a round, and each one behind it."""
    return {"did": did, "due": None, "act": [], "marks": {}, "over": True}


def step(table: Layout, did: list[Any], words: tuple[str, ...] = ()) -> Step:
    """The step after which `table` lies, caused by a move that did `did`; `words` are those that need no turn."""
    match table.due:
        case CardDue(slot=slot):
            asked: Step = {"due": slot, "act": [], "marks": {}}
        case MarkDue(act=act, anytime=anytime):
            offers = {word: offer for each in act.values() for word, offer in each.items()}
            marks = {word: _offered(word, offer) for word, offer in offers.items()}
            asked = {"due": None, "act": list(act), "marks": marks}
            if anytime:
                asked["anytime"] = _by_word(anytime, words)
        case _:
            asked = {"due": None, "act": [], "marks": {}}
    return {"did": did, **asked, **(to_builtins(table.shows) if table.shows else {})}


def done(events: tuple[AnyEvent, ...]) -> Iterator[list[Any]]:
    """What the events of one entry of the journal did at the table; faces out of its sealed part."""
    for event in events:
        match event:
            case CardDealt(slot=slot):
                yield ["place", slot, _face(event), "down" if event.card is None else "up"]
            case e.Happened(did=did):
                yield from ([list(word) if isinstance(word, tuple) else word for word in words] for words in did)


def _face(event: CardEvent) -> str:
    card = event.card or (event.secret and event.secret.card)
    assert card, "a card that was dealt has a face"
    face: str = card.value
    return face


def _by_word(anytime: dict[str, dict[str, Offer]], words: tuple[str, ...]) -> dict[str, list[str]]:
    """Word -> the slots that may say it at any time."""
    return {word: [slot for slot, offers in anytime.items() if word in offers] for word in words}


def _offered(word: str, offer: Offer) -> Any:
    match offer:
        case Nothing():
            return True
        case Choice(values=values):
            return [f"S{seat}" for seat in values] if word == LOT else [int(value) for value in values]
        case Whole(least=least, most=most):
            return {"min": least, "max": most}
        case Between(or_none=True):
            return {"max": in_words(offer.most)}
        case Between():
            step = {"step": in_words(offer.step)} if offer.step is not None else {}
            return {"min": in_words(offer.least), "max": in_words(offer.most), **step}
        case Price(cost=cost):
            return in_words(cost)
        case Target(seats=seats, cost=cost):
            return {"cost": in_words(cost), "with": [f"S{seat}" for seat in seats] or "all"}
