"""`shoe run`: the daemon, on one core, with a log that never spells a sealed card."""

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from firmware_bridge.cli import CONFIG, FAILED, FINE
from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.journal.files import InUse
from hardware.errors import HardwareError, PinBusy

FORMAT: Final = "%(levelname)s %(name)s: %(message)s"
log = logging.getLogger(__name__)


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe run`."""
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; 0 after a clean end, 78 for a journal that cannot be trusted."""
    set_up()
    config = load(arguments.config)
    return asyncio.run(_run(config))


def keep_to_one_core() -> None:
    """Run on one of the cores that we may use, several daemons on several; not on the first, which serves devices.

    Threads and processes that begin later inherit it. Where it is forbidden, the kernel goes on choosing.
    """
    cores = sorted(os.sched_getaffinity(0))
    usable = cores[1:] or cores
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {usable[os.getpid() % len(usable)]})


class Discreet(logging.Formatter):
    """Shows where an error was raised, and its text only where that was written to be read."""

    def formatException(self, ei: Any) -> str:
        """The frames of an error without the values in them."""
        kind, error, trace = ei
        text = f": {error}" if isinstance(error, BridgeError | OSError) else ""
        return f"{''.join(traceback.format_tb(trace))}{kind.__name__}{text}"


def set_up() -> None:
    """Log to stderr, uncaught errors too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet(FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    sys.excepthook = _uncaught


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("ended by an error", exc_info=(kind, error, trace))


async def _run(config: Config) -> int:
    """Raises ConfigError too for hardware that cannot be had as configured; for what is in use, systemd tries again."""
    try:
        return await _bridge(config)
    except PinBusy as error:
        raise BridgeError(str(error)) from None
    except HardwareError as error:
        raise ConfigError(str(error)) from None


async def _bridge(config: Config) -> int:
    loop = asyncio.get_running_loop()
    bridge = Bridge(config)
    failed: list[object] = []

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End a daemon that failed inside: only the journal still knows what was done."""
        failed.append(context)
        log.critical("ending: %s", context.get("message"), exc_info=context.get("exception"))
        bridge.stop("lost")

    keep_to_one_core()
    gc.freeze()
    loop.set_exception_handler(fail)
    for end in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(end, bridge.stop)
    try:
        await bridge.run()
    except InUse:
        raise
    except JournalError as error:
        print(f"shoe: {error}", file=sys.stderr)
        return CONFIG  # it does not get better by itself either
    return FAILED if failed else FINE
