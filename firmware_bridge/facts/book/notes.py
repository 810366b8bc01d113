"""Notes for the journal, and why a card is held: a code for each with its values, as those of refusals."""

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

NOTES: Final[dict[str, Values]] = {
    "same_card": {},
    "error_again": {"error": "word"},
    "observed": {"input": "word"},
    "other_reader": {"serial": "word", "known": "word"},
    "reader_said": {"says": "word"},
    "no_card": {"reason": "word"},
    "outside": {"reason": "word"},
    "cut_undecided": {"by": "word"},
    "cut_outside": {"by": "word"},
    "cut_again": {"by": "word", "round": "number"},
    "cut_waits": {},
    "lent": {"to": "person"},
    "test_cards_lent": {"count": "number", "to": "person"},
    "test_cards": {"count": "number", "by": "person"},
    "result_agrees": {"by": "word", "outcome": "word"},
    "result_due": {},
    "result_of_none": {},
    "result_discarded": {},
    "pattern": {"pattern": "word", "cards": "number"},
}
"""Code of a note -> its values. same_card: the reader reported the card before once more. error_again: the type of an
error and its place. observed: the type of an input while the shoe only observes. other_reader: plugged in with no shoe
open. reader_said: a message of the reader. no_card: its word for its optics. outside: its word with no shoe open.

cut_undecided: the cut card was seen again while the pit decides about it. cut_outside: with no shoe open. cut_again:
`round` stays the last. cut_waits: a voided round's cut card, about which the pit has not decided. lent: the reader, for
calibration. test_cards_lent, test_cards: passed while it was lent, or while no daemon ran. result_agrees: of the
`dealer` or the `reader`. result_due: the cards before the reader's result are out. result_of_none: it reported one, and
no round that counts was dealt. result_discarded: its cards play no part. pattern: of cards, too short for an alarm.
"""

NOTES_BEFORE: Final = {
    "same_card": "the reader reported the card before once more",
    "error_again": "internal error again: {error}",
    "observed": "observed: {input}",
    "other_reader": "another reader is plugged in: its serial number is {serial}, and was {known}",
    "reader_said": "reader: {says}",
    "no_card": "reader: {reason}",
    "outside": "reader, with no shoe open: {reason}",
    "cut_undecided": "cut card seen again by the {by}, while the pit decides about it",
    "cut_outside": "cut card seen by the {by} with no shoe open",
    "cut_again": "cut card seen again by the {by}: round {round} stays the last",
    "cut_waits": "the pit has not decided yet about the cut card",
    "lent": "lent to {to} for calibration",
    "test_cards_lent": "{count} test cards passed, lent to {to}",
    "test_cards": "{count} test cards passed while no daemon ran, by {by}",
    "result_agrees": "the {by}'s result agrees: {outcome}",
    "result_due": "the cards before the reader's result are out",
    "result_of_none": "reader: a result, and no round that counts was dealt",
    "result_discarded": "the reader's result was of cards that play no part",
    "pattern": "unshuffled? {pattern}, {cards} cards",
}
"""Code of a note -> its English, as it stands in journals of format 3 and before people who read a journal."""
