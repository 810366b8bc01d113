"""A connection of a browser that gives way where no request comes: idle ones must not take the place of all."""

from __future__ import annotations

from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

FIRST_S: Final = 15.0
"""How long a connection may take to bring its first request whole."""

UNASKED: Final = 50
"""Connections at most that have brought no request; the oldest gives way to a new one."""


class Connection(H11Protocol):  # type: ignore[misc, unused-ignore]  # Any where uvicorn is not installed
    """A connection as uvicorn serves it, which is closed where it brings no request in time, or too many do not."""

    def connection_made(self, transport: Any) -> None:
        """Begin; the oldest connection without a request gives way where there are too many."""
        super().connection_made(transport)
        self._began = self.loop.time()
        self._first = self.loop.call_later(FIRST_S, self._give_way)
        unasked = [each for each in self.connections if isinstance(each, Connection) and each.is_unasked]
        if len(unasked) > UNASKED:
            min(unasked, key=lambda each: each._began)._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._first.cancel()
        super().connection_lost(exc)

    @property
    def is_unasked(self) -> bool:
        """Whether no request came whole, and it is not being closed."""
        cycle: Any = self.cycle
        return cycle is None and not self.transport.is_closing()

    def _give_way(self) -> None:
        if self.is_unasked:
            self.transport.abort()
