"""The state of a shoe, and what follows from it.

A value is *public* if it follows from open cards only, whatever the sealed ones are: lamps, topics and refusals
show public values only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from firmware_bridge.facts.book.standing import Phase as Phase
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.events import CutBy, Device, KeyChanged, Origin, Played
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.facts.house import House, Row
from firmware_bridge.facts.inputs import ReaderResult
from firmware_bridge.facts.orders import Answer
from firmware_bridge.games.house import size_of
from firmware_bridge.games.moves import Answered, Mark
from firmware_bridge.shoe.policy import POLICIES

IN_PLAY: Final = (Phase.READY, Phase.DEALING)
"""The phases in which a round waits for a card, a mark, or an opening."""


class Laid(Struct, frozen=True):
    """A card out of the shoe, which came with message `n` of entry `seq`. Sealed until `shown`.

    card: None for one that lies face down and was not read. drawn: it left the shoe in this round (a carried card did
    not). over: it was drawn too many. entered: the entry and message that commit to a card which people entered later.
    """

    card: Card | None
    origin: Origin
    nonce: str
    seq: int
    n: int
    shown: bool
    drawn: bool = True
    over: bool = False
    entered: tuple[int, int] | None = None

    @property
    def committed(self) -> tuple[int, int]:
        """The entry, and its message, that commit to a sealed card."""
        return self.entered or (self.seq, self.n)


class Reply(Struct, frozen=True):
    """A mark of a seat, or the shoe's own answer to a question: message `n` of entry `seq`."""

    move: Mark | Answered
    seq: int
    n: int


class LastMark(Struct, frozen=True):
    """The last mark of this round. reveal_by: the time to open cards before it. followed: why it stands now, or "".

    taken: the mark after it, which was taken back and not given again.
    """

    reveal_by: int | None = None
    followed: str = ""
    taken: Reply | None = None


class HeldCard(Struct, frozen=True):
    """A card of the packs, drawn while it could not be dealt; `card` is None while its face is unknown.

    cleared: the irregularities in spite of which the pit keeps it. reason: why it was not read, else why it was held.
    again: it may be the card before, read again.
    """

    card: Card | None
    nonce: str
    lot: int | None = None
    manual: bool = False
    flags: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    reason: str = ""
    slot: str | None = None
    serial: Serial | None = None
    again: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether it may still be the card before: then it is no card of the shoe yet."""
        return self.again and "read_again" not in self.cleared


class HeldCut(Struct, frozen=True):
    """The cut card, seen `by` a sensor or the reader: it waits for cards before it, or for the pit.

    last_round: the round that it makes the last, None where that depends on cards before it that wait.
    """

    by: CutBy
    last_round: int | None = None


class HeldResult(Struct, frozen=True):
    """The result of a reader that judges the game, received while cards before it are held or sealed."""

    result: ReaderResult


Held = HeldCard | HeldCut | HeldResult
"""A held card, cut card or result; a shoe keeps them in the order they came."""


class PastRound(Struct, frozen=True):
    """A round of this shoe that is over; voided ones have no outcome. `seq`: its last round message's entry.

    hands, own: in the form of its game, as JSON. bets, money: as `bets_closed` gave them. left: cards in the shoe
    before its first one. nets: bet -> net, in games played for money. dealt_by, shift, gaming_day: as in its message.
    read: the cards before its first correction.
    """

    round: int
    seq: int
    cards: tuple[Played, ...]
    outcome: str | None = None
    hands: Raw = Raw(b"{}")
    own: Raw = Raw(b"{}")
    carried: int = 0
    last: bool = False
    flags: tuple[str, ...] = ()
    revision: int = 0
    bets: dict[str, str] = {}
    money: dict[str, str] = {}
    left: int = 0
    nets: dict[str, Net] = {}
    dealt_by: str = ""
    shift: str = ""
    gaming_day: str = ""
    read: tuple[Card, ...] = ()

    @property
    def missed(self) -> int:
        """How many of its cards the reader did not see, as its last correction says."""
        return max(len(self.cards) - len(self.read or self.cards), 0)

    def drawn(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return the cards that left the shoe in it, if these are its cards: a card read stays out of the shoe."""
        read = self.read or [each.card for each in self.cards]
        left_out = list((Counter(read) - Counter(cards)).elements())
        return (*cards, *left_out[(Counter(cards) - Counter(read)).total() :])


class Shoe(Struct, frozen=True, kw_only=True):
    """A shoe as its journal leaves it: folding the journal's entries gives exactly this value.

    seq: the last entry's number in `journal`; n: events of the next entry already folded in. begun: start of
    `journal`, ms since 1970; packs: shoes in it.
    burn_left: cards still to burn, None while the first one is not exposed. seen: every card of this shoe
    that was drawn and counts, in order; serials: of those that have one. played: those of
    rounds that count, written one behind the other. aside: sealed cards that play no part.
    laid: the cards of this round, replies: its marks and answers. bets, money: as `bets_closed` gave them.
    acted: how many of the reports of this round (`did` of its layout) were shown before its last card, mark or opening:
    the dealer has acted on them. turn: how many questions were answered at this table, modulo 65,536.
    last_round: the last one, once the cut card was met; cut_by: by whom.
    last_mark: of this round, None before the first.
    reveal_by, change_by: monotonic times (ms) at which sealed cards open, and another shoe is due. opening: this
    round's cards open as they are drawn. flying: this round is dealt without a bet. dealer: who is signed in;
    dealt_by: who was when this round's first card was drawn. ended_by_next: the monotonic time (ms) of the NEXT that
    closed the last round of an ended shoe. repeated: how many cards of this shoe the reader reported again, as the
    table has said; is_same: the last report was one of them, so that further ones of the same code are too.
    """

    device: Device = Device()
    house: House = House()
    policy: dict[str, Row] = {}
    journal: str = ""
    seq: int = 0
    n: int = 0
    begun: int = 0
    packs: int = 0
    number: int = 0
    status: str = "empty"
    lot: int | None = None
    burn_left: int | None = 0
    betting: bool = False
    round: int = 0
    laid: tuple[Laid, ...] = ()
    replies: tuple[Reply, ...] = ()
    last_mark: LastMark | None = None
    bets: dict[str, str] = {}
    money: dict[str, str] = {}
    acted: int = 0
    turn: int = 0
    overdrawn: tuple[Laid, ...] = ()
    held: tuple[Held, ...] = ()
    aside: tuple[Laid, ...] = ()
    seen: tuple[Card, ...] = ()
    played: str = ""
    serials: tuple[Serial, ...] = ()
    unknown: int = 0
    last_round: int | None = None
    cut_by: CutBy | None = None
    cut_watched: bool = True
    rounds: tuple[PastRound, ...] = ()
    reveal_by: int | None = None
    opening: bool = False
    flying: bool = False
    change_by: int | None = None
    change: str | None = None
    dealer: str = ""
    dealt_by: str = ""
    ended_by_next: int | None = None
    repeated: int = 0
    is_same: bool = False

    __hash__ = object.__hash__  # caches find a shoe by identity


KEPT: Final = 4
"""Entries of a cache by shoe: the shoe before an input, and those after its events."""

TURNS: Final = 65_536
"""Questions are numbered modulo this."""

ANSWERS_KEPT: Final = 1_000
"""Command ids remembered, across restarts and shoes."""


def next_turn(shoe: Shoe) -> int:
    """Return the number of the next question."""
    return (shoe.turn + 1) % TURNS


def with_device(shoe: Shoe, **changes: Any) -> Shoe:
    """Return the shoe, with these fields of its device changed."""
    return replace(shoe, device=replace(shoe.device, **changes))


def with_key(shoe: Shoe, event: KeyChanged) -> Shoe:
    """Return the shoe, with another key of its record."""
    begun = shoe.device.record
    return with_device(shoe, record=begun and replace(begun, key=event.new), retiring=event.old or UNSET)


def another_card(shoe: Shoe, steady: int = 0) -> Shoe:
    """Return the shoe behind a report that is not of the card before. steady: cards more without one read again."""
    other = replace(shoe, is_same=False) if shoe.is_same else shoe
    known = shoe.device.steady
    return other if known is UNSET or not steady else with_device(other, steady=known + steady)


def with_same_card(shoe: Shoe) -> Shoe:
    """Take the oldest held card as the one before: of several reports in a row only the first counts as repeated."""
    same = replace(shoe, held=shoe.held[1:], repeated=shoe.repeated + (not shoe.is_same), is_same=True)
    return same if shoe.device.steady is UNSET else with_device(same, steady=0)


def row(shoe: Shoe, irregularity: str) -> Row:
    """Return the row of the policy this shoe was opened under; of today's for an irregularity which that one lacks."""
    return shoe.policy.get(irregularity) or POLICIES[shoe.house.policy][irregularity]


def is_open(shoe: Shoe, irregularity: str) -> bool:
    """Return whether an irregularity of this name is open."""
    return any(each.id == irregularity for each in shoe.device.irregular)


def about(shoe: Shoe, irregularity: str) -> tuple[str, ...]:
    """Return the things an open irregularity is about; () if none of this name is open."""
    return next((each.of for each in shoe.device.irregular if each.id == irregularity), ())


def stuck(shoe: Shoe) -> tuple[str, ...]:
    """Return the sensors and keys that are stuck."""
    return about(shoe, "sensor_stuck")


def card_number(shoe: Shoe) -> int:
    """Return the number of the next card, held or not, among the cards of this shoe that were read."""
    return len(shoe.seen) + 1


def next_card(shoe: Shoe) -> str:
    """Return the name of the next card in irregularities."""
    return f"card {card_number(shoe)}"


@lru_cache(KEPT)
def blockers(shoe: Shoe) -> tuple[str, ...]:
    """Return the open irregularities that keep cards from being dealt."""
    return tuple([each.id for each in shoe.device.irregular if row(shoe, each.id).blocks])


def held_cards(shoe: Shoe) -> tuple[HeldCard, ...]:
    """Return the cards of the packs that are held."""
    return tuple([each for each in shoe.held if isinstance(each, HeldCard)]) if shoe.held else ()


def oldest_held(shoe: Shoe) -> HeldCard | None:
    """Return the card that comes next of what is held; None where it is no card, or nothing is held."""
    first = shoe.held[0] if shoe.held else None
    return first if isinstance(first, HeldCard) else None


def waiting_cut(shoe: Shoe) -> HeldCut | None:
    """Return the cut card that waits, None if none does."""
    return next((each for each in shoe.held if isinstance(each, HeldCut)), None)


def replace_cards(seen: Iterable[Card], before: Iterable[Card], after: Iterable[Card]) -> tuple[Card, ...]:
    """Replace a corrected round's cards in the list of cards seen."""
    was, now = Counter(before), Counter(after)
    gone, come = list((was - now).elements()), list((now - was).elements())
    cards = list(seen)
    for face in gone:
        at = next((n for n in reversed(range(len(cards))) if cards[n] is face), len(cards))
        cards[at : at + 1] = [come.pop(0)] if come else []
    return (*cards, *come)


def disclosed(shoe: Shoe) -> tuple[Card, ...]:
    """Return the cards of this shoe that are open, without the sealed ones."""
    sealed = Counter(laid.card for laid in shoe.laid + shoe.overdrawn + shoe.aside if laid.card and not laid.shown)
    return tuple((Counter(shoe.seen) - sealed).elements())


def is_card_out(shoe: Shoe) -> bool:
    """Return whether a card of the coming round was seen or drawn: no more bets are accepted for that round."""
    return any(laid.shown for laid in shoe.laid) or bool(held_cards(shoe))


def cards_left(shoe: Shoe) -> int:
    """Return how many cards have not left the shoe, by the journal, without a held one that may be the card before."""
    held = [each for each in held_cards(shoe) if not each.is_doubtful]
    return size_of(shoe.house) - len(shoe.seen) - shoe.unknown - len(held)


def left_before(shoe: Shoe) -> int:
    """Return how many cards were in the shoe before the first one of this round."""
    return size_of(shoe.house) - len(shoe.seen) - shoe.unknown + sum([laid.drawn for laid in shoe.laid])


@lru_cache(KEPT)
def is_exhausted(shoe: Shoe) -> bool:
    """Return whether every card of the shoe was drawn and put in its place: none left, none held."""
    return cards_left(shoe) <= 0 and not held_cards(shoe)


def is_last(shoe: Shoe) -> bool:
    """Return whether the present round is the last of this shoe: by its cut card, or because no card is left."""
    return is_exhausted(shoe) or (shoe.last_round is not None and shoe.round >= shoe.last_round)


def answer_to(shoe: Shoe, command_id: str | None) -> Answer | None:
    """Return the answer already given to a command id, None for a new one."""
    return next((each for each in shoe.device.answers if command_id and each.id == command_id), None)
