"""What was renamed since the rows of the golden digests were written: how what comes out now is read (golden.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Said = dict[str, Any]

RENAMED: Final[dict[str, str]] = {
    "report": "mark",
    "ReaderJudged": "ResultTold",
    "ResultTold.result": "told",
    "ResultHeld.result": "told",
}
"""New word -> old word: keys of objects, and values of the keys in `TAGS`. `KIND.word` for keys of one kind only."""

ADDED: Final[frozenset[tuple[str, str]]] = frozenset()
"""(kind, field) that the rows do not know, both in old words: left out. A new state topic is ("topics", its name)."""

TAGS: Final = ("type", "do", "topic")
"""Keys (in old words) whose values are names of the code's own; others can be listed while theirs are renamed."""

MAPS: Final = {"policy": "row", "secrets": "secret", "serials": "serial", "results": "told", "hands": "hand"}
"""Objects whose keys are no fields: the kind of what they hold."""


def _told(outcome: str, *pairs: str) -> Said:
    return {"outcome": outcome, "pairs": [words.removesuffix(" pair") for words in pairs]}


AS_BEFORE: Final[dict[str, Callable[[Said], Said]]] = {
    "told": lambda said: _told(*said["words"]),
    "Noted": lambda said: said | {"what": said["what"].replace("ReaderJudged", "ResultTold")},
}
"""Kind -> an object as it was said before, where it is built in another way now: innermost first, in old words.

A kind is a tag (`CardRead`, `void`), or the key an object lies under (`house`, `luggage`, or as `MAPS` says), or what
`read` is called with (`public`, `sealed`, a topic: the fields of RoundClosed are those of `round` too). For example, of
an input that was split: `{"CardMissed": lambda said: said | {"type": "CardUnread"}}`.
"""
