"""Keeps in a store what witnesses cosigned, and the evidence of logs with two histories."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.floor.record.state import Incident
from firmware_bridge.floor.store import fact_sql, record_sql
from firmware_bridge.floor.store.records import RecordQueries, Records

_TABLES: Final = """
create table cosignature (
  origin $text not null, witness $text not null, size $int not null, at $int not null, line $text not null,
  primary key (origin, witness));
create table witnessed (
  origin $text not null, size $int not null, since $text not null, at $text not null, note $text not null,
  primary key (origin, size));
create index witnessed_at on witnessed (origin, at, since);
create table evidence (
  tbl $text not null, place $text not null, name $text not null, body $text not null, primary key (tbl, place, name));
"""

_COSIGNATURE: Final = """
insert into cosignature values (?, ?, ?, ?, ?) on conflict (origin, witness) do update set
  size = excluded.size, at = excluded.at, line = excluded.line where cosignature.size <= excluded.size
"""
_COSIGNATURES: Final = "select origin, witness, size, at, line from cosignature order by origin, witness"
_WITNESSED: Final = "insert into witnessed values (?, ?, ?, ?, ?) on conflict do nothing"
_NEWEST: Final = """
select w.origin, w.size, w.since, w.at, w.note from log g
join witnessed w on w.origin = g.origin and w.size = g.witnessed order by w.origin
"""
LONGEST: Final = """
select g.origin, (select max($seconds) from witnessed w where w.origin = g.origin and w.at >= ?) from log g
"""
"""`$seconds`: how an engine says the seconds from `w.since` to `w.at`."""

_OPEN: Final = """
select g.origin, min(m.received_at) from log g
join leaf f on f.origin = g.origin and f.idx = g.witnessed
join message m on m.topic = 'event' and m.tbl = f.tbl and m.journal = f.journal and m.seq = f.seq
where g.witnessed < g.size group by g.origin
"""
_ROUNDS: Final = """
select g.origin, m.shoe, m.round from log g
join leaf f on f.origin = g.origin and f.idx = g.witnessed - 1
join message m on m.topic = 'round' and m.tbl = f.tbl and m.journal = f.journal and m.revision = 0 and m.seq = (
  select max(r.seq) from message r
  where r.topic = 'round' and r.tbl = f.tbl and r.journal = f.journal and r.revision = 0 and r.seq <= f.seq)
"""
_EVIDENCE: Final = "insert into evidence values (?, ?, ?, ?) on conflict do nothing"
_ALL_EVIDENCE: Final = "select tbl, place, name, body from evidence order by tbl, place, name"


def with_records(tables: str, words: Mapping[str, str]) -> str:
    """The tables of an engine and, before its views, those of records and facts. words: word -> how the engine says it."""
    first_view = "create view round_latest"
    script = tables.replace(first_view, record_sql.TABLES + _TABLES + fact_sql.TABLES + first_view)
    for word, text in words.items():
        script = script.replace(word, text)
    return script


class Cosignature(NamedTuple):
    """The newest cosignature of a witness on a log. witness: its vkey. at: seconds since 1970, by its clock.

    line: of the note, with its LF.
    """

    origin: str
    witness: str
    size: int
    at: int
    line: str


class Witnessed(NamedTuple):
    """A checkpoint that a quorum cosigned. note: as it was published.

    since: when its first entry without a quorum was verified, or earlier; at: when the quorum was there; both RFC 3339,
    ms, UTC. What was dealt in between stood under no witness.
    """

    origin: str
    size: int
    since: str
    at: str
    note: str


class Evidence(NamedTuple):
    """A document that proves an incident. place: of the incident. name: what the document is."""

    table: str
    place: str
    name: str
    body: str


class CosignedQueries(RecordQueries):
    """The queries about witnesses that a `Store` and a `Reader` answer. Methods raise StoreError.

    _sql: the module with the statements of this engine.
    """

    _sql: Any

    def cosignatures(self) -> list[Cosignature]:
        """The newest cosignature of each witness on each log."""
        with self._in_words():
            return [Cosignature(*each) for each in self._all(_COSIGNATURES)]

    def newest_witnessed(self) -> list[Witnessed]:
        """The newest checkpoint of each log that a quorum cosigned."""
        with self._in_words():
            return [Witnessed(*each) for each in self._all(_NEWEST)]

    def longest_windows(self, since: str) -> dict[str, float]:
        """Origin -> the longest time, in seconds, that entries stood under no quorum.

        Of those that a quorum cosigned from an RFC 3339 time on; a log without any is left out.
        """
        with self._in_words():
            return {origin: float(found) for origin, found in self._all(self._sql.LONGEST, since) if found is not None}

    def open_windows(self) -> dict[str, str]:
        """Origin -> when the first entry without a quorum came (RFC 3339); a log without any is left out."""
        with self._in_words():
            return dict(self._all(_OPEN))

    def witnessed_rounds(self) -> dict[str, tuple[int, int]]:
        """Origin -> shoe and number of the last round that a quorum cosigned, where the last journal has one."""
        with self._in_words():
            return {origin: (shoe, number) for origin, shoe, number in self._all(_ROUNDS)}


class Cosigned(CosignedQueries, Records):
    """The part of a `Store` about witnesses. Methods raise StoreError."""

    def put_cosigned(
        self, cosignatures: Iterable[Cosignature], witnessed: Mapping[str, Sequence[Witnessed]] | None = None
    ) -> None:
        """Keep what witnesses cosigned. witnessed: table -> checkpoints of its record with a quorum."""
        with self._transaction() as db:
            for each in cosignatures:
                db.execute(self._text(_COSIGNATURE), each)
            for table, notes in (witnessed or {}).items():
                for one in notes:
                    db.execute(self._text(_WITNESSED), one)
                    db.execute(self._text(record_sql.WITNESSED), (one.size, table, one.origin, one.size))

    def put_evidence(self, incident: Incident, documents: Mapping[str, str]) -> None:
        """Keep an incident with the documents that prove it."""
        with self._transaction() as db:
            db.execute(self._text(record_sql.INCIDENT), incident)
            for name, body in documents.items():
                db.execute(self._text(_EVIDENCE), (incident.table, incident.place, name, body))

    def evidence(self) -> list[Evidence]:
        """All documents that prove incidents."""
        with self._in_words():
            return [Evidence(*each) for each in self._all(_ALL_EVIDENCE)]
