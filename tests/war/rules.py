"""War: the higher card wins. A bet before, a lot, a card face down, a question about it, marks with amounts."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.cards import FACES, RANKS, Card
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.games import guest
from firmware_bridge.games.game import Demo, Ended, Game, Layout, Money, Play, Result, Script, Start, Terms, Topic
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import (
    Ask,
    Between,
    CardDue,
    Choice,
    MarkDue,
    Nothing,
    Offer,
    OpeningDue,
    Question,
    Shows,
    check,
    did,
)

HIGHEST = "A"


class War(Terms, frozen=True):
    """`[game]` of a table of war: how many seats it has, and the most that a seat may raise by."""

    seats: int = 3
    top: int = 50


class Hand(Struct, frozen=True):
    """One card."""

    cards: tuple[Card, ...]
    points: str


class Own(Struct, frozen=True):
    """What only war says: who began, and whether the dealer's card was the highest there is."""

    began: str
    highest: bool


class Pot(Struct, frozen=True):
    """What war shows of a running round: all that was put in."""

    pot: str


class Tally(Struct, frozen=True):
    """The topic `tally`: rounds by their outcome."""

    rounds: dict[str, int]


def round(terms: War, start: Start) -> Script:
    """One round for the seats that bet."""
    seats = [seat for seat in start.bets or {"1": "1"} if 1 <= int(seat) <= terms.seats]
    put = {seat: Decimal(start.bets.get(seat, "1")) for seat in seats}
    yield did("round", len(start.before) + 1)
    for seat in start.bets:
        if not 1 <= int(seat) <= terms.seats:
            yield did("bet_refused", f"S{seat}", "no_such_seat")
    if not seats:
        return None
    yield Shows(_pot(put))
    first = yield from _lot(seats)
    order = seats[seats.index(first) :] + seats[: seats.index(first)]
    cards = {}
    for seat in order:
        cards[seat] = yield CardDue(f"S{seat}", f"S{seat}", why=f"S{seat} due: the lot fell on {first}")
    hole = yield CardDue("D", "D", down=True, why="D due, face down")
    highest = yield Question("highest", ("yes", "no"), ("D",))
    yield did("peek", highest == "yes")
    if highest == "no":
        for seat in order:
            yield from _speaks(seat, terms, put)
    if hole is None:
        yield OpeningDue(("D",), ("D",), "open D")
    yield did("turn", "D")
    return (yield from _settled(cards, hole, put, Own(first, highest == "yes")))


def _lot(seats: list[str]) -> Generator[Ask, Any, str]:
    offer = Choice(tuple(seats))
    mark = yield MarkDue({LOT: {LOT: offer}}, why="the lot says who begins")
    if mark.word != LOT:
        raise Refused("not_possible", now=(phrase("one_of", word=LOT, values=tuple(seats)),))
    check(LOT, mark.value, offer)
    yield did("start", f"S{mark.value}")
    return mark.value


def _speaks(seat: str, terms: War, put: dict[str, Decimal]) -> Generator[Ask, Any, None]:
    """The seat stands, or raises its bet; a look does not use its turn up."""
    offers: dict[str, Offer] = {"stand": Nothing(), "raise": Between(Decimal(1), Decimal(terms.top)), "look": Nothing()}
    again = False
    while True:
        mark = yield MarkDue({f"S{seat}": offers}, why=f"S{seat} speaks", again=again)
        if mark.seat not in ("", seat):
            raise Refused("not_your_turn", now=(phrase("asks", slot=f"S{seat}", words=tuple(offers)),))
        if mark.word not in offers:
            raise Refused("not_possible", now=(phrase("asks", slot=f"S{seat}", words=tuple(offers)),))
        check(mark.word, mark.value, offers[mark.word])
        if mark.word != "look":
            break
        del offers["look"]
        again = True
        yield did("look", f"S{seat}")
    if mark.word == "raise":
        put[seat] += Decimal(mark.value)
        yield did("stake", f"S{seat}", mark.value)
        yield Shows(_pot(put))


def _pot(put: dict[str, Decimal]) -> Pot:
    return Pot(str(sum(put.values())))


def _settled(cards: dict[str, Card], hole: Card, put: dict[str, Decimal], own: Own) -> Script:
    nets: dict[str, Net] = {}
    for seat, card in cards.items():
        better = RANKS.index(card.rank) - RANKS.index(hole.rank)
        net = put[seat] if better > 0 else -put[seat] if better < 0 else Decimal(0)
        nets[f"S{seat}"] = str(net)
        yield did("pay" if net > 0 else "take" if net < 0 else "push", f"S{seat}", str(abs(net)))
        yield did("discard", f"S{seat}")
    won = sum(Decimal(net) for net in nets.values())
    hands = {f"S{seat}": Hand((card,), card.rank) for seat, card in cards.items()} | {"D": Hand((hole,), hole.rank)}
    return Result(
        hands=hands,
        outcome="seats" if won > 0 else "dealer" if won < 0 else "even",
        bets=nets,
        own=own,
        staked={f"S{seat}": str(amount) for seat, amount in put.items()},
        why=(f"the dealer has {hole.rank}",),
    )


def _answer(question: Question, faces: Mapping[int, Card], table: Layout) -> str:
    hole = next(n for n, each in enumerate(table.placed) if each.slot == "D")
    return "yes" if faces[hole].rank == HIGHEST else "no"


def _compare(given: Mapping[str, Any]) -> Mapping[str, Any]:
    a, b = (RANKS.index(given[name][0]) for name in ("a", "b"))
    return {"winner": "a" if a > b else "b"}


def _summary(rounds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return {"began": rounds[0]["began"], "net": rounds[0]["bets"]}


def _staked(table: Layout, start: Start) -> dict[str, Net]:
    raised = [(words[1], words[2]) for words in table.did if words[0] == "stake"]
    put = {f"S{seat}": Decimal(amount) for seat, amount in start.bets.items()}
    for seat, amount in raised:
        put[str(seat)] += Decimal(str(amount))
    return {seat: str(amount) for seat, amount in put.items()}


def _grow(tally: Tally, ended: Ended) -> Tally:
    assert msgspec.json.decode(ended.own, type=Own)
    outcome = ended.outcome or ""
    return Tally(tally.rounds | {outcome: tally.rounds.get(outcome, 0) + 1})


def _shown(message: Any) -> guest.Result:
    """What guests see of a round that is over: every hand."""
    hands = [guest.Hand(slot, guest.faces(hand.cards)) for slot, hand in message.hands.items()]
    return guest.Result(message.round, guest.word_id(message, message.outcome), hands=tuple(hands))


GAME = Game(
    name="war",
    terms=War,
    pack=dict.fromkeys(FACES, 1),
    packs=range(1, 9),
    slots=("S1", "S2", "S3", "D"),
    areas={"seats": ("S1", "S2", "S3"), "dealer": ("D",)},
    shows=Pot,
    hand=Hand,
    own=Own,
    topics=(Topic("tally", Tally, lambda terms: Tally({}), _grow, lambda tally: tally),),
    play=Play(
        round=round,
        words=(LOT, "stand", "raise", "look"),
        seatless=(LOT, "stand", "raise", "look"),
        answer=_answer,
        ends=lambda terms, start: start.left < terms.seats + 1,
    ),
    money=Money(
        stakes="bets",
        staked=_staked,
    ),
    guest=guest.Guest(result=_shown),
    demo=Demo(compare=_compare, summary=_summary),
)
