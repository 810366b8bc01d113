"""Handles a card that the reader reports again: the same card, or another one of its face, as the table says."""

from itertools import takewhile
from typing import Final

from msgspec import UNSET

from firmware_bridge.facts import inputs
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.devices import is_card
from firmware_bridge.shoe.handlers.rounds import discard, is_pack_over
from firmware_bridge.shoe.round import copies
from firmware_bridge.shoe.state import HeldCard, Shoe, is_open, oldest_held

MOST_REPEATED: Final = 3
"""Cards of a shoe that the reader may report again before `reader_repeats` opens."""

STEADY: Final = 50
"""Cards in a row without one that was read again, after which `reader_repeats` closes."""


def is_same_card(shoe: Shoe, fact: inputs.AnyInput) -> bool:
    """Return whether a report can only be of the card before, or adds nothing to those that wait for the table's word.

    It is the same card once the table has said so, where no other card has its code, and where none can be played. No
    more wait than the packs hold cards of a face, however long the card lies before the reader.
    """
    if not is_card(fact) or not fact.again:
        return False
    if shoe.status != "open" or shoe.is_same or is_pack_over(shoe):
        return True
    if not isinstance(fact, inputs.CardRead):
        return _waiting(shoe) > 0
    most = copies(shoe, fact.card)
    return fact.serial is not None or most == 1 or _waiting(shoe) >= max(most - 1, 1)


def _waiting(shoe: Shoe) -> int:
    """Return how many reports of one code wait behind all other held cards."""
    behind = takewhile(lambda held: isinstance(held, HeldCard) and held.is_doubtful, reversed(shoe.held))
    return len(list(behind))


def say_same(draft: Draft, by: str) -> None:
    """Put on record that the oldest held card is the card before, and so are the reports of it right behind."""
    first = oldest_held(draft.shoe)
    while (held := oldest_held(draft.shoe)) and held.is_doubtful and first and held.card is first.card:
        discard(draft, held)
    draft.close_irregularity("read_again", "confirm", by)


def watch_reader(draft: Draft) -> None:
    """Open `reader_repeats` for a reader that reports card after card again, and close it when that is over."""
    steady = draft.shoe.device.steady
    if draft.shoe.repeated > MOST_REPEATED and draft.shoe.is_same:
        draft.open_irregularity("reader_repeats", cards=draft.shoe.repeated)
    elif steady is not UNSET and steady >= STEADY and is_open(draft.shoe, "reader_repeats"):
        draft.close_irregularity("reader_repeats", "no_repeat", values={"cards": STEADY})
