"""Niu-niu as a script: a table's settings, and a round of grabs, bets and twenty cards that lie face down."""

from collections.abc import Generator
from decimal import Decimal
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from firmware_bridge.games.asks import Ask, Choice, Shows, did, in_words
from firmware_bridge.games.bank import (
    BET,
    GRAB,
    SEATS,
    Bank,
    Factor,
    Multiple,
    Outcome,
    by_slot,
    check_base,
    dealt,
    from_next,
    given_by,
    lot_among,
    outcome_of,
    owes,
    reasons,
    turned,
    why,
)
from firmware_bridge.games.game import Result, Script, Start, Terms
from firmware_bridge.games.niuniu.hands import KINDS, Hand, Kind, read, strength

Bids = Annotated[tuple[Annotated[int, Meta(ge=0, le=1_000)], ...], Meta(min_length=1)]
Bets = Annotated[tuple[Multiple, ...], Meta(min_length=1)]

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
"""Kind -> multiple, where the house says nothing else."""


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
    hand_multiples: dict[Kind, Factor] = field(default_factory=lambda: dict(USUAL))

    def __post_init__(self) -> None:
        check_base(self.base)
        force_setattr(self, "hand_multiples", USUAL | self.hand_multiples)


EACH: Final = 5
"""Cards of a hand."""


class Own(Struct, frozen=True):
    """What only niu-niu says of a round.

    banker: his slot. multiple: what he grabbed with, 1 if nobody grabbed. multiples: slot of a player -> what he bet.
    outcomes: slot of a player -> how he ended against the banker.
    """

    banker: str
    multiple: int
    multiples: dict[str, int]
    outcomes: dict[str, Outcome]


def round(terms: NiuNiu, start: Start) -> Script:
    """One round: its cards are a pack of their own."""
    bank = yield from _grabbed(terms)
    banker, multiple = str(bank.banker)[1:], bank.multiple or 1
    players, offer = from_next(banker), _choice(terms.bet)
    bets = yield from given_by(sorted(players), BET, offer, "the players bet", lambda told: replace(bank, bets=told))
    closed = yield from dealt(EACH)
    faces = yield from turned(closed, banker, start.sealed, lambda hand: read(hand, terms.hand_multiples).kind)
    hands = {seat: read(faces[seat], terms.hand_multiples) for seat in SEATS}
    nets = dict.fromkeys(SEATS, Decimal(0))
    outcomes: dict[str, Outcome] = {}
    for seat in players:
        wins = strength(faces[seat]) > strength(faces[banker])
        winner, loser = (seat, banker) if wins else (banker, seat)
        pay = owes(terms.base, multiple, bets[seat], hands[winner].multiple)
        yield did("pay", f"S{loser}", f"S{winner}", in_words(pay))
        nets[winner] += pay
        nets[loser] -= pay
        outcomes[seat] = "win" if wins else "lose"
    return _result(banker, multiple, bets, hands, nets, outcomes)


def _grabbed(terms: NiuNiu) -> Generator[Ask, Any, Bank]:
    """The banker and his multiple: the highest bid, by lot among equals; 1 where nobody grabs."""
    yield Shows(Bank())
    bids = yield from given_by(SEATS, GRAB, _choice(terms.grab), "who grabs the bank", lambda told: Bank(bids=told))
    highest = max(bids.values())
    among = [seat for seat in SEATS if bids[seat] == highest]
    banker = among[0]
    if len(among) > 1:
        banker = yield from lot_among(among, "the lot says who is banker")
    yield did("banker", f"S{banker}", highest or 1)
    bank = Bank(bids=by_slot(bids), banker=f"S{banker}", multiple=highest or 1)
    yield Shows(bank)
    return bank


def _choice(multiples: tuple[int, ...]) -> Choice:
    return Choice(tuple([str(each) for each in multiples]))


def _result(
    banker: str,
    multiple: int,
    bets: dict[str, int],
    hands: dict[str, Hand],
    nets: dict[str, Decimal],
    outcomes: dict[str, Outcome],
) -> Result:
    players, points = sorted(bets), {seat: hands[seat].points for seat in SEATS}
    return Result(
        hands={f"S{seat}": hands[seat] for seat in SEATS},
        outcome=outcome_of(nets, banker),
        bets={f"S{seat}": in_words(nets[seat]) for seat in SEATS},
        staked={f"S{seat}": "0" for seat in SEATS},
        own=Own(
            banker=f"S{banker}",
            multiple=multiple,
            multiples=by_slot(bets),
            outcomes={f"S{seat}": outcomes[seat] for seat in players},
        ),
        why=why(banker, points, outcomes),
        reasons=reasons(banker, points, outcomes),
    )
