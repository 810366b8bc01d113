"""Format 10: how a shoe or an alarm ended is a code; before, it was a sentence in the column of what was typed."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.floor.record.before_codes import alarm_ended, shoe_ended
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.migrations.step import Database, Size, Step

COLUMNS: Final = ("code", "alarm", "by_name")
_OVER: Final = "from fact_shoe where ended_at is not null"
_SET: Final = ", ".join(f"{each} = ?" for each in (*COLUMNS, "why"))


def verify(db: Database, names: Names | None) -> None:
    """Find nothing in its way: names in these sentences became pseudonyms as they came."""


def measure(db: Database, names: Names | None) -> Size:
    """Count what is read."""
    [(shoes,)] = db.all(f"select count(*) {_OVER}")
    return Size(f"the end of {shoes} shoes is read", 0.0)


def run(db: Database, names: Names | None) -> Iterator[str]:
    """Read the sentences."""
    for each in COLUMNS:
        db.write(f"alter table fact_shoe add column {each} {db.text}")
    db.write("drop index fact_shoe_ended")
    db.write("create index fact_shoe_why on fact_shoe (why)")  # people type what they like: many different ones
    for (why,) in db.all(f"select distinct why {_OVER}"):
        ended = shoe_ended(why or "")
        values = ended.code, ended.alarm, ended.by, ended.why
        db.write(f"update fact_shoe set {_SET} where why = ? and ended_at is not null and code is null", *values, why)
    db.write("drop index fact_shoe_why")
    db.write("create index fact_shoe_ended on fact_shoe (ended_at, dealt_by, code)")
    for (choice,) in db.all("select distinct choice from fact_alarm where choice is not null"):
        if (code := alarm_ended(choice)) != choice:
            db.write("update fact_alarm set choice = ? where choice = ?", code, choice)
    [(count,)] = db.all(f"select count(*) {_OVER}")
    yield f"the end of {count} shoes is a code now"


STEP: Final = Step("how shoes ended becomes a code", verify, measure, run)
