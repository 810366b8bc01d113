"""A page with keys of `[screen]`, and a screen's stream as a browser reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Protocol

from tests.floor_whole.pages import Page


class Way(Protocol):
    """What leads to a page: its own port, or that of a proxy before it."""

    def link(self) -> HTTPConnection:
        """A new connection."""


def with_screen(page: Page, keys: str) -> Page:
    """The page again, with keys of `[screen]`."""
    page.stop()
    page.config.write_text(page.config.read_text().replace("[screen]\n", f"[screen]\n{keys}\n"))
    return page.start()


class Stream:
    """A screen's stream as a browser reads it: every byte, and the screens in it."""

    def __init__(self, page: Way, path: str, **headers: str) -> None:
        self.raw = b""
        self._link = page.link()
        self._link.request("GET", path, headers=headers)
        self._answer = self._link.getresponse()
        assert self._answer.status == 200
        self.headers = str(self._answer.headers)

    def event(self) -> tuple[str, dict[str, str]]:
        """The next event that is not silence."""
        fields: dict[str, str] = {}
        while line := self._line():
            key, _, value = line.partition(": ")
            fields[key] = value
        return (fields["event"], json.loads(fields["data"])) if "event" in fields else self.event()

    def is_open(self) -> bool:
        """Read a line; whether there was one."""
        line = self._answer.readline()
        self.raw += line
        return bool(line)

    def screen(self, wanted: str) -> str:
        """The next screen with this text."""
        while True:
            name, parts = self.event()
            if name == "parts" and wanted in parts["screen"]:
                return parts["screen"]

    def quiet(self) -> list[str]:
        """The screens that came until nothing was new for a beat."""
        screens: list[str] = []
        while (event := self.event())[0] != "beat":
            screens.append(event[1]["screen"])
        return screens

    def close(self) -> None:
        self._link.close()

    def _line(self) -> str:
        line = self._answer.readline()
        assert line, "the stream has ended"
        self.raw += line
        return line.decode().rstrip("\n")


@contextmanager
def stream(page: Way, path: str, **headers: str) -> Iterator[Stream]:
    made = Stream(page, path, **headers)
    yield made
    made.close()


def got(page: Way, path: str, method: str = "GET", **headers: str) -> str:
    """The answer to a request, head and body."""
    link = page.link()
    link.request(method, path, headers=headers)
    answer = link.getresponse()
    text = f"{answer.status} {answer.headers}{answer.read().decode()}"
    link.close()
    return text
