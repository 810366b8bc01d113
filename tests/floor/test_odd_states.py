"""What each reader of state topics makes of odd messages: who changes a reader keeps to the rows of odd_states.txt.

Each row is a message that came after sound ones, in the words of odd.py; what outcomes mean stands in odd_readers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.floor.metered import Floor
from tests.floor.odd import Odd, Row, of_a_state, rows, subject
from tests.floor.odd_readers import STATES
from tests.kit.rows import each_row

TABLES: Final = dict(
    part.split("]\n", 1) for part in f"\n{Path(__file__).with_name('odd_states.txt').read_text()}".split("\n[")[1:]
)
"""Topic -> its rows; `head`: those of every topic in `READS`. What `ingest` makes of `health` is in its own table."""

READS: Final = {
    "status": "page metrics guest client demo intake ingest daemon retire",
    "health": "page metrics client",
    "alarm": "page metrics guest client demo",
    "table": "page metrics guest client demo past",
    "lamps": "page client demo",
    "roads": "page guest client demo",
}
"""Topic -> who reads it."""


def heads() -> list[Row]:
    """The rows of `head` for each topic, with those that read it."""
    made = [row for topic in READS for row in rows(topic, TABLES["head"])]
    return [row._replace(outcomes={name: row.outcomes[name] for name in READS[row.topic].split()}) for row in made]


BODIES: Final = [row for topic in READS for row in rows(topic, TABLES[topic])]


@each_row("row", [*heads(), *BODIES], ids=str, by=subject)
def test_an_odd_state(row: Row) -> None:
    assert {name: outcome(STATES[name], row) for name in row.outcomes} == row.outcomes


def outcome(reader: Callable[[Odd], str], row: Row) -> str:
    """What a reader makes of it; `raises` where it fails: its program ends, or connects again."""
    try:
        return reader(of_a_state(row.topic, row.words))
    except RecursionError:
        return "raises"


def test_what_an_older_table_does_not_say_has_its_default() -> None:
    """A floor may be newer than its tables: metrics show nothing of it, or that it is unknown."""
    floor = Floor()
    floor.say("status", state="online")
    floor.say("health")
    floor.say("table", phase="empty")
    shown = {
        name: floor.value(f"shoe_{name}") for name in ("state", "build_info", "connections_total", "clock_synchronised")
    }
    assert shown == {
        "state": ['shoe_state{table="T07",state="online"} 1'],
        "build_info": ['shoe_build_info{table="T07",version="unknown",build="unknown"} 1'],
        "connections_total": [],
        "clock_synchronised": [],
    }
    of_health = ("disk_free_bytes", "cards_read_total", "temperature_celsius", "outbox_entries", "faults")
    assert [floor.value(f"shoe_{name}") for name in of_health] == [[]] * len(of_health)
    assert floor.value("shoe_exporter_unread_total") == ["shoe_exporter_unread_total 0"]
