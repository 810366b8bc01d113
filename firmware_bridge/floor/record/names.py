"""Replaces names of people in messages by pseudonyms before a store keeps them: the types say where a name is."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final, get_args

import msgspec
from msgspec import Raw, Struct, inspect
from msgspec.structs import fields

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.book import alarms, endings, failures, notes, refusals
from firmware_bridge.facts.bounds import PERSON
from firmware_bridge.facts.decoding import Undecodable, from_json, json_of
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.orders import BY_KEY
from firmware_bridge.facts.people import NO_PERSON, people
from firmware_bridge.facts.wire import RoundMessage
from firmware_bridge.floor.config import secret
from firmware_bridge.floor.record import before_codes
from firmware_bridge.floor.record.message import ROUND, Row, Unread

SHORTEST_KEY: Final = 32
"""Fewest bytes of a key."""

Hide = Callable[[bytes], bytes]
"""Gives the JSON of a pseudonym for that of a name."""

Change = Callable[[bytes, Hide], bytes]
"""Gives JSON of a type without the names in it; the same bytes where there are none."""

BOOKS: Final = (
    *(refusals.REFUSALS, refusals.PHRASES, alarms.PHRASES, failures.ROWS),
    *(endings.SHOES, endings.REASONS, notes.NOTES),
)
"""What the values beside a code, or an id, are."""


class Names:
    """Makes pseudonyms with a key: under one key a person has the same pseudonym at every table."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def pseudonym(self, name: str) -> str:
        """Return the pseudonym of a name; case and invisible characters make no difference."""
        return (
            "p-" + hmac.digest(self._key, as_hashed(name).encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]
        )

    def row(self, row: Row) -> Row:
        """Return a message without names; its digest of the bytes as they came tells a repeat from a conflict."""
        try:
            body = _round()(row.body, self._token) if row.topic == ROUND else self._event(row.body)
        except Undecodable:  # such as a key that is no text
            body = self._looks(row.body)
        return row if body == row.body else row._replace(body=body, digest=hashlib.sha256(row.body).digest())

    def unread(self, unread: Unread) -> Unread:
        """Return a payload for the quarantine, without what looks like a name."""
        return unread._replace(body=self._looks(unread.body))

    def word(self, text: bytes) -> bytes:
        """Return the pseudonym of a name; both as bytes within a text of JSON."""
        return self._token(b'"%b"' % text)[1:-1]

    def _event(self, body: bytes) -> bytes:
        message = _object(body)
        event = bytes(message["event"])
        if (change := _events().get(_typed(event).type)) is None:  # of a later version
            return self._looks(body)
        hidden = before_codes.without_names(change(event, self._token), self.word)
        return body if hidden == event else _encode(message | {"event": Raw(hidden)})

    def _looks(self, body: bytes) -> bytes:
        """Return the bytes without what looks like a name, where no type says what is one."""
        body = _field().sub(lambda found: found[1] + self._token(found[2]), body)
        return before_codes.without_names(body, self.word)

    def _token(self, token: bytes) -> bytes:
        name = _text(token)
        if name in NO_PERSON or name.startswith(BY_KEY):
            return token
        return b'"%b"' % self.pseudonym(name).encode()


def as_hashed(name: str) -> str:
    """Return what of a name its pseudonym is made of: it never changes, or a person would get another pseudonym.

    Whether two names are one person's is for `facts/names.py` to say.
    """
    letters = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in letters if unicodedata.category(each) != "Cf" and not each.isspace())


def names(key_file: str | None) -> Names | None:
    """Return pseudonyms with the key in a file; None if no file is named. Raises ConfigError."""
    if key_file is None:
        return None
    try:
        key = secret(key_file).read_bytes().strip()
    except OSError as error:
        what = f"[ingest] pseudonym_key_file {key_file}: {error.strerror}"
        raise ConfigError(what, "check the path and its owner") from None
    if len(key) < SHORTEST_KEY:
        what = f"[ingest] pseudonym_key_file {key_file}: the key is shorter than {SHORTEST_KEY} characters"
        raise ConfigError(what, "make one: openssl rand -hex 32")
    return Names(key)


def _text(token: bytes) -> str:
    """Return the text of a JSON string; other bytes are read as latin-1."""
    try:
        return from_json(token, str)
    except Undecodable:
        return token.decode("latin-1")


# ---------------------------------------------------------------- where a type has names


class _Typed(Struct):
    type: str


_typed: Final = json_of(_Typed)
_object: Final = json_of(dict[str, Raw])
_list: Final = json_of(list[Raw])
_encode: Final = msgspec.json.Encoder().encode


@cache
def _events() -> dict[str, Change]:
    return {each.__name__: _of_struct(each) or _as_it_is for each in get_args(AnyEvent)}


@cache
def _round() -> Change:
    """Return the change of a message of the topic `round`, of any status."""
    parts = {name: change for each in get_args(RoundMessage) for name, change in _changes(each)}
    return partial(_in_object, parts)


def _as_it_is(json: bytes, hide: Hide) -> bytes:
    return json


@cache
def _of_struct(kind: type[Struct]) -> Change | None:
    """Return the change of a struct; None for one without names."""
    found = {each.encode_name for each in fields(kind)}
    if "values" in found and found & {"code", "id"}:
        return partial(_beside_a_code, dict(_changes(kind, "values")))
    parts = dict(_changes(kind))
    return partial(_in_object, parts) if parts else None


def _changes(kind: type[Struct], *without: str) -> Iterator[tuple[str, Change]]:
    for each in fields(kind):
        if each.encode_name not in without and (change := _change(inspect.type_info(each.type))):
            yield each.encode_name, change


def _change(info: inspect.Type) -> Change | None:
    match info:
        case inspect.Metadata(extra={"of": of}) if of == PERSON:
            return _name
        case inspect.Metadata(type=inside):
            return _change(inside)
        case inspect.UnionType(types=kinds):
            return next(filter(None, map(_change, kinds)), None)
        case inspect.StructType(cls=kind):
            return _of_struct(kind)
        case inspect.VarTupleType(item_type=item) if change := _change(item):
            return partial(_in_list, change)
        case inspect.DictType(key_type=key) if _change(key):
            return _names_as_keys
    return None


def _name(json: bytes, hide: Hide) -> bytes:
    return hide(json) if json.startswith(b'"') else json


def _in_object(parts: dict[str, Change], json: bytes, hide: Hide) -> bytes:
    """Return an object with some fields changed."""
    found = _object(json) if json.startswith(b"{") else {}
    changed = {
        name: Raw(after)
        for name, change in parts.items()
        if name in found and (after := change(before := bytes(found[name]), hide)) != before
    }
    return _encode(found | changed) if changed else json


def _in_list(change: Change, json: bytes, hide: Hide) -> bytes:
    if not json.startswith(b"["):
        return json
    before = [bytes(each) for each in _list(json)]
    after = [change(each, hide) for each in before]
    return json if before == after else _encode([Raw(each) for each in after])


def _names_as_keys(json: bytes, hide: Hide) -> bytes:
    found = _object(json) if json.startswith(b"{") else {}
    hidden = {from_json(hide(_encode(name)), str): each for name, each in found.items()}
    return json if [*hidden] == [*found] else _encode(hidden)


def _beside_a_code(parts: dict[str, Change], json: bytes, hide: Hide) -> bytes:
    """Return an object in which `values` are those of a row of the `BOOKS`, by its code or its id."""
    if not json.startswith(b"{"):
        return json
    found = _object(json)
    code = _text(bytes(found["code"])) if "code" in found else None
    id = _text(bytes(found["id"])) if code is None and "id" in found else None
    named = _people_of(code) if code is not None else _people_of_id(id or "")
    return _in_object({**parts, "values": partial(_in_values, named)}, json, hide)


def _in_values(named: frozenset[str], json: bytes, hide: Hide) -> bytes:
    found = _object(json) if json.startswith(b"{") else {}
    return _in_object({name: _name if name in named else _value for name in found}, json, hide)


def _value(json: bytes, hide: Hide) -> bytes:
    """Return a value that is no name: a phrase has values of its own."""
    return _in_list(_value, json, hide) if json.startswith(b"[") else _beside_a_code({}, json, hide)


def _by_code() -> Iterator[tuple[str, frozenset[str]]]:
    for code in {code for book in BOOKS for code in book}:
        rows = (book.get(code, {}) for book in BOOKS)
        yield code, frozenset(name for row in rows for name, kind in row.items() if kind == PERSON)


_BY_CODE: Final = dict(_by_code())
"""Code -> the values of its rows that name a person."""

_BY_ID: Final = {
    **{id: _BY_CODE[id] for id in endings.REASONS},
    **{id: frozenset(name for name, kind in row.values.items() if kind == PERSON) for id, row in alarms.SHOE.items()},
    "zhajinhua_won": frozenset[str](),  # of a game: its `by` is how the round was won
}
"""Id of an alarm or a reason -> its values that name a person."""

_ANY: Final = frozenset[str]().union(*_BY_CODE.values())


def _people_of(code: str) -> frozenset[str]:
    """Return the names of the values that name a person; of a later version's code, all that may be such names."""
    return _BY_CODE.get(code, _ANY)


def _people_of_id(id: str) -> frozenset[str]:
    """Return the same by the id of an alarm or a reason."""
    return _BY_ID.get(id, _ANY)


@cache
def _field() -> re.Pattern[bytes]:
    """Return the pattern of a field that names a person in some message: what stands before its text, and that."""
    found = {name for each in (*get_args(AnyEvent), *get_args(RoundMessage)) for name in _anywhere(each)} | _ANY
    return re.compile(rb'("(?:%b)"\s*:\s*)("(?:[^"\\]|\\.)*")' % "|".join(sorted(found)).encode())


def _anywhere(kind: type[Struct]) -> Iterator[str]:
    yield from people(kind)
    for each in fields(kind):
        yield from (name for part in _structs(inspect.type_info(each.type)) for name in people(part))


def _structs(info: inspect.Type) -> Iterator[type[Struct]]:
    match info:
        case inspect.UnionType(types=kinds):
            for each in kinds:
                yield from _structs(each)
        case inspect.VarTupleType(item_type=item):
            yield from _structs(item)
        case inspect.StructType(cls=kind):
            yield kind
