"""What guests may see of a table, made of what is kept of its messages (fold.py); nothing else reaches a screen.

Every text in it is one of the words below, a seat, a face or an amount: what a message says in other words is left out.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.page.guest.fold import Kept
from firmware_bridge.floor.page.guest.read import Roads, Round, Table
from firmware_bridge.floor.page.guest.words import WORDS
from firmware_bridge.games import GAMES
from firmware_bridge.games.guest import Hand, Result, faces, seat

Cards = Literal["closed", "live"]
"""When guests see the cards of a round: once it is over, or as they lie open on the table after bets are closed."""

IN_PLAY: Final = ("dealing", "complete")
"""Phases in which cards of the present round may be shown."""

BETWEEN: Final = ("empty", "ended")
"""Phases in which no round is due."""

STOPPED: Final = frozenset({"NO_JOURNAL", "OBSERVE"})
"""Modes of a daemon that deals nothing now."""

LIMITS: Final = ("table", "banker", "player", "tie", "banker_pair", "player_pair", "differential")
"""The limits of `[limits]` that a screen has words for."""

HISTORY: Final = 10
"""Results beside the last one."""

POINTS: Final = re.compile(r"[0-9]+(\.5)?")

_AMOUNT: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,8})?")


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
    is_open = _accepts_bets(table)
    shown = shown._replace(bets="open" if is_open else "closed")
    if is_open or is_over or table.phase not in IN_PLAY:
        return shown
    if GAMES[table.game].guest.has_pot:
        shown = shown._replace(pot=amount(table.shows.pot), stake=amount(table.shows.stake), seats=_seats(table))
    return shown._replace(cards=tuple(_hands(table))) if cards == "live" else shown


def _waits(kept: Kept) -> bool:
    """Whether the table does not play: it is gone, blocked, or writes nothing down."""
    if kept.status is None or kept.status.state != "online" or kept.status.mode in STOPPED:
        return True
    return kept.alarm is None or any(each.blocks for each in kept.alarm.open)


def _is_due(table: Table) -> bool:
    """Whether a round is under way or about to come; where a pack is one round, the next one always is."""
    return table.phase not in BETWEEN or GAMES[table.game].play.one_round_packs


def _accepts_bets(table: Table) -> bool:
    """Whether bets are open.

    Where no order closes them (`betting = "ignored"`), the first card of the round does. Bids for a bank, and bets
    against it, are laid before a card is out. The order that closes them may open the next pack too.
    """
    orders = table.settings.betting == "required"
    if table.phase == "betting":
        return True
    if table.phase in BETWEEN and GAMES[table.game].play.one_round_packs and not table.act:
        return orders and not table.settings.confirm_shuffle
    bids = GAMES[table.game].guest.bids
    if any(bid in words for words in table.act.values() for bid in bids):
        return not table.slots
    return table.phase == "ready" and not orders


def _over(kept: Kept, table: Table) -> Iterator[Round]:
    """The rounds that are over, the newest first: of this shoe, and where a pack is one round of those before it."""
    spans = GAMES[table.game].play.one_round_packs
    for each in reversed(kept.rounds):
        is_here = (each.shoe, each.journal) == (table.shoe, table.journal) or (spans and each.shoe < table.shoe)
        if is_here and each.game == table.game:
            yield each


def _is_last(ended: Round, table: Table) -> bool:
    """Whether no round can have ended between this one and the present one: none was missed."""
    if ended.shoe == table.shoe:
        return ended.round >= table.round - 1
    return ended.shoe == table.shoe - 1 and table.round == 1


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
    for low_key, high_key in GAMES[table.game].guest.limits:
        low, high = (amount(getattr(table.settings.terms, key)) if key else "" for key in (low_key, high_key))
        if low or high:
            yield Limit("bet" if high_key else low_key, low, high)


def _hands(table: Table) -> Iterator[Hand]:
    """The hands of the running round; a card that lies face down is None."""
    hands = GAMES[table.game].guest.hands
    if hands:
        for name, cards in hands({each.slot: each.card for each in table.slots}).items():
            yield Hand(name, faces(cards))
        return
    seated = [(place, slot, cards) for slot, cards in table.hands.items() if (place := seat(slot))]
    for _, slot, cards in sorted(seated, key=lambda each: each[0]):
        yield Hand(slot, faces(cards))


def _seats(table: Table) -> tuple[str, ...]:
    """Who is in: when all cards are dealt every seat, from the first betting round on those that may still fold."""
    dealt = table.hands if table.act else {}
    still = [slot for slot, words in table.anytime.items() if "fold" in words] if table.shows.round else dealt
    return tuple(sorted(slot for slot in still if seat(slot)))


def result(ended: Round) -> Result:
    """How a round ended."""
    if ended.status == "voided" or ended.game not in GAMES:
        return Result(ended.round, "void" if ended.status == "voided" else "")
    guest = GAMES[ended.game].guest
    shown = guest.result(ended)
    named = [hand for hand in shown.hands if hand.name in guest.sides or seat(hand.name)]
    hands = [
        _known(hand) if not guest.hidden or hand.name in ended.shown else _hidden(hand, guest.hidden)
        for hand in sorted(named, key=lambda each: seat(each.name) or (0, 0))
    ]
    winner = shown.seat if seat(shown.seat) else ""
    outcome = "" if shown.seat and not winner else _word(shown.outcome)
    return Result(ended.round, outcome, winner, tuple(hands), shown.natural, amount(shown.pot))


def amount(text: str) -> str:
    """An amount as it is written, "" for any other text."""
    return text if _AMOUNT.fullmatch(text) else ""


def _known(hand: Hand) -> Hand:
    """A hand without the texts that are no words of the screen."""
    points = hand.points if POINTS.fullmatch(hand.points) else ""
    return Hand(hand.name, hand.cards, points, _word(hand.kind), _word(hand.outcome))


def _hidden(hand: Hand, cards: int) -> Hand:
    return Hand(hand.name, (None,) * cards, outcome=_word(hand.outcome))


def _word(id: str) -> str:
    return id if id in WORDS["en"] else ""
