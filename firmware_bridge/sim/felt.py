"""The cards and lamps of a table as they lie on the felt, drawn with rich."""

from __future__ import annotations

import time
from typing import Final

from rich.table import Table
from rich.text import Text

from firmware_bridge.facts.cards import Card
from firmware_bridge.games import LAYOUTS
from firmware_bridge.sim.stage import Stage
from firmware_bridge.sim.story import face
from hardware.pins.lamps import phase

BACK: Final = "░░░░"
RED: Final = "bold red"
SIDES: Final = {"player": ("P1", "P2", "P3"), "banker": ("B1", "B2", "B3"), "reserve": ("R1", "R2")}
COLOURS: Final = {"player": "white on blue", "banker": "white on red", "tie": "black on green"}
LIT: Final = {"ready": "bold green", "fault": "bold red"}

Slots = dict[str, str | None]
"""Filled slot -> its card, None for one that lies face down."""


def felt(stage: Stage) -> Table:
    """Every slot with its card and lamp, and both totals."""
    cloth = Table.grid(padding=(0, 3))
    slots, is_over = _slots(stage)
    lamps = stage.backend.states["lamps"].get("lit", {})
    points = totals(slots, stage.play.procedure)
    sides = [side for side in SIDES if side != "reserve" or stage.play.procedure == "six-card"]
    winner = stage.backend.rounds[-1].get("outcome") if is_over else None
    cloth.add_row(*[_name(side, points.get(side), winner) for side in sides])
    cloth.add_row(*[_row(SIDES[side], slots, lamps, is_over) for side in sides])
    return cloth


def lamp(name: str, rhythm: str | None) -> Text:
    """The lamp as it is at this moment: it blinks."""
    if rhythm is None:
        return Text("·", "dim")
    is_lit, _ = phase(rhythm, int(1000 * time.monotonic()))
    return Text("●" if is_lit else "○", LIT.get(name, "bold yellow"))


def colour(card: str) -> str:
    """The style of a card's face."""
    return RED if card[1] in "hd" else "bold"


def totals(slots: Slots, procedure: str) -> dict[str, int]:
    """Both totals as far as the open cards tell; none while a carried card is face down."""
    order = [name for name in ("P1", "B1", "P2", "B2", "P3", "B3", "R1", "R2") if name in slots]
    if any(slots[name] is None for name in order[:4]):
        return {}
    hands = {"player": ["P1", "P2", "P3"], "banker": ["B1", "B2", "B3"]}
    reserves = [name for name in order if name[0] == "R"]
    if reserves and procedure == "six-card":
        faces = tuple(Card(slots[name] or "As") for name in order)
        for name, used in zip(order, LAYOUTS["baccarat"](faces, procedure).used, strict=True):
            if name in reserves and used and slots[name]:
                hands["player" if used[0] == "P" else "banker"].append(name)
    points = {side: [Card(card).points for each in names if (card := slots.get(each))] for side, names in hands.items()}
    return {side: sum(each) % 10 for side, each in points.items() if each}


def _slots(stage: Stage) -> tuple[Slots, bool]:
    """What lies on the table; until the next round's first card that is the round before (True)."""
    backend = stage.backend
    laid: Slots = {each["slot"]: each.get("card") for each in backend.states["table"].get("slots", ())}
    if laid or not backend.rounds or backend.rounds[-1]["shoe"] != backend.states["table"].get("shoe"):
        return laid, False
    return {each["slot"]: each["card"] for each in backend.rounds[-1]["cards"]}, True


def _name(side: str, total: int | None, winner: str | None) -> Text:
    text = Text(f" {side.upper()} ", style=COLOURS.get(side, "dim"))
    if total is not None:
        text = Text.assemble(text, (f"  {total}", "bold"))
    won = {side: "  wins", "tie": "  tie"}.get(winner or "", "")
    return Text.assemble(text, (won, "bold") if side != "reserve" else "")


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
