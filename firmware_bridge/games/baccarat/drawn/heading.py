"""What stands above the roads: whose they are, the last round, and how often everything came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.flow import Draw, Item, flow
from firmware_bridge.games.baccarat.drawn.lettering import fitted, wide
from firmware_bridge.games.baccarat.drawn.marks import FILLS, LETTERS, bead, dot
from firmware_bridge.games.baccarat.drawn.places import MARGIN, Places
from firmware_bridge.games.baccarat.drawn.shapes import Box, Ink, Label, Shape
from firmware_bridge.games.baccarat.drawn.words import Words
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.baccarat.roads.columns import BEAD_COLOURS


class Heading(NamedTuple):
    """What a board says besides its roads; all of it may be missing.

    title: in place of table and shoe. limits: bet -> its limits in words. points: side -> its points in
    the last round, as the game words them ("natural 9", "4").
    """

    table: str = ""
    shoe: int = 0
    title: str = ""
    limits: Mapping[str, str] = {}
    points: Mapping[str, str] = {}


NOTHING: Final = Heading()
"""What is said of a shoe that belongs to no table."""


def title(heading: Heading, words: Words, between: str = " · ") -> str:
    """The title of a board: the house's own, or table and shoe with `between` them, or what it is."""
    shoe = [words.shoe.format(heading.shoe)] if heading.shoe else []
    named = [words.table.format(heading.table)] if heading.table else []
    return heading.title or between.join(named + shoe) or words.title


def above(board: Board, heading: Heading, words: Words, place: Places) -> Iterator[Shape]:
    """Title and limits, the last round, the number of rounds; below them the counts."""
    text, told = title(heading, words), _limits(heading, words)
    size = fitted(text, 30 if told else 36, place.title.width, bold=True)
    line = place.title.y + place.title.height - (28 if told else 16)
    yield Label(place.title.x, line, text, size, "text", bold=True)
    if told:
        small = fitted(told, 18, place.title.width)
        yield Label(place.title.x, line + 23, told, small, "text")
    rounds = f"{words.rounds} {len(board.bead)}"
    yield Label(place.width - MARGIN, place.title.y + place.title.height - 18, rounds, 30, "text", "end", bold=True)
    if board.bead:
        yield from _last(board, heading, words, place.last)
    yield from flow(list(counts(board, words)), place.counts, 22)


def counts(board: Board, words: Words) -> Iterator[Item]:
    """How often each outcome, each pair and a natural came, with its sign: the first half of the legend."""
    for letter, colour in BEAD_COLOURS.items():
        count = str(board.outcomes.count(letter))
        yield Item(_bead_of(words, colour), 1, words.sides[letter], count)
    pairs = {"B": sum(cell[3] for cell in board.bead), "P": sum(cell[4] for cell in board.bead)}
    for letter, number in pairs.items():
        yield Item(_dot_of(FILLS[BEAD_COLOURS[letter]], "white"), 1, words.pairs[letter], str(number))
    yield Item(_dot_of("gold", "on_gold"), 1, words.naturals, str(board.naturals.count("1")))


def _last(board: Board, heading: Heading, words: Words, place: Box) -> Iterator[Shape]:
    """The last round's bead, who won, and with how many points."""
    *_, colour, banker_pair, player_pair = board.bead[-1]
    letter, natural = LETTERS[colour], board.naturals[-1] == "1"
    y, x = place.y + place.height / 2 + 4, place.x
    yield Label(x, y + 7, words.last, 20, "muted")
    x += wide(words.last, 20) + 40
    yield from bead(x, y, 58, words, colour, banker_pair, player_pair, natural)
    parts: list[tuple[str, float, Ink]] = [(words.sides[letter], 30, "text")]
    points = {side: told.split()[-1] for side, told in heading.points.items() if told}
    if len(points) == 2:
        told = f"{words.letters['P']} {points['player']} : {points['banker']} {words.letters['B']}"
        parts.append((told, 28, "text"))
    if natural:
        parts.append((words.natural, 24, "text"))
    x += 40
    room = place.x + place.width - x
    whole = sum(wide(text, size, bold=True) + 24 for text, size, _ in parts)
    shrunk = min(1, room / whole)
    for text, size, ink in parts:
        yield Label(x, y + 10, text, size * shrunk, ink, bold=True)
        x += (wide(text, size, bold=True) + 24) * shrunk


def _bead_of(words: Words, colour: str) -> Draw:
    return lambda _, x, y, size: bead(x, y, size, words, colour)


def _dot_of(ink: Ink, around: Ink) -> Draw:
    return lambda _, x, y, size: dot(x, y, size * 1.6, ink, around)


def _limits(heading: Heading, words: Words) -> str:
    """The limits of the bets that boards show; bets of equal limits in one."""
    names = {"banker": words.sides["B"], "player": words.sides["P"], "tie": words.sides["T"]}
    names |= {"banker_pair": words.pairs["B"], "player_pair": words.pairs["P"]}
    told: dict[str, list[str]] = {}
    for bet, name in names.items():
        if bet in heading.limits:
            told.setdefault(heading.limits[bet], []).append(name)
    parts = [f"{', '.join(named)} {limit}" for limit, named in told.items()]
    return f"{words.limits}: {' · '.join(parts)}" if parts else ""
