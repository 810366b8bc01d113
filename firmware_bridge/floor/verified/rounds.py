"""Compares rounds and journals of a table with those that came before: what no table sends twice."""

from collections.abc import Iterator
from datetime import datetime, time
from typing import Final

from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.floor.record.state import Found
from firmware_bridge.floor.store import Store

ALONE_S: Final = 12.0
"""Time for the event of a round message to come, which its table sends before it."""

BEHIND_S: Final = 1800.0
"""Longest time for it while the ingest is behind, and its event may be among what is asked for."""

MOST_ALONE: Final = 1_000
"""Most round messages that are waited for an event of; of more, nothing is said."""

MOST_ROUNDS: Final = 10_000
"""Most rounds of a journal in memory."""

JOURNALS: Final = 2
"""Newest journals of a table in memory: the one in use, and one that is sent again; others are read when one comes."""


class Rounds:
    """What came of one table. hours: when it is open, as "10:00-04:00" by this machine's clock; None for always.

    firsts: journal and entry of each round message that names none before it.
    """

    def __init__(self, table: str, store: Store, hours: str | None = None) -> None:
        self._table, self._store = table, store
        self._hours = span(hours) if hours else None
        self.firsts: set[tuple[str, int]] = set()
        self._journals: dict[str, dict[tuple[int, int, int], tuple[int, str]]] = {}
        self._last: tuple[str, int, int] = ("", 0, 0)
        self._alone: dict[tuple[str, int, int], tuple[float, float] | None] = {}

    def look(self, row: Row) -> Iterator[Found]:
        """Compare a message; yield what should not be."""
        rounds = self._journals.get(row.journal)
        if rounds is None:
            rounds = self._journals[row.journal] = self._met(row.journal)
            yield from self._numbered(row.journal)
        place = (row.journal, row.seq, row.n)
        if row.topic == EVENT:
            if b'"event":{"type":"SoftwareChanged"' in row.body or b'"event":{"type":"CodeFound"' in row.body:
                what = f"by entry {row.seq} of {row.journal} the table runs other software than before"
                yield Found("other_code", f"{row.journal}:{row.seq}", what)
            self._last = place
            if self._alone:
                self._alone.pop(place, None)
            return
        if place != self._last and len(self._alone) < MOST_ALONE:
            self._alone.setdefault(place, None)
        yield from self._of_round(row, rounds)

    def due(self, now_s: float, *, is_behind: bool) -> Iterator[Found]:
        """Yield the round messages without their event. now_s: seconds of any one monotonic clock.

        is_behind: whether the ingest lacks much of what tables have sent; then the event may still come.
        """
        for place, times in tuple(self._alone.items()):
            first_s, began_s = times or (now_s, now_s)
            if is_behind and now_s - first_s < BEHIND_S:
                began_s = now_s
            self._alone[place] = first_s, began_s
            if now_s - began_s >= ALONE_S:
                del self._alone[place]
                if not self._store.has_event(self._table, *place):
                    journal, seq, _ = place
                    what = f"a round came as entry {seq} of {journal}, and no event"
                    yield Found("round_without_event", f"{journal}:{seq}", what)

    def _of_round(self, row: Row, rounds: dict[tuple[int, int, int], tuple[int, str]]) -> Iterator[Found]:
        assert row.round is not None
        assert row.revision is not None
        assert row.status is not None
        if row.prev_journal is None:
            if len(self.firsts) < MOST_ALONE:
                self.firsts.add((row.journal, row.seq))
            if len(self.firsts) > 1:
                what = f"entry {row.seq} of {row.journal} names no round before it, as only a table's first one does"
                yield Found("prev_null", f"{row.journal}:{row.seq}", what)
        key, this = (row.shoe, row.round, row.revision), (row.seq, row.status)
        other = rounds.setdefault(key, this) if len(rounds) < MOST_ROUNDS else rounds.get(key, this)
        if other != this and {other[1], row.status} == {"closed", "voided"}:
            what = f"round {row.round} of {row.journal} is closed and voided, by entries {other[0]} and {row.seq}"
            yield Found("closed_and_voided", f"{row.journal}:{row.shoe}:{row.round}", what)
        if self._hours and not is_within(row.at, self._hours):
            what = f"a round at {row.at}, outside the hours of the table"
            yield Found("hours", f"{row.journal}:{row.at[:10]}", what)

    def _met(self, journal: str) -> dict[tuple[int, int, int], tuple[int, str]]:
        while len(self._journals) >= JOURNALS:
            del self._journals[next(iter(self._journals))]
        found: dict[tuple[int, int, int], tuple[int, str]] = {}
        for shoe, number, revision, seq, status in self._store.rounds_of(self._table, journal):
            found.setdefault((shoe, number, revision), (seq, status))
        return found

    def _numbered(self, journal: str) -> Iterator[Found]:
        """Yield a journal with the number of another one."""
        number = journal.partition("-")[0]
        others = {*self._store.journals_of_number(self._table, int(number)), *self._journals}
        same = sorted(each for each in others if each != journal and each.partition("-")[0] == number)
        if same:
            text = f"two journals of number {number}: {same[0]} and {journal}; the table was taken back, or replaced"
            yield Found("journal_number", "+".join(sorted((same[0], journal))), text)


def span(hours: str) -> tuple[time, time]:
    """Return beginning and end of hours written as "10:00-04:00". Raises ValueError."""
    begin, _, end = hours.partition("-")
    return time.fromisoformat(begin), time.fromisoformat(end)


def is_within(at: str, hours: tuple[time, time]) -> bool:
    """Return whether an RFC 3339 time is within hours of this machine's clock; True for a time that cannot be read."""
    try:
        local = datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone().time()
    except ValueError:
        return True
    begin, end = hours
    return begin <= local < end if begin < end else local >= begin or local < end
