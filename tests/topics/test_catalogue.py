"""The catalogues of texts: compiled from what is written, with the same ids in every language."""

from __future__ import annotations

import pytest

from firmware_bridge.topics.texts import LANGUAGES, Language, known, text
from tests.tools.texts import FOLDER, by_id, made


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_compiled_catalogue_is_current(lang: Language) -> None:
    written, compiled = made(lang)
    assert (FOLDER / f"{lang}.po").read_bytes() == written, "run scripts/texts"
    assert (FOLDER / f"{lang}.mo").read_bytes() == compiled, "run scripts/texts"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_text_is_found_by_its_id(lang: Language) -> None:
    assert {id: known(lang, id) for id in by_id(lang)} == by_id(lang)


@pytest.mark.parametrize("id", ["", "page", "page.nothing_like_this"])
def test_an_unknown_id_has_no_text(id: str) -> None:
    assert known("en", id) is None
    with pytest.raises(KeyError):
        text("en", id)
