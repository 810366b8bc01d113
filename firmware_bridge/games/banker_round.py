"""The phases that niu-niu and er ba gang share: seats grab the bank and bet against it."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from decimal import Decimal
from math import prod
from random import Random
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from firmware_bridge.facts.book.refusals import Phrase, Refused, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.games import guest, prompts
from firmware_bridge.games.game import Result
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.strategy import Asked

SEATS: Final = ("1", "2", "3", "4")
"""The seats of both games, in the order dealt."""

SLOTS: Final = tuple(f"S{seat}" for seat in SEATS)

GRAB: Final = "grab"
"""The word of a bid for the bank: its value is the multiple, 0 for a seat that does not grab."""

BET: Final = "bet"
"""The word of a player's bet: its value is the multiple against the banker."""

Outcome = Literal["win", "lose", "push"]
"""The outcome of a player's hand against the banker's."""

Multiple = Annotated[int, Meta(ge=1, le=1_000)]
"""A multiple that a seat may bet: with a base of 15 digits the product of four is exact."""

Factor = Annotated[int, Meta(ge=0, le=1_000)]
"""The multiple of a kind of hand; 0: nothing is paid."""

DIGIT: Final = re.compile(r"[0-9](\.5)?")
"""The points of a hand as text."""

Closed = Card | None
"""A card of a hand, None while it lies face down."""


def check_base(base: Decimal) -> None:
    """Check that an amount may be the base of a table. Raises ValueError."""
    if not prompts.is_of_letters(base, prompts.DIGITS) or base <= 0:
        raise ValueError(f"base: give an amount above 0, of at most {prompts.DIGITS} characters")


class Bank(Struct, frozen=True, kw_only=True):
    """The running round of both games: slot -> bid, the banker and his multiple, slot -> bet.

    banker, multiple: None before it is decided.
    """

    bids: dict[str, int] = {}
    banker: str | None = None
    multiple: int | None = None
    bets: dict[str, int] = {}


RunningT = TypeVar("RunningT", bound=Bank)


def given_by(
    seats: Sequence[str], word: str, offer: prompts.Offer, why: str, shows: Callable[[dict[str, int]], Struct]
) -> Generator[prompts.Ask, Any, dict[str, int]]:
    """Return seat -> the multiple it gave with `word`: each seat gives it once, in any order.

    shows: slot -> multiple so far -> what the table shows of them.
    """
    given: dict[str, int] = {}
    while len(given) < len(seats):
        owing = [seat for seat in seats if seat not in given]
        act: dict[str, dict[str, prompts.Offer]] = {f"S{seat}": {word: offer} for seat in owing}
        mark = yield prompts.MarkDue(act, why=why, again=bool(given))
        if mark.word != word:
            raise Refused("not_possible", now=(_waiting(word, owing),))
        if mark.seat not in seats:
            raise Refused("not_your_turn", now=(_waiting(word, owing),))
        if mark.seat in given:
            raise Refused("already_marked", now=(phrase("has_given", seat=mark.seat, word=word), _waiting(word, owing)))
        prompts.check(word, mark.value, offer)
        given[mark.seat] = int(mark.value)
        yield prompts.did(word, f"S{mark.seat}", given[mark.seat])
        yield prompts.Shows(shows(by_slot(given)))
    return given


def _waiting(word: str, owing: Sequence[str]) -> Phrase:
    """Return what is asked while seats still owe their mark."""
    return phrase("waiting_for", word=word, seats=tuple(f"S{seat}" for seat in owing))


def by_slot(multiples: Mapping[str, int]) -> dict[str, int]:
    """Return slot -> multiple, in the order of the seats."""
    return {f"S{seat}": multiples[seat] for seat in SEATS if seat in multiples}


def lot_among(seats: Sequence[str], why: str) -> Generator[prompts.Ask, Any, str]:
    """Return the seat that the lot fell on, which a mark names."""
    offer = prompts.Choice(tuple(seats))
    mark = yield prompts.MarkDue({LOT: {LOT: offer}}, why=why)
    if mark.word != LOT:
        raise Refused("not_possible", now=(phrase("give_draw", values=tuple(f"lot={seat}" for seat in seats)),))
    prompts.check(LOT, mark.value, offer)
    return str(mark.value)


def grabbed(
    shown: RunningT, offer: prompts.Offer, among: Callable[[Mapping[str, int]], Sequence[str]]
) -> Generator[prompts.Ask, Any, tuple[dict[str, int], str]]:
    """Return the bids of all seats, and the seat that gets the bank; the lot decides among several.

    among: the seats with the best bids. shown: what the table shows before the bids.
    """
    bids = yield from given_by(SEATS, GRAB, offer, "seats bid for the bank", lambda given: replace(shown, bids=given))
    best = among(bids)
    banker = best[0] if len(best) == 1 else (yield from lot_among(best, "a draw decides who is banker"))
    return bids, banker


def seated(
    shown: RunningT, bids: Mapping[str, int], banker: str, multiple: int
) -> Generator[prompts.Ask, Any, RunningT]:
    """Return what the table shows after the bank is decided."""
    yield prompts.did("banker", f"S{banker}", multiple)
    running = replace(shown, bids=by_slot(bids), banker=f"S{banker}", multiple=multiple)
    yield prompts.Shows(running)
    return running


def from_next(banker: str) -> tuple[str, ...]:
    """Return the players in the order in which they compare with the banker: from his next seat on."""
    after = SEATS.index(banker) + 1
    return tuple(seat for seat in SEATS[after:] + SEATS[:after] if seat != banker)


def dealt(rounds: int) -> Generator[prompts.Ask, Any, dict[str, tuple[Closed, ...]]]:
    """Return seat -> its cards, dealt face down one at a time from the first seat, `rounds` times; None: face down."""
    hands: dict[str, tuple[Closed, ...]] = dict.fromkeys(SEATS, ())
    for _ in range(rounds):
        for seat in SEATS:
            card = yield prompts.CardDue(f"S{seat}", f"S{seat}", down=True, why=f"S{seat} due")
            hands[seat] = (*hands[seat], card)
    return hands


def turned(
    hands: Mapping[str, tuple[Closed, ...]], banker: str, sealed: bool, kind: Callable[[tuple[Card, ...]], str]
) -> Generator[prompts.Ask, Any, dict[str, tuple[Card, ...]]]:
    """Return seat -> the faces of its hand; the round waits until all are open.

    sealed: one hand at a time from the banker's next seat, his own last; else all at once. kind: the kind of a hand.
    """
    faces: dict[str, tuple[Card, ...]] = {}
    for seat in (*from_next(banker), banker) if sealed else SEATS:
        slot, hand = f"S{seat}", hands[seat]
        if None in hand:
            yield prompts.OpeningDue((slot,), (slot,), f"open the hand of {slot}")
            raise LookupError("an opening is never answered")
        faces[seat] = tuple([card for card in hand if card])
        yield prompts.did("turn", slot, kind(faces[seat]))
    return faces


def owes(base: Decimal, *multiples: int) -> Decimal:
    """Return the amount one hand owes another: the base times all multiples."""
    return base * prod(multiples)


def outcome_of(nets: Mapping[str, Decimal], banker: str) -> str:
    """Return the outcome for the bank: `banker`, `players`, or `even`."""
    won = nets[banker]
    return "banker" if won > 0 else "players" if won < 0 else "even"


def result(
    banker: str, hands: Mapping[str, Any], nets: Mapping[str, Decimal], ends: Mapping[str, Outcome], own: Struct
) -> Result:
    """Return the result of a round: hands and nets by seat, outcomes against the banker by player."""
    his = hands[banker].points
    compared = [(f"S{seat}", hands[seat].points, ends[seat]) for seat in from_next(banker)]
    return Result(
        hands={f"S{seat}": hands[seat] for seat in SEATS},
        outcome=outcome_of(nets, banker),
        bets={f"S{seat}": prompts.in_words(nets[seat]) for seat in SEATS},
        staked=dict.fromkeys(SLOTS, "0"),
        own=own,
        why=tuple([f"{slot} {points} {_ENDS[end]} S{banker} {his}" for slot, points, end in compared]),
        reasons=tuple(
            [
                Reason(end, {"slot": slot, "has": points, "banker": f"S{banker}", "banker_has": his})
                for slot, points, end in compared
            ]
        ),
    )


_ENDS: Final[dict[Outcome, str]] = {"win": "beats", "lose": "loses to", "push": "equals"}


def remarks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the remarks on a round: the banker and his multiple."""
    return (f"banker {message['banker']} x {message['multiple']}",)


def shown(message: Any) -> guest.Result:
    """Return the result for guests: each hand against the bank's."""
    hands = []
    for slot, hand in message.hands.items():
        ended = message.outcomes.get(slot, "")
        outcome = "bank" if slot == message.banker else ended if ended in get_args(Outcome) else ""
        points = hand.digit if hand.kind == "points" and DIGIT.fullmatch(hand.digit) else ""
        kind = "" if points else guest.word_id(message, hand.kind)
        hands.append(guest.Hand(slot, guest.faces(hand.cards), points, kind, outcome))
    return guest.Result(message.round, _WON.get(message.outcome, ""), hands=tuple(hands))


_WON: Final = {"banker": "wins.bank", "players": "wins.players", "even": "wins.even"}

GUEST: Final = guest.Guest(result=shown, limits=(("base", ""),), bids=(GRAB, BET, LOT), seats=lambda _: len(SEATS))


BOLD: Final = 0.6
"""The probability that a seat of the demonstration grabs."""


def strategy(asked: Asked, rng: Random) -> tuple[str, str | None]:
    """Grab with probability `BOLD`, bet small amounts more often than large ones; the lot falls anywhere."""
    word, offer = next(iter(asked.offers.items()))
    match offer:
        case prompts.Choice(values=values):
            may = list(values)
        case prompts.Whole(least=least, most=most):
            may = [str(n) for n in sorted({least, 1, most // 10, most // 3, most}) if least <= n <= most]
        case _:
            raise LookupError(f"{word}: neither game offers this")
    if word == LOT:
        return word, rng.choice(may)
    if word == GRAB and rng.random() > BOLD:
        return word, may[0]
    return word, min(rng.choice(may), rng.choice(may), key=may.index)
