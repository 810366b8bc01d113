"""The English of refusals for tests, as people get it."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import to_builtins

from firmware_bridge.topics.texts.refusals import words


class Said(NamedTuple):
    """Why something was refused, and what to do."""

    error: str
    hint: str


def said(refused: Any) -> Said:
    """The English of anything that has a code of a refusal with its values."""
    return Said(*words("en", refused.code, to_builtins(refused.values), getattr(refused, "error", ""), ""))
