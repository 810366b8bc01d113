"""A guest's screen in a language that has some texts alone: what is missing is English, and no screen is without."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel.messages.mofile import write_mo

from firmware_bridge.floor.page import dealer
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import view
from firmware_bridge.topics import texts
from firmware_bridge.topics.texts import LANGUAGES, OF_GUESTS, Language, text
from scripts.tools.texts import Plain, by_id
from tests.floor.guest_table import kept
from tests.floor.guests import evening
from tests.floor.tables import alive, baccarat, messages
from tests.floor.test_page_drawn import views

SPARE: Any = "xx"
SOME = {"guest.table": "Mesa {name}", "between.names": " e "}


@pytest.fixture
def partial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A fourth catalogue, of two texts."""
    shutil.copy(texts.FOLDER / "en.mo", tmp_path)
    compiled, plain = BytesIO(), Plain(SOME)
    write_mo(compiled, plain)  # type: ignore[arg-type]
    (tmp_path / "xx.mo").write_bytes(compiled.getvalue())
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    texts._catalogue.cache_clear()
    yield
    texts._catalogue.cache_clear()


@pytest.mark.usefixtures("partial")
def test_a_text_that_a_language_lacks_is_english() -> None:
    assert text(SPARE, "guest.table", name="T07") == "Mesa T07"
    assert text(SPARE, "game.baccarat") == text("en", "game.baccarat")
    assert text(SPARE, "between.names") == " e "
    with pytest.raises(KeyError):
        text(SPARE, "guest.nothing")


@pytest.mark.usefixtures("partial")
def test_every_game_has_a_screen_in_it() -> None:
    for game in ("baccarat", "niuniu"):  # with roads, and with seats
        shown = view(kept(evening(game, 0, 1).said), "live")
        own, english = (str(screen("T07", shown, lang)) for lang in (SPARE, "en"))
        assert own.replace("Mesa T07", "Table T07").replace('lang="xx"', 'lang="en"') == english, game


def test_people_at_a_table_are_offered_whole_languages_alone() -> None:
    assert set(LANGUAGES) <= set(OF_GUESTS)
    assert LANGUAGES == ("en", "zh-Hant", "zh-Hans")


@pytest.mark.usefixtures("partial")
def test_a_dealers_screen_is_english_in_it() -> None:
    feed = views(messages("T07", baccarat(3)), alive("T07"))._feed
    own, english = (dealer.of_table(feed, "T07", lang, dealer.document) for lang in (SPARE, "en"))
    assert own == english


def fields(words: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(words) if name}


@pytest.mark.parametrize("lang", OF_GUESTS)
def test_each_text_has_the_id_and_the_values_of_the_english_one(lang: Language) -> None:
    english = by_id("en")
    assert [id for id, words in by_id(lang).items() if not fields(words) <= fields(english.get(id, ""))] == []
    assert set(by_id(lang)) <= set(english)
