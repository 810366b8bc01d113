"""Draws a report as one page that prints on A4, with all that it needs in it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.facts.pictures import HALF, LEFT, WIDTH, Strip
from firmware_bridge.floor.facts.reports import ChangedRound, Report
from firmware_bridge.floor.look import paper, templates

TITLES: Final = {
    "day": "Gaming days",
    "shift": "Shifts",
    "table": "Tables",
    "dealer": "Dealers",
    "bet": "Bets",
    "changes": "Rounds that were corrected or voided",
    "alarms": "Alarms",
    "early": "Shoes ended early",
    "hands": "Cards entered by hand",
    "hold": "Hold by table and day",
    "ties": "Ties by table and day",
    "chance": "Results beside their expectation",
}
"""Kind of report -> its heading."""


class Made(NamedTuple):
    """When and from which store a report was made. changed: the number of the last change of a round that is in it
    (`fact_change`). newest: RFC 3339, of the message about that round.
    """

    at: str
    store: str
    version: str
    newest: str
    changed: int


class Sheet(NamedTuple):
    """All that stands on the page. table: "" for all. changed: None in a report that is none of sums.

    picture: of `holds` or `paces`, strip by strip.
    """

    kind: str
    since: str
    until: str
    table: str
    report: Report
    changed: Sequence[ChangedRound] | None
    made: Made
    picture: Sequence[Strip] = ()


def printed(sheet: Sheet) -> str:
    """Return the page, as HTML without a script or an address."""
    made: str = _templates().get_template("report.html").render(sheet=sheet, title=TITLES[sheet.kind])
    return made


@lru_cache(1)
def _templates() -> Any:
    made = templates("facts")
    made.filters["printable"] = escaped
    made.globals |= {
        "WIDTH": WIDTH,
        "LEFT": LEFT,
        "ZERO": HALF + 10,
        "BOTTOM": 2 * HALF + 30,
        "tokens": Markup(paper()),
    }
    return made
