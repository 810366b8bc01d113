"""Builds a whole page around its parts: landmarks, languages, and data for the browser's script."""

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote

from firmware_bridge import __build__, __version__
from firmware_bridge.floor.page.markup import Html, Part, joined, tag
from firmware_bridge.topics.texts import LANGUAGES, Language, text

NAMES: Final[dict[Language, str]] = {"en": "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文"}

RELEASE: Final = f"{__version__} {__build__}"
"""Release of the page; a browser that receives another one reloads the page."""


def document(
    lang: Language, title: str, path: str, main: Part, *, skip: str, back: bool = False, who: Part = None
) -> str:
    """A whole page in a language. path: its address without the language. skip: text of the skip link.

    who: is signed in.
    """
    stream = f"{path.rstrip('/')}/stream?lang={lang}"
    head = _head(lang, title, tag("script", src="/static/page.js", defer=True))
    body = tag(
        "body",
        tag("a", skip, href="#main", class_="skip"),
        _header(lang, title, path, back, who),
        tag("main", main, id="main", tabindex="-1"),
        data_stream=stream,
        data_release=RELEASE,
        **_words(lang),
    )
    return f"<!doctype html>{tag('html', head, body, lang=lang)}"


def plain_document(lang: Language, title: str, main: Part) -> str:
    """A page without live parts."""
    links = tag("nav", *_languages(lang, ""), aria_label=text(lang, "page.language"))
    header = tag("header", tag("div", tag("h1", title), class_="title"), links)
    body = tag("body", header, tag("main", main, id="main", tabindex="-1"))
    return f"<!doctype html>{tag('html', _head(lang, title), body, lang=lang)}"


def _head(lang: Language, title: str, script: Part = None) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · {text(lang, 'page.product')}"),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/static/page.css"),
        script,
    )


def _header(lang: Language, title: str, path: str, back: bool, who: Part) -> Html:
    home = tag("a", text(lang, "page.back"), href=f"/?lang={lang}", class_="back") if back else None
    return tag(
        "header",
        tag("div", tag("h1", title), home, class_="title"),
        tag(
            "p",
            tag("span", "", class_="light", aria_hidden="true"),
            tag("span", text(lang, "page.connecting"), id="link"),
        ),
        tag("nav", *_languages(lang, path), aria_label=text(lang, "page.language")),
        tag("div", who, class_="who") if who is not None else None,
        tag("p", "", id="banner", class_="banner", hidden=True),
        tag("p", "", id="news", class_="hidden", aria_live="polite"),
        tag("noscript", tag("p", text(lang, "page.no_script"), class_="banner")),
    )


def _languages(lang: Language, path: str) -> Iterator[Html]:
    """A link to a page in each language."""
    for each in LANGUAGES:
        is_current = "true" if each == lang else None
        yield tag("a", NAMES[each], href=f"{path}?lang={each}", lang=each, hreflang=each, aria_current=is_current)


def _words(lang: Language) -> Mapping[str, str]:
    """Texts of the browser's script, as data attributes."""
    keys = ("live", "connecting", "lost", "full_now", "closed")
    return {
        f"data_{key}": text(lang, f"page.{key}", **({"table": "{table}"} if key == "closed" else {})) for key in keys
    }


def address(name: str) -> str:
    """The address of a table's page."""
    return f"/table/{quote(name, safe='')}"


def section(id: str, title: str, part: Part, class_: str = "") -> Html:
    """A section with a heading and one live part."""
    return tag(
        "section",
        tag("h2", title, id=f"{id}-title"),
        tag("div", part, id=id, class_="part"),
        aria_labelledby=f"{id}-title",
        class_=f"card-box {class_}".strip(),
    )


__all__ = ["NAMES", "RELEASE", "address", "document", "joined", "section"]
