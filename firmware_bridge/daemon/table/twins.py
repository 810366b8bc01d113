"""Other shoes that report as this table, found by what they say on its topic `status`."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

MOST: Final = 16
"""Boot ids that are kept in mind."""


class _Said(Struct):
    """Of a `status`, what names the daemon and its connection; one of before numbers no connections."""

    boot: str
    state: str
    link: int = 0


_decode: Final = msgspec.json.Decoder(_Said).decode


class Twins:
    """The daemons, by their boot ids, that are online as `table` beside the one of `boot`."""

    def __init__(self, table: str, boot: str) -> None:
        self._table, self._boot = table, boot
        self._online: set[str] = set()

    @property
    def told(self) -> str | None:
        """What to do about them, None where there is none."""
        if not self._online:
            return None
        return (
            f"another shoe reports as table {self._table}: "
            "is a second shoe switched on with this table id? Switch one off, or correct its [table] id"
        )

    def is_ours(self, payload: bytes, link: int) -> bool:
        """Take a `status` that was just published; whether this daemon said it, over its connection `link`."""
        try:
            said = _decode(payload)
        except msgspec.DecodeError:
            return False
        if said.boot == self._boot:
            return said.link == link and said.state == "online"
        if said.state != "online":
            self._online.discard(said.boot)
        elif len(self._online) < MOST:
            self._online.add(said.boot)
        return False

    def forget(self) -> None:
        """Know of none: what they say from now on was not heard."""
        self._online.clear()
