"""One entry of a table, put together from its messages, some of which may be forged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Annotated, Final, NamedTuple

import msgspec

from firmware_bridge.client.heads import Part, follows, is_round_of, round_of
from firmware_bridge.floor.record.message import EVENT, Row

LONGEST_ORIGIN: Final = 200

TRIES: Final = 4096
"""Most ways to put an entry together from messages with the same key and other bytes."""

BEGUN: Final = b'{"type":"RecordBegun",'


class _Before(msgspec.Struct, frozen=True):
    """What a record goes on from."""

    head: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Begun(msgspec.Struct, frozen=True):
    """The event that begins a record, as far as it is read."""

    origin: Annotated[str, msgspec.Meta(max_length=LONGEST_ORIGIN)]
    key: Annotated[str, msgspec.Meta(max_length=2 * LONGEST_ORIGIN)]
    follows: _Before


class Entry:
    """Messages with one beginning and head: those of an entry, some perhaps forged."""

    def __init__(self, of: int) -> None:
        self.of = of
        self.parts: dict[int, list[tuple[Part, Row]]] = {}
        self.rounds: dict[int, list[Row]] = {}
        self.is_attached = False

    def add(self, row: Row, known: Part | None) -> bool:
        """Add a message; whether it is new."""
        if known is None:
            rounds = self.rounds.setdefault(row.n, [])
            if any(each.body == row.body for each in rounds):
                return False
            rounds.append(row)
            return True
        parts = self.parts.setdefault(row.n, [])
        if any(each.body == row.body for _, each in parts):
            return False
        parts.append((known, row))
        return True

    def drop(self, row: Row) -> bool:
        """Remove a message; whether none is left."""
        if row.topic == EVENT:
            self.parts[row.n] = [each for each in self.parts.get(row.n, ()) if each[1].body != row.body]
        else:
            self.rounds[row.n] = [each for each in self.rounds.get(row.n, ()) if each.body != row.body]
        return not any(self.parts.values()) and not any(self.rounds.values())

    @property
    def rows(self) -> Iterator[Row]:
        """All its messages."""
        for parts in self.parts.values():
            yield from (row for _, row in parts)
        for rounds in self.rounds.values():
            yield from rounds

    @property
    def is_whole(self) -> bool:
        """Whether all its messages are here, each in one form at least."""
        events = [each[0][0] for each in self.parts.values() if each]
        return len(events) == self.of and all(self.rounds.get(each.n) for each in events if round_of(each))

    @property
    def signed(self) -> Part | None:
        """Its last message, where that has a checkpoint."""
        return next((each for each, _ in self.parts.get(self.of, ()) if each.note), None)

    def made(self, before: str, keys: ChainKeys, origin: str) -> tuple[list[Part], list[Row]] | None:
        """Its parts and rows, events and rounds in order, if it is whole and follows a head; the best of each."""
        if len(self.parts) != self.of:
            return None
        choices = [self.parts.get(n, []) for n in range(1, self.of + 1)]
        if any(len(each) > 1 for each in choices):
            choices = [sorted(each, key=lambda found: keys.rank(found[0].note), reverse=True) for each in choices]
        for way in islice(product(*choices), TRIES):
            parts = [each for each, _ in way]
            if follows(before, parts) and (rows := self._with_rounds(way, keys, _origin_of(parts) or origin)):
                return parts, rows
        return None

    def _with_rounds(self, way: Sequence[tuple[Part, Row]], keys: ChainKeys, origin: str) -> list[Row] | None:
        """The rows of an entry with those of its rounds; None if a round is missing, or signed by no key that counts.

        An entry without a checkpoint was written without a key, and so were its rounds.
        """
        rows, needs_key = [], bool(way[-1][0].note)
        for each, row in way:
            rows.append(row)
            if (expected := round_of(each)) is not None:
                came = self.rounds.get(each.n, ())
                found = next((r for r in came if is_round_of(keys.publics, origin, r.body, expected)), None)
                if found is None and not needs_key:
                    found = next((r for r in came if is_round_of((), origin, r.body, expected)), None)
                if found is None:
                    return None
                rows.append(found)
        return rows


class ChainKeys(NamedTuple):
    """The keys of a table.

    publics: those that may have signed a round, () for any. is_signed: whether a key that counts signed a checkpoint.
    """

    publics: tuple[bytes, ...] = ()
    is_signed: Callable[[str], bool] = bool

    def rank(self, note: str) -> tuple[bool, bool]:
        """Sorts checkpoints of one entry, the best one last."""
        return bool(note) and self.is_signed(note), bool(note)


ANY_KEY: Final = ChainKeys()


def begun_by(last: Part) -> Begun | None:
    """The event in the last message of an entry, if it begins a record."""
    if not last.raw.startswith(BEGUN):
        return None
    try:
        return msgspec.json.decode(last.raw, type=Begun)
    except msgspec.MsgspecError:
        return None


def begun_in(entry: Entry) -> Begun | None:
    """The event of an entry that begins a record; None if none of its messages has one."""
    return next((found for each, _ in entry.parts.get(entry.of, ()) if (found := begun_by(each))), None)


def _origin_of(parts: Sequence[Part]) -> str:
    found = begun_by(parts[-1])
    return found.origin if found else ""
