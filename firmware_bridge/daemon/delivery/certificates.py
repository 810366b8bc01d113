"""The certificates of the connection to the broker: says when one ends, and has a renewed one used between rounds."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Final, NamedTuple, Protocol

from firmware_bridge.facts.book.refusals import Value, phrase
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.mqtt.certificates import DAY_S, WARNED_DAYS, Validity, validity
from firmware_bridge.mqtt.settings import BrokerSettings, NotPem, tls_context

log = logging.getLogger(__name__)

WARNED_S: Final = WARNED_DAYS * DAY_S
LOOK_S: Final = 60.0
"""Seconds between two looks at the files."""

ALARM: Final = "certificate_ends"
OF_BROKER: Final = phrase("broker_certificate")

_Seen = tuple[tuple[int, int], ...]


class Warnings(Protocol):
    """A table, as far as alarms need it."""

    def warn(self, alarm: str, /, **values: Value) -> None: ...

    def unwarn(self, alarm: str, /) -> None: ...


class TlsLink(NamedTuple):
    """The connection to the broker. ends: of the broker's certificate, s since 1970; None where none is known.

    renew: connects again. may_renew: whether no round is open.
    """

    ends: Callable[[], float | None]
    renew: Callable[[], None]
    may_renew: Callable[[], bool]


class Certificates:
    """Looks at the certificates each minute, from `start` to `close`; without TLS it does nothing."""

    def __init__(
        self,
        settings: BrokerSettings,
        warnings: Warnings,
        link: TlsLink,
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float] = time,
    ) -> None:
        self._settings, self._warnings, self._link, self._loop, self._clock = settings, warnings, link, loop, clock
        self._files = [Path(each) for each in (settings.ca, settings.cert, settings.key) if each is not None]
        self._used: _Seen = ()
        self._alarm, self._why_not = dict[str, Value](), ""
        self._timer: asyncio.TimerHandle | None = None
        self._left: float | None = None

    @property
    def days(self) -> int | None:
        """Whole days until the first certificate ends, negative behind it; None where none is known."""
        return None if self._left is None else int(self._left // DAY_S)

    def start(self) -> None:
        """Begin to look; the files are used as they are now."""
        if self._settings.encrypted:
            self._used = self._seen()
            self._look()

    def close(self) -> None:
        """Stop."""
        if self._timer:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = self._loop.call_later(LOOK_S, self._look)
        self._renew()
        known = dict(self._known())
        now_s = self._clock()
        self._left = min(each.ends for each in known.values()) - now_s if known else None
        self._say(_finding(known, now_s))

    def _known(self) -> Iterator[tuple[str, Validity]]:
        """Yield the certificates by their files, the broker's by ""; the connection reports an unreadable file."""
        for path in filter(None, (self._settings.cert, self._settings.ca)):
            try:
                yield str(path), validity(text_in(Path(path), "ascii"))
            except (OSError, ValueError):
                continue
        if (ends := self._link.ends()) is not None:
            yield "", Validity(0.0, ends)

    def _renew(self) -> None:
        """Have changed files used, once they are whole and no round is open."""
        if (seen := self._seen()) == self._used or not self._link.may_renew():
            return
        try:
            tls_context(self._settings.ca, self._settings.cert, self._settings.key)
        except (OSError, NotPem) as error:
            if str(error) != self._why_not:
                log.warning("changed certificates are not used yet: %s", error)
            self._why_not = str(error)
            return
        self._used, self._why_not = seen, ""
        log.info("certificates were changed: the broker is connected again")
        self._link.renew()

    def _seen(self) -> _Seen:
        found = []
        for path in self._files:
            try:
                status = path.stat()
                found.append((status.st_ino, status.st_mtime_ns))
            except OSError:
                found.append((0, 0))
        return tuple(found)

    def _say(self, wrong: dict[str, Value]) -> None:
        if wrong != self._alarm:
            self._alarm = wrong
            self._warnings.unwarn(ALARM)
            if wrong:
                self._warnings.warn(ALARM, **wrong)


def _finding(known: dict[str, Validity], now_s: float) -> dict[str, Value]:
    """Return the values of what is wrong with the certificates; empty where nothing is."""
    for name, each in known.items():
        if now_s < each.begins:
            return {"certificate": name or OF_BROKER, "begins": _day(each.begins)}
    name, first = min(known.items(), key=lambda item: item[1].ends, default=("", Validity(0.0, now_s + WARNED_S)))
    if now_s + WARNED_S <= first.ends:
        return {}
    return {"certificate": name or OF_BROKER, "ends" if now_s < first.ends else "ended": _day(first.ends)}


def _day(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d")
