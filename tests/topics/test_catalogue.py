"""The catalogues of texts: compiled from what is written, with the same ids in every language."""

from __future__ import annotations

import pytest

from firmware_bridge.topics.texts import LANGUAGES, Language, known, text
from scripts.tools.texts import FOLDER, by_id, made


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


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("word", ["主任", "銷牌", "销牌", "莊荷", "庄荷"])
def test_one_thing_has_one_word(lang: Language, word: str) -> None:
    """The pit is 主管, the burn 燒牌, the dealer 荷官."""
    assert [id for id, words in by_id(lang).items() if word in words] == []


@pytest.mark.parametrize(("lang", "foreign"), [("zh-Hant", "这们请续读号没见讯"), ("zh-Hans", "這們請續讀號沒見訊枱")])
def test_no_letter_is_of_the_other_script(lang: Language, foreign: str) -> None:
    assert [id for id, words in by_id(lang).items() if set(words) & set(foreign)] == []
