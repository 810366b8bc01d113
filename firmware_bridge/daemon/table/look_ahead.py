"""Works out what the next card would mean before it comes, while the table is idle (docs/adr/001-look-ahead.md)."""

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
"""A table where nothing was journaled for so long may think ahead: cards read at once come closer together."""

ANY: Final[dict[str, Any]] = {"at": 0, "mono": 0, "salt": "", "nonce": "", "quality": None}
EARLIEST: Final[dict[str, Any]] = {"at": 0, "mono": 0, "nonce": "0" * 32}
LATEST: Final[dict[str, Any]] = {"at": 2**53, "mono": 2**53, "nonce": "f" * 32}
"""What no decision about an open card depends on, and the two ends of it."""


class LookAhead:
    """Keeps what `decide` says of each face that may come next to one very shoe, one step in each turn of the loop.

    A face is judged twice, with times and nonces as far apart as can be: where the events differ, nothing is kept, and
    the card is judged as it comes. So are all cards with a serial, which cannot be foreseen.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.Handle | None = None
        self._shoe: Shoe | None = None
        self._last: CardRead | None = None
        self._expected: CardRead | None = None
        self._known: dict[Card, tuple[AnyEvent, ...]] = {}

    def events(self, shoe: Shoe, fact: AnyInput) -> tuple[AnyEvent, ...] | None:
        """What `decide(shoe, fact)` gives, if that is known already."""
        if not isinstance(fact, CardRead) or shoe is not self._shoe or self._expected is None:
            return None
        events = self._known.get(fact.card)
        return events if events and replace(fact, **ANY) == replace(self._expected, card=fact.card) else None

    def begin(self, shoe: Shoe, fact: AnyInput) -> None:
        """An input led to this shoe: judge the cards that may come next, once the loop is at rest."""
        self.stop()
        if isinstance(fact, CardRead):
            self._last = fact
        if self._last and not self._last.serial and shoe.status == "open":
            self._timer = self._loop.call_later(QUIET_S, self._go_on, self._steps(shoe, self._last))

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is left to judge ahead."""
        return self._timer is None

    def stop(self) -> None:
        """Look no further ahead, and forget what was seen."""
        if self._timer:
            self._timer.cancel()
        self._timer, self._shoe, self._expected = None, None, None
        self._known.clear()

    def _steps(self, shoe: Shoe, last: CardRead) -> Iterator[None]:
        self._shoe, self._expected = shoe, _expected(last, shoe)
        for face in rules(shoe).pack:
            card = replace(self._expected, card=face)
            events = decide(shoe, replace(card, **EARLIEST))
            yield
            if decide(shoe, replace(card, **LATEST)) == events:
                self._known[face] = events
            yield

    def _go_on(self, steps: Iterator[None]) -> None:
        """Judge one more; what fails is left to the card itself, which then says so."""
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
    """The card that is expected after `last`, but for its face: of its lot, from its reader, where it belongs."""
    report = ReportNo(last.report.session, (last.report.seq + 1) % 256) if last.report else None
    slot = due(shoe) if last.slot and phase(shoe) in IN_PLAY else None
    return replace(last, report=report, slot=slot, flags=(), gap=False, **ANY)
