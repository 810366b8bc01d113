"""The alarms of shoe and bridge: a row for each, with its values, and the policies as differences from these rows.

Its name is the text `alarm.ID`; what to do about it is `todo.ID`, and `todo.ID_POLICY` where a policy has another act.
"""

from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from firmware_bridge.facts.book.refusals import Values
from firmware_bridge.facts.house import Row

Policy = dict[str, Row]
"""Id of an alarm of the shoe -> what a house does about it."""


class AlarmRow(NamedTuple):
    """An alarm: what a house does about it, and the values that it may have, those of a phrase among them."""

    house: Row
    values: Values


_PIT: Final = Row(blocks=True, choices=("keep", "void"))
_NOTE: Final = Row(severity="note")
_OF_ROUND: Final[Values] = {"round": "number"}
_OF_CARD: Final[Values] = {"round": "number", "number": "number"}
_FAILURE: Final[Values] = {"why": "failure"}

SHOE: Final[dict[str, AlarmRow]] = {
    "overdrawn": AlarmRow(Row(choices=("burn", "void"), action="carry"), _OF_ROUND),
    "wrong_slot": AlarmRow(
        Row(blocks=True, choices=("accept", "void")), {"slot": "slot", "due": "slot", "dealt": "slot"}
    ),
    "drawn_before_bets_closed": AlarmRow(Row(choices=("burn",)), _OF_ROUND),
    "drawn_before_mark": AlarmRow(Row(choices=("burn", "remove", "void")), _OF_ROUND),
    "missing_third": AlarmRow(Row(choices=("void",)), {"slot": "slot"}),
    "relabelled_third": AlarmRow(_NOTE, {}),
    "unreadable": AlarmRow(
        Row(blocks=True, choices=("void",)), {"reason": "given", "number": "number", "slot": "slot"}
    ),
    "duplicate": AlarmRow(
        Row(blocks=True, choices=("keep", "remove", "void"), severity="critical"),
        {"card": "word", "came": "number", "copies": "number", "why": "phrase"},
    ),
    "foreign": AlarmRow(Row(blocks=True, choices=("remove", "void"), severity="critical"), {"why": "phrase"}),
    "face_up": AlarmRow(_PIT, _OF_CARD),
    "double_feed": AlarmRow(_PIT, _OF_CARD),
    "backwards": AlarmRow(Row(blocks=True, choices=("keep", "void"), severity="critical"), _OF_CARD),
    "jam": AlarmRow(_PIT, _OF_CARD),
    "cut_card_mid_round": AlarmRow(_NOTE, {"by": "given", "round": "number"}),
    "cut_card_early": AlarmRow(
        Row(blocks=True, choices=("accept", "continue"), severity="critical"),
        {"by": "given", "left": "number", "earliest": "number"},
    ),
    "cut_card_missing": AlarmRow(Row(choices=("continue",)), {"drawn": "number", "why": "phrase"}),
    "burn_short": AlarmRow(Row(choices=("accept",), severity="note"), {"missing": "number", "why": "phrase"}),
    "burn_over": AlarmRow(Row(blocks=True, choices=("accept",)), {}),
    "result_mismatch": AlarmRow(
        Row(blocks=True, choices=("accept", "void"), severity="critical"),
        {"said": "given", "cards": "given", "due": "slot", "why": "phrase"},
    ),
    "shoe_empty": AlarmRow(Row(severity="critical"), _OF_ROUND),
    "lid_opened": AlarmRow(
        Row(blocks=True, choices=("continue", "end-shoe"), severity="critical"),
        {"round": "number", "shoe": "number"},
    ),
    "sensor_stuck": AlarmRow(Row(), {"sensors": "list"}),
    "restarted_mid_round": AlarmRow(
        Row(confirm=True, choices=("void",)), {"round": "number", "due": "slot", "now": "clauses"}
    ),
    "reader_lost": AlarmRow(
        Row(blocks=True, severity="critical"), {"why": "failure", "count": "number", "to": "person", "by": "person"}
    ),
    "reader_back": AlarmRow(Row(blocks=True, confirm=True, choices=("accept", "void")), _OF_ROUND),
    "reader_fault": AlarmRow(Row(blocks=True, choices=("accept", "end-shoe"), severity="critical"), _FAILURE),
    "reader_gap": AlarmRow(
        Row(blocks=True, confirm=True, choices=("accept", "void"), severity="critical"), {"why": "phrase"}
    ),
    "read_again": AlarmRow(Row(blocks=True, confirm=True, choices=("keep",)), {"behind": "number"}),
    "reader_repeats": AlarmRow(Row(), {"cards": "number"}),
    "broker_lost": AlarmRow(Row(), _FAILURE),
    "disk_full": AlarmRow(Row(severity="critical"), _FAILURE),
    "disk_error": AlarmRow(Row(severity="critical"), _FAILURE),
    "clock_jump": AlarmRow(_NOTE, {"ms": "number"}),
    "internal_error": AlarmRow(Row(blocks=True, choices=("void", "continue"), severity="critical"), {"why": "phrase"}),
    "unshuffled": AlarmRow(
        Row(choices=("continue", "end-shoe"), severity="critical"), {"pattern": "given", "cards": "number"}
    ),
}
"""Alarms of the shoe, which are on record. The default policy: cards keep the order they were drawn in."""

_CRITICAL: Final = Row(severity="critical")
_STOPPED: Final = Row(blocks=True, severity="critical")

BRIDGE: Final[dict[str, AlarmRow]] = {
    "journal_damaged": AlarmRow(Row(), {"what": "failures", "more": "number"}),
    "journal_missing": AlarmRow(Row(), {"what": "failures", "more": "number"}),
    "cursor_error": AlarmRow(Row(), {"why": "word"}),
    "store_silent": AlarmRow(Row(), {"store": "word", "seconds": "number", "entry": "number", "journal": "word"}),
    "broker_fault": AlarmRow(Row(), _FAILURE),
    "disk_low": AlarmRow(Row(), {"free_mb": "number", "journals": "number"}),
    "clock_jump": AlarmRow(Row(), {"days": "number"}),
    "certificate_ends": AlarmRow(Row(), {"certificate": "phrase", "begins": "word", "ends": "word", "ended": "word"}),
    "second_login_due": AlarmRow(Row(), {"orders": "clauses"}),
    "keypad_lost": AlarmRow(Row(), {"why": "failures"}),
    "keypad_not_understood": AlarmRow(Row(), {"keypads": "list"}),
    "reader_not_understood": AlarmRow(_STOPPED, {"protocol": "word"}),
    "reader_unanswered": AlarmRow(_STOPPED, {"protocol": "word"}),
    "record_unsigned": AlarmRow(_NOTE, {"why": "phrase"}),
    "record_other_pi": AlarmRow(Row(), {"pi": "word"}),
    "record_rolled_back": AlarmRow(
        _CRITICAL, {"proof": "given", "entries": "number", "here": "number", "journal": "word"}
    ),
    "record_differs": AlarmRow(_CRITICAL, {"store": "word", "entry": "number", "journal": "word"}),
    "record_foreign": AlarmRow(_CRITICAL, {"entry": "number", "journal": "word", "messages": "number"}),
}
"""Alarms of the bridge, from `Table.warn` to `unwarn`: none is on record, and the pit decides about none."""

DISK: Final[dict[str, AlarmRow]] = {
    "journal_unread": AlarmRow(_STOPPED, {}),
    "journal_damaged": AlarmRow(_STOPPED, {"why": "failure", "hint": "failure"}),
    "disk_full": AlarmRow(_STOPPED, {"why": "failure", "hint": "failure"}),
    "disk_error": AlarmRow(_STOPPED, {"why": "failure", "hint": "failure"}),
}
"""Alarms of a table that stands still, for its journal cannot be read or written (daemon/table/disk_outage.py)."""

PHRASES: Final[dict[str, Values]] = {
    "not_in_book": {},
    "port_shared": {},
    "no_code_book": {},
    "not_of_game": {},
    "other_batch": {"lot": "word", "shoe": "word"},
    "drawn_before": {},
    "cut_sensor_stuck": {},
    "burn_first_hidden": {},
    "result_in_burn": {},
    "reports_lost": {},
    "reports_lost_before": {"number": "number"},
    "reader_restarted": {},
    "other_reader": {"serial": "word", "known": "word"},
    "board_restarted": {},
    "other_card": {},
    "cards_to_open": {},
    "endless_questions": {},
    "no_seat_plays": {},
    "no_key": {},
    "no_library": {"name": "word"},
    "no_key_at": {"path": "word"},
    "key_unreadable": {"path": "word", "why": "word"},
    "key_unfit": {"path": "word"},
    "other_key": {"key": "word"},
    "broker_certificate": {},
    "order_waits": {"number": "number", "by": "person", "what": "prompt"},
}
"""Code of a phrase in an alarm -> its values, as those of refusals."""

VARIANTS: Final = {("reader_lost", "to"): "reader_leased", ("clock_jump", "days"): "clock_ahead"}
"""An alarm with a certain value -> the id of its texts, where they are others."""


def values_of(id: str) -> Values:
    """Return the values that an alarm may have, of shoe or bridge; none of one that this version does not know."""
    return {name: kind for book in (SHOE, BRIDGE, DISK) if id in book for name, kind in book[id].values.items()}


def _policy(**changes: dict[str, Any]) -> Policy:
    """Return the default with the rows of a house that differ from it."""
    return KEEP_ORDER | {id: replace(KEEP_ORDER[id], **fields) for id, fields in changes.items()}


KEEP_ORDER: Final[Policy] = {id: row.house for id, row in SHOE.items()}
"""The default: cards keep the order they were drawn in."""

US_BURN: Final = _policy(
    overdrawn={"action": "burn", "choices": ("void",)}, drawn_before_bets_closed={"action": "burn", "choices": ()}
)
"""A card too many, or drawn while bets are open, is burned and play goes on. One drawn before a mark stays face down
and is the next card, as rules of blackjack in the United States have it (such as S.D. Admin. R. 20:18:15:28)."""

MACAU: Final = _policy(
    overdrawn={"blocks": True, "choices": ("keep", "burn", "void")},
    drawn_before_bets_closed={"blocks": True, "choices": ("keep", "burn")},
    drawn_before_mark={"blocks": True, "choices": ("keep", "burn", "remove", "void")},
    missing_third={"blocks": True, "choices": ("continue", "void")},
    restarted_mid_round={"blocks": True},
    cut_card_missing={"choices": ("continue", "end-shoe")},
)
"""After a card out of turn, or a NEXT while a third card is due, no card is dealt until the pit has decided."""

STUDIO: Final = _policy(
    face_up={"blocks": False, "choices": ()},
    overdrawn={"blocks": True, "choices": ("void",)},
    drawn_before_bets_closed={"blocks": True, "choices": ("burn", "void")},
    duplicate={"choices": ("void",)},
    lid_opened={"choices": ("end-shoe",)},
    unshuffled={"choices": ("end-shoe",)},
)
"""Players see the table through cameras: what they cannot judge themselves is burned or void, never dealt."""

POLICIES: Final[dict[str, Policy]] = {"keep-order": KEEP_ORDER, "us-burn": US_BURN, "macau": MACAU, "studio": STUDIO}
