"""Translates English texts of the wire: their templates are ids of the catalogue, `wire.{slot} is due`."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from string import Formatter
from typing import Final, NamedTuple

from firmware_bridge.topics.texts import Language, ids, known

PREFIX: Final = "wire."

NUMBERS: Final = ("count", "cost", "least", "most", "number", "round", "seq", "step", "turn")
WORDS: Final = ("alarm", "card", "choice", "do", "game", "journal", "key", "seat", "slot", "word")
PHRASES: Final = ("choices", "decks", "field", "remedy", "rest", "user", "what", "why")
"""Fields of templates: numbers, single words, and those that may hold texts with templates of their own."""

LISTS: Final = ("choices", "seats")
"""Fields of names, which may have an "or" between them."""

PATTERNS: Final = dict.fromkeys(NUMBERS, r"[-+]?[0-9][0-9.,]*") | dict.fromkeys(WORDS, r"\S+")
"""Field -> what it matches; another one matches anything."""

PARTS: Final = {"; ": "；", ", ": "、"}
"""What stands between the phrases of a field, in English and Chinese."""

DEEPEST: Final = 3
"""Phrases within phrases at most."""


class Template(NamedTuple):
    """An English text with fields. begin: the letters before its first field. length: all letters of its own."""

    id: str
    begin: str
    length: int
    pattern: str


def phrase(lang: Language, english: str, depth: int = 0) -> str | None:
    """Return the text in a language; None for one without a template, such as a newer table's."""
    if known(lang, PREFIX + english) and "{" not in english:
        return _filled(lang, PREFIX + english, {}, depth)
    for each in _templates():
        if english.startswith(each.begin) and (found := re.fullmatch(each.pattern, english, re.DOTALL)):
            return _filled(lang, each.id, found.groupdict(), depth)
    return None


def in_words(lang: Language, english: str) -> str:
    """Return the text in a language, as far as it has words for it."""
    return english if lang == "en" else phrase(lang, english) or _parts(lang, english, 0)


def joined(lang: Language, *phrases: str) -> str:
    """Return phrases in one line, empty ones left out."""
    return str(known(lang, "between.clauses")).join(filter(None, phrases)).replace("？；", "？")


def _filled(lang: Language, id: str, given: Mapping[str, str], depth: int) -> str:
    fields = {
        name: _parts(lang, value, depth + 1) if name in PHRASES and depth < DEEPEST else value
        for name, value in given.items()
    }
    between = str(known(lang, "between.alternatives"))
    fields |= {name: fields[name].replace(" or ", between) for name in LISTS if name in fields}
    return str(known(lang, id)).format(**fields)


def _parts(lang: Language, value: str, depth: int) -> str:
    """Return a text that may be a phrase, or several."""
    if (found := phrase(lang, value, depth)) is not None:
        return found
    for between, shown in PARTS.items():
        parts = value.split(between)
        if len(parts) > 1 and (shown_parts := [_parts(lang, each, depth) for each in parts]) != parts:
            return shown.join(shown_parts)
    return value


@cache
def _templates() -> tuple[Template, ...]:
    """Return the templates with fields, those with the most letters of their own first."""
    made = [_template(id) for id in ids() if id.startswith(PREFIX)]
    return tuple(sorted((each for each in made if each), key=lambda each: -each.length))


def _template(id: str) -> Template | None:
    """Return the template of an id; None for a text without fields."""
    parts = list(Formatter().parse(id.removeprefix(PREFIX)))
    own = [text for text, _, _, _ in parts]
    if all(field is None for _, field, _, _ in parts) and len(parts) == 1:
        return None
    return Template(id, own[0], sum(map(len, own)), "".join(_pattern(parts)))


def _pattern(parts: list[tuple[str, str | None, str | None, str | None]]) -> Iterator[str]:
    met: set[str] = set()
    for text, field, _, _ in parts:
        yield re.escape(text)
        if field is not None:
            yield f"(?P={field})" if field in met else f"(?P<{field}>{PATTERNS.get(field, '.+')})"
            met.add(field)
