"""Zha jin hua: three cards face down, betting with looks and comparisons, and a pot."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.games import guest
from firmware_bridge.games.chances import book
from firmware_bridge.games.game import Demo, Game, Layout, Money, Play, Start
from firmware_bridge.games.payouts import Payouts
from firmware_bridge.games.prompts import EXACT, Question, in_words
from firmware_bridge.games.zhajinhua.hands import CALLED, HAND, Hand, act, beats, chances
from firmware_bridge.games.zhajinhua.offers import ANYTIME, WORDS
from firmware_bridge.games.zhajinhua.result import Own, Running, SeatHand
from firmware_bridge.games.zhajinhua.script import round
from firmware_bridge.games.zhajinhua.seats import SEATS, ZhaJinHua

SLOTS: Final = tuple(f"S{number}" for number in SEATS)

PLAYERS: Final = range(3, 6)

PUT: Final = ("ante", "call", "raise", "put", "all_in")
"""The verbs that put money into the pot."""


def _answer(question: Question, faces: Mapping[int, Card], table: Layout) -> str:
    """Return the seat with the better of two hands."""
    first, second = (
        tuple(faces[n] for n, each in enumerate(table.placed) if each.slot == slot) for slot in question.of
    )
    return question.of[0] if beats(first, second) else question.of[1]


def _staked(table: Layout, start: Start) -> dict[str, Net]:
    """Return seat -> amount put in so far."""
    put: dict[str, Decimal] = {}
    for verb, *about in table.did:
        if verb in PUT:
            seat, amount = str(about[0]), Decimal(str(about[1]))
            put[seat] = EXACT.add(put.get(seat, Decimal(0)), amount)
    return {seat: in_words(amount) for seat, amount in put.items()}


def _compare(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the better of the hands `a` and `b` of one pack. Raises ValueError if they are no two such hands."""
    a, b = (_hand(given[name]) for name in "ab")
    if len({*a, *b} & {*FACES}) < len(a) + len(b) or (len(a), len(b)) != (HAND, HAND):
        raise ValueError("two hands are three cards each, all six of one pack")
    return {"winner": "a" if beats(a, b) else "b"}


def _hand(value: Any) -> Hand:
    """Return a hand from its cards, alone or in an object."""
    return tuple(map(Card, value["cards"] if isinstance(value, Mapping) else value))


def _summary(rounds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the result of the one round of a pack."""
    last = rounds[-1]
    hands = {slot: {key: hand[key] for key in OF_A_HAND} for slot, hand in last["hands"].items()}
    own = {"by" if key == "won_by" else key: last[key] for key in Own.__struct_fields__ if key != "shown"}
    return own | {"hands": hands}


def _shown(message: Any) -> guest.Result:
    """Return the result for guests: hands, winner and pot; a screen shows only the hands that the house shows."""
    hands = [
        guest.Hand(
            slot,
            guest.faces(hand.cards),
            "",
            guest.word_id(message, hand.kind),
            "win" if slot == message.winner else "",
        )
        for slot, hand in message.hands.items()
    ]
    outcome = "wins.seat" if message.winner else ""
    return guest.Result(message.round, outcome, message.winner, tuple(hands), pot=message.pot)


OF_A_HAND: Final = tuple(key for key in SeatHand.__struct_fields__ if key != "points")
"""The fields of each hand in the summary of a round."""


PACK: Final = dict.fromkeys(FACES, 1)


def _payouts() -> Payouts:
    from firmware_bridge.games.zhajinhua.payouts import payouts

    return payouts()


GAME: Final = Game(
    name="zhajinhua",
    terms=ZhaJinHua,
    pack=PACK,
    slots=SLOTS,
    areas={slot: (slot,) for slot in SLOTS},
    shows=Running,
    hand=SeatHand,
    own=Own,
    play=Play(
        round=round,
        close=lambda terms: "next",
        fewest=lambda terms: HAND * PLAYERS.start,
        words=WORDS,
        lifts=("look",),
        anytime=ANYTIME,
        players=PLAYERS,
        answer=_answer,
        one_round_packs=True,
        ends=lambda terms, start: len(start.before) > 0,
    ),
    money=Money(stakes="money", must_bet=True, staked=_staked),
    guest=guest.Guest(
        result=_shown, hidden=HAND, limits=(("ante", ""), ("top", "")), seats=lambda _: len(SEATS), has_pot=True
    ),
    demo=Demo(strategy=act, compare=_compare, summary=_summary),
    odds=lambda: book("zhajinhua", PACK, "cards left: hands of three", CALLED, lambda left, terms: chances(left)),
    payouts=_payouts,
)
