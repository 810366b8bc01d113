"""What stands before every page: only reading, only by names that are ours, and what a browser may do then."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

READS: Final = ("GET", "HEAD")

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""No script, style or picture that is not a file of the page; nothing is sent anywhere; no page around it."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Passes on what only reads and calls us by a name of ours.

    A foreign name that leads here (DNS rebinding) would let another site's script read the page.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
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
            told = "this page only reads: nothing can be sent to it\n"
            return PlainTextResponse(told, 405, {"allow": ", ".join(READS)})
        if not self._is_ours(Headers(scope=scope).get("host", "")):
            told = "this page does not go by that name: put it into [page] names of floor.toml\n"
            return PlainTextResponse(told, 421)
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether the name of a `Host` header is ours: an address cannot be another site's name."""
        name = host.lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        elif name.count(":") <= 1:
            name = name.partition(":")[0]
        return name in self._names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
