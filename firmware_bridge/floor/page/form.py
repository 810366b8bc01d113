"""Reads what a browser asks and sends, and binds forms to the session that they were drawn for."""

import asyncio
import logging
import secrets
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from hmac import new as hmac
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from firmware_bridge.config.doors import FORM, FORM_S
from firmware_bridge.facts.decoding import text_of
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.serving import CountedLog
from firmware_bridge.topics.texts import Language, chosen

log = logging.getLogger(__name__)

_unread: Final = CountedLog(log, "forms were not read")


async def fields_of(request: Request) -> dict[str, str] | None:
    """Return a form's fields; None for one that is too long, too slow, broken off or none, which the log counts."""
    fields = await _read(request)
    if fields is None:
        _unread.add(escaped(request.state.address))
    return fields


async def _read(request: Request) -> dict[str, str] | None:
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    body = b""
    with suppress(TimeoutError, ValueError, ClientDisconnect):
        async with asyncio.timeout(FORM_S):
            async for part in request.stream():
                body += part
                if len(body) > FORM:
                    return None
            return dict(parse_qsl(text_of(body, "ascii"), keep_blank_values=True, max_num_fields=10))
    return None


def language_of(request: Request) -> Language:
    """Return the language of an answer: `?lang=`, or the browser's."""
    return chosen(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))


def visitor_of(request: Request) -> Visitor:
    """Return who asks, as the guard found."""
    found: Visitor = request.state.visitor
    return found


class Tokens:
    """What only this process can make, for one session and one form; for one person where he signed in at a proxy."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def of(self, visitor: Visitor, form: str) -> str:
        """Return the token of a form."""
        owner = visitor.key or sha256(visitor.name.encode()).digest()
        return hmac(self._secret, owner + form.encode("utf-8", "surrogatepass"), sha256).hexdigest()

    def is_of(self, visitor: Visitor, form: str, token: str) -> bool:
        """Return whether this is the token of a form."""
        return compare_digest(self.of(visitor, form).encode(), token.encode())
