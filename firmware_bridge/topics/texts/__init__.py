"""The texts of the page in three languages, by ids."""

import tomllib
from pathlib import Path
from typing import Final, Literal, get_args

Language = Literal["en", "zh-Hant", "zh-Hans"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


def _catalogue(language: Language) -> dict[str, str]:
    sections = tomllib.loads((Path(__file__).parent / f"{language}.toml").read_text("utf-8"))
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


TEXTS: Final = {language: _catalogue(language) for language in LANGUAGES}
"""Language -> id -> text."""

TRADITIONAL: Final = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""Language tags for traditional Chinese; any other `zh` is simplified."""


def text(language: Language, id: str, /, **values: object) -> str:
    """The text of an id, formatted with its values. Raises KeyError for an unknown id."""
    return TEXTS[language][id].format(**values) if values else TEXTS[language][id]


def known(language: Language, id: str) -> str | None:
    """The text of an id from a message; None for an unknown one, such as a newer table's."""
    return TEXTS[language].get(id)


def chosen(asked: str, accepted: str) -> Language:
    """The language of `?lang=`, else the first known one of Accept-Language, else English."""
    for each in LANGUAGES:
        if asked == each:
            return each
    weighed = sorted((_weighed(place, each) for place, each in enumerate(accepted.split(","))), reverse=True)
    return next((found for _, _, word in weighed if (found := _language(word))), "en")


def _weighed(place: int, part: str) -> tuple[float, int, str]:
    """Weight, negated place and tag of a part of Accept-Language: `zh-TW;q=0.8`."""
    word, _, weight = part.strip().lower().partition(";q=")
    try:
        return float(weight or 1), -place, word
    except ValueError:
        return 0.0, -place, word


def _language(word: str) -> Language | None:
    if word.split("-")[0] == "zh":
        return "zh-Hant" if word.startswith(TRADITIONAL) else "zh-Hans"
    return "en" if word.split("-")[0] == "en" else None
