"""The dealer's screens of whole evenings: of every game, after each change."""

from __future__ import annotations

import json
from functools import cache, reduce
from typing import Final, NamedTuple

import msgspec

from firmware_bridge.facts.wire_states import Alarms, Lamps, Table
from firmware_bridge.topics.state import snapshots
from firmware_bridge.topics.texts import Language
from firmware_bridge.topics.texts.dealer import Known, Screen, screen
from firmware_bridge.topics.texts.done import Done, followed
from tests.floor.guests import STAGES
from tests.kit import table as played

STATES: Final = ("table", "lamps", "alarm")


class Moment(NamedTuple):
    """What is known of a table once all of its states have come."""

    known: Known

    @property
    def table(self) -> Table | None:
        return self.known.table

    def screen(self, lang: Language = "en") -> Screen:
        return screen(self.known, lang)


@cache
def moments(name: str) -> tuple[Moment, ...]:
    """A stage, each time that all of the table's states have come."""
    known, made = Known("T07", None, None, None, None, Done()), []
    said = [each for each in STAGES[name]().said if each.topic in (*STATES, "event")]
    for each, after in zip(said, [*said[1:], None], strict=True):
        body = json.loads(each.payload)
        match each.topic:
            case "table":
                known = known._replace(shoe=body["shoe"], table=msgspec.json.decode(each.payload, type=Table))
            case "lamps":
                known = known._replace(lamps=msgspec.json.decode(each.payload, type=Lamps))
            case "alarm":
                known = known._replace(alarms=msgspec.json.decode(each.payload, type=Alarms))
            case _:
                known = known._replace(done=followed(known.done, body["event"]))
        if after is None or after.topic not in STATES:
            made.append(Moment(known))
    return tuple(made)


def at_a_table(table: played.Table, lang: Language = "en") -> Screen:
    """The screen of a table that was played, from what it published."""
    said = [json.loads(message.payload) for message in table.messages]
    done = reduce(followed, [each["event"] for each in said if "event" in each], Done())
    states = {name: msgspec.json.encode(body) for name, body in snapshots(table.shoe).items()}
    known = Known(
        "T07",
        table.shoe.number,
        msgspec.json.decode(states["table"], type=Table),
        msgspec.json.decode(states["lamps"], type=Lamps),
        msgspec.json.decode(states["alarm"], type=Alarms),
        done,
    )
    return screen(known, lang)
