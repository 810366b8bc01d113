"""The demo's live picture: table, lamps, rounds, broker and reader, drawn with rich."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from firmware_bridge.cards import Card
from firmware_bridge.cli.stage import LAMPS, Stage
from firmware_bridge.cli.story import Story, face, headline, remarks
from firmware_bridge.games import GAMES
from hardware.lamps import phase

WIDTH: Final = 78
BACK: Final = "░░░░"
BEADS: Final = 12
RED: Final = "bold red"
SIDES: Final = {"player": ("P1", "P2", "P3"), "banker": ("B1", "B2", "B3"), "reserve": ("R1", "R2")}
COLOURS: Final = {"player": "white on blue", "banker": "white on red", "tie": "black on green"}
WORDS: Final = {"steady": "steady", "confirm": "1 Hz", "blocked": "5 Hz", "double": "double flash"}
LIT: Final = {"ready": "bold green", "fault": "bold red"}

Slots = dict[str, str | None]
"""Filled slot -> its card, None for one that lies face down."""


def picture(stage: Stage, story: Story) -> RenderableType:
    """The whole screen, from what the subscriber has heard so far."""
    audience = stage.audience
    lamps = audience.states["lamps"].get("lit", {})
    slots, is_over = _slots(stage)
    cards = _felt(slots, lamps, stage, is_over)
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", width=7)
    facts.add_column(overflow="fold")
    for name, value in _facts(stage, story, lamps):
        facts.add_row(name, value)
    title = f" table {stage.config.table.id}  {_where(stage)} "
    return Panel(Group(cards, Text(), facts), title=title, title_align="left", width=WIDTH, border_style="green")


def _where(stage: Stage) -> str:
    table = stage.audience.states["table"]
    if not table:
        return "no word from the shoe yet"
    shoe = f"shoe {table['shoe']}"
    if table["phase"] in ("empty", "ended"):
        return f"{shoe} {table['phase']}: a new one is shuffled" if table["shoe"] != "0" else "the shoe is shuffled"
    last = "  LAST ROUND" if table["last"] else ""
    return f"{shoe}  round {table['round']}  {table['phase']}{last}"


# ------------------------------------------------------------ the felt


def _slots(stage: Stage) -> tuple[Slots, bool]:
    """What lies on the table; until the next round's first card that is the round before (True)."""
    audience = stage.audience
    laid: Slots = {each["slot"]: each.get("card") for each in audience.states["table"].get("slots", ())}
    if laid or not audience.rounds or audience.rounds[-1]["shoe"] != audience.states["table"].get("shoe"):
        return laid, False
    return {each["slot"]: each["card"] for each in audience.rounds[-1]["cards"]}, True


def _felt(slots: Slots, lamps: dict[str, str], stage: Stage, is_over: bool) -> Table:
    felt = Table.grid(padding=(0, 3))
    points = totals(slots, stage.play.procedure)
    sides = [side for side in SIDES if side != "reserve" or stage.play.procedure == "six-card"]
    winner = stage.audience.rounds[-1].get("outcome") if is_over else None
    felt.add_row(*[_name(side, points.get(side), winner) for side in sides])
    felt.add_row(*[_row(SIDES[side], slots, lamps, is_over) for side in sides])
    return felt


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
        Text.assemble(f" {name} ", _lamp(name, rhythm), " "),
    ]


def _inside(card: str | None) -> Text:
    if card is None:
        return Text(BACK, "blue")
    return Text(f" {face(card)} ", _colour(card))


def totals(slots: Slots, procedure: str) -> dict[str, int]:
    """Both totals as far as the open cards tell; none while a carried card is face down."""
    order = [name for name in ("P1", "B1", "P2", "B2", "P3", "B3", "R1", "R2") if name in slots]
    if any(slots[name] is None for name in order[:4]):
        return {}
    hands = {"player": ["P1", "P2", "P3"], "banker": ["B1", "B2", "B3"]}
    reserves = [name for name in order if name[0] == "R"]
    if reserves and procedure == "six-card":
        faces = tuple(Card(slots[name] or "As") for name in order)
        for name, used in zip(order, GAMES["baccarat"](faces, procedure).used, strict=True):
            if name in reserves and used and slots[name]:
                hands["player" if used[0] == "P" else "banker"].append(name)
    points = {side: [Card(card).points for each in names if (card := slots.get(each))] for side, names in hands.items()}
    return {side: sum(each) % 10 for side, each in points.items() if each}


# ------------------------------------------------------------ lamps


def _lamp(name: str, rhythm: str | None) -> Text:
    """The lamp as it is at this moment: it blinks."""
    if rhythm is None:
        return Text("·", "dim")
    is_lit, _ = phase(rhythm, int(1000 * time.monotonic()))
    return Text("●" if is_lit else "○", LIT.get(name, "bold yellow"))


def _lit(lamps: dict[str, str]) -> Text:
    """All lit lamps with their rhythms in words."""
    shown = [(name, lamps[name]) for name in LAMPS if name in lamps]
    parts = [Text.assemble(_lamp(name, rhythm), f" {name} {WORDS[rhythm]}") for name, rhythm in shown]
    return Text("   ").join(parts) if parts else Text("all dark", "dim")


# ------------------------------------------------------------ the facts below


def _facts(stage: Stage, story: Story, lamps: dict[str, str]) -> Iterable[tuple[str, RenderableType]]:
    audience = stage.audience
    yield "lamps", _lit(lamps)
    yield "why", Text("\n".join(audience.states["lamps"].get("why", ())[:2]) or "-", no_wrap=True)
    yield "rounds", _beads(audience.rounds)
    yield "last", _last(audience.rounds)
    yield "shoe", _left(stage)
    yield "burn", _burn(audience.burned)
    yield "broker", _broker(stage)
    yield "reader", _reader(stage)
    yield "open", _open(audience.states["alarm"].get("open", ()))
    yield "news", Text("\n".join(f"{word}: {text}" for word, text in list(story.lines)[-3:]), no_wrap=True)


def _beads(rounds: list[dict[str, Any]]) -> RenderableType:
    """The latest rounds as beads: the side's letter, and both totals below."""
    latest = rounds[-BEADS:]
    if not latest:
        return Text("none yet\n", "dim")
    beads = Table.grid(padding=(0, 1))
    beads.add_row(*[_bead(told.get("outcome", "void")) for told in latest])
    beads.add_row(*[Text(_points(told), "dim") for told in latest])
    return beads


def _bead(outcome: str) -> Text:
    return Text(f" {outcome[0].upper()} ", COLOURS.get(outcome, "dim"))


def _points(told: dict[str, Any]) -> str:
    """Both totals, the player's first."""
    return ":".join(str(hand["total"]) for hand in told.get("hands", {}).values()) or " - "


def _last(rounds: list[dict[str, Any]]) -> Text:
    if not rounds:
        return Text("-")
    told = rounds[-1]
    if told["status"] == "voided":
        return Text(f"round {told['round']}: VOID, {'; '.join(told['why'])}")
    return Text(f"round {told['round']}: {headline(told)}{remarks(told)}")


def _left(stage: Stage) -> Text:
    table, cut = stage.audience.states["table"], stage.audience.cut_card
    left = table.get("cards_left")
    if left is None:
        return Text("none open")
    bar = round(24 * left / stage.size)
    met = f"cut card met: round {cut} is the last" if cut else "cut card still in it"
    return Text.assemble(("█" * bar, "green"), ("░" * (24 - bar), "dim"), f" {left} of {stage.size} left, {met}")


def _burn(burned: list[str | None]) -> Text:
    if not burned:
        return Text("-")
    return Text(" ").join(Text(face(card), _colour(card)) if card else Text("░░", "blue") for card in burned)


def _colour(card: str) -> str:
    return RED if card[1] in "hd" else "bold"


def _broker(stage: Stage) -> Text:
    if stage.bridge is None:
        return Text("-")
    status = stage.bridge.uplink.status()
    if not status["up"]:
        return Text(f"✗ NOT CONNECTED  {_waiting(stage, status)}; this picture stands still", RED)
    took = stage.audience.latency_ms
    median = f", card to subscriber {took:.1f} ms" if took is not None else ""
    return Text(f"✓ {stage.broker.kind}, MQTT {status['protocol']}, {_waiting(stage, status)}{median}")


def _waiting(stage: Stage, status: dict[str, Any]) -> str:
    """How much of the journal the broker does not have yet."""
    assert stage.bridge is not None
    shoe, acked = stage.bridge.table.shoe, status["acked"]
    if not status["waiting"]:
        return "queue empty"
    if acked and acked[0] == shoe.journal:
        return f"queue {shoe.seq - acked[1]} entries"
    return "queue on disk"


def _reader(stage: Stage) -> Text:
    if not stage.pty.plugged:
        return Text("✗ CABLE PULLED", RED)
    audience = stage.audience
    return Text(f"✓ {stage.play.reader}, {audience.cards} drawn in {audience.messages} messages")


def _open(alarms: Iterable[dict[str, Any]]) -> Text:
    lines = [Text.assemble((f"! {each['id']}", RED), f": {each['todo']}") for each in alarms]
    return Text("\n").join(lines) if lines else Text("nothing is wrong", "dim")
