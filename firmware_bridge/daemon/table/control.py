"""The control socket between the command line and the running daemon, a JSON line each way."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType, to_builtins

from firmware_bridge import __build__, __version__
from firmware_bridge.config import calibration
from firmware_bridge.daemon.table.command import NotAnOrder, parse
from firmware_bridge.daemon.table.connection import Connection, not_of_a_connection
from firmware_bridge.daemon.table.disk_outage import disk_out
from firmware_bridge.daemon.table.fair_turns import Window
from firmware_bridge.daemon.table.journal_copies import JournalCopies
from firmware_bridge.daemon.table.journal_writer import StillWriting
from firmware_bridge.daemon.table.leases import Leasable, Leases, NotLeased
from firmware_bridge.daemon.table.order_service import (
    OrderService,
    RateLimit,
    order_of,
    record_burst,
    too_many,
)
from firmware_bridge.daemon.table.preview import as_of, preview
from firmware_bridge.daemon.table.recorder import ORDERS as RECORD_ORDERS
from firmware_bridge.daemon.table.recorder import Recorder
from firmware_bridge.daemon.table.role_sockets import Caller, RoleSockets, not_for
from firmware_bridge.daemon.table.second_login import SECOND_PERSON, Act, SecondLogin, Waiting, refusal
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.watchers import LOOK_S, Watch, Watchers
from firmware_bridge.errors import ConfigError, in_words
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.inputs import Person
from firmware_bridge.facts.names import unfit
from firmware_bridge.facts.orders import LOCAL, LONGEST_NAME
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.topics.state import last_rounds, mode
from firmware_bridge.topics.texts.done import Done, followed

log = logging.getLogger(__name__)

UNLIMITED: Final = ("status", "watch", "resolve")
"""What is answered at once, whatever else is ordered: a watcher is slowed by itself, and `resolve` needs an alarm."""

READINGS: Final = ("status", "watch", "journals", "journal", "calibration")
"""What changes nothing: it has turns of its own at each socket, so that who asks without end delays no order."""

CLOSING_S: Final = 1.0
"""Seconds that a daemon which stops gives an answer to be read."""

PASSED: Final = (1_000, 50.0)
"""Test cards that a lease announces within so many seconds; the rest waits. A board repeats 256 of them at once."""


class Control:
    """Answers on the control socket and on those of the roles' groups (role_sockets.py), until `close`.

    Each role may send its own requests alone (`facts/rights.py`). The dealer's display sees what is shown to a dealer.

    A request is an order (`{"do": "void", "by": "anna", "why": ".."}`), `{"do": "status"}`, or `{"do": "watch"}`,
    which is answered with a status, and the view of `watch` in `seen`, whenever that changes.
    `{"do": "lend", "device": "reader", "by": "anna"}` leases one of `devices` until `{"do": "give_back"}` or the
    connection's end. In between `{"do": "passed", "session": 1, "seq": 7}` announces that the technician's command
    acknowledges the report of a test card, and `{"do": "leave", "restore": "00ff"}` gives the bytes that restore the
    device's settings if the command is killed. `{"do": "take_back", "by": "bo"}` ends the lease of another: its
    connection gets `{"taken_back": "bo"}` and is closed.
    `{"do": "preview", "order": {..}, "by": "anna"}` is answered with what the order would change; an order with that
    answer's `as_of` is refused if the table went on since.
    `journals` and `journal` are answered as journal_copies.py says.
    `{"do": "calibration"}` is answered with the calibration, `{"do": "keep_calibration", "step": "lamps",
    "section": {..}, "by": "anna"}` writes a section of it, and the one from before if `section` is null: the file is
    this daemon's alone.
    Where the house asks two people for two logins, an order of theirs is first answered with the number under which it
    `waits`, then, once another uid sent `{"do": "confirm", "number": 3, "by": "bo"}`, as any other.
    All but what is in `UNLIMITED` waits its turn, `A_SECOND` of all connections together; a connection waits with one
    of them, so that the others are served in turn.
    broker, reader, keypads, health: the state of the link, of the reader, of each keypad and of everything, for the
    status. config: when it was
    read, seconds since 1970, and the digests of its sections.
    """

    def __init__(
        self,
        path: Path,
        table: Table,
        order_service: OrderService,
        broker: Callable[[], dict[str, Any]],
        reader: Callable[[], dict[str, Any]],
        health: Callable[[], Health | None],
        devices: Mapping[str, Leasable] = {},
        watch: Watch | None = None,
        config: Mapping[str, Any] = {},
        *,
        recorder: Recorder,
        second: SecondLogin,
        keypads: Callable[[], list[dict[str, Any]]] = list,
    ) -> None:
        self._keypads = keypads
        self._config, self._recorder, self._second = config, recorder, second
        self._watchers = Watchers(watch, self.status)
        self._table, self._orders = table, order_service
        self._role_sockets = RoleSockets(path, self._serve)
        self._broker, self._reader, self._health = broker, reader, health
        self._leases, self._copies = Leases(table, devices), JournalCopies(table.journal.directory)
        self._limit: RateLimit[asyncio.Future[bool]] | None = None
        self._calibration_file = table.journal.directory / calibration.FILE
        self._is_open = False
        self._clients: set[asyncio.Task[None]] = set()
        self._borrower: tuple[asyncio.Task[None], Connection] | None = None

    async def start(self) -> None:
        """Listen, if it does not yet; a socket left by a daemon that died is replaced. Raises OSError."""
        if self._is_open:
            return
        self._is_open = True
        self._limit = RateLimit(_admit, _turn_away, self._record, asyncio.get_running_loop())
        await self._role_sockets.open()

    async def close(self) -> None:
        """Stop listening and close all connections."""
        if not self._is_open:
            return
        self._role_sockets.close()
        if self._limit:
            self._limit.close()
        clients = set(self._clients)
        while clients:  # again those with an answer that is not read
            for client in clients:
                client.cancel()
            clients = (await asyncio.wait(clients, timeout=CLOSING_S))[1]
        self._role_sockets.remove()

    def changed(self) -> None:
        """Show watchers their view, as it may have changed."""
        self._watchers.changed()

    def status(self) -> dict[str, Any]:
        """Return the state of the daemon, without any sealed card."""
        shoe = self._table.shoe
        return {
            "version": __version__,
            "build": __build__,
            "table_id": self._table.name,
            "boot": self._table.boot,
            "pid": os.getpid(),
            "config": self._config,
            "shoe": shoe.number,
            "journal": shoe.journal,
            "seq": shoe.seq,
            "mode": mode(shoe, self._table.observing, bool(self._table.disk)),
            "disk": to_builtins(self._table.disk.why) if self._table.disk else None,
            "broker": self._broker(),
            "reader": self._reader(),
            "keypads": self._keypads(),
            "health": msgspec.to_builtins(self._health()),
            "record": {**msgspec.to_builtins(self._recorder.state()), "next": self._recorder.next_key()},
            "two_people": self._second.status(),
            "lent": self._leases.status(),
            "returning": self._leases.returning(),
            "rounds": msgspec.to_builtins(last_rounds(shoe)),
            "seats": [f"S{seat}" for seat in shoe.bets],
            "points": dict(rules(shoe).demo.points(layout(shoe))) if shoe.laid else {},
            "acts": list(reduce(followed, map(from_json, self._table.recent), Done()).acts),
            **from_json(msgspec.json.encode(self._table.states())),
        }

    async def _serve(self, caller: Caller, connection: Connection) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            while line := await connection.next():
                await self._answer(line, caller, connection)
        except asyncio.CancelledError:
            pass
        finally:
            self._clients.discard(task)

    async def _answer(self, line: bytes, caller: Caller, connection: Connection) -> None:
        try:
            fields = parse(line)
        except NotAnOrder as error:
            await self._role_sockets.turn(caller.role)
            await connection.send(error.answer)
            return
        person = caller.person(fields.pop("terminal", None))
        refused = not_for(caller.role, fields["do"])
        if refused or fields["do"] in READINGS:
            await self._role_sockets.turn(caller.role)
        if refused:
            await connection.send(refused)
        elif fields["do"] == "status":
            await connection.send(self.status())
        elif fields["do"] == "watch":
            await self._watchers.serve(caller.role, connection)
        elif fields["do"] in ("journals", "journal"):
            await self._copies.send(fields, connection)
        elif fields["do"] == "calibration":
            await connection.send(await self._calibration())
        else:
            await self._act(fields, caller, person, connection)

    async def _act(
        self,
        fields: dict[str, Any],
        caller: Caller,
        person: Person,
        connection: Connection,
    ) -> None:
        """Answer a request that has the name of its giver."""
        if not isinstance(by := fields.pop("by", None), str) or not by.strip():
            await connection.send(orders.refused("no_name"))
        elif wrong := unfit(by, LONGEST_NAME):
            await connection.send(orders.refused("name_refused", fault=wrong))
        elif fields["do"] not in UNLIMITED and not await self._has_turn():
            await connection.send(too_many(fields.get("id")))
        elif fields["do"] == "lend":
            await self._lease(fields, by, caller, person, connection)
        elif fields["do"] == "take_back":
            await connection.send(await self._end_lease(by))
        elif fields["do"] == "keep_calibration":
            await connection.send(await self._keep(fields, by, person))
        elif fields["do"] == "preview":
            await connection.send(self._preview(fields, by))
        elif fields["do"] == "confirm":
            await connection.send(self._second.confirm(fields.get("number"), by, person))
        else:
            await self._order(fields, by, person, connection)

    async def _order(
        self,
        fields: dict[str, Any],
        by: str,
        person: Person,
        connection: Connection,
    ) -> None:
        """Carry out an order, at once or when a second login has confirmed it."""

        def act(given: dict[str, Any], confirmed: Person | UnsetType = UNSET) -> orders.Answer:
            with not_of_a_connection():
                if given["do"] in RECORD_ORDERS:
                    return self._recorder.order(given, by, person, confirmed)
                return self._give(given, by, person, confirmed)

        if not self._second.asks_for(fields):
            await connection.send(act(fields))
        elif isinstance(begun := self._begun(fields, by, person, act), orders.Answer):
            await connection.send(begun)
        else:
            with suppress(ConnectionError):  # `gone` then, and its end is on record
                await connection.send({"ok": True, "do": fields["do"], "waits": begun.number, "until": begun.until})
            async with connection.watched() as gone:
                answer = await self._second.end(begun, gone)
            await connection.send(answer)

    def _begun(self, fields: dict[str, Any], by: str, person: Person, act: Act) -> Waiting | orders.Answer:
        """Return an order that waits for its second login, or its refusal."""
        if fields["do"] in RECORD_ORDERS:
            return self._recorder.refusal(fields | {"second": SECOND_PERSON}, by) or self._second.begin(
                fields, by, person, act
            )
        if refused := refusal(self._table.shoe, fields, by):
            return self._second.refuse(fields["do"], refused, by, person)
        return self._second.begin(fields, by, person, act)

    async def _has_turn(self) -> bool:
        """Wait for the turn of an order; return False if too many wait."""
        assert self._limit is not None
        turn = asyncio.get_running_loop().create_future()
        self._limit.receive(turn)
        return bool(await turn)

    def _record(self, count: int) -> None:
        record_burst(self._table, count, "control socket")

    def _preview(self, fields: dict[str, Any], by: str) -> dict[str, Any] | orders.Answer:
        """Return what an order would change; nothing is judged or journaled."""
        given = fields.get("order")
        if not isinstance(given, dict) or not isinstance(given.get("do"), str):
            return orders.refused("order_missing")
        is_for_two = self._second.asks_for(given)
        order = order_of(given | {"second": SECOND_PERSON} if is_for_two else given, LOCAL)
        if isinstance(order, orders.Malformed):
            return orders.Answer(ok=False, code=order.code, values=order.values)
        return preview(self._table.shoe, order, by)

    def _give(
        self, fields: dict[str, Any], by: str, person: Person, confirmed: Person | UnsetType = UNSET
    ) -> orders.Answer:
        if (seen := fields.pop("as_of", None)) is not None and not self._is_as_of(seen, fields):
            return orders.refused("gone_on")
        try:
            return self._orders.give(fields, LOCAL, by, person=person, confirmed=confirmed)
        except StillWriting as error:
            return disk_out(error, fields.get("id"))

    def _is_as_of(self, seen: object, fields: dict[str, Any]) -> bool:
        """Return whether an order is about what its giver was shown; True for one that is refused anyway."""
        order = order_of(fields, LOCAL)
        return isinstance(order, orders.Malformed) or seen == as_of(self._table.shoe, order)

    async def _lease(
        self,
        fields: dict[str, Any],
        by: str,
        caller: Caller,
        person: Person,
        connection: Connection,
    ) -> None:
        """Lease a device until this connection gives it back or ends."""
        try:
            known = self._leases.acquire(fields.get("device"), by, fields.get("open_shoe") is True, caller.pid, person)
        except NotLeased as error:
            await connection.send(orders.Answer(ok=False, code=error.code, values=error.values))
            return
        task = asyncio.current_task()
        assert task is not None
        self._borrower, window = (task, connection), Window(*PASSED)
        try:
            await connection.send({"ok": True, "do": "lend", **known})
            while (line := await connection.next()) and (request := parse(line))["do"] != "give_back":
                while not window.admits(asyncio.get_running_loop().time()):
                    await asyncio.sleep(LOOK_S)
                if request["do"] == "leave":
                    self._leases.leave(request.get("restore"))
                else:
                    self._leases.passed(request.get("session"), request.get("seq"))
            self._leases.release(cut_short=not line)
        finally:
            self._leases.release()
        await connection.send({"ok": True, "do": "give_back"})

    async def _calibration(self) -> dict[str, Any] | orders.Answer:
        try:
            found, moved = await asyncio.to_thread(calibration.found, self._calibration_file)
        except (OSError, ConfigError) as error:
            return orders.refused("calibration_failed", why=in_words(error))
        return {"ok": True, "do": "calibration", "calibration": msgspec.to_builtins(found), "moved": moved}

    async def _keep(self, fields: dict[str, Any], by: str, person: Person) -> dict[str, Any] | orders.Answer:
        """Write a section of the calibration; who, when and what was before are not the caller's to say."""
        step, at = fields.get("step"), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            section = calibration.section_of(step, fields.get("section", ""), at, by)
            moved = await asyncio.to_thread(calibration.keep, self._calibration_file, str(step), section)
        except (OSError, ConfigError) as error:
            return orders.refused("calibration_failed", why=in_words(error))
        except ValueError as error:
            return orders.refused("nothing_kept", why=str(error))
        log.info("calibration of %s %s by %s, uid %d", step, "kept" if section else "taken back", by, person.uid)
        return {"ok": True, "do": "keep_calibration", "moved": moved}

    async def _end_lease(self, by: str) -> orders.Answer:
        """End the present lease: its connection gets the name in `by` and is closed."""
        if (lease := self._leases.status()) is None or self._borrower is None:
            return orders.refused("nothing_lent")
        log.warning("the %s is taken back from %s by %s", lease["device"], lease["to"], by)
        task, connection = self._borrower
        connection.put({"ok": False, "taken_back": by})
        task.cancel()
        await asyncio.wait({task})
        hint = f"if the {lease['device']} stays lost: sudo kill -9 {lease['pid']}" if lease["pid"] else None
        return orders.Answer(ok=True, do="take_back", hint=hint)


def _admit(turn: asyncio.Future[bool]) -> None:
    if not turn.done():
        turn.set_result(True)


def _turn_away(turn: asyncio.Future[bool]) -> None:
    turn.set_result(False)
