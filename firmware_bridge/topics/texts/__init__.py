"""The texts of the page in three languages, by ids."""

from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Final, Literal, get_args

Language = Literal["en", "zh-Hant", "zh-Hans"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


TRADITIONAL: Final = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""Language tags for traditional Chinese; any other `zh` is simplified."""


def text(language: Language, id: str, /, **values: object) -> str:
    """The text of an id, formatted with its values. Raises KeyError for an unknown id."""
    found = known(language, id)
    if found is None:
        raise KeyError(id)
    return found.format(**values) if values else found


def known(language: Language, id: str) -> str | None:
    """The text of an id from a message; None for an unknown one, such as a newer table's."""
    found = _catalogue(language).gettext(id)
    return found if id and found != id else None


@cache
def ids() -> tuple[str, ...]:
    """All ids of the catalogue."""
    return tuple(vars(_catalogue("en"))["_catalog"])  # gettext has no public way to list them


@cache
def _catalogue(language: Language) -> GNUTranslations:
    """The compiled catalogue of a language; scripts/texts makes it from the .po file beside it."""
    with (Path(__file__).parent / f"{language}.mo").open("rb") as file:
        return GNUTranslations(file)


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
