"""A reason as an id and its values: what stands in English beside it, for pages that speak another language."""

from __future__ import annotations

from msgspec import Struct


class Reason(Struct, frozen=True):
    """Why something is as it is. values: by name, of disclosed cards only; `{}` where the id says all."""

    id: str
    values: dict[str, str | int]
