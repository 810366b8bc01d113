"""`scripts/fleet`: plays a fleet and prints its report."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from asyncio import CancelledError
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped
from scripts.tools.fleet.engines import ENGINES
from scripts.tools.fleet.fleet import play
from scripts.tools.fleet.plan import Plan, Report
from scripts.tools.fleet.printed import growth, lines, need
from scripts.tools.fleet.stores import STORES

COUNTS: Final = (0, 3, 4, 5)
"""How many witnesses there may be: with fewer than three the end of one leaves no quorum."""

STEPS: Final = (10, 100)
"""Tables of the smaller fleets in a comparison of growth."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; 0 fine, 1 lost, doubled or conflicting messages, or a failed start."""
    options = _parser().parse_args(argv)
    folder: Path = options.out or Path(tempfile.mkdtemp(prefix="fleet-"))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        print(f"fleet: {escaped(str(folder))} is not empty: name another folder with --out", file=sys.stderr)
        return 1
    folder.chmod(0o755)  # a database's own user looks for its log here
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    counts = sorted({*(n for n in STEPS if n < options.tables), options.tables}) if options.growth else [options.tables]
    reports = []
    try:
        for count in counts:
            plan = Plan(
                tables=count,
                processes=min(options.processes, count),
                every_s=options.every,
                minutes=options.minutes,
                engine=options.engine,
                store=options.store,
                faults=options.faults and count == counts[-1],
                stored=not options.puback,
                compact=options.compact,
                journals=options.journals and str(options.journals),
                seed=seed,
                witnesses=options.witnesses,
                feed_s=options.feed,
            )
            reports.append(_played(plan, folder / str(count)))
    except BridgeError as error:
        print(f"fleet: {escaped(str(error))}", file=sys.stderr)
        return 1
    except CancelledError:
        print(f"fleet: broken off; see {folder}", file=sys.stderr)
        return 130
    needs = [need(each) for each in reports]
    (folder / "fleet.json").write_bytes(msgspec.json.format(msgspec.json.encode({"runs": reports, "needs": needs})))
    if options.growth:
        print("\n".join(growth(needs)))
    fine = all(each.is_fine for each in reports)
    if options.out or not fine:
        print(f"{'' if fine else 'FAILED; '}see {folder}")
    else:
        for each in reports:
            shutil.rmtree(each.journals)
        shutil.rmtree(folder)
    return 0 if fine else 1


def _played(plan: Plan, folder: Path) -> Report:
    began = time.monotonic()

    def show(text: str) -> None:
        print(f"{time.monotonic() - began:7.1f}  {escaped(text)}", flush=True)

    word = "the store's `stored`" if plan.stored else "the broker's acknowledgement"
    parts = f"{plan.tables} tables, {plan.processes} processes, {plan.engine}, {plan.store}"
    show(f"{parts}, seed {plan.seed}; {word} counts")
    report = play(plan, folder, show)
    print("\n".join(lines(report)), flush=True)
    return report


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/fleet", description="Many real tables at a real broker.")
    parser.add_argument("--tables", type=_count, default=1000, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--processes", type=_count, default=4, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--every", type=float, default=20.0, metavar="S", help="a round's time (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="(default: %(default)s)")
    parser.add_argument("--engine", choices=ENGINES, default="mosquitto", help="(default: %(default)s)")
    parser.add_argument("--store", choices=STORES, default="sqlite", help="(default: %(default)s)")
    parser.add_argument("--faults", action="store_true", help="kill, lock and cut one thing after the other meanwhile")
    text = "so many witnesses, 3 to 5, cosign the records of all tables (default: none)"
    parser.add_argument("--witnesses", type=int, choices=COUNTS, default=0, metavar="N", help=text)
    text = "seconds between two checkpoints of a table for the witnesses (default: %(default)s)"
    parser.add_argument("--feed", type=_count, default=20, metavar="S", help=text)
    parser.add_argument("--puback", action="store_true", help="tables believe the broker, not the store")
    parser.add_argument("--compact", action="store_true", help="compress the events of shoes that are over meanwhile")
    parser.add_argument("--growth", action="store_true", help="10 and 100 tables before, to compare what each needs")
    parser.add_argument("--seed", type=int, metavar="N", help="of all chances (default: a new one)")
    parser.add_argument(
        "--journals", type=_path, metavar="DIR", help="put them here, as /dev/shm (default: with the rest)"
    )
    parser.add_argument("--out", type=_path, metavar="DIR", help="keep everything here (an empty folder)")
    return parser


def _path(text: str) -> Path:
    return Path(text).resolve()


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
    return int(text)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
