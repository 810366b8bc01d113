"""Every page: links, line length, and that what is made from the code is current."""

import re
from pathlib import Path

import pytest

from scripts.tools.documents import DOCUMENTS, same
from tests.docs.pages import DOCS, PAGES, README, ROOT, prose
from tests.kit.rows import each_row

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and mkdocs make them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower().replace("`", "")).replace(" ", "-") for head in heads}


@each_row("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for file, anchor in LINK.findall(page.read_text("utf-8")):
        if "://" in file:
            continue
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), file
        if anchor:
            assert anchor in anchors(target), f"{file}#{anchor}"


@each_row("page", PAGES[1:], ids=lambda page: page.name)
def test_a_page_links_to_nothing_outside_docs(page: Path) -> None:
    for file, _ in LINK.findall(page.read_text("utf-8")):
        assert "://" in file or (page.parent / file).resolve().is_relative_to(DOCS), file


@each_row("page", PAGES, ids=lambda page: page.name)
def test_prose_wraps_at_120_characters(page: Path) -> None:
    assert [line for line in prose(page) if len(line) > 120 and "](" not in line] == []


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    pages = {str(page.relative_to(DOCS)) for page in PAGES if page not in (README, DOCS / "README.md")}
    assert {file for file, _ in LINK.findall(index)} == pages


def test_the_site_has_every_page() -> None:
    config = (ROOT / "requirements/mkdocs.yml").read_text("utf-8")
    assert set(re.findall(r": ([\w/-]+\.md)$", config, re.M)) == {str(page.relative_to(DOCS)) for page in PAGES[1:]}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_made_from_the_code_is_current(name: str) -> None:
    assert same(DOCS / name, DOCUMENTS[name]()), "run scripts/docs --write"
