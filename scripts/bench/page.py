"""What the wall costs: CPU and memory of `shoe-floor page` while browsers read its stream.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/page.py [--tables 200] [--readers 50] [--minutes 10]

A fleet of real tables at a real broker, a round a minute each; the page, and beside it a program that does the least:
it decodes the same messages and writes each to as many connections. Each minute one line: CPU seconds a second and
memory of both, and the bytes that a reader got. A page keeps the hands of the last 20 rounds of a table: until all are
there it grows. Exit 1 where it takes more than 0.2 CPU seconds a second, or 2 MiB more memory than after 22 minutes.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.floor_whole.pages import Page, until
from tests.kit.broker import free_port

MOST_CPU, MOST_GROWTH_MIB = 0.2, 2.0
FULL: Final = 22
"""Minutes until all tables have dealt as many rounds as the page keeps whole."""

TOPICS = ("table", "roads", "status", "health", "alarm", "round")
SETTLE_S = 20.0
"""Time for all tables to be there before anything is counted."""


def least(config: str, port: int) -> None:
    """Do the least: decode each message of a table, and write it to all who are connected."""
    broker, password = _login(config)
    readers: set[asyncio.StreamWriter] = set()

    async def served(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        readers.add(writer)

    async def serve() -> None:
        loop = asyncio.get_running_loop()

        def write(body: bytes | bytearray) -> None:
            json.loads(body)
            for each in readers:
                each.write(body)

        def came(_: Client, __: object, message: MQTTMessage) -> None:
            if message.payload:
                loop.call_soon_threadsafe(write, message.payload)

        client = Client(CallbackAPIVersion.VERSION2, "least")
        client.username_pw_set("floor", password)
        client.on_message = came
        client.connect("127.0.0.1", broker)
        client.subscribe([(f"shoe/+/{each}", 0) for each in TOPICS])
        client.loop_start()
        async with await asyncio.start_server(served, "127.0.0.1", port):
            await asyncio.Event().wait()

    asyncio.run(serve())


def _login(config: str) -> tuple[int, str]:
    """Return the port of the broker and password of the floor."""
    text = Path(config).read_text("utf-8")
    port, secret = re.search(r"^port = (\d+)", text, re.M), re.search(r'^password_file = "(.*)"', text, re.M)
    assert port
    assert secret
    return int(port[1]), Path(secret[1]).read_text("utf-8").strip()


class Watched:
    """A process, and what it takes. cpu_s: CPU seconds a second since the last look. mib: its memory."""

    def __init__(self, pid: int) -> None:
        self._pid, self.cpu_s, self.mib = pid, 0.0, 0.0
        self._at, self._used = time.monotonic(), self._cpu()

    def look(self) -> None:
        """Measure."""
        at, used = time.monotonic(), self._cpu()
        self.cpu_s = (used - self._used) / (at - self._at)
        self._at, self._used = at, used
        found = re.search(r"^VmRSS:\s+(\d+)", Path(f"/proc/{self._pid}/status").read_text(), re.M)
        self.mib = int(found[1]) / 1024 if found else 0.0

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shown(page: Page) -> int:
    """Return how many tables the wall has."""
    link = page.link()
    link.request("GET", "/")
    return link.getresponse().read().count(b'id="tile-T')


async def read(port: int, request: bytes, count: list[int]) -> None:
    """Read a stream until the end, and count its bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    while some := await reader.read(65_536):
        count[0] += len(some)


async def measured(page: Page, beside: int, of_beside: int, options: argparse.Namespace) -> bool:
    """Read both, and print a line a minute; return whether the page took too much."""
    assert page.process
    counts = [0], [0]
    request = f"GET /stream?lang=en HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode()
    reads = [(page.port, request, counts[0]), (beside, b"", counts[1])]
    tasks = [asyncio.create_task(read(*each)) for each in reads for _ in range(options.readers)]
    await asyncio.sleep(SETTLE_S)
    watched, is_late, began = (Watched(page.process.pid), Watched(of_beside)), False, 0.0
    for minute in range(1, options.minutes + 1):
        for each in counts:
            each[0] = 0
        await asyncio.sleep(60)
        for one in watched:
            one.look()
        each_reader = [each[0] / options.readers / 60 for each in counts]
        wall, least = watched
        began = wall.mib if minute <= FULL else began
        is_late |= wall.cpu_s > MOST_CPU
        print(
            f"  {minute:3} min: page {wall.cpu_s:.3f} CPU s/s, {wall.mib:.1f} MiB, {each_reader[0]:,.0f} bytes/s;"
            f" the least {least.cpu_s:.3f} CPU s/s, {each_reader[1]:,.0f} bytes/s; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    gone = sum(each.done() for each in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    growth = watched[0].mib - began
    print(f"  {gone} of {len(tasks)} readers were left before the end; the page grew by {growth:.1f} MiB")
    return is_late or gone > 0 or growth > MOST_GROWTH_MIB


def main() -> int:
    """Start everything, measure, and end it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--least", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.least:
        least(options.least[0], int(options.least[1]))
        return 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        (out := folder / "fleet").mkdir()
        words = ["--tables", str(options.tables), "--every", "60", "--minutes", str(options.minutes + 2)]
        fleet = subprocess.Popen(
            [sys.executable, "-m", "scripts.tools.fleet", *words, "--out", str(out)], stdout=subprocess.DEVNULL
        )
        config, beside = out / str(options.tables) / "floor.toml", free_port()
        until(lambda: config.exists() and "password_file" in config.read_text())
        time.sleep(SETTLE_S)
        page = Page(folder, 0)
        own = page.config.read_text().partition("[page]")[2]
        page.config.write_text(f"{config.read_text()}[page]{own}")
        command = [sys.executable, __file__, "--least", str(config), str(beside)]
        other = subprocess.Popen(command)
        try:
            page.start()
            until(lambda: shown(page) == options.tables, lambda: f"{shown(page)} tables; {page.log}")
            return int(asyncio.run(measured(page, beside, other.pid, options)))
        finally:
            page.stop()
            other.terminate()
            fleet.terminate()
            for each in (other, fleet):
                each.wait()


if __name__ == "__main__":
    sys.exit(main())
