"""What is drawn of a page is kept until its state is another one: the newest drawing alone, of few pages."""

from __future__ import annotations

from firmware_bridge.floor.page.newest import PAGES, newest

drawn: list[tuple[str, str, str]] = []


@newest
def draw(name: str, state: str, lang: str = "en") -> str:
    drawn.append((name, state, lang))
    return f"{name} {state} {lang}"


def asked(*pages: tuple[str, ...]) -> int:
    """How many of these pages were drawn, each right."""
    before = len(drawn)
    for each in pages:
        assert draw(*each) == " ".join((*each, "en")[:3])
    return len(drawn) - before


def test_each_page_has_its_newest_drawing_alone() -> None:
    assert asked(("T07", "a", "en"), ("T07", "a", "en")) == 1
    assert asked(("T07", "b", "en"), ("T07", "b", "en")) == 1
    assert asked(("T07", "a", "en")) == 1, "an old drawing was kept"
    assert asked(("T07", "a", "zh-Hant"), ("T08", "a", "en"), ("T07", "a", "en")) == 2


def test_few_pages_are_kept_and_those_that_are_shown() -> None:
    pages = [(f"N{number}", "a", "en") for number in range(PAGES)]
    assert asked(*pages) == PAGES
    assert asked(pages[0], ("one more", "a", "en"), pages[0]) == 1
    assert asked(pages[1]) == 1
