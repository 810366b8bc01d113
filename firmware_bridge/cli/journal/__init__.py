"""`shoe journal`: the record, read only; it works while the daemon runs."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG, JOURNAL_DIR, NotRunning, daemons_alone, journal_dir
from firmware_bridge.cli.journal import prove, show, verify
from firmware_bridge.cli.journal.copies import copies
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import unreadable


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (text, add, _) in ACTIONS.items():
        action = actions.add_parser(name, help=text, description=text)
        where = action.add_mutually_exclusive_group()
        where.add_argument("--dir", type=Path, metavar="DIR", help="where the journals are")
        where.add_argument(
            "--config",
            type=Path,
            default=DEFAULT_CONFIG,
            metavar="FILE",
            help="the table's config, which names the directory",
        )
        add(action)


def run(arguments: argparse.Namespace) -> int:
    """Run the action; return 0 if all is well, else 1. Raises ConfigError, JournalError, also for unreadable files."""
    arguments.given = arguments.dir is not None
    if arguments.dir is None:
        is_bare = arguments.config == DEFAULT_CONFIG and not DEFAULT_CONFIG.exists()
        arguments.dir = Path(JOURNAL_DIR) if is_bare else journal_dir(arguments.config)
    arguments.sizes = {}
    try:
        if asks_daemon(arguments.dir, arguments.given):
            with copies(arguments) as arguments.dir:
                return ACTIONS[arguments.action][2](arguments)
        return ACTIONS[arguments.action][2](arguments)
    except NotRunning:
        raise JournalError(*daemons_alone(arguments.dir)) from None
    except OSError as error:
        raise unreadable(error, arguments.dir) from None


def asks_daemon(directory: Path, is_given: bool) -> bool:
    """Return whether journals are there, closed to this user: then the daemon may send copies without sealed parts."""
    return not is_given and directory.is_dir() and not os.access(directory, os.R_OK | os.X_OK)


Action = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]

ACTIONS: Final[dict[str, Action]] = {
    "list": ("the journals of this table, one per shoe", show.list_options, show.list_all),
    "show": ("the entries of a journal, without sealed cards", show.options, show.run),
    "verify": ("whether the record is whole and unchanged", verify.options, verify.run),
    "prove": ("a proof of one entry, to be checked without this table (.tlog-proof)", prove.options, prove.run),
    "heads": (
        "the chain value and the leaf of each entry, for a store",
        prove.heads_options,
        prove.heads,
    ),
    "export": ("a journal for outsiders: it verifies, but holds no sealed card", show.export_options, show.export),
}
