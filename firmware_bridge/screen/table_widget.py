"""State of a table on a screen, and its cards and lamps as they lie on the table, drawn with rich."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from rich.text import Text

from firmware_bridge.games.game import Game
from firmware_bridge.screen.words import brief, face
from hardware.pins.lamps import phase

Payload = Mapping[str, Any]
Boards = Callable[[int], Sequence[Sequence[Text]]]
"""Drawings of the game's own topics for a width in columns: blocks of lines, most wanted first."""


class Row(NamedTuple):
    """Row of the screen: name and text, in lines.

    keeps: lines that remain where room is scarce. is_news: the last lines remain, not the first. wraps: a long line
    continues below; otherwise it ends with an ellipsis.
    """

    name: str
    text: Text
    keeps: int = 1
    is_news: bool = False
    wraps: bool = True


class FinishedRound(NamedTuple):
    """Finished round; outcome is None if voided. points: of each hand, in the game's words.

    cards: slot and card, None for a card that is not shown. notes: remarks besides the result.
    """

    shoe: int
    round: int
    outcome: str | None
    points: Mapping[str, str]
    cards: Sequence[tuple[str, str | None]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenModel:
    """State of a table on a screen.

    size: cards in a full shoe. states: the topics `table`, `lamps` and `alarm`. over: finished rounds, oldest first.
    points: area -> its points so far. has_reserves: cards may wait for the next round in slots of their own. head: how
    the table stands. first, rows: this viewer's own rows, above and below the common ones. news: fills the room that is
    left. keys: what can be pressed. edge: colour of the frame.
    """

    table: str
    game: Game
    shoe: int | None
    size: int
    states: Mapping[str, Payload]
    news: Row
    over: Sequence[FinishedRound] = ()
    points: Mapping[str, str] = field(default_factory=dict)
    has_reserves: bool = False
    head: Text | None = None
    first: Sequence[Row] = ()
    rows: Sequence[Row] = ()
    boards: Boards = lambda _: ()
    keys: str = ""
    edge: str = "green"


BACK: Final = "░░░░"
RED: Final = "bold red"
RESERVE: Final = "reserve"
"""Area of the slots where cards wait for the next round; it has no points."""

COLOURS: Final = ("white on blue", "white on red", "white on magenta", "white on cyan")
"""Styles of areas, in the order of the game."""

NO_AREA: Final = "black on green"
"""Style of an outcome that belongs to no area."""

LIT: Final = {"ready": "bold green", "fault": "bold red"}
BOX: Final = 6
GAP: Final = 3
"""Columns of a card (BOX) and between areas (GAP)."""

NO_CARD: Final = ""
Cards = dict[str, list[str | None]]
"""Slot -> its cards; None for a card face down."""


def table_lines(model: ScreenModel, width: int) -> list[Text]:
    """Every slot with its cards and lamp, and the points of each area, in lines of at most `width` columns."""
    laid, is_over = lying(model)
    areas = {name: slots for name, slots in model.game.areas.items() if name != RESERVE or model.has_reserves}
    blocks = [
        [_name(model, area, is_over), *_boxes(model, slots, laid, is_over, width)] for area, slots in areas.items()
    ]
    return abreast(blocks, width)


def lying(model: ScreenModel) -> tuple[Cards, bool]:
    """The cards on the table, and whether they are those of the round before (until the next round's first card)."""
    laid: Cards = {}
    for each in model.states["table"].get("slots", ()):
        laid.setdefault(each["slot"], []).append(each.get("card"))
    if laid or not model.over or model.over[-1].shoe != model.shoe:
        return laid, False
    for slot, card in model.over[-1].cards:
        laid.setdefault(slot, []).append(card)
    return laid, True


def outcome_colour(game: Game, outcome: str) -> str:
    """Style of an outcome or area: that of the area that won."""
    areas = [name for name in game.areas if name != RESERVE]
    if outcome in areas:
        return COLOURS[areas.index(outcome) % len(COLOURS)]
    return "dim" if outcome in (RESERVE, "void") else NO_AREA


def lamp(name: str, rhythm: str | None) -> Text:
    """The lamp at this moment: it blinks."""
    if rhythm is None:
        return Text("·", "dim")
    is_lit, _ = phase(rhythm, int(1000 * time.monotonic()))
    return Text("●" if is_lit else "○", LIT.get(name, "bold yellow"))


def card_face(card: str | None) -> Text:
    """A card in a line of text."""
    return Text("░░", "blue") if card is None else Text(face(card), _colour(card))


def abreast(blocks: Sequence[Sequence[Text]], width: int) -> list[Text]:
    """Blocks of lines side by side, as many as fit in `width` columns; the others below."""
    bands: list[list[Sequence[Text]]] = []
    used = width
    for block in blocks:
        wide = _wide(block)
        if not bands or used + GAP + wide > width:
            bands.append([])
            used = -GAP
        bands[-1].append(block)
        used += GAP + wide
    return [line for band in bands for line in _joined(band)]


def _joined(band: Sequence[Sequence[Text]]) -> Iterator[Text]:
    widths = [_wide(block) for block in band]
    for parts in zip_longest(*band, fillvalue=Text()):
        padded = [padded_to(part, wide) for part, wide in zip(parts, widths, strict=True)]
        yield Text(" " * GAP).join(padded)


def padded_to(text: Text, width: int) -> Text:
    """The text padded with blanks to `width` columns."""
    return Text.assemble(text, " " * max(width - text.cell_len, 0))


def _wide(block: Sequence[Text]) -> int:
    return max((line.cell_len for line in block), default=0)


def _name(model: ScreenModel, area: str, is_over: bool) -> Text:
    outcome = model.over[-1].outcome if is_over else None
    points = _points(model, area) if is_over else model.points.get(area)
    text = Text(f" {area.upper()} ", style=outcome_colour(model.game, area))
    if points:
        text = Text.assemble(text, (f"  {points}", "bold"))
    if outcome is None or area == RESERVE:
        return text
    is_seat = model.game.areas[area] == (area,)  # one hand of several: the outcome does not name it
    winner, _, how = outcome.partition("_")  # `dealer_bust` is shown beside the dealer
    is_anothers = is_seat or winner in model.game.areas
    won = "wins" if outcome == area else how if winner == area else "" if is_anothers else outcome
    return Text.assemble(text, (f"  {won}" if won else "", "bold"))


def _points(model: ScreenModel, area: str) -> str:
    """Points of an area in the finished round; of each hand where a seat had several."""
    hands = model.over[-1].points
    return " ".join(brief(points) for name, points in hands.items() if name.partition(".")[0] == area)


def _boxes(model: ScreenModel, slots: Sequence[str], laid: Cards, is_over: bool, width: int) -> Iterator[Text]:
    """Cards side by side in three lines with the lamp of each slot below; the rest in further rows."""
    boxes = [box for slot in slots for box in _slot(model, slot, laid, is_over)]
    a_line = max(1, (width + 1) // (BOX + 1))
    for first in range(0, len(boxes), a_line):
        for parts in zip(*boxes[first : first + a_line], strict=True):
            yield Text(" ").join(parts)


def _slot(model: ScreenModel, slot: str, laid: Cards, is_over: bool) -> Iterator[list[Text]]:
    """The cards of a slot and of the hands split from it; a steady lamp adds an empty box for the next card."""
    rhythm = model.states["lamps"].get("lit", {}).get(slot)
    due = (model.states["table"].get("due") or slot) if rhythm == "steady" and not is_over else None
    names = [name for name in laid if name.partition(".")[0] == slot] or [slot]
    for name in names:
        for card in laid.get(name, []):
            yield _box(name, card, rhythm, is_over, is_due=False)
        if (due in (name, slot) and name == names[-1]) or due == name:
            yield _box(name, NO_CARD, rhythm, is_over, is_due=True)
        elif name not in laid:
            yield _box(name, NO_CARD, rhythm, is_over, is_due=False)


def _box(name: str, card: str | None, rhythm: str | None, is_over: bool, is_due: bool) -> list[Text]:
    filled = card != NO_CARD
    edge = "dim" if is_over or not filled else ""
    top, bottom = ("┌────┐", "└────┘") if filled else ("┌╌╌╌╌┐", "└╌╌╌╌┘")
    side = "│" if filled else "╎"
    if is_due:
        edge, top, bottom, side = "bold yellow", "╔════╗", "╚════╝", "║"
    if card is None:
        inside = Text(BACK, "blue")
    elif card == NO_CARD:
        inside = Text("DRAW" if is_due else "    ", "bold yellow")
    else:
        inside = Text(f" {face(card)} ", _colour(card))
    label = name if len(name) > 3 else f" {name}"
    return [
        Text(top, edge),
        Text.assemble((side, edge), inside, (side, edge)),
        Text(bottom, edge),
        Text.assemble(f"{label:<4}", lamp(name, rhythm), " "),
    ]


def _colour(card: str) -> str:
    return RED if card[1] in "hd" else "bold"
