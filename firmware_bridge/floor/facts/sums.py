"""Sums of a day at a table: what each bet did and how long it was dealt, by the dealer who dealt."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from firmware_bridge.facts.decoding import json_of
from firmware_bridge.floor.facts.rows import Round, nets_of
from firmware_bridge.floor.record.message import seconds

TEN_MINUTES: Final = 600
"""Seconds of a slot of time, in which each dealer has dealt as long as the rounds in it say."""


class DayName(NamedTuple):
    """A shift of a gaming day of a dealer at a table."""

    table: str
    day: str
    shift: str
    dealt_by: str
    game: str


class Bet(Struct, array_like=True):
    """What a bet did in rounds that count. units: the sum of its nets, in millionths of the unit of its rounds."""

    win: int = 0
    lose: int = 0
    push: int = 0
    units: int = 0


class Day(Struct):
    """Sums of a `DayName`; each round is in them once, by the message that counts.

    staked, house: of rounds with known stakes, in millionths of money; house: what the house won.
    """

    rounds: int = 0
    voided: int = 0
    corrected: int = 0
    by_hand: int = 0
    staked: int = 0
    house: int = 0
    bets: dict[str, Bet] = {}

    def add(self, round: Round, times: int = 1) -> None:
        """Add a round, or with -1 take it out again."""
        self.by_hand += times * round.by_hand
        if not round.counts:
            self.voided += times
            return
        self.rounds += times
        self.corrected += times * (round.revision > 0)
        self.staked += times * (round.staked or 0)
        self.house += times * (round.house or 0)
        for name, net in nets_of(round.bets).items():
            bet = self.bets.get(name)
            if bet is None:
                bet = self.bets[name] = Bet()
            if net > 0:
                bet.win += times
            elif net < 0:
                bet.lose += times
            else:
                bet.push += times
                continue
            bet.units += times * net

    def merge(self, more: "Day") -> None:
        """Add the sums of other rounds."""
        self.rounds += more.rounds
        self.voided += more.voided
        self.corrected += more.corrected
        self.by_hand += more.by_hand
        self.staked += more.staked
        self.house += more.house
        merge_bets(self.bets, more.bets)


def merge_bets(bets: dict[str, Bet], more: dict[str, Bet]) -> None:
    """Add sums of bets; a bet that is in no round any more is left out. bets: bet -> its sums."""
    for name, each in more.items():
        bet = bets.setdefault(name, Bet())
        bet.win += each.win
        bet.lose += each.lose
        bet.push += each.push
        bet.units += each.units
        if bet == Bet():
            del bets[name]


class Changed(NamedTuple):
    """A round by the message that counts now. before: by the one that counted before it, None for the first."""

    now: Round
    before: Round | None = None


def name_of(round: Round) -> DayName:
    """Return the day that a round belongs to."""
    return DayName(round.table, round.day, round.shift, round.dealt_by, round.game)


class TableDay(NamedTuple):
    """A gaming day of a game at a table."""

    table: str
    day: str
    game: str

    @classmethod
    def of(cls, name: DayName) -> "TableDay":
        """Return the day at its table of a dealer's."""
        return cls(name.table, name.day, name.game)


TableBets = dict[TableDay, dict[str, Bet]]
"""Gaming day at a table -> bet -> its sums, of all dealers."""


class Slot(NamedTuple):
    """Ten minutes at a table, from a time in seconds since 1970."""

    table: str
    since: int


Slots = dict[Slot, Counter[tuple[str, str]]]
"""Slot -> gaming day and dealer -> rounds with a result that closed in it."""


def add_pace(slots: Slots, round: Round | None, closed_at: str | None, times: int = 1) -> None:
    """Add a round to its slot where it has a result, or with -1 take it out again."""
    if round and round.counts and closed_at:
        since = int(seconds(closed_at)) // TEN_MINUTES * TEN_MINUTES
        slots.setdefault(Slot(round.table, since), Counter())[round.day, round.dealt_by] += times


def days_of(changes: Iterable[Changed]) -> dict[DayName, Day]:
    """Return what changes of rounds add to the sums of their days, less what they take out."""
    days: dict[DayName, Day] = {}
    for now, before in changes:
        if before:
            days.setdefault(name_of(before), Day()).add(before, -1)
        days.setdefault(name_of(now), Day()).add(now)
    return days


nets_of_day = json_of(dict[str, tuple[int, int, int, int]])
"""Bet -> rounds it won, lost, pushed, sum of its nets, as plain numbers: a report decodes tens of thousands of days."""

bets_of = json_of(dict[str, Bet])
as_json = msgspec.json.Encoder(order="sorted").encode
