"""Why a card is held, in values beside a code: a row for each, as those of refusals."""

from typing import Final

from firmware_bridge.facts.book.refusals import Values

HELD: Final[dict[str, Values]] = {
    "blocked": {},
    "betting_open": {},
    "mark_due": {},
    "to_reveal": {},
    "round_stopped": {},
    "internal_error": {},
}
"""Why a card is held, where that is no alarm's id -> its values."""

HELD_BEFORE: Final = {
    "betting_open": "betting is open",
    "mark_due": "a mark is due",
    "to_reveal": "cards are still to be revealed",
    "round_stopped": "the round cannot go on",
    "internal_error": "internal error",
}
"""Code of why a card is held -> its English in journals of format 3, and as the reason of `unreadable`, where that is
another.
"""
