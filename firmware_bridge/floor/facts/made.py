"""Makes facts of messages: which facts there are follows from the messages alone, in any order and any number."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.decoding import from_json, json_of, text_of
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.inputs import Person
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.facts.rows import (
    MOST_MICROS,
    AlarmBegan,
    AlarmEnded,
    At,
    HandEntered,
    OrderGiven,
    Round,
    RoundName,
    ShiftActs,
    ShoeBegan,
    ShoeOver,
    SignedIn,
    micros,
    nets_of,
)
from firmware_bridge.floor.record.before_codes import Ended, alarm_ended, shoe_ended
from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.topics.texts.refusals import worded

Fact = AlarmBegan | AlarmEnded | HandEntered | SignedIn | ShoeBegan | ShoeOver | OrderGiven | ShiftActs
"""A fact of one event."""


AnyFact = TypeVar("AnyFact", bound=Fact | Round)

LONGEST_NAME: Final = 200
"""Characters of a text that is in an index: an entry of one has at most 2,700 bytes in PostgreSQL."""

LONGEST_LINE: Final = 2_000


class NoFact(NamedTuple):
    """A message that says what it should in another form: it is kept, and counts in no report. why: in words."""

    topic: str
    place: At
    why: str


class Facts(NamedTuple):
    """The facts of some messages.

    opened: round -> the time of its first event among them.
    """

    rounds: list[Round]
    opened: dict[RoundName, str]
    events: list[Fact]
    not_made: list[NoFact]


class _Kind(Struct):
    type: str
    round: int | None = None


class _Head(Struct):
    event: _Kind


class _Body(Struct):
    event: Raw


class _Card(Struct, rename={"origin": "from"}):
    card: str
    origin: str


class _Round(Struct):
    """The keys of a `round` message that reports want."""

    game: str
    round: int
    status: str
    revision: int
    cards: list[_Card]
    unit: str
    stakes: dict[str, tuple[int | float | str, int | float | str]]
    last: bool
    outcome: str = ""
    bets: Raw = Raw(b"{}")
    dealt_by: str = ""
    pit: str = ""
    shift: str = ""
    gaming_day: str = ""


class _Irregular(Struct):
    id: str
    detail: str = ""
    values: dict[str, Value] = {}

    @property
    def about(self) -> str:
        """Its values as JSON, "" for none or too many; its English in journals of versions before."""
        given = str(msgspec.json.encode(self.values), "utf-8") if self.values else ""
        return self.detail or (given if len(given) <= LONGEST_LINE else "")


class _Closed(Struct):
    id: str
    choice: str
    by: str = ""
    second: str = ""


class _ByTwo(Struct):
    by: str
    second: str


class _SignedIn(Struct):
    dealer: str


class _Terms(Struct):
    game: str
    decks: int


class _Opened(Struct):
    number: int
    house: _Terms


class _Ended(Struct):
    rounds: int
    code: str = ""
    values: dict[str, Value] = {}
    why: str = ""

    @property
    def how(self) -> Ended:
        """How the shoe ended; by its English in journals of versions before."""
        alarm, by = (str(self.values.get(name, "")) for name in ("alarm", "by"))
        return Ended(self.code, alarm, by, self.why) if self.code else shoe_ended(self.why)


class _Answered(Struct):
    answer: Answer
    by: str
    on_behalf_of: str = ""
    person: Person | None = None


class _ShiftEnded(Struct):
    shift: str
    gaming_day: str
    acts: list[Acts]


_head: Final = json_of(_Head)
_body: Final = json_of(_Body)
_round: Final = json_of(_Round)


def facts_of(rows: Iterable[Row]) -> Facts:
    """Return the facts of messages. One that cannot be read is among `not_made`, and the others are made."""
    made = Facts([], {}, [], [])
    for row in rows:
        try:
            if row.topic == EVENT:
                _add_event(row, made)
            else:
                made.rounds.append(_fit(_round_of(row)))
        except ValueError as error:
            made.not_made.append(NoFact(row.topic, _place(row), escaped(str(error))[:LONGEST_LINE]))
    return made


def _round_of(row: Row) -> Round:
    read = _round(row.body)
    nets_of(bets := text_of(bytes(read.bets)))
    stakes = tuple((bet, micros(put), micros(net)) for bet, (put, net) in read.stakes.items())
    is_money, counts = read.unit == "money", read.status != "voided"
    return Round(
        table=row.table,
        journal=row.journal,
        shoe=row.shoe,
        round=read.round,
        revision=read.revision,
        seq=row.seq,
        n=row.n,
        at=row.at,
        game=read.game,
        status=read.status,
        day=read.gaming_day or row.at[:10],
        pit=read.pit,
        shift=read.shift,
        dealt_by=read.dealt_by,
        outcome=read.outcome,
        unit=read.unit,
        last=read.last,
        staked=sum(put for _, put, _ in stakes) if is_money and counts else None,
        house=-sum(net for _, _, net in stakes) if is_money and counts else None,
        by_hand=sum(each.origin == "manual" for each in read.cards),
        bets=bets,
        faces=msgspec.json.encode(Counter(each.card for each in read.cards), order="sorted").decode(),
        stakes=stakes if is_money else (),
    )


def _add_event(row: Row, made: Facts) -> None:
    kind = _head(row.body).event
    if kind.round and 0 < kind.round <= MOST:
        name = RoundName(row.table, row.journal, row.shoe, kind.round)
        made.opened[name] = min(made.opened.get(name, row.at), row.at)
    if kind.type in _MADE:
        read, make = _MADE[kind.type]
        made.events.extend(map(_fit, make(row, from_json(_body(row.body).event, read))))


def _fit(fact: AnyFact) -> AnyFact:
    """Return a fact that every engine can keep, in its indexes too. Raises ValueError."""
    for name, value in zip(fact._fields, fact, strict=True):
        for each in _flat(value) if isinstance(value, tuple) else (value,):
            if isinstance(each, str):
                if (len(each) > LONGEST_NAME or "\0" in each) and not _is_kept(each, name):
                    raise ValueError(f"{name} is too long, or has a character that is none")
            elif isinstance(each, int) and not -MOST_MICROS <= each <= MOST_MICROS:
                raise ValueError(f"{name} is too large")
    return fact


def _flat(value: Any) -> Iterator[Any]:
    if not isinstance(value, tuple):
        yield value
        return
    for each in value:
        yield from _flat(each)


def _is_kept(text: str, name: str) -> bool:
    if name in ("bets", "faces"):
        return True  # JSON, of a message that has its bounds
    return len(text) <= (LONGEST_LINE if name in ("detail", "why", "error") else LONGEST_NAME) and "\0" not in text


def _place(row: Row) -> At:
    return At(row.table, row.journal, row.seq, row.n, row.at)


def _order_given(row: Row, read: _Answered) -> list[Fact]:
    person = read.on_behalf_of or (read.person.login if read.person else "")
    answer = read.answer
    return [OrderGiven(_place(row), answer.do or "", read.by, person, answer.ok, worded(answer).error or "")]


def _acts(row: Row, read: _ShiftEnded) -> list[Fact]:
    head = _place(row), read.shift, read.gaming_day
    return [
        ShiftActs(*head, each.dealer, each.entered, each.voided, each.corrected, each.cut_early, each.taken_back)
        for each in read.acts
    ]


_MADE: Final[dict[str, tuple[type[Struct], Callable[[Row, Any], list[Fact]]]]] = {
    "Irregular": (_Irregular, lambda row, read: [AlarmBegan(_place(row), read.id, read.about)]),
    "IrregularityClosed": (
        _Closed,
        lambda row, read: [AlarmEnded(_place(row), read.id, alarm_ended(read.choice), read.by, read.second)],
    ),
    "CardEntered": (_ByTwo, lambda row, read: [HandEntered(_place(row), "entered", read.by, read.second)]),
    "CardLookedAt": (_ByTwo, lambda row, read: [HandEntered(_place(row), "looked at", read.by, read.second)]),
    "DealerSignedIn": (_SignedIn, lambda row, read: [SignedIn(_place(row), read.dealer)]),
    "ShoeOpened": (
        _Opened,
        lambda row, read: [ShoeBegan(_place(row), read.number, read.house.game, read.house.decks)],
    ),
    "ShoeEnded": (_Ended, lambda row, read: [ShoeOver(_place(row), row.shoe, read.rounds, *read.how)]),
    "CommandAnswered": (_Answered, _order_given),
    "ShiftEnded": (_ShiftEnded, _acts),
}
"""Type of an event -> what is read of it, and the facts that it makes."""
