"""All SQL of the store in SQLite: its schema and its statements."""

from typing import Final

from firmware_bridge.floor.store import cosigned, record_sql

_TABLES: Final = """
create table message (
  topic text not null, tbl text not null, journal text not null, seq integer not null, n integer not null,
  "of" integer not null, shoe integer not null, at text not null, received_at text not null,
  game text, round integer, status text, revision integer, prev_journal text, prev_seq integer,
  body blob not null, digest blob,
  primary key (topic, tbl, journal, seq, n));
create trigger message_is_never_changed before update on message
  begin select raise(abort, 'messages are never changed'); end;
create trigger message_is_never_deleted before delete on message
  begin select raise(abort, 'messages are never deleted'); end;
create table conflict (
  topic text not null, tbl text not null, journal text not null, seq integer not null, n integer not null,
  received_at text not null, body blob not null, digest blob,
  primary key (topic, tbl, journal, seq, n, body));
create table quarantine (
  topic text not null, received_at text not null, reason text not null, body blob not null,
  primary key (topic, reason, body));
create table progress (
  tbl text not null, journal text not null, shoe integer not null, whole integer not null, known integer not null,
  since text not null, primary key (tbl, journal));
create index progress_lacking on progress (tbl, journal) where whole < known or since <> '';
create table expired (
  tbl text not null, journal text not null, shoe integer not null, first_at text not null, last_at text not null,
  messages integer not null, rounds integer not null, expired_at text not null, primary key (tbl, journal));
create view round_latest as
  select * from (
    select r.*, row_number() over (
      partition by tbl, journal, shoe, round order by revision desc, seq desc, n desc) as place
    from ($counting) r) where place = 1;
create view rounds as
  select tbl, journal, shoe, round, game, status, revision, seq, n, at, received_at,
    $proof, cast(body as text) as body
  from round_latest r where status <> 'voided';
create view gaps as
  select tbl, journal, whole + 1 as "from", known as "to" from progress where whole < known;
create view round_gaps as
  select tbl, prev_journal as journal, prev_seq as seq, journal as named_in, seq as named_by
  from message m where topic = 'round' and prev_seq is not null and not exists (
    select 1 from message p
    where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq)
  and not exists (select 1 from expired e where e.tbl = m.tbl and e.journal = m.prev_journal);
create view messages as
  select topic, tbl, journal, seq, n, at, received_at,
    case when digest is not null then lower(hex(digest)) end as came_as, cast(body as text) as body
  from message;
create view conflicts as
  select c.topic, c.tbl, c.journal, c.seq, c.n, m.received_at, cast(m.body as text) as body,
    c.received_at as other_received_at, cast(c.body as text) as other_body
  from conflict c join message m using (topic, tbl, journal, seq, n);
create view shoes as
  select tbl, journal, shoe, min(at) as first_at, max(at) as last_at, max(seq) as last_seq, count(*) as messages,
    count(distinct round) as rounds
  from message group by tbl, journal, shoe;
"""

_TYPES: Final = {
    "$text": "text",
    "$int": "integer",
    "$blob": "blob",
    "$time": "text",
    "$json": "text",
    "$bool": "integer",
    "$counting": record_sql.ROUNDS_THAT_COUNT,
    "$proof": record_sql.PROOF,
}
"""Word in the schema -> how this engine says it."""

_DONE: Final = {"update": "changed", "delete": "deleted"}

_TRIGGERS: Final = "".join(
    f"create trigger {table}_is_never_{_DONE[what]} before {what} on {table}\n"
    f"  begin select raise(abort, '{table}: rows are never {_DONE[what]}'); end;\n"
    for table, whats in record_sql.KEPT.items()
    for what in whats
)

TABLES: Final = cosigned.with_records(_TABLES + _TRIGGERS, _TYPES)

INSERT: Final = f"insert into message values ({', '.join('?' * 17)}) on conflict do nothing"
SAME: Final = "select body, digest from message where topic = ? and tbl = ? and journal = ? and seq = ? and n = ?"
CONFLICT: Final = "insert into conflict values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing"
QUARANTINE: Final = "insert into quarantine values (?, ?, ?, ?) on conflict do nothing"
PROGRESS: Final = """
insert into progress values (?, ?, ?, ?, ?, ?) on conflict do update set
  since = excluded.since, shoe = max(shoe, excluded.shoe),
  whole = max(whole, excluded.whole), known = max(known, excluded.known)
"""
LOAD: Final = "select shoe, whole, known, since from progress where tbl = ? and journal = ?"
PREVIOUS: Final = """
select p.shoe, max(m.at) from message m,
  (select shoe, journal from progress where tbl = ?1 and journal <> ?2 order by shoe desc limit 1) p
where m.topic = 'event' and m.tbl = ?1 and m.journal = p.journal
"""
BEHIND: Final = """
select * from message where topic in ('event', 'round') and tbl = ? and journal = ? and seq > ?
"""
LACKING: Final = "select tbl, journal from progress where whole < known or since <> ''"
ORDER: Final = {
    "rounds": "tbl, shoe, journal, round",
    "messages": "tbl, journal, seq, n, topic",
    "conflicts": "tbl, journal, seq, n, topic",
    "quarantine": "received_at",
    "gaps": "tbl, journal",
    "shoes": "tbl, shoe",
    "expired": "tbl, shoe, journal",
    "incidents": "at, tbl, kind, place",
    "pending": "tbl, journal, seq, n, topic",
}
"""View -> the order of its rows."""

LONGEST: Final = cosigned.LONGEST.replace("$seconds", "(julianday(w.at) - julianday(w.since)) * 86400.0")
NEWEST: Final = "select max(at), max(received_at) from message"

OLD: Final = """
select j.tbl, j.journal, j.shoe, j.first_at, j.last_at, j.messages, j.rounds, case
  when not exists (
    select 1 from progress p where p.tbl = j.tbl and p.journal = j.journal and p.whole = p.known and p.since = ''
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
      where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq)
  ) then 'it refers to a missing round'
  else '' end
from (
  select tbl, journal, max(shoe) as shoe, min(at) as first_at, max(at) as last_at, max(received_at) as received_at,
    count(*) as messages, count(distinct case when topic = 'round' then shoe || ' ' || round end) as rounds
  from message where {which} group by tbl, journal) j
where j.last_at < :before and j.received_at < :before order by j.last_at
"""
"""Journals with no message since a time, and why one stays. which: the condition of journals to check."""

ALL: Final = "true"
ONE: Final = "topic in ('event', 'round') and tbl = :tbl and journal = :journal"

LET_DELETE: Final = "drop trigger message_is_never_deleted"
NEVER_DELETE: Final = """
create trigger message_is_never_deleted before delete on message
  begin select raise(abort, 'messages are never deleted'); end
"""
EXPIRE: Final = "delete from message where topic in ('event', 'round') and tbl = ? and journal = ?"
EXPIRED: Final = "insert or replace into expired values (?, ?, ?, ?, ?, ?, ?, ?)"

COUNTS: Final = """
select (select max(rowid) from message), (select max(rowid) from conflict), (select max(rowid) from quarantine),
  (select count(*) from progress where (whole < known or since <> '') and whole < known),
  (select count(*) from incident where closed_at = '')
"""
"""The last rowid counts all rows ever stored, expired ones too; after a restore, those that are left.

Gaps come from the index of journals that lack something.
"""

LAST_ROUNDS: Final = """
select journal, shoe, round, revision, prev_journal, body from message
where topic = 'round' and tbl = ? and journal = ? order by seq desc, n desc limit ?
"""
EARLIER: Final = """
select journal from (
  select journal, shoe, (
    select max(at) from message m where m.topic = 'round' and m.tbl = p.tbl and m.journal = p.journal) as at
  from (select tbl, journal, shoe from progress where tbl = ? and shoe < ? order by shoe desc limit 3) p) few
where at is not null order by shoe desc, at desc limit 1
"""
"""The newest journal with a round before a shoe. Of two with the same shoe, one is of a replaced device."""
