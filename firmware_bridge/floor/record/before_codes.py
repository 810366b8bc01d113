"""Reads the English that tables sent before it had codes, in 0.1.0: the names of people in it, and how a shoe ended."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from firmware_bridge.facts.book.endings import ALARMS_BEFORE, BEFORE, DEALT_OUT
from firmware_bridge.facts.events_of_rounds import Reason

Hide = Callable[[bytes], bytes]
"""Gives the pseudonym of a name; both as bytes within a text of JSON."""

_NAMES: Final = tuple(
    re.compile(each)
    for each in (
        rb'\blent to ((?:[^"\\]|\\.)+?)(?= for calibration"|, or on its way back"|")',
        rb'test cards passed while no daemon ran, by ((?:[^"\\]|\\.)+?)(?=")',
        rb'"why":\s*"closed by ((?:[^"\\]|\\.)+?)(?=")',
    )
)
"""Patterns of sentences that name people."""

_SUMMARY: Final = re.compile(rb', the last one: [^" ]+ by (?!backend: |key/)((?:[^"\\]|\\.)+)(?=: )')
"""Pattern of a count of refused orders. A name may have `: ` in it: rather than its end stays in clear, the beginning
of an error goes with it.
"""


def without_names(body: bytes, hide: Hide) -> bytes:
    """Return the bytes of an event without the names in its sentences."""
    for each in _NAMES:
        body = _replaced(each, body, hide)
    return in_summaries(body, hide)


def in_summaries(body: bytes, hide: Hide) -> bytes:
    """Return the bytes of an event without the names in counts of refused orders."""
    return _replaced(_SUMMARY, body, hide)


class Ended(NamedTuple):
    """How a shoe ended: a code of `endings.SHOES`. alarm, by: its values, "" for none. why: what a person typed."""

    code: str
    alarm: str = ""
    by: str = ""
    why: str = ""


_ENDED: Final = {english: Ended(code) for code, english in BEFORE.items() if code in DEALT_OUT}
_CLOSED_BY: Final = BEFORE["closed"]
_BY_PIT: Final = BEFORE["pit"]
_ALARM_ENDED: Final = {english: code for code, english in ALARMS_BEFORE.items()}
_COUNT: Final = re.compile(r"^[0-9]+(?= )")


def shoe_ended(why: str) -> Ended:
    """Return how a shoe ended, from its sentence; what is no sentence of the shoe was typed with an order."""
    if why.startswith(_CLOSED_BY):
        return Ended("closed", by=why.removeprefix(_CLOSED_BY))
    if why.startswith(_BY_PIT):
        alarm, _, typed = why.removeprefix(_BY_PIT).partition(": ")
        return Ended("pit", alarm, why=typed)
    return _ENDED.get(why) or Ended("closed", why=why)


def alarm_ended(choice: str) -> str:
    """Return the code of how an alarm ended, from its English; the choice itself where that is no English."""
    return _ALARM_ENDED.get(_COUNT.sub("{cards}", choice), choice)


def voided(why: tuple[str, ...]) -> tuple[Reason, ...]:
    """Return why a round was voided, from its sentence; () for what was typed."""
    return (Reason("shoe_empty", {}),) if why == (BEFORE["shoe_empty"],) else ()


def _replaced(pattern: re.Pattern[bytes], body: bytes, hide: Hide) -> bytes:
    def put(found: re.Match[bytes]) -> bytes:
        start, (begin, end) = found.start(), found.span(1)
        return found[0][: begin - start] + hide(found[1]) + found[0][end - start :]

    return pattern.sub(put, body)
