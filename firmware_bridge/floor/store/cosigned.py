"""Keeps in a store what witnesses cosigned, and the evidence of logs with two histories."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from firmware_bridge.floor.record.state import Incident
from firmware_bridge.floor.store import record_sql
from firmware_bridge.floor.store.records import Records

TABLES: Final = """
create table cosignature (
  origin $text not null, witness $text not null, size $int not null, at $int not null, line $text not null,
  primary key (origin, witness));
create table witnessed (
  origin $text not null, size $int not null, since $text not null, at $text not null, note $text not null,
  primary key (origin, size));
create index witnessed_at on witnessed (origin, at);
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
select origin, size, since, at, note from witnessed w
where size = (select max(size) from witnessed where origin = w.origin) order by origin
"""
_SINCE: Final = "select origin, size, since, at, note from witnessed where origin = ? and at >= ? order by size"
_EVIDENCE: Final = "insert into evidence values (?, ?, ?, ?) on conflict do nothing"
_ALL_EVIDENCE: Final = "select tbl, place, name, body from evidence order by tbl, place, name"


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


class Cosigned(Records):
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

    def cosignatures(self) -> list[Cosignature]:
        """The newest cosignature of each witness on each log."""
        with self._in_words():
            return [Cosignature(*each) for each in self._all(_COSIGNATURES)]

    def newest_witnessed(self) -> list[Witnessed]:
        """The newest checkpoint of each log that a quorum cosigned."""
        with self._in_words():
            return [Witnessed(*each) for each in self._all(_NEWEST)]

    def witnessed_since(self, origin: str, at: str) -> list[Witnessed]:
        """The checkpoints of a log that a quorum cosigned from an RFC 3339 time on."""
        with self._in_words():
            return [Witnessed(*each) for each in self._all(_SINCE, origin, at)]

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
