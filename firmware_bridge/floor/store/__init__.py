"""What a store of messages can do, whatever its engine."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol

from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.record.ledger import Loaded, Progress
from firmware_bridge.floor.record.message import Key, Row, Unread

What = Literal["rounds", "messages", "conflicts", "quarantine", "gaps", "shoes", "expired"]
"""What is exported: the rounds that count; every message; and what the views of the same names hold."""

Part = Literal["ingest", "reader"]
"""What a role of a server may do: keep messages, or read them. Neither changes or deletes one."""


FORMAT: Final = 3
"""Of the tables and views, in both engines: no other is read or written."""


class StoreError(BridgeError, OSError):
    """The store cannot be read or written now."""


class OtherFormat(StoreError):
    """A store of another format, or of another program: nothing was written to it."""

    def __init__(self, place: str, found: int) -> None:
        what = f"{place} is a store of format {found}, and this shoe-floor reads and writes format {FORMAT}"
        super().__init__(what, "install the version that made it, or name another one in [store] of floor.toml")


class Saved(NamedTuple):
    """What a batch brought: messages that are new, repeats of the same bytes, and conflicts."""

    fresh: int = 0
    repeats: int = 0
    conflicts: int = 0


class Old(NamedTuple):
    """A journal whose newest message is older than a time. stays: why it is not deleted, empty where it can be."""

    key: Key
    shoe: int
    first_at: str
    last_at: str
    messages: int
    rounds: int
    stays: str


class Counts(NamedTuple):
    """How many messages were ever stored, came with other bytes, were none; and how many journals have gaps.

    The first is estimated where the engine cannot tell it at once, the others where they are many (docs/metrics.md).
    """

    messages: int
    conflicts: int
    quarantine: int
    gaps: int


class Reader(Protocol):
    """Reads a store beside the ingest, which never waits for it. It makes and changes nothing. Raises StoreError."""

    def counts(self) -> Counts:
        """How much there is, at once, however much it is."""

    def last_rounds(self, key: Key, shoe: int, most: int) -> list[bytes]:
        """The newest messages of the topic `round` of a table that is at this journal and shoe; the oldest first.

        A correction, and the void of a closed round, come with the message that closed it, or not at all.
        """

    def close(self) -> None:
        """Let go of the store."""


class Store(Protocol):
    """Keeps messages for ever: what `save` returned from is on disk. All its methods raise StoreError."""

    def save(self, rows: Sequence[Row], unread: Sequence[Unread], progress: Sequence[Progress]) -> Saved:
        """Commit a batch, all of it or nothing."""

    def load(self, key: Key) -> Loaded:
        """A journal as far as it is kept; nothing of it where it is unknown."""

    def lacking(self) -> list[Key]:
        """The journals that are not whole, or begun after what is still to be asked for."""

    def count(self, what: What) -> int:
        """How many rows there are."""

    def columns(self, what: What) -> tuple[str, ...]:
        """The names of what `rows` gives."""

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        """All rows, of one table or journal where one is named."""

    def newest(self) -> str:
        """The time, RFC 3339, of the newest message: by the shoe's clock or by when it came, whichever is earlier.

        Empty where there is no message.
        """

    def old(self, before: str) -> list[Old]:
        """The journals of which nothing was said, or came, since a time, RFC 3339; the oldest first."""

    def expire(self, key: Key, before: str, now: str) -> Old | None:
        """Delete a journal, as `old` has it, and note that; None where it is not old, or stays."""

    def faults(self) -> list[str]:
        """What is wrong with the store's own files, in words; takes long where there is much."""

    def backup(self, target: Path) -> None:
        """Write all to a file that can take the store's place, while others write."""

    def grant(self, role: str, part: Part) -> None:
        """Let a role of the server do its part, and nothing else with these tables."""

    def close(self) -> None:
        """Let go of it."""


class StoredRound(NamedTuple):
    """A message of the topic `round`. prev_journal: where the round message before it at its table is."""

    journal: str
    shoe: int
    round: int
    revision: int
    prev_journal: str | None
    body: bytes

    @property
    def place(self) -> tuple[str, int, int]:
        """Which round it is about."""
        return self.journal, self.shoe, self.round


def newest_rounds(ask: Callable[[str, tuple[Any, ...]], Any], sql: Any, key: Key, shoe: int, most: int) -> list[bytes]:
    """The newest messages, the oldest first; what corrects a round that is older than all of them is left out.

    ask: executes a statement with its values; a cursor. sql: the module with the statements of this engine. key: the
    table and its present journal. shoe: the number of the present shoe.
    """

    def of_journal(journal: str, count: int) -> list[StoredRound]:
        return [StoredRound(*each) for each in ask(sql.LAST_ROUNDS, (key.table, journal, count))]

    found = of_journal(key.journal, most)
    if not found and (before := ask(sql.EARLIER, (key.table, shoe)).fetchone()):
        found = of_journal(str(before[0]), most)
    while found and len(found) < most:
        earlier = found[-1].prev_journal
        some = of_journal(earlier, most - len(found)) if earlier and earlier != found[-1].journal else []
        if not some:
            break
        found += some
    closed = {each.place for each in found if not each.revision}
    return [each.body for each in reversed(found) if each.place in closed]
