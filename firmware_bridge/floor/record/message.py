"""Turns a message of a table into a row of the store, and keeps its bytes as they came."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from msgspec import Struct

from firmware_bridge.client.ledger import ROUND_EVENTS
from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.decoding import Undecodable, json_of, text_of
from firmware_bridge.facts.events_of_rounds import EntryName
from firmware_bridge.facts.printable import fault
from firmware_bridge.facts.wire import LONGEST, StreamMessage

EVENT: Final = "event"
ROUND: Final = "round"
STREAMS: Final = (EVENT, ROUND)
"""Topics of which every message is kept."""

JOURNAL: Final = re.compile(r"[0-9]{1,16}-[0-9a-z]{1,64}")
WORD: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
"""The form of a game and a status, also of those that a later version has."""

FIRST_YEAR, LAST_YEAR = 1970, 9998
"""Years of times that are one in every zone, too."""

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
"""The form of a time: RFC 3339, ms, UTC. Such texts sort by time."""


class Key(NamedTuple):
    """A journal of a table."""

    table: str
    journal: str


class Row(NamedTuple):
    """A message of `topic` (`event` or `round`): a row of the table `message`.

    received_at: RFC 3339, ms, UTC. game to prev_seq: None in an `event`. body: the bytes as they came, or with names
    replaced. digest: SHA-256 of the bytes as they came if names are replaced, else None.
    """

    topic: str
    table: str
    journal: str
    seq: int
    n: int
    of: int
    shoe: int
    at: str
    received_at: str
    game: str | None
    round: int | None
    status: str | None
    revision: int | None
    prev_journal: str | None
    prev_seq: int | None
    body: bytes
    digest: bytes | None = None

    @property
    def key(self) -> Key:
        """Its journal."""
        return Key(self.table, self.journal)


class Unread(NamedTuple):
    """A payload that is no message of a table, for the quarantine. topic: in full. reason: in words."""

    topic: str
    received_at: str
    reason: str
    body: bytes


class _Typed(Struct, frozen=True):
    type: str


class _Event(StreamMessage, frozen=True, kw_only=True):
    event: _Typed


class _Round(StreamMessage, frozen=True, kw_only=True):
    game: str
    round: int
    status: str
    revision: int
    prev: EntryName | None


_event = json_of(_Event)
_round = json_of(_Round)


def row(topic: str, table: str, body: bytes, received_at: str) -> Row:
    """Decode a message into a row. topic: `event` or `round`. table: from the broker's topic. Raises MessageError."""
    try:
        message: _Event | _Round = _event(body) if topic == EVENT else _round(body)
        text_of(body)
    except Undecodable as error:
        raise MessageError(f"not a message of the topic {topic}: {error}", "") from None
    if wrong := _wrong(message, table):
        raise MessageError(wrong, "")
    head = (topic, table, message.journal, message.seq, message.n, message.of, message.shoe, message.at, received_at)
    if isinstance(message, _Event):
        return Row(*head, None, None, None, None, None, None, body)
    journal, seq = (message.prev.journal, message.prev.seq) if message.prev else (None, None)
    return Row(*head, message.game, message.round, message.status, message.revision, journal, seq, body)


def is_same(one: tuple[bytes, bytes | None], other: tuple[bytes, bytes | None]) -> bool:
    """Return whether two messages, each a body and a digest, came as the same bytes."""
    if one[1] is None and other[1] is None:
        return one[0] == other[0]
    first, second = (digest or sha256(body).digest() for body, digest in (one, other))
    return first == second


def came_as(row: Row) -> bytes:
    """Return the SHA-256 of a message as it came, with the names of people."""
    return row.digest or sha256(row.body).digest()


def makes_round(row: Row) -> bool:
    """Return whether an `event` comes with a `round` message."""
    if row.topic != EVENT or not (b'"Round' in row.body or b"\\u" in row.body):  # its type, or one that is escaped
        return False
    return _event(row.body).event.type in ROUND_EVENTS


def _wrong(message: _Event | _Round, table: str) -> str | None:
    """Return the reason to reject a decoded message; None for a good one."""
    if message.table != table:
        return f"it is a message of table {message.table!r}, but came on the topic of table {table!r}"
    numbers, texts = [message.seq, message.of, message.shoe], [message.table, message.journal, message.at]
    if isinstance(message, _Round):
        numbers += [message.round, message.revision, message.prev.seq if message.prev else 0]
        texts += [message.game, message.status, message.prev.journal if message.prev else "-"]
    if min(numbers) < 0 or max(numbers) > MOST:
        return f"a number in it is below 0 or above {MOST}"
    if not all(texts):
        return "a name in it is empty"
    if fault("".join(texts), LONGEST):  # rare: then find out which
        return next((f"a name in it {found}" for text in texts if (found := fault(text, LONGEST))), None)
    return _not_of_its_form(message)


def _not_of_its_form(message: _Event | _Round) -> str | None:
    journals, words = [message.journal], list[str]()
    if isinstance(message, _Round):
        journals += [message.prev.journal] if message.prev else []
        words += [message.game, message.status]
    if (text := next((each for each in journals if not _is_journal(each)), None)) is not None:
        return f"{text!r} in it is not the id of a journal"
    if (text := next((each for each in words if not _is_word(each)), None)) is not None:
        return f"{text!r} in it is not a game or a status"
    return None if _is_time(message.at) else f"{message.at!r} in it is not a time"


@lru_cache(4096)
def _is_journal(text: str) -> bool:
    return bool(JOURNAL.fullmatch(text))


@lru_cache(256)
def _is_word(text: str) -> bool:
    return bool(WORD.fullmatch(text))


def _is_time(at: str) -> bool:
    """Return whether a text is a time of the calendar in its form: an engine that counts in times takes no other."""
    try:
        return bool(TIME.fullmatch(at)) and FIRST_YEAR <= datetime.fromisoformat(at).year <= LAST_YEAR
    except ValueError:
        return False


def now() -> str:
    """Return the time now, RFC 3339 with milliseconds, UTC."""
    return rfc3339(datetime.now(UTC))


def rfc3339(time: datetime) -> str:
    """Return a time of UTC with milliseconds, as it stands in messages and in the store."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(at: str) -> float:
    """Return seconds since 1970 of an RFC 3339 time."""
    return datetime.fromisoformat(at).timestamp()
