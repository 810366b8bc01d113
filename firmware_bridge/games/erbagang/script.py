"""Er ba gang as a script: a table's settings, one of the five rounds of a game, and the purses between them."""

from collections.abc import Generator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import own_json
from firmware_bridge.games import banker_round
from firmware_bridge.games.erbagang.hands import KINDS, Kind, Ties, kind_of_hand, outcome, read
from firmware_bridge.games.game import Ended, Script, Start, Terms
from firmware_bridge.games.prompts import Ask, Shows, Whole, did, in_words

USUAL: Final[dict[Kind, int]] = dict.fromkeys(KINDS, 1)
"""Kind -> multiple by default."""


class ErBaGang(Terms, frozen=True):
    """`[game]` of an er ba gang table.

    base: the money that all multiples multiply; who has less cannot go on.
    grab_max: the highest bid for the bank.
    order: the kinds of hands from high to low.
    ties: who wins equal hands: the higher single tile (white is the lowest; if that is equal too, neither), the banker,
    or neither.
    hand_multiples: what the winning hand pays, by its kind; a kind that is not named pays once.
    banker_per: whether the bank is grabbed in every round, or once a game.
    """

    base: Decimal = Decimal(1)
    grab_max: Annotated[int, Meta(ge=0, le=1_000_000)] = 200
    order: tuple[Kind, ...] = ("white_pair", "pair", "28", "points")
    ties: Ties = "high-tile"
    hand_multiples: dict[Kind, banker_round.Factor] = field(default_factory=lambda: dict(USUAL))
    banker_per: Literal["round", "game"] = "round"

    def __post_init__(self) -> None:
        banker_round.check_base(self.base)
        if sorted(self.order) != sorted(KINDS):
            raise ValueError(f"order: name each of {', '.join(KINDS)} once")
        force_setattr(self, "hand_multiples", USUAL | self.hand_multiples)


ROUNDS: Final = 5
"""Rounds of a game: 40 tiles."""

TILES: Final = 8
"""Tiles of a round."""

EACH: Final = 2
"""Tiles of a hand."""

PART: Final = 3
"""A player bets at most this part of the banker's multiple."""

Purses = dict[str, Decimal]
"""Seat -> amount in its purse."""


class Own(Struct, frozen=True):
    """The fields of a round that only er ba gang has.

    game_round: 1 to 5, voided rounds not counted. banker: his slot. multiple: his bid, 1 if no seat bid.
    multiples: slot of a player -> what he bet. outcomes: slot of a player -> how he ended against the banker.
    money: slot -> its purse after the round, empty where purses are unknown. stopped: the game ends before its fifth
    round. out: slots that cannot go on, because less than the base is left. difference: in a correction, slot -> its
    net less that published before; people settle it, later rounds stand.
    """

    game_round: int
    banker: str
    multiple: int
    multiples: dict[str, int]
    outcomes: dict[str, banker_round.Outcome]
    money: dict[str, str]
    stopped: bool
    out: tuple[str, ...]
    difference: dict[str, str] = {}


class Running(banker_round.Bank, frozen=True, kw_only=True):
    """The running round of er ba gang: its number of the five, bids, the bank, bets."""

    round: int


def round(terms: ErBaGang, start: Start) -> Script:
    """Play one of the five rounds of a game."""
    game = so_far(start)
    short = _short(game.purses, terms)
    if short:
        yield did("no_game", short)
        return None
    yield did("round", game.number)
    running = yield from _banker(terms, game)
    banker, multiple = str(running.banker)[1:], running.multiple or 1
    offered = third(multiple)
    offer = Whole(offered[0], offered[-1])
    players = sorted(banker_round.from_next(banker))
    bets = yield from banker_round.given_by(
        players, banker_round.BET, offer, "players bet", lambda given: replace(running, bets=given)
    )
    closed = yield from banker_round.dealt(EACH)
    tiles = yield from banker_round.turned(closed, banker, start.sealed, kind_of_hand)
    ends = {seat: outcome(tiles[seat], tiles[banker], terms.order, terms.ties) for seat in bets}
    nets, purses = yield from _paid(terms, game.purses, banker, bets, tiles, ends)
    yield did("round_over", game.number)
    out = _short(purses, terms)
    hands = {seat: read(tiles[seat]) for seat in banker_round.SEATS}
    if out and game.number < ROUNDS:
        yield did("stopped", out)
    own = Own(
        game_round=game.number,
        banker=f"S{banker}",
        multiple=multiple,
        multiples=banker_round.by_slot(bets),
        outcomes={f"S{seat}": ends[seat] for seat in sorted(bets)},
        money={f"S{seat}": in_words(purses[seat]) for seat in banker_round.SEATS} if purses else {},
        stopped=bool(out) and game.number < ROUNDS,
        out=out,
        difference=difference(start, nets) if purses else {},
    )
    return banker_round.result(banker, hands, nets, ends, own)


def third(banker: int) -> range:
    """Return the multiples players may bet against a banker with this multiple: from 1 to a third of it, 1 always."""
    return range(1, max(1, banker // PART) + 1)


def short(purses: Mapping[str, Decimal], base: Decimal) -> tuple[str, ...]:
    """Return the seats with less than the base in their purse: with one of them a game does not go on."""
    return tuple([seat for seat, purse in purses.items() if purse < base])


def _short(purses: Purses | None, terms: ErBaGang) -> tuple[str, ...]:
    return tuple([f"S{seat}" for seat in short(purses or {}, terms.base)])


def _banker(terms: ErBaGang, game: "SoFar") -> Generator[Ask, Any, Running]:
    """Return the banker and his multiple: the lot among all who bid, however much; 1 if no seat bids."""
    shown = Running(round=game.number)
    yield Shows(shown)
    if terms.banker_per == "game" and game.bank:
        return (yield from banker_round.seated(shown, {}, *game.bank))
    bids, banker = yield from banker_round.grabbed(shown, Whole(0, terms.grab_max), _bidders)
    return (yield from banker_round.seated(shown, bids, banker, bids[banker] or 1))


def _bidders(bids: Mapping[str, int]) -> Sequence[str]:
    return [seat for seat in banker_round.SEATS if bids[seat]] or banker_round.SEATS


def _paid(
    terms: ErBaGang,
    purses: Purses | None,
    banker: str,
    bets: dict[str, int],
    tiles: dict[str, tuple[Card, ...]],
    ends: dict[str, banker_round.Outcome],
) -> Generator[Ask, Any, tuple[Purses, Purses | None]]:
    """Return nets and purses: the banker collects from losers, then pays the winners; no seat pays more than it has."""
    nets = dict.fromkeys(banker_round.SEATS, Decimal(0))
    left = dict(purses) if purses else None
    for now in ("lose", "win"):
        for seat in banker_round.from_next(banker):
            if ends[seat] != now:
                continue
            loser, winner = (seat, banker) if now == "lose" else (banker, seat)
            owed = banker_round.owes(terms.base, bets[seat], terms.hand_multiples[kind_of_hand(tiles[winner])])
            paid = min(owed, left[loser]) if left else owed
            yield did("pay", f"S{loser}", f"S{winner}", in_words(paid), in_words(owed))
            nets[loser] -= paid
            nets[winner] += paid
            if left:
                left[loser] -= paid
                left[winner] += paid
    return nets, left


class SoFar(Struct, frozen=True):
    """A game before a round: its number from 1, the purses (None: unknown), the bank of the round before."""

    number: int
    purses: Purses | None
    bank: tuple[str, int] | None


def so_far(start: Start) -> SoFar:
    """Return the game after the rounds before this one; purses given again replace those worked out."""
    closed = [own_of(each) for each in start.before if each.outcome is not None]
    last = closed[-1] if closed else None
    return SoFar(len(closed) + 1, _purses(start), (last.banker[1:], last.multiple) if last else None)


def own_of(round: Ended) -> Own:
    """Return the `Own` of a closed round."""
    return _decode(round.own)


def is_over(start: Start) -> bool:
    """Return whether no further round can begin: five are closed, a purse is too small, or too few tiles are left."""
    closed = [own_of(each) for each in start.before if each.outcome is not None]
    return start.left < TILES or len(closed) >= ROUNDS or bool(closed and closed[-1].stopped)


def difference(start: Start, nets: Purses) -> dict[str, str]:
    """Return slot -> net in a corrected round less that published before; rounds before and after it stand."""
    if start.was is None:
        return {}
    before = start.was.nets
    return {f"S{seat}": in_words(net - Decimal(before[f"S{seat}"])) for seat, net in nets.items()}


_decode = own_json(Own)


def _purses(start: Start) -> Purses | None:
    if start.money:
        return _of_seats(start.money)
    for each in reversed(start.before):
        if each.outcome is not None:
            money = own_of(each).money
            return {slot[1:]: Decimal(amount) for slot, amount in money.items()} or None
        if each.money:
            return _of_seats(each.money)
    return None


def _of_seats(purses: dict[str, str]) -> Purses:
    """Return the purses of the four seats; one that was not given is empty."""
    return {seat: Decimal(purses.get(seat, "0")) for seat in banker_round.SEATS}
