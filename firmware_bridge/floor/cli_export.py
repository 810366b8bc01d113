"""The command `shoe-floor export`, as it is read and carried out."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from firmware_bridge.config.arguments import Add, Exit, day, file_to_write, line
from firmware_bridge.config.plain import warn
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.facts.wire import LONGEST
from firmware_bridge.floor.config import FloorConfig, need
from firmware_bridge.floor.store import FactName, What
from firmware_bridge.floor.store.errors import StoreError

if TYPE_CHECKING:
    from firmware_bridge.floor.store import Store

OF_FACTS = ("since", "until", "columns", "parquet", "after", "cursor")
"""Options that only facts have."""


def add_export(add: Add) -> None:
    """Add the command. add: adds a command with its name, its help and what carries it out."""
    command = add("export", "export messages or facts of the store as JSON lines, CSV or Parquet", _export)
    command.set_defaults(wrong=command.error)
    whats = *get_args(What), *get_args(FactName)
    command.add_argument("what", choices=whats, metavar="WHAT", help=", ".join(whats))
    command.add_argument("--csv", action="store_true", help="CSV (default: JSON lines)")
    command.add_argument("--table", type=line("name", LONGEST), metavar="ID", help="only of this table")
    command.add_argument("--journal", type=line("name", LONGEST), metavar="ID", help="only of this journal")
    command.add_argument("-o", "--output", type=file_to_write, metavar="FILE", help="(default: stdout)")
    facts = command.add_argument_group("of facts (docs/facts.md)")
    facts.add_argument("--since", type=day, metavar="YYYY-MM-DD", help="from this gaming day on")
    facts.add_argument("--until", type=day, metavar="YYYY-MM-DD", help="to this gaming day, it included")
    facts.add_argument("--columns", metavar="A,B,..", help="only these; bet.NAME: the net of a bet of fact_round")
    facts.add_argument("--parquet", type=file_to_write, metavar="FILE", help="a file of Parquet")
    text = "rounds that were changed after this number; the next one is said at the end"
    facts.add_argument("--after", type=int, metavar="CURSOR", help=text)
    text = "the same, with the number kept in a file, which is written after the export"
    facts.add_argument("--cursor", type=file_to_write, metavar="FILE", help=text)


def _export(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.open import open_store

    is_fact = arguments.what in get_args(FactName)
    if not is_fact and (odd := [each for each in OF_FACTS if getattr(arguments, each) is not None]):
        arguments.wrong(f"--{odd[0]} is for facts, fact_round and the like, and not for {arguments.what}")
    if arguments.parquet and (arguments.csv or arguments.output):
        arguments.wrong("--parquet has a file of its own: leave out --csv and -o")
    if arguments.cursor and arguments.after is not None:
        arguments.wrong("--cursor has the number of --after in its file: give one of both")
    if arguments.parquet:
        need("pyarrow", "parquet")
    with closing(open_store(config)) as store:
        count = _facts(arguments, store) if is_fact else _messages(arguments, store)
    warn(f"{count} rows exported")
    return Exit.FINE


def _messages(arguments: argparse.Namespace, store: "Store") -> int:
    from firmware_bridge.floor.store.commands import export

    form = "csv" if arguments.csv else "jsonl"
    return export(store, arguments.what, arguments.table, arguments.journal, arguments.output, form)


def _facts(arguments: argparse.Namespace, store: "Store") -> int:
    from firmware_bridge.floor.facts.written import write_csv, write_json, write_parquet
    from firmware_bridge.floor.store.commands import output, replaced
    from firmware_bridge.floor.store.fact_exports import Wanted

    after = _read(arguments.cursor) if arguments.cursor else arguments.after
    columns = tuple(each for each in (arguments.columns or "").split(",") if each)
    is_flat = bool(arguments.csv or arguments.parquet)
    bounds = arguments.since or "", arguments.until or "", arguments.table, arguments.journal
    with store.facts(Wanted(arguments.what, columns, *bounds, after, is_flat)) as written:
        if arguments.parquet:
            with replaced(arguments.parquet) as fresh:
                count = write_parquet(written, fresh)
        else:
            with output(arguments.output) as out:
                count = (write_csv if arguments.csv else write_json)(written, out)
    if arguments.cursor:
        with output(arguments.cursor) as out:
            out.write(f"{written.change}\n")
    elif after is not None:
        warn(f"next: --after {written.change}")
    return count


def _read(cursor: Path) -> int:
    """Return the number in a file; 0 where there is none. Raises StoreError."""
    try:
        return int(text_in(cursor))
    except FileNotFoundError:
        return 0
    except (OSError, ValueError):
        raise StoreError(f"{cursor} has no cursor in it", "give the file of an export before, or a new one") from None
