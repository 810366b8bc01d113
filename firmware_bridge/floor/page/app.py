"""The routes of the page."""

import asyncio
import re
from collections import ChainMap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from firmware_bridge.floor.page import runbook
from firmware_bridge.floor.page.acts import Acts
from firmware_bridge.floor.page.api import api
from firmware_bridge.floor.page.doors import Doors
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.form import language_of, visitor_of
from firmware_bridge.floor.page.guard import ICONS, Guard, cookie_name
from firmware_bridge.floor.page.office import Office
from firmware_bridge.floor.page.orders import PageOrders
from firmware_bridge.floor.page.past import Past
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page.screen_list import ScreenList
from firmware_bridge.floor.page.screens import dealers, screens
from firmware_bridge.floor.page.sessions import Sessions
from firmware_bridge.floor.page.sign_in import SignIn, who
from firmware_bridge.floor.page.stream import Document, Parts, Stream, Streams, endpoint
from firmware_bridge.floor.page.views import WRONG, Views, icon
from firmware_bridge.floor.page.views import Asked as AskedWall
from firmware_bridge.floor.page_config import PageSection, ScreenSection
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.topics.texts import text

STATIC: Final = Path(__file__).parent / "static"

THREADS: Final = 4
"""Most threads that read files and documents: each has memory of its own, which it keeps."""


def app(
    feed: Feed,
    page: PageSection,
    ready: Callable[[], None] = lambda: None,
    screen: ScreenSection | None = None,
    secret: bytes | None = None,
    orders: PageOrders | None = None,
    asked: Asked | None = None,
) -> Starlette:
    """Return the ASGI app of the page. ready: called once it reads the broker. secret: what a proxy shows (`Guard`).

    orders: those that people may give, None for none. asked: the store for programs, None for none.
    """
    streams, people = Streams(page.streams), People(Path(page.users))
    screen = screen or ScreenSection()
    sessions = Sessions(people)
    sign_in, known = SignIn(page, people, sessions), ScreenList(feed)
    past = Past(asked) if asked else None

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        feed.start()
        watch = asyncio.create_task(_leave(app, feed, streams))
        ready()
        yield
        watch.cancel()
        sign_in.close()
        if past:
            past.close()
        await feed.close()

    made = Starlette(
        routes=[
            *(sign_in.routes if page.sign_in == "on" else ()),
            *pit(feed, Views(feed, page.pits), streams, sessions, Acts(feed, people, orders, page.sign_in == "on")),
            *screens(feed, screen, streams, known),
            *Office(known, streams, sessions).routes,
            *dealers(feed, screen, streams, sessions),
            *runbook.routes(),
            *(past.routes if past else ()),
            *(api(asked, cookie_name(page)) if asked else ()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[
            Middleware(Guard, page=page, people=people, sessions=sessions, secret=secret),
            Middleware(Doors, page=page, screen=screen),
        ],
        lifespan=life,
    )
    made.state.server, made.state.feed = None, feed
    return made


def pit(feed: Feed, views: Views, streams: Streams, sessions: Sessions, acts: Acts) -> list[Route]:
    """Return the routes of the pit's pages."""

    def grid(request: Request) -> ASGIApp:
        lang = language_of(request)
        show, find, pit = (request.query_params.get(each, "") for each in ("show", "find", "pit"))
        asked = AskedWall(show, find, pit, request.query_params.get("wall") == "on")
        by = visitor_of(request)
        return Document(views.grid_pieces(lang, who(by), asked, acts.wall_parts(by, lang)))

    def table(request: Request) -> Response:
        name, lang = request.path_params["name"], language_of(request)
        if name not in feed.floor.tables:
            return HTMLResponse(views.unknown_document(name, lang), 404)
        asked = visitor_of(request)
        return HTMLResponse(views.table_document(name, lang, who(asked), acts.sections(name, asked, lang)))

    def grid_stream(request: Request) -> ASGIApp:
        lang, pit, asked = language_of(request), request.query_params.get("pit", ""), visitor_of(request)

        def parts() -> Parts:
            own = acts.wall_parts(sessions.now(asked), lang)
            return ChainMap(own, views.grid_parts(lang, pit)) if own else views.grid_parts(lang, pit)

        return stream(feed, streams, request, sessions, parts)

    def table_stream(request: Request) -> ASGIApp:
        name, lang, asked = request.path_params["name"], language_of(request), visitor_of(request)

        def parts() -> Parts:
            return {**views.table_parts(name, lang), **acts.parts(name, sessions.now(asked), lang)}

        return stream(feed, streams, request, sessions, parts)

    return [
        Route("/", endpoint(grid)),
        Route("/stream", endpoint(grid_stream)),
        Route("/table/{name}", endpoint(table)),
        Route("/table/{name}/stream", endpoint(table_stream)),
        *acts.routes,
        Route(ICONS + "{word}/{count}.svg", endpoint(_icon)),
        Route("/favicon.ico", endpoint(lambda _: RedirectResponse("/static/icon.svg"))),
    ]


def _icon(request: Request) -> Response:
    """Return the icon of the wall while something is wrong."""
    word, count = request.path_params["word"], request.path_params["count"]
    if word not in WRONG or not re.fullmatch("[0-9]{1,2}", count):
        return PlainTextResponse("there is no such icon\n", 404)
    return Response(icon(word, int(count)), media_type="image/svg+xml", headers={"cache-control": "max-age=86400"})


def stream(feed: Feed, streams: Streams, request: Request, sessions: Sessions, parts: Callable[[], Parts]) -> ASGIApp:
    """Return the stream of a page until its session ends, or a 503 if the most streams are open."""
    if not streams.has_room_for(request):
        message = text(language_of(request), "page.full", most=streams.most)
        return PlainTextResponse(message, 503, {"retry-after": "10"})
    asked = visitor_of(request)
    return Stream(streams, feed, parts, lambda: sessions.is_there(asked))


async def _leave(app: Starlette, feed: Feed, streams: Streams) -> None:
    """End the streams when the server should exit, because it waits for open connections.

    Also stop the server after the feed failed.
    """
    while not (app.state.server and app.state.server.should_exit):
        await asyncio.sleep(0.1)
        if app.state.server and feed.failed:
            app.state.server.should_exit = True
    streams.ended.set()
