"""A round of er ba gang as a script: grabs, bets, eight tiles face down, and the banker takes first, then pays."""

from __future__ import annotations

from collections.abc import Generator
from decimal import Decimal
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.asks import Ask, Shows, Whole, did, in_words
from firmware_bridge.games.bank import (
    BET,
    GRAB,
    SEATS,
    Outcome,
    by_slot,
    dealt,
    from_next,
    given_by,
    lot_among,
    outcome_of,
    reasons,
    turned,
    why,
)
from firmware_bridge.games.erbagang.game_so_far import ROUNDS, Own, Purses, Running, SoFar, difference, so_far
from firmware_bridge.games.erbagang.hands import kind_of_hand, outcome, read
from firmware_bridge.games.erbagang.terms import ErBaGang
from firmware_bridge.games.game import Result, Script, Start

EACH: Final = 2
"""Tiles of a hand."""

PART: Final = 3
"""A player bets at most this part of the banker's multiple."""


def round(terms: ErBaGang, start: Start) -> Script:
    """One of the five rounds of a game."""
    game = so_far(start)
    short = _short(game.purses, terms)
    if short:
        yield did("no_game", short)
        return None
    yield did("round", game.number)
    bank = yield from _banker(terms, game)
    banker, multiple = str(bank.banker)[1:], bank.multiple or 1
    offer = Whole(1, max(1, multiple // PART))
    players = sorted(from_next(banker))
    bets = yield from given_by(players, BET, offer, "the players bet", lambda told: replace(bank, bets=told))
    closed = yield from dealt(EACH)
    tiles = yield from turned(closed, banker, start.sealed, kind_of_hand)
    ends = {seat: outcome(tiles[seat], tiles[banker], terms.order, terms.ties) for seat in bets}
    nets, purses = yield from _paid(terms, game.purses, banker, bets, tiles, ends)
    yield did("round_over", game.number)
    out = _short(purses, terms)
    hands = {seat: read(tiles[seat]) for seat in SEATS}
    points = {seat: hands[seat].points for seat in SEATS}
    if out and game.number < ROUNDS:
        yield did("stopped", out)
    return Result(
        hands={f"S{seat}": hands[seat] for seat in SEATS},
        outcome=outcome_of(nets, banker),
        bets={f"S{seat}": in_words(nets[seat]) for seat in SEATS},
        staked={f"S{seat}": "0" for seat in SEATS},
        own=Own(
            game_round=game.number,
            banker=f"S{banker}",
            multiple=multiple,
            multiples=by_slot(bets),
            outcomes={f"S{seat}": ends[seat] for seat in sorted(bets)},
            money={f"S{seat}": in_words(purses[seat]) for seat in SEATS} if purses else {},
            stopped=bool(out) and game.number < ROUNDS,
            out=out,
            difference=difference(start, nets) if purses else {},
        ),
        why=why(banker, points, ends),
        reasons=reasons(banker, points, ends),
    )


def _short(purses: Purses | None, terms: ErBaGang) -> tuple[str, ...]:
    """The slots whose purse does not hold the base."""
    return tuple([f"S{seat}" for seat, purse in (purses or {}).items() if purse < terms.base])


def _banker(terms: ErBaGang, game: SoFar) -> Generator[Ask, Any, Running]:
    """The banker and his multiple: the lot among all who bid, however much; 1 where nobody does."""
    shown = Running(round=game.number)
    yield Shows(shown)
    bids: dict[str, int] = {}
    if terms.banker_per == "game" and game.bank:
        banker, multiple = game.bank
    else:
        offer = Whole(0, terms.grab_max)
        bids = yield from given_by(SEATS, GRAB, offer, "who grabs the bank", lambda told: replace(shown, bids=told))
        among = [seat for seat in SEATS if bids[seat]] or list(SEATS)
        banker = among[0]
        if len(among) > 1:
            banker = yield from lot_among(among, "the lot says who is banker")
        multiple = bids[banker] or 1
    yield did("banker", f"S{banker}", multiple)
    bank = replace(shown, bids=by_slot(bids), banker=f"S{banker}", multiple=multiple)
    yield Shows(bank)
    return bank


def _paid(
    terms: ErBaGang,
    purses: Purses | None,
    banker: str,
    bets: dict[str, int],
    tiles: dict[str, tuple[Card, ...]],
    ends: dict[str, Outcome],
) -> Generator[Ask, Any, tuple[Purses, Purses | None]]:
    """Nets and purses: the banker takes from who lost, then pays who won; nobody pays more than he has."""
    nets = dict.fromkeys(SEATS, Decimal(0))
    left = dict(purses) if purses else None
    for now in ("lose", "win"):
        for seat in from_next(banker):
            if ends[seat] != now:
                continue
            loser, winner = (seat, banker) if now == "lose" else (banker, seat)
            owed = terms.base * bets[seat] * terms.hand_multiples[kind_of_hand(tiles[winner])]
            paid = min(owed, left[loser]) if left else owed
            yield did("pay", f"S{loser}", f"S{winner}", in_words(paid), in_words(owed))
            nets[loser] -= paid
            nets[winner] += paid
            if left:
                left[loser] -= paid
                left[winner] += paid
    return nets, left
