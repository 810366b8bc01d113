"""What a store keeps of the records of tables: keys, logs, leaves, messages that wait, incidents."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.record.message import Row

Kind = Literal[
    "two_heads",
    "two_keys",
    "new_birth",
    "prev_null",
    "journal_number",
    "round_without_event",
    "closed_and_voided",
    "bad_checkpoint",
    "split_view",
    "rotation",
    "other_code",
    "other_pi",
    "foreign",
    "hours",
    "rewritten",
    "unlisted",
    "flood",
]
"""Kinds of incidents. rewritten: a row of the store is not what was verified; hours: a round outside `[tables]`.

unlisted: messages in names that `[tables]` does not list, counted; its table is `OTHERS`.
flood: more came in an hour, or waits, than is kept of what nothing verifies."""

OTHERS: Final = "+"
"""The table of an incident that is of no table: no table has this name."""

Trust = Literal["seen", "enrolled", "revoked"]
"""Of a key: the first one that a table showed, one that two people enrolled, one that no longer counts."""

NO_LIMIT: Final = -1

PendingKey = tuple[str, str, str, int, int, bytes]
"""Key of a message that waits: topic, table, journal, seq, n, and the SHA-256 of its bytes as they came."""


class Found(NamedTuple):
    """What should not be. place: what it is about; once for each kind and place it is an incident."""

    kind: Kind
    place: str
    text: str


class TrustedKey(NamedTuple):
    """A key of a table. by, second: who enrolled it. until: the size above which it no longer counts, -1 for none."""

    table: str
    vkey: str
    trust: Trust
    by: str
    second: str
    at: str
    until: int = NO_LIMIT

    @property
    def was_enrolled(self) -> bool:
        """Whether two people said that it is the table's; also after they revoked it."""
        return self.trust != "seen"


class Log(NamedTuple):
    """How far a record is verified. birth: counts the records of a table. vkey: the key that verified it.

    begun_journal, begun_seq: its first entry. journal, seq, head: its last verified entry; size, edge: the tree with
    it; note: its checkpoint. witnessed: the size that a quorum cosigned.
    """

    table: str
    origin: str
    birth: int
    vkey: str
    begun_journal: str
    begun_seq: int
    size: int = 0
    edge: bytes = b""
    journal: str = ""
    seq: int = 0
    head: str = ""
    note: str = ""
    witnessed: int = 0

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """The whole subtrees, largest first."""
        return tuple(self.edge[at : at + 32] for at in range(0, len(self.edge), 32))


class Leaf(NamedTuple):
    """A verified entry of a record. idx: from 0."""

    origin: str
    idx: int
    table: str
    journal: str
    seq: int
    head: str


class Pending(NamedTuple):
    """A message of an enrolled table that no checkpoint has verified.

    state: `waits`; `evidence` if the verified entry in its place is another. came: SHA-256 of the bytes as they came.
    """

    row: Row
    came: bytes
    state: str = "waits"


class ProvedRound(NamedTuple):
    """A round that a checkpoint verified. idx: of its entry in the record, from 0."""

    row: Row
    origin: str
    idx: int


class Incident(NamedTuple):
    """What should not be. place: what it is about, with which it is stored once. at: RFC 3339, ms, UTC."""

    table: str
    kind: str
    place: str
    at: str
    text: str


class TableState(NamedTuple):
    """What a store knows of a table's record. firsts: rounds that name none before them.

    pending: key, size and state of each message that waits, the oldest first.
    """

    keys: Sequence[TrustedKey]
    logs: Sequence[Log]
    firsts: Sequence[tuple[str, int]]
    pending: Sequence[tuple[PendingKey, int, str]]


class Changes:
    """What a batch changes in the records, to be committed with its messages."""

    def __init__(self) -> None:
        self.keys: list[TrustedKey] = []
        self.logs: dict[tuple[str, str], Log] = {}
        self.leaves: list[Leaf] = []
        self.proved: list[ProvedRound] = []
        self.pending: dict[PendingKey, Pending] = {}
        self.settled: dict[PendingKey, None] = {}
        self.evidence: dict[PendingKey, None] = {}
        self.incidents: dict[tuple[str, str, str], Incident] = {}

    def __bool__(self) -> bool:
        rows = (self.leaves, self.proved, self.pending, self.settled, self.evidence)
        return any(map(bool, (self.keys, self.logs, *rows, self.incidents)))
