"""Signed orders of one table: who gave each, whether it is new, of now, and allowed."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.config.sections import OrderKeyConfig
from firmware_bridge.daemon.table.clock import clock, now
from firmware_bridge.daemon.table.command import NotAnOrder, parse
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.validation import shown
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.names import unfit
from firmware_bridge.facts.orders import BY_KEY, CLAIMS, LONGEST_NAME, Answer, Malformed, malformed
from firmware_bridge.facts.wire_states import Clock
from firmware_bridge.journal.line import Line
from firmware_bridge.record.envelope import LONGEST, Envelope, NotAnEnvelope, content, once, opened
from firmware_bridge.record.verify import Key, parse_vkey
from firmware_bridge.shoe.order_counts import last_count

DIGITS: Final = 16
"""Hex digits of an order's hash kept with its answer."""


AHEAD_MS: Final = 86_400_000
"""Milliseconds that a count may be ahead of a synchronised clock."""

HIGHEST: Final = 4_102_444_800_000
"""The highest count without such a clock: ms from 1970 to 2100."""

OF_ROUND: Final = frozenset([orders.tag_of(each) for each in orders.OF_ROUND])
PERSON: Final = "on_behalf_of"


class Repeated(Exception):
    """An order that was answered before; `answer` is the one that it got."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class Signed(Struct, frozen=True):
    """An order with a good signature and a new count. fields: of the order alone. refused: in its place, if it is.

    on_behalf_of: the person who gave it, as its key says. names_second: whether the key may name a second one.
    """

    by: str
    fields: dict[str, Any]
    allows: Collection[str]
    count: int
    digest: str | None
    refused: Malformed | None
    on_behalf_of: str | UnsetType = UNSET
    names_second: bool = False


class _Named(NamedTuple):
    config: OrderKeyConfig
    key: Key


class SignedOrders:
    """Verifies the messages to one table; without keys it takes each as it is.

    topic: the first words of the table's topics. allowed: the orders that are taken unsigned. window: entries that may
    have passed since the one that an order names. clock_state: of the wall clock.
    """

    def __init__(
        self,
        keys: Sequence[OrderKeyConfig],
        window: int,
        table: Table,
        topic: str,
        allowed: Collection[str],
        clock_state: Callable[[], Clock] = clock,
    ) -> None:
        named = [_Named(each, parse_vkey(each.key)) for each in keys]
        self._keys = {word: each for each in named for word in (each.config.name, each.key.vkey)}
        self._table, self._topic, self._allowed, self._clock = table, topic, allowed, clock_state
        self._recent = deque[tuple[str, int]](maxlen=window + 1)

    @property
    def takes_unsigned(self) -> bool:
        """Whether messages without a signature are taken."""
        return not self._keys or bool(self._allowed)

    def givers(self) -> dict[str, tuple[str, ...]]:
        """Return the name of each key, "" for orders without a signature, and the orders that it may give."""
        keys = {each.config.name: each.config.allows for each in self._keys.values()}
        return {"": tuple(self._allowed)} | {
            name: tuple(each for each in allows if each in orders.ALL) for name, allows in keys.items()
        }

    def public(self) -> dict[str, str] | UnsetType:
        """Return the public half of each key by its name, in hex; UNSET without a key."""
        return {each.config.name: each.key.public.hex() for each in self._keys.values()} or UNSET

    def naming_two(self) -> tuple[str, ...]:
        """Return the names of the keys that may name a second person."""
        return tuple(dict.fromkeys(each.config.name for each in self._keys.values() if each.config.two_people))

    def added(self, line: Line) -> None:
        """Note a line that is on disk: an order may name it as the newest that its giver has seen."""
        self._recent.append((line.public.journal, line.public.seq))

    def unsigned(self, payload: bytes) -> dict[str, Any] | None:
        """Return the fields of an order not signed, or that this table without keys does not verify; None for others.

        Raises NotAnOrder.
        """
        if not self._keys:
            text = content(payload)
            fields = parse(text)
            return fields if text is payload else _without_claims(fields)
        if len(payload) > LONGEST:
            raise NotAnOrder("too_long", {"most": LONGEST})
        try:
            if "do" not in once(payload):
                return None
        except NotAnEnvelope as error:
            raise _misshapen(phrase("not_signed_order", why=str(error)), phrase("send_envelope")) from None
        fields = parse(payload)
        if not self._allowed:
            raise NotAnOrder("unsigned", id=fields.get("id"))
        return fields

    def signed(self, payload: bytes) -> Signed:
        """Return the order in an envelope, its count used up. Raises NotAnOrder, Repeated, StillWriting."""
        named, text = self._opened("command", payload)
        fields = _fields(text)
        name, count = named.config.name, fields["count"]
        order, by = _without_claims(fields), f"{BY_KEY}{name}"
        digest = _digest(fields, by) if fields.get("id") is not None else None
        answer = self._table.first_answer(fields.get("id"), digest)
        last, most = last_count(self._table.shoe, name, self._table.refusals.used), self._highest()
        is_new = last < count <= most
        if not is_new and not answer:
            raise _wrong_count(fields, last, most, name)
        if is_new:
            self._table.refusals.use(name, count)
        if answer:
            if is_new:
                self._table.refusals.turned_away("repeated")
            raise Repeated(answer)
        refused = self._refused(named.config, fields)
        person = fields.get(PERSON, UNSET) if not _wrong_person(fields) else UNSET
        names_second = named.config.two_people and person is not UNSET
        return Signed(by, order, named.config.allows, count, digest, refused, person, names_second)

    def read(self, name: str, payload: bytes) -> tuple[bytes, bool]:
        """Return the text of a message of the topic `stored`, and whether a key signed it. Raises NotAnOrder."""
        if not self._keys:
            return content(payload), False
        try:
            named, text = self._opened(name, payload)
        except NotAnOrder as error:
            if error.answer.code == "shape" and self._allowed:
                return payload, False
            raise
        if name not in named.config.allows:
            raise NotAnOrder("not_allowed", {"do": name, "key": named.config.name})
        return text.encode(), True

    def _opened(self, name: str, payload: bytes) -> tuple[_Named, str]:
        """Return the key and the text of an envelope for a topic. Raises NotAnOrder."""
        if len(payload) > LONGEST:
            raise NotAnOrder("too_long", {"most": LONGEST})
        try:
            envelope = opened(payload)
        except NotAnEnvelope as error:
            raise _misshapen(phrase("not_signed_message", why=str(error)), phrase("send_envelope")) from None
        return self._signer(name, envelope), envelope.order

    def _signer(self, name: str, envelope: Envelope) -> _Named:
        named = self._keys.get(envelope.key)
        if named is None:
            raise NotAnOrder("unknown_key", {"key": shown(envelope.key)})
        topic = f"{self._topic}/{name}"
        if not envelope.is_signed(topic, named.key.public):
            raise NotAnOrder("bad_signature", {"topic": topic, "key": named.key.id.hex()})
        return named

    def _refused(self, key: OrderKeyConfig, fields: Mapping[str, Any]) -> Malformed | None:
        """Return why an order with a new count is not carried out, None where it may be."""
        do = fields["do"].replace("-", "_")
        named = shown(do)
        if why := _wrong_person(fields):
            return malformed(named, "shape", why=why, todo=phrase("one_line"))
        if not (do in ORDERS and ORDERS[do].is_anytime) and (why := self._not_of_now(fields.get("as_of"))):
            return malformed(named, "as_of", why=why)
        if "expires" in fields and (why := self._expired(fields["expires"])):
            return malformed(named, "expired", why=why)
        if do in orders.ALL and do not in key.allows:
            return malformed(named, "not_allowed", do=do, key=key.name)
        if do in OF_ROUND and fields.get("round") is None:
            return malformed(named, "round", why=phrase("round_missing"), todo=phrase("name_round"))
        return None

    def _not_of_now(self, as_of: Any) -> Phrase | None:
        """Return why an entry is not one that the giver may have seen just now, None where it is."""
        if not isinstance(as_of, dict) or set(as_of) != {"journal", "seq", "boot"}:
            return phrase("as_of_fields")
        if as_of["boot"] != self._table.boot:
            return phrase("other_start")
        seq = as_of["seq"]
        if isinstance(seq, bool) or (as_of["journal"], seq) not in self._recent:
            return phrase("not_recent", most=self._recent.maxlen or 0)
        return None

    def _highest(self) -> int:
        """Return the highest count that is taken now. A clock that is not set says nothing."""
        return now()["at"] + AHEAD_MS if self._clock() == "synchronised" else HIGHEST

    def _expired(self, expires: Any) -> Phrase | None:
        """Return why an order counts no longer, None where it does. A clock that is not set says nothing."""
        try:
            until = datetime.fromisoformat(expires)
            if until.tzinfo is None:
                raise ValueError
        except (TypeError, ValueError):
            return phrase("no_time")
        if self._clock() == "synchronised" and datetime.fromtimestamp(now()["at"] / 1000, UTC) > until:
            return phrase("has_expired")
        return None


def _fields(text: str) -> dict[str, Any]:
    """Return the fields of a signed order. Raises NotAnOrder."""
    try:
        fields = parse(text.encode())
        once(text)
    except NotAnOrder as error:
        inner = Phrase(error.answer.code or "", error.answer.values)
        raise _misshapen(inner, inner) from None
    except NotAnEnvelope as error:
        raise _misshapen(phrase("order_unreadable", why=str(error)), phrase("each_key_once")) from None
    count = fields.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count <= MOST:
        raise _misshapen(phrase("count_missing"), phrase("count_above"), id=fields.get("id"))
    return fields


def _wrong_count(fields: Mapping[str, Any], last: int, most: int, name: str) -> NotAnOrder:
    """Return the refusal of a count that was used up, or is ahead. last: that used last. most: the highest allowed."""
    count = fields["count"]
    todo = phrase("go_on_from", last=last, most=most) if last < most else phrase("no_count_left", name=name)
    if count <= last:
        return NotAnOrder("old_count", {"used": count, "todo": todo}, id=fields.get("id"), count=last)
    why = phrase("no_count_time", used=count, most=most) if most == HIGHEST else phrase("ahead_of_clock", used=count)
    return NotAnOrder("count_ahead", {"why": why, "todo": todo}, id=fields.get("id"), count=last)


def _without_claims(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an order without what only a signature needs."""
    return {name: value for name, value in fields.items() if name not in CLAIMS}


def _wrong_person(fields: Mapping[str, Any]) -> Phrase | None:
    """Return what is wrong with the person whom an order names, None for nothing."""
    if PERSON not in fields:
        return None
    name = fields[PERSON]
    if not isinstance(name, str) or not name.strip():
        return phrase("person_missing", name=PERSON)
    wrong = unfit(name, LONGEST_NAME)
    return phrase("person_unfit", name=PERSON, fault=wrong) if wrong else None


def _digest(fields: Mapping[str, Any], by: str) -> str:
    """Return 8 bytes, in hex, of the hash of a signed order, its key and its person, whatever the order of its keys."""
    content = {name: value for name, value in fields.items() if name not in CLAIMS or name == PERSON}
    content.pop("id", None)
    return sha256(msgspec.json.encode([by, content], order="sorted")).hexdigest()[:DIGITS]


def _misshapen(why: Phrase, todo: Phrase, **more: Any) -> NotAnOrder:
    return NotAnOrder("shape", {"why": why, "todo": todo}, **more)
