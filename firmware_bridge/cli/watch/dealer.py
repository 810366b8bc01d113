"""The dealer's screen of the running daemon, for a small display on the shoe itself."""

from collections.abc import Iterator
from functools import reduce
from io import StringIO
from typing import Final, TypeVar

import msgspec
from rich.console import Console
from rich.text import Text

from firmware_bridge.cli.watch.machine import Status
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.printable import harmless
from firmware_bridge.facts.wire_states import Alarms, Lamps, Table
from firmware_bridge.screen.words import face
from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.dealer import Known, Screen, screen
from firmware_bridge.topics.texts.done import Done, followed

STYLES: Final = {
    "due": "bold white on dark_green",
    "alarm": "bold white on dark_orange3",
    "blocked": "bold white on red3",
    "lost": "bold white on red3",
}
SIGNS: Final = {"due": "▶", "alarm": "▶", "blocked": "■", "lost": "◌"}


class WatchedByDealer:
    """The last status of a daemon; makes dealer's screens of a terminal's size."""

    blinks_s: float | None = None

    def __init__(self, lang: Language) -> None:
        self._lang = lang
        self._known = Known("", None, None, None, None, Done())

    def update(self, status: Status) -> None:
        """Keep a status."""
        last = harmless(status)
        self._known = Known(
            last["table_id"],
            last["shoe"],
            _as(Table, last["table"]),
            _as(Lamps, last["lamps"]),
            _as(Alarms, last["alarm"]),
            reduce(followed, last.get("acts", ()), Done()),
        )

    def lose(self, why: str) -> None:
        """Record that the daemon has gone: nothing that it said may be followed."""
        self._known = self._known._replace(lost=True)

    def shown(self) -> Screen:
        """Return what the screen shows now."""
        return screen(self._known, self._lang)

    def screen(self, width: int, height: int, keys: str) -> list[Text]:
        """Return `height` lines of at most `width` columns: what is due first; the last acts with the room left."""
        shown = self.shown()
        title = Text("  ".join(filter(None, (shown.table, shown.game, shown.where))), "dim")
        lines = [line for words in (title, *due(shown, self._lang)) for line in words.wrap(_CONSOLE, width)]
        room = height - 1 - len(lines)
        if room < 0:
            more = text(self._lang, "dealer.more", count=1 - room)
            lines = [*lines[: height - 2], Text(more, STYLES["blocked"])]
        elif room > 1:
            acts = [Text(text(self._lang, "dealer.acts"), "dim"), *[Text(f"  {each}") for each in shown.acts]]
            lines += acts[:room]
        lines += [Text()] * (height - 1 - len(lines))
        for line in lines:
            line.truncate(width, overflow="ellipsis")
        last = Text(keys, "dim")
        last.truncate(width)
        return [*lines, last]


def due(shown: Screen, lang: Language) -> Iterator[Text]:
    """Yield the paragraphs of a screen, without its title and the last acts."""
    if shown.refused:
        yield Text(f"✕ {shown.refused.what} · {shown.refused.why} · {shown.refused.todo}", "bold white on purple4")
    for each in shown.alarms:
        sign, style = ("■", STYLES["blocked"]) if each.blocks else ("▲", STYLES["alarm"])
        yield Text(f"{sign} {each.todo} ({' · '.join(filter(None, (each.name, each.about)))})", style)
    if shown.more:
        yield Text(text(lang, "dealer.more_alarms", count=shown.more), STYLES["alarm"])
    for words in shown.news:
        yield Text(words, "bold yellow")
    for line in shown.due:
        yield Text(f"{SIGNS[shown.state]} {line.text}", STYLES["blocked" if shown.state in OLD else "due"])
    for words in shown.why:
        yield Text(words)
    if shown.pays:
        yield Text(text(lang, "dealer.pays"), "dim")
        paid = [f"{each.hand} {text(lang, f'dealer.{each.verb}')} {each.amount}".rstrip() for each in shown.pays]
        yield Text(" · ".join(paid))
    if shown.compare is not None:
        yield Text(text(lang, "dealer.compare" if shown.compare else "dealer.compare_none"), "dim")
        piles = [
            f"{each.place} {' '.join(face(card) if card else DOWN for card in each.cards)}".rstrip()
            for each in shown.compare
        ]
        yield Text(" · ".join(piles))


OLD: Final = ("blocked", "lost")
DOWN: Final = "░░"
_CONSOLE: Final = Console(file=StringIO())


Kind = TypeVar("Kind")


def _as(kind: type[Kind], body: object) -> Kind:
    return from_json(msgspec.json.encode(body), kind)
