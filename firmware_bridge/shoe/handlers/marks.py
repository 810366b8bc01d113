"""Marks: what seats say they do, and the lot; the game itself refuses what it does not allow."""

from __future__ import annotations

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.inputs import Ordered
from firmware_bridge.games.asks import CardDue, Due, MarkDue, OpeningDue
from firmware_bridge.games.asks import Refused as RefusedMark
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.machine import marked
from firmware_bridge.games.moves import Mark
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.round import asked, layout, moves, rules, start
from firmware_bridge.shoe.state import Shoe


def give(draft: Draft, given: Ordered, order: orders.Mark) -> None:
    """A seat's move, or the lot: taken if it is asked for, never kept for the next question."""
    shoe = draft.shoe
    mark = Mark("" if order.seat is None else str(order.seat), order.word, order.value)
    _refuse_late(shoe, order, is_asked(asked(shoe)))
    now = layout(shoe)
    try:
        after = marked(rules(shoe), now, moves(shoe), terms_of(shoe.house), start(shoe), mark)
    except RefusedMark as refused:
        raise Refused(refused.code, refused.hint or is_asked(now.due)) from None
    draft.close_irregularity("restarted_mid_round", "given")
    draft.add(
        events.MarkGiven(
            round=shoe.round,
            turn=shoe.turn,
            seat=mark.seat,
            word=mark.word,
            value=mark.value,
            by=given.by,
            more=after.turns == now.turns,
        )
    )


def bets_first(draft: Draft, given: Ordered, order: orders.Mark) -> None:
    """No seat has a say while bets are open. Raises Refused."""
    _refuse_late(draft.shoe, order, "the bets")
    raise Refused("no_mark_due", "close the bets first: bets_closed")


def _refuse_late(shoe: Shoe, order: orders.Mark, now: str) -> None:
    """Raises Refused for an answer to a question that is over; `now` is what is asked at present."""
    if order.round not in (None, shoe.round) or order.turn not in (None, shoe.turn):
        raise Refused("late", f"round {shoe.round}, turn {shoe.turn}: {now}")


def is_asked(question: Due | None) -> str:
    """What a round waits for, in words for a seat."""
    match question:
        case CardDue(slot=slot):
            return f"the next card goes to {slot}"
        case OpeningDue():
            return "cards are to be opened"
        case MarkDue(act=act):
            return "; ".join(f"{slot}: {', '.join(words)}" for slot, words in act.items())
    return "nothing is asked"
