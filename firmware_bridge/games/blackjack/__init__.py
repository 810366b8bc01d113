"""Blackjack: seats against the dealer, with marks, splits, doubles and a hole card."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, get_args

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.games import guest
from firmware_bridge.games.blackjack.result import Hand, Outcome, Own, is_shuffle_due
from firmware_bridge.games.blackjack.rules import MOST, SEATS, Blackjack, is_blackjack, total
from firmware_bridge.games.blackjack.script import DEALER, WORDS, round
from firmware_bridge.games.blackjack.strategy import act
from firmware_bridge.games.game import Demo, Game, Layout, Money, OddsBook, Play, Start
from firmware_bridge.games.payouts import Payouts
from firmware_bridge.games.prompts import EXACT, Question, in_words

SLOTS: Final = tuple(f"S{seat}" for seat in range(1, SEATS + 1))


def _answer(question: Question, faces: Mapping[int, Card], table: Layout) -> str:
    """Return whether the dealer's two cards are a blackjack."""
    dealers = [faces[n] for n, each in enumerate(table.placed) if each.slot == DEALER]
    return "yes" if is_blackjack(dealers) else "no"


def _staked(table: Layout, start: Start) -> dict[str, Net]:
    """Return seat -> stake so far: its bet, doubles and splits."""
    refused = {words[1] for words in table.did if words[0] == "bet_refused"}
    put = {seat: Decimal(bet) for seat, bet in _bet(table, start).items() if seat not in refused}
    for words in table.did:
        if words[0] == "stake":
            seat = str(words[1]).partition(".")[0]
            put[seat] = EXACT.add(put[seat], Decimal(str(words[2])))
    return {seat: in_words(amount) for seat, amount in put.items()}


def _moved(table: Layout) -> dict[str, Net]:
    """Return seat -> amount paid so far beyond its stake (below 0: lost): blackjacks, busts and surrenders."""
    moved: dict[str, Decimal] = {}
    for verb, hand, *amount in table.did:
        if verb in ("pay", "take"):
            seat, chips = str(hand).partition(".")[0], Decimal(str(amount[0]))
            moved[seat] = EXACT.add(moved.get(seat, Decimal(0)), chips if verb == "pay" else chips.copy_negate())
    return {seat: in_words(amount) for seat, amount in moved.items()}


def _bet(table: Layout, start: Start) -> dict[str, str]:
    """Return the first bets of the seats; where betting is ignored, 1 of each that has a card."""
    if start.bets:
        return {f"S{seat}": bet for seat, bet in start.bets.items()}
    return {each.slot.partition(".")[0]: "1" for each in table.placed if each.slot != DEALER}


def _summary(rounds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the last of these rounds, its hands as they lie from the dealer's left."""
    last = rounds[-1]
    hands = [
        {"hand": name} | {key: value for key, value in hand.items() if key != "points"}
        for name, hand in last["hands"].items()
    ]
    return {"hands": hands} | {key: last[key] for key in Own.__struct_fields__}


def _points(table: Layout) -> dict[str, str]:
    """Return seat or `dealer` -> points of its open cards so far, `bust` above 21; of split hands each."""
    hands: dict[str, list[Card]] = {}
    for each in table.placed:
        if each.card:
            hands.setdefault(each.plays or each.slot, []).append(each.card)
    points: dict[str, str] = {}
    for name in sorted(hands):
        area = "dealer" if name == DEALER else name.partition(".")[0]
        best = total(hands[name])[0]
        points[area] = " ".join(filter(None, (points.get(area), "bust" if best > MOST else str(best))))
    return points


def _remarks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the net of each seat, and whether a shuffle is due."""
    won = message.get("bets") or {seat: each["net"] for seat, each in message["seats"].items()}
    nets = [f"{seat} {'' if net.startswith(('-', '0')) else '+'}{net}" for seat, net in won.items()]
    return (*nets, *(("shuffle due",) if message["shuffle_due"] else ()))


def _shown(message: Any) -> guest.Result:
    """Return the result for guests: the dealer's hand and those of the seats."""
    hands = [
        guest.Hand(
            slot,
            guest.faces(hand.cards),
            "" if hand.total is None else str(hand.total),
            guest.word_id(message, hand.how) if _ENDED_SO.get(hand.how) == hand.outcome else "",
            hand.outcome if hand.outcome in get_args(Outcome) else "",
        )
        for slot, hand in message.hands.items()
    ]
    if message.dealer:
        how = "blackjack" if message.dealer.blackjack else "bust" if message.dealer.bust else ""
        cards, total = guest.faces(message.dealer.cards), str(message.dealer.total)
        hands.insert(0, guest.Hand(DEALER, cards, total, guest.word_id(message, how)))
    return guest.Result(message.round, guest.word_id(message, message.outcome), hands=tuple(hands))


_ENDED_SO: Final = {"blackjack": "win", "bust": "lose"}
"""End of a hand that guests see in place of its outcome; a blackjack against the dealer's is a push."""


def _odds() -> OddsBook:
    from firmware_bridge.games.blackjack.odds import BOOK

    return BOOK


def _payouts() -> Payouts:
    from firmware_bridge.games.blackjack.payouts import payouts

    return payouts()


GAME: Final = Game(
    name="blackjack",
    terms=Blackjack,
    pack=dict.fromkeys(FACES, 1),
    packs=range(6, 9, 2),
    slots=(*SLOTS, DEALER),
    areas={slot: (slot,) for slot in SLOTS} | {"dealer": (DEALER,)},
    hand=Hand,
    own=Own,
    play=Play(
        round=round,
        close=lambda terms: "next",
        fewest=lambda terms: 4,  # a seat's two and the dealer's
        words=WORDS,
        seatless=WORDS,
        players=range(1, SEATS + 1),
        answer=_answer,
        cut_earliest=lambda cards: cards // 2,
        ends=lambda terms, start: is_shuffle_due(start.decks, start.left),
    ),
    money=Money(stakes="bets", bet_range=("min", "max"), staked=_staked, moved=_moved),
    guest=guest.Guest(
        result=_shown, limits=(("min", "max"),), seats=lambda seats: min(seats or SEATS, SEATS), has_dealer=True
    ),
    demo=Demo(points=_points, strategy=act, summary=_summary, remarks=_remarks),
    odds=_odds,
    payouts=_payouts,
)
