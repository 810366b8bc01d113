"""What guests' screens show in every game: numbers of seats, splits, outcomes, moments; by name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from random import Random
from typing import Any, Final, get_args

import msgspec

from firmware_bridge.floor.page.guest.read import Roads
from firmware_bridge.floor.page.guest.view import Limit, View
from firmware_bridge.games.baccarat.roads import Bead, RoadSettings, board, roads_of
from firmware_bridge.games.erbagang.hands import Kind as ErBaGangKind
from firmware_bridge.games.guest import Hand, Result
from firmware_bridge.games.niuniu.hands import Kind as NiuNiuKind
from firmware_bridge.games.zhajinhua.hands import Kind as ZhaJinHuaKind
from tests.floor.test_page_record import NOTE

WIDEST: Final = "Th Td Qd Kc Ts Qh Td Jc Qs Kd Th Tc"
"""Faces with the widest letters."""

LOW: Final = "Ac 2d As 2h Ad 3s Ah 2c Ac 2s Ad As"
"""Faces of a long hand."""

BACCARAT_LIMITS: Final = (
    Limit("table", "100", "50000"),
    Limit("banker", "100", "50000"),
    Limit("player", "100", "50000"),
    Limit("tie", "", "5000"),
    Limit("banker_pair", "25", "2500"),
    Limit("player_pair", "25", "2500"),
    Limit("differential", "", "100000"),
)


RUNS: Final[dict[str, Any]] = {"runs": True} if "runs" in View._fields else {}
"""A round is being dealt, in a view that knows it."""


def made(kind: type[Any], **values: Any) -> Any:
    """A view or a result of these values, without those that it has no field for: so that an older one can be tried."""
    return kind(**{key: value for key, value in values.items() if key in kind._fields})


def shown(game: str, **values: Any) -> View:
    """A view of a table that plays round 1234 of shoe 567."""
    given = {"waits": False, "game": game, "shoe": 567, "round": 1234, "bets": "open", **values}
    view: View = made(View, **given)
    return view


def ended(outcome: str, hands: tuple[Hand, ...] = (), **values: Any) -> Result:
    """A round that is over."""
    result: Result = made(Result, **{"round": 1233, "outcome": outcome, "hands": hands, "shoe": 566, **values})
    return result


def moments(view: View, live: tuple[Hand, ...]) -> Iterator[tuple[str, View]]:
    """A table after a round, in the next one, with its cards live, waiting, and between two shoes."""
    running = view._replace(bets="closed", **RUNS)
    yield "over", view
    yield "next", running
    yield "live", running._replace(cards=live)
    yield "waits", view._replace(waits=True)
    yield "between", view._replace(round=None, bets="closed", note=NOTE)


# ---------------------------------------------------------------- baccarat


def shoe(rounds: int, *seed: object) -> Roads:
    """The roads of a shoe of so many rounds."""
    rng = Random(str(seed))
    letters: Any = rng.choices("BPT", (46, 45, 9), k=rounds)
    return of_beads([Bead(each, rng.random() < 0.08, rng.random() < 0.08, rng.random() < 0.3) for each in letters])


def of_beads(beads: list[Bead]) -> Roads:
    """The roads of these rounds, as a screen reads them."""
    head = {"table": "T07", "shoe": 567, "journal": "567-a", "boot": "b", "at": "", "as_of": 9}
    return msgspec.convert(head | msgspec.to_builtins(board(roads_of(tuple(beads), RoadSettings()))), Roads)


def sides(player: str, banker: str, points: tuple[str, str] = ("", "")) -> tuple[Hand, ...]:
    """The hands of both sides."""
    hands = (("player", player, points[0]), ("banker", banker, points[1]))
    return tuple(Hand(name, tuple(cards.split()), each) for name, cards, each in hands)


def baccarat() -> Iterator[tuple[str, View]]:
    """Outcomes, pairs, lengths of a shoe, limits, moments."""
    hands = sides("Th Qs Kd", "Tc Td 9s", ("0", "9"))
    rounds = {
        "banker": ended("wins.banker", hands, pairs=("banker",)),
        "natural": ended("wins.player", sides("Th 9s", "Kd Kc", ("9", "0")), natural=True, pairs=("banker",)),
        "tie": ended("wins.tie", hands, natural=True, pairs=("player", "banker")),
        "void": ended("void"),
    }
    for name, result in rounds.items():
        view = shown("baccarat", limits=BACCARAT_LIMITS, roads=shoe(68, name), result=result)
        for moment, each in moments(view, sides("Th Qs Kd", "Tc Td 9s")):
            yield f"baccarat, {name}, {moment}", each
    result = rounds["banker"]
    for length in (0, 1, 24, 99):
        view = shown("baccarat", limits=BACCARAT_LIMITS[:2], roads=shoe(length), result=result if length else None)
        yield f"baccarat, {length} rounds", view
    one = sides("Th", "")[:1]
    yield "baccarat, one card", shown("baccarat", bets="closed", roads=shoe(9), cards=one, runs=True)
    yield "baccarat, idle", shown("baccarat", round=None, bets="closed", limits=BACCARAT_LIMITS)
    yield "baccarat, a note alone", shown("baccarat", round=None, note=NOTE, limits=BACCARAT_LIMITS)
    yield "baccarat, streak", shown("baccarat", roads=streak(), result=result, limits=BACCARAT_LIMITS)


def streak() -> Roads:
    """The roads of a shoe in which the banker won 40 times in a row."""
    others = [Bead("P", True, True, True), Bead("T", True, True, True)] * 20
    return of_beads([Bead("B", False, False, False)] * 40 + others)


# ---------------------------------------------------------------- games with seats


def places(count: int) -> tuple[str, ...]:
    """The seats of a table."""
    return tuple(f"S{number}" for number in range(1, count + 1))


ENDS: Final = (
    ("win", "20", ""),
    ("lose", "17", ""),
    ("lose", "25", "is.blackjack.bust"),
    ("push", "20", ""),
    ("win", "21", "is.blackjack.blackjack"),
)
"""Outcome, points and kind of a hand of blackjack."""

DEALERS: Final = {
    "20": ("is.blackjack.dealer_20", Hand("D", ("Th", "Kd"), "20")),
    "bust": ("is.blackjack.dealer_bust", Hand("D", ("6h", "Td", "Kc"), "26", "is.blackjack.bust")),
    "blackjack": ("is.blackjack.dealer_blackjack", Hand("D", ("As", "Th"), "21", "is.blackjack.blackjack")),
    "no draw": ("is.blackjack.dealer_no_draw", Hand("D", ("Th",), "10")),
    "long": ("is.blackjack.dealer_20", Hand("D", tuple(LOW.split()[:10]), "17")),
}


def seated(seats: int, hands: int, cards: int, free: tuple[int, ...] = ()) -> tuple[Hand, ...]:
    """The hands of blackjack: of every third seat as many as given, of the others one."""
    ends, faces = cycle(ENDS), (LOW if cards > 5 else WIDEST).split()
    made = []
    for seat in range(1, seats + 1):
        for hand in range(1, (hands if seat % 3 == 1 else 1) + 1) if seat not in free else ():
            outcome, points, kind = next(ends)
            laid = faces[: cards if hand == 1 else 2]
            kind = "" if hands > 1 and "blackjack.blackjack" in kind else kind
            made.append(Hand(f"S{seat}.{hand}" if hands > 1 else f"S{seat}", tuple(laid), points, kind, outcome))
    return tuple(made)


def blackjack() -> Iterator[tuple[str, View]]:
    """One to seven seats, up to twelve hands of a seat, up to twelve cards of a hand, ends of the dealer."""
    limits, history = (Limit("bet", "10", "1000"),), (Result(1232, "is.blackjack.dealer_blackjack"),) * 10
    common: dict[str, Any] = {"limits": limits, "results": history}

    def one(seats: int, hands: int, cards: int, dealer: str = "20", free: tuple[int, ...] = ()) -> View:
        outcome, held = DEALERS[dealer]
        result = ended(outcome, (held, *seated(seats, hands, cards, free)))
        return shown("blackjack", places=places(seats), result=result, **common)

    for seats in range(1, 8):
        yield f"blackjack, {seats} seats", one(seats, 1, 3)
        yield f"blackjack, {seats} seats, split", one(seats, 2, 3, "bust")
    for dealer in DEALERS:
        yield f"blackjack, dealer {dealer}", one(7, 1, 2, dealer)
    for hands in (3, 4, 6, 9):
        yield f"blackjack, {hands} hands", one(7, hands, 4)
    for cards in (5, 7, 9, 12):
        yield f"blackjack, {cards} cards", one(7, 1, cards)
        yield f"blackjack, {cards} cards, split", one(7, 4, cards)
    yield "blackjack, free seats", one(7, 2, 2, "20", (2, 5))
    yield "blackjack, void", shown("blackjack", places=places(7), result=ended("void"), **common)
    yield "blackjack, first round", shown("blackjack", places=places(7), limits=limits)
    yield "blackjack, a note alone", shown("blackjack", round=None, note=NOTE, places=places(7), limits=limits)
    yield "blackjack, idle", shown("blackjack", round=None, bets="closed", places=places(7), limits=limits)
    live = tuple(Hand(each.name, each.cards) for each in seated(7, 2, 3))
    for hands in (1, 4):
        for moment, each in moments(one(7, hands, 3, "blackjack"), (Hand("D", ("Th", None)), *live)):
            yield f"blackjack, {hands} hands, {moment}", each


def banked(game: str, kinds: tuple[str, ...], cards: tuple[str, ...], wins: str, free: bool = False) -> Result:
    """A round against the bank, whose seat is 2."""
    outcomes = islice(cycle(("win", "bank", "lose", "push")), 4)
    hands = [
        Hand(f"S{seat}", cards, kind if kind.isdigit() else "", "" if kind.isdigit() else f"is.{game}.{kind}", outcome)
        for seat, (kind, outcome) in enumerate(zip(islice(cycle(kinds), 4), outcomes, strict=True), 1)
    ]
    return ended(wins, tuple(hands[:3] if free else hands), round=1)


def banks() -> Iterator[tuple[str, View]]:
    """Niu-niu and er ba gang: every kind of hand, who won, moments."""
    bulls, tiles = tuple(WIDEST.split()[:5]), ("8p", "wp")
    kinds: dict[str, tuple[str, ...]] = {"niuniu": get_args(NiuNiuKind), "erbagang": get_args(ErBaGangKind)}
    for game, cards in (("niuniu", bulls), ("erbagang", tiles)):
        limits = (Limit("base", "1.25", ""), Limit("table", "100", "50000"))
        known = tuple("9.5" if kind == "points" else kind for kind in kinds[game])
        known = tuple(each.replace(".5", "") for each in known)
        common: dict[str, Any] = {"places": places(4), "limits": limits, "results": (Result(1, "wins.players"),) * 10}
        for number, wins in enumerate(("wins.bank", "wins.players", "wins.even")):
            for first in range(0, len(known), 4):
                result = banked(game, known[first : first + 4], cards, wins, free=first == 4)
                yield f"{game}, {wins}, kinds {number}.{first}", shown(game, round=1, result=result, **common)
        result = banked(game, known[-4:], cards, "wins.bank")
        live = tuple(Hand(each.name, (*cards[:-1], None)) for each in result.hands)
        for moment, each in moments(shown(game, round=1, result=result, **common), live):
            if moment != "between":  # a pack lasts one round
                yield f"{game}, {moment}", each
        yield f"{game}, first", shown(game, round=1, places=places(4), limits=limits)


def pots() -> Iterator[tuple[str, View]]:
    """Zha jin hua: three to five of seven seats, hands shown or not, a pot that is played for."""
    limits = (Limit("ante", "1", ""), Limit("top", "10", ""))
    common: dict[str, Any] = {"round": 1, "places": places(7), "limits": limits}
    common |= {"results": (Result(1, "wins.seat", "S3"),) * 10}
    for number, kind in enumerate(get_args(ZhaJinHuaKind)):
        for count in (3, 4, 5):
            seats = [1, 3, 4, 6, 7][:count]
            hands = tuple(
                Hand(f"S{seat}", ("Td", "Qh", "Kc"), "", f"is.zhajinhua.{kind}", "win" if seat == 3 else "")
                if number % 2 or seat == 3
                else Hand(f"S{seat}", (None,) * 3)
                for seat in seats
            )
            result = ended("wins.seat", hands, seat="S3", pot="123456.75", round=1)
            view = shown("zhajinhua", result=result, **common)
            yield f"zhajinhua, {kind}, {count} seats", view
            running = view._replace(bets="closed", pot="98765.5", stake="1000", seats=("S1", "S4"))
            running = running._replace(**RUNS)
            if kind == "leopard":
                yield f"zhajinhua, {count} seats, pot", running
                live = tuple(Hand(each.name, each.cards) for each in hands)
                yield f"zhajinhua, {count} seats, live", running._replace(cards=live)
    yield "zhajinhua, waits", shown("zhajinhua", **common)._replace(waits=True)
    yield "zhajinhua, first", shown("zhajinhua", round=1, places=places(7), limits=limits)


def _all() -> Iterator[tuple[str, View]]:
    yield "no table", View()
    yield "closed", made(View, waits=False, is_shut=True, game="baccarat", limits=BACCARAT_LIMITS)
    yield from baccarat()
    yield from blackjack()
    yield from banks()
    yield from pots()


SCENES: Final[dict[str, View]] = dict(_all())
