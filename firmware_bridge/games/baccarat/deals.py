"""Counts ordered deals of what a shoe still holds: by finished hands, and by the first cards of both sides."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations_with_replacement, product
from math import perm
from typing import Final, NamedTuple

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat.bets import TigerPairTop
from firmware_bridge.games.baccarat.conditions import Hand, Hands, Two
from firmware_bridge.games.baccarat.rules import third_cards

ROUND = 6
"""A round may take so many cards; odds are counted over all ordered deals of six."""

DECKS = range(1, 13)
"""Packs that a shoe may hold (rule book section 1)."""

Piles = Mapping[Card, int]
"""Face -> cards of it; a face that is left out has none."""

_FACES = frozenset(FACES)

Tree = Hands | list["Tree"]
"""The finished hands, or what follows by the points (0..9) of the next card."""


class OddsError(BridgeError, ValueError):
    """Cards that a shoe cannot hold, or too few for a round."""


def full(decks: int) -> dict[Card, int]:
    """Return a full shoe of `decks` packs. Raises OddsError for a number outside DECKS."""
    if decks not in DECKS:
        raise OddsError(f"a shoe cannot hold {decks} decks", f"give {DECKS[0]} to {DECKS[-1]}")
    return dict.fromkeys(FACES, decks)


def remaining(decks: int, seen: Iterable[Card]) -> dict[Card, int]:
    """Return a shoe of `decks` packs without the cards `seen`. Raises OddsError naming those not in the packs."""
    piles, gone = full(decks), Counter(seen)
    wrong = [f"{card.value} {times} times" for card, times in gone.items() if times > piles.get(card, 0)]
    if wrong:
        raise OddsError(
            f"{decks} x 52 cards do not hold {', '.join(wrong)}", "check the cards seen, or give more decks"
        )
    return {card: held - gone[card] for card, held in piles.items()}


def checked(piles: Piles) -> int:
    """Return the number of cards. Raises OddsError if they are too few or no cards of a shoe."""
    wrong = [card.value for card, held in piles.items() if card not in _FACES or held < 0]
    if wrong:
        raise OddsError(f"a shoe cannot hold these: {', '.join(wrong)}", "count 0 or more of each of the 52 faces")
    size = sum(piles.values())
    if size < ROUND:
        raise OddsError(f"{size} cards are left, a round may take {ROUND}", f"odds need {ROUND} cards or more")
    return size


def deals_by_two(piles: Piles) -> Counter[Two]:
    """Return the first two cards of a side, whichever -> ordered deals of two."""
    deals = Counter[Two]()
    for first, second in product(FACES, FACES):
        deals[first, second] = piles.get(first, 0) * (piles.get(second, 0) - (first is second))
    return deals


def deals_by_tier(piles: Piles, tiger_pair_top: TigerPairTop) -> dict[str, tuple[int, ...]]:
    """Return the ordered deals of four that win each tier, in the row's order, of the bets on both sides' first two
    cards.

    These depend on pairs alone, counted by inclusion and exclusion.
    """
    pair = _alike(_heaps(piles, lambda card: card.rank))
    perfect = _alike(_heaps(piles, lambda card: card.value))
    top = (perfect if tiger_pair_top == "identical" else pair).four
    return {
        "either_pair": (2 * pair.one - pair.both,),
        "perfect_pair": (2 * perfect.one - perfect.both,),
        "tiger_pair": (top, pair.both - top, 2 * (pair.one - pair.both)),
    }


class _Alike(NamedTuple):
    """Ordered deals of four: a given side's two alike; both sides' (each in its way); all four alike."""

    one: int
    both: int
    four: int


def _alike(heaps: list[int]) -> _Alike:
    """Return the heaps: how many cards of each kind, cards of one kind being alike."""
    twos, four = [perm(held, 2) for held in heaps], sum(perm(held, 4) for held in heaps)
    differently = sum(twos) ** 2 - sum(ways * ways for ways in twos)
    return _Alike(sum(twos) * perm(sum(heaps) - 2, 2), differently + four, four)


def _heaps(piles: Piles, kind: Callable[[Card], str]) -> list[int]:
    heaps = Counter[str]()
    for card, held in piles.items():
        heaps[kind(card)] += held
    return list(heaps.values())


def _draws(player: int, banker: int) -> Tree:
    """Return the deals that follow two cards each with these totals."""
    draws = [third_cards(player, banker, 0, 0, fifth) for fifth in range(10)]
    if not any(draws[0]):
        return Hand(player, 2), Hand(banker, 2)
    if not draws[0][0]:
        return [(Hand(player, 2), Hand((banker + third) % 10, 3)) for third in range(10)]
    return [_after_player(Hand((player + third) % 10, 3), banker, draws[third][1]) for third in range(10)]


def _after_player(player: Hand, banker: int, draws: bool) -> Tree:
    """Return the deals that follow the player's third card."""
    return [(player, Hand((banker + third) % 10, 3)) for third in range(10)] if draws else (player, Hand(banker, 2))


_TOTALS: Final = [[_draws(player, banker) for banker in range(10)] for player in range(10)]

FOURS: Final[list[list[Tree]]] = [[_TOTALS[player % 10][banker % 10] for banker in range(19)] for player in range(19)]
"""The deals that follow the first four cards: `FOURS[points of P1 + P2][points of B1 + B2]`.

Used to count odds over all deals; a shoe's round is played by `games.baccarat.script`.
"""

_PAIRS: Final = tuple((a, b, 1 if a == b else 2) for a, b in combinations_with_replacement(range(10), 2))
"""Two cards by their points, with the orders they can come in."""


def deals_by_hands(points: list[int]) -> Counter[Hands]:
    """Return finished hands -> ordered deals of six cards; the cards a round leaves count in every order they can lie
    in.

    points: how many cards are worth 0, 1 .. 9.
    """
    size, deals = sum(points), Counter[Hands]()
    for banker, player, ways, left in _fours(points):
        branch = FOURS[player][banker]
        if isinstance(branch, tuple):
            deals[branch] += ways * (size - 4) * (size - 5)
            continue
        for fifth, held in enumerate(left):
            after = branch[fifth]
            if isinstance(after, tuple):
                deals[after] += ways * held * (size - 5)
                continue
            for sixth, others in enumerate(left):
                deals[after[sixth]] += ways * held * (others - (fifth == sixth))  # type: ignore[index]  # a leaf
    return deals


def _fours(points: list[int]) -> Iterator[tuple[int, int, int, list[int]]]:
    """Yield the points of the banker's two and of the player's two, their ordered deals, and what is left."""
    for p1, p2, player_orders in _PAIRS:
        left = points.copy()
        player_ways = player_orders * _remove(left, p1) * _remove(left, p2)
        if not player_ways:
            continue
        for b1, b2, banker_orders in _PAIRS:
            rest = left.copy()
            ways = player_ways * banker_orders * _remove(rest, b1) * _remove(rest, b2)
            if ways:
                yield b1 + b2, p1 + p2, ways, rest


def _remove(points: list[int], worth: int) -> int:
    """Remove a card of these points; return the number there was before."""
    points[worth] -= 1
    return points[worth] + 1
