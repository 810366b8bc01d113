"""SQL of the records of tables, for both engines: `?` is a place for a value, `$blob` the type of bytes."""

from typing import Final

TABLES: Final = """
create table record_key (
  tbl $text not null, vkey $text not null, trust $text not null, by_name $text not null, second $text not null,
  at $text not null, until $int not null, primary key (tbl, vkey));
create table log (
  tbl $text not null, origin $text not null, birth $int not null, vkey $text not null, begun_journal $text not null,
  begun_seq $int not null, size $int not null, edge $blob not null, journal $text not null, seq $int not null,
  head $text not null, note $text not null, witnessed $int not null, primary key (tbl, origin));
create table leaf (
  origin $text not null, idx $int not null, tbl $text not null, journal $text not null, seq $int not null,
  head $text not null, primary key (origin, idx));
create unique index leaf_entry on leaf (tbl, journal, seq, origin);
create table proved (
  tbl $text not null, journal $text not null, seq $int not null, n $int not null, origin $text not null,
  idx $int not null, shoe $int, at $text, received_at $text, game $text, round $int, status $text, revision $int,
  prev_journal $text, prev_seq $int, body $blob, digest $blob, primary key (tbl, journal, seq, n));
create table pending (
  topic $text not null, tbl $text not null, journal $text not null, seq $int not null, n $int not null,
  "of" $int not null, shoe $int not null, at $text not null, received_at $text not null,
  game $text, round $int, status $text, revision $int, prev_journal $text, prev_seq $int,
  body $blob not null, digest $blob, came $blob not null, state $text not null,
  primary key (topic, tbl, journal, seq, n, came));
create table incident (
  tbl $text not null, kind $text not null, place $text not null, at $text not null, what $text not null,
  closed_at $text not null, primary key (tbl, kind, place));
create index incident_open on incident (at) where closed_at = '';
create index round_first on message (tbl) where topic = 'round' and prev_journal is null;
create view incidents as
  select at, tbl, kind, place, what as text, closed_at from incident;
"""

KEPT: Final = {
    "leaf": ("update", "delete"),
    "proved": ("update", "delete"),
    "witnessed": ("update", "delete"),
    "evidence": ("update", "delete"),
    "record_key": ("delete",),
    "log": ("delete",),
    "incident": ("delete",),
    "cosignature": ("delete",),
}
"""Table -> what no statement may do to its rows: a trigger refuses it, to the owner too."""

ROUNDS_THAT_COUNT: Final = """
  select 'round' as topic, m.tbl, m.journal, m.seq, m.n, m."of", coalesce(p.shoe, m.shoe) as shoe,
    coalesce(p.at, m.at) as at, coalesce(p.received_at, m.received_at) as received_at,
    coalesce(p.game, m.game) as game, coalesce(p.round, m.round) as round, coalesce(p.status, m.status) as status,
    coalesce(p.revision, m.revision) as revision,
    case when p.body is null then m.prev_journal else p.prev_journal end as prev_journal,
    case when p.body is null then m.prev_seq else p.prev_seq end as prev_seq,
    coalesce(p.body, m.body) as body, p.origin, p.idx
  from message m left join proved p on p.tbl = m.tbl and p.journal = m.journal and p.seq = m.seq and p.n = m.n
  where m.topic = 'round' and (
    p.idx is not null or not exists (select 1 from record_key k where k.tbl = m.tbl and k.trust <> 'seen'))"""
"""All rounds, but of a table with an enrolled key only what a checkpoint verified.

`proved` names each round that one did. It has the columns of `message` where other bytes had come first under its key:
then these are the ones that the table signed, for a message is never changed.
"""

PROOF: Final = """case
    when r.idx is null then 'none'
    when r.idx < (select g.witnessed from log g where g.tbl = r.tbl and g.origin = r.origin) then 'witnessed'
    else 'signed' end as proof"""
"""The column `proof` of the view of rounds."""

PROVED: Final = """
insert into proved (tbl, journal, seq, n, origin, idx)
select tbl, journal, seq, n, ?, ? from message
where topic = 'round' and tbl = ? and journal = ? and seq = ? and n = ? and (body = ? or digest = ?)
on conflict do nothing
"""
PROVED_OTHERWISE: Final = f"insert into proved values ({', '.join('?' * 17)}) on conflict do nothing"
PROVED_BODIES: Final = """
select seq, n, body from proved where tbl = ? and journal = ? and seq between ? and ? and body is not null
"""

KEYS: Final = "select tbl, vkey, trust, by_name, second, at, until from record_key order by at, vkey"
KEYS_OF: Final = "select tbl, vkey, trust, by_name, second, at, until from record_key where tbl = ? order by at, vkey"
KEY: Final = """
insert into record_key values (?, ?, ?, ?, ?, ?, ?) on conflict (tbl, vkey) do update set
  trust = excluded.trust, by_name = excluded.by_name, second = excluded.second, at = excluded.at,
  until = excluded.until
"""
SEEN: Final = "insert into record_key values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing"
LOGS: Final = "select * from log where tbl = ? order by birth"
ALL_LOGS: Final = "select * from log order by tbl, birth"
LOG: Final = """
insert into log values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tbl, origin) do update set
  vkey = excluded.vkey, begun_journal = excluded.begun_journal, begun_seq = excluded.begun_seq, size = excluded.size,
  edge = excluded.edge, journal = excluded.journal, seq = excluded.seq, head = excluded.head, note = excluded.note
"""
"""`witnessed` belongs to the part that asks witnesses."""

WITNESSED: Final = "update log set witnessed = ? where tbl = ? and origin = ? and witnessed < ?"
LEAF: Final = "insert into leaf values (?, ?, ?, ?, ?, ?) on conflict do nothing"
LEAVES: Final = """
select origin, idx, tbl, journal, seq, head from leaf where origin = ? and idx >= ? order by idx limit ?
"""
LEAF_OF: Final = "select origin, idx, tbl, journal, seq, head from leaf where tbl = ? and journal = ? and seq = ?"
UNSHOWN: Final = """
select max(idx) from leaf f where origin = ? and (? = '' or journal = ?) and (
  not exists (
    select 1 from message m where m.topic = 'event' and m.tbl = f.tbl and m.journal = f.journal and m.seq = f.seq)
  or exists (
    select 1 from message m where m.topic in ('event', 'round') and m.tbl = f.tbl and m.journal = f.journal
    and m.seq = f.seq and m.digest is not null))
"""
"""The last entry of a record with messages that are deleted, or have replaced names."""

IS_ENROLLED: Final = "select 1 from record_key where tbl = ? and trust <> 'seen'"
UNPROVED: Final = """
select count(*) from (
  select seq from message where topic in ('event', 'round') and tbl = ? and journal = ? and seq >= ?
  union
  select seq from pending where state = 'waits' and tbl = ? and journal = ? and seq >= ?) m
where not exists (
  select 1 from leaf f join log g on g.tbl = f.tbl and g.origin = f.origin
  where f.tbl = ? and f.journal = ? and f.seq = m.seq and f.idx < case when ? = 1 then g.witnessed else g.size end)
"""
"""How many entries of a journal, from one on, no checkpoint covers; with 1: none that a quorum cosigned."""

LEAVES_IN: Final = "select count(*) from leaf where tbl = ? and journal = ?"

HEADS: Final = "select head from leaf where tbl = ? and journal = ? and seq = ?"
FIRSTS: Final = """
select journal, seq from message where topic = 'round' and prev_journal is null and tbl = ? limit 3
"""
PENDING: Final = f"insert into pending values ({', '.join('?' * 19)}) on conflict do nothing"
SETTLED: Final = """
delete from pending where topic = ? and tbl = ? and journal = ? and seq = ? and n = ? and came = ?
"""
EVIDENCE: Final = """
update pending set state = 'evidence'
where topic = ? and tbl = ? and journal = ? and seq = ? and n = ? and came = ?
"""
EXPIRE_QUARANTINE: Final = "delete from quarantine where received_at < ?"
OLD_QUARANTINE: Final = "select count(*) from quarantine where received_at < ?"
EXPIRE_EVIDENCE: Final = "delete from pending where state = 'evidence' and received_at < ?"
WAITING: Final = """
select topic, tbl, journal, seq, n, came, length(body), state from pending where tbl = ? order by received_at
"""
COLUMNS: Final = """topic, tbl, journal, seq, n, "of", shoe, at, received_at, game, round, status, revision,
  prev_journal, prev_seq, body, digest"""
BEHIND: Final = f"""
select {COLUMNS} from message
where topic in ('event', 'round') and tbl = ? and journal = ? and seq between ? and ?
union all
select {COLUMNS} from pending where tbl = ? and journal = ? and seq between ? and ?
order by seq, n, topic
"""
WAITING_ROWS: Final = f"select {COLUMNS} from pending where tbl = ? and state = 'waits' order by journal, seq, n"
FOLLOWING: Final = """
select distinct journal from (
  select journal, shoe from progress where tbl = ? and shoe >= ?
  union select journal, shoe from pending where tbl = ? and shoe >= ?) later
"""
OF_NUMBER: Final = """
select journal from progress where tbl = ? and journal >= ? and journal < ?
union select journal from pending where tbl = ? and journal >= ? and journal < ?
"""
ROUNDS: Final = """
select shoe, round, revision, seq, status from message where topic = 'round' and tbl = ? and journal = ?
union all
select shoe, round, revision, seq, status from pending where topic = 'round' and tbl = ? and journal = ?
"""
EVENT: Final = """
select 1 from message where topic = 'event' and tbl = ? and journal = ? and seq = ? and n = ?
union all
select 1 from pending where topic = 'event' and tbl = ? and journal = ? and seq = ? and n = ?
limit 1
"""
MESSAGE: Final = "select body, digest from message where topic = ? and tbl = ? and journal = ? and seq = ? and n = ?"
STORED: Final = f"""
select {COLUMNS} from message
where topic in ('event', 'round') and tbl = ? and journal = ? and seq between ? and ? order by seq, n, topic
"""
INCIDENT: Final = """
insert into incident values (?, ?, ?, ?, ?, '') on conflict (tbl, kind, place) do update set what = excluded.what
where excluded.kind in ('unlisted', 'flood')
"""
"""Kept once; of those that count, the text is the newest."""

OPEN: Final = "select tbl, kind, place, at, what from incident where closed_at = '' order by at, tbl, kind, place"
CLOSE: Final = "update incident set closed_at = ? where tbl = ? and kind = ? and place = ? and closed_at = ''"
CLOSE_KIND: Final = "update incident set closed_at = ? where tbl = ? and kind = ? and closed_at = ''"
SIZES: Final = "select tbl, size, witnessed from log g where birth = (select max(birth) from log where tbl = g.tbl)"
EXPIRED: Final = "select 1 from expired where tbl = ? and journal = ?"
