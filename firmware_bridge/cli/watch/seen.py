"""What a watcher sees beyond the status: the reader's signal, every pin, health, and the last frames."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.cli.watch.screen import Status

ARROWS: Final = {"in": "<", "out": ">"}
LEGEND: Final = "< from the reader, > to it; ?? could tell a card"


def rows(status: Status) -> Iterator[tuple[str, str]]:
    """Name and words of signal, pins and health, as far as they are known."""
    if seen := status.get("seen"):
        yield "signal", _signal(seen)
        pins = seen["pins"]
        if pins["inputs"]:
            yield "inputs", _pins(pins["inputs"], "ACTIVE")
        if pins["outputs"]:
            yield "outputs", _pins(pins["outputs"], "ON")
    if health := status.get("health"):
        yield "health", _plain(health)


def frame_line(frame: dict[str, Any]) -> str:
    """Time, way and hex of a frame."""
    at = time.strftime("%H:%M:%S", time.localtime(frame["at"] / 1000))
    return f"{at}.{frame['at'] % 1000:03} {ARROWS[frame['way']]} {frame['hex']}"


def _signal(seen: dict[str, Any]) -> str:
    told, parts = seen["signal"], []
    if told.get("quality") is not None:
        parts.append(f"quality {told['quality']} ({told['agreed']} of {told['taken']}), {told['transit_ms']} ms")
    if "lamp" in told:
        parts.append(f"lamp {told['lamp']}, ambient {told['ambient']}, {told['temperature']} °C")
    if "unread" in told:
        parts.append(f"last unread: {told['unread']}")
    return "; ".join([*parts, f"{seen['good']} frames good, {seen['bad']} damaged"])


def _pins(pins: dict[str, bool | None], active: str) -> str:
    """The pins of one direction: active ones stand out; a pin that cannot be read is lent, or lost."""
    words = {True: f" {active}", False: "", None: " ?"}
    return "  ".join(f"{name}{words[is_active]}" for name, is_active in pins.items())


def _plain(health: Any) -> str:
    """A value of the daemon's health, in one line."""
    if isinstance(health, dict):
        return ", ".join(f"{name} {_plain(value)}" for name, value in health.items() if value not in (None, [], {}, ""))
    if isinstance(health, list):
        return " / ".join(map(_plain, health))
    if isinstance(health, bool):
        return "yes" if health else "no"
    return str(health)
