"""Answers to what a house asks by name: changes of rounds, and alarms with how long they were open."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Any, Final, NamedTuple

from msgspec import Struct

from firmware_bridge.facts.decoding import Undecodable, from_json, json_of
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.orders import BY_KEY
from firmware_bridge.floor.facts.reports import Report
from firmware_bridge.topics.texts import Language
from firmware_bridge.topics.texts.alarms import about
from firmware_bridge.topics.texts.names import voided
from firmware_bridge.topics.texts.phrases import in_words

ASKED: Final = {
    "changes": "rounds that were corrected or voided: by whom, why, what was said before",
    "alarms": "alarms, how long each was open, and who decided",
    "early": "shoes that were ended early, by the dealer of the last round",
    "hands": "cards that people entered by hand, by person and dealer",
    "hold": "what each table held on each gaming day",
    "ties": "ties of each table of baccarat on each gaming day",
    "chance": "results beside what eight full decks lead to",
}
"""Name of a report that is none of sums -> what it answers."""


class RoundMessage(NamedTuple):
    """A message about a round that was corrected or voided. status: of its newest one. body: empty where it is lost.

    person: for whom its order was given, "" where not known.
    """

    day: str
    table: str
    journal: str
    shoe: int
    round: int
    status: str
    dealer: str
    body: bytes
    person: str


class AlarmAt(NamedTuple):
    """An alarm that began or ended. at: RFC 3339. by, person: who gave the order that ended it, and for whom."""

    table: str
    id: str
    at: str
    begins: bool
    detail: str
    choice: str
    by: str
    second: str
    person: str = ""

    @property
    def given_by(self) -> str:
        """Who ended it."""
        return giver(self.by, self.person)

    def about(self, lang: Language) -> str:
        """Its values in words; the words of a version before, as far as there are others for them."""
        try:
            values = from_json(self.detail, dict[str, Any])
        except Undecodable:
            return in_words(lang, self.detail)
        return about(lang, self.id, values)


def giver(by: str, person: str) -> str:
    """Return who gave an order: of one that a key gave for a person, both. by: as in the message."""
    return f"{person} ({by})" if person and by.startswith(BY_KEY) else by


class _Card(Struct):
    card: str


class _Result(Struct):
    at: str
    status: str
    cards: list[_Card]
    outcome: str = ""
    by: str = ""
    second: str = ""
    why: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def because(self) -> list[str]:
        """Why it was corrected or voided."""
        return voided("en", self.why, self.reasons) if self.status == "voided" else [*self.why]

    @property
    def text(self) -> str:
        """Outcome and cards, as they count."""
        cards = " ".join(each.card for each in self.cards)
        return f"{self.outcome} ({cards})" if self.status != "voided" else ""


_result: Final = json_of(_Result)

CHANGES: Final = ("day", "table", "shoe", "round", "at", "what", "by", "second", "dealer", "why", "before", "now")
ALARMS: Final = ("table", "alarm", "began", "minutes", "decided", "by", "second", "detail")


def changes(messages: Iterable[RoundMessage]) -> Report:
    """Return a row for each correction and void. messages: as `FactQueries.changes` has them."""
    rows = [row for _, some in groupby(messages, lambda each: each[:5]) for row in _changes(list(some))]
    return Report(CHANGES, rows, len(CHANGES))


def _changes(messages: list[RoundMessage]) -> Iterator[tuple[str, ...]]:
    first = messages[0]
    name, before = (first.day, first.table, str(first.shoe), str(first.round)), ""
    for each in messages:
        if not each.body:
            yield (*name, "", each.status, "", "", each.dealer, "", "", "")
            continue
        read = _result(each.body)
        if read.status != "closed":
            who = giver(read.by, each.person), read.second, each.dealer
            yield (*name, read.at, read.status, *who, "; ".join(read.because), before, read.text)
        before = read.text


def alarms(found: Iterable[AlarmAt], until: str) -> Report:
    """Return a row for each alarm that began before a time, RFC 3339, with the end that came next. found: in order."""
    rows = [_alarm(*each) for each in spans(found)]
    return Report(ALARMS, sorted((row for row in rows if row[2] < until), key=lambda row: (row[2], *row)), 3)


def spans(found: Iterable[AlarmAt]) -> list[tuple[AlarmAt, AlarmAt | None]]:
    """Return the beginning of each alarm with the end that came next, None if it has not ended. found: in order."""
    ended, begun = list[tuple[AlarmAt, AlarmAt | None]](), dict[tuple[str, str], AlarmAt]()
    for each in found:
        name = each.table, each.id
        if each.begins:
            begun.setdefault(name, each)
        elif began := begun.pop(name, None):
            ended.append((began, each))
    return [*ended, *((each, None) for each in begun.values())]


def _alarm(began: AlarmAt, ended: AlarmAt | None) -> tuple[str, ...]:
    head = began.table, began.id, began.at
    if ended is None:
        return (*head, "", "open", "", "", began.about("en"))
    minutes = (datetime.fromisoformat(ended.at) - datetime.fromisoformat(began.at)).total_seconds() / 60
    return (*head, f"{minutes:.1f}", ended.choice, ended.given_by, ended.second, began.about("en"))
