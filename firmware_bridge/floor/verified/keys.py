"""The keys of one table: which count for its record, and what a key that was not enrolled means."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.floor.record.state import NO_LIMIT, Found, TrustedKey
from firmware_bridge.record.verify import (
    ED25519,
    Checkpoint,
    Key,
    Note,
    Refused,
    is_signed,
    parse_checkpoint,
    parse_note,
    parse_vkey,
    verified_checkpoint,
)

LONGEST: Final = 400
"""Longest vkey that is looked at, in characters."""


class _Known(NamedTuple):
    """A key that counts up to a size, -1 for any."""

    key: Key
    until: int


class Keys:
    """A table's keys, as they are stored. Once a key is enrolled, the first one that was seen no longer counts.

    is_enrolled: whether two people said which key the table has; it stays so when they revoke it.
    """

    def __init__(self, stored: Iterable[TrustedKey]) -> None:
        self._stored = {each.vkey: each for each in stored}
        self.is_enrolled = any(each.was_enrolled for each in self._stored.values())
        self._known = tuple(self._counting())

    def counts(self, vkey: str) -> bool:
        """Return whether signatures of a key count, up to some size at least."""
        return any(each.key.vkey == vkey for each in self._known)

    @property
    def publics(self) -> tuple[bytes, ...]:
        """The keys that may sign a round: all that are not revoked; after a rotation also one that was not enrolled."""
        return tuple(parse_vkey(each.vkey).public for each in self._stored.values() if each.trust != "revoked")

    @property
    def origins(self) -> frozenset[str]:
        """The records that keys which count are for."""
        return frozenset(each.key.name for each in self._known)

    def verified(self, text: str, size: int) -> tuple[Checkpoint, str]:
        """Return what a note says of a tree of this size, and the key that counts and signed it. Raises Refused."""
        note = parse_note(text)
        keys = [each.key for each in self._known if each.until == NO_LIMIT or size <= each.until]
        stated = verified_checkpoint(note, keys)
        return stated, next(each.vkey for each in keys if each.name == stated.origin and _signed_by(note, each))

    def stated(self, text: str) -> Checkpoint | None:
        """Return what a note says that a key signed which counts; it may say anything. None for another one."""
        try:
            return verified_checkpoint(parse_note(text), [each.key for each in self._known])
        except Refused:
            return None

    def stranger(self, text: str, origin: str) -> str:
        """Return the id of a key in a note that has the name of a record and is none that counts; "" for none."""
        try:
            note = parse_note(text)
            parse_checkpoint(note.text)
        except Refused:
            return ""
        known = {(each.key.name, each.key.id) for each in self._known}
        found = (each for each in note.signatures if each.name == origin and (each.name, each.id) not in known)
        return next((each.id.hex() for each in found), "")

    def shown(self, table: str, vkey: str, origin: str, at: str) -> TrustedKey | Found | None:
        """Return what a key shown by a table means: the first, which is remembered; what should not be; or nothing."""
        if vkey in self._stored or len(vkey) > LONGEST:
            return None
        try:
            key = parse_vkey(vkey)
        except Refused:
            return None
        if key.kind != ED25519 or key.name != origin:
            return None
        if not self._stored:
            first = self._stored[vkey] = TrustedKey(table, vkey, "seen", "", "", at)
            self._known = tuple(self._counting())
            return first
        if origin in self.origins:
            return Found("two_keys", vkey, f"a second key of {origin} is shown: {vkey}")
        return Found("new_birth", vkey, f"a record that nobody enrolled: {vkey}")

    def changed(self, table: str, to: str, at: str) -> TrustedKey | None:
        """Return the key that a verified entry changes to, to remember; None if it is known, or no key of a record."""
        try:
            if to in self._stored or len(to) > LONGEST or parse_vkey(to).name not in self.origins:
                return None
        except Refused:
            return None
        found = self._stored[to] = TrustedKey(table, to, "seen", "", "", at)
        return found

    def _counting(self) -> Iterator[_Known]:
        wanted = "enrolled" if self.is_enrolled else "seen"
        for each in self._stored.values():
            if each.trust == wanted or (each.trust == "revoked" and each.until != NO_LIMIT):
                yield _Known(parse_vkey(each.vkey), each.until)


def _signed_by(note: Note, key: Key) -> bool:
    return any(
        (each.name, each.id) == (key.name, key.id) and is_signed(key.public, each.data, note.text.encode())
        for each in note.signatures
    )
