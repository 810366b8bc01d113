"""Sums rounds from exported journals alone: an independent reader, of the standard library, beside the store's facts.

It shares no code with the bridge or its back office: lines, JSON, amounts and sums are read and added here again, from
docs/messages.md, docs/facts.md and docs/adr/002-journal-format.md. `python -m tests.floor.facts.second day FILE..`
prints what `shoe-floor report day --csv` prints of all days.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

ENDS: Final = ("RoundClosed", "RoundCorrected", "RoundVoided")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet calculates: it gets an apostrophe."""

SUMS: Final = ["rounds", "voided", "corrected", "cards by hand", "staked", "house won", "hold %"]
NOBODY: Final = "(none)"
COLUMNS: Final = {
    "fact_round": "tbl,journal,shoe,round,revision,seq,n,at,game,status,day,pit,shift,dealt_by,outcome,staked,house,"
    "closed_at",
    "fact_stake": "tbl,journal,shoe,round,bet,put,net",
    "fact_day": "tbl,day,shift,dealt_by,game,rounds,voided,corrected,by_hand,staked,house",
    "fact_dealer_bet": "tbl,day,shift,dealt_by,game,bets",
    "fact_bet": "tbl,day,game,bets",
    "fact_pace": "tbl,since,day,dealt_by,rounds,millis",
    "fact_hours": "day,tbl,dealt_by,rounds,millis",
}
"""Table of facts -> the columns that are compared."""

TITLES: Final = {
    "day": ["day", *SUMS],
    "shift": ["day", "shift", *SUMS],
    "table": ["table", *SUMS],
    "dealer": ["dealer", *SUMS, "hours", "an hour"],
    "bet": ["game", "bet", "rounds", "won", "lost", "pushed", "units", "house %"],
}


class Round(NamedTuple):
    """A round by the event that counts, message `n` of entry `seq`. at: of it; ended: of its first end, RFC 3339."""

    table: str
    journal: str
    shoe: int
    seq: int
    n: int
    body: dict[str, Any]
    at: str
    ended: str

    @property
    def day(self) -> str:
        return self.body.get("gaming_day") or self.at[:10]

    @property
    def dealer(self) -> str:
        return self.body.get("dealt_by") or ""

    @property
    def counts(self) -> bool:
        return self.body["type"] != "RoundVoided"

    @property
    def number(self) -> int:
        return int(self.body["round"])

    def money(self) -> tuple[Fraction, Fraction]:
        """What was put in, and what the house won of it."""
        known = self.body["stakes"].values() if self.counts and self.body["unit"] == "money" else ()
        return sum((_exact(put) for put, _ in known), Fraction()), -sum((_exact(net) for _, net in known), Fraction())

    def nets(self) -> dict[str, Fraction]:
        """Bet -> what it won for each unit, or in money."""
        return {bet: _exact(net) for bet, net in self.body["bets"].items()} if self.counts else {}


def rounds_in(files: Iterable[Path]) -> list[Round]:
    """The rounds of journals, each by its event of the highest revision."""
    best = dict[tuple[str, str, int, int], tuple[tuple[int, int, int], dict[str, Any], str]]()
    ended = dict[tuple[str, str, int, int], str]()
    for line in _lines(files):
        for n, event in enumerate(line["events"], 1):
            if event["type"] not in ENDS:
                continue
            key = line["table"], line["journal"], line["shoe"], event["round"]
            order = event["revision"], line["seq"], n
            ended[key] = min(ended.get(key, line["at"]), line["at"])
            if key not in best or best[key][0] < order:
                best[key] = order, event, line["at"]
    return [Round(*key[:3], seq, n, body, at, ended[key]) for key, ((_, seq, n), body, at) in best.items()]


class Sums:
    """What rounds of the same kind come to."""

    def __init__(self) -> None:
        self.rounds = self.voided = self.corrected = self.by_hand = 0
        self.staked = self.house = Fraction()
        self.bets: dict[tuple[str, str], list[Fraction]] = defaultdict(lambda: [Fraction()] * 4)

    def add(self, round: Round) -> None:
        """Add a round."""
        self.by_hand += sum(card["from"] == "manual" for card in round.body["cards"])
        self.rounds, self.voided = self.rounds + round.counts, self.voided + (not round.counts)
        self.corrected += round.counts and round.body["revision"] > 0
        put, won = round.money()
        self.staked, self.house = self.staked + put, self.house + won
        for bet, net in round.nets().items():
            sums = self.bets[round.body["game"], bet]
            self.bets[round.body["game"], bet] = [
                *(each + found for each, found in zip(sums, (net > 0, net < 0, net == 0), strict=False)),
                sums[3] + net,
            ]

    def micros(self) -> tuple[int, int]:
        """What was put in, and what the house won of it, in millionths."""
        return _micros(self.staked), _micros(self.house)

    def as_json(self) -> str:
        """Bet -> rounds it won, lost, pushed, its nets in millionths."""
        found = {bet: [*map(int, counts), _micros(units)] for (_, bet), (*counts, units) in sorted(self.bets.items())}
        return json.dumps(found)

    def cells(self) -> list[str]:
        """As in a report."""
        counts = self.rounds, self.voided, self.corrected, self.by_hand
        return [*map(str, counts), amount(self.staked), amount(self.house), percent(self.house, self.staked)]


def report(kind: str, rounds: Iterable[Round]) -> list[list[str]]:
    """The lines of a report of rounds, with their titles."""
    of: dict[tuple[str, ...], Sums] = defaultdict(Sums)
    rounds = list(rounds)
    for each in rounds:
        of[_name(kind, each)].add(each)
    if kind == "bet":
        per_unit = {each.body["game"] for each in rounds if each.body["unit"] == "stake"}
        rows = [
            [
                *(*name, str(sum(counts)), *map(str, counts), amount(units)),
                percent(-units, sum(counts)) if name[0] in per_unit else "",
            ]
            for name, (*counts, units) in sorted(of[()].bets.items())
        ]
    else:
        rows = [[*name, *sums.cells()] for name, sums in sorted(of.items())]
    if kind == "dealer":
        paces = pace(rounds)
        rows = [[*row, *paces.get(row[0], ["", ""])] for row in rows]
    names = 2 if kind in ("shift", "bet") else 1
    return [TITLES[kind], *([*map(_cell, row[:names]), *row[names:]] for row in rows)]


def slots(rounds: Iterable[Round]) -> dict[tuple[str, int, str, str], tuple[int, int]]:
    """Table, begin of ten minutes in seconds since 1970, day, dealer -> rounds, and milliseconds of the ten minutes.

    A dealer has the part of them that the dealer's rounds are of all rounds in them.
    """
    counted = Counter(
        (each.table, int(datetime.fromisoformat(each.ended).timestamp()) // 600 * 600, each.day, each.dealer)
        for each in rounds
        if each.counts
    )
    of_all = Counter[tuple[str, int]]()
    for (table, since, *_), count in counted.items():
        of_all[table, since] += count
    return {name: (count, 600_000 * count // of_all[name[:2]]) for name, count in counted.items()}


def pace(rounds: Iterable[Round]) -> dict[str, list[str]]:
    """Dealer -> hours at the tables, and rounds an hour."""
    counts, millis = Counter[str](), Counter[str]()
    for (*_, dealer), (count, time) in slots(rounds).items():
        counts[dealer or NOBODY] += count
        millis[dealer or NOBODY] += time
    hours = {name: Fraction(time, 3_600_000) for name, time in millis.items()}
    return {name: [f"{float(time):.2f}", f"{float(counts[name] / time):.1f}"] for name, time in hours.items()}


def facts(name: str, rounds: Iterable[Round]) -> list[list[str]]:
    """The lines of a table of facts, as `COLUMNS` has it, without titles; sorted."""
    made = list[tuple[object, ...]]()
    rounds = list(rounds)
    match name:
        case "fact_round":
            made = [
                (
                    *each[:3],
                    each.number,
                    each.body["revision"],
                    each.seq,
                    each.n,
                    each.at,
                    each.body["game"],
                    each.body["status"],
                    each.day,
                    each.body.get("pit") or "",
                    each.body.get("shift") or "",
                    each.dealer,
                    each.body.get("outcome", ""),
                    *(map(_micros, each.money()) if each.counts and each.body["unit"] == "money" else ("", "")),
                    each.ended,
                )
                for each in rounds
            ]
        case "fact_stake":
            made = [
                (*each[:3], each.number, bet, _micros(_exact(put)), _micros(_exact(net)))
                for each in rounds
                if each.body["unit"] == "money"
                for bet, (put, net) in each.body["stakes"].items()
            ]
        case "fact_day":
            of = _summed(rounds, _shift_of_a_dealer)
            made = [
                (*key, sums.rounds, sums.voided, sums.corrected, sums.by_hand, *sums.micros())
                for key, sums in of.items()
            ]
        case "fact_dealer_bet":
            of = _summed((each for each in rounds if each.counts), _shift_of_a_dealer)
            made = [(*key, sums.as_json()) for key, sums in of.items() if sums.bets]
        case "fact_bet":
            of = _summed((each for each in rounds if each.counts), lambda each: (each.table, each.day))
            made = [(*key, sums.as_json()) for key, sums in of.items() if sums.bets]
        case "fact_pace":
            made = [(*key, *sums) for key, sums in slots(rounds).items()]
        case "fact_hours":
            hours = dict[tuple[str, ...], tuple[int, int]]()
            for (table, _, day, dealer), (count, millis) in slots(rounds).items():
                before = hours.get((day, table, dealer), (0, 0))
                hours[day, table, dealer] = before[0] + count, before[1] + millis
            made = [(*key, *sums) for key, sums in hours.items()]
    return sorted([_cell(each) if isinstance(each, str) else str(each) for each in row] for row in made)


def _shift_of_a_dealer(round: Round) -> tuple[str, ...]:
    return round.table, round.day, round.body.get("shift") or "", round.dealer


def amount(exact: Fraction) -> str:
    """A decimal text with two to six places."""
    micros = _micros(exact)
    sign, whole = "-" if micros < 0 else "", abs(micros)
    places = f"{whole % 1_000_000:06}"
    return f"{sign}{whole // 1_000_000}.{places[:2]}{places[2:].rstrip('0')}"


def percent(part: Fraction, whole: Fraction | int) -> str:
    """Two places; "" of nothing."""
    return f"{float(100 * part / whole):.2f}" if whole else ""


def _name(kind: str, round: Round) -> tuple[str, ...]:
    return {
        "day": (round.day,),
        "shift": (round.day, round.body.get("shift") or ""),
        "table": (round.table,),
        "dealer": (round.dealer or NOBODY,),
        "bet": (),
    }[kind]


def _lines(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """The published part of each line: version, checksum, chain, published, sealed, proof, between tabs."""
    for path in files:
        for line in path.read_bytes().split(b"\n"):
            if line:
                yield json.loads(line.split(b"\t")[3], parse_float=Fraction)


def _summed(rounds: Iterable[Round], of: Callable[[Round], tuple[str, ...]]) -> dict[tuple[str, ...], Sums]:
    """The sums of rounds of the same kind and game."""
    found = dict[tuple[str, ...], Sums]()
    for each in rounds:
        found.setdefault((*of(each), each.body["game"]), Sums()).add(each)
    return found


def _micros(exact: Fraction) -> int:
    """An amount in millionths."""
    micros = exact * 1_000_000
    assert micros.denominator == 1
    return int(micros)


def _exact(value: int | str | Fraction) -> Fraction:
    return Fraction(value)


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text


def write(kind: str, rounds: Iterable[Round], out: TextIO) -> None:
    """Write a report as CSV."""
    csv.writer(out).writerows(report(kind, rounds))


if __name__ == "__main__":
    write(sys.argv[1], rounds_in(map(Path, sys.argv[2:])), sys.stdout)
