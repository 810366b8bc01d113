"""`shoe demo`: a whole table, everything simulated."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from firmware_bridge.cli.demo.asked import options, play
from firmware_bridge.cli.demo.played import cancel, deal
from firmware_bridge.cli.demo.shown import Keepsake, show
from firmware_bridge.cli.watch.terminal import ENDS, cannot_draw, size
from firmware_bridge.demo.props import Play
from firmware_bridge.demo.stage import Stage
from firmware_bridge.demo.story import Story

__all__ = ["options", "run"]

SERVICE: Final = ("RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC")
"""Variables that systemd sets for a service; a demo started inside a service is none."""

STOPPED: Final = 130


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


def _is_live() -> bool:
    """Whether there is a terminal for the picture; one that gets lines is told why."""
    why = cannot_draw()
    if why is None:
        from firmware_bridge.screen.picture import too_small

        why = too_small(*size()) or None
    if why:
        print(f"{why}; {ENDS}", flush=True)
    return why is None


async def _perform(asked: Play, folder: Path, live: bool, keepsake: Keepsake | None) -> int:
    story = Story(sys.stdout if not live else None)
    stage = Stage(asked, folder, story.hear, story.say)
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
    return STOPPED if stopped else 0
