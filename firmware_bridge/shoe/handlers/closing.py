"""What is published of a round: as it closed, and as it was corrected."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from firmware_bridge.facts import events
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.orders import Correct
from firmware_bridge.games.game import Game, Result, Start
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.machine import judged
from firmware_bridge.games.moves import Mark, mark_of
from firmware_bridge.shoe.draft import Refused
from firmware_bridge.shoe.evolve import replace_cards
from firmware_bridge.shoe.round import copies, is_asked, layout, rules
from firmware_bridge.shoe.state import PastRound, Shoe, disclosed, is_last

encode = msgspec.json.Encoder().encode

OUTLIVE_A_SHOE: Final = ("reader_lost", "broker_lost", "sensor_stuck")
"""Irregularities of devices, not of cards."""


def closed_round(shoe: Shoe) -> events.RoundClosed:
    """The round that is complete on the layout."""
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
    )


def corrected_round(shoe: Shoe, past: PastRound, order: Correct, by: str) -> events.RoundCorrected:
    """A closed round judged anew. Raises Refused where what is given is not exactly one round of the packs' cards.

    The packs must hold them beside all that was seen of this shoe.
    """
    came = [_move(shoe, word) for word in order.cards]
    dealt = [each for each in came if isinstance(each, Card)]
    game = rules(shoe)
    before = [each for each in shoe.rounds if each.round < past.round]
    began = Start(past.bets, past.money, before, shoe.house.decks, past.left, shoe.house.disclose == "sealed", past)
    terms = terms_of(shoe.house)
    table = _judged(game, came, terms, began)
    if table.result is None:
        raise Refused(*_first_wrong(game, order.cards, came, terms, began))
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
        revision=past.revision + 1,
        corrects=past.seq,
        by=by,
    )


def _judged(game: Game, came: Sequence[Card | Mark], terms: Any, began: Start) -> Layout:
    return game.play.judge(tuple(came), terms, began) if game.play.judge else judged(game, came, terms, began)


def _first_wrong(
    game: Game, words: Sequence[str], came: Sequence[Card | Mark], terms: Any, began: Start
) -> tuple[str, str]:
    """What is wrong with a correction that is no whole round, and what to do: its first word that cannot stand."""
    before = _judged(game, (), terms, began)
    for n, word in enumerate(words, 1):
        now = _judged(game, came[:n], terms, began)
        if now.stuck:
            expected = "the round is over before it" if before.result else is_asked(before.due)
            return f"{word}, number {n}, cannot stand there", expected
        before = now
    return f"these {'words' if game.play.words else 'cards'} are no whole round", f"it goes on: {is_asked(before.due)}"


def _refuse_a_copy_too_many(shoe: Shoe, past: PastRound, dealt: Sequence[Card]) -> None:
    """Raises Refused where the packs do not hold the cards of a correction beside the others that are open.

    Sealed ones are not counted: who may correct could else find out what they are.
    """
    before = [each.card for each in past.cards]
    seen = Counter(replace_cards(disclosed(shoe), before, dealt))
    for card in Counter(dealt) - Counter(before):
        if seen[card] > copies(shoe, card):
            words = f"{card.value} would have come {seen[card]} times, more often than the packs hold it"
            raise Refused(words, "look at the cards again; if another round is wrong too, correct that one first")


def _result(shoe: Shoe, result: Result) -> dict[str, Any]:
    """What the game says of a round that is over."""
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
    """What was put in on each bet, and its net. Raises KeyError where a game played for money does not say it."""
    if unit == "money":
        return {bet: (result.staked[bet], net) for bet, net in result.bets.items()}
    return {bet: (staked, result.bets[bet]) for bet, staked in result.staked.items() if staked != 1}


def _move(shoe: Shoe, word: str) -> Card | Mark:
    """What a word of a correction stands for. Raises Refused for one that the game does not know."""
    card = next((each for each in rules(shoe).pack if each.value == word), None)
    mark = mark_of(word)
    if card is None and (mark is None or mark.word not in rules(shoe).play.words):
        raise Refused(f"{word} is no card of {shoe.house.game}", "a card is written rank then suit: As, Td")
    return card or mark  # type: ignore[return-value]  # one of them is there


def played(shoe: Shoe, slots: Sequence[str | None]) -> tuple[events.Played, ...]:
    """The cards on the layout that may be named, each with its slot (None: it plays no part)."""
    return tuple(
        events.Played(slot, laid.card, laid.origin)
        for slot, laid in zip(slots, shoe.laid, strict=False)  # a round that cannot go on has placed fewer
        if slot and laid.shown and laid.card
    )


def _flags(shoe: Shoe) -> tuple[str, ...]:
    manual = ("manual",) if any(laid.origin == "manual" for laid in shoe.laid) else ()
    flown = ("fly",) if shoe.flying else ()
    return manual + flown + tuple(each.id for each in shoe.device.irregular if each.id not in OUTLIVE_A_SHOE)
