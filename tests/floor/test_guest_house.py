"""The look that a house gives its guests' screens: what is taken, and what is refused with a reason."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page.guest.house import LARGEST, PLAIN, PNG, RULES, read_house
from firmware_bridge.floor.page.guest.html import Look, document
from firmware_bridge.floor.page.guest.view import WAITING
from scripts.tools.pictures.pages import STATIC
from tests.kit.contrast import contrast

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" d="M0 0h9v9z" fill="#f5b942"/>{}</svg>'


def png(width: int = 64, height: int = 64) -> bytes:
    return PNG + b"\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x06\0\0\0"


def test_without_a_folder_there_is_no_look() -> None:
    assert read_house(None) == PLAIN
    drawn = document("T07", WAITING, "en")
    assert "/screen/-/" not in drawn


def test_an_empty_folder_changes_nothing(tmp_path: Path) -> None:
    house = read_house(str(tmp_path))
    assert (house.colours, house.logo) == ((), b"")


def test_logo_and_colours_are_on_the_page_by_their_version(tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_text(SVG.format("<!-- made by hand --><use href='#a'/>"))
    (tmp_path / "colours.toml").write_text('ground = "#101A10"\n')
    house = read_house(str(tmp_path))
    assert (house.kind, house.sheet) == ("image/svg+xml", ":root { --ground: #101a10; }\n")
    drawn = document("T07", WAITING, "en", Look(house))
    assert f'src="/screen/-/logo?v={house.version}"' in drawn
    assert drawn.index("tokens.css") < drawn.index(f"/screen/-/colours.css?v={house.version}")
    (tmp_path / "colours.toml").write_text('ground = "#101b10"\n')
    assert read_house(str(tmp_path)).version != house.version


@pytest.mark.parametrize(
    "part",
    [
        "<script>alert(1)</script>",
        "<ScRipt href='x'/>",
        "<rect onload='x()'/>",
        "<a href='https://evil.example/'/>",
        "<image xlink:href='//evil.example/x.png'/>",
        "<image href='data:text/html,x'/>",
        "<foreignObject/>",
        "<style>@import 'x';</style>",
        "<rect fill='url(https://evil.example/)'/>",
        "<a href='javascript:x'/>",
        "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
        "<?xml-stylesheet href='x'?>",
    ],
)
def test_an_svg_that_is_more_than_shapes_is_refused(tmp_path: Path, part: str) -> None:
    (tmp_path / "logo.svg").write_text(SVG.format(part))
    with pytest.raises(ConfigError, match="only shapes of its own"):
        read_house(str(tmp_path))


def test_a_png_is_taken_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "logo.png"
    path.write_bytes(png())
    assert read_house(str(tmp_path)).kind == "image/png"
    for content, words in ((b"<svg/>", "no PNG"), (png(5000), "larger"), (png() + bytes(LARGEST), "256 KiB")):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=words):
            read_house(str(tmp_path))
    path.write_bytes(png())
    (tmp_path / "logo.svg").write_text("no picture")
    with pytest.raises(ConfigError, match="leave one"):
        read_house(str(tmp_path))
    path.unlink()
    with pytest.raises(ConfigError, match="no SVG"):
        read_house(str(tmp_path))


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('ground = "#ffffff"', r"text #eef3f8 on ground #ffffff has a contrast of 1\.1, less than 7"),
        ('text = "#777777"', "text #777777 on ground"),
        ('muted = "#555555"', r"muted #555555 on ground #0b1016 has a contrast of 2\.\d, less than 4\.5"),
        ('panel = "#4c4c4c"\nmuted = "#e0e0e0"', "red #ff5257 on panel #4c4c4c"),
        ('title = "#222222"', "title #222222 on ground"),
        ('gold = "#ffffff"', "'gold' is no colour of a house"),
        ('ground = "red"', "is no colour"),
        ("ground = 1", "is no colour"),
        ("ground", r"colours\.toml"),
        ("\xff", r"colours\.toml"),
    ],
)
def test_colours_that_guests_could_not_read_are_refused(tmp_path: Path, written: str, words: str) -> None:
    (tmp_path / "colours.toml").write_bytes(written.encode("latin-1"))
    with pytest.raises(ConfigError, match=words):
        read_house(str(tmp_path))


def test_the_look_without_a_house_keeps_the_same_rules() -> None:
    from firmware_bridge.floor.look import colour
    from firmware_bridge.floor.look import contrast as computed

    for ink, ground, least in RULES:
        one, other = colour("text" if ink == "title" else ink), colour(ground)
        assert computed(one, other) == pytest.approx(contrast(one, other))
        assert contrast(one, other) >= least, (ink, ground)
    assert "--title" in (STATIC / "screen.css").read_text()


def test_a_folder_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no folder"):
        read_house(str(tmp_path / "house"))
    with pytest.raises(ConfigError, match=r"\[screen\] house"):
        parse({"screen": {"house": "house"}})
