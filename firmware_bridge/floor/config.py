"""`floor.toml`: which broker the tables of a floor report to, and where their messages are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import fields

from firmware_bridge.config.good_keys import good_keys, unknown
from firmware_bridge.config.plain import unprintable
from firmware_bridge.config.sections import TcpPort, Text, TopicWord
from firmware_bridge.config.toml_text import document
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped

Batch = Annotated[int, Meta(ge=1, le=10_000)]
Streams = Annotated[int, Meta(ge=1, le=10_000)]


class MqttSection(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker of the floor. Secrets come from files.

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


class StoreSection(Struct, frozen=True, kw_only=True):
    """`[store]`: where the messages are kept.

    path: the file of SQLite.
    """

    path: Text = "/var/lib/shoe-floor/floor.db"


class IngestSection(Struct, frozen=True, kw_only=True):
    """`[ingest]`: how messages are kept.

    name: what the tables know the store by: the `stored` of their `[mqtt]`.
    batch: most messages of one commit.
    """

    name: TopicWord = "floor"
    batch: Batch = 500


class PageSection(Struct, frozen=True, kw_only=True):
    """`[page]`: where `shoe-floor page` listens. It has no login: whoever reaches it sees all tables.

    host: the address to listen at; 127.0.0.1 is for browsers of this machine and for a proxy on it.
    port: the port to listen at.
    names: the names by which browsers may call it, beside its addresses and `localhost`.
    streams: most browsers that are served at a time.
    client_id: what its client ids at the broker begin with; each run has one of its own, without a session.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 8080
    names: tuple[Text, ...] = ()
    streams: Streams = 200
    client_id: Text = "shoe-floor-page"


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
    store: StoreSection = StoreSection()
    ingest: IngestSection = IngestSection()
    page: PageSection = PageSection()
    screen: ScreenSection = ScreenSection()


SECTIONS: Final = {field.encode_name: field.type for field in fields(FloorConfig)}


def load(path: Path) -> FloorConfig:
    """The configuration in a file. Raises ConfigError with every mistake, one a line."""
    try:
        raw = document(path)
    except OSError as error:
        hint = "put sudo before the command" if isinstance(error, PermissionError) else "name the file with --config"
        raise ConfigError(f"{path}: {error.strerror}", hint) from None
    return parse(raw, str(path))


def parse(raw: dict[str, Any], name: str = "floor.toml") -> FloorConfig:
    """The configuration in a TOML document. Raises ConfigError with every mistake, one a line."""
    mistakes: list[str] = []
    sections: dict[str, Any] = {}
    for section, keys in raw.items():
        if section not in SECTIONS:
            mistakes.append(unknown(f"[{section}]", section, SECTIONS))
        elif not isinstance(keys, dict):
            mistakes.append(f"{section} is a section: write [{section}]")
        else:
            sections[section] = SECTIONS[section](**good_keys(SECTIONS[section], f"[{section}] ", keys, mistakes))
    mistakes += unprintable(raw)
    config = FloorConfig(**sections)
    if not config.store.path.startswith("/"):
        mistakes.append(f"[store] path = {config.store.path!r}: write the whole path, from / on")
    if config.mqtt.key and not config.mqtt.cert:
        mistakes.append("[mqtt] key is there without cert: give both")
    if mistakes:
        raise ConfigError("\n".join(escaped(f"{name}: {each}") for each in mistakes))
    return config


def password(config: MqttSection) -> bytes | None:
    """The password in its file, None where none is set. Raises ConfigError."""
    if config.password_file is None:
        return None
    try:
        return Path(config.password_file).read_bytes().rstrip(b"\r\n")
    except OSError as error:
        what = f"[mqtt] password_file {config.password_file}: {error.strerror}"
        raise ConfigError(what, "check the path and its owner") from None
