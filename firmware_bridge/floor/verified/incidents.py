"""Collects what should not be at one table, each thing once."""

from collections import Counter
from hashlib import sha256
from typing import Final

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.record.message import now
from firmware_bridge.floor.record.state import Changes, Found, Incident
from firmware_bridge.floor.verified.chain import Place

LONGEST: Final = 400
"""Longest place of an incident; a longer one is hashed. A text may be twice as long."""

OF_A_KIND: Final = 100
"""Most incidents of a kind that are written one by one in a run, against a sender who makes them without end."""


class Incidents:
    """The incidents of a table, for `changes` of the batch."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._counts = Counter[str]()

    def add(self, found: Found, changes: Changes) -> None:
        """Record what should not be."""
        place = escaped(found.place)
        if len(place) > LONGEST:
            place = sha256(place.encode()).hexdigest()
        made = Incident(self._table, found.kind, place, now(), escaped(found.text)[: 2 * LONGEST])
        if made[:3] in changes.incidents:
            return
        self._counts[found.kind] += 1
        if self._counts[found.kind] > OF_A_KIND:
            made = made._replace(place="more", text=f"more than {OF_A_KIND} of this kind; the last: {made.text}")
        changes.incidents.setdefault(made[:3], made)


def name(place: Place) -> str:
    """An entry as people read it."""
    return f"{place.journal}:{place.seq}"


def two_heads(place: Place) -> Found:
    """An entry that came with two heads."""
    return Found("two_heads", name(place), f"entry {name(place)} came with two heads")


def foreign(place: Place, where: str) -> Found:
    """A message that is not of the entry in its place. where: where that entry is."""
    return Found("foreign", name(place), f"a message of entry {name(place)} is not the one {where}")
