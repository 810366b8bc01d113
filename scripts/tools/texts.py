"""Compiles the catalogues of texts: `python -m scripts.tools.texts`; also the English beside each Chinese text."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from firmware_bridge.topics.texts import FOLDER as FOLDER
from firmware_bridge.topics.texts import OF_GUESTS, Language

HEAD: Final = """# Texts of pages and screens by their ids. After a change: scripts/texts
msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""


class Plain:
    """Messages to compile under a head with neither a date nor the version of Babel, so that the bytes stay."""

    charset = "utf-8"

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[Message]:
        yield Message("", "Content-Type: text/plain; charset=utf-8\n")
        for id, words in self._texts.items():
            yield Message(id, words)


def catalogue(language: Language) -> Catalog:
    """Return the catalogue of a language, as it is written."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file)


def by_id(language: Language) -> dict[str, str]:
    """Return id -> text, as it is written."""
    return {str(each.id): str(each.string) for each in catalogue(language) if each.id}


def made(language: Language) -> tuple[bytes, bytes]:
    """Return the bytes of the written catalogue, with the English as comments, and of the compiled one."""
    english, of = by_id("en"), catalogue(language)
    for each in of:
        if each.id:
            each.auto_comments = [] if language == "en" else [english.get(str(each.id), "")]
    written, compiled = BytesIO(), BytesIO()
    write_po(written, of, width=0, no_location=True, omit_header=True)
    plain: Any = Plain(by_id(language))
    write_mo(compiled, plain)
    return HEAD.format(language=language).encode() + written.getvalue(), compiled.getvalue()


def main() -> None:
    """Write both of each language."""
    for language in OF_GUESTS:
        for kind, content in zip(("po", "mo"), made(language), strict=True):
            (FOLDER / f"{language}.{kind}").write_bytes(content)


if __name__ == "__main__":
    main()
