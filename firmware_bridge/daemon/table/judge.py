"""Judges the inputs of a table; what a card would mean is worked out before it comes, while nothing else is to do."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from msgspec.structs import replace

from firmware_bridge.daemon.table.stamps import nonce
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.inputs import AnyInput, CardRead, ReportNo
from firmware_bridge.shoe import Shoe, apart, decide, fault, foretell, observe
from firmware_bridge.shoe.round import due, phase, rules
from firmware_bridge.shoe.state import IN_PLAY

log = logging.getLogger(__name__)

QUIET_S: Final = 0.002
"""A table where nothing was journaled for so long may think ahead: cards read at once come closer together."""


class Judge:
    """Judges the inputs of a table by `decide`, `observe`, or `fault` where `decide` fails; cards also beforehand.

    `look_ahead` has every face that may come next judged, one in each turn of the loop. `judged` gives those events to
    a card that meets the very shoe they were made for, is the card that was expected in all but time, salt and quality,
    and would mean the same at any time; it takes the nonce that was drawn for it then. Every other input is judged as
    it comes, and so is every card with a number of its own, which nobody can expect.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, looks_ahead: bool = True) -> None:
        self._loop, self._looks_ahead = loop, looks_ahead
        self._timer: asyncio.Handle | None = None
        self._shoe: Shoe | None = None
        self._trial = Shoe()
        self._last: CardRead | None = None
        self._to_judge: list[CardRead] = []
        self._foretold: dict[Card, tuple[CardRead, tuple[AnyEvent, ...]]] = {}

    def judged(self, shoe: Shoe, fact: AnyInput, observing: bool) -> tuple[AnyInput, tuple[AnyEvent, ...]]:
        """The input as it is to be journaled, and its events. observing: nothing is made of cards."""
        if isinstance(fact, CardRead) and shoe is self._shoe and not observing:
            foreseen, events = self._foretold.get(fact.card, (None, ()))
            if foreseen and _timeless(fact, foreseen.nonce) == foreseen:
                return replace(fact, nonce=foreseen.nonce), events
        return fact, self._judged_now(shoe, fact, observing)

    def look_ahead(self, shoe: Shoe, fact: AnyInput) -> None:
        """An input led to this shoe: have the cards that may come next judged, once the loop is at rest."""
        self.stop()
        if isinstance(fact, CardRead):
            self._last = fact
        if self._looks_ahead and self._last and not self._last.serial and shoe.status == "open":
            self._timer = self._loop.call_later(QUIET_S, self._begin, shoe)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is left to judge ahead."""
        return self._timer is None

    def stop(self) -> None:
        """Look no further ahead, and forget what was seen."""
        if self._timer:
            self._timer.cancel()
        self._timer, self._shoe = None, None
        self._foretold.clear()
        self._to_judge.clear()

    def _judged_now(self, shoe: Shoe, fact: AnyInput, observing: bool) -> tuple[AnyEvent, ...]:
        try:
            return observe(shoe, fact) if observing else decide(shoe, fact)
        except Exception as error:
            # Its text might spell a sealed card; the journal holds the input.
            log.error("internal error while judging %s: %s", type(fact).__name__, type(error).__name__)
            return fault(shoe, fact, error)

    def _begin(self, shoe: Shoe) -> None:
        if self._last:
            self._shoe, self._trial = shoe, apart(shoe)
            expected = _next(self._last, shoe)
            self._to_judge = [replace(expected, card=card) for card in rules(shoe).pack]
            self._go_on()

    def _go_on(self) -> None:
        """Judge one more; what fails is left to the card itself, which tells of it."""
        if not self._to_judge:
            self._timer = None
            return
        fact = self._to_judge.pop()
        try:
            if (events := foretell(self._trial, fact)) is not None:
                self._foretold[fact.card] = fact, events
        except Exception as error:
            log.debug("a card cannot be judged ahead: %s", type(error).__name__)
        self._timer = self._loop.call_soon(self._go_on)


def _timeless(fact: CardRead, nonce: str) -> CardRead:
    """A card without what no decision depends on, and with this nonce; its quality is kept for the auditor alone."""
    return replace(fact, at=0, mono=0, salt="", nonce=nonce, quality=None)


def _next(last: CardRead, shoe: Shoe) -> CardRead:
    """The card that is expected after `last`: of its lot, from its reader, where it belongs, with a new nonce."""
    report = ReportNo(last.report.session, (last.report.seq + 1) % 256) if last.report else None
    slot = due(shoe) if last.slot and phase(shoe) in IN_PLAY else None
    return replace(_timeless(last, nonce()), report=report, slot=slot, flags=(), gap=False)
