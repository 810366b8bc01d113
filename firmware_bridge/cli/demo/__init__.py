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

from firmware_bridge.cli.demo.options import options, play
from firmware_bridge.cli.watch.terminal import ENDS, KEYS, PAUSE, PAUSED, QUIT, Terminal, cannot_draw, size
from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.plain import say
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

__all__ = ["drawn", "options", "run"]

STALLED_S: Final = 60.0
"""Seconds without a message (more with a slow dealer) after which the demo has failed."""

SETTLED_S: Final = 1.0
"""Seconds to wait for the state topics after the last round, at most."""

GLANCE_S: Final = 0.08
SERVICE: Final = ("RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC")
"""Variables that systemd sets for a service; removed, since the demo is none."""


def run(arguments: argparse.Namespace) -> int:
    """Play until all is delivered, or q; return 0, or 130 after Ctrl-C. Raises DemoError, BrokerError, PictureError."""
    wanted = play(arguments)
    keepsake = Keepsake(arguments.svg) if arguments.svg else None
    for name in SERVICE:
        os.environ.pop(name, None)
    with TemporaryDirectory(prefix="shoe-") as folder:
        logging.basicConfig(filename=Path(folder) / "log", level=logging.INFO)
        code = asyncio.run(_perform(wanted, Path(folder), not arguments.plain and _is_live(), keepsake))
    if keepsake:
        say(f"picture: {arguments.svg}")
    return code


async def deal(harness: Harness, stop: asyncio.Event, look: Callable[[], None] | None) -> bool:
    """Deal until all is delivered, `look` after each message; return True if stopped before. Raises DemoError."""
    dealing = asyncio.create_task(harness.dealer().work())
    try:
        while not is_over(harness) and not stop.is_set():
            await _news(harness, stop, dealing)
            if look:
                look()
            for each in (harness.failed, dealing):
                if each.done():
                    raise _failed(harness, each.exception())
    finally:
        await cancel(dealing)
    with suppress(TimeoutError):
        await asyncio.wait_for(_settled(harness), SETTLED_S)
    return stop.is_set()


async def cancel(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task and wait for its end; its errors are ignored."""
    if task:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


async def _news(harness: Harness, stop: asyncio.Event, dealing: asyncio.Task[None]) -> None:
    """Wait for a message or an end. Raises DemoError if nothing comes."""
    patience = STALLED_S + 20 / harness.play.speed
    harness.backend.news.clear()
    received, stopped = (asyncio.create_task(each.wait()) for each in (harness.backend.news, stop))
    waiting: list[asyncio.Future[Any]] = [received, stopped, dealing, harness.failed]
    done, _ = await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    for each in (received, stopped):
        each.cancel()
    if not done and not harness.paused:
        raise _failed(harness, DemoError(f"no message for {patience:.0f} s"))


async def _settled(harness: Harness) -> None:
    while harness.backend.rounds and not harness.backend.is_settled:
        await asyncio.sleep(GLANCE_S)


def is_over(harness: Harness) -> bool:
    """Return whether the subscriber has all rounds and has seen the requested fault come and go."""
    play, backend = harness.play, harness.backend
    seen = play.fault is None or play.fault in backend.closed
    return backend.delivered >= play.rounds and seen


def _failed(harness: Harness, why: BaseException | None) -> Exception:
    """Return the error with the demo's progress. A closed stdout is returned as it is: its reader has seen enough."""
    if isinstance(why, BrokenPipeError):
        return why
    backend = harness.backend
    reached = f"{backend.delivered} of {counted(harness.play.rounds, 'round')} delivered"
    lamps = "; ".join(backend.states["lamps"].get("why", ()))
    text = str(why) if isinstance(why, BridgeError | Puzzled) else f"{type(why).__name__}: {why}"
    hint = f"the lamps' last reasons: {lamps or 'none'}; run it again with --seed {harness.play.seed} and report it"
    return DemoError(f"{reached}, then: {text}", hint)


def _is_live() -> bool:
    """Return whether the terminal can show the picture; print the reason if not."""
    why = cannot_draw()
    if why is None:
        from firmware_bridge.screen.picture import too_small

        why = too_small(*size()) or None
    if why:
        say(f"{why}; {ENDS}")
    return why is None


async def _perform(wanted: Play, folder: Path, live: bool, keepsake: "Keepsake | None") -> int:
    narration = Narration(sys.stdout if not live else None)
    harness = Harness(wanted, folder, narration.handle, narration.write_line)
    narration.begin(harness)
    stop, quitted = asyncio.Event(), asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    try:
        await harness.open()
        showing = asyncio.create_task(show(harness, narration, stop, quitted)) if live else None
        if showing:
            showing.add_done_callback(harness.watch)
        try:
            stopped = await deal(harness, stop, (lambda: keepsake.look(harness, narration)) if keepsake else None)
        finally:
            await cancel(showing)
        narration.end(harness)
        if keepsake:
            keepsake.write(harness, narration)
    finally:
        await harness.close()
    return Exit.INTERRUPTED if stopped and not quitted.is_set() else Exit.FINE


FRAME_S: Final = 0.08
SUMMARY: Final = 4
"""Lines below the last picture."""

KEPT: Final = 104, 40
"""Columns and lines of a saved picture."""


async def show(harness: Harness, narration: Narration, stop: asyncio.Event, quitted: asyncio.Event) -> None:
    """Draw the picture until cancelled, and handle keys: q sets both events; the last picture stays."""
    from firmware_bridge.screen.picture import HEIGHT

    loop = asyncio.get_running_loop()
    terminal = Terminal()
    try:
        with terminal:
            if terminal.fd is not None:
                loop.add_reader(terminal.fd, lambda: _handle_keys(terminal.pressed(), harness, stop, quitted))
            while True:
                terminal.draw(_screen(harness, narration, PAUSED if harness.paused else KEYS))
                await asyncio.sleep(FRAME_S)
    finally:
        if terminal.fd is not None:
            loop.remove_reader(terminal.fd)
        last = _screen(harness, narration, "")
        terminal.leave(lambda width, height: last(width, max(height - SUMMARY, min(height, HEIGHT))))


def _handle_keys(keys: str, harness: Harness, stop: asyncio.Event, quitted: asyncio.Event) -> None:
    for key in keys:
        if key == QUIT:
            quitted.set()
            stop.set()
        elif key == PAUSE:
            harness.pause()


def _screen(harness: Harness, narration: Narration, keys: str) -> "Callable[[int, int], list[Text]]":
    from firmware_bridge.cli.watch.model import boards_of
    from firmware_bridge.demo.demo_view import screen_model
    from firmware_bridge.screen.picture import screen

    seen = screen_model(harness, narration, boards_of(harness.game, harness.backend.states), keys)
    return lambda width, height: screen(seen, width, height)


class Keepsake:
    """Picture for a file: of the last round when a late card was due, else of the end."""

    def __init__(self, path: Path) -> None:
        """Raise PictureError if it cannot be written there."""
        self._path, self._picture = path, ""
        is_new = not path.exists()
        try:
            with path.open("a", encoding="utf-8"):
                pass
            if is_new:
                path.unlink()
        except OSError as error:
            raise PictureError(f"{path}: {error.strerror}", "choose a file that can be written") from None

    def look(self, harness: Harness, narration: Narration) -> None:
        table, lamps = harness.backend.states["table"], harness.backend.states["lamps"]
        late = places(LATE, harness.game)
        if (
            harness.backend.is_settled
            and table.get("due") in late
            and lamps.get("lit", {}).get(table["due"]) == "steady"
        ):
            self._picture = drawn(harness, narration)

    def write(self, harness: Harness, narration: Narration) -> None:
        self._path.write_text(self._picture or drawn(harness, narration), encoding="utf-8")


def drawn(harness: Harness, narration: Narration, size: tuple[int, int] = KEPT) -> str:
    """Return the picture of a table as SVG. size: columns and lines."""
    from firmware_bridge.cli.watch.model import boards_of
    from firmware_bridge.demo.demo_view import screen_model
    from firmware_bridge.demo.svg import svg
    from firmware_bridge.screen.picture import picture

    return svg(
        picture(screen_model(harness, narration, boards_of(harness.game, harness.backend.states)), *size),
        f"shoe demo --game {harness.game.name}",
    )
