"""Baccarat: its rules in two dealing procedures, bets, odds and roads."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games import guest
from firmware_bridge.games.baccarat.bets import BETS, closed
from firmware_bridge.games.baccarat.roads_topic import ROADS
from firmware_bridge.games.baccarat.rules import BURNS, PLAYER_DRAWS
from firmware_bridge.games.baccarat.script import PAIRS, RESERVES, SIDES, Baccarat, Hand, Own, round, unjudged, verdict
from firmware_bridge.games.game import Demo, Game, Layout, Money, OddsBook, Play, Start
from firmware_bridge.games.machine import layout
from firmware_bridge.games.moves import Dealt, Mark
from firmware_bridge.games.payouts import Payouts

THIRDS: Final = ("P3", "B3")


def _judge(moves: tuple[Card | Mark, ...], terms: Baccarat, start: Start) -> Layout:
    """Return the layout of cards as they were played: as dealt on demand, whatever the procedure."""
    cards = tuple([Dealt(card) for card in moves if isinstance(card, Card)])
    if len(cards) < len(moves):
        return Layout(stuck="baccarat has no marks")
    return layout(GAME, cards, Baccarat(tiger_pair_top=terms.tiger_pair_top, natural_bets=terms.natural_bets), start)


def _points(layout: Layout) -> dict[str, str]:
    """Return side -> total of its open cards; empty while a carried card lies face down."""
    if any(each.card is None for each in layout.placed[: len(PAIRS)]):
        return {}
    open_cards = [(each.plays[0], each.card) for each in layout.placed if each.plays and each.card]
    hands = {side: [card for letter, card in open_cards if letter == side[0].upper()] for side in SIDES}
    return {side: str(sum(card.points for card in hand) % 10) for side, hand in hands.items() if hand}


WINS: Final = {"player": "wins.player", "banker": "wins.banker", "tie": "wins.tie"}


def _shown(message: Any) -> guest.Result:
    """Return the result for guests: both sides' hands."""
    hands = [
        guest.Hand(side, guest.faces(hand.cards), "" if hand.total is None else str(hand.total))
        for side in SIDES
        if (hand := message.hands.get(side))
    ]
    pairs = tuple([side for side in SIDES if message.pairs.get(side)])
    outcome = WINS.get(message.outcome, "")
    return guest.Result(message.round, outcome, hands=tuple(hands), natural=message.natural, pairs=pairs)


def _hands(at: Mapping[str, Card | None]) -> dict[str, tuple[Card | None, ...]]:
    """Return both sides' cards; of the reserves those named: they are played, R1 by the player where he draws."""
    first = [card.points for slot in ("P1", "P2") if (card := at.get(slot))]
    draws = len(first) == 2 and sum(first) % 10 in PLAYER_DRAWS
    thirds = {"player": at.get("R1"), "banker": at.get("R2")} if draws else {"banker": at.get("R1")}
    hands = {}
    for letter, side in zip("PB", SIDES, strict=True):
        lain = [at[slot] for slot in (f"{letter}1", f"{letter}2", f"{letter}3") if slot in at]
        lain += [card] if (card := thirds.get(side)) else []
        if lain:
            hands[side] = tuple(lain)
    return hands


def _summary(rounds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the last of these rounds."""
    last = rounds[-1]
    return {key: last[key] for key in ("outcome", "natural", "pairs", "hands", "bets")}


def _odds() -> OddsBook:
    from firmware_bridge.games.baccarat.odds import BOOK

    return BOOK


def _remarks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the natural and the pairs."""
    natural = ("natural",) if message["natural"] else ()
    return natural + tuple(f"{side} pair" for side, is_pair in message["pairs"].items() if is_pair)


def _payouts() -> Payouts:
    from firmware_bridge.games.baccarat.payouts import payouts

    return payouts()


GAME: Final = Game(
    name="baccarat",
    terms=Baccarat,
    pack=dict.fromkeys(FACES, 1),
    packs=range(1, 13),
    slots=(*PAIRS, *THIRDS, *RESERVES),
    areas={"player": ("P1", "P2", "P3"), "banker": ("B1", "B2", "B3"), "reserve": RESERVES},
    hand=Hand,
    own=Own,
    topics=(ROADS,),
    play=Play(
        round=round,
        judge=_judge,
        fewest=lambda terms: len(PAIRS) + len(RESERVES) * (terms.procedure == "six-card"),
        first=PAIRS[0],
        reserves=lambda terms: RESERVES if terms.procedure == "six-card" else (),
        carries=3,  # reserves included: the fourth slot must be drawn in that round
        burns=lambda card: BURNS[card.rank],
        cut_from_end=(13, 52),  # the fewest and the most that houses leave
        cut_earliest=lambda cards: 60,
        close=lambda terms: "next" if terms.procedure == "six-card" else "auto",
        keys=("player", "banker", "tie"),
        verdict=verdict,
        unjudged=unjudged,
        secret=(*THIRDS, *RESERVES),
        sensed=True,
        squeezed=True,
        has_third=True,
        ceremony="thirds_last",
    ),
    money=Money(unit="stake", bets=tuple(BETS), closed_bets=closed, staked=lambda layout, start: {}),
    guest=guest.Guest(result=_shown, sides=SIDES, hands=_hands),
    demo=Demo(points=_points, summary=_summary, remarks=_remarks),
    odds=_odds,
    payouts=_payouts,
)
