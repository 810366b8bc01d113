"""All tables behind one broker, for `async for` and for plain `for`; messages come until they are stored."""

import asyncio
import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, time
from typing import Final, Literal, Self

import msgspec

from firmware_bridge.client.batches import Batches
from firmware_bridge.client.broker import Address, Session, asked
from firmware_bridge.client.gate import Gate
from firmware_bridge.client.messages import Item
from firmware_bridge.client.orders import ANSWER_S, Orders, Sender, no_answer
from firmware_bridge.client.payload import MessageError, command
from firmware_bridge.client.round_keys import RoundKeys
from firmware_bridge.client.signing import signing
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.orders import Answer, Order

WAIT_S: Final = 10.0
"""How long a gap may close by itself before it is asked for."""

MOST = 500
"""Most items of a batch."""


class FloorInUse(BridgeError, RuntimeError):
    """A second, different stream was requested of one floor."""


class NotThisBatch(BridgeError, RuntimeError):
    """`stored()` was called for a batch that is no longer current."""


class _Batch:
    """Items to store in one transaction, of one table, or of several with `together`."""

    def __init__(self, reading: "Reading", items: dict[str, list[Item]]) -> None:
        self._reading, self._of = reading, items
        self.items = tuple(item for each in items.values() for item in each)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def proofs(self) -> dict[str, str]:
        """Table -> the `.tlog-proof` to store with this batch and to go on from, with `require="witnessed"`."""
        return self._reading.proofs(self._of)

    @property
    def forgotten(self) -> tuple[tuple[str, str], ...]:
        """(table, journal) that are whole and old, or gone: to store with this batch, and to pass as `forgotten`."""
        return self._reading.forgotten(self._of)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that it has items of."""
        return tuple(self._of)


class AsyncBatch(_Batch):
    """A batch of a `Floor`."""

    async def stored(self) -> None:
        """Acknowledge a committed batch: none of it comes again. With `messages()` the tables get `stored` too."""
        self._reading.stored(self._of)


class PlainBatch(_Batch):
    """A batch of a `PlainFloor`."""

    def stored(self) -> None:
        """Acknowledge a committed batch: none of it comes again. With `messages()` the tables get `stored` too."""
        self._reading.stored(self._of)


class _Floor(ABC):
    """Common part of `Floor` and `PlainFloor`: the tables' streams, and sending orders."""

    def __init__(
        self,
        by: str,
        *,
        host: str = "127.0.0.1",
        port: int = 1883,
        username: str | None = None,
        password: str | None = None,
        tls: ssl.SSLContext | None = None,
        prefix: str = "shoe",
        wait_s: float = WAIT_S,
        keys: str | Path | None = None,
        require: Literal["none", "signed", "witnessed"] = "none",
        proofs: Iterable[str] = (),
        key_file: str | Path | None = None,
    ) -> None:
        if require != "none" and keys is None:
            raise MessageError("rounds cannot be verified without keys", "name the file of keys: keys=..")
        address = Address(by, host, port, username, password, tls)
        wanted = RoundKeys(keys) if keys is not None and require == "signed" else None
        gate = Gate(keys, proofs, wait_s) if keys is not None and require == "witnessed" else None
        self._reading = Reading(address, prefix, wait_s, self._wake, wanted, gate)
        self._sender = Sender(
            self._reading.session, prefix, signing(by, Path(key_file), lambda: time() * 1000) if key_file else None
        )

    @property
    def trouble(self) -> str:
        """Why it is not connected, and what to do; empty if it is connected. Each is logged once too."""
        return self._reading.session.trouble

    @abstractmethod
    def _wake(self) -> None:
        """Wake the reader of batches; called from another thread when there is news."""


class Floor(_Floor):
    """All tables behind a broker, for `async for`, as `async with Floor("ledger", host="broker.house") as floor`.

    by: the name of this receiver, which is its client id and the `by` of its `stored` reports: the same after each
    restart, and used by no other client. prefix: the first word of the tables' topics. wait_s: how long a gap may close
    by itself before it is asked for; with a cluster 5 s more than it waits before it redelivers. keys: a file of C2SP
    tlog-policy with the tables' keys; with `require="signed"` a round that none of them signed comes as `Unsigned`;
    with `"witnessed"` one comes once a quorum of its witnesses has cosigned its entry. proofs: of `batch.proofs`, those
    that were stored last, to go on from. key_file: of `shoe-floor key new`: signs the orders of `table()` as `by`.
    """

    async def __aenter__(self) -> Self:
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._loop.run_in_executor(None, self._reading.close)
        self._news.set()

    def rounds(
        self, known: Iterable[bytes] = (), *, forgotten: Iterable[tuple[str, str]] = (), together: bool = False
    ) -> "AsyncBatches":
        """Return the messages of the topic `round`, in batches of one table each.

        known: payloads that are stored already, as they came, in any order. forgotten: (table, journal) of which
        nothing is asked. together: batches of several tables. A second call continues, and ignores known and forgotten.
        """
        self._reading.begin(events=False, known=known, forgotten=forgotten, together=together)
        return AsyncBatches(self)

    def messages(
        self, known: Iterable[bytes] = (), *, forgotten: Iterable[tuple[str, str]] = (), together: bool = False
    ) -> "AsyncBatches":
        """Return messages of the topics `event` and `round`: each table's whole record. Arguments: as for `rounds`."""
        self._reading.begin(events=True, known=known, forgotten=forgotten, together=together)
        return AsyncBatches(self)

    def table(self, name: str, *, answer_s: float = ANSWER_S, on_behalf_of: str = "") -> Orders[Awaitable[Answer]]:
        """Return the orders to a table, as methods to await for their `Answer`; NoAnswer after `answer_s` seconds.

        An order without an answer is repeated under its id until then; a repeated id acts once. on_behalf_of: the
        person who gives them, on record where they are signed.
        """
        return Orders(lambda order: self._give(name, order, answer_s, on_behalf_of))

    async def _give(self, table: str, order: Order, answer_s: float, person: str) -> Answer:
        return await asked(self._sender, table, order, answer_s, person)

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)


class AsyncBatches:
    """The batches of a `Floor`, until it is closed."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AsyncBatch:
        """Return the next batch. A batch before it that was not stored comes again. Raises FloorError."""
        reading, news = self._floor._reading, self._floor._news
        while not reading.is_closed:
            news.clear()
            if items := reading.step():
                return AsyncBatch(reading, items)
            try:
                await asyncio.wait_for(news.wait(), reading.left())
            except TimeoutError:
                continue
        raise StopAsyncIteration


class PlainFloor(_Floor):
    """All tables behind a broker, for plain `for`, without asyncio. Arguments: as for `Floor`."""

    def __enter__(self) -> Self:
        self._news = threading.Event()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; a loop in another thread ends."""
        self._reading.close()
        self._news.set()

    def rounds(
        self, known: Iterable[bytes] = (), *, forgotten: Iterable[tuple[str, str]] = (), together: bool = False
    ) -> "PlainBatches":
        """Return the batches of `Floor.rounds`, for a plain `for`."""
        self._reading.begin(events=False, known=known, forgotten=forgotten, together=together)
        return PlainBatches(self)

    def messages(
        self, known: Iterable[bytes] = (), *, forgotten: Iterable[tuple[str, str]] = (), together: bool = False
    ) -> "PlainBatches":
        """Return the batches of `Floor.messages`, for a plain `for`."""
        self._reading.begin(events=True, known=known, forgotten=forgotten, together=together)
        return PlainBatches(self)

    def table(self, name: str, *, answer_s: float = ANSWER_S, on_behalf_of: str = "") -> Orders[Answer]:
        """Return the orders to a table, as methods that return its `Answer`. They raise NoAnswer after `answer_s`
        seconds.

        Arguments and repeats: as for `Floor.table`.
        """
        return Orders(lambda order: self._give(name, order, answer_s, on_behalf_of))

    def _give(self, table: str, order: Order, answer_s: float, person: str) -> Answer:
        answers: SimpleQueue[Answer] = SimpleQueue()
        id, end = self._sender.begin(answers.put), monotonic() + answer_s
        try:
            while (left := end - monotonic()) > 0:
                with suppress(Empty):
                    return answers.get(timeout=min(left, self._sender.send(table, order, id, person)))
            raise no_answer(table, order, id, answer_s)
        finally:
            self._sender.end(id)

    def _wake(self) -> None:
        self._news.set()


class PlainBatches:
    """The batches of a `PlainFloor`, until it is closed."""

    def __init__(self, floor: PlainFloor) -> None:
        self._floor = floor

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> PlainBatch:
        """Return the next batch. A batch before it that was not stored comes again. Raises FloorError."""
        reading, news = self._floor._reading, self._floor._news
        while not reading.is_closed:
            news.clear()
            if items := reading.step():
                return PlainBatch(reading, items)
            news.wait(reading.left())
        raise StopIteration


class Reading:
    """Reads the tables below `prefix` of a broker, in one thread. wake: called from another one when there is news."""

    def __init__(
        self,
        address: Address,
        prefix: str,
        wait_s: float,
        wake: Callable[[], None],
        keys: RoundKeys | None,
        gate: Gate | None = None,
    ) -> None:
        self.is_closed = False
        self.session = Session(address, wake)
        self._prefix, self._begun, self._together = prefix, False, False
        self._batches = Batches(address.by, wait_s, keys, is_gated=gate is not None)
        self._gate = gate
        self._out: dict[str, list[Item]] = {}
        self._connects = 0

    def begin(
        self, *, events: bool, known: Iterable[bytes], forgotten: Iterable[tuple[str, str]], together: bool
    ) -> None:
        """Start the stream of rounds, or of events too; or continue it. Raises FloorInUse for the other stream."""
        self._together = together
        if not self._begun:
            self._begun, self._batches.events = True, events
            self._batches.load(known, forgotten, monotonic())
            reads_events = 1 if events or self._gate else None
            topics = {
                "round": 1,
                "event": reads_events,
                "status": 1,
                "reply": 0,
                "witnessed": 1 if self._gate else None,
            }
            self.session.read({f"{self._prefix}/+/{name}": qos for name, qos in topics.items()})
        elif self._batches.events != events:
            raise FloorInUse("this floor already reads its other stream", "make a second floor, with another name")

    def step(self) -> dict[str, list[Item]]:
        """Do what is due; return the items of the next batch by table, {} if nothing waits.

        Raises FloorError once for each refusal of the broker.
        """
        error, self.session.error = self.session.error, None
        if error is not None:
            raise error
        now = monotonic()
        self._batches.failed(self._out, now)
        if self._connects != self.session.connects:
            self._connects = self.session.connects
            self._batches.connected()
        self._receive(now)
        orders = [*self._gate.pass_on(self._batches, now)] if self._gate else []
        while self._gate and self._gate.remarks:
            self.session.remark(self._gate.remarks.popleft())
        for ask in (*orders, *self._batches.due_orders(now)):
            self.session.publish(f"{self._prefix}/{ask.table}/command", command(ask.order, ask.id))
        self._publish_stored()
        self._out = self._batches.batch(now, MOST, together=self._together)
        return self._out

    def stored(self, items: dict[str, list[Item]]) -> None:
        """Mark the current batch as committed. Raises NotThisBatch for another one."""
        if self._out is not items:
            raise NotThisBatch("this batch is no longer current, it comes again", "call stored() once, inside the loop")
        self._out = {}
        self._batches.stored(items)
        self._publish_stored()

    def left(self) -> float | None:
        """Return the seconds until something is due even if nothing comes; None for never."""
        ats = [self._batches.next_at(), self._gate.next_at() if self._gate else None]
        at = min((each for each in ats if each is not None), default=None)
        return None if at is None else max(0.0, at - monotonic())

    def close(self) -> None:
        """Disconnect; the broker keeps the session."""
        self.is_closed = True
        self.session.close()

    def _receive(self, now: float) -> None:
        while self.session.incoming:
            message = self.session.incoming.popleft()
            payload, ticket = message.payload, message.ticket
            table, _, name = message.topic.removeprefix(f"{self._prefix}/").rpartition("/")
            if self._gate and name in ("event", "round", "witnessed"):
                self._gate.handle(table, name, payload, now)
            elif name == "round" or (name == "event" and self._batches.events):
                self._batches.handle(table, "event" if name == "event" else "round", payload, ticket, now)
                continue
            elif name == "status":
                self._batches.status(table, payload, now)
            elif name == "reply":
                self._batches.answer(payload)
            self._batches.done += [ticket] if ticket else []

    def proofs(self, items: dict[str, list[Item]]) -> dict[str, str]:
        """Return table -> the proof of the last entry that was given, where nothing of it waits behind these items."""
        return self._gate.proofs(items, self._batches) if self._gate and self._out is items else {}

    def forgotten(self, items: dict[str, list[Item]]) -> tuple[tuple[str, str], ...]:
        """Return the journals that were forgotten up to the current batch."""
        return tuple(self._batches.forgotten) if self._out is items else ()

    def _publish_stored(self) -> None:
        for table, stored in self._batches.due_reports():
            self.session.publish(f"{self._prefix}/{table}/stored", msgspec.json.encode(stored))
        self.session.done(self._batches.done)
        self._batches.done.clear()
