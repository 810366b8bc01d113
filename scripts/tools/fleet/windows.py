"""How long the rounds of a fleet stood under no quorum of witnesses, and what was said of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

LIMIT_S: Final = 60.0
"""Longest time from a round's end until a quorum has cosigned its entry, while there is a quorum."""

EXAMPLES: Final = 5
"""Rounds that are named."""


class Round(Struct, frozen=True):
    """A round that ended, also a void one, or was corrected. Times are seconds since 1970.

    at: of its entry. came: at the ingest; of one that waits, when all before it in its journal had come too, as it can
    be verified then. witnessed: when a quorum had cosigned its entry; None if none has.
    """

    table: str
    at: float
    came: float
    witnessed: float | None


class Look(Struct, frozen=True):
    """How all records stand. waits: table -> since when an entry waits for a quorum, in seconds since 1970.

    incidents: those that are open, in words.
    """

    rounds: list[Round]
    waits: dict[str, float]
    incidents: list[str]


class Below(NamedTuple):
    """A time without a quorum, in seconds since 1970. look: just before its end."""

    since: float
    until: float
    look: Look | None = None


class Stretch(Struct, frozen=True, kw_only=True):
    """What came of a time without a quorum.

    rounds: those that were stored meanwhile. tables: those with a round that waited; said: those of which the store
    said since when. whole_s: from its end until the last round before it was witnessed; None if one never was.
    unsaid: of the others when the first such round came, and since when the store says it, in seconds of the stretch.
    """

    seconds: float
    rounds: int
    tables: int
    said: int
    whole_s: float | None
    unsaid: list[str] = []

    @property
    def is_fine(self) -> bool:
        """Whether nothing stopped, it was said since when, and all was caught up."""
        return self.rounds > 0 and self.said == self.tables > 0 and self.whole_s is not None


class Windows(Struct, frozen=True, kw_only=True):
    """What came of all rounds. p50_s, p95_s, longest_s: from end to quorum, without the times below the quorum.

    late: rounds above `LIMIT_S`. unwitnessed: rounds without a quorum at the end. incidents: those open at the end.
    waiting: tables of which an entry waits at the end. examples: some of the late rounds.
    """

    rounds: int
    p50_s: float
    p95_s: float
    longest_s: float
    late: int
    unwitnessed: int
    stretches: list[Stretch]
    waiting: list[str]
    incidents: list[str]
    examples: list[str]

    @property
    def is_fine(self) -> bool:
        """Whether every round was witnessed in time, and no incident is open."""
        wrong = self.late, self.unwitnessed, self.waiting, self.incidents
        return self.rounds > 0 and not any(wrong) and all(each.is_fine for each in self.stretches)

    def lines(self) -> Iterator[str]:
        """Yield what it says in words."""
        times = f"p50 {self.p50_s:.1f} s, p95 {self.p95_s:.1f} s, longest {self.longest_s:.1f} s"
        yield f"{self.rounds} rounds, from their end until a quorum of witnesses had cosigned them: {times}"
        late = f"{self.late} later than {LIMIT_S:.0f} s while a quorum was there"
        open_ = f"{len(self.incidents)} incidents open"
        yield f"{late}, {self.unwitnessed} never; {len(self.waiting)} tables wait at the end; {open_}"
        yield from (f"  {each}" for each in self.examples + self.incidents[:EXAMPLES])
        for each in self.stretches:
            said = f"of {each.tables} tables with rounds that wait {each.said} say since when"
            whole = "never caught up" if each.whole_s is None else f"caught up {each.whole_s:.1f} s after"
            yield f"  below the quorum for {each.seconds:.0f} s: {each.rounds} rounds stored, {said}, {whole}"
            yield from (f"    {one}" for one in each.unsaid[:EXAMPLES])


def judged(look: Look, before: Below, stretches: Sequence[Below]) -> Windows:
    """Return what came of a run. look: at its end. before: the time until a quorum was there first."""
    below = [before, *stretches]
    waits = {number: _waits_s(each, below) for number, each in enumerate(look.rounds) if each.witnessed is not None}
    times = sorted(waits.values()) or [0.0]
    late = [number for number, time in waits.items() if time > LIMIT_S]
    named = sorted(late, key=lambda number: -waits[number])[:EXAMPLES]
    return Windows(
        rounds=len(look.rounds),
        p50_s=_part(times, 0.5),
        p95_s=_part(times, 0.95),
        longest_s=round(times[-1], 1),
        late=len(late),
        unwitnessed=len(look.rounds) - len(waits),
        stretches=[_stretch(each, look) for each in stretches],
        waiting=sorted(look.waits),
        incidents=look.incidents,
        examples=[f"late: {look.rounds[number].table} after {waits[number]:.1f} s" for number in named],
    )


def _waits_s(one: Round, below: Sequence[Below]) -> float:
    """Return seconds from a round's end to its quorum, without the times below one."""
    assert one.witnessed is not None
    without = sum(max(0.0, min(one.witnessed, each.until) - max(one.at, each.since)) for each in below)
    return max(0.0, one.witnessed - one.at - without)


def _stretch(below: Below, end: Look) -> Stretch:
    then = below.look or Look([], {}, [])
    came = {each.table: each.came for each in reversed(then.rounds) if each.witnessed is None}
    said = [table for table, at in came.items() if below.since - LIMIT_S <= then.waits.get(table, 0.0) <= at]
    before = [each.witnessed for each in end.rounds if each.at < below.until]
    times = [each for each in before if each is not None]
    whole = None if len(times) < len(before) else max(0.0, max(times, default=0.0) - below.until)
    return Stretch(
        seconds=round(below.until - below.since, 1),
        rounds=sum(below.since <= each.came < below.until for each in end.rounds),
        tables=len(came),
        said=len(said),
        unsaid=[
            f"{table}: a round waits from {at - below.since:.1f} s on, the store says "
            + (f"{then.waits[table] - below.since:.1f} s" if table in then.waits else "nothing")
            for table, at in came.items()
            if table not in said
        ],
        whole_s=None if whole is None else round(whole, 1),
    )


def _part(times: Sequence[float], part: float) -> float:
    return round(times[min(len(times) - 1, int(part * len(times)))], 1)
