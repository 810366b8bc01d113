"""The commands about facts, `shoe-floor report` and `shoe-floor rebuild`, as they are read and carried out."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Final, NamedTuple

from firmware_bridge import __version__
from firmware_bridge.config.arguments import Add, Exit, days, file_to_write
from firmware_bridge.config.plain import say, warn
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, need
from firmware_bridge.floor.facts.answers import ASKED, alarms, changes
from firmware_bridge.floor.facts.reports import COLUMNS, KINDS, ChangedRound, Pace, Report, Summed, bet_report, report
from firmware_bridge.floor.record.message import now

if TYPE_CHECKING:
    from firmware_bridge.floor.store import Store
    from firmware_bridge.floor.store.fact_queries import Between

MOST_CHANGED: Final = 20
"""Lines of changed rounds below a table of text, which a month of them would hide."""


def add_facts(add: Add) -> None:
    """Add the commands. add: adds a command with its name, its help and what carries it out."""
    command = add("report", "rounds, money, bets, changes, alarms of gaming days", _report)
    about = "; ".join(f"{kind}: {what}" for kind, what in ASKED.items())
    command.add_argument("kind", choices=(*KINDS, *ASKED), metavar="KIND", help=f"{', '.join(KINDS)}: sums; {about}")
    text = "the first gaming day, or a month (default: the newest day with a round)"
    command.add_argument("--since", type=days, metavar="YYYY-MM[-DD]", help=text)
    text = "the last gaming day, or a month (default: the same day or month)"
    command.add_argument("--until", type=days, metavar="YYYY-MM[-DD]", help=text)
    command.add_argument("--table", default="", metavar="ID", help="only of this table")
    command.add_argument("--sort", metavar="COLUMN", help="by this column, the lowest first: --sort 'house %%'")
    forms = command.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="CSV (default: aligned columns)")
    forms.add_argument("--html", action="store_true", help="a page to print on A4, with pictures")
    command.add_argument("-o", "--output", type=file_to_write, metavar="FILE", help="(default: stdout)")
    command = add("rebuild", "make facts again from the messages, while the ingest runs", _rebuild)
    command.add_argument("what", choices=("facts",), metavar="WHAT", help="facts: what reports are made of")


def _report(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.commands import output
    from firmware_bridge.floor.store.fact_queries import Between
    from firmware_bridge.floor.store.open import open_store, place

    with closing(open_store(config)) as store:
        first = arguments.since or arguments.until or days(store.last_day() or now()[:10])
        last = arguments.until or first
        if last.last < first.first:
            warn(f"--until {last.last} is before --since {first.first}: swap them")
            return Exit.USAGE
        between = Between(first.first, last.last, arguments.table)
        found = _found(store, arguments.kind, between)
    if not found.report.rows:
        when = f"from {between.since} to {between.until}"
        warn(f"none {when}" if arguments.kind in ASKED else f"no round {when}: see shoe-floor check")
        return Exit.FINE
    if arguments.sort:
        if arguments.sort not in found.report.titles:
            columns = ", ".join(found.report.titles)
            warn(f"this report has no column {escaped(arguments.sort)!r}; one of: {columns}")
            return Exit.USAGE
        found = found._replace(report=found.report.by(arguments.sort))
    is_for_people = not (arguments.csv or arguments.html or arguments.output)
    with nullcontext(sys.stdout) if is_for_people else output(arguments.output) as out:
        if arguments.csv:
            out.write(found.report.as_csv())
        elif arguments.html:
            out.write(_page(found, arguments.kind, between, place(config)))
        else:
            out.writelines(f"{escaped(line)}\n" for line in _lines(found, between))
    return Exit.FINE


class _Found(NamedTuple):
    """What a report is made of, read in this order: all changes up to `change` are in it.

    changed: None where the report is none of sums.
    """

    change: int
    newest: str
    summed: list[Summed]
    paces: list[Pace]
    report: Report
    changed: list[ChangedRound] | None


def _found(store: "Store", kind: str, between: "Between") -> _Found:
    change, newest = store.last_change(), store.last_changed()
    summed: list[Summed] = []
    paces: list[Pace] = []
    if kind == "bet":
        made = bet_report(store.bet_sums(between))
    elif kind == "changes":
        made = changes(store.changes(between))
    elif kind == "alarms":
        made = alarms(store.alarms(between), between.end)
    elif kind in ASKED:
        made = store.asked(kind, between)
    else:
        summed = store.sums(between, COLUMNS[kind])
        paces = store.paces(between) if kind == "dealer" else []
        made = report(kind, summed, paces)
    return _Found(change, newest, summed, paces, made, None if kind in ASKED else store.changed_rounds(between))


def _lines(found: _Found, between: "Between") -> Iterator[str]:
    yield f"{between.since} to {between.until}{f', table {between.table}' if between.table else ''}"
    yield ""
    yield from found.report.as_text().splitlines()
    if found.changed:
        yield ""
        yield "Changed after they had closed, and counted as they are now:"
    changed = found.changed or []
    for each in changed[:MOST_CHANGED]:
        yield f"{each.day}  {each.table}  shoe {each.shoe} round {each.round}: {each.status} {each.at}"
    if len(changed) > MOST_CHANGED:
        yield f"and {len(changed) - MOST_CHANGED} more: shoe-floor report changes, or --html"


def _page(found: _Found, kind: str, between: "Between", store: str) -> str:
    need("jinja2", "floor")
    from firmware_bridge.floor.facts.pictures import holds, paces
    from firmware_bridge.floor.facts.printed import Made, Sheet, printed

    made = Made(now(), store, __version__, found.newest, found.change)
    picture = paces(found.paces) if kind == "dealer" else holds(found.summed) if kind in ("day", "table") else []
    return printed(Sheet(kind, *between, found.report, found.changed, made, picture))


def _rebuild(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.open import open_store

    with closing(open_store(config)) as store:
        journals = store.journals()
        for table in sorted({key.table for key in journals}):
            store.rebuild_table(table)
    say(f"facts of {len(journals)} journals rebuilt")
    return Exit.FINE
