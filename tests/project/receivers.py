"""What takes bytes from outside, in all programs: what each is given, and the errors that it documents."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from firmware_bridge.cli.config import secrets_of
from firmware_bridge.cli.journal.show import lines_of
from firmware_bridge.cli.retire import is_online
from firmware_bridge.cli.roads import configured
from firmware_bridge.cli.tls import with_keys
from firmware_bridge.client.batches import Batches
from firmware_bridge.client.broker import Address, Session
from firmware_bridge.client.entry import begun_in
from firmware_bridge.client.follower import Follower
from firmware_bridge.client.heads import part, signed_part
from firmware_bridge.client.orders import Sender
from firmware_bridge.client.payload import event_message, fingerprint, round_message, state
from firmware_bridge.client.round_keys import RoundKeys
from firmware_bridge.config import calibration
from firmware_bridge.config.load import load as load_config
from firmware_bridge.daemon.bridge import CLIENT_NAME, _client_name
from firmware_bridge.daemon.delivery.forged_messages import ForgedMessages
from firmware_bridge.daemon.delivery.store import NotStored, Store
from firmware_bridge.daemon.devices import code_books, health
from firmware_bridge.daemon.devices.leased import LEFT_BEHIND, LeftBehind, left_in
from firmware_bridge.daemon.table.command import NotAnOrder
from firmware_bridge.daemon.table.command import parse as parse_order
from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.daemon.table.uplink import DuplicateTableId
from firmware_bridge.demo.round_player import answer as played
from firmware_bridge.demo.script import parse as parse_script
from firmware_bridge.errors import BridgeError, JournalError
from firmware_bridge.facts import orders, wire_states
from firmware_bridge.facts.decoding import Undecodable, text_of
from firmware_bridge.floor.acl import read_passwords
from firmware_bridge.floor.config import load as load_floor
from firmware_bridge.floor.facts.made import facts_of
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.page import addresses, people
from firmware_bridge.floor.page.backfill import RoundBackfill
from firmware_bridge.floor.page.guest.fold import Guests
from firmware_bridge.floor.page.guest.house import read_house
from firmware_bridge.floor.page.order_log import OrderLog
from firmware_bridge.floor.page.state import DoneAtTables, Floor
from firmware_bridge.floor.page.taken import Taken, Takings
from firmware_bridge.floor.record.message import Key, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store.blocks import unpacked
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.witness import config as witness_config
from firmware_bridge.floor.witness.request import body_of
from firmware_bridge.floor.witness.request import parse as parse_request
from firmware_bridge.journal.audit import Audit
from firmware_bridge.journal.cursor import Crashes, CursorFile
from firmware_bridge.journal.line import FIRST_CHAIN, FORMAT, chained, without_sealed
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.record_tiles import RecordTiles, leaves_of
from firmware_bridge.mqtt.certificates import validity
from firmware_bridge.record import release
from firmware_bridge.record.envelope import NotAnEnvelope, content, opened
from firmware_bridge.record.signer import signer
from firmware_bridge.record.verify import Refused, parse_policy
from tests.floor.odd import states
from tests.floor.odd_readers import Said, empty_store
from tests.kit.rubbish import examples


class Receiver(NamedTuple):
    """What takes bytes from outside. made: gives it, for a folder of its own. raises: what it documents."""

    seeds: tuple[bytes, ...]
    made: Callable[[Path], Callable[[bytes], object]]
    raises: tuple[type[Exception], ...] = ()


EVENTS, ROUNDS = examples()["event"], examples()["round"]
STATES: Final = {topic: json.dumps(body).encode() for topic, body in states().items()}
REPLIES, STORED, NOTE = examples()["reply"], examples()["stored"], examples()["witnessed"]
COMMANDS: Final = examples()["command"]
ENVELOPE: Final = json.dumps({"key": "cage", "order": '{"do":"next"}', "sig": "A" * 86 + "=="}).encode()
VKEY: Final = signer("example.com/witness", bytes(32)).key.vkey.encode()
POLICY: Final = b"log " + VKEY + b"\nquorum none\n"
PEM: Final = b"-----BEGIN CERTIFICATE-----\nMAUwAzABAg==\n-----END CERTIFICATE-----\n"
CONFIG: Final = b"""\
[table]
id = "T07"
decks = 8
[reader]
protocol = "native"
port = "/dev/ttyACM0"
baud = 115200
[limits]
high = 100
banker = { min = 10, max = 5000.5 }
[mqtt]
host = "broker"
port = 8883
commands = ["next"]
[pins]
factory = "mock"
[roads]
split_by = "none"
"""
FLOOR: Final = b"""\
[mqtt]
host = "broker"
root = "shoe"
[store]
path = "floor.db"
[page]
port = 8080
[[witness]]
vkey = "w"
url = "https://w1.example.com/"
[tables]
T07 = { events = 100 }
"""


def public_of(message: bytes) -> bytes:
    """The public part of a line with one event, as its message says it."""
    given = json.loads(message)
    head = {name: given[name] for name in ("v", "table", "shoe", "journal")} | {"seq": 1}
    line = head | {name: given[name] for name in ("at", "boot")} | {"events": [given["event"]]}
    return json.dumps(line, separators=(",", ":")).encode()


PUBLIC: Final = tuple(map(public_of, EVENTS))


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[Path], Callable[[bytes], object]]:
    """A receiver that reads a file of this name. read: called with its path."""

    def made(folder: Path) -> Callable[[bytes], object]:
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)

        def taken(content: bytes) -> object:
            path.write_bytes(content)
            return read(path)

        return taken

    return made


def on_each(topics: Iterator[str] | tuple[str, ...], take: Callable[[str, bytes], object]) -> Callable[[bytes], object]:
    """A receiver of these topics of a table."""
    names = tuple(topics)
    return lambda payload: [take(f"shoe/T07/{name}", payload) for name in names]


def page(_: Path) -> Callable[[bytes], object]:
    floor, guests, done, log = Floor("shoe"), Guests("shoe"), DoneAtTables("shoe"), OrderLog()
    past = RoundBackfill("shoe", Asked(None, 1.0))  # type: ignore[arg-type]  # no store is opened

    def take(topic: str, payload: bytes) -> None:
        floor.handle(topic, payload, False, 1)
        floor.recall(topic, payload)
        guests.handle(topic, payload)
        done.handle(topic, payload)
        log.handle("T07", payload)
        past.note([Delivery(topic, payload)])

    return on_each(("status", "table", "alarm", "lamps", "health", "roads", "round", "event"), take)


def metrics(_: Path) -> Callable[[bytes], object]:
    tables = Tables("shoe")
    return on_each(
        ("status", "table", "alarm", "health", "round"), lambda topic, body: tables.handle([Delivery(topic, body)])
    )


def backend(_: Path) -> Callable[[bytes], object]:
    made = Batches("ledger", 1.0)
    made.events = True

    def take(payload: bytes) -> None:
        made.handle("T07", "event", payload, None, 0.0)
        made.handle("T07", "round", payload, None, 0.0)
        made.status("T07", payload, 0.0)
        made.answer(payload)
        while batch := made.batch(0.0, 500, together=False):
            made.stored(batch)

    return take


class Unconnected(Session):
    """A session that never reads."""

    def read(self, topics: dict[str, int | None]) -> None: ...


def sender(_: Path) -> Callable[[bytes], object]:
    session = Unconnected(Address("ledger"), lambda: None)
    made = Sender(session, "shoe")
    made.begin(lambda answer: None)

    def take(payload: bytes) -> None:
        session.answered("shoe/T07/reply", payload)
        made._heard("shoe/T07/table", payload)

    return take


def ingest(_: Path) -> Callable[[bytes], object]:
    store = empty_store()
    made = Ingest(store.__enter__(), Said(), clock=lambda: 0.0, names=Names(b"k" * 32))
    topics = ("event", "round", "status", "health", "alarm", "reply")
    waiting: list[Delivery] = []

    def take(payload: bytes) -> None:
        waiting.extend(Delivery(f"shoe/T07/{each}", payload) for each in topics)
        if len(waiting) > 300:
            made.save(waiting)
            waiting.clear()

    take.close = lambda: (made.save(waiting), store.__exit__(None, None, None))  # type: ignore[attr-defined]
    return take


def facts(_: Path) -> Callable[[bytes], object]:
    def take(payload: bytes) -> None:
        for topic in ("event", "round"):
            try:
                found = row(topic, "T07", payload, "2026-11-20T20:45:12.000Z")
            except BridgeError:
                continue
            facts_of([found])

    return take


def store_watch(folder: Path) -> Callable[[bytes], object]:
    return Store(folder, "store").receive


def foreign(folder: Path) -> Callable[[bytes], object]:
    made = ForgedMessages(folder, lambda entry, count: None)

    def take(payload: bytes) -> None:
        made._second, made._looked = 0, 0
        made.heard("event", payload)

    return take


def follower(_: Path) -> Callable[[bytes], object]:
    made = Follower("T07", parse_policy(POLICY.decode()))

    def take(payload: bytes) -> None:
        made.add("event", payload)
        made.add("round", payload)
        signed_part(payload)
        if found := part(payload):
            found.kind.encode()
        begun_in(payload)

    return take


def of_order(payload: bytes) -> object:
    fields = parse_order(payload)
    return order_of(fields, orders.LOCAL), order_of(fields, orders.ALL)


def journal(read: Callable[[Path], object]) -> Callable[[Path], Callable[[bytes], object]]:
    """An export of one line with this public part, every hash in it right. read: called with its path."""
    sealed = "0" * 64

    def made(folder: Path) -> Callable[[bytes], object]:
        path = folder / "00000001-fd0fe62cd20e.journal"

        def take(public: bytes) -> object:
            chain = chained(FIRST_CHAIN, sealed, public)
            body = b"%b\t%b\t%b\t" % (chain.encode(), public, sealed.encode())
            path.write_bytes(b"%b\t%08x\t%b\n" % (b"%d" % FORMAT, crc32(body, crc32(b"%d" % FORMAT)), body))
            return read(path)

        return take

    return made


def published(path: Path) -> object:
    return [(messages(line), lines_of(line.public), without_sealed(line)) for line, _ in read_lines(Place(path, 0))]


def left_over(path: Path) -> object:
    """What a start reads in the folder of the journal, beside the journal."""
    folder = path.parent
    file = CursorFile(folder / "cursor")
    file.close()
    Crashes(folder).too_many()
    left_in(folder)
    health._past(folder / health.FILE)
    _client_name(folder)
    return file.value


def cursor(folder: Path) -> Callable[[bytes], object]:
    """A slot with the right checksum, and one as it is."""

    def take(text: bytes) -> object:
        (folder / "cursor").write_bytes((b"%b %08x\n" % (text, crc32(text))).ljust(512, b"\0") + text[:512])
        return left_over(folder / "cursor")

    return take


def tiles(folder: Path) -> Callable[[bytes], object]:
    made = RecordTiles(folder)
    (folder / "tree").mkdir()

    def take(content: bytes) -> None:
        for each in folder.glob("tree-*"):
            rmtree(each)
        (folder / "tree" / "origin").write_bytes(content)
        made._take_up("shoe.invalid/a/5c1e8a02", [])

    return take


SENT: Final[dict[str, Receiver]] = {
    # topics, at a table
    "status of another table": Receiver(
        examples()["status"], lambda _: lambda body: DuplicateTableId("T07", "b").is_ours(body, 1)
    ),
    "stored": Receiver(STORED, store_watch, (NotStored,)),
    "event in our name": Receiver(EVENTS, foreign),
    "command": Receiver(COMMANDS, lambda _: of_order, (NotAnOrder,)),
    "envelope": Receiver((ENVELOPE,), lambda _: opened, (NotAnEnvelope,)),
    "content of an envelope": Receiver((ENVELOPE,), lambda _: content),
    # topics, elsewhere
    "page": Receiver((*STATES.values(), *ROUNDS, *EVENTS), page),
    "metrics": Receiver((*STATES.values(), *ROUNDS), metrics),
    "backend": Receiver((*EVENTS, *ROUNDS, *REPLIES, STATES["status"]), backend),
    "sender": Receiver((*REPLIES, *examples()["table"]), sender),
    "follower": Receiver((*EVENTS, *ROUNDS), follower),
    "ingest": Receiver((*EVENTS, *ROUNDS, *REPLIES, *STATES.values()), ingest),
    "facts": Receiver((*EVENTS, *ROUNDS), facts),
    "retire": Receiver(examples()["status"], lambda _: is_online),
    "event_message": Receiver(EVENTS, lambda _: event_message, (BridgeError,)),
    "round_message": Receiver(ROUNDS, lambda _: round_message, (BridgeError,)),
    "state": Receiver(tuple(STATES.values()), lambda _: lambda body: state(body, wire_states.Status), (BridgeError,)),
    "fingerprint": Receiver(EVENTS, lambda _: fingerprint, (Undecodable,)),
    # requests
    "witness": Receiver((body_of(0, [], NOTE[0].decode()),), lambda _: parse_request, (Refused,)),
}
"""What is sent by topics and in requests."""

FILES: Final[dict[str, Receiver]] = {
    # of people
    "bridge.toml": Receiver((CONFIG,), in_file("bridge.toml", load_config), (BridgeError,)),
    "bridge.toml, its secrets": Receiver((CONFIG,), in_file("bridge.toml", secrets_of)),
    "bridge.toml, its roads": Receiver((CONFIG,), in_file("bridge.toml", configured), (BridgeError,)),
    "bridge.toml, new keys": Receiver(
        (CONFIG,), lambda _: lambda body: with_keys(text_of(body), {"host": "b"}), (BridgeError,)
    ),
    "floor.toml": Receiver((FLOOR,), in_file("floor.toml", load_floor), (BridgeError,)),
    "witness.toml": Receiver((FLOOR,), in_file("witness.toml", witness_config.load), (BridgeError,)),
    "house.toml": Receiver(
        (b'ground = "#0b1016"\n',), in_file("colours.toml", lambda path: read_house(str(path.parent))), (BridgeError,)
    ),
    "calibration.toml": Receiver(
        (b'[reader]\nat = "x"\nby = "TOM"\n',), in_file("calibration.toml", calibration.load), (BridgeError,)
    ),
    "code book": Receiver(
        (b"code,card\n01,As\n02,Kh\n",), in_file("book.csv", lambda path: code_books.load(path, 8)), (BridgeError,)
    ),
    "code book in TOML": Receiver(
        (b'"01" = "As"\n"02" = { card = "Kh", serial = "1" }\n',),
        in_file("book.toml", lambda path: code_books.load(path, 8)),
        (BridgeError,),
    ),
    "policy": Receiver((POLICY,), in_file("policy", RoundKeys), (BridgeError,)),
    "passwords": Receiver((b"a:b\nc:d\n",), in_file("passwords", read_passwords), (BridgeError,)),
    "certificate": Receiver((PEM,), lambda _: lambda body: validity(text_of(body, "ascii")), (ValueError,)),
    "deal script": Receiver(
        (b"!open-shoe\nAs Kh 3d\n!void why\n",), lambda _: lambda body: parse_script(text_of(body)), (BridgeError,)
    ),
    "given rounds": Receiver(
        (b'{"type":"round","moves":["As","Kh","3d","4c"],"bets":{"player":10}}',),
        lambda _: lambda body: played("baccarat", body),
        (BridgeError,),
    ),
    "SHA256SUMS": Receiver(
        (b"# shoe 0.1.0 1 all\n" + b"0" * 64 + b"  a\n",),
        lambda _: lambda body: release.verified_sums(body, NOTE[0], ()),
        (Refused,),
    ),
    "SHA256SUMS, its note": Receiver(NOTE, lambda _: lambda body: release.verified_sums(b"", body, ()), (Refused,)),
    # of our own
    "people": Receiver(
        (b'[{"name":"ANNA","role":"look","salt":"AAAA","hashed":"AAAA"}]',),
        in_file("people", people._read),
        (BridgeError,),
    ),
    "addresses": Receiver((b'[{"table":"T07","secret":"s"}]',), in_file("addresses", addresses._read), (BridgeError,)),
    "taken": Receiver(
        (msgspec.json.encode(Taken(1, "T07", "unreadable", 1, "ANNA", "ANNA")) + b"\n",),
        in_file("taken", lambda path: Takings(path).refresh()),
    ),
    "block": Receiver(
        (lzma.compress(b"\x91"),), lambda _: lambda body: unpacked(Key("T07", "1-a"), body, b""), (BridgeError,)
    ),
    "cursor": Receiver((b"1 1-fd0fe62cd20e 17",), cursor),
    "crashes": Receiver((b"0.1.0 0123456789abcdef\n",), in_file("crashes", left_over)),
    "test cards": Receiver((msgspec.json.encode(LeftBehind(None, 1, "TOM")),), in_file(LEFT_BEHIND, left_over)),
    "read qualities": Receiver((b'{"shoes":[0.5,0.6]}',), in_file(health.FILE, left_over)),
    "client name": Receiver((b"0123abcd",), in_file(CLIENT_NAME, left_over)),
    "tree/origin": Receiver((b"shoe.invalid/10000000a1b2c3d4/5c1e8a02\n",), tiles),
    "journal, published": Receiver(PUBLIC, journal(published), (JournalError,)),
    "journal, verified": Receiver(
        PUBLIC, journal(lambda path: Audit(path.parent, whole=True).verify(path)), (JournalError,)
    ),
    "journal, its leaves": Receiver(PUBLIC, journal(lambda path: list(leaves_of(path))), (JournalError,)),
}
