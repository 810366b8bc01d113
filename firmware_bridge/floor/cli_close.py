"""The commands `shoe-floor close`, by which a person closes what cannot be mended."""

import argparse
import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firmware_bridge.config.arguments import Exit, line, person
from firmware_bridge.config.plain import say
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.orders import LONGEST_REASON
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import LONGEST
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import Key, now, rfc3339

if TYPE_CHECKING:
    from firmware_bridge.floor.store import Store
    from firmware_bridge.floor.store.closings import Closing

DIGEST: Final = "hex SHA-256 of the bytes, as shoe-floor export has it (default: all of them)"


class NotClosed(BridgeError, ValueError):
    """A command that closes nothing."""


def run_close(arguments: argparse.Namespace, config: FloorConfig) -> int:
    """Carry out a command."""
    from firmware_bridge.floor.store.closings import Closing
    from firmware_bridge.floor.store.open import open_store

    if not arguments.by.strip() or not arguments.why.strip():
        raise NotClosed("who closes it, and why, must be said", '--by ANNA --why "its disk died, report 4711"')
    with closing(open_store(config)) as store:
        say(escaped(arguments.act(arguments, store, Closing(arguments.by, arguments.why, now()))))
    return Exit.FINE


def add_close(command: argparse.ArgumentParser, default: Path) -> None:
    """Add the commands. default: the configuration that is read without --config."""
    reason = line("reason", LONGEST_REASON)
    parts = command.add_subparsers(dest="part", metavar="PART", required=True)

    def add(name: str, text: str, act: Callable[..., str], *words: str) -> argparse.ArgumentParser:
        part: argparse.ArgumentParser = parts.add_parser(name, help=text, description=text)
        part.set_defaults(act=act)
        for word in words:
            part.add_argument(word, metavar=word.upper(), type=_seq if word == "seq" else line("name", LONGEST))
        part.add_argument("--by", type=person, required=True, metavar="NAME", help="who closes it")
        part.add_argument("--why", type=reason, required=True, metavar="TEXT", help="what was found")
        help_text = f"(default: {default})"
        part.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=help_text)
        return part

    part = add("gap", "ask no more for what is missing of a journal, or before it", _gap, "table", "journal")
    part.add_argument(
        "--to", type=_seq, default=0, metavar="SEQ", help="up to this entry (default: the last one known)"
    )
    part = add("conflict", "messages that came with other bytes", _conflict, "table", "journal", "seq")
    part.add_argument("--digest", type=_digest, metavar="HEX", help=DIGEST)
    part = add("quarantine", "what is in quarantine now", _quarantine)
    part.add_argument("--digest", type=_digest, metavar="HEX", help=DIGEST)
    part.add_argument("--until", type=_time, metavar="TIME", help="only what came up to this time, RFC 3339")


def _seq(text: str) -> int:
    """Return the number of an entry. Raises ArgumentTypeError."""
    if not re.fullmatch("[0-9]{1,19}", text) or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no entry: write its number, from 1 on")
    return int(text)


def _digest(text: str) -> str:
    """Return a SHA-256 in hex. Raises ArgumentTypeError."""
    if not re.fullmatch("[0-9a-f]{64}", text.lower()):
        raise argparse.ArgumentTypeError(f"{text!r} is no SHA-256: write all its 64 hex digits")
    return text.lower()


def _time(text: str) -> str:
    """Return a time as the store writes it. Raises ArgumentTypeError."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise ValueError
        return rfc3339(found.astimezone(UTC))
    except (ValueError, OverflowError):
        what = f"{text!r} is no time with its zone: write it as 2026-11-20T21:30:00Z"
        raise argparse.ArgumentTypeError(what) from None


def _gap(given: argparse.Namespace, store: "Store", closing: "Closing") -> str:
    to = store.close_gap(Key(given.table, given.journal), given.to, closing)
    if not to:
        up_to = f" up to entry {given.to}" if given.to else ""
        what = f"nothing is missing of journal {given.journal} of table {given.table}{up_to}"
        raise NotClosed(what, "see shoe-floor export gaps")
    return f"closed: what is missing of journal {given.journal} of table {given.table} up to entry {to}"


def _conflict(given: argparse.Namespace, store: "Store", closing: "Closing") -> str:
    count = store.close_conflicts(Key(given.table, given.journal), given.seq, given.digest or "", closing)
    if not count:
        what = f"no open conflict in entry {given.seq} of journal {given.journal} of table {given.table}"
        raise NotClosed(what, "see shoe-floor export conflicts, and closed_conflicts for what is closed already")
    return f"closed: {count} conflicts in entry {given.seq} of journal {given.journal} of table {given.table}"


def _quarantine(given: argparse.Namespace, store: "Store", closing: "Closing") -> str:
    if not (count := store.close_quarantine(given.digest or "", given.until or "", closing)):
        raise NotClosed("no such message is in quarantine", "see shoe-floor export quarantine")
    return f"closed: {count} messages in quarantine"
