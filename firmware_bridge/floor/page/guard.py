"""The guard before the page: who asks, from where, under which name, and whether he may."""

import re
from hmac import compare_digest
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page.refusal import API, refusal
from firmware_bridge.floor.page.sessions import STRANGER, Sessions, Visitor
from firmware_bridge.floor.page_config import PageSection, is_loopback
from firmware_bridge.floor.serving import block, host_name, is_address

READS: Final = ("GET", "HEAD")
SIGN_IN, SIGN_OUT, HAND_OVER = "/sign-in", "/sign-out", "/hand-over"
"""Addresses that forms are sent to."""

ORDER, TAKE = "/order", "/take"
"""The same below each table's page: orders, and who goes to its alarms."""

SCREENS, RELOAD = "/screens", "/screens/reload"
"""The office's page of guests' screens, and where its form is sent to."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
)
"""Scripts, styles and pictures only from files of the page; forms only for who signs in; no frames."""

HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

OPEN: Final = ("/static/", "/screen/", SIGN_IN, "/favicon.ico")
"""How the addresses begin that need no session."""

ICONS: Final = "/icon/"
"""How the addresses of icons begin, which an open page gets by itself."""

PAST: Final = "/history/part"
"""How the address of a table's past ends, which its open page gets by itself."""

FORWARDED: Final = ("forwarded", "x-forwarded-", "x-real-ip")
"""How the headers begin that a proxy adds."""

SECRET: Final = "x-page-secret"
"""The header in which a proxy shows that it is one."""


class Guard:
    """Middleware that refuses what is not for us or not for this visitor, and sets the security headers.

    Sets `visitor` and `address` in the state of each request, and `may_fill`: whether he may take the places that are
    kept for people who may act, signed in for long or not. With DNS rebinding, a foreign host name would let another
    site's script read the page; so would a form of another site, were `Origin` not compared. secret: what a proxy shows
    with `[page] user_header`.
    """

    def __init__(
        self, app: ASGIApp, page: PageSection, people: People, sessions: Sessions, secret: bytes | None = None
    ) -> None:
        self._app, self._page, self._people, self._sessions, self._secret = app, page, people, sessions, secret
        self._names = {name.lower() for name in (page.host, *page.names)} | {"localhost"}
        self._proxies = {ip_address(each) for each in page.proxies}
        self._schemes = ("https",) if page.cert else ("http", "https")  # before a proxy: its own to choose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_screen = scope["path"].startswith("/screen/")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("content-security-policy", POLICY.format(forms="'none'" if is_screen else "'self'"))
                # A form of a page without a referrer has `Origin: null`, as one of a foreign page may have.
                headers["referrer-policy"] = "no-referrer" if is_screen else "same-origin"
                headers.setdefault("cache-control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        refused = self._misdirected(scope, headers) or self._unwanted(scope, headers)
        if refused is None:
            state = scope.setdefault("state", {})
            state["address"] = self._address(scope, headers)
            state["visitor"] = visitor = self._visitor(scope, headers)
            state["may_fill"] = not visitor.name or self._is_of_act(visitor.name)
            refused = _unknown(scope, visitor)
        await (refused or self._app)(scope, receive, guarded)

    def _misdirected(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """Return the refusal of a request that is under another name, or that came another way than ours."""
        host, peer = host_name(headers.get("host", "")), _peer(scope)
        if not (host in self._names or is_address(host)):
            return _refused(scope, "unknown host name: add it to [page] names of floor.toml", 421)
        if self._page.sign_in == "off":
            came = any(name.startswith(FORWARDED) for name in headers)
            if came or not (is_loopback(host) or host in self._names):
                return _refused(scope, 'sign_in = "off" is for browsers of this machine: set it to "on"', 421)
        elif not self._page.cert and not is_loopback(peer) and not self._is_proxy(peer):
            return _refused(scope, "come through the proxy: without TLS passwords could be read", 421)
        return None

    def _unwanted(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """Return the refusal of a request that is no read and no form of ours."""
        if scope["method"] in READS:
            return None
        path = scope["path"]
        is_order = self._page.order_key_file is not None and _ORDER.fullmatch(path)
        is_ours = path in (SIGN_IN, SIGN_OUT, HAND_OVER, RELOAD) or _TAKE.fullmatch(path) or is_order
        takes = scope["method"] == "POST" and is_ours and self._page.sign_in == "on"
        if not takes:
            return _refused(scope, "this address is only read", 405, allow=", ".join(READS))
        ours = {f"{scheme}://{headers.get('host', '').lower()}" for scheme in self._schemes}
        given = [each.lower() for each in headers.getlist("origin")]
        if len(given) != 1 or given[0] not in ours:
            return _refused(scope, "this form is of another site", 403)
        return None

    def _visitor(self, scope: Scope, headers: Headers) -> Visitor:
        if self._page.sign_in == "off":
            return Visitor("", "look")
        if self._page.user_header and (self._page.socket or self._secret is not None):
            given = headers.get(SECRET, "").encode("latin-1", "replace")
            named = headers.getlist(self._page.user_header)  # two: the proxy has let a browser's own one pass
            shows = self._secret is None or compare_digest(given, self._secret)
            if not shows or len(named) != 1 or not (name := named[0]):
                return STRANGER
            person = self._people[name]
            return Visitor(person.name, person.role) if person else Visitor(name[:64], "look")
        token = cookie_parser(headers.get("cookie", "")).get(cookie_name(self._page), "")
        by_itself = scope["path"].endswith(("/stream", PAST)) or scope["path"].startswith(ICONS)
        return self._sessions.visitor(token, is_activity=not by_itself) if token else STRANGER

    def _is_of_act(self, name: str) -> bool:
        person = self._people[name]
        return person is not None and person.role == "act"

    def _address(self, scope: Scope, headers: Headers) -> str:
        """Return the address of who asks: the last one that our proxy names, else that of the connection."""
        peer = _peer(scope)
        if self._is_proxy(peer) and (named := headers.getlist("x-forwarded-for")):
            peer = named[-1].rpartition(",")[2].strip()
        return block(peer)

    def _is_proxy(self, peer: str) -> bool:
        """Return whether a proxy sent a request: at a Unix socket each is one's."""
        return self._page.socket is not None or (is_address(peer) and ip_address(peer) in self._proxies)


_ORDER: Final = re.compile(rf"/table/[^/]+{ORDER}")
_TAKE: Final = re.compile(rf"/table/[^/]+{TAKE}")
_PLAIN: Final = re.compile(
    r"/(stream|sign-out|(table|dealer)/[^/]+(/stream)?|table/[^/]+/(history(/part)?|shoe/[0-9]+)|screens(/stream|/reload)?)?/?"
    rf"|{_ORDER.pattern}|{_TAKE.pattern}|{HAND_OVER}|/help/(alarm/)?[a-z0-9_-]+"
    r"|/api/(openapi\.json|tables(/[^/]+(/rounds)?)?)"
)
"""The addresses that are there for who signs in."""


def cookie_name(page: PageSection) -> str:
    """Return the session cookie's name; with a certificate or a name of ours, browsers take it from no other host."""
    return "__Host-shoe" if page.names or page.cert else "shoe"


def browser_cookie_name(page: PageSection) -> str:
    """Return the name of the cookie by which a browser is known once its person is signed out."""
    return f"{cookie_name(page)}-browser"


def _unknown(scope: Scope, visitor: Visitor) -> ASGIApp | None:
    """Return the refusal of a visitor who has to sign in first."""
    path = scope["path"]
    if visitor.may_look or path.startswith(OPEN):
        return None
    if not _PLAIN.fullmatch(path):
        return _refused(scope, "there is no such address", 404)
    if path.endswith(("/stream", PAST)) or path.startswith(API) or scope["method"] not in READS:
        return _refused(scope, "sign in first", 401)
    asked = path + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return RedirectResponse(f"{SIGN_IN}?next={quote(asked, safe='')}", 303, {"connection": "close"})


def _refused(scope: Scope, words: str, status: int, **headers: str) -> ASGIApp:
    return refusal(scope["path"], words, status, headers | {"connection": "close"})


def _peer(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""
