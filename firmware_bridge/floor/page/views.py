"""Draws the pages of the pit, whole and as live parts; an unchanged part is not drawn again."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, get_args

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page import detail, seal
from firmware_bridge.floor.page.document import address, document, section
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.markup import Html, Part, joined, tag
from firmware_bridge.floor.page.records import UNKNOWN, Sealed
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.tile import Trouble, order, tile
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, Grid, road
from firmware_bridge.games.baccarat.drawn.shapes import Ink, Label, Sheet
from firmware_bridge.games.baccarat.drawn.sheet import Heading, Look, sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS
from firmware_bridge.games.baccarat.roads import ALL_GOOD, Board
from firmware_bridge.games.baccarat.roads.columns import LETTERS
from firmware_bridge.topics.texts import Language, text

log = logging.getLogger(__name__)

INKS: Final[dict[Ink, str]] = {ink: f"var(--{ink.replace('_', '-')})" for ink in get_args(Ink)}
"""Colours by the names of page.css."""

TILE: Final = Grid(BESIDE, 1, 22, 21)
"""The grid of a tile's big road."""

SIZE: Final = (1600, 900)
"""Width and height of a board, in units of its picture."""

SECTIONS: Final = ("alarms", "now", "roads", "rounds", "record", "health", "times")
TITLES: Final = {"alarms": "page.open_alarms", "times": "health.times"}

TILES: Final = 8
"""Most tiles of a piece of the document."""

TILES_HERE: Final = Html("<!--tiles-->")
"""Placeholder of the tiles in the document."""


class _Drawn(NamedTuple):
    """Drawn parts of a table, and their inputs."""

    seen: Seen
    version: int
    needs: Trouble
    record: Sealed
    parts: dict[str, str]


class Views:
    """Draws the pages of a feed; only on the event loop."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._drawn: dict[tuple[str, str, Language], _Drawn] = {}
        self._grids: dict[Language, tuple[int, dict[str, str]]] = {}
        self._roads: dict[tuple[str, str, Language], tuple[Board, str]] = {}

    def grid_parts(self, lang: Language) -> dict[str, str]:
        """Parts of the grid: state, road and seal of each tile; `order`: sorted names and addresses of the tables."""
        known = self._grids.get(lang)
        if known is None or known[0] != self._feed.version:
            known = self._grids[lang] = (self._feed.version, self._grid(lang))
        return known[1]

    def _grid(self, lang: Language) -> dict[str, str]:
        tables, troubles = self._feed.floor.tables, self._feed.troubles
        names = order([(seen, troubles[name]) for name, seen in tables.items()])
        parts = self._common(lang)
        if not self._feed.fault or names:
            parts["order"] = json.dumps([[name, address(name)] for name in names])
            parts["count"] = tag("p", text(lang, "page.count", count=len(names)) if names else text(lang, "page.none"))
        for name in names:
            parts |= self._table("tile", name, lang)
        return parts

    def grid_document(self, lang: Language) -> str:
        """The page of all tables."""
        return "".join(self.grid_pieces(lang))

    def grid_pieces(self, lang: Language, who: Part = None) -> Iterator[str]:
        """The page of all tables in pieces of some tiles, each as it is by then. who: is signed in."""
        parts = self.grid_parts(lang)
        count = tag("div", Html(parts.get("count", "")), id="count", class_="muted")
        main = joined(_broker(parts), count, tag("ul", TILES_HERE, id="grid", class_="grid"))
        whole = document(lang, text(lang, "page.title"), "/", main, skip=text(lang, "page.skip"), who=who)
        above, _, below = whole.partition(TILES_HERE)
        yield above
        tables = json.loads(parts.get("order", "[]"))
        for first in range(0, len(tables), TILES):
            now = self.grid_parts(lang)
            yield joined(*[_tile(name, where, now, lang) for name, where in tables[first : first + TILES]])
        yield below

    def table_parts(self, name: str, lang: Language) -> dict[str, str]:
        """Parts of a table's page; empty for an unknown table."""
        if name not in self._feed.floor.tables:
            unknown = tag("p", text(lang, "page.unknown", name=name))
            return self._common(lang) | dict.fromkeys(SECTIONS, "") | {"state": unknown}
        return self._common(lang) | self._table("page", name, lang)

    def table_document(self, name: str, lang: Language, who: Part = None, orders: Part = None) -> str:
        """A table's own page. who: is signed in. orders: the forms of his orders."""
        parts = self.table_parts(name, lang)
        boxes = [
            section(key, text(lang, TITLES.get(key, f"page.{key}")), Html(parts[key]))
            for key in SECTIONS
            if key in parts
        ]
        state = tag("div", Html(parts["state"]), id="state", class_="card-box")
        main = joined(_broker(parts), tag("div", state, *boxes[:1], orders, *boxes[1:], class_="table-page"))
        skip = text(lang, "page.skip_table")
        return document(lang, _named(name, lang), address(name), main, skip=skip, back=True, who=who)

    def unknown_document(self, name: str, lang: Language) -> str:
        """The page of an unknown table."""
        parts = self.table_parts(name, lang)
        main = joined(_broker(parts), tag("div", Html(parts["state"]), id="state", class_="card-box"))
        return document(lang, _named(name, lang), address(name), main, skip=text(lang, "page.skip_table"), back=True)

    def _common(self, lang: Language) -> dict[str, str]:
        banners = [text(lang, "page.broker_lost")] if self._feed.fault else []
        if count := self._feed.listed.recent:
            banners.append(text(lang, "page.unlisted", count=count))
        return {"broker": joined(*[tag("p", words, class_="banner") for words in banners])}

    def _table(self, view: str, name: str, lang: Language) -> dict[str, str]:
        seen, needs = self._feed.floor.tables[name], self._feed.troubles[name]
        drawn = self._drawn.get((view, name, lang))
        now = (seen.version, needs, self._sealed(seen))
        if drawn is None or drawn.seen is not seen or drawn[1:4] != now:
            draw = self._tile if view == "tile" else self._page
            drawn = self._drawn[view, name, lang] = _Drawn(seen, *now, draw(seen, needs, lang))
        return drawn.parts

    def _tile(self, seen: Seen, needs: Trouble, lang: Language) -> dict[str, str]:
        draws: dict[str, Callable[[], str]] = {
            f"t-{seen.name}": lambda: tile(seen, needs, lang, self._feed.clock()),
            f"r-{seen.name}": lambda: self._road("tile", seen, lang),
            f"s-{seen.name}": lambda: seal.seal(seen, self._sealed(seen), self._feed.watching, lang),
        }
        return {id: self._part(seen, id, lang, draw) for id, draw in draws.items()}

    def _page(self, seen: Seen, needs: Trouble, lang: Language) -> dict[str, str]:
        record = self._sealed(seen)
        draws: dict[str, Callable[[], str]] = {
            "state": lambda: detail.state(seen, needs, lang, self._feed.clock(), *seal.open_incidents(record, lang)),
            "alarms": lambda: detail.alarms(seen, lang),
            "now": lambda: detail.on_the_table(seen, lang),
            "roads": lambda: self._road("page", seen, lang),
            "rounds": lambda: detail.rounds(seen, lang),
            "record": lambda: seal.record(seen, record, self._feed.watching, lang),
            "health": lambda: detail.health(seen, lang),
            "times": lambda: detail.times(seen, lang),
        }
        if not seen.roads:
            del draws["roads"]
        return {id: self._part(seen, id, lang, draw) for id, draw in draws.items()}

    def _sealed(self, seen: Seen) -> Sealed:
        return self._feed.sealed.get(seen.name, UNKNOWN)

    def _part(self, seen: Seen, id: str, lang: Language, draw: Callable[[], str]) -> str:
        """A drawn part, or after an error a line that says so."""
        try:
            return draw()
        except Exception:  # a message of one table must not break the page of all
            if self._feed.is_first(seen.name, id):
                log.exception("table %s: the part %s cannot be drawn", escaped(seen.name), escaped(id))
            return tag("p", text(lang, "page.not_drawn"), class_="bad")

    def _road(self, view: str, seen: Seen, lang: Language) -> str:
        """The big road of a tile, or all roads, drawn once a round."""
        board = seen.roads
        if board is None:
            return ""
        known = self._roads.get((view, seen.name, lang))
        if known is None or known[0] is not board:
            drawn = (
                big_road(board, lang, seen.name) if view == "tile" else whole_board(board, lang, _heading(seen, board))
            )
            known = self._roads[view, seen.name, lang] = (board, drawn)
        return known[1]


def big_road(board: Board, lang: Language, table: str) -> Html:
    """The last columns of the big road, without a title."""
    shapes = [each for each in road(board, "big", TILE, WORDS[lang]) if not isinstance(each, Label) or each.y > 0]
    width, height = int(2 * BESIDE + TILE.width), int(TILE.height + 2)
    return _html(Sheet(width, height, 1, tuple(shapes), INKS, lang, text(lang, "page.road", table=table)))


def whole_board(board: Board, lang: Language, heading: Heading) -> Html:
    """The whole board, in a box that scrolls."""
    drawn = sheet(board, Look(language=lang, good=ALL_GOOD, size=SIZE), heading)._replace(inks=INKS)
    name = text(lang, "page.roads")
    return tag("div", _html(drawn), id="board", class_="scroll", tabindex="0", role="group", aria_label=name)


def _html(drawn: Sheet) -> Html:
    return Html(svg(drawn).replace("\n", ""))


def _tile(name: str, where: str, parts: Mapping[str, str], lang: Language) -> Html:
    """The frame of a table's tile, with its parts; empty for a table that is gone."""
    state, road, record = f"t-{name}", f"r-{name}", f"s-{name}"
    return tag(
        "li",
        tag("h2", tag("a", name, href=f"{where}?lang={lang}")),
        tag("div", Html(parts.get(state, "")), id=state),
        tag("div", Html(parts.get(road, "")), id=road, class_="road"),
        tag("div", Html(parts.get(record, "")), id=record, class_="seals"),
        id=f"tile-{name}",
    )


def _named(name: str, lang: Language) -> str:
    return text(lang, "page.table", name=name)


def _heading(seen: Seen, board: Board) -> Heading:
    """The heading of a board, with the points of its newest round."""
    shoe, points = seen.shoe or 0, {}
    for over in seen.last_rounds(1):
        if over.outcome and over.shoe == shoe and LETTERS.get(over.outcome) == board.outcomes[-1:]:
            points = {name: hand.points for name, hand in over.hands.items()}
    return Heading(table=seen.name, shoe=shoe, points=points)


def _broker(parts: dict[str, str]) -> Html:
    return tag("div", Html(parts["broker"]), id="broker")
