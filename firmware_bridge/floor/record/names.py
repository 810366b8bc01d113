"""Replaces names of people in messages by pseudonyms before a store keeps them."""

import hashlib
import hmac
import re
import unicodedata
from typing import Final

import msgspec

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import BY_KEY
from firmware_bridge.floor.config import secret
from firmware_bridge.floor.record.message import Row, Unread

_OF_A_PERSON: Final = ("login", "terminal_claimed")

PEOPLE: Final = {
    "ShoeOpened": ("dealer", "confirmed_by"),
    "DealerSignedIn": ("dealer",),
    "CommandAnswered": ("by", "on_behalf_of", *_OF_A_PERSON),
    "CardEntered": ("by", "second"),
    "CardLookedAt": ("by", "second"),
    "IrregularityClosed": ("by", "second"),
    "KeyChanged": ("by", "second", *_OF_A_PERSON),
    "MarkGiven": ("by",),
    "MarkTakenBack": ("by",),
    "RoundClosed": ("dealt_by",),
    "RoundCorrected": ("by", "dealt_by", "second"),
    "RoundVoided": ("by", "dealt_by", "second"),
    "ReaderLent": ("to", *_OF_A_PERSON),
    "RecordEnded": ("by", "second", *_OF_A_PERSON),
    "ShiftEnded": ("dealer",),
    "SoftwareChanged": ("by",),
    "TableClosed": ("by",),
}
"""Type of an event -> its fields that name a person. A message of the topic `round` has those of `RoundVoided`."""

NO_PERSON: Final = frozenset({"", "backend", "dealer", "shoe"})
"""Values of such a field that are no person."""

SHORTEST_KEY: Final = 32
"""Fewest bytes of a key."""

_EVENT: Final = re.compile(rb'"event":\{"type":"(\w+)"')
_FIELDS: Final = {
    kind: re.compile(rb'"(?:%b)":("(?:[^"\\]|\\.)*")' % "|".join(fields).encode())
    for kind, fields in {**PEOPLE, "": tuple(sorted({each for fields in PEOPLE.values() for each in fields}))}.items()
}
"""Type of an event, "" for an unknown one -> pattern of the bytes that name people."""

_WORDS: Final = tuple(
    re.compile(each)
    for each in (
        rb'\blent to ((?:[^"\\]|\\.)+?)(?= for calibration"|, or on its way back"|")',
        rb'test cards passed while no daemon ran, by ((?:[^"\\]|\\.)+?)(?=")',
        rb'"why":"closed by ((?:[^"\\]|\\.)+?)(?=")',
    )
)
"""Patterns of the shoe's own sentences that name people."""


class Names:
    """Makes pseudonyms with a key: under one key a person has the same pseudonym at every table."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def pseudonym(self, name: str) -> str:
        """The pseudonym of a name; case and invisible characters make no difference."""
        return (
            "p-" + hmac.digest(self._key, as_hashed(name).encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]
        )

    def row(self, row: Row) -> Row:
        """A message without names; its digest of the bytes as they came distinguishes a repeat from a conflict."""
        kind = found[1].decode() if (found := _EVENT.search(row.body)) else "RoundVoided"
        body = self._without(row.body, kind)
        return row if body == row.body else row._replace(body=body, digest=hashlib.sha256(row.body).digest())

    def unread(self, unread: Unread) -> Unread:
        """A payload for the quarantine, without what looks like a name."""
        return unread._replace(body=self._without(unread.body, ""))

    def _without(self, body: bytes, kind: str) -> bytes:
        if pattern := _FIELDS.get(kind):
            body = pattern.sub(self._field, body)
        for words in _WORDS:
            body = words.sub(self._word, body)
        return body

    def _field(self, found: re.Match[bytes]) -> bytes:
        return self._put(found, _text(found[1]), b'"%b"')

    def _word(self, found: re.Match[bytes]) -> bytes:
        return self._put(found, _text(b'"%b"' % found[1]), b"%b")

    def _put(self, found: re.Match[bytes], name: str, form: bytes) -> bytes:
        if name in NO_PERSON or name.startswith(BY_KEY):
            return found[0]
        hidden = form % self.pseudonym(name).encode()
        start, (begin, end) = found.start(), found.span(1)
        return found[0][: begin - start] + hidden + found[0][end - start :]


def as_hashed(name: str) -> str:
    """What of a name its pseudonym is made of: it never changes, or a person would get another pseudonym.

    Whether two names are one person's is for `facts/names.py` to say.
    """
    letters = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in letters if unicodedata.category(each) != "Cf" and not each.isspace())


def names(key_file: str | None) -> Names | None:
    """Pseudonyms with the key in a file; None if no file is named. Raises ConfigError."""
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
    """The text of a JSON string; other bytes are read as latin-1."""
    try:
        return msgspec.json.decode(token, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return token.decode("latin-1")
