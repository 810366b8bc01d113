"""The cards and lamps of a table as they lie on the felt, drawn with rich."""

from __future__ import annotations

import time
from typing import Final

from rich.table import Table
from rich.text import Text

from firmware_bridge.games.game import Game
from firmware_bridge.shoe.round import layout
from firmware_bridge.sim.stage import Stage
from firmware_bridge.sim.story import brief, face
from hardware.pins.lamps import phase

BACK: Final = "░░░░"
RED: Final = "bold red"
RESERVE: Final = "reserve"
"""The area of the slots where cards wait for the next round; it counts nothing."""

COLOURS: Final = ("white on blue", "white on red", "white on magenta", "white on cyan")
"""Of areas, in the order of the game."""

NOBODYS: Final = "black on green"
"""Of an outcome that is no area's."""

LIT: Final = {"ready": "bold green", "fault": "bold red"}

Slots = dict[str, str | None]
"""Filled slot -> its card, None for one that lies face down."""


def felt(stage: Stage) -> Table:
    """Every slot with its card and lamp, and what each area counts."""
    cloth = Table.grid(padding=(0, 3))
    slots, is_over = _slots(stage)
    lamps = stage.backend.states["lamps"].get("lit", {})
    points = _points(stage, is_over)
    reserves = stage.game.reserves(stage.config.terms)
    areas = {name: of for name, of in stage.game.areas.items() if name != RESERVE or reserves}
    outcome = stage.backend.rounds[-1].get("outcome") if is_over else None
    cloth.add_row(*[_name(stage.game, area, points.get(area), outcome) for area in areas])
    cloth.add_row(*[_row(of, slots, lamps, is_over) for of in areas.values()])
    return cloth


def outcome_colour(game: Game, outcome: str) -> str:
    """The style of an outcome, or of an area: the area's that won."""
    areas = [name for name in game.areas if name != RESERVE]
    if outcome in areas:
        return COLOURS[areas.index(outcome) % len(COLOURS)]
    return "dim" if outcome in (RESERVE, "void") else NOBODYS


def lamp(name: str, rhythm: str | None) -> Text:
    """The lamp as it is at this moment: it blinks."""
    if rhythm is None:
        return Text("·", "dim")
    is_lit, _ = phase(rhythm, int(1000 * time.monotonic()))
    return Text("●" if is_lit else "○", LIT.get(name, "bold yellow"))


def colour(card: str) -> str:
    """The style of a card's face."""
    return RED if card[1] in "hd" else "bold"


def _points(stage: Stage, is_over: bool) -> dict[str, str]:
    """What each area counts: as the round's message says it, else as far as the open cards tell."""
    if is_over:
        hands = stage.backend.rounds[-1].get("hands", {})
        return {name: brief(hand["points"]) for name, hand in hands.items()}
    shoe = stage.shoe()
    return dict(stage.game.points(layout(shoe))) if shoe and shoe.laid else {}


def _slots(stage: Stage) -> tuple[Slots, bool]:
    """What lies on the table; until the next round's first card that is the round before (True)."""
    backend = stage.backend
    laid: Slots = {each["slot"]: each.get("card") for each in backend.states["table"].get("slots", ())}
    if laid or not backend.rounds or backend.rounds[-1]["shoe"] != backend.states["table"].get("shoe"):
        return laid, False
    return {each["slot"]: each["card"] for each in backend.rounds[-1]["cards"]}, True


def _name(game: Game, area: str, points: str | None, outcome: str | None) -> Text:
    text = Text(f" {area.upper()} ", style=outcome_colour(game, area))
    if points is not None:
        text = Text.assemble(text, (f"  {points}", "bold"))
    if outcome is None or area == RESERVE:
        return text
    won = "  wins" if outcome == area else "" if outcome in game.areas else f"  {outcome}"
    return Text.assemble(text, (won, "bold"))


def _row(names: tuple[str, ...], slots: Slots, lamps: dict[str, str], is_over: bool) -> Text:
    """Cards side by side in three lines, the lamp of each slot below."""
    boxes = [_box(name, slots, lamps.get(name), is_over) for name in names]
    lines = [Text(" ").join(parts) for parts in zip(*boxes, strict=True)]
    return Text("\n").join(lines)


def _box(name: str, slots: Slots, rhythm: str | None, is_over: bool) -> list[Text]:
    """A card's place; a steady lamp asks for the card."""
    filled, is_due = name in slots, rhythm == "steady"
    edge = "dim" if is_over or not filled else ""
    top, bottom = ("┌────┐", "└────┘") if filled else ("┌╌╌╌╌┐", "└╌╌╌╌┘")
    if is_due:
        edge, top, bottom = "bold yellow", "╔════╗", "╚════╝"
    side = "║" if is_due else "│" if filled else "╎"
    inside = _inside(slots[name]) if filled else Text("DRAW" if is_due else "    ", "bold yellow")
    if is_over:
        inside.stylize("dim")
    return [
        Text(top, edge),
        Text.assemble((side, edge), inside, (side, edge)),
        Text(bottom, edge),
        Text.assemble(f" {name} ", lamp(name, rhythm), " "),
    ]


def _inside(card: str | None) -> Text:
    if card is None:
        return Text(BACK, "blue")
    return Text(f" {face(card)} ", colour(card))
