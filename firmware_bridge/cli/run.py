"""`shoe run`: the daemon, on one core, with a log that never names a sealed card."""

import argparse
import asyncio
import gc
import logging
import signal
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from firmware_bridge.cli import CONFIG, FAILED, FINE, of_disk
from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
from firmware_bridge.config.effects import without_effect
from firmware_bridge.config.load import load
from firmware_bridge.config.plain import warn
from firmware_bridge.config.read_section import read_document
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.table.fair_turns import CountedLog
from firmware_bridge.daemon.table.role_sockets import is_of_a_connection
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.journal.files import InUse
from hardware.errors import HardwareError, PinBusy

FORMAT: Final = "%(levelname)s %(message)s"
log = logging.getLogger(__name__)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe run`."""
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; return 0 after a clean end, 78 for a journal that cannot be trusted."""
    set_up()
    config = load(arguments.config)
    for what in without_effect(read_document(arguments.config), config.rules):
        log.warning("%s", what)
    for what in config.rules.unusual_terms(config.terms):
        log.warning("[game] %s", what)
    return asyncio.run(_run(config))


class Discreet(logging.Formatter):
    """Log format with an error's place, and its text only if that is meant for people."""

    def formatException(self, ei: Any) -> str:
        """Return the frames of an error without the values in them."""
        kind, error, trace = ei
        text = f": {of_disk(error) or error}" if isinstance(error, BridgeError | OSError) else ""
        return f"{''.join(traceback.format_tb(trace))}{kind.__name__}{text}"


def set_up() -> None:
    """Set up the log to stderr, uncaught errors included."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet(FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    sys.excepthook = _uncaught


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("ended by an error", exc_info=(kind, error, trace))


async def _run(config: Config) -> int:
    """Run the bridge. Raises ConfigError for unusable hardware; BridgeError for pins in use: systemd tries again."""
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
    counted = CountedLog(log, "connections failed", loop)

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Stop a daemon that failed inside: only the journal still knows what was done."""
        if is_of_a_connection(context):
            counted.add(str(context.get("message")))
            return
        failed.append(context)
        log.critical("ending: %s", context.get("message"), exc_info=context.get("exception"))
        bridge.stop("lost")

    def fail_in_thread(what: threading.ExceptHookArgs) -> None:
        """Stop a daemon with a thread that ended: what it waits for never comes."""
        name = what.thread.name if what.thread else "?"
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(fail, loop, {"message": f"thread {name}", "exception": what.exc_value})

    gc.freeze()
    threading.excepthook = fail_in_thread
    loop.set_exception_handler(fail)
    for end in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(end, bridge.stop)
    try:
        await bridge.run()
    except InUse:
        raise
    except JournalError as error:
        warn(f"shoe: {error}")
        return CONFIG  # a restart would not help
    return FAILED if failed else FINE
