"""The names of tables on the wall, in a real Chromium: none is cut, and two hundred tables are one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from firmware_bridge.floor.page.records import Sealed
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.views import Asked, Views
from firmware_bridge.topics.texts import LANGUAGES, Language
from tests.floor.test_wall import two_hundred, views
from tests.floor_whole import pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

chromium = pages.chromium  # fixture

STATIC: Final = Path(__file__).parents[2] / "firmware_bridge/floor/page/static"
SIZES: Final[Mapping[str, tuple[int, int, bool]]] = {
    "1366": (1366, 768, False),
    "1920": (1920, 1080, False),
    "wall": (1920, 1080, True),
    "phone": (390, 844, False),
}
"""Width, height, whether it is the wall screen."""

LETTERS: Final = (3, 4, 5, 6, 8, 12, 14, 15, 24, 40, 64)
LONG: Final = ("MACAU-ROOM-OF-THE-TENTH-FLOOR-BESIDE-THE-RIVER-TOWARDS-THE-HARBOUR-", "W" * 64, "貴賓廳" * 22)
"""What names begin with, in capitals of usual width, the widest ones, and Chinese; a number ends them."""

PACES: Final = (60, 143, 1220)

CUT: Final = """() => [...document.querySelectorAll(".tiles h3 a, .lines h3 a")].flatMap((link) => {
  const range = document.createRange();
  range.selectNodeContents(link);
  const room = link.closest("li").getBoundingClientRect();
  const name = link.parentElement;
  const whole = [...range.getClientRects()].every((text) => text.left >= room.left && text.right <= room.right + .5
    && text.top >= room.top - 3 && text.bottom <= room.bottom + 3);
  const fits = name.scrollWidth <= name.clientWidth && getComputedStyle(name).textOverflow !== "ellipsis";
  return whole && fits ? [] : [link.textContent];
})"""
"""The names that are not whole."""

COVERED: Final = """() => [...document.querySelectorAll(".lines > li")].flatMap((line) => {
  const range = document.createRange();
  range.selectNodeContents(line.querySelector("a"));
  const ends = Math.max(...[...range.getClientRects()].map((text) => text.right));
  const state = line.querySelector(".state").getBoundingClientRect();
  return ends <= state.left + .5 ? [] : [line.textContent];
})"""
"""The names that run into what stands behind them."""

PACE: Final = """() => [...document.querySelectorAll(".lines .pace")].map((pace) => {
  const room = pace.closest(".state").getBoundingClientRect(), text = pace.getBoundingClientRect();
  if (text.top >= room.bottom - 1) return "none";
  const whole = text.left >= room.left - .5 && text.right <= room.right + .5 && text.bottom <= room.bottom + 3;
  return whole ? "whole" : "cut";
})"""
"""Whether a pace is seen: a number of which a part is seen is a wrong one."""


def named(*kinds: tuple[int, str]) -> list[str]:
    """Two hundred names; kinds: of how many letters, and with which beginning, in turn."""
    return [f"{begin[: letters - 3]}{n:03}" for n in range(200) for letters, begin in (kinds[n % len(kinds)],)]


def floor_of(names: list[str]) -> Views:
    """Two hundred tables with a store."""
    made = views(*two_hundred(names=names).values())
    made._feed.sealed = {name: Sealed(fault="") for name in names}
    return made


@pytest.fixture(autouse=True)
def paces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seen, "per_hour", lambda seen, now: PACES[int(seen.name[-3:]) % 3])


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Iterator[Tab]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def show(tab: Tab, made: Views, size: str, lang: Language = "en") -> None:
    """The wall as the server draws it."""
    width, height, is_wall = SIZES[size]
    sheets = "".join((STATIC / name).read_text("utf-8") for name in ("tokens.css", "page.css"))
    document = "".join(made.grid_pieces(lang, None, Asked(is_wall=is_wall)))
    head, body = document.split("</head>", 1)
    head = "\n".join(line for line in head.splitlines() if not line.startswith(("<link", "<script")))
    tab.set_viewport_size({"width": width, "height": height})
    tab.set_content(f"{head}<style>{sheets}</style></head>{body}")


@pytest.mark.parametrize("size", SIZES)
def test_no_name_is_cut_whatever_its_length(tab: Tab, size: str) -> None:
    for letters in (LETTERS[:4], LETTERS[4:7], LETTERS[7:]):
        show(tab, floor_of(named(*((each, begin) for each in letters for begin in LONG))), size)
        tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert tab.evaluate(CUT) == []
        assert tab.evaluate(COVERED) == []
        assert "cut" not in tab.evaluate(PACE)
        assert tab.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]


@pytest.mark.parametrize("letters", [3, 4, 12])
def test_two_hundred_tables_are_one_screen_with_their_paces(tab: Tab, letters: int) -> None:
    made = floor_of(named((letters, LONG[0])))
    for lang in LANGUAGES:
        show(tab, made, "1920", lang)
        assert tab.evaluate("document.documentElement.scrollHeight") <= SIZES["1920"][1]
        assert set(tab.evaluate(PACE)) == {"whole"}
        show(tab, made, "wall", lang)
        assert tab.evaluate("document.documentElement.scrollHeight") <= 2 * SIZES["wall"][1]
