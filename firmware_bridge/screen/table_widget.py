"""State of a table on a screen, and its cards and lamps as they lie on the table, drawn with rich."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from rich.text import Text

from firmware_bridge.games.game import Game
from firmware_bridge.screen.cards import NO_CARD, SMALL, Size, box, label
from firmware_bridge.screen.words import brief, short_name
from firmware_bridge.topics.texts import Language, known, names, text

Payload = Mapping[str, Any]
Lines = Sequence[Text]
Boards = Callable[[int, int], tuple[Lines, Sequence[Lines]]]
"""Drawings of the game's own topics, from the columns of the picture and those free beside the cards.

They are the lines to stand beside the cards, none if they do not fit, and the other blocks, most wanted first.
"""


class Row(NamedTuple):
    """Row of the screen: id of its name (`row.ID` of the catalogue, else the name itself) and text, in lines.

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
    points: area -> its points so far. seats: seats that are known to play. has_reserves: cards may wait for the next
    round in slots of their own. head: how the table stands. first, rows: this viewer's own rows, above and below the
    common ones. news: fills the room that is left. keys: what can be pressed. edge: colour of the frame.
    """

    table: str
    game: Game
    shoe: int | None
    size: int
    states: Mapping[str, Payload]
    news: Row
    lang: Language = "en"
    over: Sequence[FinishedRound] = ()
    points: Mapping[str, str] = field(default_factory=dict)
    seats: Sequence[str] = ()
    has_reserves: bool = False
    head: Text | None = None
    first: Sequence[Row] = ()
    rows: Sequence[Row] = ()
    boards: Boards = lambda width, beside: ((), ())
    keys: str = ""
    edge: str = "green"


RESERVE: Final = "reserve"
"""Area of the slots where cards wait for the next round; it has no points."""

COLOURS: Final = ("white on blue", "white on red", "white on magenta", "white on cyan")
"""Styles of areas, in the order of the game."""

NO_AREA: Final = "black on green"
"""Style of an outcome that belongs to no area."""

GAP: Final = 3
"""Columns between areas."""

WITH_OLD_CARDS: Final = ("ready", "betting", "ended", "empty", "between")
"""Phases in which the cards of the round before may lie on the table."""

Cards = dict[str, list[str | None]]
"""Slot -> its cards; None for a card face down."""


def table_lines(model: ScreenModel, width: int, size: Size = SMALL) -> list[Text]:
    """Return every slot with its cards and lamp, and the points of each area, in lines of at most `width` columns."""
    laid, is_over = lying(model)
    return abreast(
        [
            [_name(model, area, is_over), *_boxes(model, slots, laid, is_over, width, size)]
            for area, slots in areas(model, laid).items()
        ],
        width,
    )


def planned(model: ScreenModel, width: int, size: Size) -> tuple[int, int]:
    """Return columns and lines that cards of this size need, with room for a whole hand: none shrinks in the deal."""
    laid, is_over = lying(model)
    play = model.game.play
    whole = play.fewest(model.game.terms()) // play.players.start
    each = [
        max(whole if len(slots) == 1 else 0, sum(1 for slot in slots for _ in _slot(model, slot, laid, is_over, size)))
        for slots in areas(model, laid).values()
    ]
    a_line = max(1, (width + 1) // (size.width + 1))
    wide = [min(count, a_line) * (size.width + 1) - 1 for count in each]
    bands = list(_bands(wide, width))
    lines = sum(max(1 + (size.height + 1) * -(-each[place] // a_line) for place in band) for band in bands)
    return max(sum(wide[place] + GAP for place in band) - GAP for band in bands), lines


def areas(model: ScreenModel, laid: Cards) -> dict[str, tuple[str, ...]]:
    """Return the places on the table with their slots, without seats that do not play and an unused reserve."""
    here = {name: slots for name, slots in model.game.areas.items() if name != RESERVE or model.has_reserves}
    seats = {name for name, slots in here.items() if slots == (name,)}
    plays = seats & _playing(model, laid)
    if not plays and model.over:
        plays = seats & {_seat(slot) for slot, _ in model.over[-1].cards}
    return {name: slots for name, slots in here.items() if not plays or name not in seats - plays}


def _playing(model: ScreenModel, laid: Cards) -> set[str]:
    """Return the seats with cards, with something to do, or still in the round; folded ones have cards."""
    table = model.states["table"]
    acts = [name for act in table.get("expected", ()) for name in (act.get("slot", ""), *act.get("slots", ()))]
    shown = [name for each in (table.get("shows") or {}).values() if isinstance(each, Mapping) for name in each]
    asked = [*(table.get("act") or {}), *(table.get("in") or ()), *(each[0] for each in table.get("pays") or ())]
    return {_seat(name) for name in (*laid, *model.seats, *acts, *shown, *asked, *model.states["lamps"].get("lit", ()))}


def _seat(slot: str) -> str:
    return slot.partition(".")[0]


def lying(model: ScreenModel) -> tuple[Cards, bool]:
    """Return the cards on the table, and whether they are those of the round before (until the next round begins)."""
    laid: Cards = {}
    table = model.states["table"]
    for each in table.get("slots", ()):
        laid.setdefault(each["slot"], []).append(each.get("card"))
    is_new = table.get("phase") not in WITH_OLD_CARDS or any(table.get("act") or ())
    if laid or is_new or not model.over or model.over[-1].shoe != model.shoe:
        return laid, False
    for slot, card in model.over[-1].cards:
        laid.setdefault(slot, []).append(card)
    return laid, True


def outcome_colour(game: Game, outcome: str) -> str:
    """Return the style of an outcome or area: that of the area that won."""
    places = [name for name in game.areas if name != RESERVE]
    if outcome in places:
        return COLOURS[places.index(outcome) % len(COLOURS)]
    return "dim" if outcome in (RESERVE, "void") else NO_AREA


def abreast(blocks: Sequence[Lines], width: int) -> list[Text]:
    """Return blocks of lines side by side, as many as fit in `width` columns; the others below."""
    bands = _bands([_wide(block) for block in blocks], width)
    return [line for band in bands for line in _joined([blocks[place] for place in band])]


def _bands(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the numbers of the blocks of these widths that stand side by side."""
    band: list[int] = []
    used = 0
    for place, wide in enumerate(widths):
        if band and used + GAP + wide > width:
            yield band
            band, used = [], 0
        used += wide + (GAP if band else 0)
        band.append(place)
    if band:
        yield band


def _joined(band: Sequence[Lines]) -> Iterator[Text]:
    widths = [_wide(block) for block in band]
    for parts in zip_longest(*band, fillvalue=Text()):
        padded = [padded_to(part, wide) for part, wide in zip(parts, widths, strict=True)]
        yield Text(" " * GAP).join(padded)


def padded_to(text: Text, width: int) -> Text:
    """Return the text padded with blanks to `width` columns."""
    return Text.assemble(text, " " * max(width - text.cell_len, 0))


def _wide(block: Lines) -> int:
    return max((line.cell_len for line in block), default=0)


def points_words(lang: Language, points: str) -> str:
    """Return the points of a hand in a word or two: `natural 9` is 9, `bust 23` is bust."""
    return names.points(lang, brief(points))


def _name(model: ScreenModel, area: str, is_over: bool) -> Text:
    outcome = model.over[-1].outcome if is_over else None
    points = _points(model, area) if is_over else names.points(model.lang, model.points.get(area, ""))
    named = known(model.lang, f"hand.{area}") or area
    title = Text(f" {named.upper()} ", style=outcome_colour(model.game, area))
    if points:
        title = Text.assemble(title, (f"  {points}", "bold"))
    if outcome is None or area == RESERVE:
        return title
    won = _won(model, area, outcome)
    return Text.assemble(title, (f"  {won}" if won else "", "bold"))


def _won(model: ScreenModel, area: str, outcome: str) -> str:
    """Return what the outcome of the round says of an area; `dealer_bust` is shown beside the dealer."""
    if outcome == area:
        return text(model.lang, "picture.wins")
    winner, _, how = outcome.partition("_")
    if winner == area:
        return known(model.lang, f"points.{how}") or how.replace("_", " ")
    is_seat = model.game.areas[area] == (area,)  # one hand of several: the outcome does not name it
    return "" if is_seat or winner in model.game.areas else names.outcome(model.lang, outcome).lower()


def _points(model: ScreenModel, area: str) -> str:
    """Return the points of an area in the finished round; of each hand where a seat had several."""
    hands = model.over[-1].points
    return " ".join(points_words(model.lang, points) for name, points in hands.items() if _seat(name) == area)


def _boxes(
    model: ScreenModel, slots: Sequence[str], laid: Cards, is_over: bool, width: int, size: Size
) -> Iterator[Text]:
    """Yield the cards side by side with the lamp of each slot below; the rest in further rows."""
    boxes = [drawn for slot in slots for drawn in _slot(model, slot, laid, is_over, size)]
    a_line = max(1, (width + 1) // (size.width + 1))
    for first in range(0, len(boxes), a_line):
        for parts in zip(*boxes[first : first + a_line], strict=True):
            yield Text(" ").join(parts)


def _slot(model: ScreenModel, slot: str, laid: Cards, is_over: bool, size: Size) -> Iterator[list[Text]]:
    """Yield the cards of a slot and of the hands split from it; where a card is due, an empty box follows."""
    rhythm = model.states["lamps"].get("lit", {}).get(slot)
    due = None if is_over else _due(model, slot)
    hands = [name for name in laid if _seat(name) == slot] or [slot]
    for name in hands:
        cards = laid.get(name, [])
        boxes = [box(card, size, is_over) for card in cards]
        if due == name or (due == slot and name == hands[-1]):
            boxes.append(box(NO_CARD, size, is_over, text(model.lang, "picture.draw")))
        elif not cards:
            boxes.append(box(NO_CARD, size, is_over))
        shown = short_name(name, laid)
        for number, each in enumerate(boxes):
            yield [*each, label("" if number else shown, rhythm, size)]


def _due(model: ScreenModel, slot: str) -> str | None:
    """Return the hand of a slot that the next card is drawn to."""
    acts = model.states["table"].get("expected", ())
    hands = [str(act["hand"]) for act in acts if act["verb"] == "draw" and act["slot"] == slot]
    return next(iter(hands), None)
