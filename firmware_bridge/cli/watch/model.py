"""Model of a running daemon's screen: table, roads, the reader's signal, pins, health, frames."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from rich.text import Text

from firmware_bridge.cli.roads.terminal import DERIVED, NARROWEST, SHAPES, Paint
from firmware_bridge.cli.roads.terminal import screen as roads_screen
from firmware_bridge.cli.watch.language import translated
from firmware_bridge.cli.watch.machine import Status, faulty, frame_line, machine, rows, rules, word
from firmware_bridge.cli.watch.screen import Standing, decisions, mode_word, mode_words, next_step, standing
from firmware_bridge.facts.printable import escaped, harmless
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.game import Game
from firmware_bridge.screen.picture import HEIGHT, screen
from firmware_bridge.screen.table_widget import Boards, FinishedRound, Lines, Row, ScreenModel, abreast, padded_to
from firmware_bridge.screen.words import on_screen, remarks, shown_hands
from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.phrases import in_words
from hardware.pins.lamps import RHYTHMS

BEADS: Final = 42
BIG: Final = 120
"""Columns of the terminal for the bead plate, and for the big road where more stands beside it."""

ROOMY: Final = 15
"""Columns of a derived road from which it is spaced like the big road."""

GAP: Final = 3
Drawn = Sequence[Lines]

KEPT: Final = 100
"""Frames kept for the screen; more than a tall terminal shows."""

FRAMES: Final = 2
"""Frames that remain where room is scarce: a card and its acknowledgement."""

EDGES: Final[Mapping[Standing, str]] = {"in_order": "green", "goes_on": "yellow", "calibration": "yellow"}
"""How the table stands -> colour of the frame; red for a stopped one, and where no daemon is."""


class Watched:
    """Status and last frames of a daemon; makes screens of a terminal's size."""

    def __init__(self, lang: Language = "en") -> None:
        self._lang = lang
        self._frames: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._last: Status | None = None
        self.gone = ""

    def update(self, status: Status) -> None:
        last = self._last = harmless(translated(status, self._lang))
        self.gone = ""
        self._frames.extend(last.get("seen", {}).get("frames", []))

    def lose(self, why: str) -> None:
        """Record that the daemon has gone, and drop its frames."""
        self.gone = escaped(why)
        self._frames.clear()

    @property
    def blinks_s(self) -> float | None:
        """Shortest step of a blinking lamp in seconds; None if all are steady."""
        lit = self._last["lamps"]["lit"] if self._last and not self.gone else {}
        steps = [step for rhythm in lit.values() for step in RHYTHMS.get(rhythm, ())]
        return min(steps) / 1000 if steps else None

    def screen(self, width: int, height: int, keys: str) -> list[Text]:
        """Return `height` lines of at most `width` columns; `keys` says what can be pressed."""
        if self._last is None:
            return []
        return screen(_model(self._last, self._news(), self.gone, keys, self._lang), width, height)

    def _news(self) -> Row:
        lines = [frame_line(frame) for frame in self._frames]
        return Row(
            "frames",
            Text("\n".join(lines) or text(self._lang, "machine.no_frames")),
            keeps=FRAMES,
            is_news=True,
            wraps=False,
        )


def boards_of(game: Game, states: Mapping[str, Any], lang: Language = "en") -> Boards:
    """Return the boards of a game's own topics, as far as they are drawn here and have come."""

    def boards(width: int, beside: int) -> tuple[Lines, Drawn]:
        named = [topic.name for topic in game.topics if topic.name in DRAWN and states.get(topic.name)]
        drawn = [DRAWN[name](states[name], width, beside, lang) for name in named]
        side = next((first for first, _ in drawn), ())
        return side, [block for _, blocks in drawn for block in blocks]

    return boards


def _roads(body: Mapping[str, Any], width: int, beside: int, lang: Language) -> tuple[Lines, Drawn]:
    """Return the bead plate, beside the cards if it fits there, else beside the big road; the other roads.

    Besides the big road ask road and good roads, and below it the derived roads, each if they fit.
    """
    board = msgspec.convert(body, Board)
    road = partial(_road, board, lang)
    side: Lines = road("bead", BEADS) if beside >= BEADS else ()
    big = BIG if width >= BIG + GAP + NARROWEST else width
    bands: list[Drawn] = [[road("big", width)], [road("bead", width)]]
    if side:
        asked = [*road("ask", NARROWEST), Text(), *road("good", width - GAP - big)] if big < width else []
        bands = [[road("big", big), asked] if asked else [road("big", big)]]
    elif width >= BEADS + GAP + NARROWEST:
        bands = [[road("bead", BEADS), road("big", width - GAP - BEADS)]]
    if width >= 3 * NARROWEST + 2 * GAP:
        third = (width - 2 * GAP) // 3
        bands.append([road(kind, third) for kind in DERIVED])
    return side, [abreast(band, width) for band in bands]


def _road(board: Board, lang: Language, kind: Kind, width: int) -> list[Text]:
    lines = roads_screen(board, lang, kind, Paint(True, SHAPES["utf"], width, ROOMY)).split("\n")
    return [padded_to(Text.from_ansi(line), width) for line in lines]


DRAWN: Final[Mapping[str, Callable[[Mapping[str, Any], int, int, Language], tuple[Lines, Drawn]]]] = {"roads": _roads}
"""A game's own topic -> its boards as in `Boards`."""


def _model(status: Status, frames: Row, gone: str, keys: str, lang: Language) -> ScreenModel:
    settings = status["table"]["settings"]
    game = GAMES[settings["game"]]
    stands = text(lang, "machine.gone", why=in_words(lang, gone)) if gone else mode_words(status, lang)
    edge = "red" if gone else EDGES.get(standing(status), "red")
    return ScreenModel(
        table=status["table_id"],
        game=game,
        shoe=status["shoe"],
        size=settings["decks"] * game.size,
        states={name: status[name] for name in ("table", "lamps", "alarm")},
        news=frames,
        lang=lang,
        over=tuple(map(_over, [status] * len(status["rounds"]), status["rounds"])),
        points=status.get("points", {}),
        seats=status.get("seats", ()),
        has_reserves=bool(game.play.reserves(msgspec.convert(settings["terms"], game.terms))),
        head=Text(stands, f"bold {edge}"),
        first=[] if gone else list(_first(status, lang)),
        rows=list(_rows(status, gone, lang)),
        boards=boards_of(game, status, lang),
        keys=keys,
        edge=edge,
    )


def _first(status: Status, lang: Language) -> Iterator[Row]:
    """Yield the next step, and the orders that settle open alarms."""
    if step := next_step(status, lang):
        yield Row("next", Text(step), keeps=HEIGHT)
    if orders := [order for alarm in status["alarm"]["open"] for order in decisions(alarm)]:
        yield Row("orders", Text("\n".join(orders)), keeps=HEIGHT)


def _rows(status: Status, gone: str, lang: Language) -> Iterator[Row]:
    wrong = faulty(status)
    for name, words in machine(status, lang):
        keeps = 0 if name == "journal" and name not in wrong else 1
        yield Row(name, Text(words, "bold red" if name in wrong else ""), keeps)
    yield Row("table", Text(_table(status, lang)), keeps=0)
    if not gone:
        for name, words in rows(status, lang):
            yield Row(name, Text(words))
        yield Row("frames", Text(text(lang, "machine.legend"), "dim"), keeps=0)


def _table(status: Status, lang: Language) -> str:
    table = status["table"]
    settings = table["settings"]
    return text(
        lang,
        "machine.table",
        rules=rules(settings, lang),
        policy=word(lang, "policy", settings["policy"]),
        held=text(lang, "machine.held", count=table["held"]) if table["held"] else "",
        mode=mode_word(status, lang),
        version=status["version"],
    )


def _over(status: Status, result: dict[str, Any]) -> FinishedRound:
    game = GAMES[status["table"]["settings"]["game"]]
    notes = remarks(game, result | result["own"]) if result["outcome"] else ()
    cards = on_screen([(slot, card) for slot, card in result["cards"]], result["own"])
    points = shown_hands({"hands": result["points"], **result["own"]})
    return FinishedRound(status["shoe"], result["round"], result["outcome"], points, cards, notes)
