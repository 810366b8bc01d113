"""Rights at the broker, a section for each table of `[tables]`: for mosquitto, and the users of NATS."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from firmware_bridge.config.sections import TopicWord
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.games import GAMES

TABLE_WRITES: Final = (
    *("event", "round", "status", "table", "lamps", "alarm", "health", "odds", "checkpoint", "check", "reply"),
    *sorted({topic.name for game in GAMES.values() for topic in game.topics}),
)
"""Topics of a table that its own user writes. It reads all of them, and what others write for it."""

INGEST_WRITES: Final = ("command", "stored", "witnessed")
BACKEND_WRITES: Final = ("command", "stored")
PAGE_WRITES: Final = ("command",)

_JETSTREAM: Final = (
    "$JS.API.INFO",
    "$JS.API.STREAM.INFO.$MQTT_msgs",
    "$JS.API.CONSUMER.*.$MQTT_msgs.{consumer}",
    "$JS.API.CONSUMER.*.*.$MQTT_msgs.{consumer}",
    "$JS.ACK.$MQTT_msgs.{consumer}.>",
)
_HEARD: Final = ("event", "round", "status", "health", "alarm", "reply")
"""Topics that the ingest reads on NATS."""


class Users(NamedTuple):
    """Who comes to the broker. A table's user is called as its table; a reader writes nothing.

    pages: those that give orders; a page without a key is a reader.
    """

    root: str
    tables: tuple[str, ...]
    ingest: str
    backends: tuple[str, ...]
    readers: tuple[str, ...]
    pages: tuple[str, ...] = ()


def users(config: FloorConfig, backends: Iterable[str] = (), readers: Iterable[str] = ()) -> Users:
    """Return the users of a floor, with that of the page. Raises ConfigError."""
    if not config.tables:
        raise ConfigError("[tables] lists no table", "write [tables.T07], of each table its id")
    if not config.mqtt.username:
        raise ConfigError("the ingest has no login at the broker", "set [mqtt] username")
    page = (config.page.username,) if config.page.username else ()
    gives, reads = (page, ()) if config.page.order_key_file else ((), page)
    found = Users(
        config.mqtt.root, tuple(config.tables), config.mqtt.username, tuple(backends), tuple({*reads, *readers}), gives
    )
    names = [*found.tables, found.ingest, *found.backends, *found.pages, *sorted(found.readers)]
    for name in names:
        try:
            msgspec.convert(name, TopicWord)
        except msgspec.ValidationError:
            raise ConfigError(
                f"{name!r} can be no user here", "take a name as of a table: no spaces, no / + # $"
            ) from None
        if names.count(name) > 1:
            raise ConfigError(f"{name!r} is the name of two users", "each has rights of its own: give it another name")
    return found._replace(readers=tuple(sorted(found.readers)))


def mosquitto(who: Users) -> Iterator[str]:
    """Yield the lines of mosquitto's acl_file. No patterns: by one with %u every login has a table of its own."""
    yield "# Who may say what, written by shoe-floor acl. A table's user is called as its table."
    for table in who.tables:
        yield f"\nuser {table}"
        yield from (f"topic write {who.root}/{table}/{name}" for name in TABLE_WRITES)
        yield f"topic read {who.root}/{table}/#"
    others = {
        who.ingest: INGEST_WRITES,
        **dict.fromkeys(who.backends, BACKEND_WRITES),
        **dict.fromkeys(who.pages, PAGE_WRITES),
        **dict.fromkeys(who.readers, ()),
    }
    for name, writes in others.items():
        yield f"\nuser {name}"
        yield f"topic read {who.root}/#"
        yield from (f"topic write {who.root}/+/{topic}" for topic in writes)


def nats(who: Users, passwords: Mapping[str, str], consumer: str) -> Iterator[str]:
    """Yield the users of an account of NATS, to be included there. Raises ConfigError where a password is missing."""
    root = _subject(who.root)
    ingest = [f"$MQTT.msgs.{root}.*.{name}" for name in INGEST_WRITES]
    heard = ["_INBOX.>", "$MQTT.sub.>", *(f"{root}.*.{name}" for name in _HEARD)]
    whole = [root, f"{root}.>", "$MQTT.sub.>"]
    yield "# Who may say what, written by shoe-floor acl --nats: secret, as the passwords are in it."
    yield "users: ["
    yield _user(who.ingest, passwords, [*ingest, *(each.format(consumer=consumer) for each in _JETSTREAM)], heard, "")
    for table in who.tables:
        own = f"{root}.{_subject(table)}"
        yield _user(table, passwords, [f"{own}.{name}" for name in TABLE_WRITES], [own, f"{own}.>", "$MQTT.sub.>"])
    for name, writes in [(each, BACKEND_WRITES) for each in who.backends] + [(each, PAGE_WRITES) for each in who.pages]:
        yield _user(name, passwords, [f"{root}.*.{topic}" for topic in writes], whole)
    for name in who.readers:
        yield _user(name, passwords, [], whole)
    yield "]"


def read_passwords(path: Path) -> dict[str, str]:
    """Return the passwords in a file, a line NAME:PASSWORD each; they may be hashed by bcrypt. Raises ConfigError."""
    try:
        lines = text_in(path).splitlines()
    except (OSError, Undecodable):
        raise ConfigError(f"{path} cannot be read", "write a line NAME:PASSWORD for each user, mode 0600") from None
    return {name: password for name, found, password in (line.partition(":") for line in lines) if found and password}


def _user(
    name: str,
    passwords: Mapping[str, str],
    publish: list[str],
    subscribe: list[str],
    only: str = 'allowed_connection_types: ["MQTT"], ',
) -> str:
    """Return a user; one that may publish nothing is denied everything, as an empty list would allow it."""
    if name not in passwords:
        raise ConfigError(f"{name} has no password", "write a line NAME:PASSWORD into the file of --nats")
    allowed = json.dumps(publish) if publish else '{ deny: ">" }'
    rights = f"publish: {allowed}, subscribe: {json.dumps(subscribe)}"
    return (
        f"  {{ user: {json.dumps(name)}, password: {json.dumps(passwords[name])}, {only}permissions: {{ {rights} }} }}"
    )


def _subject(word: str) -> str:
    """Return a word of an MQTT topic in NATS. Raises ConfigError for one that would be a wildcard there."""
    if "*" in word or ">" in word:
        raise ConfigError(f"{word!r} is no name for NATS", "take one without * and >")
    return word.replace(".", "//")
