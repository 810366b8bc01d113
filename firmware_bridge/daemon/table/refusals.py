"""Answers that change nothing: the first of a source are journaled one by one, the others as a count."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Literal

from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.events import AnyEvent, CommandAnswered, KeyRefused
from firmware_bridge.facts.names import is_pad
from firmware_bridge.facts.orders import BY_KEY, KEYPAD, Answer, Malformed

log = logging.getLogger(__name__)

Source = Literal["marks", "keys", "orders", "orders of the backend", "orders without effect"]

ONE_BY_ONE: Final[dict[Source, int]] = {
    "marks": 3,
    "keys": 5,
    "orders": 5,
    "orders of the backend": 5,
    "orders without effect": 20,
}
"""Answers in a row that are journaled one by one, for each source: a minute's flood of any is less than 17 kB."""

REFILL_S: Final = 60.0
"""Seconds after which one more is journaled by itself, and between two counts."""

ANSWERS_KEPT: Final = 1_000
"""Answers kept of orders with an id that were only counted: a repeat gets the same one."""

OF_BYTES: Final = ("shape", "too_long", "unknown_key", "bad_signature", "old_count", "unsigned")

BY_CODE: Final = frozenset((*OF_BYTES, "as_of", "expired", "not_allowed", "round"))
"""Refusals of a table with keys that are counted each under its code, also of bytes that are no order."""

BACKEND: Final = "backend"
"""The giver of orders by MQTT."""


class Refusals:
    """Counts refusals, and orders that were accepted without effect, so that no flood of them fills the disk.

    journal: journals the line of a count, given by the source's name; whether that is done. record: the same for
    refusals by their codes, with the counts of keys in `used`.
    """

    def __init__(
        self,
        journal: Callable[[Malformed, str], bool],
        loop: asyncio.AbstractEventLoop,
        record: Callable[[dict[str, int], dict[str, int]], bool] = lambda codes, used: True,
    ) -> None:
        self._journal, self._loop, self._record = journal, loop, record
        self.used: dict[str, int] = {}
        """Name of a key -> the highest count of its orders in this run."""
        self._codes: dict[str, int] = {}
        self._left: dict[Source, float] = dict(ONE_BY_ONE)
        self._filled_at = loop.time()
        self._counts: dict[Source, int] = {}
        self._last: dict[Source, tuple[str, dict[str, Value]]] = {}
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None

    def counts(self, fact: inputs.AnyInput, events: Sequence[AnyEvent]) -> bool:
        """Return whether these events of an input are only counted, instead of journaled."""
        if len(events) != 1 or not isinstance(event := events[0], CommandAnswered | KeyRefused):
            return False
        source = _source(fact, event)
        self._refill()
        if self._left[source] >= 1:
            self._left[source] -= 1
            return False
        if isinstance(fact, inputs.Ordered) and fact.count is not None and isinstance(event, CommandAnswered):
            code = event.answer.code if event.answer.code in BY_CODE else "refused"
            self.turned_away("without_effect" if event.answer.ok else str(code))
        else:
            self._counts[source] = self._counts.get(source, 0) + 1
            self._last[source] = _last(source, event)
        if isinstance(event, CommandAnswered) and event.answer.id:
            self._answers[event.answer.id] = event.answer
            if len(self._answers) > ANSWERS_KEPT:
                self._answers.popitem(last=False)
        self._expect()
        return True

    def answer(self, id: str | None, digest: str | None) -> Answer | None:
        """Return the answer to an order that was only counted, for a repeat of it; None for another."""
        known = self._answers.get(id) if id else None
        return known if known and known.digest == digest else None

    def use(self, name: str, count: int) -> None:
        """Use up a count of a key, and all below it."""
        self.used[name] = max(count, self.used.get(name, 0))

    def turned_away(self, code: str) -> None:
        """Count a message that was refused before it was an order, by the code of its refusal."""
        if not self._codes:
            log.warning("a message was refused (%s); refusals like it are on record once a minute, as a count", code)
        self._codes[code] = self._codes.get(code, 0) + 1
        self._expect()

    def journal(self) -> None:
        """Journal a line for each source that was counted."""
        self.stop()
        for source, count in list(self._counts.items()):
            code, values = self._last[source]
            if self._journal(Malformed("orders", code=code, values={"count": count, **values}), source):
                del self._counts[source]
        if self._codes and self._record(self._codes, self.used):
            self._codes = {}
        if self._counts or self._codes:  # the disk is out
            self._expect()

    def close(self) -> None:
        """Journal what was counted, and counts of keys that no entry has."""
        self.journal()
        self._record({}, self.used)
        self.stop()

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _expect(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(REFILL_S, self.journal)

    def _refill(self) -> None:
        now = self._loop.time()
        more, self._filled_at = (now - self._filled_at) / REFILL_S, now
        for source, most in ONE_BY_ONE.items():
            self._left[source] = min(most, self._left[source] + more)


def _source(fact: inputs.AnyInput, event: CommandAnswered | KeyRefused) -> Source:
    if not isinstance(event, CommandAnswered) or not isinstance(fact, inputs.Ordered):
        return "keys"
    if event.answer.ok:
        return "orders without effect"
    if of_a_key(fact.by):
        return "marks"
    return "orders of the backend" if is_backend(fact.by) else "orders"


def is_backend(by: str) -> bool:
    """Return whether the giver of an order is a backend, with a key or without."""
    return by == BACKEND or by.startswith(BY_KEY)


def of_a_key(by: str) -> bool:
    """Return whether the giver of an order is a key or a keypad."""
    return by == KEYPAD or is_pad(by)


def _last(source: Source, event: CommandAnswered | KeyRefused) -> tuple[str, dict[str, Value]]:
    """Return code and values of a count, but for its number: it names no card but those that the last order named."""
    if isinstance(event, KeyRefused):
        return "many_keys", {"key": event.key, "why": Phrase(event.code, event.values)}
    answer = event.answer
    why = phrase("accepted") if answer.ok else Phrase(answer.code or "", answer.values)
    return "many_answers", {"source": source, "do": answer.do or "", "by": event.by, "why": why}
