"""The daemon's log: errors by type and place, since the text of one might spell a sealed card."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType
from typing import Any, Final

from firmware_bridge.errors import BridgeError

FORMAT: Final = "%(levelname)s %(name)s: %(message)s"

log = logging.getLogger(__name__)


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
