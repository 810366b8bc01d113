"""Statements about what witnesses cosigned, and what proves incidents."""

from typing import Any, Final

from sqlalchemy import select, text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import bindparam, func
from sqlalchemy.sql.functions import FunctionElement

from firmware_bridge.floor.store import tables
from firmware_bridge.floor.store.statements import newest, once


class Seconds(FunctionElement[Any]):
    """Seconds from one RFC 3339 time to another."""

    inherit_cache = True


@compiles(Seconds, "postgresql")
def _epoch(element: Seconds, compiler: Any, **more: Any) -> str:
    since, at = (compiler.process(each, **more) for each in element.clauses)
    return f"extract(epoch from {at}::timestamptz - {since}::timestamptz)"


@compiles(Seconds, "sqlite")
def _julian(element: Seconds, compiler: Any, **more: Any) -> str:
    since, at = (compiler.process(each, **more) for each in element.clauses)
    return f"(julianday({at}) - julianday({since})) * 86400.0"


def _leaf(of: str, idx: str) -> str:
    """Return the SQL that joins a verified entry `l` of the record that `of` names, with its journal `j`.

    Each is looked up by its key: SQLite has no statistics, and reads all of the view `leaves`, or all messages, where
    it may begin there.
    """
    return (
        f"join names r on r.tbl = '' and r.name = {of}.origin join leaf l on l.record = r.id and l.idx = {idx} "
        "join names j on j.id = l.journal"
    )


_log, _witnessed = tables.log.alias("g"), tables.witnessed.alias("w")

COSIGNATURE: Final = newest(tables.cosignature, "size at line", where=text("cosignature.size <= excluded.size"))
COSIGNATURES: Final = select(tables.cosignature).order_by(tables.cosignature.c.origin, tables.cosignature.c.witness)
_FIRST_OF: Final = (
    "from message m where m.topic = 'event' and m.tbl = j.tbl and m.journal = j.name and m.seq = l.seq limit 1"
)
CLOCKS: Final = text(f"""
select c.origin, c.at, (select m.at {_FIRST_OF}), (select m.received_at {_FIRST_OF})
from cosignature c {_leaf("c", "c.size - 1")}
""")
"""When each witness cosigned last, and when the entry was made and came: null where that is in a block by now."""

WITNESSED_NOTE: Final = once(tables.witnessed)
NEWEST_WITNESSED: Final = text("""
select w.origin, w.size, w.since, w.at, w.note from log g
join witnessed w on w.origin = g.origin and w.size = g.witnessed order by w.origin
""")
LONGEST: Final = select(
    _log.c.origin,
    select(func.max(Seconds(_witnessed.c.since, _witnessed.c.at)))
    .where(_witnessed.c.origin == _log.c.origin, _witnessed.c.at >= bindparam("since"))
    .scalar_subquery(),
)
OPEN_WINDOWS: Final = text(f"""
select g.origin, coalesce(min(m.received_at), min(b.received_at)) from log g {_leaf("g", "g.witnessed")}
left join message m on m.topic = 'event' and m.tbl = j.tbl and m.journal = j.name and m.seq = l.seq
left join block b on b.tbl = j.tbl and b.journal = j.name
where g.witnessed < g.size and coalesce(m.received_at, b.received_at) is not null group by g.origin
""")
WITNESSED_ROUNDS: Final = text(f"""
select g.origin, m.shoe, m.round from log g {_leaf("g", "g.witnessed - 1")}
left join message m on m.topic = 'round' and m.tbl = j.tbl and m.journal = j.name and m.revision = 0 and m.seq = (
  select max(e.seq) from message e
  where e.topic = 'round' and e.tbl = j.tbl and e.journal = j.name and e.revision = 0 and e.seq <= l.seq)
""")
"""The last round that a quorum cosigned: nulls where the journal of the last entry has none."""

DOCUMENT: Final = once(tables.evidence)
DOCUMENTS: Final = select(tables.evidence).order_by(
    tables.evidence.c.tbl, tables.evidence.c.place, tables.evidence.c.name
)
