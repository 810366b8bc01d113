"""Reports of a house: the sums of gaming days by day, shift, table, dealer or bet."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from firmware_bridge.floor.cells import cell
from firmware_bridge.floor.facts.rows import MICRO
from firmware_bridge.floor.facts.sums import Bet, Day, DayName, nets_of_day
from firmware_bridge.games import GAMES

NO_DEALER: Final = "(none)"
"""The dealer of rounds that were dealt without one signed in."""


class Report(NamedTuple):
    """A table of texts with a title for each column; the first `names` columns say what a row is about."""

    titles: tuple[str, ...]
    rows: list[tuple[str, ...]]
    names: int = 1

    def by(self, title: str) -> "Report":
        """Return the same rows by a column, the lowest first, those without a value last. Raises ValueError."""
        column = self.titles.index(title)
        is_name = column < self.names

        def place(row: tuple[str, ...]) -> tuple[bool, float, str]:
            cell = row[column]
            return (not cell, 0.0, cell) if is_name or not cell else (False, float(cell), "")

        return self._replace(rows=sorted(self.rows, key=place))

    def as_text(self) -> str:
        """Return the rows in aligned columns, numbers to the right."""
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
        """Return CSV with a line of titles; no name in it is calculated by a spreadsheet, and numbers are."""
        made = io.StringIO()
        sheet = csv.writer(made)
        sheet.writerow(self.titles)
        sheet.writerows((*map(cell, row[: self.names]), *row[self.names :]) for row in self.rows)
        return made.getvalue()


class Summed(NamedTuple):
    """Sums of a shift at a table."""

    name: DayName
    day: Day


class Pace(NamedTuple):
    """Rounds with a result that a dealer dealt, and in how many milliseconds (`fact_hours`)."""

    dealer: str
    rounds: int
    millis: int

    @property
    def an_hour(self) -> float:
        """Rounds an hour."""
        return self.rounds * HOUR_MS / self.millis if self.millis else 0.0


class ChangedRound(NamedTuple):
    """A round of a gaming day that was corrected or voided after it had closed. at: RFC 3339."""

    table: str
    shoe: int
    round: int
    day: str
    status: str
    at: str


class BetSums:
    """The sums of each bet of each game over days."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, Bet]] = {}

    def __bool__(self) -> bool:
        return bool(self.of)

    def add(self, game: str, bets: str) -> None:
        """Add those of a day. bets: `fact_bet.bets`."""
        sums = self.of.setdefault(game, {})
        for name, (win, lose, push, units) in nets_of_day(bets).items():
            if (to := sums.get(name)) is None:
                sums[name] = Bet(win, lose, push, units)
            else:
                to.win += win
                to.lose += lose
                to.push += push
                to.units += units


HOUR_MS: Final = 3_600_000

BY: Final[dict[str, tuple[tuple[str, ...], Callable[[Summed], tuple[str, ...]]]]] = {
    "day": (("day",), lambda each: (each.name.day,)),
    "shift": (("day", "shift"), lambda each: (each.name.day, each.name.shift)),
    "table": (("table",), lambda each: (each.name.table,)),
    "dealer": (("dealer",), lambda each: (each.name.dealt_by or NO_DEALER,)),
}
"""Kind of report -> the titles of what a row is about, and that of some sums."""

COLUMNS: Final = {"day": ("tbl", "day"), "shift": ("day", "shift"), "table": ("tbl", "day"), "dealer": ("dealt_by",)}
"""Kind of report -> columns of `fact_day` that it, or its picture, tells apart."""

SUMS: Final = ("rounds", "voided", "corrected", "cards by hand", "staked", "house won", "hold %")
PACE: Final = ("hours", "an hour")
BETS: Final = ("rounds", "won", "lost", "pushed", "units", "house %")
KINDS: Final = (*BY, "bet")

PER_UNIT: Final = {name for name, game in GAMES.items() if game.money.unit == "stake"}
"""Games of which a bet's net is per unit staked, so that it has a share of it; of the others it is money of a seat."""


def report(kind: str, summed: Iterable[Summed], paces: Iterable[Pace] = ()) -> Report:
    """Return a report of a key of `BY`. Money is exact; `staked` to `hold %` are of rounds with known stakes.

    paces: of the same days, for a report of dealers.
    """
    titles, name_of = BY[kind]
    sums: dict[tuple[str, ...], Day] = {}
    for each in summed:
        add(sums.setdefault(name_of(each), Day()), each.day)
    rows = [(*name, *_of_day(day)) for name, day in sorted(sums.items())]
    if kind != "dealer":
        return Report((*titles, *SUMS), rows, len(titles))
    pace = {each.dealer or NO_DEALER: _of_pace(each) for each in paces}
    rows = [(*row, *pace.get(row[0], ("", ""))) for row in rows]
    return Report((*titles, *SUMS, *PACE), rows, len(titles))


def bet_report(sums: BetSums) -> Report:
    """Return the report of bets."""
    rows = []
    for game, bets in sorted(sums.of.items()):
        for name, bet in sorted(bets.items()):
            rounds = bet.win + bet.lose + bet.push
            cells = rounds, bet.win, bet.lose, bet.push
            of_rounds = rounds * MICRO if game in PER_UNIT else 0
            rows.append((game, name, *map(str, cells), money(bet.units), share(-bet.units, of_rounds)))
    return Report(("game", "bet", *BETS), rows, 2)


def add(to: Day, day: Day) -> None:
    """Add the sums of a day to others, without those of bets."""
    to.rounds, to.voided, to.corrected = to.rounds + day.rounds, to.voided + day.voided, to.corrected + day.corrected
    to.by_hand, to.staked, to.house = to.by_hand + day.by_hand, to.staked + day.staked, to.house + day.house


def _of_day(day: Day) -> Sequence[str]:
    counts = day.rounds, day.voided, day.corrected, day.by_hand
    return *map(str, counts), money(day.staked), money(day.house), share(day.house, day.staked)


def _of_pace(pace: Pace) -> tuple[str, str]:
    return f"{pace.millis / HOUR_MS:.2f}", f"{pace.an_hour:.1f}"


def money(micros: int) -> str:
    """Return an amount in millionths as a decimal number without needless zeros, at least with two of them."""
    text = f"{Decimal(micros) / MICRO:.6f}"
    return text[:-4] + text[-4:].rstrip("0")


def share(part: int, whole: int) -> str:
    """Return a part in percent; "" of nothing."""
    return f"{100 * part / whole:.2f}" if whole else ""
