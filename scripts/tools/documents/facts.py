"""The page of facts: what reports are made of, queries, and the data dictionary of the store's tables."""

from typing import Any, Final

from sqlalchemy import Column, Table

from firmware_bridge.floor.store.fact_tables import FACTS, kind_of
from firmware_bridge.floor.store.house_statements import QUERIES

KINDS: Final = {"TEXT": "text", "BIGINT": "integer", "TIMESTAMP": "time", "JSON": "JSON", "BOOLEAN": "0 or 1"}

HEAD: Final = """\
# Facts and reports

Beside the messages as they came the [store](floor.md) keeps facts, made of them in the same commit: rounds, stakes,
sums of days, alarms, dealers, shoes and orders. Of a table with an [enrolled key](incidents.md#enrolling-a-table) only
messages that a checkpoint verified are facts: with its first enrolled key the others are facts no longer.

## Who asks what

Months and days are examples: `--since 2026-11` is all of November, `--since 2026-11-20` a day, `--until` the last one
of several; without them a report is of the newest gaming day. `--csv` is for a spreadsheet, `--html` for paper,
`--sort` puts the lowest of a column first.

| a manager asks | answer |
|---|---|
| How much did each table hold last month? | `shoe-floor report table --since 2026-11`; \
by day: `shoe-floor report hold --since 2026-11` |
| Which shift earned most on a day? | `shoe-floor report shift --since 2026-11-21 --sort 'house won'`, the last row |
| How many ties were there at T07 last month? | `shoe-floor report bet --table T07 --since 2026-11`, \
`won` of `tie`; by day: `shoe-floor report ties --table T07 --since 2026-11` |
| Which dealer is slowest? | `shoe-floor report dealer --since 2026-11 --sort 'an hour'`, the \
first rows |
| Which dealers' shoes were ended early? | `shoe-floor report early --since 2026-11` |
| Which bet loses the house money? | `shoe-floor report bet --since 2026-11 --sort 'house %'`, \
the rows below 0. Of baccarat per unit staked: what guests stake there the backend knows, and no shoe. Of games in \
money `units` is what the seats won: `--sort units`, the last rows |
| What are the numbers of a gaming day, for accounting? | `shoe-floor report table --csv --since 2026-11-20 -o \
day.csv`; each round: [export](#export) |
| What was changed after a report was printed? | `shoe-floor export fact_round --after 0 --columns \
day,tbl,shoe,round,status`, with the change that the page names in place of 0; by whom and why: \
`shoe-floor report changes` |
| Which alarms took longest? | `shoe-floor report alarms --since 2026-11-20 --sort minutes`, the last rows with a \
number; those without one are open |
| What is wrong on the floor now? | [the page](page.md) has the tables; `shoe-floor check` the store |
| Who dealt at T07 at a time? | `shoe-floor export fact_round --csv --table T07 --since 2026-11-20 --until 2026-11-20 \
--columns closed_at,shoe,round,dealt_by` |

| an auditor asks | answer |
|---|---|
| Who entered cards by hand, and for whom? | `shoe-floor report hands --since 2026-11` |
| Who corrected or voided a round, when, why, and what was said before? | `shoe-floor report changes --table T03 \
--since 2026-11`; the messages themselves: `shoe-floor export messages --table T03` |
| Who gave which orders? | `shoe-floor export fact_order --csv --since 2026-11-01 --until 2026-11-30` |
| Do the results look like chance? | `shoe-floor report chance --since 2026-11`; \
[what it means](#results-beside-their-expectation) |
| Is a shoe as it was dealt? | [the auditor's book](audit.md#from-the-back-office); of each round `proof` in \
`shoe-floor export rounds --table T07` |
| What does the record lack? | `shoe-floor export gaps`: messages that are missing; `shoe-floor export pending`: \
what no checkpoint verified; [closed gaps](floor.md#what-nobody-can-mend): `shoe-floor export closed` |
| Was anything deleted, and by whom? | In order: `shoe-floor export expired`, which is what \
[`expire`](floor.md#how-long-it-is-kept) deleted. Behind its back: `shoe-floor check --record` names each signed entry \
that is [not in the store](incidents.md#finding-incidents), or not as it was signed. By whom the store cannot say: \
that is in the logs of its machine and its database |
| What is in conflict, and who closed it? | `shoe-floor export conflicts` has both messages of what is open, \
`shoe-floor export closed_conflicts` of what was closed, with who, when and why; the same of quarantine: \
`quarantine`, `closed_quarantine` |
| Do the reports say what the messages say? | `shoe-floor rebuild facts` makes all facts again, best on a \
[copy](floor.md#backup-and-restore); then the same report is the same to the last digit, but for the number of its \
change |
| What counts in no report, and why? | `shoe-floor export fact_none` |

## Reports

    shoe-floor report table                                    # of the newest gaming day: rounds, money, hold
    shoe-floor report bet --since 2026-11 --table T07
    shoe-floor report dealer --csv --since 2026-11 >dealers.csv
    shoe-floor report table --html --since 2026-11 -o november.html
    shoe-floor rebuild facts                                   # make them again, while the ingest runs

A report by `day`, `shift`, `table`, `dealer` or `bet` is of sums; `shoe-floor report --help` names the others too.
Each round counts once, on its own gaming day, by the newest message about it; below the sums stand the rounds that were
corrected or voided after they had closed, the first 20 of them in a text. Money is that of rounds with known stakes. A
bet of baccarat counts per unit staked, whoever staked it: `won`, `lost` and `pushed` are rounds, `house %` is what a
guest would have lost who had staked one unit on it in each of them. Of the other games the bets are seats, and `units`
the money that they won.

`changes` has a row for each correction and each void, also of a round in play: `before` is the result, with its cards,
that counted until then, and empty where there was none. `alarms` has those that began on these days, in UTC, and the
minutes until the next end of the same alarm at the table.

`hours` and `an hour` of a dealer are time at the tables and rounds in it. Time is counted in tens of minutes by the
clock: of each one at a table a dealer has the part that the dealer's rounds are of all rounds in it, and one without a
result counts for nobody. So a break of a table slows down nobody, and a slow quarter of an hour does.

`--html` is one file that a browser prints on A4: the same numbers, the hold of each table by day or the pace of each
dealer as a picture, the rounds that were changed later, when and from which store it was made, and its change: the
number of the last change that is in it. What came after change 48213: `shoe-floor export fact_round --after 48213`.

Facts follow from the messages alone, in any order: `rebuild facts` makes the same rows, but for `changed`. They go with
the messages when a journal [expires](floor.md#how-long-it-is-kept). A message with the right head and another body than
it should have is kept, is no fact, and has a row in `fact_none`.

## Export

    shoe-floor export fact_round --csv --since 2026-11-20 --until 2026-11-20 -o rounds.csv
    shoe-floor export fact_round --csv --columns day,tbl,outcome,bet.tie --since 2026-11-20
    shoe-floor export fact_round --parquet rounds.parquet --since 2026-11-20 --until 2026-11-20
    shoe-floor export fact_round --parquet new.parquet --cursor new.cursor

Any table of the dictionary can be exported, as JSON lines, as CSV or as Parquet; the columns are those of the
dictionary. In CSV and Parquet `bets` of `fact_round` is a column for each bet, `bet.NAME`, in millionths, empty where
the round has no such bet. `--since` and `--until` are gaming days, or days in UTC in a table without. A file is
replaced as a whole, or not at all. Parquet needs the package pyarrow: `sudo scripts/install --floor --parquet`.

With `--cursor FILE` an export has each round that is new or was changed since the one before with that file, at least
once; the file is written last. Give each export a name of its own, and let the newest row of a round (`tbl`, `journal`,
`shoe`, `round`) replace the one before: a void comes as a row with `status` voided. `--after NUMBER` is the same
without a file; what it says at the end is the next one. Rounds that expired, and those of a table that is enrolled
later and were never verified, go without a row. After the store was restored from a backup begin with `--after 0`.

## In a spreadsheet

CSV is UTF-8, with commas, and points in numbers. Open it in Excel by *Data*, *From Text/CSV*, 65001: Unicode (UTF-8),
and in LibreOffice by the dialog that opens: a double click reads Chinese names wrongly, and where a house writes 12,50
it makes a text or a date of 12.50 (choose *English (United States)* as the locale). A report has money in units; an
export has it in millionths: divide `staked`, `house` and `bet.NAME` by 1,000,000. The sums of the export are then those
of the report; rounds that are voided or open have no amounts in it.

## Queries

What reports do not ask, SQL does. Each query runs as it stands in PostgreSQL and in SQLite from 3.38 on: `psql
DATABASE` with a [reader's role](floor.md#postgresql), `sqlite3 -readonly -header -csv FILE`. The month stands in it;
`report` runs those that it has a name for, with your days and `--table`.

### Hold by table and day

For a manager: `shoe-floor report hold`. `hold` is what the house won of 100 staked; empty where no stake is known.

```sql
$hold
```

### Ties at a table

For a manager: `shoe-floor report ties`. A tie is a round that the bet `tie` wins; of eight full decks 9.52 of 100
rounds are one.

```sql
$ties
```

### Pace of each dealer

For a manager. The same numbers as in `shoe-floor report dealer`.

```sql
select dealt_by as dealer, sum(rounds) as rounds, round(sum(millis) / 3600000.0, 2) as hours,
  round(sum(rounds) * 3600000.0 / nullif(sum(millis), 0), 1) as an_hour
from fact_hours where day between '2026-11-01' and '2026-11-30' group by dealt_by order by an_hour desc, dealer
```

### Shoes ended early

For a manager: `shoe-floor report early`. By the dealer of the shoe's last round: all shoes that ended, and `early`
those that ended otherwise than behind the cut card or for want of cards. The reasons: `select code, count(*) from
fact_shoe group by code`.

```sql
$early
```

### Cards entered by hand, by person and dealer

For an auditor: `shoe-floor report hands`. Who entered or looked at cards (`by_name`, with `second`), and for whom: the
dealer of the round that closed next at the table. A pair of names that often enters cards for one dealer is worth a
look.

```sql
$hands
```

### Results beside their expectation

For an auditor: `shoe-floor report chance`. How often player, banker and tie came at each table, beside what eight full
decks lead to, and the chi-square of that, with two degrees of freedom. By chance alone it is above 9.21 at one table of
a hundred, and above 13.82 at one of a thousand: of 200 tables expect two above 9.21 each month. A table that is above
it month after month does not deal as shuffled cards do; a low value proves nothing about any one round.

```sql
$chance
```

## Data dictionary

Money is in millionths, as an integer, so that sums are exact. Times are `timestamptz` in PostgreSQL, and in SQLite RFC
3339 texts with milliseconds in UTC, which sort by time and which its functions for dates read.
"""


NOVEMBER: Final = ("2026-11-01", "2026-11-30", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z")

TABLES: Final = {"ties": "T07"}
"""Query -> the table that it is shown for, where it is one."""


def page() -> str:
    """Return docs/facts.md."""
    head = HEAD
    for name, query in QUERIES.items():
        head = head.replace(f"${name}\n", query.on(*NOVEMBER, TABLES.get(name, "")))
    return head + "".join(map(_of_table, FACTS))


def _of_table(table: Table) -> str:
    about = f": {table.comment}" if table.comment else ""
    rows = "".join(f"| `{each.name}` | {_kind(each)} | {each.comment} |\n" for each in table.columns)
    return f"\n**`{table.name}`**{about}.\n\n| column | type | what it is |\n|---|---|---|\n{rows}"


def _kind(column: Column[Any]) -> str:
    return KINDS[kind_of(column)] + (", or null" if column.nullable else "")
