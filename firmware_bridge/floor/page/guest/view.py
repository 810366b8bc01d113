"""Makes what guests may see of a table from its state (fold.py); nothing else reaches a screen.

Every text in it is a word of the screen, a seat, a face or an amount; any other text of a message is left out.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.page.guest.fold import Kept
from firmware_bridge.floor.page.guest.read import Roads, Round, Table
from firmware_bridge.games import GAMES
from firmware_bridge.games.guest import Hand, Result, faces, seat
from firmware_bridge.topics.texts import known

Cards = Literal["closed", "live"]
"""When guests see the cards of a round: once it is over, or face up on the table after bets are closed."""

IN_PLAY: Final = ("dealing", "complete")
"""Phases with cards of the present round to show."""

BETWEEN: Final = ("empty", "ended")
"""Phases without a round."""

STOPPED: Final = frozenset({"NO_JOURNAL", "OBSERVE"})
"""Modes in which the daemon does not deal."""

LIMITS: Final = ("table", "banker", "player", "tie", "banker_pair", "player_pair", "differential")
"""The limits of `[limits]` that a screen shows."""

HISTORY: Final = 10
"""Most results before the last one."""

POINTS: Final = re.compile(r"[0-9]+(\.5)?")

_AMOUNT: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,8})?")


class Limit(NamedTuple):
    """A limit: `low` to `high`, or one of them alone, the other ""."""

    name: str
    low: str
    high: str


class View(NamedTuple):
    """All that a guest screen shows of a table.

    waits: the table does not play, or its state is unknown: the screen shows "please wait". is_shut: it is closed, and
    plays again with its next shoe. game: "" without a screen.
    shoe: the present or last one. round: the present or next one, None between shoes. runs: whether it is being dealt.
    places: the seats of the table, in its order. cards: hands of the present round, as far as they are shown.
    seats: still in the round. result: of the last finished round. results: of those before it, the newest first.
    note: the newest note of the signed record, between shoes alone; "" for none.
    """

    waits: bool = True
    is_shut: bool = False
    game: str = ""
    shoe: int = 0
    round: int | None = None
    runs: bool = False
    places: tuple[str, ...] = ()
    bets: Literal["open", "closed"] = "closed"
    limits: tuple[Limit, ...] = ()
    roads: Roads | None = None
    cards: tuple[Hand, ...] = ()
    pot: str = ""
    stake: str = ""
    seats: tuple[str, ...] = ()
    result: Result | None = None
    results: tuple[Result, ...] = ()
    note: str = ""


WAITING: Final = View()


def view(kept: Kept, cards: Cards = "closed", *, silent: bool = False, note: str = "") -> View:
    """Return what guests see. silent: the table sent nothing for so long that its state is unknown.

    note: the newest note of its record, for the house's camera.
    """
    table = kept.table
    if table is None or table.game not in GAMES or known("en", f"game.{table.game}") is None:
        return WAITING
    if table.closed:
        return View(waits=False, is_shut=True, game=table.game, limits=tuple(_limits(table)))
    over = tuple(_over(kept, table))
    last = over[:1] if over and _is_last(over[0], table) else ()
    is_over = any((each.shoe, each.round) == (table.shoe, table.round) for each in over)
    shown = View(
        waits=silent or _waits(kept),
        game=table.game,
        shoe=table.shoe,
        places=tuple([f"S{number + 1}" for number in range(GAMES[table.game].guest.seats(table.settings.terms.seats))]),
        round=table.round if _is_due(table) else None,
        limits=tuple(_limits(table)),
        roads=_roads(kept, table),
        result=result(last[0]) if last else None,
        results=tuple([result(each) for each in over[len(last) :][:HISTORY]]),
    )
    if shown.waits:
        return shown
    is_open = _accepts_bets(table)
    shown = shown._replace(bets="open" if is_open else "closed", note="" if _is_due(table) else note)
    if is_open or is_over or table.phase not in IN_PLAY:
        return shown
    shown = shown._replace(runs=True)
    if GAMES[table.game].guest.has_pot:
        shown = shown._replace(pot=amount(table.shows.pot), stake=amount(table.shows.stake), seats=_seats(table))
    return shown._replace(cards=tuple(_hands(table))) if cards == "live" else shown


def _waits(kept: Kept) -> bool:
    """Return whether the table does not play: offline, blocked, or without a journal."""
    if kept.status is None or kept.status.state != "online" or kept.status.mode in STOPPED:
        return True
    return kept.alarm is None or any(each.blocks for each in kept.alarm.open)


def _is_due(table: Table) -> bool:
    """Return whether a round is running or next; with packs of one round, always."""
    return table.phase not in BETWEEN or GAMES[table.game].play.one_round_packs


def _accepts_bets(table: Table) -> bool:
    """Return whether bets are open.

    Without an order to close them (`betting = "ignored"`), the first card of the round closes them. Bids for a bank,
    and bets against it, end with the first card. The order that closes bets may open the next pack too.
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
    """Yield the finished rounds, the newest first: of this shoe, and with packs of one round of earlier ones too."""
    spans = GAMES[table.game].play.one_round_packs
    for each in reversed(kept.rounds):
        is_here = (each.shoe, each.journal) == (table.shoe, table.journal) or (spans and each.shoe < table.shoe)
        if is_here and each.game == table.game:
            yield each


def _is_last(ended: Round, table: Table) -> bool:
    """Return whether no round was missed between this one and the present one."""
    if ended.shoe == table.shoe:
        return ended.round >= table.round - 1
    return ended.shoe == table.shoe - 1 and table.round == 1


def _roads(kept: Kept, table: Table) -> Roads | None:
    """Return the roads of the present shoe."""
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
    """Yield the hands of the running round; a card face down is None."""
    hands = GAMES[table.game].guest.hands
    if hands:
        for name, cards in hands({each.slot: each.card for each in table.slots}).items():
            yield Hand(name, faces(cards))
        return
    seated = [(place, slot, cards) for slot, cards in table.hands.items() if (place := seat(slot))]
    for _, slot, cards in sorted(seated, key=lambda each: each[0]):
        yield Hand(slot, faces(cards))


def _seats(table: Table) -> tuple[str, ...]:
    """Return the seats still in: all once the cards are dealt, from the first betting round those that may fold."""
    dealt = table.hands if table.act else {}
    still = [slot for slot, words in table.anytime.items() if "fold" in words] if table.shows.round else dealt
    return tuple(sorted(slot for slot in still if seat(slot)))


def result(ended: Round) -> Result:
    """Return the result of a finished round."""
    if ended.status == "voided" or ended.game not in GAMES:
        return Result(ended.round, "void" if ended.status == "voided" else "", shoe=ended.shoe)
    guest = GAMES[ended.game].guest
    shown = guest.result(ended)
    named = [hand for hand in shown.hands if hand.name in guest.sides or seat(hand.name)]
    hands = [
        _known(hand) if not guest.hidden or hand.name in ended.shown else _hidden(hand, guest.hidden)
        for hand in sorted(named, key=lambda each: seat(each.name) or (0, 0))
    ]
    winner = shown.seat if seat(shown.seat) else ""
    outcome = "" if shown.seat and not winner else _word(shown.outcome)
    pairs = tuple([side for side in shown.pairs if side in guest.sides])
    return Result(ended.round, outcome, winner, tuple(hands), shown.natural, amount(shown.pot), pairs, ended.shoe)


def amount(text: str) -> str:
    """Return the text if it is an amount, else ""."""
    return text if _AMOUNT.fullmatch(text) else ""


def _known(hand: Hand) -> Hand:
    """Return a hand, without texts that are no words of the screen."""
    points = hand.points if POINTS.fullmatch(hand.points) else ""
    return Hand(hand.name, hand.cards, points, _word(hand.kind), _word(hand.outcome))


def _hidden(hand: Hand, cards: int) -> Hand:
    return Hand(hand.name, (None,) * cards, outcome=_word(hand.outcome))


def _word(id: str) -> str:
    """Return the id if guests' screens have a text for it, else ""."""
    return id if known("en", f"guest.{id}") is not None else ""
