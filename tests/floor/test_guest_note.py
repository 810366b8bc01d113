"""The newest note of the record on guests' screens: between shoes alone, and nothing else of the screen changes."""

import re

import pytest

from firmware_bridge.floor.page.guest.fold import NOTHING, Kept, fold
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import BETWEEN, view
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from tests.floor.guests import STAGES
from tests.floor.test_page_record import NOTE

DRAWN = re.compile(r'<section class="note">.*?</section>')


def between(kept: Kept) -> bool:
    """Whether a table is between two shoes, and nothing is wrong with it."""
    shown = kept.table
    waits = view(kept).waits
    return shown is not None and not waits and shown.phase in BETWEEN and not GAMES[shown.game].play.one_round_packs


@pytest.mark.parametrize("name", STAGES)
def test_a_note_is_drawn_between_shoes_alone_and_changes_nothing_else(name: str) -> None:
    kept, places = NOTHING, set[bool]()
    for each in STAGES[name]().said:
        before, kept = kept, fold(kept, each.topic, each.payload)
        if kept is before:
            continue
        with_note, without = (view(kept, "live", note=note) for note in (NOTE, ""))
        assert with_note._replace(note="") == without
        assert (with_note.note == NOTE) == between(kept)
        places.add(bool(with_note.note))
    assert False in places


def test_some_shoes_end_on_these_stages() -> None:
    ended = [name for name in STAGES if any(between(kept) for kept in states(name))]
    assert ended


def states(name: str) -> list[Kept]:
    """The states of a stage's table after each message."""
    made = [NOTHING]
    for each in STAGES[name]().said:
        made.append(fold(made[-1], each.topic, each.payload))
    return made


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_screen_between_shoes_is_that_without_a_note_but_for_the_code(lang: Language) -> None:
    kept = next(kept for name in STAGES for kept in states(name) if between(kept))
    drawn = screen("T07", view(kept, note=NOTE), lang)
    assert DRAWN.sub("", drawn) == screen("T07", view(kept), lang)
    assert text(lang, "guest.note") in drawn
    assert '<svg viewBox="0 0 61 61">' in drawn
