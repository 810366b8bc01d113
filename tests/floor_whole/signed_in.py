"""Requests to a page, and signing in to it."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import Final, NamedTuple
from urllib.parse import urlencode

from tests.floor_whole.pages import Page
from tests.kit.patience import HANG_S

PASSWORD = "correct horse battery"
FORM: Final = "application/x-www-form-urlencoded"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str

    cookies: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        """`NAME=VALUE` of the cookie that is set, of several the last: the session's."""
        return self.headers.get("set-cookie", "").partition(";")[0]


def ask(page: Page, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Answer:
    link = HTTPConnection("127.0.0.1", page.port, timeout=HANG_S)
    link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = link.getresponse()
    text = "" if answer.headers.get("content-type", "").startswith("text/event") else answer.read().decode()
    link.close()
    found = {name.lower(): value for name, value in answer.getheaders()}
    return Answer(answer.status, found, text, tuple(answer.headers.get_all("set-cookie", ())))


def sign_in(page: Page, name: str = "ANNA", password: str = PASSWORD, **more: str) -> Answer:
    fields = {"name": name, "password": password, "next": more.pop("next", "/")}
    headers = {"origin": page.url, "content_type": FORM} | more
    return ask(page, "/sign-in", "POST", urlencode(fields), **headers)
