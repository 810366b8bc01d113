"""Guests' screens of every game, seats, outcomes, moments and languages in six sizes: nothing outside, over or cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.floor.page.guest.board import board
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.topics.texts import LANGUAGES
from tests.floor_whole import pages as whole
from tests.floor_whole.guest_geometry import FINDINGS, SIZES, opened, wrong
from tests.floor_whole.guest_scenes import SCENES

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

chromium = whole.chromium  # fixture

GAMES = ("baccarat", "blackjack", "niuniu", "erbagang", "zhajinhua", "no table", "closed")


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Iterator[Tab]:
    made = chromium.new_page()
    opened(made)
    yield made
    made.close()


def test_every_scene_is_looked_at() -> None:
    assert len(SCENES) * len(LANGUAGES) * len(SIZES) > 2000
    assert all(any(name.startswith(game) for game in GAMES) for name in SCENES)


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_outside_the_window_over_another_box_or_cut(tab: Tab, game: str) -> None:
    names = [name for name in SCENES if name.startswith(game)]
    assert {name: found for name, found in wrong(tab, names, LANGUAGES) if found} == {}


BOX = """() => [...document.querySelectorAll(".place")].map(each => {
  const box = each.getBoundingClientRect(), hand = each.querySelector(".hand")?.getBoundingClientRect();
  const size = one => Math.round(parseFloat(getComputedStyle(one).fontSize));
  const letters = [...each.querySelectorAll(".card, .points, .ended")].map(size);
  const [place, room] = [[box.x, box.y, box.width, box.height], hand ? [hand.width, hand.height] : []];
  return [place.map(Math.round), room.map(Math.round), letters];
})"""


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920)])
def test_a_seat_has_its_place_and_all_hands_of_a_board_have_one_size(tab: Tab, size: tuple[int, int]) -> None:
    """Whatever lies there, and whoever plays: places do not move, and letters of a board have one size."""
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    at: dict[object, str] = {}
    for name, shown in SCENES.items():
        if len(shown.places) != 7 or not name.startswith("blackjack") or shown.note or not shown.result:
            continue
        tab.evaluate(FINDINGS, [screen("T07", shown, "en")])
        found = tab.evaluate(BOX)
        at.setdefault(tuple(tuple(box) for box, _, _ in found), name)
        widths = {box[2] for box, _, _ in found} if size[0] > size[1] else {box[3] for box, _, _ in found}
        assert max(widths) - min(widths) <= 1, name
        hands = [hand for _, hand, _ in found if hand]
        assert all(abs(one - other) <= 1 for hand in hands for one, other in zip(hand, hands[0], strict=True)), name
        letters = sorted({each for _, _, sizes in found for each in sizes})
        apart = [each for before, each in zip([0, *letters], letters, strict=False) if each > before + 1]
        assert len(apart) <= 3, (name, letters)
    assert len(at) == 1, list(at.values())


def test_seat_1_is_on_the_side_that_the_house_says(tab: Tab) -> None:
    from firmware_bridge.floor.page.guest.html import Look

    tab.set_viewport_size({"width": 1920, "height": 1080})
    shown = SCENES["blackjack, dealer 20"]
    for side in ("left", "right"):
        tab.evaluate(FINDINGS, [screen("T07", shown, "en", Look(first_seat=side))])
        names = "() => [...document.querySelectorAll('.place')].sort((a, b) => a.offsetLeft - b.offsetLeft)"
        order = tab.evaluate(f"({names})().map(each => each.querySelector('h3').textContent).join('')")
        assert order == ("1234567" if side == "left" else "7654321")
    assert len(board(shown).places) == 7


@pytest.mark.parametrize("size", SIZES)
def test_the_name_of_the_game_is_left_of_the_round_and_a_note_alone_is_large(tab: Tab, size: tuple[int, int]) -> None:
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    box = "name => { const it = document.querySelector(name).getBoundingClientRect(); return [it.x, it.width]; }"
    for name in ("baccarat, banker, over", "blackjack, 7 seats", "niuniu, live"):
        tab.evaluate(FINDINGS, [screen("T07", SCENES[name], "en")])
        assert tab.evaluate(box, "h1")[0] < tab.evaluate(box, ".round")[0], name
    for name in ("baccarat, a note alone", "blackjack, a note alone"):
        tab.evaluate(FINDINGS, [screen("T07", SCENES[name], "en")])
        assert tab.evaluate(box, ".qr")[1] > min(size) / 2, name
