"""Niu-niu as a script: a table's settings, and a round of grabs, bets and twenty cards that lie face down."""

from collections.abc import Generator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from firmware_bridge.games import banker_round
from firmware_bridge.games.game import Script, Start, Terms
from firmware_bridge.games.niuniu.hands import KINDS, Kind, read, strength
from firmware_bridge.games.prompts import Ask, Choice, Shows, did, in_words

Bids = Annotated[tuple[Annotated[int, Meta(ge=0, le=1_000)], ...], Meta(min_length=1)]
Bets = Annotated[tuple[banker_round.Multiple, ...], Meta(min_length=1)]

USUAL: Final[dict[Kind, int]] = dict.fromkeys(KINDS, 1) | {
    "five_small": 8,
    "bomb": 6,
    "five_face": 5,
    "four_face": 4,
    "bull_bull": 3,
    "bull_9": 2,
    "bull_8": 2,
    "bull_7": 2,
}
"""Kind -> multiple by default."""


class NiuNiu(Terms, frozen=True):
    """`[game]` of a niu-niu table.

    base: the money that all multiples multiply.
    grab: the bids a seat may make for the bank; 0 does not grab.
    bet: the multiples a player may bet.
    hand_multiples: what the winning hand pays, by its kind; a kind that is not named keeps its usual multiple.
    """

    base: Decimal = Decimal(10)
    grab: Bids = (0, 1, 2, 3)
    bet: Bets = (1, 2, 3)
    hand_multiples: dict[Kind, banker_round.Factor] = field(default_factory=lambda: dict(USUAL))

    def __post_init__(self) -> None:
        banker_round.check_base(self.base)
        force_setattr(self, "hand_multiples", USUAL | self.hand_multiples)


EACH: Final = 5
"""Cards of a hand."""


class Own(Struct, frozen=True):
    """The fields of a round that only niu-niu has.

    banker: his slot. multiple: his bid, 1 if no seat grabbed. multiples: slot of a player -> what he bet.
    outcomes: slot of a player -> how he ended against the banker.
    """

    banker: str
    multiple: int
    multiples: dict[str, int]
    outcomes: dict[str, banker_round.Outcome]


def round(terms: NiuNiu, start: Start) -> Script:
    """Play one round: its cards are a pack of their own."""
    running = yield from _grabbed(terms)
    banker, multiple = str(running.banker)[1:], running.multiple or 1
    players = banker_round.from_next(banker)
    bets = yield from banker_round.given_by(
        sorted(players),
        banker_round.BET,
        _choice(terms.bet),
        "players bet",
        lambda given: replace(running, bets=given),
    )
    closed = yield from banker_round.dealt(EACH)
    faces = yield from banker_round.turned(
        closed, banker, start.sealed, lambda hand: read(hand, terms.hand_multiples).kind
    )
    hands = {seat: read(faces[seat], terms.hand_multiples) for seat in banker_round.SEATS}
    nets = dict.fromkeys(banker_round.SEATS, Decimal(0))
    ends: dict[str, banker_round.Outcome] = {}
    for seat in players:
        wins = strength(faces[seat]) > strength(faces[banker])
        winner, loser = (seat, banker) if wins else (banker, seat)
        pay = banker_round.owes(terms.base, multiple, bets[seat], hands[winner].multiple)
        yield did("pay", f"S{loser}", f"S{winner}", in_words(pay))
        nets[winner] += pay
        nets[loser] -= pay
        ends[seat] = "win" if wins else "lose"
    own = Own(
        banker=f"S{banker}",
        multiple=multiple,
        multiples=banker_round.by_slot(bets),
        outcomes={f"S{seat}": ends[seat] for seat in sorted(bets)},
    )
    return banker_round.result(banker, hands, nets, ends, own)


def _grabbed(terms: NiuNiu) -> Generator[Ask, Any, banker_round.Bank]:
    """Return the banker and his multiple: the highest bid, by lot among equals; 1 if no seat grabs."""
    shown = banker_round.Bank()
    yield Shows(shown)
    bids, banker = yield from banker_round.grabbed(shown, _choice(terms.grab), _highest)
    return (yield from banker_round.seated(shown, bids, banker, bids[banker] or 1))


def _highest(bids: Mapping[str, int]) -> list[str]:
    return [seat for seat in banker_round.SEATS if bids[seat] == max(bids.values())]


def _choice(multiples: tuple[int, ...]) -> Choice:
    return Choice(tuple([str(each) for each in multiples]))
