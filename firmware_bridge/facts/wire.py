"""The heads of all messages, and the messages of the streams `event` and `round`, for daemon and backend.

The bytes of a stream are built from those of the journal (journal/messages.py); they decode into these
Structs. A state topic is a head and a body in one JSON object: bodies are in facts/wire_states.py, those of a game's
own topics in its package.

A field `Annotated[int, Number]` decodes as an int, and as a `Number` in an `excerpt`, for readers that trust no sender.
Unknown keys are ignored.
"""

import re
from decimal import Decimal
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.bounds import PersonText
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import EntryName, Played, Reason, Unit
from firmware_bridge.facts.printable import CLASS

VERSION: Final = 2
"""The version of the messages: `v`."""

BEFORE: Final = 1
"""The version before, with English in place of codes: read, and sent from a journal that was begun in it."""

LINES: Final = {BEFORE: b"3", VERSION: b"4"}
"""`v` of messages -> the format of the journal's line with their events, as it begins with it."""

Count = Annotated[int, Meta(ge=1)]
Chain = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

Note = Annotated[str, Meta(max_length=2000)]
"""A checkpoint as a signed note: lines of text."""

LONGEST: Final = 100
"""Longest name, in characters."""

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST, pattern=rf"^[^{CLASS}]*\Z")]
Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
"""RFC 3339, ms, UTC; such texts sort by time."""


class Identity(NamedTuple):
    """The identity of a message in its topic: entry `seq` (from 1) of `journal`, event `n` (from 1) of that entry."""

    journal: str
    seq: int
    n: int


class Head(Struct, frozen=True):
    """The first keys of every message. `shoe` counts the shoes of a device, 0 before the first.

    v: 2; 1 on `event` and `round` of a journal of format 3, with English in place of some codes.
    """

    v: int
    table: Annotated[str, Name]
    shoe: int
    journal: str


class EntryHead(Head, frozen=True):
    """The head of a message of a journal entry. `at`: RFC 3339, ms, UTC; `boot` names the daemon's run."""

    seq: int
    at: str
    boot: str


class StateHead(Head, frozen=True):
    """The head of a state or an answer as of entry `as_of` of the journal, 0 for none."""

    as_of: int
    at: Annotated[str, Time]
    boot: Annotated[str, Name]


def line_format(public: bytes) -> bytes:
    """Return the format of a journal's line, by the `v` that its public part begins with.

    Raises UnknownVersion.
    """
    for v, version in LINES.items():
        if public.startswith(b'{"v":%d,' % v):
            return version
    found = re.match(rb'{"v":\s*([^,]{0,9})', public)
    named = found[1].decode("ascii", "replace") if found else "none"
    known = " and ".join(map(str, LINES))
    raise UnknownVersion(f"an entry with v {named}, and this version knows {known}", "read it with what wrote it")


def joined(head: Any, body: Any) -> bytes:
    """Return a message: the keys of its head, then those of its body."""
    return _encode(head)[:-1] + b"," + _encode(body)[1:]


_encode: Final = msgspec.json.Encoder().encode


class UnknownVersion(BridgeError, ValueError):
    """Messages of a version that this one does not know."""


Part = TypeVar("Part", bound=Struct)


def excerpt(kind: type[Part], *needed: str, **defaults: Any) -> type[Part]:
    """Return a Struct with some fields of `kind`, each with its bounds.

    needed: required fields. defaults: of fields that may be missing; one with default None may be null too.
    """
    hints = get_type_hints(kind, include_extras=True)
    fields: list[Any] = [(name, _bounded(hints[name])) for name in needed]
    for name, default in defaults.items():
        bounded = type(default) if isinstance(default, Struct) else _bounded(hints[name])
        fields.append((name, bounded | None if default is None else bounded, default))
    made: Any = msgspec.defstruct(kind.__name__, fields, frozen=True)
    return made  # type: ignore[no-any-return]  # defstruct types no fields


def _bounded(hint: Any) -> Any:
    """Return the type with the bounds in its annotation."""
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(map(_bounded, get_args(hint)))]  # noqa: UP007  # of types that are only known here
    if get_origin(hint) is Annotated:
        inside = hint.__origin__
        plain = _bounded(inside) if get_origin(inside) in (Union, UnionType) else hint
        return next((each for each in hint.__metadata__ if get_origin(each) is Annotated), plain)
    return hint


class StreamMessage(EntryHead, frozen=True, kw_only=True):
    """A message of a stream: event `n` of the `of` events of its entry.

    head: the journal's chain after that entry, hex SHA-256; None from software without it. A receiver that keeps one
    can prove from the journal that nothing up to that entry was changed later.
    """

    head: Chain | None = None
    n: Count
    of: Count

    def __post_init__(self) -> None:
        if self.seq < 1 or self.n > self.of:
            raise ValueError(f"event {self.n} of {self.of} of entry {self.seq}")

    @property
    def identity(self) -> Identity:
        """The key of the message in its topic: same key, same bytes."""
        return Identity(self.journal, self.seq, self.n)


class EventMessage(StreamMessage, frozen=True, kw_only=True):
    """A message of the topic `event`; `type` in the event names its other keys.

    The last one of an entry has what proves it. sealed: hex SHA-256 of the entry's sealed part, with which `head`
    follows from the head before. checkpoint: the signed size and root of the record with this entry (C2SP
    tlog-checkpoint), where the entry closes or opens something.
    """

    sealed: Chain | None = None
    checkpoint: Note | None = None
    event: dict[str, Any]


class Hand(Struct, frozen=True):
    """The keys of every hand in every game; `points` as text of the game."""

    cards: tuple[Card, ...]
    points: str


class _Round(StreamMessage, frozen=True, kw_only=True, tag_field="status"):
    """The keys of every message of the topic `round`.

    dealt_by, pit, shift, gaming_day: who dealt it (facts/events_of_rounds.py, `DealtRound`); "" where not known.
    sig, always the last key: Ed25519 signature of the rest, base64 (record/verify.py, `is_round_signed`).
    cards: those disclosed. stakes: bet -> amount put in, and net (facts/events_of_rounds.py, `Stake`).
    prev: the round message before it at its table. why: as text. Amounts are exactly the decimals written.
    """

    game: str
    round: int
    revision: int
    cards: tuple[Played, ...]
    unit: Unit
    stakes: dict[str, tuple[Decimal, Decimal]]
    last: bool
    why: tuple[str, ...]
    prev: EntryName | None
    dealt_by: PersonText = ""
    pit: str = ""
    shift: str = ""
    gaming_day: str = ""
    sig: Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{86}==\Z")] | None = None


class ClosedRound(_Round, frozen=True, kw_only=True, tag="closed"):
    """A round that is over. A game adds keys of its own to its hands and to the message.

    bets: bet -> net, exactly the decimal in the message: 0.95 is `Decimal("0.95")`.
    reasons: `why` as ids and values.
    """

    status: ClassVar[Literal["closed", "corrected"]] = "closed"
    hands: dict[str, Hand]
    outcome: str
    bets: dict[str, Decimal]
    carried: int
    flags: tuple[str, ...]
    reasons: tuple[Reason, ...] = ()


class CorrectedRound(ClosedRound, frozen=True, kw_only=True, tag="corrected"):
    """A complete new result in place of the round that entry `corrects` closed. second: the second person, if any."""

    status: ClassVar[Literal["closed", "corrected"]] = "corrected"
    corrects: int
    by: PersonText
    second: PersonText | UnsetType = UNSET


class VoidedRound(_Round, frozen=True, kw_only=True, tag="voided"):
    """A round that does not count. moved: bet -> amount already paid to it, or collected (below 0): to be reversed.

    second: the second person, if any. why: what a person typed. reasons: why as ids and values: `floor`, `decided`
    about an alarm, `shoe_empty`.
    """

    status: ClassVar[Literal["voided"]] = "voided"
    reasons: tuple[Reason, ...] = ()
    by: PersonText
    second: PersonText | UnsetType = UNSET
    moved: dict[str, Decimal] = {}


class Stored(Struct, frozen=True):
    """A message of the topic `stored`, from a backend to a table: receiver `by` committed all up to entry `seq`.

    That is every message of `event` and `round` of each entry of `journal` up to `seq`, and of each journal before it.
    head: the chain value that it has at that entry, for the table to compare; None from a receiver that keeps none.
    checkpoint: the newest one of this table that it has verified; None from a receiver that has verified none, or where
    it verified this very entry. Where it is there, it alone says how far the table's record went: entries behind it may
    be anybody's.
    """

    journal: str
    seq: Count
    by: str
    head: Chain | None = None
    checkpoint: Note | None = None


class SignedMessage(Struct, frozen=True):
    """A message to a table with `[[orders]]`, on the topics `command` and `stored`.

    key: the name of the key in the table's config, or its vkey. order: what is signed, as a text: an order with
    `count`, `as_of` and, if given, `expires` and `on_behalf_of`; or the message of another topic. sig: Ed25519 over
    `shoe-order/1`, LF, the topic, LF and the order, base64.
    """

    key: str
    order: str
    sig: Annotated[str, Meta(pattern=r"^[A-Za-z0-9+/]{86}==\Z")]


RoundMessage = ClosedRound | CorrectedRound | VoidedRound
"""A message of the topic `round`; the highest revision of a round counts."""
