"""The tables of a store as one `MetaData`: the same names in every engine."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects import postgresql

TEXT: Final = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
INT: Final = BigInteger().with_variant(Integer(), "sqlite")
_BLOB: Final = LargeBinary()

TABLES: Final = MetaData()

GAP: Final = "whole < known and closed_to < known"
"""Condition of `progress`: entries are missing that were not closed."""

LACKS: Final = f"({GAP}) or since <> ''"


def texts(names: str, **more: Any) -> list[Column[Any]]:
    """Return columns of texts, by their names."""
    return [Column(name, TEXT, **{"nullable": False} | more) for name in names.split()]


def ints(names: str, **more: Any) -> list[Column[Any]]:
    """Return columns of integers, by their names."""
    return [Column(name, INT, **{"nullable": False} | more) for name in names.split()]


def _blobs(names: str, **more: Any) -> list[Column[Any]]:
    return [Column(name, _BLOB, **{"nullable": False} | more) for name in names.split()]


def part_index(name: str, *columns: Any, where: str, **more: Any) -> Index:
    """Return an index. where: which rows are in it."""
    part = text(where)
    return Index(name, *columns, sqlite_where=part, postgresql_where=part, **more)


def _of_round() -> list[Column[Any]]:
    """Return what a message of a round has beside that of an event."""
    return [
        *texts("game", nullable=True),
        *ints("round", nullable=True),
        *texts("status", nullable=True),
        *ints("revision", nullable=True),
        *texts("prev_journal", nullable=True),
        *ints("prev_seq", nullable=True),
    ]


message: Final = Table(
    "message",
    TABLES,
    *texts("topic tbl journal"),
    *ints("seq n of shoe"),
    *texts("at received_at"),
    *_of_round(),
    *_blobs("body"),
    *_blobs("digest", nullable=True),
    PrimaryKeyConstraint("topic", "tbl", "journal", "seq", "n"),
    part_index("round_first", "tbl", where="topic = 'round' and prev_journal is null"),
)
block: Final = Table(
    "block",
    TABLES,
    *texts("tbl journal"),
    *ints("shoe messages last_seq hidden_seq"),
    *texts("first_at last_at received_at"),
    *_blobs("body digest"),
    PrimaryKeyConstraint("tbl", "journal"),
)
"""All events of a journal that is over, compressed; its rounds stay in `message` (`blocks.py`)."""

block_shoe: Final = Table(
    "block_shoe",
    TABLES,
    *texts("tbl journal"),
    *ints("shoe messages last_seq"),
    *texts("first_at last_at"),
    PrimaryKeyConstraint("tbl", "journal", "shoe"),
)

conflict: Final = Table(
    "conflict",
    TABLES,
    *texts("topic tbl journal"),
    *ints("seq n"),
    *texts("received_at"),
    *_blobs("body digest"),
    PrimaryKeyConstraint("topic", "tbl", "journal", "seq", "n", "body").ddl_if(dialect="sqlite"),
    Index("conflict_once", "topic", "tbl", "journal", "seq", "n", text("sha256(body)"), unique=True).ddl_if(
        dialect="postgresql"
    ),
)
quarantine: Final = Table(
    "quarantine",
    TABLES,
    *texts("topic received_at reason"),
    *_blobs("body digest"),
    PrimaryKeyConstraint("topic", "reason", "body").ddl_if(dialect="sqlite"),
    Index("quarantine_once", text("md5(topic)"), text("md5(reason)"), text("sha256(body)"), unique=True).ddl_if(
        dialect="postgresql"
    ),
)
"""In PostgreSQL no index holds a body, or what the broker or a reader calls it: an entry has at most 2,700 bytes."""

progress: Final = Table(
    "progress",
    TABLES,
    *texts("tbl journal"),
    *ints("shoe whole known"),
    *(*texts("since"), *ints("closed_to"), *texts("tail"), *ints("tail_from"), *texts("moved_at")),
    PrimaryKeyConstraint("tbl", "journal"),
    part_index("progress_lacking", "tbl", "journal", where=LACKS),
)
"""moved_at: when the first of what is missing came last, or when it began to be missing."""

expired: Final = Table(
    "expired",
    TABLES,
    *texts("tbl journal"),
    *ints("shoe"),
    *texts("first_at last_at"),
    *ints("messages rounds"),
    *texts("expired_at"),
    PrimaryKeyConstraint("tbl", "journal"),
)
record_key: Final = Table(
    "record_key",
    TABLES,
    *texts("tbl vkey trust by_name second at"),
    *ints("until"),
    PrimaryKeyConstraint("tbl", "vkey"),
)
log: Final = Table(
    "log",
    TABLES,
    *texts("tbl origin"),
    *ints("birth"),
    *texts("vkey begun_journal"),
    *ints("begun_seq size"),
    *_blobs("edge"),
    *texts("journal"),
    *ints("seq"),
    *texts("head note"),
    *ints("witnessed"),
    PrimaryKeyConstraint("tbl", "origin"),
)
names: Final = Table(
    "names",
    TABLES,
    Column("id", INT, Identity(), primary_key=True),
    *texts("tbl name"),
    Index("names_once", "tbl", "name", unique=True),
)
"""The origin of a record (`tbl` is ''), or a journal of a table; `leaf` and `feed` have the number alone."""

leaf: Final = Table(
    "leaf",
    TABLES,
    *ints("record idx journal seq"),
    *_blobs("head"),
    PrimaryKeyConstraint("record", "idx"),
    Index("leaf_entry", "journal", "seq", "record", unique=True),
    sqlite_with_rowid=False,
)
"""The view `leaves` has them with their names."""

proved: Final = Table(
    "proved",
    TABLES,
    *texts("tbl journal"),
    *ints("seq n"),
    *texts("origin"),
    *ints("idx"),
    *ints("shoe", nullable=True),
    *texts("at received_at", nullable=True),
    *_of_round(),
    *_blobs("body digest", nullable=True),
    PrimaryKeyConstraint("tbl", "journal", "seq", "n"),
    sqlite_with_rowid=False,
)
pending: Final = Table(
    "pending",
    TABLES,
    *texts("topic tbl journal"),
    *ints("seq n of shoe"),
    *texts("at received_at"),
    *_of_round(),
    *_blobs("body"),
    *_blobs("digest", nullable=True),
    *_blobs("came"),
    *texts("state"),
    PrimaryKeyConstraint("topic", "tbl", "journal", "seq", "n", "came"),
)
incident: Final = Table(
    "incident",
    TABLES,
    *texts("tbl kind place at what closed_at"),
    PrimaryKeyConstraint("tbl", "kind", "place"),
    part_index("incident_open", "at", where="closed_at = ''"),
)
cosignature: Final = Table(
    "cosignature",
    TABLES,
    *texts("origin witness"),
    *ints("size at"),
    *texts("line"),
    PrimaryKeyConstraint("origin", "witness"),
)
witnessed: Final = Table(
    "witnessed",
    TABLES,
    *texts("origin"),
    *ints("size"),
    *texts("since at note"),
    PrimaryKeyConstraint("origin", "size"),
    Index("witnessed_at", "origin", "at", "since"),
)
evidence: Final = Table("evidence", TABLES, *texts("tbl place name body"), PrimaryKeyConstraint("tbl", "place", "name"))

feed: Final = Table(
    "feed",
    TABLES,
    *ints("place", autoincrement=False),
    *ints("journal seq n"),
    *texts("kind"),
    PrimaryKeyConstraint("place"),
    Index("feed_once", "journal", "seq", "n", "kind", unique=True),
)
"""Each message that became a fact, in the order of the commits: what comes later has a higher place."""

feed_end: Final = Table(
    "feed_end", TABLES, *ints("one", autoincrement=False), *ints("place"), PrimaryKeyConstraint("one")
)
"""One row: the highest place that was ever given."""

feed_taken: Final = Table(
    "feed_taken", TABLES, *ints("journal", autoincrement=False), *ints("seq"), PrimaryKeyConstraint("journal")
)
"""Compacted journal -> the entry up to which all of it has been in the feed, and comes into it no more."""

forward: Final = Table(
    "forward", TABLES, *texts("name"), *ints("place"), *texts("at trouble since"), PrimaryKeyConstraint("name")
)
"""How far each receiver of webhooks has taken the feed. trouble, since: why, and since when, it takes no more."""
