"""What a step of a played round says: what is due, who must act with which marks, and what a move caused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import to_builtins

from firmware_bridge.facts import events as e
from firmware_bridge.facts.events import AnyEvent, CardDealt, CardEvent
from firmware_bridge.games.asks import CardDue, MarkDue, Offer
from firmware_bridge.games.layout import Layout
from firmware_bridge.topics.offers import of

Step = dict[str, Any]

SHOWN: Final = ("round", "stake", "pot")
"""What a step says of what the game shows of the running round."""


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
            marks = {word: of(word, offer) for word, offer in offers.items()}
            asked = {"due": None, "act": list(act), "marks": marks}
            if anytime:
                asked["anytime"] = _by_word(anytime, words)
        case _:
            asked = {"due": None, "act": [], "marks": {}}
    shown = to_builtins(table.shows) if table.shows else {}
    return {"did": did, **asked, **{name: shown[name] for name in SHOWN if name in shown}}


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
