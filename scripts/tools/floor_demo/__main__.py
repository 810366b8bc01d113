"""`scripts/floor`: a whole floor until Ctrl-C: a broker, three simulated tables, the store, the page."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from firmware_bridge.demo.broker import CHOICES, HOST
from firmware_bridge.errors import BridgeError
from scripts.tools.floor_demo.floor import TABLES, PlainTable, SimulatedFloor, plain_tables
from scripts.tools.floor_demo.people import PASSWORD, PEOPLE
from scripts.tools.floor_demo.trouble import TROUBLES

PAGE_PORT, BROKER_PORT = 8080, 1883
SPEED: Final = 2.0
MOST: Final = 100
"""Tables: more would need more descriptors than a process may open."""


def main() -> int:
    """Run until Ctrl-C, SIGTERM or the end of the terminal: 0; 1 if something does not work."""
    parser = _parser()
    options = parser.parse_args()
    least = len(TABLES) + len(TROUBLES) * options.trouble
    options.tables = least if options.tables is None else options.tables
    if not least <= options.tables <= MOST:
        parser.error(f"--tables is {least} to {MOST}{' with --trouble' * options.trouble}")
    try:
        with TemporaryDirectory(prefix="shoe-floor-") as folder:
            asyncio.run(_run(options, Path(folder)))
    except BridgeError as error:
        print(f"floor: {error}", file=sys.stderr)
        return 1
    return 0


async def _run(options: argparse.Namespace, folder: Path) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    plain = plain_tables(options.tables, options.trouble)
    floor = SimulatedFloor(
        folder, options.port, options.broker_port, options.broker, options.speed, plain, options.people
    )
    opening = asyncio.create_task(floor.open())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([opening, stopping], return_when=asyncio.FIRST_COMPLETED)
        if opening.done():
            opening.result()
            _print_addresses(options, floor, plain)
            await floor.go_on(stop)
    finally:
        for each in (opening, stopping):
            each.cancel()
        await asyncio.gather(opening, stopping, return_exceptions=True)
        await floor.close()


def _print_addresses(options: argparse.Namespace, floor: SimulatedFloor, plain: Sequence[PlainTable]) -> None:
    for name, wanted, port in (("broker", options.broker_port, floor.broker.port), ("page", options.port, floor.port)):
        if wanted not in (0, port):
            print(f"port {wanted} is in use: the {name} has {port}")
    print(f"broker    {floor.broker.kind} at {HOST}:{floor.broker.port}, topics shoe/#")
    print("tables    " + ", ".join(f"{table.id} {table.game} (reader {table.reader})" for table in TABLES))
    if fine := [each.id for each in plain if not each.trouble.name]:
        print(f"          {fine[0]} to {fine[-1]}, without readers")
    if troubled := [each for each in plain if each.trouble.name]:
        print("trouble   after a round of each table; of the store: shoe-floor check")
        for each in troubled:
            print(f"          {each.id} {each.trouble.text}")
    print(f"store     {floor.store}; ask it with shoe-floor --config {floor.config} export rounds")
    print(f"page      {floor.address}")
    if options.people:
        who = ", ".join(f"{name} ({role})" for name, role in PEOPLE.items())
        print(f'people    {who}; password "{PASSWORD}"; orders at the tables without readers')
    print(f"guests    {floor.guests}")
    print("Ctrl-C ends all of it, and nothing is left.", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/floor", description=__doc__.partition(": ")[2])
    parser.add_argument("--port", type=int, default=PAGE_PORT, metavar="N", help="the page's (default %(default)s)")
    text = "the broker's (default %(default)s); a port in use is replaced by a free one"
    parser.add_argument("--broker-port", type=int, default=BROKER_PORT, metavar="N", help=text)
    few, more = len(TABLES), len(TABLES) + len(TROUBLES)
    text = f"how many, to {MOST} (default {few}; with --trouble {more})"
    parser.add_argument("--tables", type=int, metavar="N", help=text)
    parser.add_argument("--trouble", action="store_true", help="a table with each trouble: blocked, lost, forged ..")
    text = "people sign in, say who goes, and give orders"
    parser.add_argument("--people", action="store_true", help=text)
    parser.add_argument("--broker", choices=CHOICES, default="auto", help="default: mosquitto if installed")
    parser.add_argument(
        "--speed", type=float, default=SPEED, metavar="X", help="of the dealers: 1 is human (default 2)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
