"""Turns entries into those of journals of format 3, with English in place of codes, which the version before can read.

A file that was begun in that format goes on in it: what is sealed, published, folded and judged again is the same.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import to_builtins
from msgspec.structs import replace

from firmware_bridge.facts.book import endings, notes
from firmware_bridge.facts.book.alarms import values_of
from firmware_bridge.facts.book.refusals import Phrase, Value
from firmware_bridge.facts.events import (
    AnyEvent,
    CardHeld,
    CommandAnswered,
    Entry,
    Irregular,
    IrregularityClosed,
    KeyRefused,
    Noted,
    Reason,
    RoundVoided,
    ShoeEnded,
    ShoeOpened,
)
from firmware_bridge.facts.inputs import AnyInput, DeviceLost, DiskFailed, Ordered, ReaderFaulted
from firmware_bridge.facts.orders import Answer, Malformed
from firmware_bridge.journal.line import BEFORE
from firmware_bridge.topics.texts.alarms import todo, what
from firmware_bridge.topics.texts.refusals import english, given, remedy, sentence, worded

_NOTHING: Final = "-"
"""A text that must not be missing there: an empty one is left out of the line."""


def as_written(entry: Entry, number: int) -> Entry:
    """Return the entry as it stands in a journal of a format.

    In that of before it has all that the version before needs; one of such a journal stays as it is.
    """
    if number != BEFORE:
        return entry
    fact = _input(entry.input)
    return replace(entry, input=fact, events=tuple([_event(event, fact) for event in entry.events]))


def _input(fact: AnyInput) -> AnyInput:
    """Return the input; where an error keeps its English from being made, with the code alone: it must be on record."""
    try:
        return _input_in_english(fact)
    except Exception:
        return _input_by_code(fact)


def _event(event: AnyEvent, fact: AnyInput) -> AnyEvent:
    """Return the event, in the same way."""
    try:
        return _event_in_english(event, fact)
    except Exception:
        return _event_by_code(event)


def _input_by_code(fact: AnyInput) -> AnyInput:
    match fact:
        case DeviceLost(code=code) | DiskFailed(code=code) | ReaderFaulted(code=code):
            return replace(fact, why=code or _NOTHING, code="", values={})
        case Ordered(order=Malformed(code=code) as order):
            return replace(fact, order=replace(order, error=code or _NOTHING, hint=_NOTHING, values={}))
    return fact


def _event_by_code(event: AnyEvent) -> AnyEvent:
    match event:
        case Irregular():
            return replace(event, detail=event.detail or event.id or _NOTHING, values={})
        case KeyRefused():
            return replace(event, why=event.why or event.code or _NOTHING, values={})
        case CommandAnswered(answer=answer):
            return replace(event, answer=replace(answer, error=answer.error or answer.code, values={}))
        case CardHeld():
            return replace(event, code="", reason="", why=event.why or event.code or _NOTHING)
        case Noted():
            return replace(event, code="", values={}, what=event.what or event.code or _NOTHING)
        case IrregularityClosed():
            return replace(event, values={})
        case RoundVoided(reasons=(reason, *_)):
            return replace(event, why=(reason.id,), reasons=())
        case ShoeEnded():
            return replace(event, code="", values={}, why=event.why or event.code or _NOTHING)
        case ShoeOpened():
            rows = {id: replace(row, todo=row.todo or _NOTHING) for id, row in event.policy.items()}
            return _with_alarms(replace(event, policy=rows), _event_by_code)
    return event


def _input_in_english(fact: AnyInput) -> AnyInput:
    """Return the input; what cannot be carried out has no values there, as orders allow no field that is not known."""
    match fact:
        case DeviceLost(code=code) | DiskFailed(code=code) | ReaderFaulted(code=code) if code:
            return replace(fact, why=english(Phrase(code, fact.values)), code="", values={})
        case Ordered(order=Malformed(code=code, values=values, error="") as order) if code:
            plain = to_builtins(values)
            error, hint = sentence("en", code, plain), remedy("en", code, plain)
            return replace(fact, order=replace(order, error=error, hint=hint or _NOTHING, values={}))
    return fact


def _event_in_english(event: AnyEvent, fact: AnyInput) -> AnyEvent:
    match event:
        case Irregular(detail=""):
            return _irregular(event)
        case KeyRefused(why=""):
            return replace(event, why=sentence("en", event.code, to_builtins(event.values)) or _NOTHING)
        case CommandAnswered():
            return replace(event, answer=_answer(event.answer, fact))
        case ShoeOpened():
            return _opened(event, fact)
        case CardHeld(code=code, why=""):
            why = event.reason or notes.HELD_BEFORE.get(code, code)
            return replace(event, code="", reason="", why=why or _NOTHING)
        case IrregularityClosed(choice=choice, values=values) if values or choice in endings.ALARMS_BEFORE:
            return _closed(event)
        case Noted(code=code, what=""):
            english_note = notes.NOTES_BEFORE[code].format(**to_builtins(event.values))
            return replace(event, code="", values={}, what=english_note)
        case RoundVoided(reasons=(reason, *_)):
            return replace(event, why=(_voided(reason),), reasons=())
        case ShoeEnded(code=code, why=why) if code or not why:
            return replace(event, code="", values={}, why=_ended(event) or _NOTHING)
    return event


def _answer(answer: Answer, fact: AnyInput) -> Answer:
    match fact:
        case Ordered(order=Malformed(error=error, hint=hint)) if not answer.ok and error:
            return replace(answer, error=error, hint=hint, values={})
    return worded(answer)


def _irregular(event: Irregular) -> Irregular:
    """Give the irregularity its English, and values of one level: texts and numbers."""
    plain = to_builtins(event.values)
    flat: dict[str, Value] = {name: _flat(event.id, name, plain) for name in plain}
    return replace(event, detail=what("en", event.id, plain) or _NOTHING, values=flat)


def _flat(id: str, name: str, plain: dict[str, Any]) -> str | int:
    value = plain[name]
    if isinstance(value, str | int):
        return value
    return given("en", values_of(id).get(name, "phrase"), value, plain)


def _closed(event: IrregularityClosed) -> IrregularityClosed:
    """Return the end of an alarm with its choice, or how often its reader was lost, in English."""
    values = to_builtins(event.values)
    choice = endings.ALARMS_BEFORE.get(event.choice, event.choice).format(**values)
    why = endings.LOSSES_BEFORE.format(**values) if "losses" in values else event.why
    return replace(event, choice=choice, values={}, why=why)


def _ended(event: ShoeEnded) -> str:
    """Return how a shoe ended in English, with what a person typed."""
    english, plain = endings.BEFORE.get(event.code, event.code), to_builtins(event.values)
    match event.code:
        case "closed":
            return event.why or f"{english}{plain.get('by', '')}"
        case "pit":
            return ": ".join(filter(None, (f"{english}{plain.get('alarm', '')}", event.why)))
    return english


def _voided(why: Reason) -> str:
    """Return why a round was voided in English: what was typed, the alarm before it, or of a shoe that is empty.

    "" where nothing was typed.
    """
    words = (str(why.values.get(each, "")) for each in ("alarm", "says"))
    return ": ".join(filter(None, words)) or endings.BEFORE.get(why.id, "")


def _opened(event: ShoeOpened, fact: AnyInput) -> ShoeOpened:
    """Give the opening of a later pack in the same file the English of its policy, and of the alarms that are open."""
    rows = {id: replace(row, todo=todo("en", id, event.house.policy)) for id, row in event.policy.items()}
    return _with_alarms(replace(event, policy=rows), lambda each: _event(each, fact))


def _with_alarms(event: ShoeOpened, written: Callable[[AnyEvent], Any]) -> ShoeOpened:
    if event.device is None:
        return event
    return replace(event, device=replace(event.device, irregular=tuple(map(written, event.device.irregular))))
