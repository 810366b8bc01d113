"""Precomputes the events of the next card while the table is idle (docs/adr/001-look-ahead.md)."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.inputs import AnyInput, CardRead, ReportNo
from firmware_bridge.shoe import Shoe, decide
from firmware_bridge.shoe.round import due, phase, rules
from firmware_bridge.shoe.state import IN_PLAY

log = logging.getLogger(__name__)

QUIET_S: Final = 0.002
"""Seconds without an entry before look-ahead begins: cards read in a row come closer together."""

ANY: Final[dict[str, Any]] = {"at": 0, "mono": 0, "salt": "", "nonce": "", "quality": None}
EARLIEST: Final[dict[str, Any]] = {"mono": 0, "nonce": "0" * 32}
LATEST: Final[dict[str, Any]] = {"mono": 2**53, "nonce": "f" * 32}
"""Fields that no decision about an open card depends on, and the extreme values of two of them."""

AHEAD_MS: Final = 600_000
"""Milliseconds of wall time for which cards are judged ahead: a decision depends on it only where a shift begins."""


class LookAhead:
    """Caches the events of `decide` for each face that may come next, one step in each turn of the loop.

    A face is judged twice, now and `AHEAD_MS` later, with extreme nonces: where the events differ, nothing is
    cached, and the card is judged as it comes. So are all cards with a serial, which cannot be predicted.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.Handle | None = None
        self._shoe: Shoe | None = None
        self._last: CardRead | None = None
        self._expected: CardRead | None = None
        self._from = 0
        self._known: dict[Card, tuple[AnyEvent, ...]] = {}

    def events(self, shoe: Shoe, fact: AnyInput) -> tuple[AnyEvent, ...] | None:
        """Return the events of `decide(shoe, fact)`, None if not cached."""
        if not isinstance(fact, CardRead) or shoe is not self._shoe or self._expected is None:
            return None
        events = self._known.get(fact.card)
        if not self._from <= fact.at <= self._from + AHEAD_MS:
            return None
        return events if events and replace(fact, **ANY) == replace(self._expected, card=fact.card) else None

    def begin(self, shoe: Shoe, fact: AnyInput) -> None:
        """Begin with the shoe after an input: judge the cards that may come next, once the loop is idle."""
        self.stop()
        if isinstance(fact, CardRead):
            self._last = fact
        if self._last and not self._last.serial and shoe.status == "open":
            self._from = fact.at
            self._timer = self._loop.call_later(QUIET_S, self._go_on, self._steps(shoe, self._last))

    @property
    def is_at_rest(self) -> bool:
        """Whether no step is left."""
        return self._timer is None

    def stop(self) -> None:
        """Stop, and empty the cache."""
        if self._timer:
            self._timer.cancel()
        self._timer, self._shoe, self._expected = None, None, None
        self._known.clear()

    def _steps(self, shoe: Shoe, last: CardRead) -> Iterator[None]:
        self._shoe, self._expected = shoe, _expected(last, shoe)
        for face in rules(shoe).pack:
            card = replace(self._expected, card=face)
            events = decide(shoe, replace(card, at=self._from, **EARLIEST))
            yield
            if decide(shoe, replace(card, at=self._from + AHEAD_MS, **LATEST)) == events:
                self._known[face] = events
            yield

    def _go_on(self, steps: Iterator[None]) -> None:
        """Do one step; an error is left to the card itself, which will report it."""
        self._timer = None
        try:
            next(steps)
        except StopIteration:
            return
        except Exception as error:
            log.debug("a card cannot be judged ahead: %s", type(error).__name__)
            return
        self._timer = self._loop.call_soon(self._go_on, steps)


def _expected(last: CardRead, shoe: Shoe) -> CardRead:
    """Return the card expected after `last`, except its face: of the same batch, the next report, the slot due."""
    report = ReportNo(last.report.session, (last.report.seq + 1) % 256) if last.report else None
    slot = due(shoe) if last.slot and phase(shoe) in IN_PLAY else None
    return replace(last, report=report, slot=slot, flags=(), gap=False, **ANY)
