"""The demo's live picture: table, lamps, rounds, broker and reader, drawn with rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from firmware_bridge.games.game import Game
from firmware_bridge.sim.felt import RED, colour, felt, lamp, outcome_colour
from firmware_bridge.sim.props import lamps
from firmware_bridge.sim.stage import Stage
from firmware_bridge.sim.story import Story, brief, face, headline, remarks

WIDTH: Final = 78
BEADS: Final = 12
WORDS: Final = {"steady": "steady", "confirm": "1 Hz", "blocked": "5 Hz", "double": "double flash"}


def picture(stage: Stage, story: Story) -> RenderableType:
    """The whole screen, from what the subscriber has heard so far."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", width=7)
    facts.add_column(overflow="fold")
    for name, value in _facts(stage, story):
        facts.add_row(name, value)
    title = f" table {stage.config.table.id}  {_where(stage)} "
    return Panel(Group(felt(stage), Text(), facts), title=title, title_align="left", width=WIDTH, border_style="green")


def _where(stage: Stage) -> str:
    table = stage.backend.states["table"]
    if not table:
        return "no word from the shoe yet"
    shoe = f"shoe {table['shoe']}"
    if table["phase"] in ("empty", "ended"):
        return f"{shoe} {table['phase']}: a new one is shuffled" if table["shoe"] else "the shoe is shuffled"
    last = "  LAST ROUND" if table["last"] else ""
    return f"{shoe}  round {table['round']}  {table['phase']}{last}"


def _lit(game: Game, lit: dict[str, str]) -> Text:
    """All lit lamps with their rhythms in words."""
    shown = [(name, lit[name]) for name in lamps(game) if name in lit]
    parts = [Text.assemble(lamp(name, rhythm), f" {name} {WORDS[rhythm]}") for name, rhythm in shown]
    return Text("   ").join(parts) if parts else Text("all dark", "dim")


def _facts(stage: Stage, story: Story) -> Iterable[tuple[str, RenderableType]]:
    backend = stage.backend
    yield "lamps", _lit(stage.game, backend.states["lamps"].get("lit", {}))
    yield "why", Text("\n".join(backend.states["lamps"].get("why", ())[:2]) or "-", no_wrap=True)
    yield "rounds", _beads(stage.game, backend.rounds)
    yield "last", _last(stage.game, backend.rounds)
    yield "shoe", _left(stage)
    yield "burn", _burn(backend.burned)
    yield "broker", _broker(stage)
    yield "reader", _reader(stage)
    yield "open", _open(backend.states["alarm"].get("open", ()))
    yield "news", Text("\n".join(f"{word}: {text}" for word, text in list(story.lines)[-3:]), no_wrap=True)


def _beads(game: Game, rounds: list[dict[str, Any]]) -> RenderableType:
    """The latest rounds as beads: the outcome's letter, and the points of each hand below."""
    latest = rounds[-BEADS:]
    if not latest:
        return Text("none yet\n", "dim")
    beads = Table.grid(padding=(0, 1))
    beads.add_row(*[_bead(game, told.get("outcome", "void")) for told in latest])
    beads.add_row(*[Text(_points(told), "dim") for told in latest])
    return beads


def _bead(game: Game, outcome: str) -> Text:
    return Text(f" {outcome[0].upper()} ", outcome_colour(game, outcome))


def _points(told: dict[str, Any]) -> str:
    """The points of each hand, in the order of the message."""
    return ":".join(brief(hand["points"]) for hand in told.get("hands", {}).values()) or " - "


def _last(game: Game, rounds: list[dict[str, Any]]) -> Text:
    if not rounds:
        return Text("-")
    told = rounds[-1]
    if told["status"] == "voided":
        return Text(f"round {told['round']}: VOID, {'; '.join(told['why'])}")
    return Text(f"round {told['round']}: {headline(told)}{remarks(game, told)}")


def _left(stage: Stage) -> Text:
    table, cut = stage.backend.states["table"], stage.backend.cut_card
    left = table.get("cards_left")
    if left is None:
        return Text("none open")
    bar = round(24 * left / stage.size)
    met = f"cut card met: round {cut} is the last" if cut else "cut card still in it"
    return Text.assemble(("█" * bar, "green"), ("░" * (24 - bar), "dim"), f" {left} of {stage.size} left, {met}")


def _burn(burned: list[str | None]) -> Text:
    if not burned:
        return Text("-")
    return Text(" ").join(Text(face(card), colour(card)) if card else Text("░░", "blue") for card in burned)


def _broker(stage: Stage) -> Text:
    if stage.bridge is None:
        return Text("-")
    status = stage.bridge.uplink.status()
    if not status["up"]:
        return Text(f"✗ NOT CONNECTED  {_waiting(stage, status)}; this picture stands still", RED)
    took = stage.backend.latency_ms
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
    backend = stage.backend
    return Text(f"✓ {stage.play.reader}, {backend.cards} drawn in {backend.messages} messages")


def _open(alarms: Iterable[dict[str, Any]]) -> Text:
    lines = [Text.assemble((f"! {each['id']}", RED), f": {each['todo']}") for each in alarms]
    return Text("\n").join(lines) if lines else Text("nothing is wrong", "dim")
