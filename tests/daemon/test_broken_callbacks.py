"""Each callback of a daemon raises an error once: it ends and is back with nothing lost, or everything still works.

Never is it alive and mute. What ends the process and what ends a connection alone: docs/architecture.md.
"""

from __future__ import annotations

import ast
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.inputs import CardRead
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from tests.daemon.broken import BREAKS_ONCE
from tests.daemon.flooded import Beats
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import Patience, PatientSocket

brokers, backend = real.brokers, listening.backend  # fixtures

ROUND: Final = "9s Td Ts Tc"
"""A natural: four cards are a round."""

SECTIONS: Final[dict[str, Any]] = {
    "mqtt": {"stored": "floor", "live_odds": True},
    "pins": {"factory": "mock", "next": {"pin": 22}, "cut_card": {"pin": 27}, "presence": {"pin": 7}},
    "lamps": {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "ready": 12, "fault": 25},
}


ENDS: Final = (
    "firmware_bridge.config.code:changed_files",
    "firmware_bridge.daemon.bridge:Bridge._check_code",
    "firmware_bridge.daemon.bridge:Bridge._recall_reader",
    "firmware_bridge.daemon.bridge:_beat",
    "firmware_bridge.daemon.delivery.retained:States.flush",
    "firmware_bridge.daemon.devices.health:Health.start",
    "firmware_bridge.daemon.devices.hearing:Hearing._judge",
    "firmware_bridge.daemon.devices.reader:Reader._listen",
    "firmware_bridge.daemon.devices.reader_alarms:Holders._look",
    "firmware_bridge.daemon.devices.retention_service:RetentionService._expire",
    "firmware_bridge.daemon.devices.retention_service:RetentionService.begun",
    "firmware_bridge.daemon.devices.sensors:Sensors._lid",
    "firmware_bridge.daemon.table.broker_outage:BrokerOutage._lasted",
    "firmware_bridge.daemon.table.broker_outage:BrokerOutage._lost",
    "firmware_bridge.daemon.table.cursor_saver:CursorSaver._save",
    "firmware_bridge.daemon.table.cursor_saver:CursorSaver._saved",
    "firmware_bridge.daemon.table.cursor_saver:CursorSaver._store",
    "firmware_bridge.daemon.table.cursor_saver:CursorSaver._store.<locals>.<lambda>",
    "firmware_bridge.daemon.table.journal_writer:JournalWriter._prepared",
    "firmware_bridge.daemon.table.journal_writer:JournalWriter._step",
    "firmware_bridge.daemon.table.live_odds:LiveOdds._lost",
    "firmware_bridge.daemon.table.live_odds:LiveOdds._receive",
    "firmware_bridge.daemon.table.look_ahead:LookAhead._go_on",
    "firmware_bridge.daemon.table.opening:_in_thread.<locals>.run",
    "firmware_bridge.daemon.table.opening:open_journal",
    "firmware_bridge.daemon.table.order_service:RateLimit._judge_oldest",
    "firmware_bridge.daemon.table.refusals:Refusals.journal",
    "firmware_bridge.daemon.table.store_watch:StoreWatch._send_again",
    "firmware_bridge.daemon.table.store_watch:StoreWatch._warn",
    "firmware_bridge.journal.journal:Journal.append",
    "firmware_bridge.journal.journal:Journal.prepare",
    "firmware_bridge.mqtt.connection:Connection._read",
    "firmware_bridge.mqtt.connection:Connection._tick",
    "firmware_bridge.mqtt.link:Link._dial",
    "firmware_bridge.mqtt.link:Link._reached",
    "hardware.holders:holders",
    "hardware.pins.lamps:LampPanel._beat",
    "hardware.pins.sensors:Contact._quiet",
    "hardware.ports:Port._open_until_done",
    "hardware.ports:Port._readable",
)
"""Callbacks, tasks and threads whose error ends the process. A restart loses nothing."""

CALLS_THAT_END: Final = (
    "call firmware_bridge.daemon.delivery.outbox:Outbox.add",
    "call firmware_bridge.daemon.delivery.outbox:Outbox.pump",
    "call firmware_bridge.daemon.delivery.replies:Replies.send",
    "call firmware_bridge.daemon.delivery.retained:States.changed",
    "call firmware_bridge.daemon.devices.reader:Reader._on_message",
    "call firmware_bridge.daemon.devices.reader:Reader._on_open",
    "call firmware_bridge.daemon.devices.reader:Reader.acknowledge",
    "call firmware_bridge.daemon.devices.reader:Reader.lease",
    "call firmware_bridge.daemon.devices.reader:Reader.reclaim",
    "call firmware_bridge.daemon.table.journal_writer:JournalWriter.append",
    "call firmware_bridge.daemon.table.journal_writer:JournalWriter.appended",
    "call firmware_bridge.daemon.table.order_service:OrderService.give",
    "call firmware_bridge.daemon.table.table:Table._show",
    "call firmware_bridge.daemon.table.table:Table.handle",
    "call firmware_bridge.daemon.table.table:advance",
    "call hardware.pins.lamps:LampPanel.show",
)
"""What they call, by the same rule."""

GOES_ON: Final = (
    "firmware_bridge.daemon.table.connection:Connection._gone",
    "firmware_bridge.daemon.table.role_sockets:RoleSockets._listen.<locals>.met",
    "firmware_bridge.daemon.table.role_sockets:login_of",
)
"""Tasks whose error ends a connection alone."""

CALLS_THAT_GO_ON: Final = (
    "call firmware_bridge.daemon.delivery.outbox:Outbox.delivered",
    "call firmware_bridge.daemon.table.connection:Connection.end",
    "call firmware_bridge.daemon.table.connection:Connection.next",
    "call firmware_bridge.daemon.table.connection:Connection.write",
    "call firmware_bridge.daemon.table.control:Control._answer",
    "call firmware_bridge.daemon.table.control:Control._calibration",
    "call firmware_bridge.daemon.table.control:Control.status",
    "call firmware_bridge.daemon.table.role_sockets:RoleSockets._has_room",
    "call firmware_bridge.daemon.table.role_sockets:_peer",
    "call firmware_bridge.daemon.table.journal_copies:JournalCopies.send",
    "call firmware_bridge.daemon.table.uplink:Uplink._on_message",
    "call firmware_bridge.daemon.table.uplink:Uplink._on_up",
    "call firmware_bridge.daemon.table.watchers:Watchers._show",
)
"""The same of what they call: of a connection here, or of the one with the broker, which is made anew."""


OTHERS: Final = {
    "of the loop as those above, which this table does not set": (
        *("BrokerOutage._report_change", "BrokerOutage._report_lost", "Certificates._look", "Connection._give_up"),
        "Connection._serve",
        *("Contact._edge", "Contact._stick", "CountedLog._write", "DeadlineTimer._ring", "Dwell._look"),
        *("Dwell.forget", "EchoCheck._late", "ExitSensor._look_for", "Flapping._settle", "Greetings._forget"),
        *("Keypads._tick", "Link.start", "Overwritten._repair", "Panel._judge_trial", "PinLease.reclaim"),
        *("Port._on_bytes", "Port._writable", "RateLimit._end_burst", "ReadAgain._settle", "Reader._end_lease"),
        *("Reader._on_bytes", "Reader._open", "RetentionService._forget", "Sensors._on_stuck", "Table._try_disk"),
        "Turns._go_on",
    ),
    "in a thread: what awaits it is above": ("_expired", "_keep", "last_heard", "partial", "work"),
    "in a thread for copies, which a connection awaits": (
        *("JournalCopies._listed", "_converted", "_ends", "journal_files"),
    ),
    "it reports an error": ("Port._failed", "ended"),
}
"""Why -> callbacks that are not broken here."""

SCHEDULES: Final = {
    **dict.fromkeys(("call_soon", "call_soon_threadsafe", "add_done_callback", "submit", "to_thread"), 0),
    **dict.fromkeys(("begun", "create_task"), 0),
    **dict.fromkeys(("call_later", "call_at", "add_reader", "add_writer", "run_in_executor"), 1),
}
"""Call that schedules -> the place of the callback in it."""


class Broken(DaemonTable):
    """A table with all devices but keypads, whose daemon breaks once, at a broker with a backend."""

    def begin(self, target: str, backend: Backend) -> Broken:
        """Start the daemon that breaks in `target`."""
        self.backend, self.drawn, self.ids = backend, list[str](), count()
        self.code, self.broken = ("-c", BREAKS_ONCE), self.folder / "broken"
        self.beats = Beats(self.folder / "notify")
        self.environ = {"BREAK": target, "BROKEN": str(self.broken)}
        self.environ |= {"NOTIFY_SOCKET": str(self.beats.path), "WATCHDOG_USEC": "200000"}
        self.starts = 1
        self.start(**self.environ)
        return self

    def back(self) -> bool:
        """Whether it answers; it is started again where an error has ended it."""
        assert self.process
        if (code := self.process.poll()) is not None:
            assert (code, self.broken.exists()) == (1, True), self.story()
            self.starts += 1
            self.start(**self.environ)
        return bool(self.said(do="status").get("seq"))

    def said(self, *requests: dict[str, Any], **request: Any) -> dict[str, Any]:
        """The answer to the last of some requests; an empty one where the daemon or the connection ends."""
        control = PatientSocket(socket.AF_UNIX)
        with suppress(OSError, ValueError), control, socket_address(self.journal_dir / "control.sock") as address:
            control.connect(address)
            lines = control.makefile()
            with lines:
                for each in requests or (request,):
                    control.sendall(json.dumps(each).encode() + b"\n")
                    answer: dict[str, Any] = json.loads(lines.readline())
            return answer
        return {}

    def round(self) -> None:
        """Draw a round, and let the daemon journal it, as often as it must be started for that."""
        self.drawn += ROUND.split()
        self.pull(ROUND)
        self.until_back(lambda: not self.board.waiting)

    def until_back(self, condition: Callable[[], Any]) -> Any:
        """As `until`, for a daemon that may end."""

        def found() -> Any:
            return self.back() and condition()

        patience = Patience()
        while not (value := found()):
            assert not patience.is_over, self.story()
            self.pause(0.01)
        return value

    def act(self) -> None:
        """Everything that a table does, until it breaks: orders by both ways, a watcher, a lease, the next file."""
        for step in (
            self.round,
            lambda: [self.said(do="fly", by="anna") for _ in range(6)],  # more than are on record one by one
            lambda: self.backend.publish("shoe/T07/command", {"id": str(next(self.ids)), "do": "fly"}),
            lambda: [self.said(do=each) for each in ("watch", "journals", "calibration")],
            self.lend,
            lambda: self.said(do="close_shoe", by="anna"),
        ):
            if not self.broken.exists():
                step()

    def lend(self) -> None:
        """A lease of the reader, and its end."""
        self.said({"do": "lend", "device": "reader", "by": "anna", "open_shoe": True}, {"do": "give_back"})
        self.until_back(self.has_reader)

    def has_reader(self) -> bool:
        """Whether the reader is the daemon's, and its cards are cards."""
        state = self.said(do="status")
        return bool(state) and not state["lent"] and not state["returning"] and state["reader"]["open"]

    def works(self) -> bool:
        """Everything that it does has its effect; it is the same process before and after."""
        self.until_back(self.has_reader)
        assert self.process
        pid, beats = self.process.pid, len(self.beats.times)
        self.said(do="close_shoe", by="anna")
        self.round()
        id = str(next(self.ids))
        self.backend.publish("shoe/T07/command", {"id": id, "do": "fly"})
        self.backend.wait_until(lambda: id in [each["id"] for each in self.backend.on("reply")])
        assert self.ask(do="fly", by="anna")["error"]
        with self.control() as watcher, watcher.makefile() as lines:
            watcher.sendall(b'{"do":"watch"}\n')
            seq = json.loads(lines.readline())["seq"]
            self.round()
            while json.loads(lines.readline())["seq"] <= seq:
                pass
        self.until(lambda: len(self.beats.times) > beats + 2)
        self.wait_for_the_broker()
        assert self.ask(do="status")["pid"] == pid == self.process.pid, self.story()
        assert [each.entry.input.card for each in self.lines() if is_card(each)] == [*cards(" ".join(self.drawn))]
        return self.stop() == 0

    def wait_for_the_broker(self) -> None:
        """Every message of the journal has come, first in its order; the retained topics are what the daemon has."""

        def first() -> list[dict[str, Any]]:
            came = [each for each in self.backend.received if each.topic.rsplit("/")[-1] in ("event", "round")]
            return list({each.raw: each.payload for each in came}.values())

        made = self.messages()
        self.backend.wait_until(lambda: first() == made)
        self.backend.wait_until(lambda: [each["state"] for each in self.backend.on("status")][-1:] == ["online"])
        self.backend.wait_until(lambda: self.lit() == self.backend.on("lamps")[-1]["lit"])

    def lit(self) -> Any:
        return self.ask(do="status")["lamps"]["lit"]

    def messages(self) -> list[dict[str, Any]]:
        """What the journal says that is to be sent."""
        return [json.loads(each.payload) for line in self.lines() for each in messages(line)]

    def close(self) -> None:
        super().close()
        self.beats.close()


def is_card(line: Line) -> bool:
    """Whether a line is a card that was read."""
    return bool(line.entry and isinstance(line.entry.input, CardRead))


@pytest.fixture
def broker(brokers: Callable[..., Broker]) -> Broker:
    return brokers()


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[Broken]:
    table = Broken(tmp_path, broker.port, **SECTIONS)
    backend.meanwhile = lambda: table.pause(0.005)
    yield table
    table.close()


@pytest.mark.parametrize("target", [*ENDS, *CALLS_THAT_END])
def test_what_stands_in_a_cards_or_a_messages_way_ends_the_process(
    table: Broken, backend: Backend, target: str
) -> None:
    table.begin(target, backend)
    broken(table)
    assert table.works()
    assert "ending: " in table.log or "ended by an error" in table.log


@pytest.mark.parametrize("target", [*GOES_ON, *CALLS_THAT_GO_ON])
def test_what_is_a_connections_ends_it_alone(table: Broken, backend: Backend, target: str) -> None:
    table.begin(target, backend)
    broken(table)
    assert table.works()
    assert "ending: " not in table.log
    assert table.starts == 1


def test_each_callback_in_the_code_is_here() -> None:
    rows = {row.partition(":")[2].partition(".<locals>.<lambda>")[0] for row in (*ENDS, *GOES_ON)}
    known = {*rows, "run", *(name for names in OTHERS.values() for name in names)}
    assert sorted(set(scheduled()) - known) == []


def scheduled() -> Iterator[str]:
    """The names of what the daemon's code schedules: methods of its own objects, and functions."""
    root = Path(__file__).parents[2]
    for room in ("firmware_bridge/daemon", "firmware_bridge/mqtt", "hardware"):
        for path in sorted((root / room).rglob("*.py")):
            tree = ast.parse(path.read_text()) if "sim" not in path.parts else ast.Module([], [])
            classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
            for of in (tree, *classes):
                for call in ast.walk(of):
                    if name := callback(call, of):
                        yield name


def callback(call: ast.AST, of: ast.AST) -> str | None:
    """What a call schedules: a method, if `of` is its class, or a function, if `of` is the module."""
    if not isinstance(call, ast.Call):
        return None
    place = SCHEDULES.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
    given = call.args[place] if place is not None and len(call.args) > place else None
    given = given.func if isinstance(given, ast.Call) else given
    if isinstance(of, ast.ClassDef) and isinstance(given, ast.Attribute) and ast.unparse(given.value) == "self":
        return f"{of.name}.{given.attr}"
    return given.id if isinstance(of, ast.Module) and isinstance(given, ast.Name) else None


def test_the_page_names_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
    ends, alone = page.partition("## What ends the process")[2].partition("A connection alone")[::2]
    assert [each for each in ENDS if owner(each) not in ends] == []
    assert [each for each in GOES_ON if owner(each) not in alone] == []


def owner(target: str) -> str:
    """The class of a callback, or the function itself."""
    return target.partition(":")[2].partition(".")[0]


def broken(table: Broken) -> None:
    """Act on everything until the target has raised."""
    patience = Patience()
    while not table.broken.exists():
        assert not patience.is_over, table.story()
        table.until_back(lambda: True)
        table.act()
