"""What guests may see of a table, made of what is kept of its messages (fold.py); nothing else reaches a screen.

Every text in it is one of the words below, a seat, a face or an amount: what a message says in other words is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.cards import Card
from firmware_bridge.floor.page.guest import read
from firmware_bridge.floor.page.guest.fold import Kept
from firmware_bridge.floor.page.guest.read import Roads, Round, Slot, Table
from firmware_bridge.floor.page.guest.words import WORDS, known
from firmware_bridge.games import GAMES

SEAT: Final = re.compile(r"S([1-9][0-9]?)(?:\.([1-9][0-9]?))?|D")
DIGIT: Final = re.compile(r"[0-9](\.5)?")

HIDDEN: Final = 3
"""Cards of a hand of zha jin hua that nobody is shown."""

_AMOUNT: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,8})?")

Cards = Literal["closed", "live"]
"""When guests see the cards of a round: once it is over, or as they lie open on the table after bets are closed."""

IN_PLAY: Final = ("dealing", "complete")
"""Phases in which cards of the present round may be shown."""

BETWEEN: Final = ("empty", "ended")
"""Phases in which no round is due."""

BIDS: Final = frozenset({"grab", "bet", "lot"})
"""Marks by which guests bet before any card is out: while one is asked for, bets are open."""

STOPPED: Final = frozenset({"NO_JOURNAL", "OBSERVE"})
"""Modes of a daemon that deals nothing now."""

LIMITS: Final = ("table", "banker", "player", "tie", "banker_pair", "player_pair", "differential")
"""The limits of `[limits]` that a screen has words for."""

TERMS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "blackjack": (("min", "max"),),
    "niuniu": (("base", ""),),
    "zhajinhua": (("ante", ""), ("top", "")),
    "erbagang": (("base", ""),),
}
"""Game -> its limits in its own settings: a lowest and a highest amount, or one amount."""

SIDES: Final = {"P": "player", "B": "banker"}

PLAYER_DRAWS_TO: Final = 5
"""Points of the player's two cards up to which a third one is his."""

HISTORY: Final = 10
"""Results beside the last one."""


class Hand(NamedTuple):
    """A hand: whose, its cards (None: face down), what they count or are, and how it ended.

    name: `player`, `banker`, or a seat as messages name it. kind, outcome: ids of words (guest_words.py).
    """

    name: str
    cards: tuple[str | None, ...]
    points: str = ""
    kind: str = ""
    outcome: str = ""


class Result(NamedTuple):
    """A round that is over. outcome: the id of a word, "void" for one that counts for nothing. seat: who won a pot."""

    round: int
    outcome: str
    seat: str = ""
    hands: tuple[Hand, ...] = ()
    natural: bool = False
    pot: str = ""


class Limit(NamedTuple):
    """A limit by its word: from `low` to `high`, or `low` alone."""

    name: str
    low: str
    high: str


class View(NamedTuple):
    """All that a guest screen shows of a table.

    waits: nobody plays, or nobody knows: the screen says "please wait". game: "" for one that has no screen.
    round: the present or coming one, None between shoes. cards: hands of the present round, as far as they are shown.
    seats: who is in. result: of the last round that is over. results: of those before it, the newest first.
    """

    waits: bool = True
    game: str = ""
    round: int | None = None
    bets: Literal["open", "closed"] = "closed"
    limits: tuple[Limit, ...] = ()
    roads: Roads | None = None
    cards: tuple[Hand, ...] = ()
    pot: str = ""
    stake: str = ""
    seats: tuple[str, ...] = ()
    result: Result | None = None
    results: tuple[Result, ...] = ()


WAITING: Final = View()


def view(kept: Kept, cards: Cards = "closed", *, silent: bool = False) -> View:
    """What guests see. silent: nothing was heard of the table for so long that nobody knows how it is."""
    table = kept.table
    if table is None or table.game not in GAMES or table.game not in WORDS["en"]:
        return WAITING
    over = tuple(_over(kept, table))
    last = over[:1] if over and _is_last(over[0], table) else ()
    is_over = any((each.shoe, each.round) == (table.shoe, table.round) for each in over)
    shown = View(
        waits=silent or _waits(kept),
        game=table.game,
        round=table.round if _is_due(table) else None,
        limits=tuple(_limits(table)),
        roads=_roads(kept, table),
        result=result(last[0]) if last else None,
        results=tuple([result(each) for each in over[len(last) :][:HISTORY]]),
    )
    if shown.waits:
        return shown
    is_open = _takes_bets(table)
    shown = shown._replace(bets="open" if is_open else "closed")
    if is_open or is_over or table.phase not in IN_PLAY:
        return shown
    if table.game == "zhajinhua":
        shown = shown._replace(pot=amount(table.shows.pot), stake=amount(table.shows.stake), seats=_seats(table))
    return shown._replace(cards=tuple(_hands(table))) if cards == "live" else shown


def result(told: read.Round) -> Result:
    """How a round ended."""
    if told.status == "voided" or told.game not in _RESULTS:
        return Result(told.round, "void" if told.status == "voided" else "")
    return _RESULTS[told.game](told)


def seat(slot: str) -> tuple[int, int] | None:
    """A seat, or a hand of it, as numbers to sort by, the dealer first; None for what is none."""
    found = SEAT.fullmatch(slot)
    return (int(found[1] or 0), int(found[2] or 0)) if found else None


def amount(text: str) -> str:
    """An amount as it is written, "" for any other text."""
    return text if _AMOUNT.fullmatch(text) else ""


def _waits(kept: Kept) -> bool:
    """Whether the table does not play: it is gone, blocked, or writes nothing down."""
    if kept.status is None or kept.status.state != "online" or kept.status.mode in STOPPED:
        return True
    return kept.alarm is None or any(each.blocks for each in kept.alarm.open)


def _is_due(table: Table) -> bool:
    """Whether a round is under way or about to come; where a pack is one round, the next one always is."""
    return table.phase not in BETWEEN or GAMES[table.game].one_round_packs


def _takes_bets(table: Table) -> bool:
    """Whether bets are open.

    Where no order closes them (`betting = "ignored"`), the first card of the round does. Bids for a bank, and bets
    against it, are laid before a card is out. The order that closes them may open the next pack too.
    """
    orders = table.settings.betting == "required"
    if table.phase == "betting":
        return True
    if table.phase in BETWEEN and GAMES[table.game].one_round_packs and not table.act:
        return orders and not table.settings.confirm_shuffle
    if any(BIDS & words.keys() for words in table.act.values()):
        return table.game != "zhajinhua" and not table.slots
    return table.phase == "ready" and not orders


def _over(kept: Kept, table: Table) -> Iterator[Round]:
    """The rounds that are over, the newest first: of this shoe, and where a pack is one round of those before it."""
    spans = GAMES[table.game].one_round_packs
    for each in reversed(kept.rounds):
        is_here = (each.shoe, each.journal) == (table.shoe, table.journal) or (spans and each.shoe < table.shoe)
        if is_here and each.game == table.game:
            yield each


def _is_last(told: Round, table: Table) -> bool:
    """Whether no round can have ended between this one and the present one: none was missed."""
    if told.shoe == table.shoe:
        return told.round >= table.round - 1
    return told.shoe == table.shoe - 1 and table.round == 1


def _roads(kept: Kept, table: Table) -> Roads | None:
    """The roads of the present shoe."""
    roads = kept.roads
    is_here = roads is not None and (roads.shoe, roads.journal) == (table.shoe, table.journal)
    return roads if is_here and any(topic.name == "roads" for topic in GAMES[table.game].topics) else None


def _limits(table: Table) -> Iterator[Limit]:
    for name in LIMITS:
        limit = table.limits.get(name)
        parts = limit if isinstance(limit, dict) else {"high": "" if limit is None else limit}
        low, high = (amount(str(parts.get(part, ""))) for part in ("low", "high"))
        if low or high:
            yield Limit(name, low, high)
    for low_key, high_key in TERMS.get(table.game, ()):
        low, high = (amount(getattr(table.settings.terms, key)) if key else "" for key in (low_key, high_key))
        if low or high:
            yield Limit("bet" if high_key else low_key, low, high)


def _hands(table: Table) -> Iterator[Hand]:
    """The hands of the running round; a card that lies face down is None."""
    if table.game == "baccarat":
        yield from _sides(table.slots)
        return
    seated = [(place, slot, cards) for slot, cards in table.hands.items() if (place := seat(slot))]
    for _, slot, cards in sorted(seated, key=lambda each: each[0]):
        yield Hand(slot, tuple([_face(card) for card in cards]))


def _sides(slots: tuple[Slot, ...]) -> Iterator[Hand]:
    """Both sides' cards; of the reserves those that are named: they are played, R1 by the player where he draws."""
    at = {each.slot: each.card for each in slots}
    first = [card.points for slot in ("P1", "P2") if (card := at.get(slot))]
    draws = len(first) == 2 and sum(first) % 10 <= PLAYER_DRAWS_TO
    thirds = {"player": at.get("R1"), "banker": at.get("R2")} if draws else {"banker": at.get("R1")}
    for letter, side in SIDES.items():
        lain = [at[slot] for slot in (f"{letter}1", f"{letter}2", f"{letter}3") if slot in at]
        lain += [card] if (card := thirds.get(side)) else []
        if lain:
            yield Hand(side, tuple([_face(card) for card in lain]))


def _seats(table: Table) -> tuple[str, ...]:
    """Who is in: when all cards are dealt every seat, from the first betting round on those that may still fold."""
    dealt = table.hands if table.act else {}
    still = [slot for slot, words in table.anytime.items() if "fold" in words] if table.shows.round else dealt
    return tuple(sorted(slot for slot in still if seat(slot)))


def _face(card: Card | None) -> str | None:
    return card.value if card else None


def _baccarat(told: read.Round) -> Result:
    hands = [
        Hand(side, _faces(hand.cards), "" if hand.total is None else str(hand.total))
        for side in ("player", "banker")
        if (hand := told.hands.get(side))
    ]
    outcome = f"wins.{told.outcome}" if told.outcome in ("player", "banker", "tie") else ""
    return Result(told.round, outcome, "", tuple(hands), told.natural)


def _blackjack(told: read.Round) -> Result:
    dealer = told.dealer
    hands = [] if dealer is None else [Hand("D", _faces(dealer.cards), str(dealer.total), _how_dealer(dealer))]
    for slot, hand in _by_seat(told.hands):
        points = "" if hand.total is None else str(hand.total)
        hands.append(Hand(slot, _faces(hand.cards), points, known("blackjack", hand.how), _ended(hand.outcome)))
    return Result(told.round, known("blackjack", told.outcome), "", tuple(hands))


def _how_dealer(dealer: read.Dealer) -> str:
    return known("blackjack", "blackjack" if dealer.blackjack else "bust" if dealer.bust else "")


def _grabbed(told: read.Round) -> Result:
    """Niu-niu and er ba gang: each hand against the bank's."""
    hands = []
    for slot, hand in _by_seat(told.hands):
        ended = "bank" if slot == told.banker else _ended(told.outcomes.get(slot, ""))
        points = hand.digit if hand.kind == "points" and DIGIT.fullmatch(hand.digit) else ""
        kind = "" if points else known(told.game, hand.kind)
        hands.append(Hand(slot, _faces(hand.cards), points, kind, ended))
    outcome = {"banker": "wins.bank", "players": "wins.players", "even": "wins.even"}.get(told.outcome, "")
    return Result(told.round, outcome, "", tuple(hands))


def _zhajinhua(told: read.Round) -> Result:
    """Only the hands that the house shows to guests are named."""
    hands = []
    for slot, hand in _by_seat(told.hands):
        is_shown = slot in told.shown
        cards = _faces(hand.cards) if is_shown else (None,) * HIDDEN
        ended = "win" if slot == told.winner else ""
        hands.append(Hand(slot, cards, "", known("zhajinhua", hand.kind) if is_shown else "", ended))
    winner = told.winner if seat(told.winner) else ""
    return Result(told.round, "wins.seat" if winner else "", winner, tuple(hands), pot=amount(told.pot))


def _by_seat(hands: Mapping[str, read.Hand]) -> Iterator[tuple[str, read.Hand]]:
    told = [(place, slot, hand) for slot, hand in hands.items() if (place := seat(slot))]
    for _, slot, hand in sorted(told, key=lambda each: each[0]):
        yield slot, hand


def _faces(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple([card.value for card in cards])


def _ended(word: str) -> str:
    return word if word in ("win", "lose", "push") else ""


_RESULTS: Final[Mapping[str, Callable[[read.Round], Result]]] = {
    "baccarat": _baccarat,
    "blackjack": _blackjack,
    "niuniu": _grabbed,
    "erbagang": _grabbed,
    "zhajinhua": _zhajinhua,
}
