"""Model of a running daemon's screen: table, roads, the reader's signal, pins, health, frames."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.text import Text

from firmware_bridge.cli.roads.terminal import NARROWEST, SHAPES, Paint
from firmware_bridge.cli.roads.terminal import screen as roads_screen
from firmware_bridge.cli.watch.screen import Status, decisions, machine, mode_words, next_step, rules
from firmware_bridge.facts.printable import escaped, harmless
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.game import Game
from firmware_bridge.screen.picture import HEIGHT, screen
from firmware_bridge.screen.table_widget import Boards, FinishedRound, Row, ScreenModel, abreast, padded_to
from firmware_bridge.screen.words import on_screen, remarks, shown_hands
from hardware.pins.lamps import RHYTHMS

ARROWS: Final = {"in": "<", "out": ">"}
LEGEND: Final = "< from the reader, > to it; ?? hidden: could reveal a card"
BEADS: Final = 42
GAP: Final = 3
Drawn = Sequence[Sequence[Text]]

KEPT: Final = 100
"""Frames kept for the screen; more than a tall terminal shows."""

BAD: Final = ("NOT CONNECTED", "connected, but", "SILENT", "STOPPED", "not open")
"""Wordings for a broker, reader or journal that is not in order."""

FRAMES: Final = 2
"""Frames that remain where room is scarce: a card and its acknowledgement."""

EDGES: Final = {"IN ORDER": "green", "PLAY GOES ON": "yellow", "CALIBRATION": "yellow"}
"""First words of the line about the table's state -> colour of the frame; red for others."""


class Watched:
    """Status and last frames of a daemon; makes screens of a terminal's size."""

    def __init__(self) -> None:
        self._frames: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._last: Status | None = None
        self.gone = ""

    def update(self, status: Status) -> None:
        last = self._last = harmless(status)
        self.gone = ""
        self._frames.extend(last.get("seen", {}).get("frames", []))

    def lose(self, why: str) -> None:
        """Records that the daemon has gone, and drops its frames."""
        self.gone = escaped(why)
        self._frames.clear()

    @property
    def blinks_s(self) -> float | None:
        """Shortest step of a blinking lamp in seconds; None if all are steady."""
        lit = self._last["lamps"]["lit"] if self._last and not self.gone else {}
        steps = [step for rhythm in lit.values() for step in RHYTHMS.get(rhythm, ())]
        return min(steps) / 1000 if steps else None

    def screen(self, width: int, height: int, keys: str) -> list[Text]:
        """`height` lines of at most `width` columns; `keys` says what can be pressed."""
        if self._last is None:
            return []
        return screen(_model(self._last, self._news(), self.gone, keys), width, height)

    def _news(self) -> Row:
        lines = [frame_line(frame) for frame in self._frames]
        return Row("frames", Text("\n".join(lines) or "none yet"), keeps=FRAMES, is_news=True, wraps=False)


def rows(status: Status) -> Iterator[tuple[str, str]]:
    """Name and text of signal, pins and health, as far as known."""
    if seen := status.get("seen"):
        yield "signal", _signal(seen)
        pins = seen["pins"]
        if pins["inputs"]:
            yield "inputs", _pins(pins["inputs"], "ACTIVE")
        if pins["outputs"]:
            yield "outputs", _pins(pins["outputs"], "ON")
    if health := status.get("health"):
        yield "health", _plain(health)


def frame_line(frame: dict[str, Any]) -> str:
    """Time, direction and hex of a frame."""
    at = time.strftime("%H:%M:%S", time.localtime(frame["at"] / 1000))
    return f"{at}.{frame['at'] % 1000:03} {ARROWS[frame['way']]} {frame['hex']}"


def _signal(seen: dict[str, Any]) -> str:
    signal, parts = seen["signal"], []
    if signal.get("quality") is not None:
        parts.append(
            f"quality {signal['quality']} ({signal['agreed']} of {signal['taken']}), {signal['transit_ms']} ms"
        )
    if "lamp" in signal:
        parts.append(f"lamp {signal['lamp']}, ambient {signal['ambient']}, {signal['temperature']} °C")
    if "unread" in signal:
        parts.append(f"last unread: {signal['unread']}")
    return "; ".join([*parts, f"{seen['good']} frames good, {seen['bad']} damaged"])


def _pins(pins: dict[str, bool | None], active: str) -> str:
    """Pins of one direction: active ones stand out; `?` for a leased or lost pin."""
    words = {True: f" {active}", False: "", None: " ?"}
    return "  ".join(f"{name}{words[is_active]}" for name, is_active in pins.items())


def _plain(health: Any) -> str:
    """A value of the daemon's health in one line."""
    if isinstance(health, dict):
        return ", ".join(f"{name} {_plain(value)}" for name, value in health.items() if value not in (None, [], {}, ""))
    if isinstance(health, list):
        return " / ".join(map(_plain, health))
    if isinstance(health, bool):
        return "yes" if health else "no"
    return str(health)


def boards_of(game: Game, states: Mapping[str, Any]) -> Boards:
    """Boards of a game's own topics, as far as they are drawn here and have come."""

    def boards(width: int) -> Drawn:
        named = [topic.name for topic in game.topics if topic.name in DRAWN and states.get(topic.name)]
        return [block for name in named for block in DRAWN[name](states[name], width)]

    return boards


def _roads(body: Mapping[str, Any], width: int) -> Drawn:
    """Bead plate and big road, side by side if both fit; then the derived roads if all three fit."""
    board = msgspec.convert(body, Board)
    bands: list[dict[Kind, int]] = [{"big": width}, {"bead": width}]
    if width >= BEADS + GAP + NARROWEST:
        bands = [{"bead": BEADS, "big": width - GAP - BEADS}]
    if width >= 3 * NARROWEST + 2 * GAP:
        third = (width - 2 * GAP) // 3
        bands.append({"big-eye": third, "small": third, "cockroach": third})
    return [abreast([_road(board, kind, wide) for kind, wide in band.items()], width) for band in bands]


def _road(board: Board, kind: Kind, width: int) -> list[Text]:
    lines = roads_screen(board, "en", kind, Paint(True, SHAPES["utf"], width)).split("\n")
    return [padded_to(Text.from_ansi(line), width) for line in lines]


DRAWN: Final[Mapping[str, Callable[[Mapping[str, Any], int], Drawn]]] = {"roads": _roads}
"""A game's own topic -> its boards for a width in columns, most wanted first."""


def _model(status: Status, frames: Row, gone: str, keys: str) -> ScreenModel:
    settings = status["table"]["settings"]
    game = GAMES[settings["game"]]
    stands = f"NO DAEMON: {gone}; waiting for it" if gone else mode_words(status)
    edge = next((colour for begin, colour in EDGES.items() if stands.startswith(begin)), "red")
    return ScreenModel(
        table=status["table_id"],
        game=game,
        shoe=status["shoe"],
        size=settings["decks"] * game.size,
        states={name: status[name] for name in ("table", "lamps", "alarm")},
        news=frames,
        over=tuple(map(_over, [status] * len(status["rounds"]), status["rounds"])),
        points=status.get("points", {}),
        has_reserves=bool(game.play.reserves(msgspec.convert(settings["terms"], game.terms))),
        head=Text(stands, f"bold {edge}"),
        first=[] if gone else list(_first(status)),
        rows=list(_rows(status, gone)),
        boards=boards_of(game, status),
        keys=keys,
        edge=edge,
    )


def _first(status: Status) -> Iterator[Row]:
    """Next step, and the orders that settle open alarms."""
    if step := next_step(status):
        yield Row("next", Text(step), keeps=HEIGHT)
    if orders := [order for alarm in status["alarm"]["open"] for order in decisions(alarm)]:
        yield Row("orders", Text("\n".join(orders)), keeps=HEIGHT)


def _rows(status: Status, gone: str) -> Iterator[Row]:
    for name, words in machine(status):
        bad = any(sign in words for sign in BAD)
        keeps = 0 if name == "journal" and not bad else 1
        yield Row(name, Text(words, "bold red" if bad else ""), keeps)
    yield Row("table", Text(_table(status)), keeps=0)
    if not gone:
        for name, words in rows(status):
            yield Row(name, Text(words))
        yield Row("frames", Text(LEGEND, "dim"), keeps=0)


def _table(status: Status) -> str:
    table = status["table"]
    settings = table["settings"]
    held = f", {table['held']} held" if table["held"] else ""
    return f"{rules(settings)}, {settings['policy']}{held}; mode {status['mode']}, version {status['version']}"


def _over(status: Status, result: dict[str, Any]) -> FinishedRound:
    game = GAMES[status["table"]["settings"]["game"]]
    notes = remarks(game, result | result["own"]) if result["outcome"] else ()
    corrected = ["corrected"] if result["revision"] else []
    cards = on_screen([(slot, card) for slot, card in result["cards"]], result["own"])
    points = shown_hands({"hands": result["points"], **result["own"]})
    return FinishedRound(status["shoe"], result["round"], result["outcome"], points, cards, [*notes, *corrected])
