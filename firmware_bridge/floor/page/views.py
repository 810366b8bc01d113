"""Draws the pages of the pit, whole and as live parts; an unchanged part is not drawn again."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, get_args
from urllib.parse import quote

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.look import colour
from firmware_bridge.floor.page import detail, seal
from firmware_bridge.floor.page.document import Frame, Who, address
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.markup import Html, macro, number, rendered
from firmware_bridge.floor.page.records import UNKNOWN, Sealed
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.taken import AlarmKey, Taken, Takings
from firmware_bridge.floor.page.tile import Trouble, natural, out_of_order, silence_key, where, worst_first
from firmware_bridge.floor.page.wall import COUNTED, Pits, Place, Wall, wall
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.shapes import Ink
from firmware_bridge.games.baccarat.drawn.sheet import Heading, Look, sheet
from firmware_bridge.games.baccarat.roads import ALL_GOOD, Board
from firmware_bridge.games.baccarat.roads.columns import LETTERS
from firmware_bridge.topics.texts import Language, alarms, text

log = logging.getLogger(__name__)

INKS: Final[dict[Ink, str]] = {ink: f"var(--{ink.replace('_', '-')})" for ink in get_args(Ink)}
"""Colours by the names of tokens.css."""

SIZE: Final = (1600, 900)
"""Width and height of a board, in units of its picture."""

TITLES: Final = {
    "alarms": "page.open_alarms",
    "now": "page.now",
    "roads": "page.roads",
    "rounds": "page.rounds",
    "record": "page.record",
    "health": "page.health",
    "times": "health.times",
}
"""Section of a table's page -> the id of its heading."""

PIECE: Final = 16_384
"""Characters of a piece of the document, at least."""

WRONG: Final = {"blocked": "blocked", "silent": "gone", "warned": "alarm"}
"""Counts that stand in the title and the icon, the worst first -> the state in tokens.css."""

NAMED: Final = tuple(WRONG)


class _Drawn(NamedTuple):
    """Drawn parts of a table, and their inputs."""

    seen: Seen
    version: int
    needs: Trouble
    record: Sealed
    taken: Mapping[AlarmKey, Taken]
    parts: dict[str, str]


class Asked(NamedTuple):
    """What of the wall is asked for. show: of COUNTED, "" for all. find: part of the names of those to show.

    is_wall: for a screen at 3 m.
    """

    show: str = ""
    find: str = ""
    pit: str = ""
    is_wall: bool = False


EVERYTHING: Final = Asked()


class Views:
    """Draws the pages of a feed; only on the event loop."""

    def __init__(self, feed: Feed, pits: Mapping[str, Sequence[str]] | None = None) -> None:
        """pits: of `[page]`."""
        self._feed, self._pits = feed, Pits(pits or {})
        self._drawn: dict[tuple[str, str, Language], _Drawn] = {}
        self._grids: dict[tuple[Language, str], tuple[int, dict[str, str]]] = {}
        self._walls: dict[str, tuple[int, Wall]] = {}
        self._roads: dict[tuple[str, Language], tuple[Board, Html]] = {}

    def grid_parts(self, lang: Language, pit: str = "") -> dict[str, str]:
        """Return the wall's parts: place, state and seal of each table, counts, folded alarms; `tables`: their names.

        pit: the pit of the tables, "" for all.
        """
        known = self._grids.get((lang, pit))
        if known is None or known[0] != self._feed.version:
            known = (self._feed.version, self._grid(lang, pit))
            if not pit or pit in self.pits():
                self._grids[lang, pit] = known
        return known[1]

    def wall(self, pit: str = "") -> Wall:
        """Return where each table of a pit stands, "" for all."""
        known = self._walls.get(pit)
        if known is None or known[0] != self._feed.version:
            tables, troubles = self._feed.floor.tables, self._feed.troubles
            made = wall(
                (seen, troubles[name]) for name, seen in tables.items() if not pit or self._pits.of(seen) == pit
            )
            known = (self._feed.version, made)
            if not pit or made.places:
                self._walls[pit] = known
        return known[1]

    def pits(self) -> list[str]:
        """Return the pits of all tables."""
        return sorted({pit for seen in self._feed.floor.tables.values() if (pit := self._pits.of(seen))}, key=natural)

    def _grid(self, lang: Language, pit: str) -> dict[str, str]:
        now = self.wall(pit)
        parts, counts = self._common(lang), now.counts()
        if not self._feed.fault or now.places:
            parts["tables"] = json.dumps([*now.places], ensure_ascii=False)
        parts["none"] = "" if now.places or self._feed.fault else macro("markup.html", "said")(text(lang, "page.none"))
        parts["pits"] = macro("tile.html", "pits")(lang, self.pits(), pit, "")
        parts["title"], parts["icon"] = _title(counts, pit, lang), _icon(counts)
        parts |= {f"n-{name}": str(number(count)) for name, count in counts.items()}
        parts["n-all"] = str(number(len(now.places)))
        for id, fold in now.folds.items():
            name = alarms.name(lang, fold.alarm.id, fold.alarm.values)
            parts[f"f-{id}"] = macro("tile.html", "fold")(lang, fold.word, name, len(fold.tables), fold.since)
        for name, place in now.places.items():
            parts[f"p-{name}"] = f"{place.word} {place.key} {place.fold}"
            parts |= self._table("tile", name, lang)
        return parts

    def grid_document(self, lang: Language) -> str:
        """Return the page of all tables."""
        return "".join(self.grid_pieces(lang))

    def grid_pieces(
        self, lang: Language, who: Who | None = None, asked: Asked = EVERYTHING, own: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Yield the page of all tables in pieces, each as it is then. who: is signed in. own: parts for him alone."""
        parts, now = self.grid_parts(lang, asked.pit), self.wall(asked.pit)

        def tile(name: str) -> tuple[Place, str, str]:
            parts = self.grid_parts(lang, asked.pit)
            return now.places[name], Html(parts.get(f"t-{name}", "")), Html(parts.get(f"s-{name}", ""))

        pit, mode = f"&pit={quote(asked.pit)}" if asked.pit else "", "&wall=on" if asked.is_wall else ""
        title = _titled(asked.pit, lang)
        frame = Frame(title, "/", text(lang, "page.skip"), who=who, query=pit + mode, is_wall=asked.is_wall)
        parts = {**parts, **(own or {})}
        shared = {"wall": now, "tile": tile, "counted": COUNTED, "address": address, "parts": _as_html(parts)}
        shown = {"show": asked.show if asked.show in COUNTED else "", "find": asked.find.lower(), "pit": asked.pit}
        other = f"/?lang={lang}{pit}{'' if asked.is_wall else '&wall=on'}"
        head = {"named": parts["title"], "icon": parts["icon"], "other": other}
        return _gathered(frame.pieces("wall.html", lang, **shared, **shown, **head))

    def table_parts(self, name: str, lang: Language) -> dict[str, str]:
        """Return the parts of a table's page; empty for an unknown table."""
        if name not in self._feed.floor.tables:
            unknown = macro("markup.html", "said")(text(lang, "page.unknown", name=name))
            return self._common(lang) | dict.fromkeys(TITLES, "") | {"state": unknown}
        return self._common(lang) | self._table("page", name, lang)

    def table_document(self, name: str, lang: Language, who: Who | None = None, orders: Html | None = None) -> str:
        """Return a table's own page. who: is signed in. orders: who goes, and the orders that he may give."""
        parts = self.table_parts(name, lang)
        return self._own_page(self._framed(name, lang, who), lang, parts, is_known=True, orders=orders)

    def unknown_document(self, name: str, lang: Language) -> str:
        """Return the page of an unknown table."""
        return self._own_page(self._framed(name, lang), lang, self.table_parts(name, lang), is_known=False)

    def _own_page(
        self, frame: Frame, lang: Language, parts: Mapping[str, str], *, is_known: bool, orders: Html | None = None
    ) -> str:
        own = {"parts": _as_html(parts), "titles": TITLES, "is_known": is_known, "orders": orders, "at": frame.path}
        return frame.document("table.html", lang, **own)

    def _framed(self, name: str, lang: Language, who: Who | None = None) -> Frame:
        title, skip = text(lang, "page.table", name=name), text(lang, "page.skip_table")
        return Frame(title, address(name), skip, back=True, who=who)

    def _common(self, lang: Language) -> dict[str, str]:
        banners = [text(lang, "page.broker_lost")] if self._feed.fault else []
        if count := self._feed.listed.recent:
            banners.append(text(lang, "page.unlisted", count=count))
        return {"broker": macro("markup.html", "banners")(banners)}

    def _table(self, view: str, name: str, lang: Language) -> dict[str, str]:
        seen, needs = self._feed.floor.tables[name], self._feed.troubles[name]
        drawn = self._drawn.get((view, name, lang))
        now = (seen.version, needs, self._sealed(seen), self._feed.takings.of(name))
        if drawn is None or drawn.seen is not seen or drawn[1:5] != now:
            draw = self._tile if view == "tile" else self._page
            drawn = self._drawn[view, name, lang] = _Drawn(seen, *now, draw(seen, needs, lang))
        return drawn.parts

    def _tile(self, seen: Seen, needs: Trouble, lang: Language) -> dict[str, str]:
        draws: dict[str, Callable[[], str]] = {
            f"t-{seen.name}": lambda: _tile(seen, needs, lang, self._feed.clock(), self._feed.takings),
            f"s-{seen.name}": lambda: seal.seal(seen, self._sealed(seen), self._feed.watching, lang),
        }
        return {id: self._part(seen, id, lang, draw) for id, draw in draws.items()}

    def _page(self, seen: Seen, needs: Trouble, lang: Language) -> dict[str, str]:
        record = self._sealed(seen)
        draws: dict[str, Callable[[], str]] = {
            "state": lambda: detail.state(seen, needs, lang, self._feed.clock(), seal.open_incidents(record, lang)),
            "alarms": lambda: detail.alarms(seen, needs, lang),
            "now": lambda: detail.on_the_table(seen, lang),
            "roads": lambda: self._road(seen, lang),
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
        """Return a drawn part, or after an error a line that says so."""
        try:
            return draw()
        except Exception:  # a message of one table must not break the page of all
            if self._feed.is_first(seen.name, id):
                log.exception("table %s: the part %s cannot be drawn", escaped(seen.name), escaped(id))
            return macro("markup.html", "bad")(text(lang, "page.not_drawn"))

    def _road(self, seen: Seen, lang: Language) -> Html:
        """Return all roads, drawn once a round."""
        board = seen.roads
        if board is None:
            return Html("")
        known = self._roads.get((seen.name, lang))
        if known is None or known[0] is not board:
            known = self._roads[seen.name, lang] = (board, whole_board(board, lang, _heading(seen, board)))
        return known[1]


def whole_board(board: Board, lang: Language, heading: Heading) -> Html:
    """Return the whole board, in a box that scrolls."""
    drawn = sheet(board, Look(language=lang, good=ALL_GOOD, size=SIZE), heading)._replace(inks=INKS)
    return macro("markup.html", "board")(Html(svg(drawn).replace("\n", "")), text(lang, "page.roads"))


def _tile(seen: Seen, needs: Trouble, lang: Language, now: int, takings: Takings) -> Html:
    """Return the live part of a table on the wall. A closed one shows no alarm: they are over, or come back with it."""
    opened = worst_first(seen.alarms.open) if seen.alarms and needs.word != "closed" else []
    wrong, place = out_of_order(seen, lang), where(seen, lang)
    taken = takings.of(seen.name)
    goes = [taken.get(AlarmKey(each.id, each.since)) for each in opened]
    own = silence_key(seen) if needs.silent else None
    return macro("tile.html", "tile")(
        *(lang, seen, needs, list(zip(opened, goes, strict=True)), own and taken.get(own), wrong, place),
        number(seen.per_hour(now)),
    )


def icon(word: str, count: int) -> str:
    """Return the icon of the page while something is wrong, as SVG: how many tables need what. word: of NAMED."""
    state = WRONG[word]
    return rendered("icon.svg", fill=colour(state), ink=colour(f"{state}-text"), count=count)


def _icon(counts: Mapping[str, int]) -> str:
    """Return the address of the icon: the number of what is worst."""
    worst = next((name for name in NAMED if counts[name]), None)
    return f"/icon/{worst}/{min(counts[worst], 99)}.svg" if worst else "/static/icon.svg"


def _title(counts: Mapping[str, int], pit: str, lang: Language) -> str:
    """Return the title of the page, with the counts of what is wrong before it."""
    wrong = [f"{counts[name]} {text(lang, f'wall.{name}')}" for name in NAMED if counts[name]]
    return " · ".join([*([", ".join(wrong)] if wrong else []), _titled(pit, lang), text(lang, "page.product")])


def _titled(pit: str, lang: Language) -> str:
    return pit or text(lang, "page.title")


def _as_html(parts: Mapping[str, str]) -> dict[str, Html]:
    return {id: Html(part) for id, part in parts.items()}


def _gathered(drawn: Iterable[str]) -> Iterator[str]:
    """Yield a text in pieces of some size."""
    piece, size = list[str](), 0
    for each in drawn:
        piece.append(each)
        size += len(each)
        if size >= PIECE:
            yield "".join(piece)
            piece, size = [], 0
    yield "".join(piece)


def _heading(seen: Seen, board: Board) -> Heading:
    """Return the heading of a board, with the points of its newest round."""
    shoe, points = seen.shoe or 0, {}
    for over in seen.last_rounds(1):
        if over.outcome and over.shoe == shoe and LETTERS.get(over.outcome) == board.outcomes[-1:]:
            points = {name: hand.points for name, hand in over.hands.items()}
    return Heading(table=seen.name, shoe=shoe, points=points)
