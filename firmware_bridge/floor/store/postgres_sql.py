"""All SQL of the store in PostgreSQL: tables and views named as in SQLite, and the statements."""

from typing import Final

from firmware_bridge.floor.store import FORMAT, cosigned, record_sql

_TABLES: Final = f"""
create table store_version (version integer not null);
insert into store_version values ({FORMAT});
create table message (
  topic text collate "C" not null, tbl text collate "C" not null, journal text collate "C" not null,
  seq bigint not null, n bigint not null, "of" bigint not null, shoe bigint not null,
  at text collate "C" not null, received_at text collate "C" not null,
  game text collate "C", round bigint, status text collate "C", revision bigint,
  prev_journal text collate "C", prev_seq bigint,
  body bytea not null, digest bytea,
  primary key (topic, tbl, journal, seq, n));
create function message_is_never_changed() returns trigger language plpgsql as $$
  begin raise exception 'messages are never changed'; end $$;
create function message_is_never_deleted() returns trigger language plpgsql as $$
  begin raise exception 'messages are never deleted'; end $$;
create trigger message_is_never_changed before update on message
  for each statement execute function message_is_never_changed();
create trigger message_is_never_deleted before delete or truncate on message
  for each statement execute function message_is_never_deleted();
create table conflict (
  topic text collate "C" not null, tbl text collate "C" not null, journal text collate "C" not null,
  seq bigint not null, n bigint not null, received_at text collate "C" not null, body bytea not null, digest bytea);
create unique index conflict_once on conflict (topic, tbl, journal, seq, n, sha256(body));
create table quarantine (
  topic text collate "C" not null, received_at text collate "C" not null, reason text collate "C" not null,
  body bytea not null);
create unique index quarantine_once on quarantine (md5(topic), md5(reason), sha256(body));
create table progress (
  tbl text collate "C" not null, journal text collate "C" not null, shoe bigint not null, whole bigint not null,
  known bigint not null, since text collate "C" not null, primary key (tbl, journal));
create index progress_lacking on progress (tbl, journal) where whole < known or since <> '';
create table expired (
  tbl text collate "C" not null, journal text collate "C" not null, shoe bigint not null,
  first_at text collate "C" not null, last_at text collate "C" not null, messages bigint not null,
  rounds bigint not null, expired_at text collate "C" not null, primary key (tbl, journal));
create view round_latest as
  select * from (
    select r.*, row_number() over (
      partition by tbl, journal, shoe, round order by revision desc, seq desc, n desc) as place
    from ($counting) r) ranked where place = 1;
create view rounds as
  select tbl, journal, shoe, round, game, status, revision, seq, n, at, received_at,
    $proof, convert_from(body, 'UTF8') as body
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
  select topic, tbl, journal, seq, n, at, received_at, encode(digest, 'hex') as came_as,
    convert_from(body, 'UTF8') as body
  from message;
create view conflicts as
  select c.topic, c.tbl, c.journal, c.seq, c.n, m.received_at, convert_from(m.body, 'UTF8') as body,
    c.received_at as other_received_at, convert_from(c.body, 'UTF8') as other_body
  from conflict c join message m using (topic, tbl, journal, seq, n);
create view shoes as
  select tbl, journal, shoe, min(at) as first_at, max(at) as last_at, max(seq) as last_seq, count(*) as messages,
    count(distinct round) as rounds
  from message group by tbl, journal, shoe;
"""
_TYPES: Final = {
    "$text": 'text collate "C"',
    "$int": "bigint",
    "$blob": "bytea",
    "$time": "timestamptz",
    "$json": "json",
    "$bool": "boolean",
    "$counting": record_sql.ROUNDS_THAT_COUNT,
    "$proof": record_sql.PROOF,
}
"""Word in the schema -> how this engine says it."""

_REFUSES: Final = """
create function row_is_kept() returns trigger language plpgsql as $$
  begin raise exception '%: rows are never %', tg_table_name, tg_argv[0]; end $$;
"""
_TRIGGERS: Final = "".join(
    f"create trigger {table}_is_never_{done} before {what} on {table}\n"
    f"  for each statement execute function row_is_kept('{done}');\n"
    for table, whats in record_sql.KEPT.items()
    for what, done in (("update", "changed"), ("delete or truncate", "deleted"))
    if what.split()[0] in whats
)

TABLES: Final = cosigned.with_records(_TABLES + _REFUSES + _TRIGGERS, _TYPES)
"""No index holds a body, or what the broker or a reader calls it: an entry of an index has at most 2,700 bytes."""

SESSION: Final = """
select set_config('lock_timeout', '30s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply'
    else 'on' end, false)
"""
"""Every commit is on disk before it returns; waits up to 30 s for another writer."""

VERSION: Final = "select version from store_version"
HAS_VERSION: Final = """
select exists (select from pg_tables where tablename = 'store_version' and schemaname = any (current_schemas(false)))
"""
ENCODING: Final = "select current_setting('server_encoding')"
ONE_AT_A_TIME: Final = "select pg_advisory_xact_lock(73656865)"
"""A lock, so that one program at a time makes the tables."""

FACTS_ALONE: Final = "select pg_advisory_xact_lock(73656866)"
"""A lock until the end of the transaction, so that one program at a time changes sums of days."""

_COLUMNS: Final = """topic, tbl, journal, seq, n, "of", shoe, at, received_at, game, round, status, revision,
  prev_journal, prev_seq, body, digest"""

INSERT: Final = f"insert into message ({_COLUMNS}) values ({', '.join(['%s'] * 17)}) on conflict do nothing"
COPY: Final = f"copy message ({_COLUMNS}) from stdin"
OTHERS: Final = """
select came.place from unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[],
  %s::bytea[]) with ordinality as came (topic, tbl, journal, seq, n, body, digest, place)
  join message m using (topic, tbl, journal, seq, n)
where coalesce(m.digest, sha256(m.body)) <> coalesce(came.digest, sha256(came.body))
"""
"""The places, from 1, of messages with other bytes than the stored ones."""

CONFLICT: Final = "insert into conflict values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing"
QUARANTINE: Final = "insert into quarantine values (%s, %s, %s, %s) on conflict do nothing"
PROGRESS: Final = """
insert into progress as old values (%s, %s, %s, %s, %s, %s) on conflict (tbl, journal) do update set
  since = excluded.since, shoe = greatest(old.shoe, excluded.shoe),
  whole = greatest(old.whole, excluded.whole), known = greatest(old.known, excluded.known)
"""
LOAD: Final = "select shoe, whole, known, since from progress where tbl = %s and journal = %s"
PREVIOUS: Final = """
select p.shoe, (select max(m.at) from message m where m.topic = 'event' and m.tbl = p.tbl and m.journal = p.journal)
from progress p where p.tbl = %s and p.journal <> %s order by p.shoe desc limit 1
"""
BEHIND: Final = f"""
select {_COLUMNS} from message where topic in ('event', 'round') and tbl = %s and journal = %s and seq > %s
"""
LACKING: Final = "select tbl, journal from progress where whole < known or since <> ''"
UNSAFE: Final = """
select name || ' = ' || setting from pg_settings
where name in ('fsync', 'full_page_writes') and setting = 'off' order by name
"""
"""Settings of the server with which a power cut loses commits."""

DAMAGED: Final = "select checksum_failures from pg_stat_database where datname = current_database()"

_RECORD: Final = "record_key, log, leaf, proved, pending, incident, cosignature, witnessed, evidence"
_KEPT: Final = f"message, conflict, quarantine, progress, expired, store_version, {_RECORD}"
_VIEWS: Final = "round_latest, rounds, gaps, round_gaps, messages, conflicts, shoes, incidents"
GRANTS: Final = {
    "reader": (f"grant select on {_KEPT}, {_VIEWS} to {{}}",),
    "ingest": (
        f"grant select on {_KEPT}, {_VIEWS} to {{}}",
        f"grant insert on message, conflict, quarantine, progress, {_RECORD} to {{}}",
        "grant update on progress, record_key, log, pending, incident, cosignature to {}",
        "grant delete on pending to {}",
    ),
}
"""Part of a role -> its grants. Progress is updated, messages never."""

NOTHING: Final = f"revoke all on {_KEPT}, {_VIEWS} from {{}}"
SCHEMA: Final = "select current_schema()"
USAGE: Final = "grant usage on schema {} to {}"

LONGEST: Final = cosigned.LONGEST.replace("$seconds", "extract(epoch from w.at::timestamptz - w.since::timestamptz)")
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
      where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq offset 0)
  ) then 'it refers to a missing round'
  else '' end
from (
  select tbl, journal, max(shoe) as shoe, min(at) as first_at, max(at) as last_at, max(received_at) as received_at,
    count(*) as messages, count(distinct (shoe, round)) filter (where topic = 'round') as rounds
  from message where {which} group by tbl, journal) j
where j.last_at < %(before)s and j.received_at < %(before)s order by j.last_at
"""
"""Journals with no message since a time, and why one stays. which: the condition of journals to check.

`offset 0` keeps the search for each round in its index: without ANALYZE, a join reads all rows.
"""

ALL: Final = "true"
ONE: Final = "topic in ('event', 'round') and tbl = %(tbl)s and journal = %(journal)s"

LET_DELETE: Final = "alter table message disable trigger message_is_never_deleted"
NEVER_DELETE: Final = "alter table message enable trigger message_is_never_deleted"
EXPIRE: Final = "delete from message where topic in ('event', 'round') and tbl = %s and journal = %s"
EXPIRED: Final = """
insert into expired values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict (tbl, journal) do update set
  shoe = excluded.shoe, first_at = excluded.first_at, last_at = excluded.last_at, messages = excluded.messages,
  rounds = excluded.rounds, expired_at = excluded.expired_at
"""

READS: Final = "select set_config('statement_timeout', '4s', true), set_config('lock_timeout', '2s', true)"
"""Time limits of a reader's query, and of its wait for a lock."""

COUNTED: Final = 10_000
"""Most rows in conflict, and in quarantine, that are counted exactly."""

_INSERTED: Final = "pg_stat_get_tuples_inserted('{}'::regclass)"
_SOME: Final = f"""
(select case when few < {COUNTED} then few else greatest(few, {_INSERTED}) end
  from (select count(*) as few from (select from {{}} limit {COUNTED}) first) counted)
"""
COUNTS: Final = f"""
select {_INSERTED.format("message")}, {_SOME.replace("{}", "conflict")}, {_SOME.replace("{}", "quarantine")},
  (select count(*) from progress where (whole < known or since <> '') and whole < known),
  (select count(*) from incident where closed_at = '')
"""
"""Messages by the server's count of inserts, because counting rows reads them all.

Conflicts and quarantine are exact up to `COUNTED`. Gaps come from the index of journals that lack something.
"""

LAST_ROUNDS: Final = """
select journal, shoe, round, revision, prev_journal, body from message
where topic = 'round' and tbl = %s and journal = %s order by seq desc, n desc limit %s
"""
EARLIER: Final = """
select journal from (
  select journal, shoe, (
    select max(at) from message m where m.topic = 'round' and m.tbl = p.tbl and m.journal = p.journal) as at
  from (select tbl, journal, shoe from progress where tbl = %s and shoe < %s order by shoe desc limit 3) p) few
where at is not null order by shoe desc, at desc limit 1
"""
"""The newest journal with a round before a shoe. Of two with the same shoe, one is of a replaced device."""
