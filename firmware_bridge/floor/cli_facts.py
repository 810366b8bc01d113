"""The commands about facts, `shoe-floor report` and `shoe-floor rebuild`, as they are read and carried out."""

import argparse
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import date

from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.plain import say, warn
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.facts.reports import KINDS, BetSums, bet_report, report

Add = Callable[[str, str, object], argparse.ArgumentParser]


def add_facts(add: Add) -> None:
    """Add the commands. add: adds a command with its name, its help and what carries it out."""
    command = add("report", "rounds, money and bets of gaming days", _report)
    command.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    text = "the first gaming day (default: the newest one with a round)"
    command.add_argument("--since", type=_day, metavar="YYYY-MM-DD", help=text)
    command.add_argument("--until", type=_day, metavar="YYYY-MM-DD", help="the last gaming day (default: as --since)")
    command.add_argument("--table", default="", metavar="ID", help="only of this table")
    command.add_argument("--csv", action="store_true", help="CSV (default: aligned columns)")
    command = add("rebuild", "make facts again from the messages, while the ingest runs", _rebuild)
    command.add_argument("what", choices=("facts",), metavar="WHAT", help="facts: what reports are made of")


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


def _report(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.fact_queries import Between
    from firmware_bridge.floor.store.open import open_store

    with closing(open_store(config)) as store:
        since = arguments.since or arguments.until or store.last_day()
        between = Between(since, arguments.until or since, arguments.table)
        summed = [] if arguments.kind == "bet" else store.sums(between)
        paces = store.paces(between) if arguments.kind == "dealer" else []
        bets = store.bet_sums(between) if arguments.kind == "bet" else BetSums()
        changed = store.changed_rounds(between)
    if not (summed or bets):
        warn(f"no round from {since or 'the first day'} on: see shoe-floor check")
        return Exit.FINE
    found = bet_report(bets) if bets else report(arguments.kind, summed, paces)
    if arguments.csv:
        sys.stdout.write(found.as_csv())
        return Exit.FINE
    print(f"{between.since} to {between.until}{f', table {escaped(between.table)}' if between.table else ''}\n")
    for line in found.as_text().splitlines():
        print(escaped(line))
    if changed:
        print("\nChanged after they had closed, and counted as they are now:")
    for each in changed:
        print(f"{each.day}  {escaped(each.table)}  shoe {each.shoe} round {each.round}: {each.status} {each.at}")
    return Exit.FINE


def _rebuild(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.open import open_store

    with closing(open_store(config)) as store:
        journals = store.journals()
        for table in sorted({key.table for key in journals}):
            store.rebuild_table(table)
    say(f"facts of {len(journals)} journals rebuilt")
    return Exit.FINE
