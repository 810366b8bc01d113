"""What stands at the table of a shoe, and which orders it refuses for that: the same functions as its handlers ask."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import REFUSALS, Refused, Value, phrase
from firmware_bridge.facts.book.standing import (
    IN_ROUND,
    MARK_TAKEN_BACK,
    OUTSIDE,
    Asked,
    Conditions,
    Standing,
    decision,
    first,
)
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.prompts import CardDue, MarkDue, OpeningDue
from firmware_bridge.shoe import state
from firmware_bridge.shoe.last_mark import is_paid
from firmware_bridge.shoe.round import asked, asks, due, opens_itself, phase, unread_needed
from firmware_bridge.shoe.state import KEPT, Phase, Shoe

_KINDS: Final[dict[type, Asked]] = {CardDue: "card", MarkDue: "mark", OpeningDue: "opening", type(None): ""}

STATES: Final = 256
"""Refusals kept, by what stands at the table: it comes back to the same few states in each round."""


def refused(shoe: Shoe) -> dict[str, str]:
    """Return order -> the code of its refusal, for the orders that the table refuses now whatever their arguments."""
    return _refused(standing(shoe))


def decisions_refused(shoe: Shoe, alarm: str, choices: tuple[str, ...]) -> dict[str, str]:
    """Return choice -> the code of its refusal, for the decisions about an open alarm that the table refuses now."""
    found = {choice: first(decision(alarm, choice), standing(shoe)) for choice in choices}
    return {choice: code for choice, code in found.items() if code}


@lru_cache(STATES)
def _refused(now: Standing) -> dict[str, str]:
    found = {do: first(row.when, now) or first(row.behind, now) for do, row in ORDERS.items()}
    return {do: code for do, code in found.items() if code}


def refuse(shoe: Shoe, conditions: Conditions, **values: Value) -> None:
    """Raise Refused where one of the conditions refuses. values: what its row may ask that the shoe does not say."""
    if refusal := refusal_of(shoe, conditions, **values):
        raise refusal


def refusal_of(shoe: Shoe, conditions: Conditions, **values: Value) -> Refused | None:
    """Return the refusal by one of the conditions; None if the table does not refuse."""
    code = first(conditions, standing(shoe))
    if not code:
        return None
    return Refused(code, **_values(shoe, code), **{name: values[name] for name in REFUSALS[code] if name in values})


def settings(shoe: Shoe) -> House:
    """Return the settings that hold now: those of the open shoe, else of the next one."""
    return shoe.house if shoe.status == "open" else shoe.device.next_house


@lru_cache(KEPT)
def standing(shoe: Shoe) -> Standing:
    """Return what stands at the table."""
    now, house, device = phase(shoe), shoe.house, shoe.device
    game, is_outside, alarms = GAMES[house.game], now in OUTSIDE, device.irregular
    question = asked(shoe) if now in IN_ROUND or now is Phase.READY else None
    itself = is_outside and opens_itself(shoe)
    last, held = shoe.last_mark, bool(shoe.held)
    return Standing(
        phase=now,
        opens_itself=itself,
        next_opens=is_outside and opens_itself(shoe, confirmed=True) and not device.lent,
        is_vip=(device.next_house if shoe.status == "empty" else house).mode == "vip",
        is_required=(device.next_house if itself else house).betting == "required",
        is_sealed=house.disclose == "sealed",
        takes_stakes=bool(game.money.stakes),
        stakes_once=game.money.stakes_per != "round",
        has_marks=bool(game.play.words),
        closed=device.closed is True,
        lent=bool(device.lent),
        alarms=tuple([each.id for each in alarms]) if alarms else (),
        blockers=state.blockers(shoe) if alarms else (),
        confirms=bool(alarms) and any(state.row(shoe, each.id).confirm for each in alarms),
        card_held=held and bool(state.held_cards(shoe)),
        card_out=now is Phase.READY and state.is_card_out(shoe),
        lies=bool(shoe.laid or shoe.replies) or (held and _is_more_than_the_cut_card(shoe)),
        waits_for_card=bool(alarms) and _waits_for_card(shoe),
        asked=_KINDS.get(type(question), "other"),
        may_open=now is Phase.DEALING and isinstance(question, OpeningDue) and bool(question.step),
        is_marked=last is not None,
        stands=last.followed if last else "",
        is_paid=last is not None and not last.followed and is_paid(shoe),
        is_flying=shoe.flying,
        may_fly=device.flown < house.fly_limit,
        shoe_comes=shoe.change is not None,
        may_request=len(shoe.rounds) > house.shoe_change_after,
        dealer_comes=device.dealer_change,
        lid_open=device.lid_open,
        burn_card_unread=bool(alarms) and now is Phase.BURNING and _is_burn_card_unread(shoe),
    )


def _is_more_than_the_cut_card(shoe: Shoe) -> bool:
    return any(not isinstance(each, state.HeldCut) for each in shoe.held)


def _is_burn_card_unread(shoe: Shoe) -> bool:
    first = state.oldest_held(shoe)
    return shoe.burn_left is None and first is not None and first.card is None


def _waits_for_card(shoe: Shoe) -> bool:
    """Return whether two people may enter a card: one that was not read, or that is due while the reader is away."""
    if state.is_open(shoe, "unreadable"):
        first = state.oldest_held(shoe)
        if unread_needed(shoe) is not None or (first is not None and first.card is None):
            return True
    return state.blockers(shoe) == ("reader_lost",) and not shoe.held


_Values = Callable[[Shoe], dict[str, Value]]


def _values(shoe: Shoe, code: str) -> dict[str, Value]:
    """Return the values of a refusal, as far as the shoe says them."""
    if shoe.last_mark and code == shoe.last_mark.followed != MARK_TAKEN_BACK:
        return {"todo": phrase("call_pit" if shoe.replies else "floor_corrects")}
    return _VALUES.get(code, _nothing)(shoe)


def _nothing(shoe: Shoe) -> dict[str, Value]:
    return {}


def _blocked(shoe: Shoe) -> dict[str, Value]:
    blocked = state.blockers(shoe)
    return {"alarms": blocked, "todo": blocked[0], "policy": shoe.house.policy}


def _stakes(shoe: Shoe) -> dict[str, Value]:
    return {"game": shoe.house.game, "stakes": GAMES[shoe.house.game].money.stakes}


def _few_rounds(shoe: Shoe) -> dict[str, Value]:
    return {"count": len(shoe.rounds), "round": shoe.house.shoe_change_after + 1}


_VALUES: Final[dict[str, _Values]] = {
    "blocked": _blocked,
    "fly_limit": lambda shoe: {"count": shoe.device.flown},
    "fly_needs_bets": _stakes,
    "mark_due": lambda shoe: {"now": asks(asked(shoe))},
    "no_mark_due": lambda shoe: {"now": (phrase("close_bets_first"),)},
    "reader_lent": lambda shoe: {"to": shoe.device.lent},
    "round_complete": lambda shoe: {"round": shoe.round},
    "slot_due": lambda shoe: {"slot": due(shoe) or ""},
    "too_few_rounds": _few_rounds,
}
"""Code -> the values of its row."""
