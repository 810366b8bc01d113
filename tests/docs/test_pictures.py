"""The pictures in docs/: each is what the code draws, stands in a document, and can be read."""

import re
from xml.etree import ElementTree

import pytest

from scripts.tools.pictures import PICTURES, is_stale
from tests.docs.pages import DOCS, ROOT
from tests.kit.contrast import Canvas, elements, least_of_texts

DRAWN = [name for name in PICTURES if name.endswith(".svg")]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_the_code_draws(name: str) -> None:
    assert not is_stale(name), "run scripts/pictures"


def test_every_picture_has_a_maker_and_a_place() -> None:
    here = {str(path.relative_to(DOCS)) for kind in ("svg", "png") for path in DOCS.rglob(f"*.{kind}")}
    assert here == set(PICTURES)
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "README.md", *DOCS.glob("*.md")))
    assert [name for name in PICTURES if f"{name})" not in pages] == []


@pytest.mark.parametrize("game", ["baccarat", "blackjack", "niuniu", "zhajinhua", "erbagang"])
def test_the_page_of_a_game_shows_it_in_the_terminal(game: str) -> None:
    picture = "demo.svg" if game == "baccarat" else f"{game}.svg"
    assert re.search(rf"^!\[[^]]+]\({picture}\)$", (DOCS / f"{game}.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", DRAWN)
def test_every_text_of_a_picture_can_be_read(name: str) -> None:
    drawn = (DOCS / name).read_text("utf-8")
    shapes, texts = elements(drawn)
    least, text = least_of_texts(Canvas(shapes), texts, ElementTree.fromstring(drawn).get("font-size", ""))
    assert least >= 4.5, text


@pytest.mark.parametrize("name", ["demo.svg", "blackjack.svg"])
def test_red_suits_are_red_in_the_news_too(name: str) -> None:
    drawn = (DOCS / name).read_text("utf-8")
    inks = set(re.findall(r'<path transform="[^"]+" d="(M6 18\.4C|M6 8L10\.2)[^"]*" fill="([^"]+)"', drawn))
    assert {sign for sign, _ in inks} == {"M6 18.4C", "M6 8L10.2"}
    assert {ink for _, ink in inks} == {"#ff5257"}


def test_columns_of_the_big_road_stand_apart() -> None:
    _, texts = elements((DOCS / "demo.svg").read_text("utf-8"))
    at = {(x, said["y"]): letter for _, said, text in texts for x, letter in zip(said["x"].split(), text, strict=False)}
    behind = [at.get((str(int(x) + 12), y), " ") for (x, y), sign in at.items() if sign == "/"]
    assert set(behind) == {" "}
