"""The picture of a whole board with its heading for a screen, or of one road alone."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.drawn.grid import FILLS, LETTERS, TITLE, Grid, bead, dot, road, used
from firmware_bridge.games.baccarat.drawn.panels import Draw, Item, asked, flow, good_roads, legend
from firmware_bridge.games.baccarat.drawn.places import MARGIN, Places, places
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Box, Ink, Label, Shape, Sheet, fitted, wide
from firmware_bridge.games.baccarat.drawn.words import Kind, Words, words_in
from firmware_bridge.games.baccarat.roads import ALL_GOOD, ROWS, Board, GoodId
from firmware_bridge.games.baccarat.roads.columns import BEAD_COLOURS

SIZE: Final = (1920, 1080)
"""Default size of a board in pixels."""

ALONE: Final[dict[Kind, tuple[float, int]]] = {
    "bead": (54, 14),
    "big": (40, 20),
    "big-eye": (28, 28),
    "small": (28, 28),
    "cockroach": (28, 28),
}
"""A road alone: size of a cell, and the fewest columns."""

WIDEST: Final = 60
"""The most columns of a road alone."""

NOTE: Final = 40
"""Height of the legend below a road alone."""


class Heading(NamedTuple):
    """The heading of a board; all of it may be missing.

    title: in place of table and shoe. limits: bet -> its limits in words. points: side -> its points in
    the last round, as the game words them ("natural 9", "4").
    """

    table: str = ""
    shoe: int = 0
    title: str = ""
    limits: Mapping[str, str] = {}
    points: Mapping[str, str] = {}


NOTHING: Final = Heading()
"""The heading of a shoe without a table."""


class Look(NamedTuple):
    """The look of a picture.

    only: one road alone, as large as it needs to be. good: the good roads the house shows. size: width and height of a
    board in pixels. pair_dots: the dots of pairs in the big road too.
    """

    theme: str = "dark"
    language: Language = "en"
    only: Kind | None = None
    good: Collection[GoodId] = ALL_GOOD
    size: tuple[int, int] = SIZE
    pair_dots: bool = False


def sheet(board: Board, look: Look, heading: Heading = NOTHING) -> Sheet:
    """Return the picture of a board, or of one of its roads."""
    words = words_in(look.language)
    if look.only is None:
        (width, height), name = look.size, title(heading, words)
        place = places(width, height)
        scale, shapes = width / place.width, tuple(_whole(board, look, heading))
        ground = Box(0, 0, place.width, place.height, "ground")
    else:
        width, height, shapes = _alone(board, look, look.only)
        scale, name = 1.0, words.roads[look.only]
        ground = Box(0, 0, width, height, "ground")
    return Sheet(width, height, scale, (ground, *shapes), THEMES[look.theme], look.language, name)


def title(heading: Heading, words: Words, between: str = " · ") -> str:
    """Return the title of a board: the house's own, or table and shoe with `between` them, or what it is."""
    shoe = [words.shoe.format(heading.shoe)] if heading.shoe else []
    named = [words.table.format(heading.table)] if heading.table else []
    return heading.title or between.join(named + shoe) or words.title


def counts(board: Board, words: Words) -> Iterator[Item]:
    """Yield how often each outcome, each pair and a natural came, with its sign: the first half of the legend."""
    for letter, colour in BEAD_COLOURS.items():
        count = str(board.outcomes.count(letter))
        yield Item(_bead_of(words, colour), 1, words.sides[letter], count)
    pairs = {"B": sum(cell[3] for cell in board.bead), "P": sum(cell[4] for cell in board.bead)}
    for letter, number in pairs.items():
        yield Item(_dot_of(FILLS[BEAD_COLOURS[letter]], "white"), 1, words.pairs[letter], str(number))
    yield Item(_dot_of("gold", "on_gold"), 1, words.naturals, str(board.naturals.count("1")))


def above(board: Board, heading: Heading, words: Words, place: Places) -> Iterator[Shape]:
    """Yield title and limits, the last round, the number of rounds; below them the counts."""
    text, limits = title(heading, words), _limits(heading, words)
    size = fitted(text, 30 if limits else 36, place.title.width, bold=True)
    line = place.title.y + place.title.height - (28 if limits else 16)
    yield Label(place.title.x, line, text, size, "text", bold=True)
    if limits:
        small = fitted(limits, 18, place.title.width)
        yield Label(place.title.x, line + 23, limits, small, "text")
    rounds = f"{words.rounds} {len(board.bead)}"
    yield Label(place.width - MARGIN, place.title.y + place.title.height - 18, rounds, 30, "text", "end", bold=True)
    if board.bead:
        yield from _last(board, heading, words, place.last)
    yield from flow(list(counts(board, words)), place.counts, 22)


def _whole(board: Board, look: Look, heading: Heading) -> Iterator[Shape]:
    words, place = words_in(look.language), places(*look.size)
    yield from above(board, heading, words, place)
    for kind, grid in place.grids.items():
        yield from road(board, kind, grid, words, look.pair_dots)
    yield from asked(board, words, place.ask)
    yield from good_roads(board, words, look.language, look.good, place.good, place.good_columns)
    yield from legend(words, place.legend)


def _alone(board: Board, look: Look, only: Kind) -> tuple[int, int, tuple[Shape, ...]]:
    """Return width, height and shapes of one road."""
    words, top = words_in(look.language), MARGIN + TITLE
    if only == "good":
        place = Box(MARGIN, top, 1312, 124, "panel")
        return 1360, 208, tuple(good_roads(board, words, look.language, look.good, place, 5))
    if only == "ask":
        place = Box(MARGIN, top, 552, 234, "panel")
        return 600, 358, (*asked(board, words, place), *legend(words, _below(place), only))
    cell, fewest = ALONE[only]
    grid = Grid(MARGIN, top, cell, min(max(fewest, used(board, only) + 1), WIDEST))
    place = Box(MARGIN, top, grid.width, cell * ROWS, "panel")
    below = _below(place)
    note = flow(list(counts(board, words)), below, 20) if only == "bead" else legend(words, below, only)
    height = top + place.height + NOTE
    return int(2 * MARGIN + place.width), int(height), (*road(board, only, grid, words, look.pair_dots), *note)


def _below(place: Box) -> Box:
    return place._replace(y=place.y + place.height + 2, height=NOTE - 4)


def _last(board: Board, heading: Heading, words: Words, place: Box) -> Iterator[Shape]:
    """Yield the last round's bead, who won, and with how many points."""
    *_, colour, banker_pair, player_pair = board.bead[-1]
    letter, natural = LETTERS[colour], board.naturals[-1] == "1"
    y, x = place.y + place.height / 2 + 4, place.x
    yield Label(x, y + 7, words.last, 20, "muted")
    x += wide(words.last, 20) + 40
    yield from bead(x, y, 58, words, colour, banker_pair, player_pair, natural)
    parts: list[tuple[str, float, Ink]] = [(words.sides[letter], 30, "text")]
    points = {side: text.split()[-1] for side, text in heading.points.items() if text}
    if len(points) == 2:
        score = f"{words.letters['P']} {points['player']} : {points['banker']} {words.letters['B']}"
        parts.append((score, 28, "text"))
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
    """Return the limits of the bets that boards show; bets of equal limits in one."""
    names = {"banker": words.sides["B"], "player": words.sides["P"], "tie": words.sides["T"]}
    names |= {"banker_pair": words.pairs["B"], "player_pair": words.pairs["P"]}
    by_limit: dict[str, list[str]] = {}
    for bet, name in names.items():
        if bet in heading.limits:
            by_limit.setdefault(heading.limits[bet], []).append(name)
    parts = [f"{', '.join(named)} {limit}" for limit, named in by_limit.items()]
    return f"{words.limits}: {' · '.join(parts)}" if parts else ""
