"""Posts a request over HTTP, within a time."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event, Timer
from typing import Final
from urllib.parse import urlsplit

from firmware_bridge.errors import in_words
from firmware_bridge.mqtt.settings import trusting

LONGEST: Final = 1_000
"""Most bytes that are read of an answer."""


class Receiver:
    """The address that requests are posted to. ca: a file of authorities, None for those that this machine trusts.

    answer_s: seconds for the connection, and as many for the answer. Raises OSError for a file that is none.
    """

    def __init__(self, url: str, answer_s: float, ca: str | None = None) -> None:
        self._parts, self._answer_s = urlsplit(url), answer_s
        self._context = trusting(ca) if self._parts.scheme == "https" else None
        query = f"?{self._parts.query}" if self._parts.query else ""
        self._path = f"{self._parts.path or '/'}{query}"

    def post(self, body: bytes, headers: Mapping[str, str]) -> str:
        """Post a body on its own connection; return why it was not taken, "" after a 2xx. A redirection is refused."""
        connection = self._connection()
        try:
            connection.connect()
        except (OSError, HTTPException) as error:
            return f"no connection: {in_words(error)}"
        is_late = Event()
        late = Timer(self._answer_s, _end, [connection.sock, is_late])  # a socket's own timeout counts from each byte
        late.daemon = True
        late.start()
        try:
            connection.request("POST", self._path, body, {**headers, "connection": "close"})
            answer = connection.getresponse()
            answer.read(LONGEST)
        except (OSError, HTTPException, ValueError) as error:
            return f"no answer in {self._answer_s:g} s" if is_late.is_set() else f"no answer: {in_words(error)}"
        finally:
            late.cancel()
            connection.close()
        return "" if 200 <= answer.status < 300 else f"it answers {answer.status} {answer.reason}".rstrip()

    def _connection(self) -> HTTPConnection:
        host = self._parts.hostname or ""
        if self._context is None:
            return HTTPConnection(host, self._parts.port, timeout=self._answer_s)
        return HTTPSConnection(host, self._parts.port, timeout=self._answer_s, context=self._context)


def _end(connection: socket.socket, is_late: Event) -> None:
    is_late.set()
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
