"""`floor.toml`: which broker the tables of a floor report to, and where their messages are kept."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import fields

from firmware_bridge.config.sections import TcpPort, Text, TopicWord

Batch = Annotated[int, Meta(ge=1, le=10_000)]
Streams = Annotated[int, Meta(ge=1, le=10_000)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]

Years = Annotated[int, Meta(ge=1, le=1_000)]


class MqttSection(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker of the floor. Secrets come from files; one without a path is a credential of the unit.

    host: its name or address.
    port: its port, usually 8883 with TLS.
    root: the first word of every topic, as in the tables' bridge.toml.
    client_id: the name that the broker keeps the session of `shoe-floor ingest` under: another for each ingest.
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
    """`[nats]`: a NATS cluster whose MQTT listener the tables use. With `servers` the ingest reads there, not by MQTT.

    servers: the addresses of its nodes, `nats://HOST:4222` each; [mqtt] then names the MQTT listener of one of them.
    consumer: the name of the durable consumer that keeps what `shoe-floor ingest` has not stored.
    username: the name to log in with.
    password_file: the file that holds the password.
    ca: the file of the authority that signed the nodes' certificates; setting it turns TLS on.
    cert: the file of an own certificate.
    key: the file of the key of that certificate.
    monitor: the monitoring addresses of the nodes, `http://HOST:8222` each, for `shoe-floor check`.
    limit_mib: MiB of messages in the cluster from which on `shoe-floor check` warns.
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
    password_file: the file that holds the password for it; without, libpq looks where it always does.
    keep_years: `shoe-floor expire` deletes journals that are older; without, nothing is ever deleted.
    """

    path: Text = "/var/lib/shoe-floor/floor.db"
    url: Text | None = None
    password_file: Text | None = None
    keep_years: Years | None = None


class IngestSection(Struct, frozen=True, kw_only=True):
    """`[ingest]`: how messages are kept.

    name: what the tables know the store by: the `stored` of their `[mqtt]`.
    batch: most messages of one commit.
    pseudonym_key_file: the file with the key that names of people are replaced with; without, they are kept.
    """

    name: TopicWord = "floor"
    batch: Batch = 500
    pseudonym_key_file: Text | None = None


class MetricsSection(Struct, frozen=True, kw_only=True):
    """`[metrics]`: where Prometheus asks `shoe-floor metrics`.

    host: the address that it is asked at, of this machine alone unless told otherwise.
    port: its port.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 9108


class PageSection(Struct, frozen=True, kw_only=True):
    """`[page]`: where `shoe-floor page` listens. It has no login: whoever reaches it sees all tables.

    host: the address to listen at; 127.0.0.1 is for browsers of this machine and for a proxy on it.
    port: the port to listen at.
    names: the names by which browsers may call it, beside its addresses and `localhost`.
    streams: most browsers that are served at a time.
    client_id: what its client ids at the broker begin with; each run has one of its own, without a session.
    username, password_file: its own login at the broker, which need only read; without, that of `[mqtt]`.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 8080
    names: tuple[Text, ...] = ()
    streams: Streams = 200
    client_id: Text = "shoe-floor-page"
    username: Text | None = None
    password_file: Text | None = None


class ScreenSection(Struct, frozen=True, kw_only=True):
    """`[screen]`: what guest screens show, at `/screen/TABLE` of the page.

    cards: whether guests see the cards of a round once it is over, or as they lie open, after bets are closed.
    language: the language of a screen whose address names none (`?lang=`).
    streams: most screens that are served at a time.
    """

    cards: Literal["closed", "live"] = "closed"
    language: Literal["en", "zh-Hant", "zh-Hans"] = "en"
    streams: Streams = 200


class FloorConfig(Struct, frozen=True, kw_only=True):
    """A whole `floor.toml`."""

    mqtt: MqttSection = MqttSection()
    nats: NatsSection = NatsSection()
    store: StoreSection = StoreSection()
    ingest: IngestSection = IngestSection()
    metrics: MetricsSection = MetricsSection()
    page: PageSection = PageSection()
    screen: ScreenSection = ScreenSection()


SECTIONS: Final = {field.encode_name: field.type for field in fields(FloorConfig)}
