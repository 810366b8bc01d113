"""The last orders of each table, as the table answered them; and those of the page without a known answer."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

from msgspec import Meta, Struct, to_builtins

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.orders import LONGEST_NAME, tag_of
from firmware_bridge.facts.orders import Order as AnyOrder
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.store.fact_queries import OrderAt
from firmware_bridge.topics.texts import Language
from firmware_bridge.topics.texts.refusals import words

KEPT: Final = 8
"""Orders kept of a table."""

MOST: Final = 10_000
"""Most tables."""

OF_DEALING: Final = ("mark", "unmark", "next", "reveal", "bets_open", "bets_closed", "resend", "dealer", "fly")
"""Orders of every round: only those of this page are kept."""

_Name = Annotated[str, Meta(max_length=4 * LONGEST_NAME)]


class _Answer(Struct):
    ok: bool
    id: _Name | None = None
    do: _Name | None = None
    error: str | None = None
    hint: str | None = None
    code: _Name | None = None
    values: dict[str, Value] = {}


class _Login(Struct):
    login: _Name = ""


class _Answered(Struct, tag="CommandAnswered"):
    answer: _Answer
    by: _Name
    on_behalf_of: _Name = ""
    person: _Login | None = None


class _Message(Struct):
    table: str
    journal: str
    seq: int
    n: int
    at: str
    event: _Answered


class Answered(NamedTuple):
    """An order and the answer of its table. ok: None where it is not known. at: ms since 1970, by the table's clock."""

    at: int
    do: str
    by: str
    ok: bool | None
    id: str = ""
    code: str = ""
    values: Mapping[str, Any] = {}
    error: str = ""

    def why(self, lang: Language) -> str:
        """Return why it was refused, "" where it was not."""
        return words(lang, self.code, self.values, self.error, "")[0]


_decode: Final = json_of(_Message)
_KIND: Final = b'"event":{"type":"CommandAnswered"'


class OrderLog:
    """The last orders of tables, from the topic `event` and from the page's own tries."""

    def __init__(self) -> None:
        self._tables: dict[str, deque[Answered]] = {}
        self._places: dict[str, deque[tuple[str, int, int]]] = {}
        self._unknown: dict[str, dict[str, Answered]] = {}

    def of(self, table: str) -> list[Answered]:
        """Return the last orders of a table, the newest first; before them those without a known answer."""
        return [*self._unknown.get(table, {}).values(), *reversed(self._tables.get(table, ()))]

    def handle(self, table: str, payload: bytes) -> bool:
        """Handle a message of `event`; return whether a table's orders changed."""
        if _KIND not in payload[:2_000]:
            return False
        try:
            message = _decode(payload)
        except Undecodable:
            return False
        answer, place = message.event.answer, (message.journal, message.seq, message.n)
        known = self._places.setdefault(table, deque(maxlen=4 * KEPT))
        if message.table != table or place in known:
            return False
        known.append(place)
        ended = self._end(table, answer.id or "")
        do, id = answer.do or "", answer.id or ""
        if do in OF_DEALING and not (ended or id.startswith("page-")):
            return False
        who = (
            message.event.on_behalf_of
            or (message.event.person.login if message.event.person else "")
            or message.event.by
        )
        if table in self._tables or len(self._tables) < MOST:
            self._tables.setdefault(table, deque(maxlen=KEPT)).append(
                Answered(
                    milliseconds(message.at) or 0,
                    do,
                    who,
                    answer.ok,
                    id,
                    answer.code or "",
                    to_builtins(answer.values),
                    answer.error or "",
                )
            )
        return True

    def recall(self, table: str, stored: Sequence[OrderAt]) -> bool:
        """Add stored orders from before those that were heard, the oldest first; return whether there are some."""
        kept = self._tables.setdefault(table, deque(maxlen=KEPT))
        first = min((each.at for each in kept), default=None)
        earlier = [
            Answered(milliseconds(each.at) or 0, each.what, each.person or each.by, each.is_ok, error=each.error)
            for each in stored
            if each.what not in OF_DEALING
        ]
        earlier = [each for each in earlier if first is None or each.at < first]
        self._tables[table] = deque([*earlier, *kept], maxlen=KEPT)
        return bool(earlier)

    def unknown(self, table: str, order: AnyOrder, by: str, id: str, at: int) -> None:
        """Keep an order of the page that was not answered in time, until its table says what became of it."""
        kept = self._unknown.setdefault(table, {})
        kept[id] = Answered(at, tag_of(order), by, None, id)
        while len(kept) > KEPT:
            del kept[next(iter(kept))]

    def answered(self, table: str, id: str) -> None:
        """Forget that the answer to an order is not known."""
        self._end(table, id)

    def _end(self, table: str, id: str) -> bool:
        """Return whether the answer to an order was not known; asked once more, it has an id that ends with -2."""
        kept = self._unknown.get(table, {})
        found = [each for each in kept if each == id or id == f"{each}-2"]
        for each in found:
            del kept[each]
        return bool(found)
