"""The dealer's acts that follow from what a script reports to have happened (`Did`)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from firmware_bridge.facts.events_of_rounds import Word, Words
from firmware_bridge.facts.wire_states import Act


def acts_of(words: Words) -> tuple[Act, ...]:
    """Return the acts of the dealer that follow; none where it is news only."""
    verb, *about = words
    made = _ACTS.get(str(verb))
    return made(about) if made else ()


def collected(did: Iterable[Words]) -> tuple[str, ...]:
    """Return the hands that the dealer collects by what happened, in that order."""
    return tuple([act.hand for words in did for act in acts_of(words) if act.verb == "collect"])


def peeked(did: Iterable[Words]) -> Literal["blackjack", "none"] | None:
    """Return the answer to the dealer's peek, None before it."""
    answer = next((words[1] for words in did if words[0] == "peek"), None)
    return None if answer is None else "blackjack" if answer else "none"


def lamp_of(slot: str) -> str:
    """Return the lamp of a slot: all hands of a seat have one."""
    return slot.partition(".")[0]


About = Sequence[Word]
"""What the words of a `Did` concern, behind its verb."""


def _hand(verb: Literal["turn", "pay", "take", "collect"], about: About) -> tuple[Act, ...]:
    """Return an act at a hand, and its amount if there is one."""
    hand, *amount = map(str, about)
    return (Act(verb, slot=lamp_of(hand), hand=hand, amount=amount[0] if amount else ""),)


def _between(about: About) -> tuple[Act, ...]:
    """Return a payment from one seat to another."""
    loser, winner, amount, *_ = about
    return (*_hand("take", (loser, amount)), *_hand("pay", (winner, amount)))


def _pay(about: About) -> tuple[Act, ...]:
    """Return a payment to a hand: by the house, or by another seat where three words or more say between whom."""
    return _between(about) if len(about) > 2 else _hand("pay", about)


def _split(about: About) -> tuple[Act, ...]:
    """Return a card moved to a new hand of its seat."""
    return (Act("move", slot=lamp_of(str(about[0])), to=str(about[0])),)


_ACTS: Final[Mapping[str, Callable[[About], tuple[Act, ...]]]] = {
    "turn": lambda about: _hand("turn", about[:1]),
    "pay": _pay,
    "bonus": _between,
    "take": lambda about: _hand("take", about),
    "win": lambda about: _hand("pay", about),
    "return": lambda about: _hand("pay", about),
    "rake": lambda about: (Act("take", what="rake", amount=str(about[0])),),
    "discard": lambda about: _hand("collect", about),
    "out": lambda about: _hand("collect", about[:1]),
    "move": _split,
}
"""Verb -> the acts that follow: chips and cards that the dealer handles. Guests put their own chips."""
