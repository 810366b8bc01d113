"""The events that publish a round: closed, and corrected."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from firmware_bridge.facts import events
from firmware_bridge.facts.book.refusals import Phrase, Refused, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import own_json
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.orders import Correct
from firmware_bridge.games.game import Game, Result, Start
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.machine import judged
from firmware_bridge.games.moves import Mark, mark_of
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.round import asks, copies, layout, rules
from firmware_bridge.shoe.shifts import shift_of
from firmware_bridge.shoe.state import PastRound, Shoe, disclosed, is_last, replace_cards

encode = msgspec.json.Encoder().encode
_own = own_json(dict[str, Any])

OUTLIVE_A_SHOE: Final = ("reader_lost", "reader_fault", "reader_repeats", "broker_lost", "sensor_stuck")
"""Irregularities of devices, not of cards."""


def closed_round(shoe: Shoe, **dealt: Any) -> events.RoundClosed:
    """Return the round that is complete on the layout; `dealt`: the fields of `dealt_in`."""
    table = layout(shoe)
    assert table.result is not None
    return events.RoundClosed(
        **_result(shoe, table.result),
        round=shoe.round,
        cards=played(shoe, [each.plays for each in table.placed]),
        carried=0 if is_last(shoe) else len(table.carried),
        last=is_last(shoe),
        flags=_flags(shoe),
        why=table.result.why,
        reasons=table.result.reasons,
        prev=shoe.device.prev,
        **dealt,
    )


def dealt_in(draft: Draft) -> dict[str, Any]:
    """Return the fields of a round that is over now which say who dealt it, where and when."""
    shoe = draft.shoe
    shift, gaming_day = shift_of(shoe, draft.at, draft.utc_offset)
    dealt_by = shoe.dealt_by or shoe.dealer
    return {"dealt_by": dealt_by, "pit": shoe.house.pit, "shift": shift, "gaming_day": gaming_day}


def corrected_round(shoe: Shoe, past: PastRound, order: Correct, by: str) -> events.RoundCorrected:
    """Return a correction of a closed round. Raises Refused unless the words are exactly one round of the packs' cards.

    It has no more cards than the round had, besides those that the reader missed, and the packs must hold these cards
    besides all others seen of this shoe.
    """
    came = [_move(shoe, word) for word in order.cards]
    dealt = [each for each in came if isinstance(each, Card)]
    game = rules(shoe)
    before = [each for each in shoe.rounds if each.round < past.round]
    began = Start(past.bets, past.money, before, shoe.house.decks, past.left, shoe.house.disclose == "sealed", past)
    terms = terms_of(shoe.house)
    table = _judged(game, came, terms, began)
    if table.result is None:
        raise _first_wrong(game, order.cards, came, terms, began)
    _refuse_more_cards(past, dealt, order.missed)
    _refuse_a_copy_too_many(shoe, past, dealt)
    origin, faces = {each.slot: each.origin for each in past.cards}, {each.card for each in past.cards}
    slots = [each.plays or each.slot for each in table.placed]
    return events.RoundCorrected(
        **_result(shoe, table.result),
        round=past.round,
        cards=tuple(
            events.Played(slot, card, origin.get(slot, "manual") if card in faces else "manual")
            for slot, card in zip(slots, dealt, strict=True)
        ),
        carried=past.carried,
        last=past.last,
        flags=tuple(dict.fromkeys((*past.flags, "corrected"))),
        why=(order.why,),
        reasons=(Reason("floor", {"says": order.why, "by": by}),),
        prev=shoe.device.prev,
        dealt_by=past.dealt_by,
        pit=shoe.house.pit,
        shift=past.shift,
        gaming_day=past.gaming_day,
        revision=past.revision + 1,
        corrects=past.seq,
        by=by,
        second=order.second or UNSET,
    )


def changes_nothing(past: PastRound, corrected: events.RoundCorrected) -> bool:
    """Return whether a correction has the cards, the hands and the result of the round as it stands."""
    before, after = (_own(own) for own in (past.own, corrected.own))
    return (
        [(each.slot, each.card) for each in past.cards] == [(each.slot, each.card) for each in corrected.cards]
        and (past.outcome, past.hands) == (corrected.outcome, corrected.hands)
        and (not past.nets or past.nets == corrected.bets)
        and {**before, "difference": None} == {**after, "difference": None}
    )


def _judged(game: Game, came: Sequence[Card | Mark], terms: Any, began: Start) -> Layout:
    return game.play.judge(tuple(came), terms, began) if game.play.judge else judged(game, came, terms, began)


def _first_wrong(game: Game, words: Sequence[str], came: Sequence[Card | Mark], terms: Any, began: Start) -> Refused:
    """Return the refusal of a correction that is no whole round: its first word that cannot stand."""
    before = _judged(game, (), terms, began)
    for n, word in enumerate(words, 1):
        now = _judged(game, came[:n], terms, began)
        if now.stuck:
            now_asked = (_ends(game, terms),) if before.result else asks(before.due)
            return Refused("word_out_of_place", word=word, place=n, now=now_asked)
        before = now
    return Refused("words_incomplete" if game.play.words else "cards_incomplete", now=asks(before.due))


def _ends(game: Game, terms: Any) -> Phrase:
    """Return what is said of a word behind the last one of a round."""
    unused = tuple(game.play.reserves(terms))
    return phrase("ends_before_unused", slots=unused) if unused else phrase("ends_before")


def _refuse_more_cards(past: PastRound, dealt: Sequence[Card], missed: int) -> None:
    """Raise Refused if a correction has more cards than left the shoe in its round.

    Another card is in another round, or still in the shoe: it would be in two places, or counted without being drawn.
    """
    had = len(past.read or past.cards)
    count, more = len(dealt), max(len(dealt) - had, 0)
    if more > missed:
        raise Refused("too_many_cards", count=count, round=past.round, had=had, more=more)
    if more < missed and more:
        raise Refused("fewer_missed", missed=missed, count=count, round=past.round, had=had, more=more)
    if more < missed:
        raise Refused("none_missed", missed=missed, count=count, round=past.round, had=had)


def _refuse_a_copy_too_many(shoe: Shoe, past: PastRound, dealt: Sequence[Card]) -> None:
    """Raise Refused if the packs do not hold the cards of a correction besides the others that are open.

    Sealed cards are not counted: else a correction could find out which they are.
    """
    before = [each.card for each in past.cards]
    seen = Counter(replace_cards(disclosed(shoe), past.drawn(before), past.drawn(dealt)))
    for card in Counter(dealt) - Counter(before):
        if seen[card] > copies(shoe, card):
            raise Refused("card_too_often", card=card.value, count=seen[card])


def _result(shoe: Shoe, result: Result) -> dict[str, Any]:
    """Return the fields of a round message that the game gives."""
    return {
        "game": shoe.house.game,
        "hands": Raw(encode(result.hands)),
        "outcome": result.outcome,
        "unit": rules(shoe).money.unit,
        "bets": dict(result.bets),
        "stakes": _stakes(rules(shoe).money.unit, result),
        "own": Raw(encode(result.own)),
    }


def _stakes(unit: events.Unit, result: Result) -> dict[str, events.Stake]:
    """Return bet -> stake and net. Raises KeyError if a game played for money leaves one out."""
    if unit == "money":
        return {bet: (result.staked[bet], net) for bet, net in result.bets.items()}
    return {bet: (staked, result.bets[bet]) for bet, staked in result.staked.items() if staked != 1}


def _move(shoe: Shoe, word: str) -> Card | Mark:
    """Return the card or mark of a word of a correction. Raises Refused for a word that the game does not have."""
    card = next((each for each in rules(shoe).pack if each.value == word), None)
    mark = mark_of(word)
    if card is None and (mark is None or mark.word not in rules(shoe).play.words):
        write = phrase("write_card" if Card.As in rules(shoe).pack else "write_tile")
        raise Refused("no_such_card", word=word, game=shoe.house.game, write=write)
    return card or mark  # type: ignore[return-value]  # one of them is there


def played(shoe: Shoe, slots: Sequence[str | None]) -> tuple[events.Played, ...]:
    """Return the cards on the layout that may be named, each with its slot (None: it plays no part)."""
    return tuple(
        events.Played(slot, laid.card, laid.origin)
        for slot, laid in zip(slots, shoe.laid, strict=False)  # a round that cannot go on has placed fewer
        if slot and laid.shown and laid.card
    )


def _flags(shoe: Shoe) -> tuple[str, ...]:
    manual = ("manual",) if any(laid.origin == "manual" for laid in shoe.laid) else ()
    flown = ("fly",) if shoe.flying else ()
    return manual + flown + tuple(each.id for each in shoe.device.irregular if each.id not in OUTLIVE_A_SHOE)
