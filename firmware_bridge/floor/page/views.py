"""The pages of the pit, whole and in the parts that change; what did not change is not drawn again."""

from __future__ import annotations

from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.markup import joined, tag
from firmware_bridge.floor.page.texts import Language, text


class Views:
    """Draws the pages of a feed."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def grid_parts(self, lang: Language) -> dict[str, str]:
        return {f"tile-{name}": tag("p", name, " ", needs.word) for name, needs in self._feed.troubles.items()}

    def grid_document(self, lang: Language) -> str:
        return tag(
            "main",
            tag("h1", text(lang, "page.title")),
            joined(*[tag("div", part, id=id) for id, part in self.grid_parts(lang).items()]),
        )

    def table_parts(self, name: str, lang: Language) -> dict[str, str]:
        return {}

    def table_document(self, name: str, lang: Language) -> str:
        return tag("main", tag("h1", name))

    def unknown_document(self, name: str, lang: Language) -> str:
        return tag("main", tag("h1", name))
