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

from firmware_bridge.config.documents import shipped
from firmware_bridge.facts.book.alarms import BRIDGE, DISK, POLICIES
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.facts.house import Row
from firmware_bridge.floor.page.document import NAMES
from firmware_bridge.floor.page.form import language_of
from firmware_bridge.floor.page.markup import Html, macro, rendered
from firmware_bridge.topics.texts import Language, alarms, known, names, text

HELP: Final = "/help/"
"""How the addresses of documents begin."""

_DOCUMENT: Final = re.compile(r"[a-z0-9-]{1,64}")
_LINK: Final = re.compile(r"([a-z0-9-]+)\.md(#.*)?")

_markdown: Final = MarkdownIt("commonmark", {"html": False}).enable("table")


class Policy(NamedTuple):
    """What a house with this policy does about an alarm, in words. name: "" of an alarm of the bridge."""

    name: str
    todo: str
    play: str
    choices: tuple[str, ...]


def routes() -> list[Route]:
    """Return the routes of the runbook; a thread of the server's draws each page, for a document takes long."""
    return [Route(HELP + "alarm/{id}", _alarm), Route(HELP + "{document}", _page)]


def _alarm(request: Request) -> Response:
    lang, id = language_of(request), request.path_params["id"]
    policies = list(about_alarm(lang, id))
    if not policies:
        return _missing(request, lang)
    main = _macro("alarm")(lang, id, alarms.todo(lang, id, ""), policies)
    return _document(request, lang, alarms.name(lang, id), main)


def about_alarm(lang: Language, id: str) -> Iterator[Policy]:
    """Yield what is done about an alarm, for each policy; once for an alarm of the bridge, never for an unknown one."""
    houses = {policy: rows[id] for policy, rows in POLICIES.items() if id in rows}
    of_bridge = [("", book[id].house) for book in (DISK, BRIDGE) if id in book]
    for policy, row in [*houses.items()] or of_bridge[:1]:
        choices = tuple(names.choice(lang, each) for each in row.choices)
        name = known(lang, f"policy.{policy}") or policy
        yield Policy(name, alarms.todo(lang, id, policy), _play(lang, row), choices)


def _play(lang: Language, row: Row) -> str:
    """Return whether play goes on, and whether NEXT settles it."""
    play = text(lang, "help.blocks" if row.blocks else "help.goes_on")
    return f"{play} {text(lang, 'page.confirm')}" if row.confirm else play


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


def _read(document: str) -> str | None:
    if not _DOCUMENT.fullmatch(document):
        return None
    path = shipped(f"{document}.md")
    return text_in(path).strip() if path.exists() else None


def _html(markdown: str) -> Html:
    tokens = _markdown.parse(markdown)
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
