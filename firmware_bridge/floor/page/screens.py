"""The routes of the screens of guests and dealers: a page for each table, and a stream with the screen alone."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page import dealer
from firmware_bridge.floor.page.addresses import NAME, Addresses
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.guest.fold import Kept
from firmware_bridge.floor.page.guest.house import House, read_house
from firmware_bridge.floor.page.guest.html import Look, document, screen
from firmware_bridge.floor.page.guest.view import WAITING, View, view
from firmware_bridge.floor.page.markup import COLOURS, LOGO
from firmware_bridge.floor.page.records import UNKNOWN
from firmware_bridge.floor.page.screen_list import ScreenList, ScreenStream
from firmware_bridge.floor.page.sessions import Sessions, Visitor
from firmware_bridge.floor.page.stream import Stream, Streams, endpoint
from firmware_bridge.floor.page_config import ScreenSection
from firmware_bridge.topics.texts import OF_GUESTS, Language

log = logging.getLogger(__name__)

NO_SCREEN: Final = "there is no such screen: shoe-floor screens prints the address of each\n"
ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""The policy of a logo: it is a picture, whatever is in it."""

UNREADABLE: Final = "no screen can be shown now: the page's log says why\n"


def screens(feed: Feed, section: ScreenSection, pit: Streams, known: ScreenList) -> list[Route]:
    """Return the routes of all screens. pit: streams of the pit; the screens' streams end with them.

    A wrong secret, a table without one and any other address below /screen/ get the same answer. Raises ConfigError
    for a house's look that guests could not read.
    """
    look = Look(read_house(section.house), section.first_seat)
    streams = Streams(section.streams)
    streams.ended = pit.ended
    shown, addresses = _Shown(feed, section), _Addresses(Path(section.secrets))

    def page(request: Request) -> Response:
        name, lang = _name(request), _language(request, section)
        if refusal := addresses.refusal(request):
            return refusal
        return HTMLResponse(shown.drawn(name, lambda view: document(name, view, lang, look)))

    def stream(request: Request) -> ASGIApp:
        name, lang = _name(request), _language(request, section)
        if refusal := addresses.refusal(request):
            return refusal
        if streams.open >= streams.most:
            return PlainTextResponse("too many screens: see [screen] streams\n", 503, {"retry-after": "10"})
        return ScreenStream(
            streams,
            feed,
            lambda: {"screen": shown.drawn(name, lambda view: screen(name, view, lang, look))},
            lambda: addresses.may_stay(request),
            known,
            lambda: known.came(name, request.state.address, request.query_params),
        )

    def beat(request: Request) -> Response:
        if refusal := addresses.refusal(request):
            return refusal
        known.beat(_name(request), request.state.address, request.query_params)
        return Response(status_code=204)

    return [
        *_of_house(look.house),
        Route("/screen/{name}/{secret}", endpoint(page)),
        Route("/screen/{name}/{secret}/stream", endpoint(stream)),
        Route("/screen/{name}/{secret}/beat", endpoint(beat)),
        Route("/screen/{rest:path}", endpoint(lambda _: _no_screen())),
    ]


def _of_house(house: House) -> list[Route]:
    """Return the routes of what a house gives its screens. An SVG that is opened by itself runs nothing."""
    headers = {"cache-control": "max-age=86400"}
    made = []
    if house.logo:
        alone = headers | {"content-security-policy": ALONE}
        made.append(Route(LOGO, endpoint(lambda _: Response(house.logo, media_type=house.kind, headers=alone))))
    if house.colours:
        made.append(Route(COLOURS, endpoint(lambda _: Response(house.sheet, media_type="text/css", headers=headers))))
    return made


def dealers(feed: Feed, section: ScreenSection, pit: Streams, sessions: Sessions) -> list[Route]:
    """Return the routes of dealers' screens, for who is signed in. pit: streams of the pit; theirs end with them."""
    streams = Streams(section.streams)
    streams.ended = pit.ended

    def page(request: Request) -> HTMLResponse:
        name, lang = _name(request), _language(request, section)
        drawn = dealer.of_table(feed, name, lang, dealer.document)
        return HTMLResponse(drawn, 200 if NAME.fullmatch(name) else 404)

    def stream(request: Request) -> ASGIApp:
        name, lang = _name(request), _language(request, section)
        if streams.open >= streams.most:
            return PlainTextResponse("too many screens: see [screen] streams\n", 503, {"retry-after": "10"})
        visitor: Visitor = request.state.visitor
        return Stream(
            streams,
            feed,
            lambda: {"screen": dealer.of_table(feed, name, lang, dealer.drawn)},
            lambda: sessions.is_there(visitor),
        )

    return [Route("/dealer/{name}", endpoint(page)), Route("/dealer/{name}/stream", endpoint(stream))]


class _Addresses:
    """The guests' addresses as requests use them; a file that cannot be read is logged once, and no 404."""

    def __init__(self, path: Path) -> None:
        self._addresses, self._fault = Addresses(path), ""

    def refusal(self, request: Request) -> Response | None:
        """Return the answer to a request by an address that opens nothing; None for one that opens a screen."""
        opens = self._opens(request)
        if opens is None:
            return PlainTextResponse(UNREADABLE, 503, {"retry-after": "10"})
        return None if opens else _no_screen()

    def may_stay(self, request: Request) -> bool:
        """Return whether an open stream goes on: until another file says otherwise."""
        return self._opens(request) is not False

    def _opens(self, request: Request) -> bool | None:
        """Return whether an address opens a screen; None if that cannot be read."""
        try:
            opens = self._addresses.opens(_name(request), request.path_params["secret"])
        except ConfigError as error:
            if str(error) != self._fault:
                self._fault = str(error)
                log.error("guests' screens: %s", escaped(self._fault))
            return None
        self._fault = ""
        return opens


def _no_screen() -> Response:
    return PlainTextResponse(NO_SCREEN, 404)


class _Shown:
    """The present view of each table, made once for all its screens."""

    def __init__(self, feed: Feed, section: ScreenSection) -> None:
        self._feed, self._cards = feed, section.cards
        self._made: dict[str, tuple[Kept, bool, str, View]] = {}

    def drawn(self, name: str, draw: Callable[[View], str]) -> str:
        """Return a drawn screen; after an error that of a waiting table."""
        try:
            return draw(self(name))
        except Exception:  # guests must never see an error page
            if self._feed.is_first(name, "screen"):
                log.exception("table %s: its screen cannot be drawn", escaped(name))
            return draw(WAITING)

    def __call__(self, name: str) -> View:
        """Return the view of a table; WAITING if its state is unknown."""
        kept, trouble = self._feed.guests.tables.get(name), self._feed.troubles.get(name)
        if kept is None:
            return WAITING
        silent = bool(self._feed.fault) or trouble is None or bool(trouble.silent)
        note = self._feed.sealed.get(name, UNKNOWN).note
        made = self._made.get(name)
        if made is None or made[0] is not kept or made[1:3] != (silent, note):
            made = self._made[name] = kept, silent, note, view(kept, self._cards, silent=silent, note=note)
        return made[3]


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def _language(request: Request, section: ScreenSection) -> Language:
    asked = request.query_params.get("lang", "")
    return next((each for each in OF_GUESTS if each == asked), section.language)
