"""`floor.toml`: its sections, its checks, and where its secrets are."""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl, urlsplit

from msgspec import Meta, Struct
from msgspec.structs import fields

from firmware_bridge.config.misplaced import placed, places_of
from firmware_bridge.config.read_section import (
    good_keys,
    good_rows,
    good_sections,
    read_document,
    read_password,
    refuse,
    unprintable,
)
from firmware_bridge.config.sections import TcpPort, Text, TopicWord
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.forward_config import ForwardRow, of_forwards
from firmware_bridge.floor.page_config import PageSection, ScreenSection, is_loopback, of_the_page, of_the_screens
from firmware_bridge.record.verify import COSIGNATURE, ML_DSA_44, Refused, parse_vkey

Batch = Annotated[int, Meta(ge=1, le=10_000)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]

Hours = Annotated[
    str,
    Meta(
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]\Z",
        description='two times of day: "10:00-04:00"',
    ),
]

Years = Annotated[int, Meta(ge=1, le=1_000)]


class MqttSection(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker of the floor. Secrets are files; a name without a path is a credential of the unit.

    host: its name or address.
    port: its port, usually 8883 with TLS.
    root: the first word of every topic, as in the tables' bridge.toml.
    client_id: the client id of the session of `shoe-floor ingest`, different for each ingest.
    username: the name to log in with.
    password_file: the file that holds the password.
    ca: the file of the authority that signed the broker's certificate; setting it turns TLS on.
    cert: the file of an own certificate.
    key: the file of the key of that certificate.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 1883
    root: TopicWord = "shoe"
    client_id: Text = "shoe-floor-ingest"
    username: Text | None = None
    password_file: Text | None = None
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None


class NatsSection(Struct, frozen=True, kw_only=True):
    """`[nats]`: a NATS cluster that the tables use by MQTT. With `servers` the ingest reads there, not by MQTT.

    servers: the addresses of its nodes, `nats://HOST:4222` each; [mqtt] then names the MQTT listener of one of them.
    consumer: the durable consumer that keeps what `shoe-floor ingest` has not stored.
    username: the name to log in with.
    password_file: the file that holds the password.
    ca: the file of the authority that signed the nodes' certificates; setting it turns TLS on.
    cert: the file of an own certificate.
    key: the file of the key of that certificate.
    monitor: the monitoring addresses of the nodes, `http://HOST:8222` each, for `shoe-floor check`.
    limit_mib: MiB of messages in the cluster above which `shoe-floor check` warns.
    """

    servers: tuple[Text, ...] = ()
    consumer: Name = "shoe-floor-ingest"
    username: Text | None = None
    password_file: Text | None = None
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    monitor: tuple[Text, ...] = ()
    limit_mib: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024


class StoreSection(Struct, frozen=True, kw_only=True):
    """`[store]`: where the messages are kept.

    path: the file of SQLite.
    url: a database of PostgreSQL instead, as libpq reads it, without a password.
    password_file: the file that holds its password; without it, libpq looks in its usual places.
    compact_hours: `shoe-floor compact` compresses the events of shoes that are over for so long.
    keep_years: `shoe-floor expire` deletes older journals; without it, none is ever deleted.
    keep_event_years: `shoe-floor expire` deletes the events of older journals, and keeps their rounds.
    quarantine_days: `shoe-floor expire` deletes what is longer in quarantine; without it, nothing of it.
    """

    path: Text = "/var/lib/shoe-floor/floor.db"
    url: Text | None = None
    password_file: Text | None = None
    compact_hours: Annotated[int, Meta(ge=0, le=87_600)] = 24
    keep_years: Years | None = None
    keep_event_years: Years | None = None
    quarantine_days: Annotated[int, Meta(ge=1, le=36_500)] | None = None


class IngestSection(Struct, frozen=True, kw_only=True):
    """`[ingest]`: how messages are kept.

    name: the name of the store in the tables' `[mqtt] stored`.
    batch: most messages of one commit.
    key_file: the file with the key that signs what it sends to tables; its name in their [[orders]] is `name`.
    pseudonym_key_file: the file with the key that replaces names of people; without it, names are kept.
    """

    name: TopicWord = "floor"
    batch: Batch = 500
    key_file: Text | None = None
    pseudonym_key_file: Text | None = None


class MetricsSection(Struct, frozen=True, kw_only=True):
    """`[metrics]`: where `shoe-floor metrics` listens for Prometheus.

    host: the address to listen at; 127.0.0.1 is for this machine alone.
    port: the port to listen at.
    names: host names that Prometheus may ask under, beside its addresses and `localhost`.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 9108
    names: tuple[Text, ...] = ()


class RecordSection(Struct, frozen=True, kw_only=True):
    """`[record]`: how the record of the tables is shown to witnesses.

    every: seconds between two checkpoints of a table that are sent to the witnesses.
    compare: seconds between two comparisons of what all witnesses have seen.
    policy: a file of C2SP tlog-policy with the quorum; without it, more than half of the witnesses are one.
    """

    every: Annotated[int, Meta(ge=1, le=3_600)] = 20
    compare: Annotated[int, Meta(ge=10, le=86_400)] = 600
    policy: Text | None = None


class WitnessRow(Struct, frozen=True, kw_only=True):
    """`[[witness]]`: a witness that cosigns the tables' checkpoints.

    vkey: its public key, `name+id+base64`.
    url: the address before /add-checkpoint; http only to this machine.
    """

    vkey: Text
    url: Text


class TableSection(Struct, frozen=True, kw_only=True):
    """`[tables.T07]`: one table. Without any row, every name at the broker is a table; an enrolled one needs none.

    hours: when it plays, by this machine's clock; a round outside is an incident. Without it, any time is right.
    pending_mb: most megabytes of its messages that wait for a checkpoint.
    """

    hours: Hours | None = None
    pending_mb: Annotated[int, Meta(ge=1, le=10_000)] = 64


class FloorConfig(Struct, frozen=True, kw_only=True):
    """A whole `floor.toml`."""

    mqtt: MqttSection = MqttSection()
    nats: NatsSection = NatsSection()
    store: StoreSection = StoreSection()
    ingest: IngestSection = IngestSection()
    metrics: MetricsSection = MetricsSection()
    page: PageSection = PageSection()
    screen: ScreenSection = ScreenSection()
    record: RecordSection = RecordSection()
    witness: tuple[WitnessRow, ...] = ()
    forward: tuple[ForwardRow, ...] = ()
    tables: dict[str, TableSection] = {}


CREDENTIALS: Final = "/run/credentials/shoe-floor-ingest.service"

LISTS: Final[dict[str, Any]] = {"witness": WitnessRow, "forward": ForwardRow}
"""Lists of tables, `[[NAME]]` -> what each of them is."""

BY_NAME: Final[dict[str, Any]] = {"tables": TableSection}
"""Sections with a name of the house's own in each, `[SECTION.NAME]` -> what each of them is."""

SECTIONS: Final[dict[str, Any]] = {
    field.encode_name: (LISTS | BY_NAME).get(field.encode_name, field.type) for field in fields(FloorConfig)
}


def load(path: Path) -> FloorConfig:
    """Return the configuration in a file. Raises ConfigError with every mistake, one a line."""
    return parse(read_document(path), str(path))


def parse(raw: dict[str, Any], name: str = "floor.toml") -> FloorConfig:
    """Return the configuration in a TOML document. Raises ConfigError with every mistake, one a line."""
    mistakes: list[str] = []

    def read(section: str, keys: Any) -> Any:
        if section in LISTS:
            return tuple(good_rows(LISTS[section], section, keys, mistakes))
        if section in BY_NAME:
            return dict(_named(section, keys, mistakes))
        return SECTIONS[section](**good_keys(SECTIONS[section], f"[{section}] ", keys, mistakes))

    known = {section: kind.__struct_fields__ for section, kind in SECTIONS.items() if section not in BY_NAME}
    places = places_of((place(section), key) for section, kind in SECTIONS.items() for key in kind.__struct_fields__)
    raw = placed(raw, known, places, mistakes)
    sections = good_sections(raw, SECTIONS, read, mistakes, LISTS)
    mistakes += unprintable(raw)
    config = FloorConfig(**sections)
    mistakes += _of_the_store(config.store, raw.get("store"))
    if config.mqtt.key and not config.mqtt.cert:
        mistakes.append("[mqtt] key needs cert: set both")
    mistakes += _of_nats(config.nats)
    mistakes += of_the_page(config.page)
    mistakes += of_the_screens(config.screen)
    mistakes += _of_witnesses(config.witness)
    mistakes += of_forwards(config.forward)
    refuse(name, mistakes)
    return config


def place(section: str) -> str:
    """Return how a section is written: "[mqtt]", "[tables.TABLE]"."""
    return f"[{section}.TABLE]" if section in BY_NAME else f"[{section}]"


def _named(section: str, named: dict[str, Any], mistakes: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the good sections `[SECTION.NAME]`, by name."""
    for name, keys in named.items():
        if isinstance(keys, dict):
            yield name, BY_NAME[section](**good_keys(BY_NAME[section], f"[{section}.{name}] ", keys, mistakes))
        else:
            mistakes.append(f"[{section}] {name} is a table: write [{section}.{name}]")


def secret(name: str) -> Path:
    """Return the file of a secret; a name without a path is a credential of the running unit, else of the ingest's."""
    return Path(os.environ.get("CREDENTIALS_DIRECTORY", CREDENTIALS), name)


def password(config: MqttSection | NatsSection | StoreSection | PageSection) -> bytes | None:
    """Return the password in its file, None if none is set. Raises ConfigError."""
    if config.password_file is None:
        return None
    section = next(field.encode_name for field in fields(FloorConfig) if field.type is type(config))
    return read_password(section, config.password_file, secret(config.password_file))


def need(package: str, extra: str) -> None:
    """Raise ConfigError if a package cannot be imported; the hint names the extra that installs it."""
    try:
        import_module(package)
    except ImportError as error:
        what = f"the package {package} is needed, and cannot be imported ({error})"
        asked = " --parquet" if extra == "parquet" else ""
        hint = f"sudo scripts/install --floor{asked} installs it (docs/floor.md); in a clone: pip install '.[{extra}]'"
        raise ConfigError(what, hint) from None


def _of_nats(nats: NatsSection) -> list[str]:
    """Return error messages for `[nats]` as a whole."""
    mistakes = []
    if nats.key and not nats.cert:
        mistakes.append("[nats] key needs cert: set both")
    if nats != NatsSection() and not nats.servers:
        mistakes.append('[nats] has no servers: set servers = ["nats://HOST:4222"], or remove [nats]')
    for key, schemes, addresses in (
        ("servers", ("nats", "tls"), nats.servers),
        ("monitor", ("http", "https"), nats.monitor),
    ):
        for each in addresses:
            if not _is_address(each, schemes):
                shown = as_written(each) if "@" not in each else "an address with user or password"
                mistakes.append(f"[nats] {key}: {shown} is not allowed: write {schemes[0]}://HOST:PORT")
    return mistakes


def _of_witnesses(rows: tuple[WitnessRow, ...]) -> Iterator[str]:
    """Yield error messages for `[[witness]]`."""
    seen = set[bytes]()
    for number, row in enumerate(rows, 1):
        where = f"[[witness]] number {number}:"
        try:
            key = parse_vkey(row.vkey)
        except Refused as error:
            yield f"{where} vkey: {error}"
        else:
            if key.kind not in (COSIGNATURE, ML_DSA_44):
                yield f"{where} vkey is no key of a witness: shoe-floor witness key show prints it"
            if key.public in seen:
                yield f"{where} this key stands there twice"
            seen.add(key.public)
        if wrong := _wrong_url(row.url):
            yield f"{where} url = {wrong}"


def _wrong_url(url: str) -> str:
    """Return the error message for the address of a witness; "" for a good one."""
    try:
        parts = urlsplit(url)
        is_good = bool(parts.hostname) and (parts.port or 1) > 0 and parts.scheme in ("http", "https")
    except ValueError:
        return f"{as_written(url)}: write https://HOST/PREFIX"
    if "@" in parts.netloc:
        return "an address with user or password is not allowed"
    if not is_good or parts.query or parts.fragment or not url.isascii():
        return f"{as_written(url)}: write https://HOST/PREFIX"
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        return f"{as_written(url)}: http goes to this machine only: write https://"
    return ""


def _is_address(text: str, schemes: tuple[str, ...]) -> bool:
    """Return whether a text is SCHEME://HOST:PORT alone, without user or password."""
    try:
        parts = urlsplit(text)
        return parts.scheme in schemes and bool(parts.hostname and parts.port) and "@" not in parts.netloc
    except ValueError:
        return False


def _of_the_store(store: StoreSection, raw: object) -> Iterator[str]:
    """Yield error messages for `[store]`; they never show a password."""
    if not store.path.startswith("/"):
        yield f"[store] path = {as_written(store.path)}: write the full path, starting with /"
    if store.url is None:
        if store.password_file:
            yield "[store] password_file needs url: an SQLite file has no password"
        return
    if isinstance(raw, dict) and "path" in raw:
        yield "[store] has both path and url: keep one of them"
    if not store.url.startswith(("postgresql://", "postgres://")):
        yield "[store] url is not for PostgreSQL: write postgresql://USER@HOST/DATABASE"
    elif _has_password(store.url):
        yield "[store] url contains a password: put it into a file, and set password_file"


def _has_password(url: str) -> bool:
    parts = urlsplit(url)
    words = {key for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return ":" in parts.netloc.rpartition("@")[0] or bool(words & {"password", "sslpassword"})
