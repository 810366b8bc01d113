"""Keeps for guest screens the newest of each state of a table, and its newest finished rounds.

Messages may come twice, late, or not at all: only a newer state replaces a state, only a later revision a round. So the
result does not depend on the order of messages, and an old message that is sent again shows nothing.
"""

import re
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.floor.page.guest.read import TOPICS, Alarms, GuestMessage, Roads, Round, Status, Table, read

ROUNDS: Final = 24
"""Most rounds; the newest are kept."""

BOOTS: Final = 64
"""Most boots of the daemon to remember; the newest are kept."""

STATES: Final = {"status": Status, "alarm": Alarms, "table": Table, "roads": Roads}

MOST: Final = 10_000
"""Most tables."""


class Kept(Struct, frozen=True):
    """The state of one table. rounds: in the order of play, each in its latest revision.

    boots: boots of the daemon so far, the newest last. gone: those of a replaced device. latest: latest `at` so far.
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
        """The newest shoe of any state."""
        return max((each.shoe for each in (self.status, self.table, self.alarm, self.roads) if each), default=0)


NOTHING: Final = Kept()


def fold(kept: Kept, topic: str, payload: bytes, table: str | None = None) -> Kept:
    """Return the state after a message of `topic` (its last word); an empty message clears a state.

    table: from the topic it came on.
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
    """The tables below a root, by name, limited to what guests may see."""

    def __init__(self, root: str) -> None:
        self.tables: dict[str, Kept] = {}
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/({'|'.join(TOPICS)})")

    def handle(self, topic: str, payload: bytes) -> bool:
        """Update a table by a message; return whether it changed."""
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
    """Return whether a new device replaced the one of the table: an unknown boot with a lower shoe."""
    is_new = message.boot not in kept.boots and message.at > kept.latest
    return isinstance(message, Status) and message.state == "online" and is_new and message.shoe < kept.shoe


def _order(message: Any, other: Any) -> tuple[Any, ...]:
    """Return the sort key for the newer of two messages of a state.

    A `lost` is the broker's, written when the connection began: within a boot, the number of the connection decides.
    """
    when = (message.shoe, message.as_of, message.at)
    if isinstance(message, Status) and message.boot == other.boot:
        return message.link, message.state != "online", *when
    return when


def _with(rounds: tuple[Round, ...], added: Round) -> tuple[Round, ...]:
    """Return the rounds with one more, or with a later revision of one."""
    place = added.shoe, added.round
    others = tuple([each for each in rounds if (each.shoe, each.round) != place])
    same = [each for each in rounds if (each.shoe, each.round) == place]
    newest = max([*same, added], key=lambda each: (each.revision, each.seq, each.at, each.journal))
    return tuple(sorted([*others, newest], key=lambda each: (each.shoe, each.round)))[-ROUNDS:]
