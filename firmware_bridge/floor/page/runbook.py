"""The runbook that is served with the pages: what each alarm means and what to do, and the shipped documents."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from firmware_bridge.config.documents import Chapter, Row, chapters_of, rows_of, shipped
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.floor.page.document import NAMES
from firmware_bridge.floor.page.form import language_of
from firmware_bridge.floor.page.markup import Html, macro, rendered
from firmware_bridge.topics.texts import Language, known, names, text

HELP: Final = "/help/"
"""How the addresses of documents begin."""

ALARMS: Final = "irregularities"
"""The document of alarms."""

ABOUT_ALARMS: Final = (ALARMS, "technician", "operators")
"""The documents with rows about alarms."""

_DOCUMENT: Final = re.compile(r"[a-z0-9-]{1,64}")
_LINK: Final = re.compile(r"([a-z0-9-]+)\.md(#.*)?")
_CODE: Final = re.compile(r"`([^`]+)`")

_markdown: Final = MarkdownIt("commonmark", {"html": False}).enable("table")


class Policy(NamedTuple):
    """What a house with this policy does about an alarm. blocks: as the document says it. choices: ids."""

    name: str
    todo: str
    blocks: str
    choices: tuple[str, ...]


class About(NamedTuple):
    """What the documents say about an alarm. more: other rows, each by label. notes: paragraphs."""

    policies: list[tuple[str, str, tuple[str, ...]]]
    more: list[dict[str, Html]]
    notes: list[Html]


def routes() -> list[Route]:
    """Return the routes of the runbook; a thread of the server's draws each page, for a document takes long."""
    return [Route(HELP + "alarm/{id}", _alarm), Route(HELP + "{document}", _page)]


def _alarm(request: Request) -> Response:
    lang, id = language_of(request), request.path_params["id"]
    about, name = about_alarm(id), known(lang, f"alarm.{id}")
    if name is None and not (about.policies or about.more):
        return _missing(request, lang)
    policies = [
        Policy(
            known(lang, f"policy.{policy}") or policy,
            known(lang, f"todo.{id}_{policy}") or known(lang, f"todo.{id}") or "",
            text(lang, "help.blocks" if blocks.startswith("yes") else "help.goes_on")
            + (f" {text(lang, 'page.confirm')}" if "confirm" in blocks else ""),
            tuple(names.choice(lang, each) for each in choices),
        )
        for policy, blocks, choices in about.policies
    ]
    todo = known(lang, f"todo.{id}") or ""
    main = _macro("alarm")(lang, id, todo, policies, about.more, about.notes)
    return _document(request, lang, name or id, main)


def _page(request: Request) -> Response:
    lang, found = language_of(request), drawn(request.path_params["document"])
    if found is None:
        return _missing(request, lang)
    title, body = found
    return _document(request, lang, title, _macro("document")(lang, body))


@lru_cache(64)
def drawn(document: str) -> tuple[str, Html] | None:
    """Return title and text of a shipped document; None for one that is not there."""
    words = _read(document)
    if words is None:
        return None
    head, _, rest = words.partition("\n")
    return head.lstrip("# "), _html(rest)


@lru_cache(256)
def about_alarm(id: str) -> About:
    """Return what the documents say about an alarm."""
    policies, more = list[tuple[str, str, tuple[str, ...]]](), list[dict[str, Html]]()
    for row in _rows():
        if id not in row.names:
            continue
        if "choices" in row.cells:
            choices = tuple(_CODE.findall(row.cells["choices"]))
            policies.append((row.chapter.title, row.cells.get("blocked", ""), choices))
        else:
            more.append({label: _inline(cell) for label, cell in list(row.cells.items())[1:] if cell})
    return About(policies, more, [_html(each) for each in _notes(id)])


@lru_cache(1)
def _rows() -> tuple[Row, ...]:
    return tuple(row for document in ABOUT_ALARMS for each in _chapters(document) for row in rows_of(each))


def _chapters(document: str) -> Iterator[Chapter]:
    """Yield the chapters of a document, and before them what stands above the first."""
    words = _read(document) or ""
    yield Chapter(document, "", words.partition("\n## ")[0])
    yield from chapters_of(document, words)


def _notes(id: str) -> Iterator[str]:
    """Yield the paragraphs about an alarm: prose, no rows of tables."""
    for part in (_read(ALARMS) or "").split("\n\n"):
        if f"`{id}`" in part and part[0] not in "|#":
            yield part


def _read(document: str) -> str | None:
    if not _DOCUMENT.fullmatch(document):
        return None
    path = shipped(f"{document}.md")
    return text_in(path).strip() if path.exists() else None


def _html(markdown: str) -> Html:
    tokens = _markdown.parse(markdown)
    _linked(tokens)
    return Html(_markdown.renderer.render(tokens, _markdown.options, {}))


def _inline(markdown: str) -> Html:
    tokens = _markdown.parseInline(markdown)
    _linked(tokens)
    return Html(_markdown.renderer.render(tokens, _markdown.options, {}))


def _linked(tokens: list[Token]) -> None:
    """Let links lead to documents that are served, headings be found by them, and pictures be words."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrs["id"] = _anchor(following.content)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["href"] = _target(str(child.attrs["href"]))
            elif child.type == "image":
                child.type, child.tag = "text", ""


def _target(href: str) -> str:
    """Return where a link of a document leads; a file that is not served leads nowhere."""
    if href.startswith(("#", "https://", "http://")):
        return href
    found = _LINK.fullmatch(href)
    return f"{HELP}{found[1]}{found[2] or ''}" if found and shipped(f"{found[1]}.md").exists() else "#"


def _anchor(heading: str) -> str:
    """Return the name of a heading, as links in documents write it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _missing(request: Request, lang: Language) -> Response:
    none = macro("markup.html", "said")(text(lang, "help.none"))
    return _document(request, lang, text(lang, "help.title"), none, 404)


def _document(request: Request, lang: Language, title: str, main: Html, status: int = 200) -> Response:
    own = {"lang": lang, "languages": NAMES, "path": request.url.path, "query": "", "title": title}
    links = [("/", text(lang, "page.back"))]
    return HTMLResponse(rendered("history.html", main=main, links=links, **own), status)


def _macro(name: str) -> Callable[..., Html]:
    return macro("runbook_parts.html", name)
