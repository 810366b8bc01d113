"""How shoes end and rounds are corrected, in values beside a code: a row for each, as those of refusals."""

from typing import Final

from firmware_bridge.facts.book.refusals import Values

SHOES: Final[dict[str, Values]] = {
    "last_round": {},
    "pack_over": {},
    "few_cards": {},
    "shoe_empty": {},
    "closed": {"by": "person"},
    "pit": {"alarm": "word"},
}
"""How a shoe ended -> its values. Its text is `ending.CODE`. closed: by an order. pit: a decision about an alarm."""

DEALT_OUT: Final = ("last_round", "pack_over", "few_cards", "shoe_empty")
"""The ends of a shoe that was dealt as far as it goes; by any other it ended early."""

BEFORE: Final = {
    "last_round": "the last round is over",
    "pack_over": "the pack is over",
    "few_cards": "too few cards are left for another round",
    "shoe_empty": "the shoe is empty",
    "closed": "closed by ",
    "pit": "the pit ended it: ",
}
"""Code of how a shoe ended -> its English in journals of format 3. closed: before who did it, or what he typed alone.
pit: before the alarm, then ": " and what was typed.
"""

ALARMS: Final[dict[str, Values]] = {
    "confirm": {},
    "entered": {},
    "noted": {},
    "kept": {},
    "seen": {},
    "recovered": {},
    "back": {"losses": "number"},
    "shoe_ended": {},
    "burned": {},
    "stuck_too": {},
    "free": {},
    "taken_back": {},
    "drawn": {},
    "given": {},
    "no_repeat": {"cards": "number"},
}
"""How an alarm ended without a decision of the pit -> its values. Its text is `ending.CODE`. back: losses only of a
reader that was lost more than once.
"""

ALARMS_BEFORE: Final = {
    "shoe_ended": "shoe ended",
    "stuck_too": "stuck too",
    "taken_back": "taken back",
    "no_repeat": "{cards} cards without a repeat",
}
"""Code of how an alarm ended -> its English in journals of format 3, where that is another."""

LOSSES_BEFORE: Final = "lost {losses} times"
"""Why an alarm ended there with losses."""

REASONS: Final[dict[str, Values]] = {
    "floor": {"says": "word", "by": "person"},
    "decided": {"alarm": "word", "says": "word"},
    "shoe_empty": {},
}
"""Id of why a round was corrected or voided -> its values. floor: by an order. decided: by a decision about an alarm.
says: what was typed, "" for nothing.
"""
