"""The routes of the page, and the guard before them: read-only, and only under its own host names."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware_bridge.floor.config import PageSection, ScreenSection
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.screens import dealers, screens
from firmware_bridge.floor.page.stream import Document, Parts, Stream, Streams, endpoint
from firmware_bridge.floor.page.views import Views
from firmware_bridge.topics.texts import Language, chosen, text

READS: Final = ("GET", "HEAD")

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Scripts, styles and pictures only from files of the page; no forms; no frames."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
STATIC: Final = Path(__file__).parent / "static"


def app(
    feed: Feed, page: PageSection, ready: Callable[[], None] = lambda: None, screen: ScreenSection | None = None
) -> Starlette:
    """The ASGI app of the page. ready: called once it reads the broker."""
    streams = Streams(page.streams)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        feed.start()
        watch = asyncio.create_task(_leave(app, feed, streams))
        ready()
        yield
        watch.cancel()
        await feed.close()

    made = Starlette(
        routes=[
            *pit(feed, streams),
            *screens(feed, screen or ScreenSection(), streams),
            *dealers(feed, screen or ScreenSection(), streams),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, names=(page.host, *page.names))],
        lifespan=life,
    )
    made.state.server, made.state.feed = None, feed
    return made


def pit(feed: Feed, streams: Streams) -> list[Route]:
    """The routes of the pit's pages."""
    views = Views(feed)

    def grid(request: Request) -> ASGIApp:
        return Document(views.grid_pieces(language(request)))

    def table(request: Request) -> Response:
        name, lang = request.path_params["name"], language(request)
        if name not in feed.floor.tables:
            return HTMLResponse(views.unknown_document(name, lang), 404)
        return HTMLResponse(views.table_document(name, lang))

    def grid_stream(request: Request) -> ASGIApp:
        lang = language(request)
        return stream(feed, streams, lang, lambda: views.grid_parts(lang))

    def table_stream(request: Request) -> ASGIApp:
        name, lang = request.path_params["name"], language(request)
        return stream(feed, streams, lang, lambda: views.table_parts(name, lang))

    return [
        Route("/", endpoint(grid)),
        Route("/stream", endpoint(grid_stream)),
        Route("/table/{name}", table),
        Route("/table/{name}/stream", endpoint(table_stream)),
        Route("/favicon.ico", lambda _: RedirectResponse("/static/icon.svg")),
    ]


def stream(feed: Feed, streams: Streams, lang: Language, parts: Callable[[], Parts]) -> ASGIApp:
    """The stream of a page, or a 503 if the most streams are open."""
    if streams.open >= streams.most:
        message = text(lang, "page.full", most=streams.most)
        return PlainTextResponse(message, 503, {"retry-after": "10"})
    return Stream(streams, feed, parts)


def language(request: Request) -> Language:
    """The language of an answer: `?lang=`, or the browser's."""
    return chosen(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))


class Guard:
    """Middleware that refuses all but GET and HEAD under our own host names, and sets the security headers.

    With DNS rebinding, a foreign host name would let another site's script read the page.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        app = self._refusal(scope) or self._app
        await app(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        if scope["method"] not in READS:
            message = "this page is read-only\n"
            return PlainTextResponse(message, 405, {"allow": ", ".join(READS)})
        if not self._is_ours(Headers(scope=scope).get("host", "")):
            message = "unknown host name: add it to [page] names of floor.toml\n"
            return PlainTextResponse(message, 421)
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether the name of a `Host` header is ours; an IP address always is, as no site can own it."""
        name = host.lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        elif name.count(":") <= 1:
            name = name.partition(":")[0]
        return name in self._names or _is_address(name)


async def _leave(app: Starlette, feed: Feed, streams: Streams) -> None:
    """End the streams when the server should exit, because it waits for open connections.

    Also stops the server after the feed failed.
    """
    while not (app.state.server and app.state.server.should_exit):
        await asyncio.sleep(0.1)
        if app.state.server and feed.failed:
            app.state.server.should_exit = True
    streams.ended.set()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
