"""Floods every source of a table in turn, then all at once; then single disk calls take 3 s.

Prints the longest silence of the loop, the longest `status`, the longest time of an honest card to the disk, and how
much the journal grows in an hour. `--tree PATH`: the daemon of another tree, to compare; needs mosquitto.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.daemon.flooded import (
    BETS,
    MARKS,
    Feeling,
    Flooded,
    Line,
    back_and_forth,
    back_and_forth_by_mqtt,
    cards_without_end,
    marks_without_end,
    orders_without_end,
    orders_without_waiting,
    running,
)
from tests.kit.broker import Broker

CARDS: Final = "2s 3s 4s 5s 6s 7s 8s 9s 2d 3d 4d 5d 6d 7d 8d 9d 2c 3c 4c 5c"
BLACKJACK: Final[dict[str, dict[str, Any]]] = {"table": {"game": "blackjack", "new_shoe": "auto", "burn": "none"}}
LONG: Final = (
    "fdatasync:/cursor",
    "pwrite:/cursor",
    "open:/spare",
    "pwrite:/spare",
    "fsync:/spare",
    "rename:/spare",
    "ftruncate:.journal",
    "fsync:.journal",
    "fsync:/journal",
)


class Bench:
    """One table for each measurement."""

    def __init__(self, tree: Path | None, most: int, minutes: float) -> None:
        self.environ = {"PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"} if tree else {}
        self.is_old, self.most, self.minutes = tree is not None, most, minutes
        self.stack = ExitStack()

    @contextmanager
    def table(self, reader: dict[str, Any] | None = None, more: str = "", **begin: Any) -> Iterator[Flooded]:
        with tempfile.TemporaryDirectory(prefix="floods") as name, ExitStack() as self.stack:
            folder = Path(name)
            (folder / "broker").mkdir()
            broker = Broker(folder / "broker", options="max_queued_messages 0").start()
            self.stack.callback(broker.stop)
            most = None if self.is_old else 10
            table = Flooded(
                folder, broker.port, reader={"most_a_second": most, **(reader or {})}, **begin.pop("sections", {})
            )
            self.stack.callback(table.close)
            if more:
                table.config_path.write_text(table.config_path.read_text() + more.format(folder=folder))
            begin |= self.environ
            yield table.begin(**begin)

    def felt(self, table: Flooded, what: str, *steps: Callable[[], None], cards: str = CARDS) -> None:
        feeling = Feeling(table)
        with ExitStack() as floods:
            for step in steps:
                floods.enter_context(running(step))
            feeling.deal(" ".join(cards.split()[: self.most])) if cards else table.pause(0.4 * self.most)
            table.pause(60 * self.minutes)
            felt = feeling.end()
        growth = felt["bytes"] / felt["seconds"] * 3600 / 1e6
        waits = "  ".join(f"{name} {felt[f'{name}_s']:6.2f} s" for name in ("silence", "status", "card"))
        grown = f"{felt['bytes'] / 1000:6.0f} kB in {felt['seconds']:.0f} s, {growth:6.1f} MB/h"
        print(f"{what:22} {waits}  {grown}", flush=True)

    def calm(self) -> None:
        with self.table() as table:
            self.felt(table, "no flood")

    def reader(self) -> None:
        with self.table({"protocol": "line", "hold": 0}) as table:
            line = self.line(table, "reader")
            self.felt(table, "reader", cards_without_end(line), cards="")

    def pad(self) -> None:
        with self.table(more='[[keypad]]\nport = "{folder}/pad"\nseats = [1, 2, 3]\n', sections=BLACKJACK) as table:
            line = self.line(table, "pad")
            table.ask(do="open_shoe", by="bench")
            table.ask(do="bets_closed", bets={"1": "10", "2": "10", "3": "10"}, by="bench")
            self.felt(table, "keypad", marks_without_end(line, (1, 2, 3)))

    def keys(self) -> None:
        with self.table(sections={"pins": {"factory": "mock", "next": 5}}, key=5) as table:
            self.felt(table, "key NEXT")

    def mqtt(self) -> None:
        with self.table() as table:
            client, step = orders_without_end(table.port)
            self.stack.callback(client.loop_stop)
            self.felt(table, "MQTT", step)

    def socket(self) -> None:
        with self.table() as table:
            self.felt(table, "control socket", orders_without_waiting(self.stack.enter_context(table.control())))

    def obeyed_mqtt(self) -> None:
        with self.table(sections=BLACKJACK) as table:
            table.ask(do="open_shoe", by="bench")
            client, step = back_and_forth_by_mqtt(table.port)
            self.stack.callback(client.loop_stop)
            self.felt(table, "MQTT, obeyed", step, cards="")

    def obeyed_socket(self) -> None:
        for what, sections, orders in (("bets", BLACKJACK, BETS), ("marks", {"table": {"game": "niuniu"}}, MARKS)):
            with self.table(sections=sections) as table:
                table.ask(do="open_shoe", by="bench")
                control = self.stack.enter_context(table.control())
                self.felt(table, f"socket, {what} obeyed", back_and_forth(control, orders), cards="")

    def all(self) -> None:
        reader = {"protocol": "line", "hold": 0}
        sections = BLACKJACK | {"pins": {"factory": "mock", "next": 5}}
        more = '[[keypad]]\nport = "{folder}/pad"\nseats = [1, 2, 3]\n'
        with self.table(reader, more, sections=sections, key=5) as table:
            client, step = orders_without_end(table.port)
            self.stack.callback(client.loop_stop)
            pad, cards = self.line(table, "pad"), self.line(table, "reader")
            socket = self.stack.enter_context(table.control())
            steps = marks_without_end(pad, (1, 2, 3)), cards_without_end(cards), step, orders_without_waiting(socket)
            self.felt(table, "all at once", *steps, cards="")

    def long(self) -> None:
        for call in LONG:
            with self.table(long=call) as table:
                table.deal("Ts Tc 9s 8d")
                table.flag.touch()
                table.ask(do="close_shoe", by="bench")
                self.felt(table, f"3 s: {call}", cards=CARDS if self.most > 12 else " ".join([CARDS] * 2))

    def line(self, table: Flooded, name: str) -> Line:
        if name == "reader":
            table.pty.unplug()
            table.is_honest = False
        line = Line(table.folder / name)
        self.stack.callback(line.close)
        table.pause(1.0)
        return line


if __name__ == "__main__":
    names = ["calm", "reader", "pad", "keys", "mqtt", "socket", "obeyed_mqtt", "obeyed_socket", "all", "long"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=names, help=", ".join(names))
    parser.add_argument("--tree", type=Path, help="a tree whose daemon is measured")
    parser.add_argument("--most", type=int, default=20, help="honest cards, one each 0.4 s")
    parser.add_argument("--minutes", type=float, default=0, help="how long a flood goes on after the honest cards")
    options = parser.parse_args()
    bench = Bench(options.tree, options.most, options.minutes)
    print(f"load {os.getloadavg()[0]:.1f}")
    for each in options.what:
        getattr(bench, each)()
