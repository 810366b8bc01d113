"""All SQL of the store in PostgreSQL: tables and views by the names that they have in SQLite, and the statements."""

from typing import Final

MIGRATIONS: Final = (
    """
create table store_version (version integer not null);
insert into store_version values (0);
create table message (
  topic text collate "C" not null, tbl text collate "C" not null, journal text collate "C" not null,
  seq bigint not null, n bigint not null, "of" bigint not null, shoe bigint not null,
  at text collate "C" not null, received_at text collate "C" not null,
  game text collate "C", round bigint, status text collate "C", revision bigint,
  prev_journal text collate "C", prev_seq bigint,
  body bytea not null,
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
  seq bigint not null, n bigint not null, received_at text collate "C" not null, body bytea not null);
create unique index conflict_once on conflict (topic, tbl, journal, seq, n, sha256(body));
create table quarantine (
  topic text collate "C" not null, received_at text collate "C" not null, reason text collate "C" not null,
  body bytea not null);
create unique index quarantine_once on quarantine (md5(topic), md5(reason), sha256(body));
create table progress (
  tbl text collate "C" not null, journal text collate "C" not null, shoe bigint not null, whole bigint not null,
  known bigint not null, since text collate "C" not null, primary key (tbl, journal));
create index progress_lacking on progress (tbl, journal) where whole < known or since <> '';
create view round_latest as
  select * from (
    select *, row_number() over (
      partition by tbl, journal, shoe, round order by revision desc, seq desc, n desc) as place
    from message where topic = 'round') ranked where place = 1;
create view rounds as
  select tbl, journal, shoe, round, game, status, revision, seq, n, at, received_at,
    convert_from(body, 'UTF8') as body
  from round_latest where status <> 'voided';
create view gaps as
  select tbl, journal, whole + 1 as "from", known as "to" from progress where whole < known;
create view round_gaps as
  select tbl, prev_journal as journal, prev_seq as seq, journal as named_in, seq as named_by
  from message m where topic = 'round' and prev_seq is not null and not exists (
    select 1 from message p
    where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq);
create view messages as
  select topic, tbl, journal, seq, n, at, received_at, convert_from(body, 'UTF8') as body from message;
create view conflicts as
  select c.topic, c.tbl, c.journal, c.seq, c.n, m.received_at, convert_from(m.body, 'UTF8') as body,
    c.received_at as other_received_at, convert_from(c.body, 'UTF8') as other_body
  from conflict c join message m using (topic, tbl, journal, seq, n);
create view shoes as
  select tbl, journal, shoe, min(at) as first_at, max(at) as last_at, max(seq) as last_seq, count(*) as messages,
    count(distinct round) as rounds
  from message group by tbl, journal, shoe;
""",
)
"""What makes version 1 of nothing, version 2 of version 1, and so on.

No index holds a body, or what the broker or a reader calls it: an entry of an index has at most 2,700 bytes.
"""

SESSION: Final = """
select set_config('lock_timeout', '30s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply'
    else 'on' end, false)
"""
"""Every commit is on disk before it returns; another writer, a back-fill or a migration, is waited for 30 s."""

VERSION: Final = "select version from store_version"
HAS_VERSION: Final = """
select exists (select from pg_tables where tablename = 'store_version' and schemaname = any (current_schemas(false))),
  current_setting('server_encoding')
"""
SET_VERSION: Final = "update store_version set version = %s"
ONE_AT_A_TIME: Final = "select pg_advisory_xact_lock(73656865)"
"""One program at a time changes the schema."""

_COLUMNS: Final = """topic, tbl, journal, seq, n, "of", shoe, at, received_at, game, round, status, revision,
  prev_journal, prev_seq, body"""

INSERT: Final = f"insert into message ({_COLUMNS}) values ({', '.join(['%s'] * 16)}) on conflict do nothing"
OTHERS: Final = """
select came.place from unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[])
  with ordinality as came (topic, tbl, journal, seq, n, body, place)
  join message m using (topic, tbl, journal, seq, n) where m.body <> came.body
"""
"""The places, from 1, of messages that came with other bytes than those that are kept."""

CONFLICT: Final = "insert into conflict values (%s, %s, %s, %s, %s, %s, %s) on conflict do nothing"
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
"""Settings of the server under which a power cut takes what was committed."""

DAMAGED: Final = "select checksum_failures from pg_stat_database where datname = current_database()"
