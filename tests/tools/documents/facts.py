"""The page of facts: what reports are made of, with the data dictionary of the store's tables."""

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
    shoe-floor rebuild facts                                   # make them anew, while the ingest runs

`report` is by `day`, `shift`, `table`, `dealer` or `bet`. Each round counts once, on its own gaming day, by the newest
message about it; below the table stand the rounds that were corrected or voided after they had closed. Money is that of
rounds with known stakes. A bet of baccarat counts per unit staked, whoever staked it: `won`, `lost` and `pushed` are
rounds, `house %` is what a guest would have lost who had staked one unit on it in each of them.

Facts follow from the messages alone, in any order: `rebuild facts` makes the same rows. They go with the messages when
a journal [expires](floor.md#how-long-it-is-kept). A message with the right head and another body than it should have is
kept, is no fact, and has a row in `fact_none`.

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
