"""Makes docs/doors.md from what the doors use: the most that each takes, and what happens beyond."""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware_bridge.config.doors import (
    ACTS,
    BODY_S,
    DEALERS,
    FORM,
    FORM_S,
    GUESTS,
    KEPT,
    METRICS,
    PAGE,
    PEOPLE,
    SCRAPES,
    SOCKET,
    STRANGERS,
    TRIES,
    UNASKED,
    WAITING,
    WAITING_ORDERS,
    WITNESS,
    Door,
    Requests,
)
from firmware_bridge.daemon.table.order_service import A_SECOND
from firmware_bridge.facts.book.roles import GROUPS
from firmware_bridge.floor.page_config import PageSection, ScreenSection
from firmware_bridge.floor.witness.config import WitnessSection

SOCKETS: Final = "tests/daemon/test_doors.py"
FLOOR: Final = "tests/floor_whole/test_doors.py"


class Row(NamedTuple):
    """A door. test: what floods it beyond its measure."""

    door: str
    who: str
    connections: str
    size: str
    a_minute: str
    beyond: str
    test: str


def rows() -> list[Row]:
    """Return all doors: those of a table, then those of the back office."""
    page, screen, witness = PageSection(), ScreenSection(), WitnessSection(name="w")
    ended = f"what asks nothing for {PAGE.first_s:.0f} s or leaves an answer unread for {PAGE.unread_s:.0f} s is closed"
    head = f"{PAGE.longest:,} of a request's head"
    form = f"{FORM:,} of a form, within {FORM_S:.0f} s"
    return [
        _socket("`control.sock`", "root and the daemon's user"),
        _socket("`ROLE/control.sock`", "each group: " + ", ".join(f"`{each}`" for each in GROUPS.values())),
        Row(
            "the page: connections",
            "anybody who reaches it; proxies and programs of its machine: by their requests alone",
            f"{PAGE.of_one} + `[screen] of_one` of an address, "
            f"{page.streams + 2 * screen.streams + PAGE.of_all} in all; {UNASKED} of them without a request for more "
            "than half a second",
            head,
            "any number",
            f"one more of an address is reset; for one more of all, the oldest of the address with most ends; {ended}",
            f"{FLOOR}::test_page_connections",
        ),
        _requests(GUESTS, "`/screen/`: guests' screens", "who has a screen's address", screen.of_one, screen.streams),
        Row(
            "the page, before signing in",
            "anybody who reaches it",
            f"{STRANGERS.of_one} requests of an address, {STRANGERS.of_all} in all",
            form,
            "any number",
            "503",
            f"{FLOOR}::test_strangers",
        ),
        Row(
            "`/sign-in`",
            "the same",
            f"{WAITING} passwords wait to be tried; of known browsers {WAITING} more",
            form,
            f"{TRIES} tries of a name, and of an address; whatever strangers do, {TRIES} of a browser in which "
            "the person has signed in before",
            "429",
            "tests/floor_whole/test_sign_in.py::test_who_has_signed_in_before_is_locked_out_by_no_stranger",
        ),
        _people(PEOPLE, "the pit's pages, `/api/`", "`look` and `act`", page.streams, "[page] streams"),
        _people(DEALERS, "`/dealer/`: dealers' screens", "`look` and `act`", screen.streams, "[screen] streams"),
        _http(
            WITNESS,
            "`shoe-floor witness`",
            "anybody who reaches it",
            f"{WITNESS.longest:,} of a head, `[witness] body` ({witness.body:,}) of a body, within {BODY_S:.0f} s",
            f"60 x `[witness] rate` ({60 * witness.rate:,}) of an address",
            "429, 413, 408",
            "test_witness",
        ),
        _http(
            METRICS,
            "`shoe-floor metrics`",
            f"anybody who reaches it; {SCRAPES} are answered at a time",
            f"{METRICS.longest:,} of a head",
            f"{METRICS.a_minute} of an address; any number of this machine",
            "429, 503",
            "test_metrics",
        ),
    ]


def _socket(door: str, who: str) -> Row:
    return Row(
        door,
        who,
        f"{SOCKET.of_one} of a login, {SOCKET.of_all} in all",
        f"{SOCKET.longest:,} of a request",
        f"{SOCKET.a_minute:,} answers of a socket; {60 * A_SECOND} orders of all sockets",
        f"one more gets `too_many_connections`; a longer request, none within {SOCKET.first_s:.0f} s and an answer "
        f"unread for {SOCKET.unread_s:.0f} s end the connection; orders are refused",
        f"{SOCKETS}::test_a_socket_takes_so_many_connections_and_so_long_a_line",
    )


def _requests(most: Requests, door: str, who: str, of_one: int, streams: int) -> Row:
    return Row(
        door,
        who,
        f"streams: `[screen] of_one` ({of_one}) of an address, `[screen] streams` ({streams}) in all; "
        f"others: {most.of_one} and {most.of_all}",
        "none but the head",
        "any number",
        "503",
        f"{FLOOR}::test_guests",
    )


def _people(most: Requests, door: str, who: str, streams: int, key: str) -> Row:
    kept = f", of which one in {KEPT} is kept for `act`" if key == "[page] streams" else ""
    return Row(
        door,
        who,
        f"streams: {most.streams} of a person, `{key}` ({streams}) in all{kept}; others: {most.of_one} and "
        f"{most.of_all}, of which one in {KEPT} is kept for `act`",
        f"{FORM:,} of a form, within {FORM_S:.0f} s",
        f"{ACTS} acts at alarms of a person; {WAITING_ORDERS} of his orders wait for a second person",
        "503; 429 for acts and orders",
        f"{FLOOR}::test_people" if most is PEOPLE else f"{FLOOR}::test_dealers",
    )


def _http(door: Door, name: str, who: str, size: str, a_minute: str, code: str, test: str) -> Row:
    return Row(
        name,
        who,
        f"{door.of_one} of an address, {door.of_all} in all; {UNASKED} of them without a request",
        size,
        a_minute,
        f"{code}; one more of an address is reset; for one more of all, the oldest of the address with most ends; what "
        f"asks nothing for {door.first_s:.0f} s or leaves an answer unread for {door.unread_s:.0f} s is closed",
        f"{FLOOR}::{test}",
    )


def page() -> str:
    """Return the document."""
    table = [
        "| door | who | most at a time | most bytes | most in a minute | what happens beyond | tried by |",
        "|---|---|---|---|---|---|---|",
        *(f"| {' | '.join([*each[:-1], f'`{each.test}`'])} |" for each in rows()),
    ]
    return HEAD + "\n".join(table) + "\n" + TAIL


HEAD: Final = """# Doors

What listens, for whom, how much it takes, and what happens beyond. Made by `scripts/docs --write` from the values that
the doors use (`firmware_bridge/config/doors.py`); values with a key are its default. What is refused or ended beyond
it leaves one line of the log a minute of each door, with the number of the others.

"""

TAIL: Final = """
A watcher, a lease and an order that waits are not idle: once a connection of a socket has asked, it may be silent. A
connection that is refused takes no place of others, and no flood takes the places of another login, address or person.
Where nobody signs in at the page, an address has as many requests at a time as connections.

All doors at once, by the lowest role of each, real processes and users: `tests/floor_whole/test_all_doors.py`, for two
minutes by night; all sockets of a table by day too, for some seconds: `tests/daemon/test_doors.py`. The beat is kept,
memory grows by less than 10 MB, cards, the pit's orders, the dealer's display, a lease and its end are as without.

A reader, keypad or broker is no door: what they send is bounded by
[`[reader] most_a_second`](config.md), by a keypad's own budget, and orders by MQTT as in [backend](backend.md).
"""
