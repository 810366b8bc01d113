"""A `lost` that a broker says late, of a connection that another one followed: all that shows a table ignores it."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.page.guest.fold import Guests
from firmware_bridge.floor.page.state import Floor
from firmware_bridge.floor.source import Delivery
from tests.floor.metered import STATUS
from tests.floor.metered import Floor as Metered
from tests.floor.tables import NOW, rfc3339
from tests.kit.rows import each_row

TOPIC = "shoe/T07/status"

Show = Callable[[list[bytes]], str]
"""The state of table T07 after these messages of its topic `status`."""


def page(said: list[bytes]) -> str:
    floor = Floor("shoe")
    for each in said:
        floor.handle(TOPIC, each, False, NOW)
    status = floor.tables["T07"].status
    return status.state if status else "-"


def metrics(said: list[bytes]) -> str:
    tables = Tables("shoe")
    tables.handle([Delivery(TOPIC, each) for each in said])
    ((_, table),) = tables
    return table.status.state if table.status else "-"


def guest_screen(said: list[bytes]) -> str:
    guests = Guests("shoe")
    for each in said:
        guests.handle(TOPIC, each)
    status = guests.tables["T07"].status
    return status.state if status else "-"


def status(words: str) -> bytes:
    """A message of `online 5c1e 2 at 7`: state, boot, number of the connection, second. A will is as old as it."""
    state, boot, link, _, second = words.split()
    head = StateHead(VERSION, "T07", 3, "3-5ad1", 9, rfc3339(NOW + 1000 * int(second)), boot)
    return joined(head, Status(state, "0.1.0", "unknown", 10, "FULL", "unknown", int(link)))  # type: ignore[arg-type]


@each_row("show", [page, metrics, guest_screen])
@each_row(
    ("said", "shown"),
    [
        ("online 5c1e 1 at 1, lost 5c1e 1 at 1", "lost"),
        ("online 5c1e 1 at 1, lost 5c1e 2 at 2", "lost"),
        ("lost 5c1e 1 at 1", "lost"),
        ("lost 5c1e 1 at 1, online 5c1e 2 at 5", "online"),
        ("lost 5c1e 1 at 1, online 77aa 1 at 5", "online"),
        ("online 5c1e 1 at 1, online 5c1e 2 at 5, lost 5c1e 1 at 1", "online"),
        ("online 5c1e 2 at 5, lost 5c1e 1 at 1", "online"),
        ("stopped 5c1e 2 at 5, lost 5c1e 1 at 1", "stopped"),
        ("online 5c1e 3 at 1, online 77aa 1 at 5, lost 5c1e 3 at 1", "online"),
        ("online 77aa 1 at 5, lost 5c1e 3 at 1", "online"),
        ("online 5c1e 2 at 5, lost 5c1e 1 at 1, lost 5c1e 2 at 5", "lost"),
        ("online 5c1e 2 at 5, lost 5c1e 2 at 5, lost 5c1e 1 at 1", "lost"),
        ("online 5c1e 2 at 5, lost 5c1e 2 at 5, online 5c1e 3 at 9", "online"),
    ],
)
def test_a_late_lost_of_an_older_connection_is_no_news(show: Show, said: str, shown: str) -> None:
    assert show([status(each) for each in said.split(", ")]) == shown


def test_after_a_late_lost_of_the_run_before_no_round_is_counted_again() -> None:
    floor = Metered()
    floor.say("status", **STATUS)
    floor.round(5, "2026-11-20T22:00:00.000Z")
    floor.say("status", **STATUS | {"boot": "before", "state": "lost", "at": "2026-11-20T20:00:00.000Z"})
    floor.round(5, "2026-11-20T22:00:00.000Z")
    assert 'shoe_rounds_total{table="T07",status="closed"} 1' in floor.value("shoe_rounds_total")


def test_of_tables_that_do_not_number_their_connections_a_lost_of_the_same_run_counts() -> None:
    floor = Metered()
    before = {name: value for name, value in STATUS.items() if name != "link"}
    floor.say("status", **before)
    floor.say("status", **before | {"state": "lost"})
    assert 'shoe_state{table="T07",state="lost"} 1' in floor.value("shoe_state")
