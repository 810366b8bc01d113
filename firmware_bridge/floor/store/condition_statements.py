"""Tables and statements about what people closed, what ingests say of themselves, and the size of a store."""

from typing import Final

from sqlalchemy import Index, PrimaryKeyConstraint, Table, select, text
from sqlalchemy.dialects.postgresql import insert

from firmware_bridge.floor.store.statements import Greatest, newest, once
from firmware_bridge.floor.store.tables import LACKS, TABLES, ints, texts

closed: Final = Table(
    "closed",
    TABLES,
    *texts("kind topic tbl journal"),
    *ints("seq n"),
    *texts("digest came_at by_name why at"),
    Index("closed_digest", "kind", "digest"),
)
"""What a person closed: a gap up to the entry `seq`, or one message in conflict or in quarantine.

digest: hex SHA-256 of its bytes. came_at: when it came; of a gap, since when the table was still asked.
"""

heartbeat: Final = Table(
    "heartbeat",
    TABLES,
    *texts("name at committed_at message_at"),
    *ints("backlog"),
    *texts("fault"),
    PrimaryKeyConstraint("name"),
)
size: Final = Table("size", TABLES, *texts("hour at"), *ints("bytes"), PrimaryKeyConstraint("hour"))

OWING: Final = text(f"""
select tbl, max(moved_at) from progress where ({LACKS}) and since <> '' group by tbl order by tbl
""")

HEARTBEAT: Final = newest(
    heartbeat,
    "at backlog fault",
    **{name: Greatest(heartbeat.c[name], insert(heartbeat).excluded[name]) for name in ("committed_at", "message_at")},
)
HEARTBEATS: Final = select(heartbeat).order_by(heartbeat.c.at.desc())
STORE_SIZE: Final = once(size)
STORE_SIZES: Final = select(size.c.at, size.c.bytes).order_by(size.c.at)
EXPIRE_SIZES: Final = text("delete from size where at < :before")

CLOSED: Final = insert(closed)
CLOSED_COUNTS: Final = text("select kind, count(*) from closed group by kind")
CLOSED_GAPS: Final = text("""
select tbl, journal, max(seq), max(came_at) from closed where kind = 'gap' group by tbl, journal
""")
CLOSE_CONFLICTS: Final = text("""
insert into closed (kind, topic, tbl, journal, seq, n, digest, came_at, by_name, why, at)
select 'conflict', topic, tbl, journal, seq, n, digest, other_received_at, :by_name, :why, :at from conflicts
where tbl = :tbl and journal = :journal and seq = :seq and (:digest = '' or digest = :digest)
""")
CLOSE_QUARANTINE: Final = text("""
insert into closed (kind, topic, tbl, journal, seq, n, digest, came_at, by_name, why, at)
select 'quarantine', topic, '', '', 0, 0, digest, received_at, :by_name, :why, :at from quarantined
where (:digest = '' or digest = :digest) and (:until = '' or received_at <= :until)
""")
