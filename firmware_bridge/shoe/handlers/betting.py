"""Handles bets and marks of seats; the game itself refuses a mark that it does not allow."""

import re
from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.book import standing as when
from firmware_bridge.facts.book.refusals import REFUSALS, Phrase, Refused, phrase
from firmware_bridge.facts.inputs import Ordered, Pressed
from firmware_bridge.games.game import Game, Layout
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.machine import marked
from firmware_bridge.games.moves import LOT, Mark
from firmware_bridge.games.prompts import Due, MarkDue, amount
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.handlers.disclosure import start_clock
from firmware_bridge.shoe.handlers.rounds import publish_happened, reveal_carried
from firmware_bridge.shoe.round import asked, asks, is_asked, layout, moves, rules, start, unread_needed
from firmware_bridge.shoe.standing import refuse
from firmware_bridge.shoe.state import Shoe, next_turn, row

SEAT: Final = re.compile(r"[1-9][0-9]?")
"""A seat as text."""


def bets_open(draft: Draft, fact: Ordered, order: orders.BetsOpen) -> None:
    """Reopen betting."""
    draft.add(events.BetsOpened(round=draft.shoe.round))


def bets_closed(draft: Draft, fact: Ordered, order: orders.BetsClosed) -> str:
    """Close betting: carried cards are named, held cards are dealt, the time to open sealed ones runs.

    Return the seats that take no part, with the reasons. Raises Refused if too few seats are left for a round.
    """
    check_stakes(rules(draft.shoe), order)
    closed = _closed(draft.shoe, order)
    table = layout(evolve(draft.shoe, closed))
    draft.add(replace(closed, left_out=_left_out(table)))
    if table.no_round:
        publish_happened(draft)
        draft.add(events.BetsOpened(round=draft.shoe.round))
        raise _no_round(table)
    reveal_carried(draft)
    start_clock(draft)
    if not row(draft.shoe, "drawn_before_bets_closed").blocks:
        draft.close_irregularity("drawn_before_bets_closed", "kept")
    return _in_words(_left_out(table))


def _closed(shoe: Shoe, order: orders.BetsClosed) -> events.BetsClosed:
    return events.BetsClosed(round=shoe.round, bets=order.bets, money=order.money)


def _no_round(table: Layout) -> Refused:
    """Return the reason why no round takes place: the seats that take no part, where the game names them."""
    named = [seat for words in table.did for word in words if isinstance(word, tuple) for seat in word]
    left_out = tuple(
        phrase("takes_no_part", seat=f"S{seat}", why=phrase(why)) for seat, why in _left_out(table).items()
    )
    few = phrase("cannot_take_part", seats=tuple(named)) if named else phrase("too_few_seats")
    return Refused("no_round", now=left_out or (few,))


def _left_out(table: Layout) -> dict[str, str]:
    """Return the seats, as numbers, that take no part in the round that begins, and why."""
    refused = [words for words in table.did if str(words[0]).endswith("_refused")]
    return {str(seat).removeprefix("S"): str(why) for _, seat, why in refused}


def _in_words(left_out: dict[str, str]) -> str:
    return ", ".join(f"S{seat} takes no part: {why}" for seat, why in left_out.items())


def update_purses(draft: Draft, fact: Ordered, order: orders.BetsClosed) -> str:
    """Replace the purses between two rounds of a game that takes them once a pack; they hold from the next round on.

    Return the seats that take no part, with the reasons. Raises Refused if too few seats would be left for a round:
    the purses stay as they were.
    """
    shoe = draft.shoe
    check_stakes(rules(shoe), order)
    if (table := layout(evolve(shoe, _closed(shoe, order)))).no_round:
        raise _no_round(table)
    return bets_closed(draft, fact, order)


def check_stakes(game: Game, order: orders.BetsClosed) -> None:
    """Check that an order to close the bets brings what the game needs. Raises Refused with what to give."""
    for name, amounts in (("bets", order.bets), ("money", order.money)):
        if amounts and game.money.stakes != name:
            if instead := game.money.stakes:
                raise Refused("takes_other_stakes", game=game.name, stakes=name, instead=instead)
            raise Refused("takes_no_stakes", game=game.name, stakes=name)
        for seat, text in amounts.items():
            if not SEAT.fullmatch(seat):
                raise Refused("no_such_seat_word", word=repr(seat))
            try:
                amount(text)
            except Refused:
                raise Refused("no_amount", word=repr(text)) from None
    if game.money.stakes == "bets" and not order.bets:
        raise Refused("bets_missing")


def give_mark(draft: Draft, fact: Ordered, order: orders.Mark) -> None:
    """Accept a seat's mark, or the lot, if it is asked for; never kept for the next question."""
    shoe = draft.shoe
    mark = Mark("" if order.seat is None else str(order.seat), order.word, order.value)
    _refuse_late(shoe, order, *asks(asked(shoe)))
    now = layout(shoe)
    try:
        after = marked(rules(shoe), now, moves(shoe), terms_of(shoe.house), start(shoe), mark)
    except Refused as refused:
        if "now" in REFUSALS.get(refused.code, {}) and not refused.values:
            raise Refused(refused.code, now=asks(now.due)) from None
        raise
    draft.close_irregularity("restarted_mid_round", "given")
    draft.add(
        events.MarkGiven(
            round=shoe.round,
            turn=shoe.turn,
            seat=_giver(mark, now.due),
            word=mark.word,
            value=mark.value,
            by=fact.by,
            more=after.turns == now.turns,
        )
    )


def _giver(mark: Mark, question: Due | None) -> str:
    """Return the seat that gave a mark: the one that is asked, where the order names none; "" for a draw."""
    if mark.seat or mark.word == LOT or not isinstance(question, MarkDue):
        return mark.seat
    seats = {slot.partition(".")[0].removeprefix("S") for slot in question.act}
    return seats.pop() if len(seats) == 1 else ""


def take_back_mark(draft: Draft, fact: Ordered | Pressed, order: orders.Unmark | None = None) -> str:
    """Take back the last mark, while nothing followed it: the question before it is asked again, by a new number.

    Return the mark, and what is asked now. Raises Refused if no mark can be taken back.
    """
    shoe, order = draft.shoe, order or orders.Unmark()
    if order.round not in (None, shoe.round) or order.turn not in (None, shoe.turn):
        raise _late(shoe, phrase("look_again"))
    refuse(shoe, when.MARK_STANDS)
    last = shoe.replies[-1]
    assert isinstance(last.move, Mark)
    seat = f"S{last.move.seat}" if last.move.seat else LOT
    if order.seat is not None and last.move.seat != str(order.seat):
        raise Refused("mark_of_other_seat", seat=order.seat, last=seat, word=last.move.word)
    by = fact.by if isinstance(fact, Ordered) else "dealer"
    if last.move.word in rules(shoe).play.lifts and (isinstance(fact, Pressed) or by == orders.KEYPAD):
        raise Refused("mark_stands_seen")
    refuse(shoe, when.MARK_UNPAID)
    draft.add(
        events.MarkTakenBack(
            round=shoe.round,
            turn=next_turn(shoe),
            seat=last.move.seat,
            word=last.move.word,
            value=last.move.value,
            seq=last.seq,
            n=last.n,
            by=by,
        )
    )
    if unread_needed(draft.shoe) is None:
        draft.close_irregularity("unreadable", "taken_back", by)
    value = f"={last.move.value}" if last.move.value is not None else ""
    return f"{seat}: {last.move.word}{value} is taken back; {is_asked(asked(draft.shoe))}"


def bets_first(draft: Draft, fact: Ordered, order: orders.Mark) -> None:
    """Refuse a mark while bets are open. Raises Refused."""
    _refuse_late(draft.shoe, order, phrase("bets_are_open"))
    refuse(draft.shoe, when.NO_BETS_AWAITED)


def _refuse_late(shoe: Shoe, order: orders.Mark, *now: Phrase) -> None:
    """Raise Refused for an answer to a question that is over; `now`: the question that is asked."""
    if order.round not in (None, shoe.round) or order.turn not in (None, shoe.turn):
        raise _late(shoe, *now)


def _late(shoe: Shoe, *now: Phrase) -> Refused:
    return Refused("late", now=(phrase("asked_in", round=shoe.round, turn=shoe.turn, now=now),))
