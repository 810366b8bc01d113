"""The texts of pages and screens by ids, whole in three languages."""

from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Final, get_args

from firmware_bridge.facts.languages import Language as Language
from firmware_bridge.facts.languages import Whole

LANGUAGES: Final[tuple[Language, ...]] = get_args(Whole)

OF_GUESTS: Final[tuple[Language, ...]] = get_args(Language)
"""Languages of guests' screens: also those that have some texts alone."""

FOLDER: Final = Path(__file__).parent
"""The folder of the catalogues."""

TRADITIONAL: Final = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""Language tags for traditional Chinese; any other `zh` is simplified."""


def text(language: Language, id: str, /, **values: object) -> str:
    """Return the text of an id, formatted with its values. Raises KeyError for an unknown id."""
    found = known(language, id)
    if found is None:
        raise KeyError(id)
    return found.format(**values) if values else found


def known(language: Language, id: str) -> str | None:
    """Return the text of an id from a message; None for an unknown one, such as a newer table's."""
    found = _catalogue(language).gettext(id)
    return found if id and found != id else None


@cache
def ids() -> tuple[str, ...]:
    """Return all ids of the catalogue."""
    return tuple(vars(_catalogue("en"))["_catalog"])  # gettext has no public way to list them


@cache
def _catalogue(language: Language) -> GNUTranslations:
    """Return the compiled catalogue, made of the .po file by scripts/texts; English stands in for one not whole."""
    with (FOLDER / f"{language}.mo").open("rb") as file:
        found = GNUTranslations(file)
    if language not in LANGUAGES:
        found.add_fallback(_catalogue("en"))
    return found


def chosen(asked: str, accepted: str) -> Language:
    """Return the language of `?lang=`, else the first known one of Accept-Language, else English."""
    for each in LANGUAGES:
        if asked == each:
            return each
    weighed = sorted((_weighed(place, each) for place, each in enumerate(accepted.split(","))), reverse=True)
    return next((found for _, _, word in weighed if (found := _language(word))), "en")


def _weighed(place: int, part: str) -> tuple[float, int, str]:
    """Return weight, negated place and tag of a part of Accept-Language: `zh-TW;q=0.8`."""
    word, _, weight = part.strip().lower().partition(";q=")
    try:
        return float(weight or 1), -place, word
    except ValueError:
        return 0.0, -place, word


def _language(word: str) -> Language | None:
    if word.split("-")[0] == "zh":
        return "zh-Hant" if word.startswith(TRADITIONAL) else "zh-Hans"
    return "en" if word.split("-")[0] == "en" else None
