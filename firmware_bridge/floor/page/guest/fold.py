"""What guest screens keep of each table: the newest of each state, and the newest rounds that are over.

Messages may come twice, late, or not at all: a state is replaced by a newer one alone, a round by a later revision of
it. So the order in which messages come decides nothing in the end, and an old one that is sent again shows nothing.
"""

import re
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.floor.page.guest.read import TOPICS, Alarms, GuestMessage, Roads, Round, Status, Table, read

ROUNDS: Final = 24
"""Rounds that are kept, of the newest."""

BOOTS: Final = 64
"""Runs of the daemon that are known again, of the newest."""

STATES: Final = {"status": Status, "alarm": Alarms, "table": Table, "roads": Roads}

MOST: Final = 10_000
"""Tables at most."""


class Kept(Struct, frozen=True):
    """What is kept of one table. rounds: in the order they were played, each in its latest revision.

    boots: the runs of the daemon that were heard, the newest last. gone: those of a device that another one replaced.
    latest: the latest time that a message told.
    """

    status: Status | None = None
    alarm: Alarms | None = None
    table: Table | None = None
    roads: Roads | None = None
    rounds: tuple[Round, ...] = ()
    boots: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    latest: str = ""

    @property
    def shoe(self) -> int:
        """The newest shoe that a state told of."""
        return max((each.shoe for each in (self.status, self.table, self.alarm, self.roads) if each), default=0)


NOTHING: Final = Kept()


def fold(kept: Kept, topic: str, payload: bytes, table: str | None = None) -> Kept:
    """What is kept after a message of the topic `topic` (its last word); an empty one empties a state.

    table: the one whose topic it came on.
    """
    if topic in STATES and not payload:
        return replace(kept, **{topic: None})
    message = read(topic, payload, table)
    if message is None or message.boot in kept.gone:
        return kept
    if _is_another_device(kept, message):
        kept = Kept(gone=(*kept.gone, *kept.boots)[-BOOTS:])
    boots = kept.boots if message.boot in kept.boots else (*kept.boots, message.boot)[-BOOTS:]
    kept = replace(kept, boots=boots, latest=max(kept.latest, message.at))
    if isinstance(message, Round):
        return replace(kept, rounds=_with(kept.rounds, message))
    before = getattr(kept, topic)
    return (
        replace(kept, **{topic: message})
        if before is None or _order(message, before) > _order(before, message)
        else kept
    )


class Guests:
    """The tables below a root, by name, as far as guests may know them."""

    def __init__(self, root: str) -> None:
        self.tables: dict[str, Kept] = {}
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/({'|'.join(TOPICS)})")

    def handle(self, topic: str, payload: bytes) -> bool:
        """Take a message; whether it changed what is kept."""
        match = self._topic.fullmatch(topic)
        if match is None:
            return False
        name, last = match.groups()
        before = self.tables.get(name, NOTHING)
        if before is NOTHING and len(self.tables) >= MOST:
            return False
        after = fold(before, last, payload, name)
        if after is before:
            return False
        if any(getattr(after, state) for state in STATES):
            self.tables[name] = after
        else:  # the table is no more
            self.tables.pop(name, None)
        return after != before


def _is_another_device(kept: Kept, message: GuestMessage) -> bool:
    """Whether a device that nobody heard before began with a lower shoe: the table was given another one."""
    is_new = message.boot not in kept.boots and message.at > kept.latest
    return isinstance(message, Status) and message.state == "online" and is_new and message.shoe < kept.shoe


def _order(message: Any, other: Any) -> tuple[Any, ...]:
    """What tells the newer of two messages of a state by comparison.

    A `lost` is said by the broker in words that were put down as its connection began: within a run of the daemon it
    is the number of the connection that counts.
    """
    when = (message.shoe, message.as_of, message.at)
    if isinstance(message, Status) and message.boot == other.boot:
        return message.link, message.state != "online", *when
    return when


def _with(rounds: tuple[Round, ...], added: Round) -> tuple[Round, ...]:
    """The rounds with one more, or with one in a later revision."""
    place = added.shoe, added.round
    others = tuple([each for each in rounds if (each.shoe, each.round) != place])
    same = [each for each in rounds if (each.shoe, each.round) == place]
    newest = max([*same, added], key=lambda each: (each.revision, each.seq, each.at, each.journal))
    return tuple(sorted([*others, newest], key=lambda each: (each.shoe, each.round)))[-ROUNDS:]
