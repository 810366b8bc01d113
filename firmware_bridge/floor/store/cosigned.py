"""Keeps in a store what witnesses cosigned, and the evidence of logs with two histories."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from firmware_bridge.floor.record.state import Incident
from firmware_bridge.floor.store.records import RecordQueries, Records


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
    """The queries about witnesses that a `Store` and a `Reader` answer. Methods raise StoreError."""

    def cosignatures(self) -> list[Cosignature]:
        """Return the newest cosignature of each witness on each log."""
        with self._in_words():
            return [Cosignature(*each) for each in self._all(self._sql.COSIGNATURES)]

    def clocks(self) -> list[tuple[str, int, str, str]]:
        """Return origin, time of a witness's newest cosignature (s since 1970), `at` and `received_at` of its entry.

        Of entries that are older than a block none.
        """
        with self._in_words():
            return [tuple(each) for each in self._all(self._sql.CLOCKS) if each[-1] is not None]

    def newest_witnessed(self) -> list[Witnessed]:
        """Return the newest checkpoint of each log that a quorum cosigned."""
        with self._in_words():
            return [Witnessed(*each) for each in self._all(self._sql.NEWEST_WITNESSED)]

    def longest_windows(self, since: str) -> dict[str, float]:
        """Return origin -> the longest time, in seconds, that entries stood under no quorum.

        Of those that a quorum cosigned from an RFC 3339 time on; a log without any is left out.
        """
        with self._in_words():
            longest = self._all(self._sql.LONGEST, since=since)
            return {origin: float(found) for origin, found in longest if found is not None}

    def open_windows(self) -> dict[str, str]:
        """Return origin -> when the first entry without a quorum came (RFC 3339); a log without any is left out."""
        with self._in_words():
            return dict(self._all(self._sql.OPEN_WINDOWS))

    def witnessed_rounds(self) -> dict[str, tuple[int, int]]:
        """Return origin -> shoe and number of the last round that a quorum cosigned, where the last journal has one."""
        with self._in_words():
            found = self._all(self._sql.WITNESSED_ROUNDS)
        return {origin: (shoe, number) for origin, shoe, number in found if number is not None}


class Cosigned(CosignedQueries, Records):
    """The part of a `Store` about witnesses. Methods raise StoreError."""

    def put_cosigned(
        self, cosignatures: Iterable[Cosignature], witnessed: Mapping[str, Sequence[Witnessed]] | None = None
    ) -> None:
        """Keep what witnesses cosigned. witnessed: table -> checkpoints of its record with a quorum."""
        # Sorted by key as in `save`, so that two writers cannot deadlock.
        notes = [(table, one) for table, some in sorted((witnessed or {}).items()) for one in sorted(some)]
        with self._transaction():
            self._many(self._sql.COSIGNATURE, list(cosignatures))
            self._many(self._sql.WITNESSED_NOTE, [one for _, one in notes])
            self._many(self._sql.WITNESSED, [(one.size, table, one.origin, one.size) for table, one in notes])

    def put_evidence(self, incident: Incident, documents: Mapping[str, str]) -> None:
        """Keep an incident with the documents that prove it."""
        with self._transaction():
            self._many(self._sql.INCIDENT, [(*incident, "")])
            rows = [(incident.table, incident.place, *each) for each in documents.items()]
            self._many(self._sql.DOCUMENT, rows)

    def evidence(self) -> list[Evidence]:
        """Return all documents that prove incidents."""
        with self._in_words():
            return [Evidence(*each) for each in self._all(self._sql.DOCUMENTS)]
