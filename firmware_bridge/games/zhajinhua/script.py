"""A round of zha jin hua as a script: antes, cards face down, the lot, betting, comparisons, settlement."""

from collections.abc import Generator
from decimal import Decimal
from typing import Any

from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import prompts
from firmware_bridge.games.game import Script, Start
from firmware_bridge.games.moves import LOT, Mark
from firmware_bridge.games.zhajinhua.hands import HAND, Hand
from firmware_bridge.games.zhajinhua.offers import anytime, offers, refuse_wrong
from firmware_bridge.games.zhajinhua.result import Running, divided, hand_out, result
from firmware_bridge.games.zhajinhua.seats import Out, Seat, Table, ZhaJinHua, seat_players

Dealt = dict[str, list[Card | None]]
"""Slot -> its cards, as far as they are open."""


def round(terms: ZhaJinHua, start: Start) -> Script:
    """Play one round of those who can pay the ante."""
    table = yield from seat_players(terms, start.money)
    if table is None:
        return None
    yield _shown(table)
    dealt = yield from _deal(table)
    yield from _draw_lot(table)
    all_in = yield from _bet(table)
    if not all_in and len(table.still_in) > 1:
        yield from _compare_by_force(table)
    winner = table.still_in[0]
    pot = divided(table, winner, all_in)
    yield from hand_out(table, winner, pot)
    hands = yield from _open(dealt)
    return (yield from result(table, winner, pot, all_in, hands))


def _shown(table: Table) -> prompts.Shows:
    running = Running(table.round, prompts.in_words(table.stake), prompts.in_words(table.pot))
    seats = sorted(table.seats, key=lambda seat: seat.number)
    playing = tuple([seat.slot for seat in seats if not seat.out])
    return prompts.Shows(running, playing, tuple([seat.slot for seat in seats if seat.looked]))


def _deal(table: Table) -> Generator[prompts.Ask, Any, Dealt]:
    dealt: Dealt = {seat.slot: [] for seat in table.seats}
    for _ in range(HAND):
        for slot, hand in dealt.items():
            hand.append((yield prompts.CardDue(slot, slot, down=True, why=f"{slot} due, face down")))
    return dealt


def _draw_lot(table: Table) -> Generator[prompts.Ask, Any, None]:
    """Put the seat first that the lot fell on."""
    numbers = tuple(seat.number for seat in table.seats)
    mark: Mark = yield prompts.MarkDue({LOT: {LOT: prompts.Choice(numbers)}}, why="a draw decides which seat starts")
    if mark.word != LOT:
        raise Refused("not_possible", now=(phrase("give_drawn_seat", seats=numbers),))
    if mark.value not in numbers:
        raise Refused("not_in_lot", now=(phrase("give_drawn_seat", seats=numbers),))
    first = numbers.index(mark.value)
    table.seats = table.seats[first:] + table.seats[:first]
    yield prompts.did("start", table.seats[0].slot)


def _bet(table: Table) -> Generator[prompts.Ask, Any, bool]:
    """Play the betting rounds, until one seat is left or they are used up; return True if a seat won all-in."""
    while table.round < table.terms.rounds:
        table.round += 1
        yield prompts.did("round", table.round)
        for seat in table.seats:
            if seat.out:
                continue
            all_in = yield from _turn(table, seat)
            if len(table.still_in) == 1:
                return all_in
    return False


def _turn(table: Table, seat: Seat) -> Generator[prompts.Ask, Any, bool]:
    """Play the turn of a seat, until it has acted or only one seat is left; return True if it won all-in."""
    is_again = False
    while len(table.still_in) > 1:
        act = offers(table, seat)
        yield _shown(table)
        why = f"{seat.slot} acts, betting round {table.round}"
        mark: Mark = yield prompts.MarkDue({seat.slot: act}, anytime(table), why=why, again=is_again)
        by = refuse_wrong(table, seat, mark)
        is_again = by is not seat
        match mark.word:
            case "look":
                by.looked = True
                yield prompts.did("look", by.slot)
                continue
            case "fold":
                yield from _goes_out(table, by, "fold")
                if by is not seat:
                    continue
            case "call":
                seat.pay(table.cost(seat))
                yield prompts.did("call", seat.slot, prompts.in_words(table.cost(seat)))
            case "raise":
                yield from _raise(table, seat, mark)
            case "compare" if mark.value is None:
                return (yield from _go_all_in(table, seat))
            case "compare":
                yield from _compare_once(table, seat, mark)
        return False
    return False


def _raise(table: Table, seat: Seat, mark: Mark) -> Generator[prompts.Ask, Any, None]:
    given = prompts.amount(mark.value)
    table.stake = prompts.EXACT.divide(given, Decimal(seat.factor))
    seat.pay(given)
    yield prompts.did("raise", seat.slot, prompts.in_words(given), prompts.in_words(table.stake))


def _compare_once(table: Table, seat: Seat, mark: Mark) -> Generator[prompts.Ask, Any, None]:
    cost = table.cost(seat)
    seat.pay(cost)
    yield prompts.did("put", seat.slot, prompts.in_words(cost))
    yield from _compare(table, seat, next(each for each in table.seats if each.number == mark.value), "compare")


def _go_all_in(table: Table, seat: Seat) -> Generator[prompts.Ask, Any, bool]:
    """Compare with one seat after the other for the whole purse, until it loses; return True if it never did."""
    had = seat.purse
    seat.pay(had)
    yield prompts.did("all_in", seat.slot, prompts.in_words(had))
    for rival in table.rivals(seat):
        yield from _compare(table, seat, rival, "compare")
        if seat.out:
            return False
    return True


def _compare_by_force(table: Table) -> Generator[prompts.Ask, Any, None]:
    """Compare the first seat still in with the next, the winner with the next, until one is left; it is free."""
    yield prompts.did("forced")
    best, *others = table.still_in
    for rival in others:
        yield from _compare(table, best, rival, "forced")
        best = rival if best.out else best


def _compare(table: Table, seat: Seat, rival: Seat, how: Out) -> Generator[prompts.Ask, Any, None]:
    """Compare two hands, by the shoe's answer from cards that stay closed; the loser is out."""
    both = seat.slot, rival.slot
    winner = yield prompts.Question("compare", both, both)
    yield prompts.did("compare", *both, winner)
    loser = rival if winner == seat.slot else seat
    yield prompts.Sign(loser.slot, "lost")
    yield from _goes_out(table, loser, how)


def _goes_out(table: Table, seat: Seat, how: Out) -> Generator[prompts.Ask, Any, None]:
    seat.out = table.last_out = how
    yield prompts.did("out", seat.slot, how)
    yield _shown(table)


def _open(dealt: Dealt) -> Generator[prompts.Ask, Any, dict[str, Hand]]:
    """Wait until all hands are open; return them."""
    closed = tuple(slot for slot, hand in dealt.items() if None in hand)
    if closed:
        yield prompts.OpeningDue(closed, closed, "the round is over: open all hands", by_itself=True)
        raise LookupError("an opening is never answered")
    return {slot: tuple(card for card in hand if card) for slot, hand in dealt.items()}
