"""`scripts/floor`: a whole floor until Ctrl-C: a broker, three simulated tables, the store, the page."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_bridge.demo.broker import HOST
from firmware_bridge.errors import BridgeError
from scripts.tools.floor_demo.asked import asked
from scripts.tools.floor_demo.floor import TABLES, PlainTable, SimulatedFloor, plain_tables
from scripts.tools.floor_demo.people import PASSWORD, PEOPLE


def main() -> int:
    """Run until Ctrl-C, SIGTERM or the end of the terminal: 0; 1 if something does not work."""
    options = asked()
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


if __name__ == "__main__":
    sys.exit(main())
