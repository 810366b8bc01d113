"""Shows the records of enrolled tables to witnesses, in a thread of the ingest with its own connection to the store."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import now
from firmware_bridge.floor.record.state import NO_LIMIT, Incident, Log, TrustedKey
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.cosigned import Cosignature, Witnessed
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.floor.verified import quorum
from firmware_bridge.floor.verified.feeder import Feeder, Met, Split
from firmware_bridge.floor.verified.proofs import KEPT_LEAVES
from firmware_bridge.floor.verified.witnesses import Client, Feeding
from firmware_bridge.record.verify import Key, leaf_hash, parse_vkey

log = logging.getLogger(__name__)

TURN_S: Final = 0.5
"""Time between two looks for new checkpoints and answers."""

AGAIN_S: Final = 10.0
"""Wait after the store failed."""

CLOSE_S: Final = 10.0


FETCHED: Final = 1_024
"""Leaves of one fetch: a proof takes some seven ranges near the end of its log, and each witness is sent the same."""


class StoredLeaves:
    """The leaves of the records in a store, up to the sizes that were read last; those fetched last are kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sizes: dict[str, int] = {}
        self.forget()

    def forget(self) -> None:
        """Fetch again whatever is asked for next."""
        self._origin, self._first, self._fetched = "", 0, list[bytes]()

    def size(self, origin: str) -> int:
        """Return the number of leaves of a log that are there without a gap; 0 for an unknown log."""
        return self.sizes.get(origin, 0)

    def leaves(self, origin: str, first: int, end: int) -> Sequence[bytes]:
        """Return the leaf hashes of a log, from index `first` up to but without `end`."""
        if origin != self._origin or not self._first <= first <= end <= self._first + len(self._fetched):
            begin = first - first % KEPT_LEAVES
            most = max(end - begin, min(FETCHED, self.size(origin) - begin))
            found = self._store.some_leaves(origin, begin, most)
            self._origin, self._first = origin, begin
            self._fetched = [leaf_hash(bytes.fromhex(each.head)) for each in found]
        return self._fetched[first - self._first : end - self._first]


class Witnessing:
    """Feeds the witnesses of `floor.toml` from a store, and keeps what they answer. The caller closes store and client.

    Each call of `turn` returns what to publish: table, and the note that a quorum cosigned. clock: RFC 3339, ms, UTC.
    """

    def __init__(self, config: FloorConfig, store: Store, client: Client, clock: Callable[[], str] = now) -> None:
        self._store, self._clock = store, clock
        self._leaves = StoredLeaves(store)
        witnesses = quorum.fed(config)
        self._feeder = Feeder(
            quorum.policy(config), [each.key for each in witnesses], self._leaves, float(config.record.every)
        )
        self._feeding = Feeding(
            self._feeder, client, witnesses, self._leaves, self._keys_of, float(config.record.compare)
        )
        self._tables: dict[str, str] = {}
        self._keys: dict[str, list[Key]] = {}
        newest = store.newest_witnessed()
        self._feeder.remember(store.cosignatures(), [(each.origin, each.size) for each in newest])
        self._before = {each.origin: each for each in newest}
        self._since: dict[str, list[tuple[int, str]]] = {}
        self._first = [(each.origin, each.note) for each in newest]

    def turn(self, now_s: float) -> list[tuple[str, str]]:
        """Send what is due, and keep what came. now_s: seconds of a monotonic clock. Raises StoreError."""
        self._read()
        publish = [(self._tables[origin], note) for origin, note in self._first if origin in self._tables]
        self._first = []
        lines: list[Cosignature] = []
        met: dict[str, list[Witnessed]] = {}
        for each in self._feeding.turn(now_s):
            match each:
                case Cosignature():
                    lines.append(each)
                case Met(origin, size, note) if table := self._tables.get(origin):
                    met.setdefault(table, []).append(
                        Witnessed(origin, size, self._window(origin, size), self._clock(), note)
                    )
                case Split():
                    self._keep(each)
        if lines or met:
            self._store.put_cosigned(lines, met)
        return publish + [(table, each.note) for table, notes in met.items() for each in notes[-1:]]

    def _read(self) -> None:
        """Read which records are enrolled, and how far they are verified."""
        self._leaves.forget()
        logs, self._keys = enrolled_logs(self._store), enrolled_keys(self._store)
        for gone in self._tables.keys() - {each.origin for each in logs}:
            self._feeder.forget(gone)
        self._tables = {each.origin: each.table for each in logs}
        for each in logs:
            if each.size > self._leaves.size(each.origin):
                before = self._before.pop(each.origin, None)
                if before is None or before.size < each.size:
                    since = before.at if before else self._clock()
                    self._since.setdefault(each.origin, []).append((each.size, since))
                self._feeder.add(each.note)
            self._leaves.sizes[each.origin] = each.size

    def _window(self, origin: str, size: int) -> str:
        """Return when the first entry that is witnessed now was verified."""
        times = self._since.get(origin, [])
        self._since[origin] = [each for each in times if each[0] > size]
        return times[0][1] if times else self._clock()

    def _keep(self, split: Split) -> None:
        """Keep two histories as an incident with its evidence."""
        table = self._tables.get(split.origin, "")
        log.error("table %s: split_view: %s", escaped(table), escaped(split.text))
        self._store.put_evidence(incident(split, table, self._clock()), split.evidence)

    def _keys_of(self, origin: str) -> list[Key]:
        return self._keys.get(origin, [])


class WitnessThread:
    """Feeds witnesses until `close`. Does nothing where none is configured. A store that fails is opened again."""

    def __init__(self, config: FloorConfig, open_it: Callable[[FloorConfig], Store] = open_store) -> None:
        self._config, self._open, self._stop = config, open_it, Event()
        self._notes: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self._thread = Thread(target=self._run, name="witnesses", daemon=True)
        if config.witness:
            self._thread.start()

    def notes(self) -> Iterator[tuple[str, str]]:
        """Yield table and note of what a quorum cosigned since the last call, to be published as `witnessed`."""
        while True:
            try:
                yield self._notes.get_nowait()
            except Empty:
                return

    def close(self) -> None:
        """Stop; what is on its way to witnesses is not waited for."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with closing(self._open(self._config)) as store, closing(Client(quorum.fed(self._config))) as client:
                    witnessing = Witnessing(self._config, store, client)
                    while not self._stop.wait(TURN_S):
                        for each in witnessing.turn(monotonic()):
                            self._notes.put(each)
            except (BridgeError, OSError) as error:
                log.error("nothing is sent to witnesses: %s", error)
                self._stop.wait(AGAIN_S)


def enrolled_logs(store: Store) -> list[Log]:
    """Return the verified records that are shown to witnesses."""
    trusted = {(each.table, each.vkey): each for each in store.record_keys() if each.was_enrolled}
    return [each for each in store.logs() if is_enrolled(trusted.get((each.table, each.vkey)), each)]


def is_enrolled(key: TrustedKey | None, record: Log) -> bool:
    """Return whether a record is shown to witnesses: its key is enrolled, or was until a larger size."""
    if key is None or not record.size:
        return False
    return key.trust == "enrolled" if key.until == NO_LIMIT else record.size <= key.until


def enrolled_keys(store: Store) -> dict[str, list[Key]]:
    """Return origin -> the keys that were ever enrolled for it."""
    made: dict[str, list[Key]] = {}
    for each in store.record_keys():
        if each.was_enrolled:
            made.setdefault(parse_vkey(each.vkey).name, []).append(parse_vkey(each.vkey))
    return made


def incident(split: Split, table: str, at: str) -> Incident:
    """Return two histories as an incident, the same one however often they are found."""
    place = sha256(f"{split.origin} {split.text}".encode()).hexdigest()
    return Incident(table, "split_view", place, at, escaped(split.text))
