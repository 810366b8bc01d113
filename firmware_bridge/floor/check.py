"""`shoe-floor check`: faults of the store and of the connection to the broker, with remedies."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, time
from typing import Final, NamedTuple

from msgspec.structs import replace

from firmware_bridge.config.findings import Finding, judged, unseen
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.names import REMEDY, alike, unfit, unfit_word
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.floor import check_condition, check_record, check_witnesses
from firmware_bridge.floor.check_condition import and_closed
from firmware_bridge.floor.config import FloorConfig, need, password, secret
from firmware_bridge.floor.ingest import topics
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.record.message import rfc3339
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store import COUNTED, FORMAT, OLDEST, OtherFormat, Store
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.feed import Forwarded
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.mqtt.certificates import of_broker, standing
from firmware_bridge.mqtt.settings import NotPem, tls_context

ANSWER_S: Final = 5.0
"""Longest wait for the broker."""

QUIET_S: Final = 0.25
"""Silence after which a broker has sent all that it retains, once it has acknowledged what came behind the question."""

NO_TABLE: Final = "shoe-floor-check"
"""A table id that no table has, to try which topics may be written."""

LONG_UNSENT: Final = timedelta(minutes=5)
"""Time after which something that waits is a sign that nothing is sent."""

START: Final = "sudo systemctl enable --now shoe-floor-forward (docs/forward.md)"
RUNS: Final = "see that shoe-floor forward runs: systemctl status shoe-floor-forward"
MEND: Final = "mend the receiver, or url and key_file of its [[forward]]; what waits is sent then, and nothing is lost"


def findings(config: FloorConfig, *, whole: bool = False) -> Iterator[Finding]:
    """Yield all findings, one after the other. whole: read all of the store, and verify each row of signed records.

    Raises ConfigError. Store and broker are asked at the same time.
    """
    with ThreadPoolExecutor(1) as beside:
        broker = beside.submit(_asked, config)
        has_messages = yield from _of_a_store(config, whole)
        yield from _of_the_broker(config, broker.result(), has_messages)
    yield from _encrypted(config)
    yield from _of_names(config)
    for section in ("mqtt", "nats", "store", "page"):
        for key in ("password_file", "user_secret_file"):
            if name := getattr(getattr(config, section), key, None):
                yield from unseen(section, f"[{section}] {key}", secret(name))
    if config.nats.servers:
        need("nats", "nats")
        from firmware_bridge.floor.source.nats import check as cluster

        yield from cluster.findings(config.nats, password(config.nats))


def _of_a_store(config: FloorConfig, whole: bool) -> Generator[Finding, None, bool]:
    """Yield the findings of the store that the config names; return whether it holds messages."""
    try:
        store = open_store(config)
    except StoreError as error:
        yield Finding("FAIL", "store", error.what, error.hint)
        if isinstance(error, OtherFormat) and OLDEST <= error.found < FORMAT:
            yield from _of_a_migration(config)
        return False
    with closing(store):
        if config.store.url is None:
            yield from _of_the_owner(Path(config.store.path))
        yield from _of_the_store(store, whole)
        yield from check_witnesses.findings(config, store)
        yield from check_record.findings(store, whole=whole)
        yield from _of_stored_names(config, {each.table for each in store.record_keys()})
        yield from of_receivers(config, store)
        return store.has_messages()


def _of_a_migration(config: FloorConfig) -> Iterator[Finding]:
    """Yield what `shoe-floor migrate` would do, or why it cannot begin."""
    from firmware_bridge.floor.cli_store import BACKUPS
    from firmware_bridge.floor.store.migrations import planned

    try:
        for line in planned(config, BACKUPS):
            yield Finding("OK", "migrate", line)
    except (StoreError, ConfigError) as error:
        yield Finding("FAIL", "migrate", error.what, error.hint)


def _of_names(config: FloorConfig) -> Iterator[Finding]:
    """Yield a finding for each name that is taken, though one like it would be refused today."""
    tables = list(config.tables)
    try:
        people = [each.name for each in People(Path(config.page.users)).all().values()]
    except ConfigError as error:
        yield Finding("WARN", "names", f"not checked: {error.what}", error.hint)
        people = []
    for where, given, refused in (("[tables]", tables, unfit_word), ("[page] users:", people, unfit)):
        yield from _judged_names(where, given, refused)


def _of_stored_names(config: FloorConfig, stored: Collection[str]) -> Iterator[Finding]:
    """Yield the same about tables that only the store has: a key of each was seen."""
    yield from _judged_names("table in the store:", sorted({*stored} - {*config.tables}), unfit_word, [*config.tables])


def _judged_names(
    where: str, given: Sequence[str], refused: Callable[[str, int], str | None], others: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield the findings of names. others: that were judged before; they are compared with these."""
    for name in given:
        if wrong := refused(name, LONGEST_NAME):
            yield Finding("WARN", "names", f"{where} {name}: the name {wrong}", REMEDY)
    for one, other in alike([*others, *given]):
        if not {one, other} <= {*others}:
            yield Finding("WARN", "names", f"{where} {one} and {other} look alike", "give one of them another name")


def _of_the_owner(path: Path) -> Iterator[Finding]:
    """Yield a finding for a file that belongs to another user than its directory, the ingest's."""
    owner, wanted = path.stat().st_uid, path.parent.stat().st_uid
    if owner != wanted:
        what = f"{path} belongs to user {owner}, its directory to {wanted}: the ingest may fail to write it"
        yield Finding("FAIL", "store", what, f"sudo chown --reference={path.parent}/. {path}*")


def _of_the_store(store: Store, whole: bool) -> Iterator[Finding]:
    faults = store.faults(whole=whole)
    words = "; ".join(faults) or ("all of the store can be read" if whole else "the store can be read")
    yield judged("store", not faults, words, "restore the last backup (docs/floor.md)")
    yield from check_condition.findings(store, time())
    closed = store.closed_counts()
    conflicts = store.count_some("conflicts")
    todo = (
        "run shoe-floor export conflicts, and compare both messages with the journal of the shoe; once it is "
        "understood, shoe-floor close conflict"
    )
    words = f"{_some(conflicts)} messages in conflict{and_closed(closed, 'conflict')}"
    yield judged("conflicts", not conflicts, words, todo)
    bad = store.count_some("quarantine")
    todo = "run shoe-floor export quarantine for the reasons; once they are understood, shoe-floor close quarantine"
    words = f"{_some(bad)} messages in quarantine{and_closed(closed, 'quarantine')}"
    yield judged("quarantine", not bad, words, todo)


def _some(count: int) -> str:
    return f"{COUNTED} or more" if count >= COUNTED else str(count)


def _encrypted(config: FloorConfig) -> Iterator[Finding]:
    """Yield the version of TLS, and the last day of the broker's certificate; nothing of one that does not answer."""
    mqtt = config.mqtt
    if mqtt.ca is None and mqtt.cert is None:
        return
    try:
        context = tls_context(mqtt.ca, mqtt.cert, str(secret(mqtt.key)) if mqtt.key else None)
    except (OSError, NotPem):
        return  # the line about the broker says why
    if found := of_broker(mqtt.host, mqtt.port, context):
        level, text, remedy = standing(f"the broker {mqtt.host}:{mqtt.port}, {found[0]}", found[1])
        yield Finding(level, "tls", text, remedy)


class Answers(NamedTuple):
    """What a broker said. why: why it took no login, None if it did. heard: tables with a retained status.

    refused: topic -> why it was refused. is_answered: whether it said of each message whether it takes it.
    """

    why: str | None
    heard: frozenset[str]
    refused: dict[str, str]
    is_answered: bool


def _asked(config: FloorConfig) -> Answers:
    """Return whether the ingest can log in, read and write, tried with another client id so that its session stays.

    Some brokers accept every subscription, and deliver nothing that their ACL forbids.
    """
    mqtt = config.mqtt
    probe = replace(mqtt, client_id=f"{mqtt.client_id}-check")
    source = MqttSource(probe, password(mqtt), topics(mqtt.root), 1, clean=True)
    with closing(source):
        why = source.tried(ANSWER_S)
        heard = _heard(source, mqtt.root) if why is None else set[str]()
        return Answers(why, frozenset(heard), dict(source.refused), source.is_answered)


def _of_the_broker(config: FloorConfig, answers: Answers, has_messages: bool) -> Iterator[Finding]:
    mqtt = config.mqtt
    where = f"the broker {mqtt.host}:{mqtt.port}"
    if answers.why is not None:
        yield Finding("FAIL", "broker", f"{where}: {answers.why}", "check [mqtt] of floor.toml")
        return
    yield Finding("OK", "broker", f"{where} accepts the login")
    for name, reason in answers.refused.items():
        todo = f"in its ACL, allow [mqtt] username to write {mqtt.root}/+/{name} (docs/broker.md)"
        yield Finding("FAIL", "broker", f"{where} refuses our messages on {mqtt.root}/+/{name}: {reason}", todo)
    if not answers.is_answered:
        what = f"not tried whether {where} takes our messages: it acknowledges none of them"
        yield Finding("FAIL", "broker", what, "see its log, then shoe-floor check again")
    todo = f"in its ACL, allow [mqtt] username to read {mqtt.root}/+/status and the other topics of docs/floor.md"
    heard = answers.heard
    words = f"{len(heard)} tables found"
    if not heard and not has_messages:
        yield Finding("WARN", "tables", words, f"if no table is connected yet, nothing; else {todo}")
    else:
        yield judged("tables", bool(heard), words, todo)


def _heard(source: MqttSource, root: str) -> set[str]:
    """Return the tables with a retained status. Also try the topics to write, with a table id that no table has."""
    give_up, heard = monotonic() + ANSWER_S, set[str]()
    for name in ("command", "stored", "witnessed"):
        source.publish(f"{root}/{NO_TABLE}/{name}", b"")
    while ((came := source.receive(1_000, QUIET_S)) or not source.is_answered) and monotonic() < give_up:
        heard |= {each.topic.split("/")[-2] for each in came if each.topic.endswith("/status") and each.body}
    return heard


def of_receivers(config: FloorConfig, store: Store) -> Iterator[Finding]:
    """Yield how far each receiver of `floor.toml` is. Raises StoreError."""
    known = {each.name: each for each in store.forwarded()}
    for row in config.forward:
        if at := known.get(row.name):
            yield _of_receiver(at, store.feed_behind(at.place))
        else:
            yield Finding("WARN", "webhooks", f"{row.name}: nothing was ever sent to it", START)


def _of_receiver(at: Forwarded, behind: int) -> Finding:
    waits = f"{at.name}: {behind} message{' waits' if behind == 1 else 's wait'}"
    if at.trouble:
        return Finding("FAIL", "webhooks", f"{waits}, it takes nothing since {at.since}: {at.trouble}", MEND)
    if not behind:
        return Finding("OK", "webhooks", f"{at.name}: it has all that is stored")
    if at.at < rfc3339(datetime.now(UTC) - LONG_UNSENT):
        since = f" since {at.at}" if at.at else ""
        return Finding("WARN", "webhooks", f"{waits}, and nothing was sent{since}", RUNS)
    return Finding("OK", "webhooks", waits)
