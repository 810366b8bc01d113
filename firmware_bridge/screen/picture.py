"""Live picture of a table (cards, lamps, rounds, the viewer's own rows) in a terminal's size."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final

from rich.console import Console
from rich.text import Text

from firmware_bridge.facts.printable import escaped
from firmware_bridge.screen.table_widget import (
    RED,
    FinishedRound,
    Row,
    ScreenModel,
    card_face,
    lamp,
    lying,
    outcome_colour,
    padded_to,
    table_lines,
)
from firmware_bridge.screen.words import RHYTHMS, asked, brief

NAMES: Final = 9
"""Columns of a row's name."""

_CONSOLE: Final = Console(file=StringIO())


def fitted(rows: Sequence[Row], width: int, room: int | None) -> tuple[list[list[Text]], int]:
    """The lines of each row, at most `room` in all, and the number of lines left out (old news not counted).

    Lower rows give way first: all shrink to their `keeps`, then rows disappear.
    """
    blocks = [_lines(row, width) for row in rows]
    shown = _shares([len(block) for block in blocks], [row.keeps for row in rows], room)
    left_out = sum(
        (0 if count else row.keeps) if row.is_news else len(block) - count
        for row, block, count in zip(rows, blocks, shown, strict=True)
    )
    cut = [_cut(row, block, count, width) for row, block, count in zip(rows, blocks, shown, strict=True)]
    return cut, left_out


def _shares(wanted: list[int], keeps: list[int], room: int | None) -> list[int]:
    if room is None:
        return wanted
    shown, excess = list(wanted), sum(wanted) - room
    for least in (keeps, [0] * len(keeps)):
        for place in reversed(range(len(shown))):
            less = max(min(excess, shown[place] - least[place]), 0)
            shown[place] -= less
            excess -= less
    return shown


def _lines(row: Row, width: int) -> list[Text]:
    """The row's name, and its text beside it; a row without a name has the whole width."""
    names = NAMES if row.name else 0
    wide = max(width - names, 1)
    if row.wraps:
        lines = list(row.text.wrap(_CONSOLE, wide, overflow="fold"))
    else:
        lines = list(row.text.split(allow_blank=True))
        for line in lines:
            line.truncate(wide, overflow="ellipsis")
    named = [f"{row.name:<{names}}", *[" " * names] * (len(lines) - 1)]
    return [Text.assemble((name, "dim"), line) for name, line in zip(named, lines, strict=True)]


def _cut(row: Row, block: list[Text], count: int, width: int) -> list[Text]:
    """The first `count` lines of a row with an ellipsis where more follow; of news the last ones."""
    if count >= len(block) or not count:
        return block[:count]
    if row.is_news:
        name = NAMES if row.name else 0
        kept = [line.copy() for line in block[-count:]]
        return [Text.assemble(block[0][:name], kept[0][name:]), *kept[1:]]
    last = block[count - 1].copy()
    last.rstrip()
    last.truncate(width - 1)
    return [*block[: count - 1], Text.assemble(last, "…")]


WIDTH: Final = 80
HEIGHT: Final = 22
"""Smallest terminal that holds the picture, in columns and lines."""

NEWS: Final = 3
SLACK: Final = 2
"""Lines for news and for alarms that the boards leave free."""

BAR: Final = 24
ELSEWHERE: Final = "see what is open"


def too_small(width: int, height: int) -> str:
    """Why a terminal of this size gets lines and no picture; "" if the picture fits."""
    if width >= WIDTH and height >= HEIGHT:
        return ""
    return f"this terminal is {width}x{height}; the picture needs {WIDTH}x{HEIGHT}; showing lines"


def screen(model: ScreenModel, width: int, height: int) -> list[Text]:
    """The picture if it fits, else the same in lines: exactly `height` lines, none wider than `width`."""
    why = too_small(width, height)
    drawn = _in_lines(model, why, width, height) if why else picture(model, width, height)
    return drawn[:height] + [Text()] * (height - len(drawn))


def picture(model: ScreenModel, width: int, height: int | None = None) -> list[Text]:
    """The table in a frame `width` wide, as high as it needs or exactly `height` with what fits."""
    inner = width - 4
    top = [*([model.head] if model.head else ()), *table_lines(model, inner), Text()]
    upper = [*model.first, *_known(model, inner - NAMES)]
    rows = [*upper, *model.rows, model.news]
    room = None if height is None else height - 2 - len(top)
    boards = _boards(model, inner, rows, room)
    blocks, left_out = fitted(rows, inner, None if room is None else room - len(boards))
    lines = [*top, *_flat(blocks[: len(upper)]), *boards, *_flat(blocks[len(upper) :])]
    if height is not None:
        lines += [Text()] * (height - 2 - len(lines))
    footer = _footer(model, left_out, inner)
    return [
        _border(f"╭─ {_title(model)} ", "╮", width, model.edge),
        *[Text.assemble(("│ ", model.edge), padded_to(line, inner), (" │", model.edge)) for line in lines],
        _border(f"╰─ {footer} " if footer else "╰", "╯", width, model.edge),
    ]


def _in_lines(model: ScreenModel, why: str, width: int, height: int) -> list[Text]:
    """The table in a few lines, without cards and frame."""
    laid, is_over = lying(model)
    cards = Text("  ").join(
        [Text.assemble(f"{slot} ", Text(" ").join(map(card_face, faces))) for slot, faces in laid.items()]
    )
    lying_here = Row("slots", Text.assemble(cards, "  (previous round)" if is_over else "") if laid else Text("-"))
    heads = [Text(why, "dim"), Text(_title(model), "bold"), *([model.head] if model.head else ())]
    rows = [Row("", head, keeps=HEIGHT) for head in heads]
    rows += [*model.first, lying_here, *_known(model, width - NAMES), *model.rows, model.news]
    blocks, left_out = fitted(rows, width, height - 1)
    last = Text(_footer(model, left_out, width), "dim")
    last.truncate(width, overflow="ellipsis")
    return [*_flat(blocks), last]


def _flat(blocks: Sequence[Sequence[Text]]) -> list[Text]:
    return [line for block in blocks for line in block]


def _known(model: ScreenModel, width: int) -> Iterator[Row]:
    """Rows that every viewer gets."""
    if model.game.play.words:
        yield Row("asked", Text(asked(model.states["table"]) or "-"), keeps=2)
    yield Row("lamps", _lit(model))
    why = _why(model)
    yield Row("why", why, keeps=0 if why.plain == ELSEWHERE else 1)
    yield Row("alarms", _open(model), keeps=HEIGHT if _alarms(model) else 0)
    yield Row("rounds", _beads(model, width), keeps=2, wraps=False)
    yield Row("last", _last(model), keeps=0)
    yield Row("shoe", _left(model))


def _title(model: ScreenModel) -> str:
    return f"table {model.table}  {_where(model)}"


def _where(model: ScreenModel) -> str:
    table = model.states["table"]
    if not table:
        return "no message from the shoe yet"
    if table["phase"] == "empty":
        return "no shoe is open"
    if table["phase"] == "ended":
        return f"shoe {model.shoe} is over"
    over = f"round {model.over[-1].round} over, " if lying(model)[1] else ""
    last = "  LAST ROUND" if table["last"] else ""
    return f"shoe {model.shoe}  {over}round {table['round']} {table['phase']}{last}"


def _footer(model: ScreenModel, left_out: int, width: int) -> str:
    """Keys and the number of lines left out, in the longest form that fits."""
    if not left_out:
        return model.keys
    more = f"… {left_out} more line{'s' * (left_out > 1)}"
    footers = [f"{model.keys}  {more}: enlarge the window", f"{model.keys}  {more}", f"{more}; {model.keys}"]
    return next((words for words in footers if len(words) <= width), footers[-1])


def _border(begin: str, end: str, width: int, style: str) -> Text:
    text = Text(begin)
    text.truncate(width - 3, overflow="ellipsis")
    return Text(text.plain + "─" * (width - 1 - text.cell_len) + end, style)


def _boards(model: ScreenModel, width: int, rows: Sequence[Row], room: int | None) -> list[Text]:
    """As many boards as fit; the space they leave does not depend on what happens at the table."""
    free = None if room is None else room - sum(min(row.keeps, 2) for row in rows) - (NEWS - 1) - SLACK
    lines: list[Text] = []
    for board in model.boards(width):
        if free is not None and len(lines) + len(board) + 1 > free:
            break
        lines += [*board, Text()]
    return [Text(), *lines] if lines else []


def _lit(model: ScreenModel) -> Text:
    """All lit lamps with their rhythms in words, in the order of the game."""
    lit = model.states["lamps"].get("lit", {})
    order = [*model.game.slots, *model.game.seats, "ready", "fault"]
    shown = sorted(lit, key=lambda name: order.index(name) if name in order else len(order))
    parts = [Text.assemble(lamp(name, lit[name]), f" {name} {RHYTHMS.get(lit[name], lit[name])}") for name in shown]
    return Text("   ").join(parts) if parts else Text("all dark", "dim")


def _why(model: ScreenModel) -> Text:
    """Reasons why lamps are lit, apart from alarms."""
    wrong = tuple(f"{each['id']}: " for each in _alarms(model))
    why = [words for words in model.states["lamps"].get("why", ()) if not words.startswith(wrong)]
    return Text("; ".join(map(escaped, why)) or (ELSEWHERE if wrong else "-"))


def _alarms(model: ScreenModel) -> Sequence[dict[str, str]]:
    alarms: Sequence[dict[str, str]] = model.states["alarm"].get("open", ())
    return alarms


def _open(model: ScreenModel) -> Text:
    lines = [
        Text.assemble((f"! {each['id']}", RED), f": {escaped(each['todo'])}", (f" ({escaped(each['detail'])})", "dim"))
        for each in _alarms(model)
    ]
    return Text("\n").join(lines) if lines else Text("nothing is wrong", "dim")


def _beads(model: ScreenModel, width: int) -> Text:
    """Latest rounds as beads: the outcome's letter, and the points of each hand below."""
    beads: list[Text] = []
    points: list[Text] = []
    used = 0
    for over in reversed(model.over):
        label = _points(over)
        wide = max(3, len(label)) + (1 if beads else 0)
        if used + wide > width:
            break
        used += wide
        outcome = over.outcome or "void"
        beads.append(Text.assemble((f" {outcome[0].upper()} ", outcome_colour(model.game, outcome)), " " * (wide - 3)))
        points.append(Text(f"{label:<{wide}}", "dim"))
    if not beads:
        return Text("none yet\n", "dim")
    return Text.assemble(*reversed(beads), "\n", *reversed(points))


def _points(over: FinishedRound) -> str:
    """The points of each hand, in the order of the message."""
    return ":".join(map(brief, over.points.values())) or " - "


def _last(model: ScreenModel) -> Text:
    if not model.over:
        return Text("-")
    over = model.over[-1]
    result = f"{over.outcome.upper()} {_points(over)}" if over.outcome else "VOID"
    return Text(f"round {over.round}: {', '.join([result, *over.notes])}")


def _left(model: ScreenModel) -> Text:
    table = model.states["table"]
    left = table.get("cards_left")
    if left is None:
        return Text("none open")
    full = round(BAR * min(left / model.size, 1))
    burn = f", {table['burn_left']} still to burn" if table["burn_left"] else ""
    change = ", change the shoe" if table["shoe_change"] else ""
    words = f" {left} of {model.size} left{burn}{change}"
    return Text.assemble(("█" * full, "green"), ("░" * (BAR - full), "dim"), words)
