"""The feed of a store: each message that became a fact, in the order of the commits; the same for every engine."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, get_args

from firmware_bridge.client.chain import number
from firmware_bridge.floor.facts.made import Fact, Facts
from firmware_bridge.floor.facts.rows import (
    AlarmBegan,
    AlarmEnded,
    HandEntered,
    OrderGiven,
    Round,
    ShiftActs,
    ShoeBegan,
    ShoeOver,
    SignedIn,
)
from firmware_bridge.floor.forward_config import Kind
from firmware_bridge.floor.record.message import Key
from firmware_bridge.floor.store.records import RecordQueries, Records, as_bytes, in_parts

KINDS: Final = get_args(Kind)

COUNTED: Final = 100_000
"""Most messages behind a receiver that are counted."""

PAGE: Final = 5_000
"""Messages of the feed that are deleted in a transaction, while others wait to write."""

KIND_OF: Final[dict[type[Any], Kind]] = {
    Round: "round",
    AlarmBegan: "alarm",
    AlarmEnded: "alarm",
    HandEntered: "entry",
    SignedIn: "dealer",
    ShoeBegan: "shoe",
    ShoeOver: "shoe",
    OrderGiven: "order",
    ShiftActs: "shift",
}


class FedMessage(NamedTuple):
    """A message of the feed. at: RFC 3339. body: None where the store does not have it any more."""

    place: int
    table: str
    journal: str
    seq: int
    n: int
    kind: Kind
    at: str | None
    body: bytes | None


class Forwarded(NamedTuple):
    """How far a receiver of webhooks has taken the feed. at: when it took something last, "" for never.

    trouble: why it takes nothing, "" if it does. since: since when. Times are RFC 3339.
    """

    name: str
    place: int
    at: str = ""
    trouble: str = ""
    since: str = ""


class FeedQueries(RecordQueries):
    """The queries about the feed that a `Store` and a `Reader` answer. Methods raise StoreError."""

    def feed_end(self) -> int:
        """Return the highest place that was ever given, 0 for none."""
        with self._in_words():
            return self._last_place()

    def feed_after(self, place: int, most: int) -> list[FedMessage]:
        """Return the messages of the feed behind a place, at most so many."""
        with self._in_words():
            found = [FedMessage(*each) for each in self._all(self._sql.FEED_AFTER, after=place, most=most)]
            return [self._with_body(each) for each in found]

    def feed_behind(self, place: int) -> int:
        """Return the number of messages of the feed behind a place, up to `COUNTED`."""
        with self._in_words():
            return int(self._all(self._sql.BEHIND_FEED, after=place, most=COUNTED)[0][0])

    def forwarded(self) -> list[Forwarded]:
        """Return how far each receiver of webhooks is."""
        with self._in_words():
            return [Forwarded(*each) for each in self._all(self._sql.FORWARDS)]

    def _with_body(self, fed: FedMessage) -> FedMessage:
        """Return a message of the feed as it is stored, also in a block."""
        if fed.body is not None:
            return fed._replace(body=as_bytes(fed.body))
        packed = self._packed(Key(fed.table, fed.journal)).get((fed.seq, fed.n)) if fed.kind != "round" else None
        return fed._replace(at=packed.at, body=packed.body) if packed else fed

    def _last_place(self) -> int:
        found = self._all(self._sql.FEED_END)
        return int(found[0][0]) if found else 0


class FeedWrites(FeedQueries, Records):
    """The part of a `Store` that keeps the feed. Methods raise StoreError."""

    def put_forwarded(self, *taken: Forwarded) -> None:
        """Keep how far receivers of webhooks are."""
        with self._transaction():
            self._many(self._sql.FORWARD, taken)

    def drop_taken(self) -> int:
        """Delete from the feed what is of compacted journals and every receiver has taken; return how many."""
        place, count = 0, 0
        while True:
            with self._in_words():
                found = self._all(self._sql.FEED_TAKEN, after=place, end=self._last_place(), most=PAGE)
            if not found:
                return count
            with self._transaction():
                count += self._many(self._sql.DROP_FED, found)
            place = int(found[-1][0])

    def _save_feed(self, made: Facts) -> None:
        """Add messages that are facts to the feed, each once, also if it was taken and is in the feed no more.

        Where facts are written, no other program writes them.
        """
        fed = sorted(dict.fromkeys(_fed(made)), key=lambda each: (each[0], number(each[1]), *each[1:4]))
        if not fed:
            return
        self._name({each[:2] for each in fed})
        [(end,)] = self._all(self._sql.FED, count=len(fed))
        numbered = enumerate(fed, end + 1 - len(fed))
        for some in in_parts([(place, *each) for place, each in numbered]):
            self._db.execute(*self._sql.listed(self._sql.FEED, some))


def _fed(made: Facts) -> Iterable[tuple[Any, ...]]:
    """Yield table, journal, entry, number and kind of each message."""
    for each in made.rounds:
        yield each.table, each.journal, each.seq, each.n, "round"
    for fact in made.events:
        if kind := KIND_OF.get(type(fact)):
            yield *_place(fact), kind


def _place(fact: Fact) -> tuple[Any, ...]:
    return fact.place[:4]
