"""An exporter of metrics without a broker, and what tables say to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from firmware_bridge.floor.metrics.exporter import PLAIN, Exporter, Stored
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.source import Delivery

AT = "2026-11-20T21:33:05.123Z"
WALL = 1_795_210_385.123
"""The same in seconds."""

HEALTH: dict[str, Any] = {
    "uptime_s": 90,
    "reader": {"reads": 3, "unread": 1, "frames_bad": 0, "quality": 204.0, "lamp": None, "forecast": None},
    "disk_free_mb": 900,
    "temperature": 51.5,
    "under_voltage": False,
    "queue": 2,
    "faults": None,
    "orders_refused": 0,
    "unmarked": {"anna": 2, "": 1},
}
STATUS: dict[str, Any] = {
    "state": "online",
    "version": "1.2",
    "build": "abc",
    "mode": "FULL",
    "clock": "synchronised",
    "link": 4,
}


class Floor:
    """An exporter, two clocks, and what tables say to it."""

    def __init__(self, store: Callable[[], Stored | None] = lambda: None) -> None:
        self.now, self.wall = 1_000.0, WALL
        self.tables = Tables("shoe", lambda: self.now, lambda: self.wall)
        self.exporter = Exporter(self.tables, store)

    def say(self, topic: str, table: str = "T07", *, retained: bool = False, **body: Any) -> None:
        head = {"v": 1, "table": table, "shoe": 3, "journal": "3-5ad1", "as_of": 9, "at": AT, "boot": "5c1e"}
        raw = json.dumps(head | body).encode()
        self.exporter.handle([Delivery(f"shoe/{table}/{topic}", raw, retained=retained)])

    def raw(self, topic: str, body: bytes) -> None:
        self.exporter.handle([Delivery(topic, body)])

    def round(self, seq: int, at: str = AT, **more: Any) -> None:
        fields: dict[str, Any] = {"seq": seq, "n": 1, "at": at, "status": "closed"}
        self.say("round", **fields | more)

    def value(self, name: str, kind: str = PLAIN) -> list[str]:
        """The samples of a metric."""
        lines = self.exporter.text(kind).splitlines()
        return [line for line in lines if line.startswith((f"{name}{{", f"{name} "))]
