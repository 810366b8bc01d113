"""Orders all tables on the wall: trouble first, the same alarm at many tables as one, and counts of what they need."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from firmware_bridge.facts.wire_states import Alarm
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.tile import TROUBLE, Trouble, Word, natural, worst_first

MANY: Final = 3
"""Fewest tables with the same alarm that are one line; those that are blocked or gone never are."""

LATEST: Final = 10**15 - 1
"""The latest time that a place on the wall can have, in ms since 1970."""

COUNTED: Final[dict[str, tuple[Word, ...]]] = {
    "blocked": ("blocked",),
    "silent": ("silent",),
    "warned": ("critical", "alarm"),
    "playing": ("playing",),
    "no_shoe": ("no_shoe",),
    "closed": ("closed",),
}
"""What is counted, and filtered by."""


class Place(NamedTuple):
    """Where a table stands. since: of what is worst, ms since 1970. fold: of its alarm, "" if it stands alone."""

    word: Word
    since: int
    fold: str = ""

    @property
    def key(self) -> str:
        """Sorts by need, then the older first; tables that are alike stay in the order of their names."""
        return f"{TROUBLE.index(self.word)}{self.since:015}" if self.word in TROUBLE else "9"


class Fold(NamedTuple):
    """The same alarm at many tables. tables: their names, the worst first."""

    alarm: Alarm
    word: Word
    since: int
    tables: Sequence[str]


class Wall(NamedTuple):
    """All tables. places: by name, in natural order of names. trouble: names, and of each fold its first name."""

    places: Mapping[str, Place]
    folds: Mapping[str, Fold]
    trouble: Sequence[str]
    fine: Sequence[str]
    closed: Sequence[str]

    def counts(self) -> dict[str, int]:
        """Return the number of tables by COUNTED."""
        words = Counter(each.word for each in self.places.values())
        return {name: sum(words[word] for word in each) for name, each in COUNTED.items()}


class Pits:
    """Which table is in which pit. rows: pit -> names of tables, with `*` and `?`, before the tables' own settings."""

    def __init__(self, rows: Mapping[str, Sequence[str]]) -> None:
        self._rows = rows
        self._named: dict[str, str] = {}

    def of(self, seen: Seen) -> str:
        """Return the pit of a table, "" for none."""
        named = self._named.get(seen.name)
        if named is None:
            found = (pit for pit, each in self._rows.items() if any(fnmatchcase(seen.name, name) for name in each))
            named = self._named[seen.name] = next(found, "")
        return named or (seen.table.settings.pit if seen.table else "")


def wall(tables: Iterable[tuple[Seen, Trouble]]) -> Wall:
    """Return the wall of tables."""
    known = sorted(tables, key=lambda each: natural(each[0].name))
    places = {seen.name: Place(needs.word, min(max(_since(seen, needs), 0), LATEST)) for seen, needs in known}
    same: dict[str, list[tuple[Seen, Alarm]]] = {}
    for seen, needs in known:
        if needs.word in ("critical", "alarm") and seen.alarms and seen.alarms.open:
            worst = worst_first(seen.alarms.open)[0]
            same.setdefault(f"{needs.word}-{worst.id}", []).append((seen, worst))
    folds: dict[str, Fold] = {}
    for id, found in same.items():
        if len(found) >= MANY:
            names = sorted((seen.name for seen, _ in found), key=lambda name: places[name].since)
            first = places[names[0]]
            alarm = next(alarm for seen, alarm in found if seen.name == names[0])
            folds[id] = Fold(alarm, first.word, first.since, names)
            places |= {name: places[name]._replace(fold=id) for name in names}
    return Wall(
        places,
        folds,
        [name for name in _sorted(places) if not (fold := places[name].fold) or folds[fold].tables[0] == name],
        [name for name, each in places.items() if each.word in ("playing", "no_shoe")],
        [name for name, each in places.items() if each.word == "closed"],
    )


def order(tables: Iterable[tuple[Seen, Trouble]]) -> list[str]:
    """Return the names of tables as they stand on the wall."""
    made = wall(tables)
    return [*_sorted(made.places), *made.fine, *made.closed]


def _sorted(places: Mapping[str, Place]) -> list[str]:
    return sorted((name for name, each in places.items() if each.word in TROUBLE), key=lambda name: places[name].key)


def _since(seen: Seen, needs: Trouble) -> int:
    """Return when it began that a table needs what it needs, in ms since 1970; 0 where that is not known."""
    if needs.word == "silent":
        return seen.health_at if seen.health_at is not None else seen.since
    if needs.word not in TROUBLE or seen.alarms is None or not seen.alarms.open:
        return 0
    return worst_first(seen.alarms.open)[0].since - seen.ahead
