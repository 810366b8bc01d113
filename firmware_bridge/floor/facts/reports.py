"""Reports of a house: the sums of gaming days by day, shift, table, dealer or bet."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from firmware_bridge.floor.cells import cell
from firmware_bridge.floor.facts.rows import MICRO
from firmware_bridge.floor.facts.sums import Bet, Day, DayName

NO_DEALER: Final = "(none)"
"""The dealer of rounds that were dealt without one signed in."""


class Report(NamedTuple):
    """A table of texts with a title for each column; the first `names` columns say what a row is about."""

    titles: tuple[str, ...]
    rows: list[tuple[str, ...]]
    names: int = 1

    def as_text(self) -> str:
        """Aligned columns, numbers to the right."""
        lines = [self.titles, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.titles))]
        return "".join(
            "  ".join(
                cell.ljust(width) if column < self.names else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            + "\n"
            for line in lines
        )

    def as_csv(self) -> str:
        """CSV with a line of titles; no name in it is calculated by a spreadsheet, and numbers are."""
        made = io.StringIO()
        sheet = csv.writer(made)
        sheet.writerow(self.titles)
        sheet.writerows((*map(cell, row[: self.names]), *row[self.names :]) for row in self.rows)
        return made.getvalue()


class Summed(NamedTuple):
    """Sums of a gaming day at a table. shift: "" where a report does not ask for it."""

    name: DayName
    day: Day
    shift: str = ""


BY: Final[dict[str, tuple[tuple[str, ...], Callable[[Summed], tuple[str, ...]]]]] = {
    "day": (("day",), lambda each: (each.name.day,)),
    "shift": (("day", "shift"), lambda each: (each.name.day, each.shift)),
    "table": (("table",), lambda each: (each.name.table,)),
    "dealer": (("dealer",), lambda each: (each.name.dealt_by or NO_DEALER,)),
}
"""Kind of report -> the titles of what a row is about, and that of some sums."""

SUMS: Final = ("rounds", "voided", "corrected", "cards by hand", "staked", "house won", "hold %")
BETS: Final = ("rounds", "won", "lost", "pushed", "units", "house %")
KINDS: Final = (*BY, "bet")


def report(kind: str, summed: Iterable[Summed]) -> Report:
    """A report of one of `KINDS`. Money is exact; `staked` to `hold %` are of rounds with known stakes."""
    if kind == "bet":
        return _of_bets(summed)
    titles, name_of = BY[kind]
    sums: dict[tuple[str, ...], Day] = {}
    for each in summed:
        _add(sums.setdefault(name_of(each), Day()), each.day)
    rows = [(*name, *_of_day(day)) for name, day in sorted(sums.items())]
    return Report((*titles, *SUMS), rows, len(titles))


def _of_bets(summed: Iterable[Summed]) -> Report:
    bets: dict[tuple[str, str], Bet] = {}
    for each in summed:
        for name, bet in each.day.bets.items():
            to = bets.setdefault((each.name.game, name), Bet())
            to.win, to.lose, to.push = to.win + bet.win, to.lose + bet.lose, to.push + bet.push
            to.units += bet.units
    rows = []
    for (game, name), bet in sorted(bets.items()):
        rounds = bet.win + bet.lose + bet.push
        cells = rounds, bet.win, bet.lose, bet.push
        rows.append((game, name, *map(str, cells), money(bet.units), _share(-bet.units, rounds * MICRO)))
    return Report(("game", "bet", *BETS), rows, 2)


def _add(to: Day, day: Day) -> None:
    to.rounds, to.voided, to.corrected = to.rounds + day.rounds, to.voided + day.voided, to.corrected + day.corrected
    to.by_hand, to.staked, to.house = to.by_hand + day.by_hand, to.staked + day.staked, to.house + day.house


def _of_day(day: Day) -> Sequence[str]:
    counts = day.rounds, day.voided, day.corrected, day.by_hand
    return *map(str, counts), money(day.staked), money(day.house), _share(day.house, day.staked)


def money(micros: int) -> str:
    """An amount in millionths as a decimal number without needless zeros, at least with two of them."""
    text = f"{Decimal(micros) / MICRO:.6f}"
    return text[:-4] + text[-4:].rstrip("0")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else ""
