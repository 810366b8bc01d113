"""Builds a whole page around its parts: landmarks, languages, and data for the browser's script."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from firmware_bridge import __build__, __version__
from firmware_bridge.floor.page.markup import Html, Part, macro, pieces, rendered
from firmware_bridge.topics.texts import Language

NAMES: Final[dict[Language, str]] = {"en": "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文"}

RELEASE: Final = f"{__version__} {__build__}"
"""Release of the page; a browser that receives another one reloads the page."""


class Who(NamedTuple):
    """Who is signed in. out: the address to sign out at. shift: the one to hand over a shift at, "" for none."""

    name: str
    out: str
    shift: str = ""


class Frame(NamedTuple):
    """What a live page has around its parts. path: its address without the language. skip: text of the skip link.

    who: None without a sign-in. query: what its address has beside the language, `&pit=Main`. is_wall: read from 3 m.
    """

    title: str
    path: str
    skip: str
    back: bool = False
    who: Who | None = None
    query: str = ""
    is_wall: bool = False

    def document(self, file: str, lang: Language, **values: object) -> str:
        """Return a page of a template that extends live.html."""
        return rendered(file, **self._values(lang), **values)

    def pieces(self, file: str, lang: Language, **values: object) -> Iterable[str]:
        """Return the same page in pieces, as they are drawn."""
        return pieces(file, **self._values(lang), **values)

    def _values(self, lang: Language) -> Mapping[str, Any]:
        stream = f"{self.path.rstrip('/')}/stream?lang={lang}{self.query}"
        own = {"lang": lang, "languages": NAMES, "stream": stream, "release": RELEASE}
        return self._asdict() | own


def plain_document(lang: Language, title: str, main: Part) -> str:
    """Return a page without live parts."""
    return rendered("layout.html", lang=lang, languages=NAMES, title=title, path="", query="", main=main)


def address(name: str) -> str:
    """Return the address of a table's page."""
    return f"/table/{quote(name, safe='')}"


def section(id: str, title: str, part: Part) -> Html:
    """Return a section with a heading and one live part."""
    return macro("markup.html", "section")(id, title, part)
