"""All statements of a store but for facts, once for every engine (`compiled.py` gives them to its driver)."""

from typing import Any, Final

from sqlalchemy import Table, select, text
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import bindparam, func
from sqlalchemy.sql.functions import FunctionElement

from firmware_bridge.floor.store import tables


class Greatest(FunctionElement[Any]):
    """The greatest of its values."""

    inherit_cache = True


@compiles(Greatest, "postgresql")
def _greatest(element: Greatest, compiler: Any, **more: Any) -> str:
    return f"greatest({compiler.process(element.clauses, **more)})"


@compiles(Greatest, "sqlite")
def _max(element: Greatest, compiler: Any, **more: Any) -> str:
    return f"max({compiler.process(element.clauses, **more)})"


def once(table: Table) -> Insert:
    """Insert a row unless it is there."""
    return insert(table).on_conflict_do_nothing()


def newest(table: Table, names: str | None = None, where: Any = None, **more: Any) -> Insert:
    """Insert a row, or write some columns of the one that is there, by default all.

    more: other values than those that came.
    """
    made = insert(table)
    written = [each.name for each in table.c if not each.primary_key] if names is None else names.split()
    values = {name: made.excluded[name] for name in written} | more
    return made.on_conflict_do_update(index_elements=list(table.primary_key), set_=values, where=where)


_came: Final = insert(tables.progress).excluded

COLUMNS: Final = ", ".join(f'"{each.name}"' if each.name == "of" else each.name for each in tables.message.columns)

ORDER: Final = {
    "rounds": "tbl, shoe, journal, round",
    "messages": "tbl, journal, seq, n, topic",
    "conflicts": "tbl, journal, seq, n, topic",
    "quarantine": "received_at",
    "closed": "at, kind, tbl, journal, seq, n, digest",
    "closed_conflicts": "tbl, journal, seq, n, topic, other_received_at",
    "closed_quarantine": "received_at, digest",
    "gaps": "tbl, journal",
    "shoes": "tbl, shoe",
    "expired": "tbl, shoe, journal",
    "incidents": "at, tbl, kind, place",
    "pending": "tbl, journal, seq, n, topic",
}
"""What can be exported -> the order of its rows."""

VIEWS: Final = {"quarantine": "quarantined"}
"""What can be exported -> the view of it, where that has another name."""

INSERT: Final = once(tables.message)
CONFLICT: Final = once(tables.conflict)
QUARANTINE: Final = once(tables.quarantine)
_kept: Final = tables.progress.c
_MOVED_AT: Final = """
case when (progress.whole >= progress.known or progress.closed_to >= progress.known) and progress.since = ''
  or excluded.whole > progress.whole or excluded.closed_to > progress.closed_to or excluded.since <> progress.since
  then excluded.moved_at else progress.moved_at end
"""
PROGRESS: Final = newest(
    tables.progress,
    "since tail tail_from",
    **{name: Greatest(_kept[name], _came[name]) for name in ("shoe", "whole", "known", "closed_to")},
    moved_at=text(_MOVED_AT),
)
LOAD: Final = text("""
select shoe, whole, known, since, closed_to, tail, tail_from from progress where tbl = :tbl and journal = :journal
""")
PREVIOUS: Final = text("""
select p.shoe, coalesce(
  (select b.last_at from block b where b.tbl = p.tbl and b.journal = p.journal),
  (select max(m.at) from message m where m.topic = 'event' and m.tbl = p.tbl and m.journal = p.journal)),
  p.journal, p.known
from progress p where p.tbl = :tbl and p.journal <> :journal order by p.shoe desc limit 1
""")
BEHIND: Final = text(f"""
select {COLUMNS} from message where topic in ('event', 'round') and tbl = :tbl and journal = :journal and seq > :seq
""")
LACKING: Final = text(f"select tbl, journal from progress where {tables.LACKS}")
HAS_MESSAGES: Final = text("select exists (select 1 from message) or exists (select 1 from block)")
NEWEST: Final = select(func.max(tables.message.c.at), func.max(tables.message.c.received_at))

_OLD: Final = """
select j.tbl, j.journal, j.shoe, j.first_at, j.last_at, j.messages, j.rounds, case
  when not exists (
    select 1 from progress p
    where p.tbl = j.tbl and p.journal = j.journal and (p.whole = p.known or p.closed_to = p.known) and p.since = ''
  ) then 'it is not complete'
  when exists (
    select 1 from conflict c where c.tbl = j.tbl and c.journal = j.journal
  ) then 'it has messages in conflict'
  when exists (
    select 1 from message m
    where m.topic = 'round' and m.tbl = j.tbl and m.journal = j.journal and m.prev_seq is not null
    and not exists (select 1 from expired e where e.tbl = m.tbl and e.journal = m.prev_journal)
    and not exists (
      select 1 from message p
      where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq
      limit 1 offset 0)
  ) then 'it refers to a missing round'
  else '' end
from (
  select tbl, journal, max(shoe) as shoe, min(first_at) as first_at, max(last_at) as last_at,
    max(received_at) as received_at, cast(sum(messages) as bigint) as messages, max(rounds) as rounds
  from (
    select tbl, journal, max(shoe) as shoe, min(at) as first_at, max(at) as last_at, max(received_at) as received_at,
      count(*) as messages, count(distinct case when topic = 'round' then shoe || ' ' || round end) as rounds
    from message where {which} group by tbl, journal
    union all
    select tbl, journal, shoe, first_at, last_at, received_at, messages, 0 from block where {blocks}) parts
  group by tbl, journal) j
where j.last_at < :before and j.received_at < :before order by j.last_at
"""
"""Journals with no message since a time, and why one stays. which, blocks: the condition of journals to check.

`offset 0` keeps the search for each round in its index: without ANALYZE, a join of PostgreSQL reads all rows.
"""

_ONE: Final = "tbl = :tbl and journal = :journal"
OLD: Final = text(_OLD.format(which="true", blocks="true"))
OLD_ONE: Final = text(_OLD.format(which=f"topic in ('event', 'round') and {_ONE}", blocks=_ONE))
EXPIRE: Final = text(f"delete from message where topic in ('event', 'round') and {_ONE}")
EXPIRE_EVENTS: Final = text(f"delete from message where topic = 'event' and {_ONE}")
EXPIRE_BLOCK: Final = text(f"delete from block where {_ONE}")
EXPIRE_BLOCK_SHOES: Final = text(f"delete from block_shoe where {_ONE}")
EXPIRED: Final = newest(tables.expired, "shoe first_at last_at messages rounds expired_at")
IS_EXPIRED: Final = text("select 1 from expired where tbl = :tbl and journal = :journal")

LAST_ROUNDS: Final = text("""
select journal, shoe, round, revision, prev_journal, body from message
where topic = 'round' and tbl = :tbl and journal = :journal order by seq desc, n desc limit :most
""")
EARLIER: Final = text("""
select journal from (
  select journal, shoe, (
    select max(at) from message m where m.topic = 'round' and m.tbl = p.tbl and m.journal = p.journal) as at
  from (select tbl, journal, shoe from progress where tbl = :tbl and shoe < :shoe order by shoe desc limit 3) p) few
where at is not null order by shoe desc, at desc limit 1
""")
"""The newest journal with a round before a shoe. Of two with the same shoe, one is of a replaced device."""

PROVED: Final = text("""
insert into proved (tbl, journal, seq, n, origin, idx)
select tbl, journal, seq, n, :origin, :idx from message
where topic = 'round' and tbl = :tbl and journal = :journal and seq = :seq and n = :n
  and (body = :body or digest = :digest)
on conflict do nothing
""")
PROVED_OTHERWISE: Final = once(tables.proved)
PROVED_BODIES: Final = text("""
select seq, n, body from proved
where tbl = :tbl and journal = :journal and seq between :first and :last and body is not null
""")

KEYS: Final = select(tables.record_key).order_by(tables.record_key.c.at, tables.record_key.c.vkey)
KEYS_OF: Final = KEYS.where(tables.record_key.c.tbl == bindparam("tbl"))
KEY: Final = newest(tables.record_key, "trust by_name second at until")
SEEN: Final = once(tables.record_key)
ALL_LOGS: Final = select(tables.log).order_by(tables.log.c.tbl, tables.log.c.birth)
LOGS: Final = ALL_LOGS.where(tables.log.c.tbl == bindparam("tbl"))
LOG: Final = newest(tables.log, "vkey begun_journal begun_seq size edge journal seq head note")
"""`witnessed` belongs to the part that asks witnesses."""

WITNESSED: Final = text("update log set witnessed = :size where tbl = :tbl and origin = :origin and witnessed < :size")
SIZES: Final = text(
    "select tbl, size, witnessed from log g where birth = (select max(birth) from log where tbl = g.tbl)"
)
NAMED: Final = text("""
insert into names (tbl, name) select :tbl, :name
where not exists (select 1 from names where tbl = :tbl and name = :name) on conflict do nothing
""")
LEAF: Final = text("""
insert into leaf (record, idx, journal, seq, head)
select r.id, :idx, j.id, :seq, :head from names r, names j
where r.tbl = '' and r.name = :origin and j.tbl = :tbl and j.name = :journal on conflict do nothing
""")
LEAVES: Final = text("""
select :origin, l.idx, j.tbl, j.name, l.seq, l.head from leaf l join names j on j.id = l.journal
where l.record = (select id from names where tbl = '' and name = :origin) and l.idx >= :first
order by l.idx limit :most
""")
LEAF_OF: Final = text(f"select origin, idx, tbl, journal, seq, head from leaves where {_ONE} and seq = :seq")
UNSHOWN: Final = text("""
select max(idx) from leaves f where origin = :origin and (:journal = '' or journal = :journal) and (
  not exists (
    select 1 from message m where m.topic = 'event' and m.tbl = f.tbl and m.journal = f.journal and m.seq = f.seq)
  and not exists (select 1 from block b where b.tbl = f.tbl and b.journal = f.journal and f.seq <= b.last_seq)
  or exists (select 1 from block b where b.tbl = f.tbl and b.journal = f.journal and f.seq <= b.hidden_seq)
  or exists (
    select 1 from message m where m.topic in ('event', 'round') and m.tbl = f.tbl and m.journal = f.journal
    and m.seq = f.seq and m.digest is not null))
""")
"""The last entry of a record with messages that are deleted, or have replaced names."""

IS_ENROLLED: Final = text("select 1 from record_key where tbl = :tbl and trust <> 'seen'")
UNPROVED: Final = text("""
select seq from (
  select seq from message where topic in ('event', 'round') and tbl = :tbl and journal = :journal and seq >= :first
  union
  select seq from pending where state = 'waits' and tbl = :tbl and journal = :journal and seq >= :first) m
where not exists (
  select 1 from leaves f join log g on g.tbl = f.tbl and g.origin = f.origin
  where f.tbl = :tbl and f.journal = :journal and f.seq = m.seq
    and f.idx < case when :quorum = 1 then g.witnessed else g.size end)
""")
"""The entries of a journal, from one on, that no checkpoint covers; with 1: none that a quorum cosigned."""

COVERED: Final = text("""
select f.seq from leaves f join log g on g.tbl = f.tbl and g.origin = f.origin
where f.tbl = :tbl and f.journal = :journal and f.idx < case when :quorum = 1 then g.witnessed else g.size end
""")
"""The entries of a journal that a checkpoint covers; with 1: one that a quorum cosigned."""

LEAVES_IN: Final = text("select count(*) from leaves where tbl = :tbl and journal = :journal")
LEAF_SEQS: Final = text("select seq from leaves where tbl = :tbl and journal = :journal")
HEADS: Final = text("select head from leaves where tbl = :tbl and journal = :journal and seq = :seq")
FIRSTS: Final = text("""
select journal, seq from message where topic = 'round' and prev_journal is null and tbl = :tbl limit 3
""")

PENDING: Final = once(tables.pending)
_OF_PENDING: Final = " and ".join(f"{each.name} = :{each.name}" for each in tables.pending.primary_key)
SETTLED: Final = text(f"delete from pending where {_OF_PENDING}")
EVIDENCE: Final = text(f"update pending set state = 'evidence' where {_OF_PENDING}")
EXPIRE_EVIDENCE: Final = text("delete from pending where state = 'evidence' and received_at < :before")
EXPIRE_QUARANTINE: Final = text("delete from quarantine where received_at < :before")
OLD_QUARANTINE: Final = text("select count(*) from quarantine where received_at < :before")
WAITING: Final = text("""
select topic, tbl, journal, seq, n, came, length(body), state from pending where tbl = :tbl order by received_at
""")
STORED: Final = text(f"""
select {COLUMNS} from message
where topic in ('event', 'round') and tbl = :tbl and journal = :journal and seq between :first and :last
order by seq, n, topic
""")
STORED_OR_WAITING: Final = text(f"""
select {COLUMNS} from message
where topic in ('event', 'round') and tbl = :tbl and journal = :journal and seq between :first and :last
union all
select {COLUMNS} from pending where tbl = :tbl and journal = :journal and seq between :first and :last
order by seq, n, topic
""")
WAITING_ROWS: Final = text(f"""
select {COLUMNS} from pending where tbl = :tbl and state = 'waits' order by journal, seq, n
""")
FOLLOWING: Final = text("""
select distinct journal from (
  select journal, shoe from progress where tbl = :tbl and shoe >= :shoe
  union select journal, shoe from pending where tbl = :tbl and shoe >= :shoe) later
""")
OF_NUMBER: Final = text("""
select journal from progress where tbl = :tbl and journal >= :first and journal < :end
union select journal from pending where tbl = :tbl and journal >= :first and journal < :end
""")
ROUNDS: Final = text("""
select shoe, round, revision, seq, status from message where topic = 'round' and tbl = :tbl and journal = :journal
union all
select shoe, round, revision, seq, status from pending where topic = 'round' and tbl = :tbl and journal = :journal
""")
EVENT: Final = text("""
select 1 from message where topic = 'event' and tbl = :tbl and journal = :journal and seq = :seq and n = :n
union all
select 1 from pending where topic = 'event' and tbl = :tbl and journal = :journal and seq = :seq and n = :n
limit 1
""")
MESSAGE: Final = select(tables.message.c.body, tables.message.c.digest).where(
    *(each == bindparam(each.name) for each in tables.message.primary_key)
)

INCIDENT: Final = newest(tables.incident, "what", where=text("excluded.kind in ('unlisted', 'flood')"))
"""Kept once; of those that count, the text is the newest."""

OPEN: Final = text("select tbl, kind, place, at, what from incident where closed_at = '' order by at, tbl, kind, place")
CLOSE: Final = text("""
update incident set closed_at = :at where tbl = :tbl and kind = :kind and place = :place and closed_at = ''
""")
CLOSE_KIND: Final = text("update incident set closed_at = :at where tbl = :tbl and kind = :kind and closed_at = ''")

BLOCK: Final = text(f"select body, digest from block where {_ONE}")
BLOCKS: Final = text("""
select tbl, journal from block
where (:tbl = '' or tbl = :tbl) and (:journal = '' or journal = :journal) order by tbl, journal
""")
OLD_BLOCKS: Final = text("""
select tbl, journal from block where last_at < :before and received_at < :before order by last_at, tbl, journal
""")
BLOCKS_AMONG: Final = text("select tbl, journal from block where (tbl, journal) in $names")
BLOCK_MADE: Final = insert(tables.block)
BLOCK_SHOES: Final = insert(tables.block_shoe)
EVENTS: Final = text(f"select {COLUMNS} from message where topic = 'event' and {_ONE} order by seq, n")
OVER: Final = text("""
select p.tbl, p.journal from progress p join (select tbl, max(shoe) as shoe from progress group by tbl) newest
  on newest.tbl = p.tbl and newest.shoe > p.shoe
where whole = known and since = ''
  and not exists (select 1 from block b where b.tbl = p.tbl and b.journal = p.journal)
  and not exists (select 1 from expired e where e.tbl = p.tbl and e.journal = p.journal)
order by p.tbl, p.shoe, p.journal
""")
"""Complete journals of shoes that a later one has followed, without a block."""

IS_OVER: Final = text("""
select 1 from progress p
where tbl = :tbl and journal = :journal and whole = known and since = ''
  and exists (select 1 from progress later where later.tbl = p.tbl and later.shoe > p.shoe)
  and not exists (select 1 from block b where b.tbl = p.tbl and b.journal = p.journal)
  and not exists (select 1 from conflict c where c.tbl = p.tbl and c.journal = p.journal)
  and not exists (select 1 from pending w where w.tbl = p.tbl and w.journal = p.journal)
""")
"""Whether the events of a journal may become a block now."""

PACKED_AGAIN: Final = text("""
select count(*) from (select distinct tbl, journal, seq, n from conflict where topic = 'event') c
join message m on m.topic = 'event' and m.tbl = c.tbl and m.journal = c.journal and m.seq = c.seq and m.n = c.n
where exists (select 1 from block b where b.tbl = c.tbl and b.journal = c.journal)
""")
"""Events that are in a block and, because other bytes came under their key, stored as rows again."""

PACKED: Final = select(func.sum(tables.block.c.messages))
