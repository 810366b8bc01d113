"""`shoe roads --svg` and `--png`: the pictures, and why one cannot be made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from firmware_bridge.games.baccarat.drawn.formats import FONTS
from firmware_bridge.games.baccarat.drawn.shapes import THEMES
from tests.cli.roads import roads_command
from tests.cli.roads.roads_command import SHOE, Run, stdin

shoe_roads = roads_command.shoe_roads  # fixture

CHINESE = pytest.mark.skipif(not FONTS.exists(), reason="fonts-noto-cjk is not installed")

# ------------------------------------------------------------ pictures


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
    ("size", "error"),
    [("big", "write WIDTHxHEIGHT"), ("767x432", "at least 768x432"), ("3841x2160", "no side over 3840")],
)
def test_a_size_that_is_none(
    shoe_roads: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path, size: str, error: str
) -> None:
    with pytest.raises(SystemExit):
        shoe_roads("BP", "--size", size, "--svg", tmp_path / "a.svg")
    assert error in capsys.readouterr().err


def test_one_road_has_the_size_it_needs(shoe_roads: Run, tmp_path: Path) -> None:
    code, _, err = shoe_roads("BP", "--road", "big", "--size", "1280x720", "--svg", tmp_path / "a.svg")
    assert code == 2
    assert "leave out --size or --road" in err


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
    monkeypatch.setattr(
        "firmware_bridge.games.baccarat.drawn.formats.FONT_FILES", {True: "none.ttc", False: "none.ttc"}
    )
    drawn(shoe_roads, tmp_path / "a.png", "BP", "--road", "bead")
    with pytest.raises(OSError, match=r"no font for zh-Hans.*apt install fonts-noto-cjk"):
        shoe_roads("BP", "--lang", "zh-Hans", "--png", tmp_path / "b.png")


def test_png_without_pillow(shoe_roads: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(OSError, match=r"\.\[pictures\]"):
        shoe_roads("BP", "--png", tmp_path / "a.png")


@pytest.mark.parametrize("option", ["--svg", "--png"])
def test_a_picture_that_cannot_be_written(shoe_roads: Run, tmp_path: Path, option: str) -> None:
    pytest.importorskip("PIL")
    with pytest.raises(OSError, match="No such file or directory; choose a file"):
        shoe_roads("BP", option, tmp_path / "none" / "a")


def test_stdin_is_not_drawn(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, "BP\n")
    code, out, err = shoe_roads("-", "--svg", "x.svg")
    assert (code, out) == (2, "")
    assert "draw one shoe at a time" in err


def test_a_picture_goes_to_stdout(shoe_roads: Run, tmp_path: Path) -> None:
    _, drawn, _ = shoe_roads("BPT", "--svg", "-")
    assert drawn.startswith("<svg ")
    assert drawn.endswith("</svg>\n")
    assert not Path("-").exists()
