"""The marks allowed to a seat in its turn and out of it, and the refusal of all others."""

from decimal import Decimal
from typing import Final

from firmware_bridge.facts.book.refusals import Phrase, Refused, phrase
from firmware_bridge.games.moves import LOT, Mark
from firmware_bridge.games.prompts import (
    EXACT,
    Between,
    Nothing,
    Offer,
    Price,
    Target,
    amount,
    check,
    in_words,
)
from firmware_bridge.games.zhajinhua.seats import COMPARES_FROM, Seat, Table

ANYTIME: Final = ("look", "fold")
"""The marks that need no turn."""

WORDS: Final = (LOT, "look", "call", "raise", "compare", "fold")


def offers(table: Table, seat: Seat) -> dict[str, Offer]:
    """Return the marks allowed to the seat in its turn."""
    words: dict[str, Offer] = {} if seat.looked else {"look": Nothing()}
    if table.is_short(seat):
        words["compare"] = Target((), seat.purse)
    else:
        words["call"] = Price(table.cost(seat))
        if (raises := _raises(table, seat, seat.purse)) is not None:
            words["raise"] = raises
        if table.round >= COMPARES_FROM:
            words["compare"] = Target(tuple(each.number for each in table.rivals(seat)), table.cost(seat))
    return words | {"fold": Nothing()}


def anytime(table: Table) -> dict[str, dict[str, Offer]]:
    """Return the marks allowed to every seat still in, in its turn or not."""
    return {
        seat.slot: {word: Nothing() for word in ANYTIME if word == "fold" or not seat.looked} for seat in table.still_in
    }


def refuse_wrong(table: Table, seat: Seat, mark: Mark) -> Seat:
    """Return the seat that marks; `seat`: the one in turn. Raises Refused for a mark that the rules do not allow."""
    if mark.word == LOT:
        raise Refused("not_possible", now=(phrase("start_drawn"), _options(table, seat)))
    by = next((each for each in table.still_in if each.number == mark.seat), None)
    if by is None:
        raise Refused("not_your_turn", now=(phrase("seat_out", seat=mark.seat), _options(table, seat)))
    if by is not seat and mark.word not in ANYTIME:
        may = phrase("may_anytime", seat=f"S{mark.seat}", marks=tuple(anytime(table)[by.slot]))
        raise Refused("not_your_turn", now=(may, _options(table, seat)))
    if mark.word == "look" and by.looked:
        raise Refused("already_marked", now=(phrase("has_looked", seat=mark.seat), _options(table, seat)))
    _refuse_state(table, by, mark)
    _refuse_value(table, by, mark)
    return by


def _refuse_state(table: Table, seat: Seat, mark: Mark) -> None:
    """Raise Refused for a mark that this state does not allow, whatever its value."""
    if mark.word not in (*ANYTIME, *offers(table, seat)):
        raise Refused("not_possible", now=(_why_not(table, seat, mark.word), _options(table, seat)))


def _why_not(table: Table, seat: Seat, word: str) -> Phrase:
    """Return the reason why a mark is not offered to the seat in turn."""
    if word == "compare":
        return phrase("compare_from", round=COMPARES_FROM)
    if table.is_short(seat):
        return phrase("call_costs", cost=in_words(table.cost(seat)))
    if table.stake >= table.terms.top:
        return phrase("at_the_top", top=in_words(table.terms.top))
    if _raises(table, seat, None) is None:
        return phrase("no_full_step")
    return phrase("purse_too_little", purse=in_words(seat.purse))


def _refuse_value(table: Table, seat: Seat, mark: Mark) -> None:
    """Raise Refused for a value that the mark cannot have."""
    if mark.word == "raise":
        _refuse_raise(table, seat, mark.value)
    elif mark.word != "compare":
        check(mark.word, mark.value, Nothing())
    elif table.is_short(seat) and mark.value is not None:
        raise Refused("bad_target", now=(phrase("compare_all"),))
    elif not table.is_short(seat):
        check(mark.word, mark.value, offers(table, seat)["compare"])


def _refuse_raise(table: Table, seat: Seat, value: str | None) -> None:
    allowed = _raises(table, seat, None)
    assert allowed is not None, "a raise is offered"
    check("raise", value, allowed)
    if amount(value) > seat.purse:
        purse = phrase("purse_has", purse=in_words(seat.purse))
        raise Refused("not_enough_money", now=(purse, _options(table, seat)))


def _raises(table: Table, seat: Seat, purse: Decimal | None) -> Between | None:
    """Return the amounts of a raise, as far as a purse allows (None: by the rules alone); None if no raise."""
    step, room = table.terms.step, EXACT.subtract(table.terms.top, table.stake)
    if purse is not None:
        room = min(room, EXACT.subtract(EXACT.divide(purse, Decimal(seat.factor)), table.stake))
    steps = EXACT.divide_int(room, step)
    if steps < 1:
        return None
    least, most = (EXACT.add(table.stake, EXACT.multiply(step, n)) for n in (Decimal(1), steps))
    f = Decimal(seat.factor)
    return Between(EXACT.multiply(least, f), EXACT.multiply(most, f), EXACT.multiply(step, f))


def _options(table: Table, seat: Seat) -> Phrase:
    """Return the marks allowed to the seat in turn."""
    marks = tuple(_option(word, offer) for word, offer in offers(table, seat).items())
    return phrase("may", seat=seat.slot, marks=marks)


def _option(word: str, offer: Offer) -> Phrase:
    match offer:
        case Price(cost=cost):
            return phrase("mark_for", word=word, cost=in_words(cost))
        case Between(least=least, most=most, step=None):
            return phrase("mark_from", word=word, least=in_words(least), most=in_words(most))
        case Between(least=least, most=most, step=Decimal() as step):
            return phrase("mark_in_steps", word=word, least=in_words(least), most=in_words(most), step=in_words(step))
        case Target(seats=(), cost=cost):
            return phrase("compare_with_all", cost=in_words(cost))
        case Target(seats=seats, cost=cost):
            return phrase("compare_with", seats=seats, cost=in_words(cost))
    return phrase("mark", word=word)
