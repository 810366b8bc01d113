"""The page of facts: what reports are made of, queries, and the data dictionary of the store's tables."""

from typing import Any, Final

from sqlalchemy import Column, Table

from firmware_bridge.floor.store.fact_tables import FACTS, kind_of

KINDS: Final = {"TEXT": "text", "BIGINT": "integer", "TIMESTAMP": "time", "JSON": "JSON", "BOOLEAN": "0 or 1"}

HEAD: Final = """\
# Facts and reports

Beside the messages as they came the [store](floor.md) keeps facts, made of them in the same commit: rounds, stakes,
sums of days, alarms, dealers, shoes and orders. Of a table with an [enrolled key](incidents.md#enrolling-a-table) only
messages that a checkpoint verified are facts: with its first enrolled key the others are facts no longer.

    shoe-floor report table                                    # of the newest gaming day: rounds, money, hold
    shoe-floor report bet --since 2026-11-01 --until 2026-11-30 --table T07
    shoe-floor report dealer --csv --since 2026-11-01 --until 2026-11-30 >dealers.csv
    shoe-floor report table --html --since 2026-11-01 --until 2026-11-30 -o november.html
    shoe-floor rebuild facts                                   # make them again, while the ingest runs

`report` is by `day`, `shift`, `table`, `dealer` or `bet`. Each round counts once, on its own gaming day, by the newest
message about it; below the table stand the rounds that were corrected or voided after they had closed. Money is that of
rounds with known stakes. A bet of baccarat counts per unit staked, whoever staked it: `won`, `lost` and `pushed` are
rounds, `house %` is what a guest would have lost who had staked one unit on it in each of them.

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

## Queries

Each runs as it stands in PostgreSQL and in SQLite from 3.38 on: `psql DATABASE` with a
[reader's role](floor.md#postgresql), `sqlite3 -readonly FILE`. The month stands in it.

### Hold by table and day

For a manager. `hold` is what the house won of 100 staked; empty where no stake is known.

```sql
select tbl, day, sum(rounds) as rounds, sum(staked) / 1000000.0 as staked, sum(house) / 1000000.0 as won,
  round(100.0 * sum(house) / nullif(sum(staked), 0), 2) as hold
from fact_day where day between '2026-11-01' and '2026-11-30' group by tbl, day order by tbl, day
```

### Ties at a table

For a manager. A tie is a round that the bet `tie` wins; of eight full decks 9.52 of 100 rounds are one.

```sql
select day, cast(bets -> 'tie' ->> 0 as bigint) as ties,
  cast(bets -> 'tie' ->> 0 as bigint) + cast(bets -> 'tie' ->> 1 as bigint) as rounds
from fact_bet where tbl = 'T07' and game = 'baccarat' and day between '2026-11-01' and '2026-11-30'
order by day
```

### Pace of each dealer

For a manager. The same numbers as in `shoe-floor report dealer`.

```sql
select dealt_by as dealer, sum(rounds) as rounds, round(sum(millis) / 3600000.0, 2) as hours,
  round(sum(rounds) * 3600000.0 / nullif(sum(millis), 0), 1) as an_hour
from fact_hours where day between '2026-11-01' and '2026-11-30' group by dealt_by order by an_hour desc, dealer
```

### Shoes ended early

For a manager. By the dealer of the shoe's last round: all shoes that ended, and `early` those that ended otherwise than
behind the cut card or for want of cards. The reasons: `select why, count(*) from fact_shoe group by why`.

```sql
select coalesce(dealt_by, '') as dealer, count(*) as shoes, sum(case when why in (
    'the last round is over', 'the pack is over', 'too few cards are left for another round', 'the shoe is empty'
    ) then 0 else 1 end) as early
from fact_shoe where ended_at >= '2026-11-01T00:00:00.000Z' and ended_at < '2026-12-01T00:00:00.000Z'
group by 1 order by early desc, dealer
```

### Cards entered by hand, by person and dealer

For an auditor. Who entered or looked at cards (`by_name`, with `second`), and for whom: the dealer of the round that
closed next at the table. A pair of names that often enters cards for one dealer is worth a look.

```sql
select e.by_name, e.second, coalesce((
    select r.dealt_by from fact_round r
    where r.tbl = e.tbl and r.closed_at >= e.at order by r.closed_at limit 1), '') as dealer, count(*) as cards
from fact_entry e
where e.at >= '2026-11-01T00:00:00.000Z' and e.at < '2026-12-01T00:00:00.000Z'
group by 1, 2, 3 order by cards desc, 1, 2, 3
```

### Results beside their expectation

For an auditor. How often player, banker and tie came at each table, beside what eight full decks lead to, and the
chi-square of that, with two degrees of freedom. By chance alone it is above 9.21 at one table of a hundred, and above
13.82 at one of a thousand: of 200 tables expect two above 9.21 each month. A table that is above it month after month
does not deal as shuffled cards do; a low value proves nothing about any one round.

```sql
with seen as (
  select tbl, sum(cast(bets -> 'player' ->> 0 as bigint)) as player,
    sum(cast(bets -> 'banker' ->> 0 as bigint)) as banker, sum(cast(bets -> 'tie' ->> 0 as bigint)) as tie
  from fact_bet where game = 'baccarat' and day between '2026-11-01' and '2026-11-30' group by tbl),
expected as (
  select *, player + banker + tie as rounds, 0.446247 * (player + banker + tie) as of_player,
    0.458597 * (player + banker + tie) as of_banker, 0.095156 * (player + banker + tie) as of_tie
  from seen where player + banker + tie > 0)
select tbl, rounds, player, round(of_player, 1) as expected_player, banker, round(of_banker, 1) as expected_banker,
  tie, round(of_tie, 1) as expected_tie,
  round(player * player / of_player + banker * banker / of_banker + tie * tie / of_tie - rounds, 2) as chi_square
from expected order by chi_square desc, tbl
```

## Who asks what

| question | answer |
|---|---|
| How much did each table hold last month? | `shoe-floor report table --since 2026-11-01 --until 2026-11-30`; \
by day: [query](#hold-by-table-and-day) |
| How many ties were there at T07 last month? | `shoe-floor report bet --table T07 --since 2026-11-01 --until \
2026-11-30`, `won` of `tie`; by day: [query](#ties-at-a-table) |
| How fast is each dealer? | `shoe-floor report dealer --since 2026-11-01 --until 2026-11-30`, `an hour` |
| Which dealers' shoes were ended early? | [query](#shoes-ended-early) |
| Who entered cards by hand, and for whom? | [query](#cards-entered-by-hand-by-person-and-dealer) |
| Do the results look like chance? | [query](#results-beside-their-expectation) |
| Which rounds were changed after they had closed? | `shoe-floor report day --since 2026-11-01 --until 2026-11-30`, \
below the table |
| Who gave which orders? | `shoe-floor export fact_order --csv --since 2026-11-01 --until 2026-11-30` |
| Is a report that was printed still true? | `shoe-floor export fact_round --after 0 --columns \
day,tbl,shoe,round,status`, with the change that the page names in place of 0 |
| Which alarms did T07 have on a day, and what was decided? | `shoe-floor export fact_alarm --csv --table T07 --since \
2026-11-20 --until 2026-11-20` |
| Who dealt at T07 at a time? | `shoe-floor export fact_round --csv --table T07 --since 2026-11-20 --until 2026-11-20 \
--columns closed_at,shoe,round,dealt_by` |
| What counts in no report, and why? | `shoe-floor export fact_none` |

## Data dictionary

Money is in millionths, as an integer, so that sums are exact. Times are `timestamptz` in PostgreSQL, and in SQLite RFC
3339 texts with milliseconds in UTC, which sort by time and which its functions for dates read.
"""


def page() -> str:
    """docs/facts.md."""
    return HEAD + "".join(map(_of_table, FACTS))


def _of_table(table: Table) -> str:
    about = f": {table.comment}" if table.comment else ""
    rows = "".join(f"| `{each.name}` | {_kind(each)} | {each.comment} |\n" for each in table.columns)
    return f"\n**`{table.name}`**{about}.\n\n| column | type | what it is |\n|---|---|---|\n{rows}"


def _kind(column: Column[Any]) -> str:
    return KINDS[kind_of(column)] + (", or null" if column.nullable else "")
