"""The routes to sign in and out."""

import asyncio
import logging
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from firmware_bridge.config.doors import WAITING
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.document import Who, plain_document
from firmware_bridge.floor.page.form import fields_of
from firmware_bridge.floor.page.guard import HAND_OVER, SIGN_IN, SIGN_OUT, browser_cookie_name, cookie_name
from firmware_bridge.floor.page.markup import macro
from firmware_bridge.floor.page.people import LONGEST, People
from firmware_bridge.floor.page.sessions import LOOK_S, TRIES_S, Browsers, Sessions, Tries, Visitor
from firmware_bridge.floor.page_config import PageSection
from firmware_bridge.topics.texts import chosen, text

log = logging.getLogger(__name__)

KNOWN_S: Final = 90 * 24 * 3600
"""How long a browser is known after its person has signed in."""


class SignIn:
    """The routes of a page. Passwords are tried in one thread, so that they cost no more than one core.

    Tries from a browser in which the person has signed in before are counted by themselves: those of strangers, under
    his name or at his address, never keep him out.
    """

    def __init__(self, page: PageSection, people: People, sessions: Sessions) -> None:
        self._page, self._people, self._sessions = page, people, sessions
        self._tries = {False: Tries(), True: Tries()}
        self._worker = ThreadPoolExecutor(1, "passwords")
        self._waiting = Counter[bool]()
        self._browsers, self._cookie = Browsers(), browser_cookie_name(page)
        self.routes = [
            Route(SIGN_IN, self._form, methods=["GET"]),
            Route(SIGN_IN, self._signed_in, methods=["POST"]),
            Route(SIGN_OUT, self._signed_out, methods=["POST"]),
        ]

    def close(self) -> None:
        """End the thread."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _form(self, request: Request) -> Response:
        return HTMLResponse(self._document(request, request.query_params.get("next", "/")))

    async def _signed_in(self, request: Request) -> Response:
        fields = await fields_of(request)
        if fields is None:
            return PlainTextResponse("this is no form of the page\n", 400, {"connection": "close"})
        name, password, after = fields.get("name", ""), fields.get("password", ""), fields.get("next", "/")
        address: str = request.state.address
        mark = request.cookies.get(self._cookie, "")
        is_known = self._browsers.is_known(self._people[name.strip()], mark)
        owners = (f"browser {mark}",) if is_known else (f"name {name.strip().casefold()}", f"address {address}")
        tries = self._tries[is_known]
        if self._waiting[is_known] >= WAITING or not tries.allow(*owners):
            words = self._document(request, after, "sign_in.too_many")
            return HTMLResponse(words, 429, {"retry-after": f"{TRIES_S:.0f}"})
        self._waiting[is_known] += 1
        try:
            loop = asyncio.get_running_loop()
            person = await loop.run_in_executor(
                self._worker, self._people.verified, name.strip(), password[: LONGEST + 1]
            )
        finally:
            self._waiting[is_known] -= 1
        if person is None:
            log.warning("refused to sign in %s from %s", escaped(name[:64]), escaped(address))
            return HTMLResponse(self._document(request, after, "sign_in.wrong"), 403)
        tries.forget(*owners)
        visitor: Visitor = request.state.visitor
        self._sessions.end(visitor)
        log.info("%s signed in from %s, role %s", escaped(person.name), escaped(address), person.role)
        answer = RedirectResponse(_inside(after), 303)
        known = mark if is_known else self._browsers.mark(person)
        self._set(answer, self._cookie, known, KNOWN_S)
        self._set(answer, cookie_name(self._page), self._sessions.begin(person.name), int(LOOK_S))
        return answer

    def _set(self, answer: Response, name: str, value: str, seconds: int) -> None:
        answer.set_cookie(name, value, max_age=seconds, secure=True, httponly=True, samesite="strict")

    async def _signed_out(self, request: Request) -> Response:
        visitor: Visitor = request.state.visitor
        self._sessions.end(visitor)
        log.info("%s signed out", escaped(visitor.name))
        answer = RedirectResponse(SIGN_IN, 303, {"clear-site-data": '"cache"'})
        answer.delete_cookie(cookie_name(self._page), secure=True, httponly=True, samesite="strict")
        return answer

    def _document(self, request: Request, after: str, wrong: str = "") -> str:
        lang = chosen(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))
        form = macro("forms.html", "sign_in")(lang, f"{SIGN_IN}?lang={lang}", _inside(after), wrong)
        return plain_document(lang, text(lang, "sign_in.title"), form)


def who(visitor: Visitor) -> Who | None:
    """Return who is signed in; None without a sign-in."""
    return Who(visitor.name, SIGN_OUT, HAND_OVER if visitor.may_act else "") if visitor.key else None


def _inside(address: str) -> str:
    """Return an address of this page to go on to; `/` for any other."""
    is_good = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_good and "\\" not in address and not address.startswith(SIGN_OUT) else "/"
