"""The shoes of the benchmark: shuffled decks, as far as they are dealt, and what becomes of each card."""

from functools import cache
from random import Random

from msgspec import Struct

from firmware_bridge.daemon.devices.code_books import FACE_BITS, NATIVE_CUT_CARD, native_code
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Cut, Drawn, NewShoe
from firmware_bridge.facts import events
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES

DECKS = 8
LOT = 5  # no byte of a code is 00 or 0A
CUT_FROM_END = 14
VARIETY = 8
"""Different shoes; they come again in the same order."""


class Shoe(Struct, frozen=True):
    """The codes of a shoe in the order drawn, the cut card among them, up to the last card of its last round.

    places: (round, slot) -> index of the code, slots: index -> slot. closing: indices of cards that close a round.
    """

    codes: tuple[int, ...]
    cut_at: int
    places: dict[tuple[int, str], int]
    slots: dict[int, str]
    closing: frozenset[int]


@cache
def shoe(number: int) -> Shoe:
    """Return shoe `number` (from 0), dealt by the rules of the game itself."""
    cards = list(GAMES["baccarat"].pack) * DECKS
    Random(number).shuffle(cards)
    cut_at = len(cards) - CUT_FROM_END
    steps: list[Drawn | Cut] = [*map(Drawn, cards[:cut_at]), Cut(), *map(Drawn, cards[cut_at:])]
    replay = Replay(House(), "bench", _fail, burn=False)
    places, closing = {}, set()
    list(replay.play([NewShoe()]))
    for index, step in enumerate(steps):
        for event in (event for line in replay.play([step]) if line.entry for event in line.entry.events):
            match event:
                case events.CardDealt(round=round, slot=slot):
                    places[round, slot] = index
                case events.RoundClosed(last=last):
                    closing.add(index)
                    if last:
                        codes = [_code(each) for each in steps[: index + 1]]
                        slots = {at: slot for (_, slot), at in places.items()}
                        return Shoe(tuple(codes), cut_at, places, slots, frozenset(closing))
    raise AssertionError("the shoe was dealt to its end and no round was the last")


def _code(step: Drawn | Cut) -> int:
    if isinstance(step, Drawn):
        assert step.card
        return native_code(step.card, LOT)
    return NATIVE_CUT_CARD | LOT << FACE_BITS


def _fail(words: str) -> None:
    raise AssertionError(words)
