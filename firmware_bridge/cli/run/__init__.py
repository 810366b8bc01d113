"""`shoe run`: the daemon."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli import CONFIG, FAILED, FINE
from firmware_bridge.cli.run.core import keep_to_one_core
from firmware_bridge.cli.run.log import set_up
from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.journal.files import InUse
from hardware.errors import HardwareError, PinBusy

DEFAULT_CONFIG: Final = Path("/etc/firmware-bridge/bridge.toml")

log = logging.getLogger(__name__)


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe run`."""
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; 0 after a clean end, 78 for a journal that cannot be trusted."""
    set_up()
    config = load(arguments.config)
    return asyncio.run(_run(config))


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
