"""`shoe calibrate`: guides a technician through measuring, setting and testing reader, sensors, lamps and keys."""

import argparse
import getpass
import os
import signal
from pkgutil import resolve_name
from typing import Final

from firmware_bridge.cli import FAILED, INTERRUPTED
from firmware_bridge.cli.daemon_socket import config_option
from firmware_bridge.config.arguments import person
from firmware_bridge.config.load import load
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.names import unfit
from firmware_bridge.facts.orders import LONGEST_NAME
from hardware.calibrate.figures import Refusal
from hardware.errors import HardwareError, PinError, PortVanished

STEPS: Final = {
    "reader": "light, levels and threshold of the reader board, then a test",
    "cut-card": "how long cards and the cut card hold the sensor; debounce and minimum dwell",
    "lamps": "light each lamp and confirm it",
    "keypad": "press each key",
    "codebook": "record a reader's codes by pulling a sorted deck",
    "pack": "pull a whole pack and count every card",
}

RUN: Final = {
    "reader": "reader:run",
    "cut-card": "pins:cut_card",
    "lamps": "pins:lamps",
    "keypad": "pins:keypad",
    "codebook": "codebook:run",
    "pack": "pack:run",
}
UNDO: Final = {"reader": "reader:undo", "codebook": "codebook:undo"}
"""Step -> module in `calibrate/` and its function(session) -> exit code; `Session.undo` for steps without settings."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe calibrate`."""
    parser.add_argument("what", choices=STEPS, metavar="WHAT", help="; ".join(f"{n}: {t}" for n, t in STEPS.items()))
    parser.add_argument("--yes", action="store_true", help="ask nothing: answer every question with yes")
    parser.add_argument("--json", action="store_true", help="JSON lines, for programs; the last one is the result")
    parser.add_argument("--by", type=person, default=_user(), metavar="NAME", help="your name (default: the user)")
    parser.add_argument("--cards", type=_count, metavar="N", help="number of cards in the test or the pack")
    parser.add_argument("--undo", action="store_true", help="restore the settings from before the last calibration")
    parser.add_argument(
        "--open-shoe", action="store_true", help="also between rounds of an open shoe; the dealer confirms with NEXT"
    )
    parser.add_argument("--patience", type=float, default=60.0, metavar="S", help="seconds to wait for a card or key")
    config_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate; return 0 if the result is good and kept, else 1.

    Raises NoDaemon, LeaseRefused, ConfigError, NotCalibrated.
    """
    from firmware_bridge.cli.calibrate.lease import LeaseRevoked
    from firmware_bridge.cli.calibrate.session import Session

    ended = _ends_in_order()
    session = Session(arguments, load(arguments.config))
    step = UNDO.get(arguments.what, "session:Session.undo") if arguments.undo else RUN[arguments.what]
    try:
        return int(resolve_name(f"{__name__}.{step}")(session))
    except PinError as error:
        raise ConfigError(str(error)) from None
    except Refusal as refusal:
        session.failed(refusal.reason, refusal.remedy)
        return FAILED
    except LeaseRevoked as end:
        session.failed(end.what, end.hint)
        return FAILED
    except PortVanished:
        session.failed("the reader was unplugged", "plug it in and calibrate again; nothing was kept")
        return FAILED
    except KeyboardInterrupt:
        if ended:
            return 128 + ended[0]
        session.stopped()
        return INTERRUPTED
    except (HardwareError, OSError) as error:
        raise NotCalibrated(str(error), "nothing was kept") from None


class NotCalibrated(BridgeError):
    """Calibration ended by a failure of a device or the disk."""


def _ends_in_order() -> list[int]:
    """Make SIGTERM and SIGHUP (a broken SSH connection) act like Ctrl-C; the list collects those that came.

    A handler that raises an error could interrupt the event loop between two steps and hang it; Ctrl-C is safe.
    """
    came: list[int] = []

    def end(number: int, _: object) -> None:
        came.append(number)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for background jobs
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, end)
    return came


def _user() -> str:
    try:
        user = os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # a uid without a name, as in a container
        user = "root"
    return f"uid {os.getuid()}" if unfit(user, LONGEST_NAME) else user


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of cards: write 1 to 1000")
    return int(text)
