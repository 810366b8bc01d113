"""`shoe demo`: a whole table, everything simulated."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import secrets
import signal
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import choices
from firmware_bridge.sim.broker import CHOICES
from firmware_bridge.sim.faults import FAULTS, unknown
from firmware_bridge.sim.props import Play
from firmware_bridge.sim.stage import DemoError, Stage
from firmware_bridge.sim.story import Story
from hardware.readers import READERS
from hardware.sim.dealer import Puzzled

STALLED_S: Final = 60.0
"""Without a message for this long (longer for a slow dealer) the demo has failed."""

SETTLED_S: Final = 1.0
"""The longest wait for the state topics after the last round."""

SERVICE: Final = ("RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC")
"""Variables that systemd sets for a service; a demo started inside a service is none."""

FRAME_S: Final = 0.08
STOPPED: Final = 130


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe demo`."""
    parser.add_argument("--rounds", type=_count, default=10, metavar="N", help="end after N rounds (default 10)")
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="1 is a human dealer (default)")
    parser.add_argument("--reader", choices=tuple(READERS), help="the reader's protocol (default native)")
    parser.add_argument("--game", choices=tuple(GAMES), default=House().game, help="default baccarat")
    parser.add_argument("--procedure", choices=choices("procedure"), help="of a game that is dealt in several ways")
    faults = f"let it happen, and play until it is settled, N rounds at least: {', '.join(FAULTS)}"
    parser.add_argument("--fault", type=_fault, metavar="ID", help=faults)
    parser.add_argument("--seed", type=int, metavar="N", help="shuffle like that other time")
    parser.add_argument("--broker", choices=CHOICES, default="auto", help="default: mosquitto if installed")
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="the broker's port (default: a free one)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="keep the last picture (needs rich)")
    parser.add_argument("--plain", action="store_true", help="lines instead of a picture")


def run(arguments: argparse.Namespace) -> int:
    """Play until the rounds are delivered: 0; 130 after Ctrl-C. Raises DemoError, BrokerError."""
    play = _play(arguments)
    for name in SERVICE:
        os.environ.pop(name, None)
    with TemporaryDirectory(prefix="shoe-") as folder:
        logging.basicConfig(filename=Path(folder) / "log", level=logging.INFO)
        return asyncio.run(_perform(play, Path(folder), _is_live(arguments.plain), arguments.svg))


def _play(arguments: argparse.Namespace) -> Play:
    readers = FAULTS[arguments.fault].readers if arguments.fault else tuple(READERS)
    reader = arguments.reader or readers[0]
    if reader not in readers:
        raise DemoError(f"{arguments.fault} does not happen to a {reader} reader", f"use --reader {readers[0]}")
    procedure = _procedure(arguments, reader)
    seed = secrets.randbelow(10_000) if arguments.seed is None else arguments.seed
    return Play(
        arguments.rounds, arguments.speed, reader, arguments.game, procedure, arguments.fault, seed, arguments.broker,
        arguments.port,
    )


def _procedure(arguments: argparse.Namespace, reader: str) -> str | None:
    """How the game is dealt, None for one that is dealt in one way. Raises DemoError for what does not fit."""
    game = GAMES[arguments.game]
    given = {"procedure": arguments.procedure} if arguments.procedure else {}
    if given and "procedure" not in game.terms.__struct_fields__:
        raise DemoError(f"{game.name} is dealt in one way only", "leave --procedure out")
    terms = game.terms(**given)
    procedure: str | None = getattr(terms, "procedure", None)
    if READERS[reader].judges and game.verdict is None:
        raise DemoError(f"an {reader} judges games of its own, {game.name} is none of them", "use another --reader")
    if READERS[reader].judges and game.unjudged(terms):
        usual: str = getattr(game.terms(), "procedure", "other")
        what = f"an Angel Eye shoe judges {usual} tables only"
        raise DemoError(what, f"leave --procedure {procedure} out")
    return procedure


def _is_live(plain: bool) -> bool:
    return not plain and sys.stdout.isatty() and find_spec("rich") is not None


async def _perform(play: Play, folder: Path, live: bool, svg: Path | None) -> int:
    story = Story(sys.stdout if not live else None)
    stage = Stage(play, folder, story.hear, story.say)
    story.begin(stage)
    stop = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    try:
        await stage.open()
        showing = asyncio.create_task(_show(stage, story)) if live else None
        if showing:
            showing.add_done_callback(stage.watch)
        try:
            stopped = await _deal(stage, stop)
        finally:
            await _cancel(showing)
        story.end(stage)
        if svg:
            svg.write_text(_drawn(stage, story), encoding="utf-8")
    finally:
        await stage.close()
    return STOPPED if stopped else 0


async def _deal(stage: Stage, stop: asyncio.Event) -> bool:
    """Let the dealer work until all is delivered; whether it was stopped before. Raises DemoError."""
    dealing = asyncio.create_task(stage.dealer().work())
    try:
        while not is_over(stage) and not stop.is_set():
            await _news(stage, stop, dealing)
            for each in (stage.failed, dealing):
                if each.done():
                    raise _failed(stage, each.exception())
    finally:
        await _cancel(dealing)
    with suppress(TimeoutError):
        await asyncio.wait_for(_settled(stage), SETTLED_S)
    return stop.is_set()


async def _news(stage: Stage, stop: asyncio.Event, dealing: asyncio.Task[None]) -> None:
    """Wait for a message, or for an end. Raises DemoError if none comes."""
    patience = STALLED_S + 20 / stage.play.speed
    stage.backend.news.clear()
    heard, stopped = (asyncio.create_task(each.wait()) for each in (stage.backend.news, stop))
    waiting: list[asyncio.Future[Any]] = [heard, stopped, dealing, stage.failed]
    done, _ = await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    for each in (heard, stopped):
        each.cancel()
    if not done:
        raise _failed(stage, DemoError(f"no message came for {patience:.0f} s"))


async def _settled(stage: Stage) -> None:
    """Wait until the picture is as new as the last round."""
    while stage.backend.rounds and not stage.backend.is_settled:
        await asyncio.sleep(FRAME_S)


def is_over(stage: Stage) -> bool:
    """Whether the subscriber has the rounds, and saw the fault asked for come and go."""
    play, backend = stage.play, stage.backend
    seen = play.fault is None or play.fault in backend.closed
    return backend.delivered >= play.rounds and seen


def _failed(stage: Stage, why: BaseException | None) -> Exception:
    """The error with how far the demo got. A closed stdout is no failure of the demo: its reader has seen enough."""
    if isinstance(why, BrokenPipeError):
        return why
    backend = stage.backend
    reached = f"{backend.delivered} of {stage.play.rounds} rounds delivered"
    lamps = "; ".join(backend.states["lamps"].get("why", ()))
    text = str(why) if isinstance(why, BridgeError | Puzzled) else f"{type(why).__name__}: {why}"
    hint = f"the lamps last said: {lamps or 'nothing'}; run it again with --seed {stage.play.seed} and report it"
    return DemoError(f"{reached}, then: {text}", hint)


async def _show(stage: Stage, story: Story) -> None:
    """Draw the picture until cancelled; the last one stays."""
    from rich.live import Live

    from firmware_bridge.sim.picture import picture

    with Live(auto_refresh=False, redirect_stderr=False) as screen:
        try:
            while True:
                screen.update(picture(stage, story), refresh=True)
                await asyncio.sleep(FRAME_S)
        finally:
            screen.update(picture(stage, story), refresh=True)


def _drawn(stage: Stage, story: Story) -> str:
    """The picture as SVG, the same for the same picture; it fetches no fonts from anywhere."""
    from rich.console import Console

    from firmware_bridge.sim.picture import WIDTH, picture

    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, file=nowhere, width=WIDTH, force_terminal=True, color_system="truecolor")
        console.print(picture(stage, story))
    return re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title="shoe demo", unique_id="demo"), flags=re.S)


async def _cancel(task: asyncio.Task[Any] | None) -> None:
    if task:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds: write 1 or more")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: write 1 to 65535, such as 1883")
    return int(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed: write 1 for a human dealer, 50 for a quick look")
    return speed


def _fault(text: str) -> str:
    if text not in FAULTS:
        raise argparse.ArgumentTypeError(unknown(text))
    return text
