"""`shoe roads`: what it reads, what it writes, and what it draws."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from firmware_bridge.cli import roads as roads_
from firmware_bridge.cli.roads.input import NoShoe, beads
from firmware_bridge.cli.roads.paint import SHAPES, Paint
from firmware_bridge.cli.roads.terminal import screen
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.baccarat.drawn.heading import Heading
from firmware_bridge.games.baccarat.drawn.png import FONTS
from firmware_bridge.games.baccarat.drawn.shapes import THEMES
from firmware_bridge.games.baccarat.drawn.words import WORDS
from firmware_bridge.games.baccarat.roads import Bead, board, roads_of

DOCS = Path(__file__).parents[2] / "docs" / "roads"
SHOE = (DOCS / "shoe.txt").read_text("utf-8").split()
CHINESE = pytest.mark.skipif(not FONTS.exists(), reason="fonts-noto-cjk is not installed")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shoe_roads(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        roads_.options(parser)
        code = roads_.run(parser.parse_args([str(word) for word in words]))
        return code, *capsys.readouterr()

    return run


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# ------------------------------------------------------------ what it reads


def test_a_shoe_with_pairs() -> None:
    assert beads("BT 10 01") == [Bead("B", True, False), Bead("T", False, True)]
    assert beads("BT") == [Bead("B"), Bead("T")]
    assert beads("BT 10 01 11") == [Bead("B", True, False, True), Bead("T", False, True, True)]
    assert beads(".") == beads(". . .") == beads(". . . .") == []


def test_small_letters_are_taken() -> None:
    assert beads("bpT") == beads("BPT")


WRONG = [
    ("BPX", "column 3: 'X' is none of B, P, T"),
    ("bx", "column 2: 'x' is none of B, P, T"),
    ("BP 12 00", "column 5: '2' is none of 0, 1"),
    ("BP  10 0", "column 8: 1 player pairs for 2 outcomes"),
    ("BP 1 00", "column 4: 1 banker pairs for 2 outcomes"),
    ("BP 10", "column 4: 2 words where a shoe has one, three or four"),
    ("", "column 1: 0 words where a shoe has one, three or four"),
    (". 1 1", "column 3: 1 banker pairs for 0 outcomes"),
    ("BP 10 00 1", "column 10: 1 naturals for 2 outcomes"),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_text_that_is_no_shoe(text: str, told: str) -> None:
    with pytest.raises(NoShoe, match=re.escape(told)):
        beads(text)


def test_a_shoe_per_line_a_board_per_line(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, ".\r\nBPT\nBP 10 01\n")
    code, out, _ = shoe_roads("--json", "-")
    boards = [json.loads(line) for line in out.splitlines()]
    assert (code, [each["outcomes"] for each in boards]) == (0, ["", "BPT", "BP"])
    assert boards[2]["bead"] == [[1, 1, "red", True, False], [1, 2, "blue", False, True]]


def test_a_bad_line_is_named_after_the_good_ones(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, "BP\nB?\nBB\n")
    code, out, err = shoe_roads("-")
    assert (code, len(out.splitlines())) == (2, 1)
    assert "line 2, column 2: '?' is none of B, P, T" in err


def test_the_houses_settings(shoe_roads: Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T1"\n[game]\nleading_ties = "own-column"\n[roads]\ngood = ["pairs"]\n')
    assert json.loads(shoe_roads("TB", "--json", "--config", config)[1])["big_logical"][0] == ["T", 1, [0]]
    over = shoe_roads("TB", "--json", "--config", config, "--leading-ties", "first-bead")[1]
    assert json.loads(over)["big_logical"] == [["B", 1, [1]]]
    assert json.loads(shoe_roads("BBBBPPPP", "--json", "--config", config)[1])["good_roads"] == ["pairs"]


def test_a_setting_that_is_none(shoe_roads: Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[roads]\ngood = ["long_bunker"]\n')
    with pytest.raises(ConfigError, match="long_bunker"):
        shoe_roads("TB", "--config", config)


# ------------------------------------------------------------ in the terminal


def shown(outcomes: str, colours: bool = False, shapes: str = "utf", width: int = 80, **only: Any) -> str:
    paint = Paint(colours, SHAPES[shapes], width)
    return screen(board(roads_of(beads(outcomes))), "en", paint=paint, **only)


def test_a_pipe_gets_shapes_without_colours(shoe_roads: Run) -> None:
    code, out, _ = shoe_roads("BPPTBB", "--road", "big")
    assert code == 0
    assert [line.replace("·", " ").rstrip() for line in out.splitlines()[:3]] == ["Big road", "B P B", "  P/B"]


def test_red_and_blue_differ_in_shape() -> None:
    for shapes in SHAPES.values():
        signs = [shape for road in ("big-eye", "small", "cockroach") for shape in shapes[road]]
        assert len(set(signs)) == 6
    assert "○" in shown("BPBPBB", only="big-eye")
    assert "□" in shown("BPBPBB", only="big-eye")
    assert shown("BPBPBB", shapes="ascii").isascii()


def test_colours_say_nothing_that_shapes_do_not() -> None:
    painted = shown(SHOE[0], colours=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted).split() == shown(SHOE[0]).split()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 110, 200])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_broken(width: int) -> None:
    told = shown("BP" * 60 + "TT", width=width)
    assert all(len(line) <= width for line in told.splitlines())
    words = ["Banker pairs 0", "Player pairs 0", "Last round: Tie", "irregular", "Single jump", "If player is next"]
    assert [word for word in words if word not in told] == []
    assert "P2" in told


def test_a_shoe_fits_an_ordinary_terminal_with_its_prompt() -> None:
    assert len(shown(" ".join(SHOE), width=80).splitlines()) <= 23


def test_the_newest_mark_is_seen_behind_a_long_tail() -> None:
    """After a streak of 50 the next columns lie left of its end."""
    told = shown("B" * 50 + "PTB", width=80).splitlines()
    assert told[2] == "Big road 5›"
    assert told[3].startswith("B P/B ")


def test_what_is_out_of_sight_is_counted() -> None:
    told = shown("BP" * 45, width=80)
    assert "Big road ‹50" in told
    assert "Bead plate ‹6" in told
    assert "Big road <50" in shown("BP" * 45, width=80, shapes="ascii")


def test_the_terminal_says_whose_roads_they_are_and_what_came_last() -> None:
    heading = Heading("T07", 12, points={"player": "natural 9", "banker": "4"})
    told = shown("BBP 000 000 001", shapes="ascii", width=80, heading=heading)
    assert told.isascii()
    assert told.splitlines()[0] == "Table T07  Shoe 12  Rounds 3  Naturals 1  Last round: Player 9:4 Natural"


# ------------------------------------------------------------ pictures

PICTURES: dict[str, tuple[str, ...]] = {
    **{str(kind): ("--road", kind, "--theme", "light") for kind in WORDS["en"].roads},
    "board-light-en": ("--theme", "light", "--title", "Table T07 · Shoe 12"),
    "board-dark-zh-Hant": ("--theme", "dark", "--lang", "zh-Hant", "--title", "T07 號枱 · 第 12 靴"),
    "board-light-zh-Hans": ("--theme", "light", "--lang", "zh-Hans", "--title", "T07 号桌 · 第 12 靴", "--pair-dots"),
    "board-upright-en": ("--size", "720x1280", "--title", "Table T07 · Shoe 12"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_docs_show_what_the_command_draws(shoe_roads: Run, tmp_path: Path, name: str) -> None:
    """To renew them: shoe roads $(cat docs/roads/shoe.txt) OPTIONS --svg docs/roads/NAME.svg."""
    assert shoe_roads(*SHOE, *PICTURES[name], "--svg", tmp_path / "new.svg") == (0, "", "")
    assert (tmp_path / "new.svg").read_bytes() == (DOCS / f"{name}.svg").read_bytes()


def elements(path: Path, name: str) -> list[dict[str, str]]:
    return [each.attrib for each in ElementTree.parse(path).iter(f"{{http://www.w3.org/2000/svg}}{name}")]


def test_a_big_road_in_svg(shoe_roads: Run, tmp_path: Path) -> None:
    """Two rings, one with a green slash."""
    shoe_roads("BPT", "--road", "big", "--theme", "light", "--svg", tmp_path / "a.svg")
    rings = elements(tmp_path / "a.svg", "circle")
    slashes = [line for line in elements(tmp_path / "a.svg", "line") if line["stroke-width"] != "1"]
    red, blue, green = (THEMES["light"][ink] for ink in ("red", "blue", "green"))
    ground = THEMES["light"]["panel"]
    assert [ring["stroke"] for ring in rings][:2] == [red, blue]
    assert [slash["stroke"] for slash in slashes][:2] == [ground, green]


def test_a_picture_is_scrolled_to_the_newest_columns(shoe_roads: Run, tmp_path: Path) -> None:
    shoe_roads("BP" * 100, "--road", "big", "--svg", tmp_path / "a.svg")
    (picture,) = elements(tmp_path / "a.svg", "svg")
    rings = elements(tmp_path / "a.svg", "circle")
    inside = [ring for ring in rings if float(ring["cy"]) < 24 + 36 + 6 * 40]
    assert len(inside) == 60
    assert all(24 < float(ring["cx"]) < float(picture["width"]) - 24 for ring in rings)


def drawn(shoe_roads: Run, path: Path, *words: str) -> Any:
    image = pytest.importorskip("PIL.Image")
    assert shoe_roads(*words, "--png", path) == (0, "", "")
    with image.open(path) as picture:
        picture.load()
    return picture


def test_png_of_a_whole_board(shoe_roads: Run, tmp_path: Path) -> None:
    picture = drawn(shoe_roads, tmp_path / "a.png", *SHOE, "--theme", "light")
    assert picture.size == (1920, 1080)
    seen = {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in picture.getcolors(1_000_000)}
    assert {THEMES["light"][ink] for ink in ("banker", "player", "tie")} <= seen


def test_a_picture_has_the_size_that_is_asked_for(shoe_roads: Run, tmp_path: Path) -> None:
    assert drawn(shoe_roads, tmp_path / "a.png", *SHOE, "--size", "720x1280").size == (720, 1280)
    shoe_roads(*SHOE, "--size", "1280X720", "--svg", tmp_path / "a.svg")
    (picture,) = elements(tmp_path / "a.svg", "svg")
    assert [picture[name] for name in ("width", "height", "viewBox")] == ["1280", "720", "0 0 1920 1080"]


@pytest.mark.parametrize(
    ("size", "told"),
    [("big", "write WIDTHxHEIGHT"), ("767x432", "at least 768x432"), ("3841x2160", "no side over 3840")],
)
def test_a_size_that_is_none(
    shoe_roads: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path, size: str, told: str
) -> None:
    with pytest.raises(SystemExit):
        shoe_roads("BP", "--size", size, "--svg", tmp_path / "a.svg")
    assert told in capsys.readouterr().err


def test_one_road_has_the_size_it_needs(shoe_roads: Run, tmp_path: Path) -> None:
    code, _, err = shoe_roads("BP", "--road", "big", "--size", "1280x720", "--svg", tmp_path / "a.svg")
    assert code == 2
    assert "leave out --size, or --road" in err


def test_the_houses_own_title(shoe_roads: Run, tmp_path: Path) -> None:
    shoe_roads("BP", "--title", "Dragon & 'Phoenix'\x1b", "--svg", tmp_path / "a.svg")
    labels = [text.text for text in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert labels[0] == "Dragon & 'Phoenix'"


@CHINESE
@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_png_with_chinese_labels(shoe_roads: Run, tmp_path: Path, language: str) -> None:
    labels = drawn(shoe_roads, tmp_path / "a.png", ".", "--road", "bead", "--lang", language)
    other = drawn(shoe_roads, tmp_path / "b.png", ".", "--road", "bead")
    assert labels.tobytes() != other.tobytes()


def test_png_without_the_chinese_font(shoe_roads: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """English needs none; Chinese says what to install."""
    monkeypatch.setattr("firmware_bridge.games.baccarat.drawn.png.FONT_FILES", {True: "none.ttc", False: "none.ttc"})
    drawn(shoe_roads, tmp_path / "a.png", "BP", "--road", "bead")
    with pytest.raises(OSError, match=r"no font for zh-Hans.*apt install fonts-noto-cjk"):
        shoe_roads("BP", "--lang", "zh-Hans", "--png", tmp_path / "b.png")


def test_png_without_pillow(shoe_roads: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(OSError, match=r"firmware-bridge\[pictures\]"):
        shoe_roads("BP", "--png", tmp_path / "a.png")


@pytest.mark.parametrize("option", ["--svg", "--png"])
def test_a_picture_that_cannot_be_written(shoe_roads: Run, tmp_path: Path, option: str) -> None:
    pytest.importorskip("PIL")
    with pytest.raises(OSError, match="No such file or directory; name a file"):
        shoe_roads("BP", option, tmp_path / "none" / "a")


def test_stdin_is_not_drawn(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, "BP\n")
    code, out, err = shoe_roads("-", "--svg", "x.svg")
    assert (code, out) == (2, "")
    assert "draw one shoe at a time" in err
