"""Live picture of a table (cards, lamps, rounds, the viewer's own rows) in a terminal's size."""

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from firmware_bridge.facts.printable import escaped
from firmware_bridge.games.game import Nothing
from firmware_bridge.screen.cards import MEDIUM, RED, SIZES, card_face, lamp
from firmware_bridge.screen.table_widget import (
    GAP,
    FinishedRound,
    Lines,
    Row,
    ScreenModel,
    abreast,
    lying,
    outcome_colour,
    padded_to,
    planned,
    points_words,
    table_lines,
)
from firmware_bridge.screen.words import RHYTHMS, short_name, shows
from firmware_bridge.topics.texts import Language, alarms, known, names, text
from firmware_bridge.topics.texts.acts import Sayer
from firmware_bridge.topics.texts.phrases import joined

NAMES: Final = 9
"""Columns of a row's name."""

_CONSOLE: Final = Console(file=StringIO())


def fitted(rows: Sequence[Row], width: int, room: int | None, lang: Language = "en") -> tuple[list[list[Text]], int]:
    """Return the lines of each row, at most `room` in all, and the number of lines left out (old news not counted).

    Lower rows give way first: all shrink to their `keeps`, then rows disappear.
    """
    blocks = [_lines(row, width, lang) for row in rows]
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


def _lines(row: Row, width: int, lang: Language) -> list[Text]:
    """Return the row's name, and its text beside it; a row without a name has the whole width."""
    left = NAMES if row.name else 0
    wide = max(width - left, 1)
    if row.wraps:
        lines = list(row.text.wrap(_CONSOLE, wide, overflow="fold"))
    else:
        lines = list(row.text.split(allow_blank=True))
        for line in lines:
            line.truncate(wide, overflow="ellipsis")
    name = known(lang, f"row.{row.name}") or row.name
    named = [padded_to(Text(name, "dim"), left), *[Text(" " * left)] * (len(lines) - 1)]
    return [Text.assemble(name, line) for name, line in zip(named, lines, strict=True)]


def _cut(row: Row, block: list[Text], count: int, width: int) -> list[Text]:
    """Return the first `count` lines of a row with an ellipsis where more follow; of news the last ones."""
    if count >= len(block) or not count:
        return block[:count]
    if row.is_news:
        kept = [line.copy() for line in block[-count:]]
        if row.name:
            head = block[0].copy()
            head.truncate(NAMES)
            kept[0] = Text.assemble(padded_to(head, NAMES), kept[0][NAMES:])
        return kept
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

MORE_NEWS: Final = 2
"""Further lines for news for each line that cards are higher than medium ones."""

BAR: Final = 24

LETTERS: Final = 2
"""Columns of an outcome in a bead; of a longer one the first letter is shown."""

PAIR: Final = 2
"""Hands with points that can stand side by side without names."""


def too_small(width: int, height: int, lang: Language = "en") -> str:
    """Return why a terminal of this size gets lines and no picture; "" if the picture fits."""
    if width >= WIDTH and height >= HEIGHT:
        return ""
    return text(lang, "picture.small", size=f"{width}x{height}", needs=f"{WIDTH}x{HEIGHT}")


def screen(model: ScreenModel, width: int, height: int) -> list[Text]:
    """Return the picture if it fits, else the same in lines: exactly `height` lines, none wider than `width`."""
    why = too_small(width, height, model.lang)
    drawn = _in_lines(model, why, width, height) if why else picture(model, width, height)
    return drawn[:height] + [Text()] * (height - len(drawn))


def picture(model: ScreenModel, width: int, height: int | None = None) -> list[Text]:
    """Return the table in a frame `width` wide, as high as it needs or exactly `height` with what fits."""
    inner = width - 4
    head = list(model.head.wrap(_CONSOLE, inner)) if model.head else []
    upper = [*model.first, *_known(model, inner - NAMES)]
    rows = [*upper, *model.rows, model.news]
    room = None if height is None else height - 2
    kept = len(head) + sum(min(row.keeps, 2) for row in rows) + NEWS - 1 + SLACK
    cards, boards = _laid_out(model, inner, None if room is None else room - kept)
    top = [*head, *cards, Text()]
    blocks, left_out = fitted(rows, inner, None if room is None else room - len(top) - len(boards), model.lang)
    lines = [*top, *_flat(blocks[: len(upper)]), *boards, *_flat(blocks[len(upper) :])]
    if height is not None:
        lines += [Text()] * (height - 2 - len(lines))
    footer = _footer(model, left_out, inner)
    return [
        _border(f"╭─ {_title(model)} ", "╮", width, model.edge),
        *[Text.assemble(("│ ", model.edge), padded_to(line, inner), (" │", model.edge)) for line in lines],
        _border(f"╰─ {footer} " if footer else "╰", "╯", width, model.edge),
    ]


def _laid_out(model: ScreenModel, width: int, free: int | None) -> tuple[list[Text], list[Text]]:
    """Return cards as large as leaves room for all the boards that small ones would, and those boards.

    One board stands beside larger cards if it is no higher. The space they leave does not depend on what happens at
    the table. free: the lines for both, None for any number.
    """
    cards = table_lines(model, width)
    fitting = _fitting(model.boards(width, 0)[1], None if free is None else free - len(cards) - 1)
    for size in SIZES[:-1] if free is not None else ():
        wide, high = planned(model, width, size)
        side, below = model.boards(width, width - wide - GAP)
        if len(side) > high:
            side, below = model.boards(width, 0)
        spare = MORE_NEWS * max(size.height - MEDIUM.height, 0)
        rest = (free or 0) - spare - high - 1
        larger = _fitting(below, rest)
        if rest >= 0 and len(larger) >= len(fitting):
            cards = [padded_to(line, wide) for line in table_lines(model, width, size)]
            return abreast([cards, side], width) if side else cards, _stacked(larger)
    return cards, _stacked(fitting)


def _fitting(boards: Sequence[Lines], room: int | None) -> list[Lines]:
    """Return the first boards, as many as fit into so many lines."""
    fitting: list[Lines] = []
    for board in boards:
        if room is not None and _height([*fitting, board]) > room:
            break
        fitting.append(board)
    return fitting


def _height(boards: Sequence[Lines]) -> int:
    return sum(len(board) + 1 for board in boards)


def _stacked(boards: Sequence[Lines]) -> list[Text]:
    lines = [line for board in boards for line in (*board, Text())]
    return [Text(), *lines] if lines else []


def _in_lines(model: ScreenModel, why: str, width: int, height: int) -> list[Text]:
    """Return the table in a few lines, without cards and frame."""
    laid, is_over = lying(model)
    cards = Text("  ").join(
        [Text.assemble(f"{slot} ", Text(" ").join(map(card_face, faces))) for slot, faces in laid.items()]
    )
    before = f"  ({text(model.lang, 'picture.before')})" if is_over else ""
    lying_here = Row("slots", Text.assemble(cards, before) if laid else Text("-"))
    heads = [Text(why, "dim"), Text(_title(model), "bold"), *([model.head] if model.head else ())]
    rows = [Row("", head, keeps=HEIGHT) for head in heads]
    rows += [*model.first, lying_here, *_known(model, width - NAMES), *model.rows, model.news]
    blocks, left_out = fitted(rows, width, height - 1, model.lang)
    last = Text(_footer(model, left_out, width), "dim")
    last.truncate(width, overflow="ellipsis")
    return [*_flat(blocks), last]


def _flat(blocks: Sequence[Lines]) -> list[Text]:
    return [line for block in blocks for line in block]


def _known(model: ScreenModel, width: int) -> Iterator[Row]:
    """Yield the rows that every viewer gets."""
    if model.game.shows is not Nothing:
        yield Row("bets", Text(shows(model.states["table"], model.lang) or "-"), keeps=2)
    yield Row("lamps", _lit(model))
    why = _why(model)
    yield Row("why", Text(why or text(model.lang, "picture.see_alarms")), keeps=1 if why else 0)
    yield Row("alarms", _open(model, width), keeps=HEIGHT if _alarms(model) else 0)
    yield Row("rounds", _beads(model, width), keeps=2, wraps=False)
    last = Text(_last(model))
    last.highlight_regex(r"\b[A2-9TJQK][♥♦]", "red")
    yield Row("last", last, keeps=0)
    yield Row("shoe", _left(model))


def _title(model: ScreenModel) -> str:
    return f"{text(model.lang, 'status.table', table=model.table)}  {_where(model)}"


def _where(model: ScreenModel) -> str:
    table, lang = model.states["table"], model.lang
    if not table:
        return text(lang, "picture.no_message")
    if table.get("closed"):
        return text(lang, "reason.table_closed")
    if table["phase"] == "empty":
        return text(lang, "phase.empty")
    if table["phase"] == "ended":
        return text(lang, "picture.shoe_over", shoe=model.shoe)
    shoe = text(lang, "status.shoe", shoe=model.shoe)
    over = text(lang, "picture.round_over", round=model.over[-1].round) if lying(model)[1] else ""
    phase = known(lang, f"phase.{table['phase']}") or table["phase"]
    last = f"  {text(lang, 'status.last_round').upper()}" if table["last"] else ""
    return f"{shoe}  {over}{text(lang, 'status.round', round=table['round'], phase=phase)}{last}"


def _footer(model: ScreenModel, left_out: int, width: int) -> str:
    """Return the keys and the number of lines left out, in the longest form that fits."""
    if not left_out:
        return model.keys
    more = f"… {text(model.lang, 'picture.line' if left_out == 1 else 'picture.lines', count=left_out)}"
    enlarge = text(model.lang, "picture.enlarge")
    footers = [f"{model.keys}  {more}{enlarge}", f"{model.keys}  {more}", f"{more}; {model.keys}"]
    return next((words for words in footers if cell_len(words) <= width), footers[-1])


def _border(begin: str, end: str, width: int, style: str) -> Text:
    text = Text(begin)
    text.truncate(width - 3, overflow="ellipsis")
    return Text(text.plain + "─" * (width - 1 - text.cell_len) + end, style)


def _lit(model: ScreenModel) -> Text:
    """Return all lit lamps with their rhythms in words, in the order of the game."""
    lit = model.states["lamps"].get("lit", {})
    order = [*model.game.slots, *model.game.seats, "ready", "fault"]
    shown = sorted(lit, key=lambda name: order.index(name) if name in order else len(order))
    parts = [Text.assemble(lamp(name, lit[name]), f" {name} {_rhythm(model.lang, lit[name])}") for name in shown]
    return Text("   ").join(parts) if parts else Text(text(model.lang, "status.all_dark"), "dim")


def _rhythm(lang: Language, rhythm: str) -> str:
    return RHYTHMS.get(rhythm, rhythm) if lang == "en" else known(lang, f"rhythm.{rhythm}") or rhythm


def _why(model: ScreenModel) -> str:
    """Return why lamps are lit, apart from alarms, of which "" may be all; of marks that are due, the choice."""
    wrong = {each["id"] for each in _alarms(model)}
    lamps = model.states["lamps"]
    why = [words for words in lamps.get("why", ()) if words not in wrong]
    ids = [reason["id"] for reason in lamps.get("reasons", ()) if known("en", f"alarm.{reason['id']}") is None]
    offered = list(Sayer(model.lang).offers(model.states["table"].get("act") or {}))
    if len(ids) == len(why) and "mark_due" in ids and offered:
        others = [words for id, words in zip(ids, why, strict=True) if id != "mark_due"]
        why = [*offered, *others]
    return joined(model.lang, *map(escaped, why)) or ("" if wrong else "-")


def _alarms(model: ScreenModel) -> Sequence[dict[str, Any]]:
    opened: Sequence[dict[str, Any]] = model.states["alarm"].get("open", ())
    return opened


def _open(model: ScreenModel, width: int) -> Text:
    """Return the open alarms with what to do; one that is a note has one line."""
    lines, policy = [], str(model.states["table"].get("settings", {}).get("policy", ""))
    for each in _alarms(model):
        id, values = each["id"], each["values"]
        todo, what = alarms.todo(model.lang, id, policy, values), alarms.what(model.lang, id, values)
        line = Text.assemble((f"! {id}", RED), f": {escaped(todo)}", (f" ({escaped(what)})", "dim"))
        if each["severity"] == "note":
            line.truncate(width, overflow="ellipsis")
        lines.append(line)
    return Text("\n").join(lines) if lines else Text(text(model.lang, "picture.no_alarm"), "dim")


def _beads(model: ScreenModel, width: int) -> Text:
    """Return the latest rounds as beads: the outcome in a letter or two, and the points of at most two hands below."""
    beads: list[Text] = []
    points: list[Text] = []
    used = 0
    for over in reversed(model.over):
        bead = Text(f" {_short(model.lang, over)} ", outcome_colour(model.game, over.outcome or "void"))
        below = _points(model.lang, over) or (" - " if over.outcome is None else "")
        wide = max(bead.cell_len, cell_len(below)) + (1 if beads else 0)
        if used + wide > width:
            break
        used += wide
        beads.append(padded_to(bead, wide))
        points.append(padded_to(Text(below, "dim"), wide))
    has_sides = any(len(slots) > 1 for slots in model.game.areas.values())
    first = list(reversed(beads)) if beads else [Text(text(model.lang, "picture.no_round"), "dim")]
    if has_sides or any(each.plain.strip() for each in points):
        return Text.assemble(*first, "\n", *reversed(points))
    return Text.assemble(*first)


def _short(lang: Language, over: FinishedRound) -> str:
    """Return an outcome in a letter or two: `P`, `S4`, `20`."""
    found = names.short(lang, over.outcome)
    return found if cell_len(found) <= LETTERS else found[:1].upper()


def _points(lang: Language, over: FinishedRound) -> str:
    """Return the points of each hand, in the order of the message; "" if they are too many to be understood."""
    return ":".join(points_words(lang, each) for each in over.points.values()) if len(over.points) <= PAIR else ""


def _last(model: ScreenModel) -> str:
    """Return the last round in words; with its hands where they do not lie on the table any more."""
    if not model.over:
        return "-"
    over, lang = model.over[-1], model.lang
    outcome = names.outcome(lang, over.outcome).replace("_", " ").upper()
    notes = [names.remark(lang, note) for note in over.notes]
    result = text(lang, "between.parts").join([f"{outcome} {_points(lang, over)}".rstrip(), *notes])
    hands = () if lying(model)[1] else _hands(model, over)
    return "  ".join([text(lang, "picture.last", round=over.round, result=result), *hands])


def _hands(model: ScreenModel, over: FinishedRound) -> Iterator[str]:
    """Yield each hand of a finished round that was shown: `S2 9♠ 9♥ pair`."""
    area = {slot: name for name, slots in model.game.areas.items() for slot in slots if len(slots) > 1}
    hands: dict[str, list[str | None]] = {}
    for slot, card in over.cards:
        hands.setdefault(area.get(slot, slot), []).append(card)
    for name, cards in hands.items():
        if all(cards):
            points = points_words(model.lang, over.points.get(name, "")) if len(over.points) > PAIR else ""
            shown = known(model.lang, f"hand.{name}") or short_name(name, hands)
            yield " ".join(filter(None, (shown, *[card_face(card).plain for card in cards], points)))


def _left(model: ScreenModel) -> Text:
    table, lang = model.states["table"], model.lang
    left = table.get("cards_left")
    if left is None:
        return Text(text(lang, "phase.empty"))
    full = round(BAR * min(left / model.size, 1))
    burn = text(lang, "status.to_burn", count=table["burn_left"]) if table["burn_left"] else ""
    change = f"{text(lang, 'between.parts')}{text(lang, 'status.shoe_change')}" if table["shoe_change"] else ""
    words = f" {text(lang, 'picture.left', left=left, size=model.size)}{burn}{change}"
    return Text.assemble(("█" * full, "green"), ("░" * (BAR - full), "dim"), words)
