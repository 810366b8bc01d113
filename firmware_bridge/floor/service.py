"""`shoe-floor ingest`, which outlives faults of broker and store, and `shoe-floor prepare`, which sets up both."""

import logging
import random
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from time import monotonic, time
from typing import Final

from msgspec.structs import replace

from firmware_bridge.client.signing import Signing, signing
from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, need, password, secret
from firmware_bridge.floor.ingest import KEPT, LIVE, Ingest, topics
from firmware_bridge.floor.record.message import rfc3339
from firmware_bridge.floor.record.names import names
from firmware_bridge.floor.source import Source
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store import OtherFormat, Part, Store
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import open_store, place
from firmware_bridge.floor.verified.audit import Audit, behind
from firmware_bridge.floor.verified.feeding import WitnessThread
from firmware_bridge.floor.verified.quorum import policy
from firmware_bridge.floor.verified.records import Limits
from firmware_bridge.mqtt.backoff import Doubling

log = logging.getLogger(__name__)

WAIT_S: Final = 0.25
"""Longest wait for messages before gaps are checked."""

FIRST_S, LONGEST_S = 1.0, 60.0
"""First and longest wait after the store failed."""

SLOW_S: Final = 5.0
"""Time from which on a commit is slow, and the log says so."""

STEADY_S: Final = 30.0
"""Time without a failure after which the wait is reset."""

FIRST_AUDIT_S, AUDIT_S = 60.0, 3600.0
"""Time from the start to the first verification of the store, and from each to the next."""

NIGHT: Final = 5
"""The hour of the day, by this machine's clock, in which the whole store is verified."""

EVIDENCE_DAYS: Final = 7
"""Days that messages are kept which are of no verified entry."""

CLOSE_S: Final = 10.0

TOUCH_S: Final = 60.0
"""Longest time for a cluster to make the streams of its MQTT listener; until then it drops the first client."""


def open_source(config: FloorConfig) -> Source:
    """Return the source of a floor's messages, not connected yet. Raises ConfigError, also for a missing extra."""
    mqtt, nats = config.mqtt, config.nats
    if not nats.servers:
        return MqttSource(mqtt, password(mqtt), topics(mqtt.root), 2 * config.ingest.batch)
    need("nats", "nats")
    from firmware_bridge.floor.source.nats.source import NatsSource

    return NatsSource(nats, password(nats), topics(mqtt.root, KEPT), topics(mqtt.root, LIVE))


def run(config: FloorConfig) -> int:
    """Ingest until SIGTERM or SIGINT; return 0. Raises OtherFormat, and StoreError if a file cannot be opened."""
    stop, systemd = Event(), Systemd()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    names(config.ingest.pseudonym_key_file)
    own_key(config)
    policy(config)
    _try_store(config)
    source = open_source(config)
    systemd.notify("READY=1", f"STATUS=stores {config.mqtt.root}/# in {place(config)}")
    wait = Doubling(FIRST_S, LONGEST_S)
    try:
        while not stop.is_set():
            began = monotonic()
            try:
                _through(config, source, stop, lambda: systemd.notify("WATCHDOG=1"))
            except OtherFormat:
                raise
            except (StoreError, ConfigError) as error:
                log.error("%s", error)
                source.drop()
                if monotonic() - began > STEADY_S:
                    wait.reset()
                _rest(stop, wait.s * random.uniform(0.5, 1.0), systemd)
                wait.longer()
    finally:
        systemd.notify("STOPPING=1")
        source.close()
    return 0


MAY: Final[dict[Part, str]] = {
    "ingest": "store messages",
    "reader": "read messages",
    "closer": "close gaps, conflicts and quarantine",
    "forward": "read messages, and keep how far receivers are",
}
"""Part of a role -> what it may do."""


def prepared(config: FloorConfig, roles: Mapping[Part, Sequence[str]]) -> Iterator[str]:
    """Make what is missing; yield a line for each thing. Raises StoreError, ConfigError, NatsError.

    roles: part -> the roles of PostgreSQL that get it.
    """
    store = open_store(config, make=True)
    try:
        yield f"the store {place(config)} is ready"
        for part, names in roles.items():
            for role in names:
                store.grant(role, part)
                yield f"the role {escaped(role)} may {MAY[part]}"
    finally:
        store.close()
    if not config.nats.servers:
        yield "the broker keeps messages from the first start of shoe-floor ingest"
        return
    need("nats", "nats")
    from firmware_bridge.floor.source.nats.consumer import prepare

    yield from _touched(config)
    yield prepare(config.nats, password(config.nats), topics(config.mqtt.root, KEPT))


def _try_store(config: FloorConfig) -> None:
    """Open the store once, and make it if there is none. Raises StoreError for a file; a server may come later."""
    try:
        open_store(config, make=True).close()
    except OtherFormat:
        raise
    except StoreError:
        if config.store.url is None:
            raise


def _through(config: FloorConfig, source: Source, stop: Event, beat: Callable[[], None]) -> None:
    """Ingest until the store fails or `stop` is set."""
    hidden = names(config.ingest.pseudonym_key_file)
    store = open_store(config)  # not made here: a file that was there at the start and is gone means a lost disk
    verification = Verification(config)
    witnesses, slow = WitnessThread(config), SlowCommits()
    try:
        name, root, by = config.ingest.name, config.mqtt.root, own_key(config)
        session = config.nats.consumer if config.nats.servers else config.mqtt.client_id
        ingest = Ingest(store, source, root, name, names=hidden, limits=limits(config), signing=by, session=session)
        while not stop.is_set():
            came = source.receive(config.ingest.batch, WAIT_S)
            with slow:
                if came:
                    ingest.save(came, is_behind=len(came) == config.ingest.batch)
                ingest.ask()
                ingest.beat()
            for table, note in witnesses.notes():
                source.publish(f"{config.mqtt.root}/{table}/witnessed", note.encode(), retain=True)
            beat()
        with slow:
            ingest.beat(over="it was ended")
    finally:
        slow.close()
        witnesses.close()
        verification.close()
        store.close()


class SlowCommits:
    """Context of each commit: logs one that takes `SLOW_S` while it still hangs, by a thread of its own."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._stop = Event()
        self._thread = Thread(target=self._run, name="slow commits", daemon=True)
        self._thread.start()

    def __enter__(self) -> None:
        self._began = monotonic()

    def __exit__(self, *_: object) -> None:
        self._began = None

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        logged: float | None = None
        while not self._stop.wait(SLOW_S / 5):
            began = self._began
            if logged and began != logged:
                log.info("the store answers again")
                logged = None
            elif began and not logged and monotonic() - began >= SLOW_S:
                log.warning("a commit has taken %g s and is not done: look at the store's disk or server", SLOW_S)
                logged = began


class Verification:
    """Verifies the store in a thread of its own: at the start and each night all of it, each hour what came since.

    It works half of the time at most. What differs becomes an incident.
    """

    def __init__(self, config: FloorConfig) -> None:
        self._config, self._stop = config, Event()
        self._thread = Thread(target=self._run, name="verification", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the present page."""
        self._stop.set()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        self._stop.wait(FIRST_AUDIT_S)
        audit: Audit | None = None
        while not self._stop.is_set():
            is_whole = audit is None or datetime.now(UTC).astimezone().hour == NIGHT
            try:
                with closing(open_store(self._config)) as store:
                    audit = audit.again(store) if audit else Audit(store)
                    self._verify(store, audit, is_whole)
            except (BridgeError, OSError) as error:
                log.error("the store was not verified: %s", error)
                audit = None
            self._stop.wait(AUDIT_S)

    def _verify(self, store: Store, audit: Audit, is_whole: bool) -> None:
        began, differ = monotonic(), 0
        for found in audit.run(whole=is_whole):
            if found:
                store.put_incidents([found])
                differ += 1
                log.error("table %s: %s: %s", escaped(found.table), found.kind, escaped(found.text))
            if self._stop.wait(monotonic() - began):
                return
            began = monotonic()
        store.expire_evidence(evidence_before())
        log.info("%d entries verified, %d findings", audit.entries, differ)
        for text in behind(store) if is_whole else ():
            log.info("%s", escaped(text))


def own_key(config: FloorConfig) -> Signing | None:
    """Return the key that signs what the ingest sends to tables, None where none is set. Raises ConfigError."""
    path = config.ingest.key_file
    return signing(config.ingest.name, secret(path), lambda: time() * 1000) if path else None


def limits(config: FloorConfig) -> dict[str, Limits]:
    """Return what floor.toml sets for tables."""
    return {name: Limits(each.hours, each.pending_mb) for name, each in config.tables.items()}


def evidence_before() -> str:
    """Return the time before which evidence is deleted, RFC 3339."""
    return rfc3339(datetime.now(UTC) - timedelta(days=EVIDENCE_DAYS))


def _rest(stop: Event, wait_s: float, systemd: Systemd) -> None:
    until = monotonic() + wait_s
    while not stop.is_set() and (left := until - monotonic()) > 0:
        stop.wait(min(1.0, left))
        systemd.notify("WATCHDOG=1")


def _touched(config: FloorConfig) -> Iterator[str]:
    """Connect once as an MQTT client: NATS makes the streams for the first one. Raises BridgeError."""
    mqtt, began = config.mqtt, monotonic()
    probe = replace(mqtt, client_id=f"{mqtt.client_id}-prepare")
    source = MqttSource(probe, password(mqtt), topics(mqtt.root, KEPT), 1, clean=True)
    try:
        why = source.tried(TOUCH_S)
    finally:
        source.close()
    where = f"the MQTT listener {mqtt.host}:{mqtt.port}"
    if why is not None:
        raise BridgeError(f"{where}: {why}", "check [mqtt] of floor.toml: it must name a node of the cluster")
    yield f"{where} accepted the login after {monotonic() - began:.0f} s"
