"""Makes the sentences of refusals from their codes and values: at the edge, where a person reads them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import to_builtins
from msgspec.structs import replace

from firmware_bridge.facts.book import alarms, failures
from firmware_bridge.facts.book.refusals import PHRASES, REFUSALS, Kind, Phrase
from firmware_bridge.facts.orders import Answer
from firmware_bridge.topics.texts import Language, known, names
from firmware_bridge.topics.texts.phrases import in_words

Plain = Mapping[str, Any]
"""Values as they are on the wire."""

ROWS: Final = PHRASES | alarms.PHRASES
"""Code of a phrase -> its values."""

BETWEEN: Final[dict[Kind, tuple[str, str, str]]] = {
    "list": (", ", ", ", ", "),
    "either": (" or ", " 或 ", " 或 "),
    "all": (" and ", " 和 ", " 和 "),
    "phrases": (", ", "、", "、"),
    "clauses": ("; ", "；", "；"),
    "failures": ("; ", "；", "；"),
}
"""What stands between the parts of a value, in each of `LANGUAGES`."""


def sentence(lang: Language, code: str, values: Plain) -> str:
    """Return why something was refused; the code itself where this version has no text for it."""
    return _text(lang, f"refusal.{code}", REFUSALS.get(code), values) or code


def remedy(lang: Language, code: str, values: Plain) -> str:
    """Return what to do after a refusal, "" for nothing."""
    return _text(lang, f"refusal.{code}.todo", REFUSALS.get(code), values)


def words(lang: Language, code: str | None, values: Plain, error: str | None, hint: str | None) -> tuple[str, str]:
    """Return why, and what to do, of a refusal; by its English where it has no code that this version knows."""
    if code and (why := _text(lang, f"refusal.{code}", REFUSALS.get(code), values)):
        return why, remedy(lang, code, values)
    return in_words(lang, error or code or ""), in_words(lang, hint or "")


def words_of(lang: Language, answer: Plain) -> tuple[str, str]:
    """Return the same of an answer as it is on the wire."""
    return words(lang, answer.get("code"), answer.get("values") or {}, answer.get("error"), answer.get("hint"))


def worded(answer: Answer) -> Answer:
    """Return the answer with the English of its code in `error` and `hint`, for people at a terminal."""
    if answer.ok or answer.code is None or answer.error is not None:
        return answer
    values = to_builtins(answer.values)
    return replace(
        answer, error=sentence("en", answer.code, values), hint=remedy("en", answer.code, values) or answer.hint
    )


def failure(lang: Language, value: Any) -> str:
    """Return a failure in words, as a fact or as it is on the wire; the English of one without a code."""
    match to_builtins(value) if isinstance(value, Phrase) else value:
        case {"code": str(code)} as row:
            return _text(lang, f"failure.{code}", failures.ROWS.get(code), row.get("values", {})) or code
    return given(lang, "prompt", value, {})


def english(value: Phrase) -> str:
    """Return a failure in a line of the log, or of a command."""
    return failure("en", value)


def _text(lang: Language, id: str, row: Mapping[str, Kind] | None, values: Plain) -> str:
    """Return the text of an id with its values, "" where there is none, as of a newer table."""
    found = known(lang, id)
    if found is None or row is None or set(row) - set(values):
        return ""
    return found.format(**{name: given(lang, kind, values[name], values) for name, kind in row.items()})


def given(lang: Language, kind: Kind, value: Any, values: Plain) -> str:
    """Return a value in words. values: those beside it."""
    match kind:
        case "slot":
            return names.slots(lang, str(value))
        case "given":
            return names.given(lang, str(value))
        case "phrase":
            return _phrase(lang, value)
        case "list" | "either" | "all" | "phrases" | "clauses":
            return _between(lang, kind).join(_phrase(lang, each) for each in _several(value))
        case "failure":
            return failure(lang, value)
        case "failures":
            return _between(lang, kind).join(failure(lang, each) for each in _several(value))
        case "remedy":
            return _remedy(lang, value) or _phrase(lang, value)
        case "field":
            return known(lang, f"order_field.{value}") or f'"{value}"'
        case "todo":
            return known(lang, f"todo.{value}_{values['policy']}") or known(lang, f"todo.{value}") or str(value)
        case "prompt":
            return known(lang, f"given.{value}") or in_words(lang, str(value))
    return str(value)


def _between(lang: Language, kind: Kind) -> str:
    english, traditional, simplified = BETWEEN[kind]
    return {"en": english, "zh-Hant": traditional, "zh-Hans": simplified}[lang]


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _remedy(lang: Language, value: Any) -> str:
    match value:
        case {"code": str(code)}:
            return remedy(lang, code, value.get("values", {}))
    return ""


def _phrase(lang: Language, value: Any) -> str:
    """Return a phrase, or a word, in words."""
    match value:
        case {"code": str(code)}:
            values: Plain = value.get("values", {})
            found = _text(lang, f"phrase.{code}", ROWS.get(code), values)
            return found or sentence(lang, code, values)
    return str(value)
