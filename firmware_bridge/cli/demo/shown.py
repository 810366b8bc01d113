"""The demo's picture: live on the terminal until the end, and kept in a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firmware_bridge.cli.watch.terminal import KEYS, PAUSE, PAUSED, QUIT, Terminal
from firmware_bridge.demo.faults import LATE, places
from firmware_bridge.demo.stage import Stage
from firmware_bridge.demo.story import Story
from firmware_bridge.games.baccarat.drawn.formats import PictureError

if TYPE_CHECKING:
    from rich.text import Text

FRAME_S: Final = 0.08
SUMMARY: Final = 4
"""Lines below the last picture."""

KEPT: Final = 100, 32
"""Columns and lines of a picture that is kept."""


async def show(stage: Stage, story: Story, stop: asyncio.Event) -> None:
    """Draw the picture until cancelled, and obey keys; the last picture stays."""
    from firmware_bridge.screen.picture import HEIGHT

    loop = asyncio.get_running_loop()
    terminal = Terminal()
    try:
        with terminal:
            if terminal.fd is not None:
                loop.add_reader(terminal.fd, lambda: _obey(terminal.pressed(), stage, stop))
            while True:
                terminal.draw(_screen(stage, story, PAUSED if stage.paused else KEYS))
                await asyncio.sleep(FRAME_S)
    finally:
        if terminal.fd is not None:
            loop.remove_reader(terminal.fd)
        last = _screen(stage, story, "")
        terminal.leave(lambda width, height: last(width, max(height - SUMMARY, min(height, HEIGHT))))


def _obey(keys: str, stage: Stage, stop: asyncio.Event) -> None:
    for key in keys:
        if key == QUIT:
            stop.set()
        elif key == PAUSE:
            stage.pause()


def _screen(stage: Stage, story: Story, keys: str) -> Callable[[int, int], list[Text]]:
    from firmware_bridge.cli.watch.sight import boards_of
    from firmware_bridge.demo.audience import sight
    from firmware_bridge.screen.picture import screen

    seen = sight(stage, story, boards_of(stage.game, stage.backend.states), keys)
    return lambda width, height: screen(seen, width, height)


class Keepsake:
    """A picture for a file: of the last round, taken when a card was due late in it, else of the end."""

    def __init__(self, path: Path) -> None:
        """Raises PictureError if it cannot be written there."""
        self._path, self._taken = path, ""
        is_new = not path.exists()
        try:
            with path.open("a", encoding="utf-8"):
                pass
            if is_new:
                path.unlink()
        except OSError as error:
            raise PictureError(f"{path}: {error.strerror}", "name a file that may be written") from None

    def look(self, stage: Stage, story: Story) -> None:
        """Take the picture, if this is its moment."""
        table, lamps = stage.backend.states["table"], stage.backend.states["lamps"]
        late = places(LATE, stage.game)
        if stage.backend.is_settled and table.get("due") in late and lamps.get("lit", {}).get(table["due"]) == "steady":
            self._taken = _drawn(stage, story)

    def write(self, stage: Stage, story: Story) -> None:
        """Write the file."""
        self._path.write_text(self._taken or _drawn(stage, story), encoding="utf-8")


def _drawn(stage: Stage, story: Story) -> str:
    from firmware_bridge.cli.watch.sight import boards_of
    from firmware_bridge.demo.audience import sight
    from firmware_bridge.demo.svg import svg
    from firmware_bridge.screen.picture import picture

    return svg(picture(sight(stage, story, boards_of(stage.game, stage.backend.states)), *KEPT), "shoe demo")
