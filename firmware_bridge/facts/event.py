"""What every event is."""

from __future__ import annotations

from msgspec import Struct


class Event(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Something that became true."""
