"""Reads `floor.toml`, and says everything that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from firmware_bridge.config.good_keys import good_keys, unknown, unprintable
from firmware_bridge.config.toml_text import document
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config.sections import SECTIONS, FloorConfig, NatsSection, StoreSection


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
    mistakes += _of_the_store(config.store, raw.get("store"))
    if config.mqtt.key and not config.mqtt.cert:
        mistakes.append("[mqtt] key is there without cert: give both")
    mistakes += _of_nats(config.nats)
    if config.page.password_file and not config.page.username:
        mistakes.append("[page] password_file is there without username: give both")
    if mistakes:
        raise ConfigError("\n".join(escaped(f"{name}: {each}") for each in mistakes))
    return config


def _of_nats(nats: NatsSection) -> list[str]:
    """What is wrong with `[nats]` as a whole."""
    mistakes = []
    if nats.key and not nats.cert:
        mistakes.append("[nats] key is there without cert: give both")
    if nats != NatsSection() and not nats.servers:
        mistakes.append('[nats] has no servers: name the nodes, servers = ["nats://HOST:4222"], or leave it all out')
    for key, schemes, addresses in (
        ("servers", ("nats", "tls"), nats.servers),
        ("monitor", ("http", "https"), nats.monitor),
    ):
        for each in addresses:
            if not _is_address(each, schemes):
                shown = repr(each) if "@" not in each else "one with a name or a password"
                mistakes.append(f"[nats] {key}: {shown} is no address: write {schemes[0]}://HOST:PORT")
    return mistakes


def _is_address(text: str, schemes: tuple[str, ...]) -> bool:
    """Whether a text is SCHEME://HOST:PORT, and no more: a password does not belong there."""
    try:
        parts = urlsplit(text)
        return parts.scheme in schemes and bool(parts.hostname and parts.port) and "@" not in parts.netloc
    except ValueError:
        return False


def _of_the_store(store: StoreSection, raw: object) -> Iterator[str]:
    """What is wrong with `[store]`; a password in it is never shown."""
    if not store.path.startswith("/"):
        yield f"[store] path = {store.path!r}: write the whole path, from / on"
    if store.url is None:
        if store.password_file:
            yield "[store] password_file is there without url: a file of SQLite has no password"
        return
    if isinstance(raw, dict) and "path" in raw:
        yield "[store] has both path and url: keep one of them"
    if not store.url.startswith(("postgresql://", "postgres://")):
        yield "[store] url is none of PostgreSQL: write postgresql://USER@HOST/DATABASE"
    elif _has_password(store.url):
        yield "[store] url has a password in it: put it into a file, and name that as password_file"


def _has_password(url: str) -> bool:
    parts = urlsplit(url)
    words = {key for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return ":" in parts.netloc.rpartition("@")[0] or bool(words & {"password", "sslpassword"})
