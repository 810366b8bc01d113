"""The view of a watcher beyond the status: the reader's signal, every pin, health, and the last frames."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

from firmware_bridge.cli.watch.screen import Status, screen

KEPT: Final = 60
"""Frames kept for the screen; more than a tall terminal shows."""

ARROWS: Final = {"in": "<", "out": ">"}
LEGEND: Final = "  frames   < from the reader, > to it; ?? could tell a card"


class Watched:
    """Keeps the last frames between one status and the next; makes screens of a terminal's size."""

    def __init__(self) -> None:
        self._frames: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._last: Status | None = None
        self.gone = ""

    def take(self, status: Status) -> None:
        """A newer status."""
        self._last, self.gone = status, ""
        self._frames.extend(status.get("seen", {}).get("frames", []))

    def lose(self, why: str) -> None:
        """Note that the daemon went away; frames of another daemon count anew."""
        self.gone = why
        self._frames.clear()

    def lines(self, width: int, height: int) -> list[str]:
        """At most `height` lines of at most `width` characters; frames take what room is left."""
        told = [f"NO DAEMON: {self.gone}; waiting for it (q quits)"] if self.gone else []
        if self._last:
            told += screen(self._last)
        if self._last and not self.gone:
            told += rows(self._last)
        shown = [part for line in told for part in _wrapped(line, width)][:height]
        room = height - len(shown) - 1
        if room > 0 and self._frames:
            frames = [frame_line(frame) for frame in list(self._frames)[-room:]]
            shown += [line[:width] for line in (LEGEND, *frames)]
        return shown


def rows(status: Status) -> Iterator[str]:
    """A line each for signal, pins and health, as far as they are known."""
    if seen := status.get("seen"):
        yield f"  signal   {_signal(seen)}"
        pins = seen["pins"]
        if pins["inputs"]:
            yield f"  inputs   {_pins(pins['inputs'], 'ACTIVE')}"
        if pins["outputs"]:
            yield f"  outputs  {_pins(pins['outputs'], 'ON')}"
    if health := status.get("health"):
        yield f"  health   {_plain(health)}"


def frame_line(frame: dict[str, Any]) -> str:
    """Time, way and hex of a frame."""
    at = time.strftime("%H:%M:%S", time.localtime(frame["at"] / 1000))
    return f"  {at}.{frame['at'] % 1000:03} {ARROWS[frame['way']]} {frame['hex']}"


def _wrapped(line: str, width: int) -> list[str]:
    """A line that is too long goes on below its own text."""
    indent = " " * min(11, max(0, width - 20))
    return wrap(line, width, subsequent_indent=indent, drop_whitespace=True, replace_whitespace=False) or [""]


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
