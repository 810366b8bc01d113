"""Every order by every way to a table, refused and then taken: the daemon is alive after each, and its beat is kept.

The daemon is a process; so are the commands and whoever is connected at a role's socket. What the back office's page
sends is an order of its own key, for a person. A keypad gives marks alone.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from firmware_bridge.facts.orders import ALL, LOCAL, OF_ROUND, tag_of
from hardware.sim.keypads import KeypadBoard
from hardware.sim.pty import PtyBoard
from tests.daemon.flooded import Beats
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.command import spawn
from tests.kit.daemon_table import COMMANDS, DaemonTable
from tests.kit.order_keys import OrderKey
from tests.kit.patience import said, until
from tests.kit.people import GID, UID, connected_as, rooms

broker, brokers = real.broker, real.brokers  # fixtures

PAIR: Final = {"why": "misread", "second": "bo"}
NIU: Final = {"table": {"game": "niuniu", "decks": 1, "burn": "none", "new_shoe": "command"}}
SHOE: Final = {"do": "open_shoe"}
BETS: Final = {"do": "bets_closed", "bets": {"1": "10"}}
BETS_OVER: Final = {"do": "bets_closed"}
REVEAL: Final = {"do": "reveal"}
CARDS: Final = ["9s", "Td", "Ts", "9c"]


class Row(NamedTuple):
    """An order, and the words of its command. before: what makes it possible: orders at the table and cards.

    refused: the fields and words with which it is refused before that, where they are others.
    """

    fields: dict[str, Any]
    words: str
    before: tuple[dict[str, Any] | str, ...] = (SHOE,)
    refused: tuple[dict[str, Any], str] | None = None
    sections: Mapping[str, Any] = MappingProxyType({})


ROWS: Final = {
    "open_shoe": Row({}, "", (), ({"pack": {"left": 3}}, "--left 3")),
    "close_shoe": Row({"why": "x"}, "--why x"),
    "close_table": Row({}, "", (), ({"why": "x" * 600}, f"--why {'x' * 600}")),
    "request_shoe_change": Row(
        {},
        "",
        (SHOE, BETS_OVER, "9s Td Ts Tc", REVEAL, REVEAL),
        sections={"service": {"mode": "vip", "shoe_change_after": 0}},
    ),
    "request_dealer_change": Row({}, "", refused=({"why": "x"}, "--why x"), sections={"service": {"mode": "vip"}}),
    "dealer": Row({"dealer": "zed"}, "zed", (), ({"dealer": "x" * 101}, "x" * 101)),
    "bets_open": Row({}, ""),
    "bets_closed": Row({}, ""),
    "mark": Row({"seat": 1, "word": "grab", "value": "1"}, "1 grab 1", (SHOE, BETS), sections=NIU),
    "unmark": Row({}, "", (SHOE, BETS, {"do": "mark", "seat": 1, "word": "grab", "value": "1"}), sections=NIU),
    "next": Row({}, "", (SHOE, "9s Td Ts Tc"), sections={"table": {"close": "next"}}),
    "reveal": Row({}, "", (SHOE, "9s Td Ts Tc"), sections={"table": {"disclose": "sealed"}}),
    "fly": Row({}, "", sections={"service": {"mode": "vip"}}),
    "void": Row({"why": "x"}, "--why x --yes", (SHOE, "9s Td")),
    "correct": Row(
        {"round": 1, "cards": CARDS, **PAIR},
        f"1 {' '.join(CARDS)} --why misread --second bo --yes",
        (SHOE, "9s Td Ts Tc"),
    ),
    "resolve": Row(
        {"irregularity": "unreadable", "choice": "void", "why": "x"},
        "unreadable void --why x --yes",
        (SHOE, "9s", "unreadable"),
    ),
    "resend": Row({"since": "2020-01-01T00:00:00Z"}, "--since 2020-01-01T00:00:00Z", (), ({"since": "x"}, "--since x")),
    "enter": Row({"card": "Kc", "second": "bo"}, "Kc --second bo", (SHOE, "9s", "unreadable")),
}

AT_THE_TABLE: Final = ("command", "role")
WAYS: Final = (*AT_THE_TABLE, "mqtt", "signed", "page")
TWO: Final = ("correct", "enter")
"""Orders of two people at the table alone."""


class House(DaemonTable):
    """A table whose folder lets other users through, with a backend and two keys."""

    def begin(self, way: str, sections: Mapping[str, Any]) -> House:
        """Start it for one way."""
        self.way, self.cage = way, OrderKey("cage", *COMMANDS)
        self.page = OrderKey("page", *ALL, two_people=True)
        rows = {"orders": [self.cage.row, self.page.row]} if way in ("signed", "page") else {}
        table = {"new_shoe": "command"} | sections.get("table", {})
        self.configure(**{**sections, **rows, "table": table})
        self.beats, self.backend = Beats(self.folder / "notify"), Backend(self.port)
        self.backend.meanwhile = lambda: self.pause(0.005)
        self.start(NOTIFY_SOCKET=str(self.beats.path), WATCHDOG_USEC="200000")
        self.backend.wait_until(lambda: [each["state"] for each in self.backend.on("status")][-1:] == ["online"])
        return self

    def prepare(self, before: tuple[dict[str, Any] | str, ...]) -> None:
        """Do at the table what comes before an order."""
        for each in before:
            if isinstance(each, dict):
                assert self.ask(by="anna", **each)["ok"], each
            elif each == "unreadable":
                self.board.fault(each)
                self.until(lambda: not self.board.waiting)
                until(lambda: self.ask(do="status")["alarm"]["open"])
            else:
                self.deal(each)

    def give(self, do: str, fields: dict[str, Any], words: str) -> bool:
        """Give an order by the way; whether it was taken."""
        if self.way == "command":
            line = ("enter", *words.split()) if do == "enter" else ("do", do.replace("_", "-"), *words.split())
            with spawn(*line, "--by", "anna", "--config", self.config_path) as command:
                out, err = said(command)
            assert command.returncode in (0, 1, 2), err
            assert "Traceback" not in out + err
            self.said = {"error": err}
            return command.returncode == 0
        order = {"do": do, **fields}
        if self.way == "role":
            with connected_as(self.journal_dir / "pit" / "control.sock", UID["pit"], [GID["pit"]]) as pit:
                pit.sendall(json.dumps(order | {"by": "anna"}).encode() + b"\n")
                with pit.makefile("rb") as lines:
                    self.said = json.loads(lines.readline())
                    return bool(self.said["ok"])
        count = len(self.backend.on("reply"))
        self.backend.publish("shoe/T07/command", self.message(order, count))
        self.backend.wait_until(lambda: len(self.backend.on("reply")) > count)
        self.said = self.backend.on("reply")[count]
        return bool(self.said["ok"])

    def message(self, order: dict[str, Any], count: int) -> bytes:
        """An order for the broker: signed, where the way has a key."""
        state = self.ask(do="status")
        if order["do"] in [tag_of(each) for each in OF_ROUND]:
            order["round"] = state["table"]["round"]
        if order["do"] in ("mark", "unmark"):
            order["turn"] = state["table"].get("turn")
        if self.way == "mqtt":
            return json.dumps({"id": str(count), **order}).encode()
        if self.way == "page":
            order["on_behalf_of"] = "anna"
        key = self.page if self.way == "page" else self.cage
        return key.order({name: state[name] for name in ("journal", "seq")} | {"boot": state["boot"]}, **order)

    def marks(self) -> list[bool]:
        """Whether each mark of a keypad was taken, by the record."""
        events = [msgspec.json.decode(raw) for line in self.lines() for raw in line.public.events]
        return [each["answer"]["ok"] for each in events if each["type"] == "CommandAnswered" and "pad" in each["by"]]

    def lives(self) -> None:
        """The daemon is the same one, and beats."""
        assert self.process
        beats = len(self.beats.times)
        assert self.ask(do="status")["pid"] == self.process.pid, self.story()
        until(lambda: len(self.beats.times) > beats + 1, story=self.story)
        assert self.process.poll() is None, self.story()
        assert "ending" not in self.log

    def close(self) -> None:
        super().close()
        if hasattr(self, "beats"):
            self.beats.close()
            self.backend.close()


@pytest.fixture
def house(broker: Broker) -> Iterator[House]:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    rooms(folder / "journal", GID if os.geteuid() == 0 else None)
    house = House(folder, broker.port)
    yield house
    house.close()
    rmtree(folder)


def test_each_order_has_a_row() -> None:
    assert set(ROWS) == {*LOCAL}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("do", ROWS)
def test_each_order_by_each_way(house: House, do: str, way: str) -> None:
    if way == "role" and os.geteuid():
        pytest.skip("only root can act as other users")
    row = ROWS[do]
    house.begin(way, row.sections)
    assert not house.give(do, *(row.refused or (row.fields, row.words)))
    house.lives()
    house.prepare(row.before)
    assert house.give(do, row.fields, row.words) == may(do, way), str(house.said)
    house.lives()
    assert house.stop() == 0, house.log


def test_marks_of_a_keypad(house: House) -> None:
    board = KeypadBoard((1,))

    async def plugged() -> PtyBoard:
        return PtyBoard(board, house.folder / "pad")

    pad = house.loop.run_until_complete(plugged())
    house.begin("pad", {**NIU, "keypad": [{"port": str(house.folder / "pad"), "seats": [1]}]})
    board.press(1, "grab", "1")
    house.until(lambda: house.marks() == [False])
    house.lives()
    house.prepare((SHOE, BETS))
    house.until(lambda: 1 in board.shown and "grab" in board.shown[1].words)
    board.press(1, "grab", "1")
    house.until(lambda: house.marks() == [False, True])
    house.lives()
    assert house.stop() == 0, house.log
    pad.close()


def may(do: str, way: str) -> bool:
    """Whether an order can be taken by a way at all."""
    return way in AT_THE_TABLE or do not in TWO
