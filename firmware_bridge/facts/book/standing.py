"""What stands at a table, and when it refuses an order for that alone: a pure function for each reason."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.book.refusals import REFUSALS


class Phase(Enum):
    """The phase of a shoe; the last round, open irregularities and held cards are separate from it."""

    EMPTY = "empty"
    BURNING = "burning"
    BETTING = "betting"
    READY = "ready"
    DEALING = "dealing"
    COMPLETE = "complete"
    ENDED = "ended"

    __hash__ = object.__hash__


OUTSIDE: Final = (Phase.EMPTY, Phase.ENDED)
"""The phases without an open shoe."""

IN_ROUND: Final = (Phase.DEALING, Phase.COMPLETE)
"""The phases in which a round is open."""

Asked = Literal["", "card", "mark", "opening", "other"]
"""The kind of prompt that a round waits for, "" for none."""


class Standing(Struct, frozen=True, kw_only=True):
    """What an order's refusal may depend on, besides its arguments: public values, no face of a card and no time.

    opens_itself: the next pack opens with its first mark or purse. next_opens: NEXT opens it. is_vip, is_required,
    is_sealed, takes_stakes, stakes_once, has_marks: of the house and its game. closed: the table was closed. lent: the
    reader is. alarms: ids of the irregularities. blockers: those that keep cards from being dealt. confirms: whether
    NEXT confirms one. card_held, card_out, lies: a card is held; one of the coming round was seen or drawn; there is
    something to void. waits_for_card: two people may enter one. may_open: a sealed card can be opened. stands: why the
    last mark stands, "" if it may be taken back. is_marked: there is one. is_paid: it moved chips, or decided the
    round. may_request: enough rounds of the shoe are over to ask for another one. burn_card_unread: the card that says
    how many to burn was not read.
    """

    phase: Phase
    opens_itself: bool = False
    next_opens: bool = False
    is_vip: bool = False
    is_required: bool = False
    is_sealed: bool = False
    takes_stakes: bool = False
    stakes_once: bool = False
    has_marks: bool = False
    closed: bool = False
    lent: bool = False
    alarms: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    confirms: bool = False
    card_held: bool = False
    card_out: bool = False
    lies: bool = False
    waits_for_card: bool = False
    asked: Asked = ""
    may_open: bool = False
    is_marked: bool = False
    stands: str = ""
    is_paid: bool = False
    is_flying: bool = False
    may_fly: bool = True
    shoe_comes: bool = False
    may_request: bool = False
    dealer_comes: bool = False
    lid_open: bool = False
    burn_card_unread: bool = False


Conditions = Mapping[str, Callable[[Standing], bool]]
"""Code of a refusal (`refusals.REFUSALS`) -> whether the table refuses by it. Of several that do, the first counts."""


def first(conditions: Conditions, now: Standing) -> str:
    """Return the code by which the table refuses as it stands, "" if it does not."""
    for code, is_refused in conditions.items():
        if is_refused(now):
            return code
    return ""


def _in_shoe(now: Standing) -> bool:
    return now.phase not in OUTSIDE


def _outside(now: Standing) -> bool:
    return now.phase in OUTSIDE


def _burning(now: Standing) -> bool:
    return now.phase is Phase.BURNING


def _in_round(now: Standing) -> bool:
    return now.phase in IN_ROUND


def _complete(now: Standing) -> bool:
    return now.phase is Phase.COMPLETE


def _no_vip(now: Standing) -> bool:
    return not now.is_vip


BETWEEN_SHOES: Final[Conditions] = {"shoe_in_use": _in_shoe}
SHOE_OPEN: Final[Conditions] = {"no_shoe": _outside}
SHOE_BEGUN: Final[Conditions] = {"no_shoe": lambda now: now.phase is Phase.EMPTY}
BURNED: Final[Conditions] = {**SHOE_OPEN, "burn_unfinished": _burning}
BEFORE_ROUND: Final[Conditions] = {**BURNED, "round_open": _in_round}
OPENS_PACK: Final[Conditions] = {
    "no_shoe": lambda now: now.phase in OUTSIDE and (now.lent or not now.opens_itself),
    "burn_unfinished": _burning,
}
"""The first mark, or the first purse, opens the next pack in some games."""

READER_HERE: Final[Conditions] = {"reader_lent": lambda now: now.lent}
TABLE_OPEN: Final[Conditions] = {"table_closed": lambda now: now.closed}
BETWEEN_ROUNDS: Final[Conditions] = {
    **SHOE_OPEN,
    "round_open": _in_round,
    "cards_drawn": lambda now: now.card_held and now.phase is not Phase.BURNING,
}
BETS_TO_OPEN: Final[Conditions] = {
    **BEFORE_ROUND,
    "bets_open_already": lambda now: now.is_required and now.phase is Phase.BETTING,
    "bets_behind_cards": lambda now: now.is_required and now.card_out,
}


def _bets_are_closed(now: Standing) -> bool:
    """Return whether bets are closed, and no purses are taken now."""
    takes_purses = now.phase is Phase.READY and now.stakes_once and not now.card_out
    return now.is_required and now.phase in (Phase.READY, Phase.DEALING) and not takes_purses


BETS_TO_CLOSE: Final[Conditions] = {
    **OPENS_PACK,
    "round_complete": lambda now: _complete(now) and (now.is_required or now.has_marks),
    "bets_not_open": _bets_are_closed,
}
MARK_TIME: Final[Conditions] = {**OPENS_PACK, "over": _complete}
NO_BETS_AWAITED: Final[Conditions] = {
    "no_mark_due": lambda now: now.phase is Phase.BETTING or (now.phase in OUTSIDE and now.is_required)
}


def _is(code: str) -> Callable[[Standing], bool]:
    return lambda now: now.stands == code


MARK_TAKEN_BACK: Final = "mark_taken_back"
"""Why the mark before one that was taken back stands."""

STAND: Final = tuple(code for code in REFUSALS if code.startswith("mark_stands_"))
"""Refusals to take a mark back that stands."""

MARK_STANDS: Final[Conditions] = {
    "no_mark_to_take_back": lambda now: not now.is_marked,
    **{code: _is(code) for code in (MARK_TAKEN_BACK, *STAND) if code not in ("mark_stands_seen", "mark_stands_paid")},
}
MARK_UNPAID: Final[Conditions] = {"mark_stands_paid": lambda now: now.is_paid}


def _confirms(now: Standing) -> bool:
    """Return whether NEXT confirms something that waits."""
    return "reader_lost" not in now.alarms and ("read_again" in now.alarms or now.confirms)


def _blocked(now: Standing) -> bool:
    may_close = now.phase is Phase.COMPLETE and now.blockers == ("reader_lost",)
    return bool(now.blockers) and not may_close and not _confirms(now)


def _goes_on(now: Standing) -> bool:
    return now.phase is Phase.COMPLETE or now.next_opens or _confirms(now)


_DUE: Final[dict[str, tuple[Asked, ...]]] = {
    "mark_due": ("mark",),
    "slot_due": ("card",),
    "cards_to_reveal": ("opening", "other", ""),
}


def _never(now: Standing) -> bool:
    return False


def _is_due(asked: tuple[Asked, ...], unless: Callable[[Standing], bool] = _never) -> Callable[[Standing], bool]:
    return lambda now: now.phase is Phase.DEALING and now.asked in asked and not unless(now)


ROUND_OVER: Final[Conditions] = {code: _is_due(asked) for code, asked in _DUE.items()}
NEXT: Final[Conditions] = {
    "blocked": _blocked,
    "burn_unfinished": lambda now: now.phase is Phase.BURNING and not _confirms(now),
    **{code: _is_due(asked, unless=_confirms) for code, asked in _DUE.items()},
    "no_round_to_end": lambda now: now.phase not in (Phase.BURNING, Phase.DEALING) and not _goes_on(now),
}
SEALED: Final[Conditions] = {"nothing_sealed": lambda now: not now.is_sealed}
OPENING: Final[Conditions] = {"nothing_to_reveal": lambda now: not now.may_open}
FLY: Final[Conditions] = {
    **BEFORE_ROUND,
    "fly_vip_only": _no_vip,
    "fly_needs_bets": lambda now: now.takes_stakes,
    "bets_closed": lambda now: now.is_required and now.phase is not Phase.BETTING,
    "flown_already": lambda now: now.is_flying,
    "fly_limit": lambda now: not now.may_fly,
}
SHOE_CHANGE: Final[Conditions] = {
    **BURNED,
    "shoe_change_vip_only": _no_vip,
    "shoe_on_its_way": lambda now: now.shoe_comes,
    "too_few_rounds": lambda now: not now.may_request,
}
DEALER_CHANGE: Final[Conditions] = {
    "dealer_change_vip_only": _no_vip,
    "dealer_on_the_way": lambda now: now.dealer_comes,
}
ROUND_TO_VOID: Final[Conditions] = {**BURNED, "no_round_to_void": lambda now: not now.lies}
ALARM_OPEN: Final[Conditions] = {"no_alarm_open": lambda now: not now.alarms}
CARD_TO_ENTER: Final[Conditions] = {"no_card_to_enter": lambda now: not now.waits_for_card}

_NO_ROUND: Final[Conditions] = {"no_round_for_choice": _outside}
_DECISIONS: Final[dict[tuple[str, str], Conditions]] = {
    ("lid_opened", "continue"): {"lid_open": lambda now: now.lid_open},
    ("result_mismatch", "void"): {**_NO_ROUND, "round_closed": lambda now: now.phase not in IN_ROUND},
    ("unreadable", "void"): {**_NO_ROUND, "burn_card_decides": lambda now: now.burn_card_unread},
}


def decision(alarm: str, choice: str) -> Conditions:
    """Return when the table refuses a decision about an open alarm, as far as no held card matters."""
    return _DECISIONS.get((alarm, choice), _NO_ROUND if choice == "void" else {})
