"""A guest's screen in a language that has some texts alone: what is missing is English, and no screen is without."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from babel.messages.mofile import write_mo

from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import view
from firmware_bridge.topics import texts
from firmware_bridge.topics.texts import LANGUAGES, OF_GUESTS, text
from scripts.tools.texts import Plain
from tests.floor.guest_table import kept
from tests.floor.guests import evening

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
