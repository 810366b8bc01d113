"""`shoe demo`: a whole table, everything simulated."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.cli import FINE, INTERRUPTED
from firmware_bridge.cli.demo.asked import options, play
from firmware_bridge.cli.watch.terminal import ENDS, KEYS, PAUSE, PAUSED, QUIT, Terminal, cannot_draw, size
from firmware_bridge.demo.faults import LATE, places
from firmware_bridge.demo.fixtures import Play
from firmware_bridge.demo.harness import DemoError, Harness
from firmware_bridge.demo.narration import Narration
from firmware_bridge.errors import BridgeError
from firmware_bridge.games.baccarat.drawn.formats import PictureError
from firmware_bridge.screen.words import counted
from hardware.sim.dealer import Puzzled

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["options", "run"]

STALLED_S: Final = 60.0
"""Without a message for this long (longer for a slow dealer) the demo has failed."""

SETTLED_S: Final = 1.0
"""The longest wait for the state topics after the last round."""

GLANCE_S: Final = 0.08
SERVICE: Final = ("RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC")
"""Variables that systemd sets for a service; a demo started inside a service is none."""


def run(arguments: argparse.Namespace) -> int:
    """Play until the rounds are delivered: 0; 130 after Ctrl-C or q. Raises DemoError, BrokerError, PictureError."""
    asked = play(arguments)
    keepsake = Keepsake(arguments.svg) if arguments.svg else None
    for name in SERVICE:
        os.environ.pop(name, None)
    with TemporaryDirectory(prefix="shoe-") as folder:
        logging.basicConfig(filename=Path(folder) / "log", level=logging.INFO)
        code = asyncio.run(_perform(asked, Path(folder), not arguments.plain and _is_live(), keepsake))
    if keepsake:
        print(f"picture: {arguments.svg}")
    return code


async def deal(stage: Harness, stop: asyncio.Event, look: Callable[[], None] | None) -> bool:
    """Deal until all is delivered, `look` after each message; whether it was stopped before. Raises DemoError."""
    dealing = asyncio.create_task(stage.dealer().work())
    try:
        while not is_over(stage) and not stop.is_set():
            await _news(stage, stop, dealing)
            if look:
                look()
            for each in (stage.failed, dealing):
                if each.done():
                    raise _failed(stage, each.exception())
    finally:
        await cancel(dealing)
    with suppress(TimeoutError):
        await asyncio.wait_for(_settled(stage), SETTLED_S)
    return stop.is_set()


async def cancel(task: asyncio.Task[Any] | None) -> None:
    """End a task, whatever became of it."""
    if task:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


async def _news(stage: Harness, stop: asyncio.Event, dealing: asyncio.Task[None]) -> None:
    """Wait for a message, or for an end. Raises DemoError if none comes."""
    patience = STALLED_S + 20 / stage.play.speed
    stage.backend.news.clear()
    heard, stopped = (asyncio.create_task(each.wait()) for each in (stage.backend.news, stop))
    waiting: list[asyncio.Future[Any]] = [heard, stopped, dealing, stage.failed]
    done, _ = await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    for each in (heard, stopped):
        each.cancel()
    if not done and not stage.paused:
        raise _failed(stage, DemoError(f"no message came for {patience:.0f} s"))


async def _settled(stage: Harness) -> None:
    while stage.backend.rounds and not stage.backend.is_settled:
        await asyncio.sleep(GLANCE_S)


def is_over(stage: Harness) -> bool:
    """Whether the subscriber has the rounds, and saw the fault asked for come and go."""
    play, backend = stage.play, stage.backend
    seen = play.fault is None or play.fault in backend.closed
    return backend.delivered >= play.rounds and seen


def _failed(stage: Harness, why: BaseException | None) -> Exception:
    """The error with how far the demo got. A closed stdout is no failure of the demo: its reader has seen enough."""
    if isinstance(why, BrokenPipeError):
        return why
    backend = stage.backend
    reached = f"{backend.delivered} of {counted(stage.play.rounds, 'round')} delivered"
    lamps = "; ".join(backend.states["lamps"].get("why", ()))
    text = str(why) if isinstance(why, BridgeError | Puzzled) else f"{type(why).__name__}: {why}"
    hint = f"the lamps last said: {lamps or 'nothing'}; run it again with --seed {stage.play.seed} and report it"
    return DemoError(f"{reached}, then: {text}", hint)


def _is_live() -> bool:
    """Whether there is a terminal for the picture; one that gets lines is told why."""
    why = cannot_draw()
    if why is None:
        from firmware_bridge.screen.picture import too_small

        why = too_small(*size()) or None
    if why:
        print(f"{why}; {ENDS}", flush=True)
    return why is None


async def _perform(asked: Play, folder: Path, live: bool, keepsake: "Keepsake | None") -> int:
    story = Narration(sys.stdout if not live else None)
    stage = Harness(asked, folder, story.handle, story.write_line)
    story.begin(stage)
    stop = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    try:
        await stage.open()
        showing = asyncio.create_task(show(stage, story, stop)) if live else None
        if showing:
            showing.add_done_callback(stage.watch)
        try:
            stopped = await deal(stage, stop, (lambda: keepsake.look(stage, story)) if keepsake else None)
        finally:
            await cancel(showing)
        story.end(stage)
        if keepsake:
            keepsake.write(stage, story)
    finally:
        await stage.close()
    return INTERRUPTED if stopped else FINE


FRAME_S: Final = 0.08
SUMMARY: Final = 4
"""Lines below the last picture."""

KEPT: Final = 100, 32
"""Columns and lines of a picture that is kept."""


async def show(stage: Harness, story: Narration, stop: asyncio.Event) -> None:
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


def _obey(keys: str, stage: Harness, stop: asyncio.Event) -> None:
    for key in keys:
        if key == QUIT:
            stop.set()
        elif key == PAUSE:
            stage.pause()


def _screen(stage: Harness, story: Narration, keys: str) -> "Callable[[int, int], list[Text]]":
    from firmware_bridge.cli.watch.model import boards_of
    from firmware_bridge.demo.demo_view import screen_model
    from firmware_bridge.screen.picture import screen

    seen = screen_model(stage, story, boards_of(stage.game, stage.backend.states), keys)
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

    def look(self, stage: Harness, story: Narration) -> None:
        table, lamps = stage.backend.states["table"], stage.backend.states["lamps"]
        late = places(LATE, stage.game)
        if stage.backend.is_settled and table.get("due") in late and lamps.get("lit", {}).get(table["due"]) == "steady":
            self._taken = _drawn(stage, story)

    def write(self, stage: Harness, story: Narration) -> None:
        self._path.write_text(self._taken or _drawn(stage, story), encoding="utf-8")


def _drawn(stage: Harness, story: Narration) -> str:
    from firmware_bridge.cli.watch.model import boards_of
    from firmware_bridge.demo.demo_view import screen_model
    from firmware_bridge.demo.svg import svg
    from firmware_bridge.screen.picture import picture

    return svg(picture(screen_model(stage, story, boards_of(stage.game, stage.backend.states)), *KEPT), "shoe demo")
