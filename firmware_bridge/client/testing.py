"""A fake table for the tests of a backend: rounds with chosen faults, into a function or at a broker."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from threading import RLock
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Raw

from firmware_bridge.client.heads import Part, public_bytes, round_of
from firmware_bridge.facts import events
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.events_of_cards import Event
from firmware_bridge.facts.inputs import Follows
from firmware_bridge.facts.orders import CLAIMS, Answer, Resend
from firmware_bridge.facts.wire import VERSION, EntryHead, StateHead, Stored, joined
from firmware_bridge.facts.wire_states import NO_RECORD, Record, Status
from firmware_bridge.record.envelope import content
from firmware_bridge.record.signer import NoSigner, checkpoint_text, signed_note, signed_round, signer
from firmware_bridge.record.verify import FIRST_HEAD, SIGNED_KINDS, grow, leaf_hash, root_of

Fault = Literal["repeat", "gap", "conflict", "reorder", "restart", "void", "correct"]
"""What goes wrong with a round. repeat: it comes twice. gap: only when asked for. conflict: again with other bytes.
reorder: after the next one. restart: the table restarts after it. void: it is voided. correct: it is corrected."""

AT: Final = "2026-11-20T21:33:05.123Z"

FakeGame = Literal["baccarat", "blackjack"]
"""Game of the rounds: nets per unit staked (`unit` is `stake`), or of two seats in money."""


class _Result(NamedTuple):
    outcome: str
    bets: dict[str, events.Net]
    stakes: dict[str, events.Stake]


def _in_money(outcome: str, **seats: tuple[str, str]) -> _Result:
    """Return a result in money. seats: what each put in, and its net."""
    return _Result(outcome, {seat: net for seat, (_, net) in seats.items()}, dict(seats))


UNITS: Final[dict[FakeGame, events.Unit]] = {"baccarat": "stake", "blackjack": "money"}

RESULTS: Final[dict[FakeGame, tuple[_Result, ...]]] = {
    "baccarat": (
        _Result("banker", {"player": -1, "banker": 0.95, "tie": -1}, {}),
        _Result("player", {"player": 1, "banker": -1, "tie": -1}, {}),
        _Result("tie", {"player": 0, "banker": 0, "tie": 8}, {}),
    ),
    "blackjack": (
        _in_money("dealer_bust", S1=("240", "240"), S3=("12.5", "18.75")),
        _in_money("dealer", S1=("100", "-100"), S3=("12.5", "-12.5")),
    ),
}
"""Results of the rounds, in turn."""


SEED: Final = sha256(b"the key of a fake table, for tests alone").digest()
"""The secret half of the key that signs by default: everybody knows it."""


class FakeTable:
    """A table that closes rounds of two entries, passes them to `send` (topic, payload), and obeys `resend`.

    It has no `[[orders]]`: like such a table it takes what is in an envelope, and verifies no signature.

    Like a real table it journals its answer to an order, so each order makes an entry. Messages are those of a real
    table without cards and hands; outcomes take turns, and a correction has another one. `sent`: (topic, payload) of
    each message of the journals once, in order.

    It signs its record as a real table does, where PyNaCl is installed. seed: the secret half of its key (32 bytes),
    None for a table without a key. birth: which of its records it is. key: the public half (vkey), "" without one.
    """

    def __init__(
        self,
        send: Callable[[str, bytes], None],
        table: str = "T07",
        *,
        prefix: str = "shoe",
        game: FakeGame = "baccarat",
        seed: bytes | None = SEED,
        birth: str = "00000000",
    ) -> None:
        self._game = game
        self.origin = f"shoe.invalid/{table}/{birth}"
        try:
            self._signer = signer(self.origin, seed) if seed else None
        except NoSigner:
            self._signer = None
        self.key = self._signer.key.vkey if self._signer else ""
        self._chain, self._size, self._edge = FIRST_HEAD, 0, list[bytes]()
        self.table, self.shoe, self.boots = table, 1, 1
        self.sent: list[tuple[str, bytes]] = []
        self.stored: list[Stored] = []
        self.orders: list[dict[str, Any]] = []
        self._send, self._prefix, self._lock = send, prefix, RLock()
        self._round = self._seq = 0
        self._prev: events.EntryName | None = None
        self._kept: dict[events.EntryName, list[tuple[str, bytes]]] = {}
        self._held: list[tuple[str, bytes]] = []
        self._used: dict[str, Answer] = {}

    @property
    def journal(self) -> str:
        """The journal of the present shoe."""
        return f"{self.shoe}-fake"

    @property
    def rounds(self) -> list[bytes]:
        """Every message of the topic `round` of the journals, in order."""
        return [payload for topic, payload in self.sent if topic == "round"]

    def play(self, rounds: int, faults: Mapping[int, Fault] | None = None) -> None:
        """Play rounds. faults: number -> fault, counted from 1 in each call."""
        for number in range(1, rounds + 1):
            self.round((faults or {}).get(number))

    def round(self, fault: Fault | None = None) -> None:
        """Play one round."""
        with self._lock:
            held, self._held = self._held, []
            messages = self._entry(events.BetsClosed(round=self._round + 1))
            self._round += 1
            messages += self._entry(self._voided() if fault == "void" else self._closed())
            if fault == "reorder":
                self._held = messages
            elif fault != "gap":
                self._publish(messages)
            self._publish(held)
            if fault == "repeat":
                self._publish(messages)
            elif fault == "conflict":
                self._publish(
                    [(topic, payload.replace(b'"last":false', b'"last":true')) for topic, payload in messages[-1:]]
                )
            elif fault == "correct":
                self._publish(self._entry(self._corrected()))
            elif fault == "restart":
                self.restart()

    def new_shoe(self, *, lost: bool = False) -> None:
        """End this shoe, and begin the journal of the next. lost: the event that ends it is not sent."""
        with self._lock:
            messages = self._entry(events.ShoeEnded(code="closed", values={"by": "floor"}, rounds=self._round))
            self._publish([] if lost else messages)
            self.shoe, self._seq, self._round = self.shoe + 1, 0, 0

    def restart(self) -> None:
        """Restart as after a power cut: another `boot`, the same journal, the last entry once more."""
        with self._lock:
            self.boots += 1
            self.status()
            self._publish(self._kept.get(events.EntryName(self.journal, self._seq), []))

    def status(self) -> None:
        """Publish the topic `status`."""
        with self._lock:
            head = StateHead(VERSION, self.table, self.shoe, self.journal, self._seq, AT, f"boot{self.boots}")
            body = Status(
                "online", "0", "unknown", self._seq + 1, "normal", "synchronised", self.boots, record=self._record
            )
            self._send(f"{self._prefix}/{self.table}/status", joined(head, body))

    def handle(self, topic: str, payload: bytes) -> None:
        """Handle a backend's message: an order, which is answered, or a `stored`."""
        with self._lock:
            if topic.endswith("/stored"):
                self.stored.append(from_json(content(payload), Stored))
            elif topic.endswith("/command"):
                order = from_json(content(payload))
                order = {name: value for name, value in order.items() if name not in CLAIMS}
                answer = self._used.get(order["id"])
                if answer is None:
                    answer = self._used[order["id"]] = self._execute(order)
                    self._publish(self._entry(events.CommandAnswered(answer=answer, by="backend")))
                    self.status()
                self._send(f"{self._prefix}/{self.table}/reply", msgspec.json.encode(answer))

    def forget(self, journal: str) -> None:
        """Lose a journal, so that it cannot be sent again."""
        with self._lock:
            self._kept = {entry: messages for entry, messages in self._kept.items() if entry.journal != journal}

    def _execute(self, order: dict[str, Any]) -> Answer:
        self.orders.append(order)
        id, do = order["id"], order["do"]
        if do != "resend":
            return Answer(True, id, do)
        part = msgspec.convert({key: value for key, value in order.items() if key != "id"}, Resend)
        entries = [entry for entry in self._kept if part.since or entry.journal == part.journal]
        if not entries:
            return Answer(False, id, do, f"journal {part.journal} is not on this disk", "see `shoe journal list`")
        for entry in entries:
            if (part.start or 1) <= entry.seq <= (part.to or entry.seq):
                self._publish(self._kept[entry])
        return Answer(True, id, do)

    @property
    def _record(self) -> Record:
        if self._signer is None or not self._size:
            return NO_RECORD
        return Record(self.origin, self._size, self.key, signed=True, witnessed=0)

    def _entry(self, *written: Event) -> list[tuple[str, bytes]]:
        """Write an entry; return its messages. The first entry begins the record."""
        begins = self._signer is not None and not self._size
        if begins:
            follows = Follows(None, 0, self._chain, 0)
            written += (events.RecordBegun(origin=self.origin, key=self.key, follows=follows),)
        self._seq += 1
        head = EntryHead(VERSION, self.table, self.shoe, self.journal, self._seq, AT, f"boot{self.boots}")
        begin, of = msgspec.json.encode(head)[:-1], len(written)
        sealed = sha256(begin).hexdigest()
        raws = [(msgspec.json.encode(each), type(each).__name__) for each in written]
        parts = [Part(begin, "", n, of, "", "", *raw) for n, raw in enumerate(raws, 1)]
        self._chain = sha256(self._chain.encode() + sealed.encode() + public_bytes(parts)).hexdigest()
        messages = list[tuple[str, bytes]]()
        note = self._signed({each.kind for each in parts})
        for each in (part._replace(head=self._chain) for part in parts):
            start = b'%b,"head":"%b","n":%d,"of":%d,' % (begin, self._chain.encode(), each.n, of)
            proof = b""
            if each.n == of:
                proof = b'"sealed":"%b",' % sealed.encode()
                proof += b'"checkpoint":%b,' % msgspec.json.encode(note) if note else b""
            messages.append(("event", b'%b%b"event":%b}' % (start, proof, each.raw)))
            if payload := round_of(each):
                sig = b',"sig":"%b"' % signed_round(self._signer, payload).encode() if self._signer else b""
                messages.append(("round", payload[:-1] + sig + b"}"))
                self._prev = events.EntryName(self.journal, self._seq)
        self._kept[events.EntryName(self.journal, self._seq)] = messages
        self.sent += messages
        return messages

    def _signed(self, kinds: set[str]) -> str:
        """Add the entry to the tree; return its checkpoint, "" for none."""
        if self._signer is None:
            return ""
        grow(self._edge, self._size, leaf_hash(bytes.fromhex(self._chain)))
        self._size += 1
        if not kinds & SIGNED_KINDS:
            return ""
        return signed_note(checkpoint_text(self.origin, self._size, root_of(self._edge)), [self._signer])

    def _publish(self, messages: list[tuple[str, bytes]]) -> None:
        for topic, payload in messages:
            self._send(f"{self._prefix}/{self.table}/{topic}", payload)

    def _closed(self) -> events.RoundClosed:
        return events.RoundClosed(**self._result(self._round - 1), own=Raw(b"{}"))

    def _corrected(self) -> events.RoundCorrected:
        """Return a correction of the round, with the result of the next one."""
        return events.RoundCorrected(
            **self._result(self._round), revision=1, corrects=self._seq, by="floor", own=Raw(b"{}")
        )

    def _voided(self) -> events.RoundVoided:
        stakes: dict[str, events.Stake] = {
            seat: (staked, "0") for seat, (staked, _) in RESULTS[self._game][0].stakes.items()
        }
        return events.RoundVoided(
            game=self._game, round=self._round, cards=(), why=("misdeal",),
            reasons=(events.Reason("floor", {"says": "misdeal", "by": "floor"}),), by="floor", last=False,
            prev=self._prev, unit=UNITS[self._game], stakes=stakes,
        )  # fmt: skip

    def _result(self, number: int) -> dict[str, Any]:
        results = RESULTS[self._game]
        outcome, bets, stakes = results[number % len(results)]
        return {
            "game": self._game, "round": self._round, "cards": (), "hands": Raw(b"{}"), "outcome": outcome,
            "unit": UNITS[self._game], "bets": bets, "stakes": stakes, "carried": 0,
            "last": False, "flags": (), "why": (outcome,), "prev": self._prev,
        }  # fmt: skip


@contextmanager
def fake_table(
    table: str = "T07",
    *,
    host: str = "127.0.0.1",
    port: int = 1883,
    prefix: str = "shoe",
    game: FakeGame = "baccarat",
    seed: bytes | None = SEED,
) -> Iterator[FakeTable]:
    """Run a `FakeTable` at a broker: it publishes its messages there, and obeys orders."""
    from firmware_bridge.client.broker import Address, Session  # a table without a broker needs no asyncio

    def handle_incoming() -> None:
        while session.incoming:
            message = session.incoming.popleft()
            fake.handle(message.topic, message.payload)
            session.done([message.ticket] if message.ticket else [])

    session = Session(Address(f"fake-{table}", host, port), handle_incoming)

    def send(topic: str, payload: bytes) -> None:
        session.publish(topic, payload, retain=topic.endswith("/status"))

    fake = FakeTable(send, table, prefix=prefix, game=game, seed=seed)
    session.read({f"{prefix}/{table}/{name}": 1 for name in ("command", "stored")})
    fake.status()
    try:
        yield fake
    finally:
        session.close()
