"""Pictures of roads: letters fit, and marks and text can be told from what is next to them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from firmware_bridge.cli.roads import beads
from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.places import places
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Box, Ink, Label, folded, wide
from firmware_bridge.games.baccarat.drawn.sheet import NOTHING, Look, sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind
from firmware_bridge.games.baccarat.roads import Bead, board, roads_of
from tests.games.baccarat.areas import GRIDS, HEADING, SIZES, Area, area
from tests.kit.contrast import contrast, worst
from tests.kit.rows import each_row

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf")


@pytest.mark.skipif(not FONT.exists(), reason="DejaVu Sans is not installed")
def test_no_letter_is_wider_than_is_believed() -> None:
    """Against the widest font that the pictures name."""
    fonts = pytest.importorskip("PIL.ImageFont")
    for path, bold in ((FONT, True), (FONT.with_name("DejaVuSans.ttf"), False)):
        font = fonts.truetype(path, 1000)
        letters = [chr(code) for code in range(32, 127)] + list("–≤‹›")
        assert [each for each in letters if font.getlength(each) > wide(each, 1000, bold) + 1] == []


@each_row("language", get_args(Language))
@each_row("only", [None, "good", "ask"])
@each_row("size", SIZES)
def test_text_in_a_box_stays_in_it(language: Language, only: Kind | None, size: tuple[int, int]) -> None:
    """Pills and cards: a text that begins over a box ends over it."""
    for outcomes in ("BPPBPP", "BBBB", "BPBPBP"):
        drawn = sheet(board(roads_of(beads(outcomes))), Look("dark", language, only, size=size), HEADING)
        boxes = [area(box) for box in drawn.shapes[1:] if isinstance(box, Box) and box.height > 30]
        for text in drawn.shapes:
            if isinstance(text, Label):
                where = area(text)
                middle = Area((where.x1 + where.x2) / 2, text.y - text.size / 3, (where.x1 + where.x2) / 2, text.y)
                assert all(box.holds(where) for box in boxes if box.holds(middle)), text


def test_words_are_folded_between_blanks() -> None:
    assert folded("One hall, two rooms (B)", 20, 215, bold=True) == ["One hall, two", "rooms (B)"]
    assert folded("Banker sticks by turns", 20, 240, bold=True) == ["Banker sticks", "by turns"]
    assert folded("a b c", 20, 500) == ["a b c"]


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.01)


MARKS: tuple[Ink, ...] = ("red", "blue", "green", "banker", "player", "tie", "gold", "text")
SHOE = "TT" + "BPPTBBBBBBBBPPPTTPPPPPPBPBPBPTBPBBPBPPBPBBBTPPPBBPBPBTBPPBPPBPP" + "T" * 12 + "BPBPB"


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [(1920, 1080), (720, 1280)])
def test_text_and_marks_can_be_distinguished_from_what_is_next_to_them(
    theme: str, language: Language, size: tuple[int, int]
) -> None:
    """Text 4.5:1, marks 3:1, on every board: tie slashes over rings, dots on beads, letters on beads, pills, frames."""
    marked = [Bead(each.outcome, n % 3 == 0, n % 4 == 0, n % 5 == 0) for n, each in enumerate(beads(SHOE))]
    now = board(roads_of(marked))
    drawn = sheet(now, Look(theme, language, size=size, pair_dots=True), HEADING)
    marks, text = worst(svg(drawn), {drawn.inks[name] for name in MARKS})
    assert (marks >= 3, text >= 4.5) == (True, True), (marks, text)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("only", [*GRIDS, "ask", "good"])
def test_so_can_those_of_a_road_alone(theme: str, only: Kind) -> None:
    drawn = sheet(board(roads_of(beads(SHOE))), Look(theme, only=only), NOTHING)
    marks, text = worst(svg(drawn), {drawn.inks[name] for name in MARKS})
    assert (marks >= 3, text >= 4.5) == (True, True), (marks, text)


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_is_explained(theme: str) -> None:
    """Each of the colours of marks stands in the counts or in the legend, with its word."""
    drawn = sheet(board(roads_of(beads(SHOE))), Look(theme), NOTHING)
    at = places(1920, 1080)
    explained = [Area(box.x, box.y, box.x + box.width, box.y + box.height) for box in (at.counts, at.legend)]
    inks = {shape.ink for shape in drawn.shapes if any(box.holds(area(shape)) for box in explained)}
    assert set(MARKS) <= inks
    words = {shape.text for shape in drawn.shapes if isinstance(shape, Label)}
    english = WORDS["en"]
    assert {
        english.newest,
        english.good,
        f"{english.derived}: {english.regular}",
        f"{english.derived}: {english.irregular}",
    } <= words
