"""A game of er ba gang between two of its rounds: which round is next, who keeps the bank, what is in the purses."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.games.asks import in_words
from firmware_bridge.games.bank import SEATS, Bank, Outcome
from firmware_bridge.games.game import Ended, Start

ROUNDS: Final = 5
"""Rounds of a game: 40 tiles."""

TILES: Final = 8
"""Tiles of a round."""

Purses = dict[str, Decimal]
"""Seat -> what is in its purse."""


class Own(Struct, frozen=True):
    """What only er ba gang says of a round.

    game_round: 1 to 5, voided rounds not counted. banker: his slot. multiple: what he grabbed with, 1 if nobody did.
    multiples: slot of a player -> what he bet. outcomes: slot of a player -> how he ended against the banker.
    money: slot -> its purse after the round, empty where purses are unknown. stopped: the game ends before its fifth
    round. out: slots that cannot go on, because less than the base is left. difference: in a correction, slot -> what
    it won more than was told before; it stays with the people, later rounds stand.
    """

    game_round: int
    banker: str
    multiple: int
    multiples: dict[str, int]
    outcomes: dict[str, Outcome]
    money: dict[str, str]
    stopped: bool
    out: tuple[str, ...]
    difference: dict[str, str] = {}


class Running(Bank, frozen=True, kw_only=True):
    """What er ba gang shows of a running round: which of the five it is, bids, the bank, bets."""

    round: int


class SoFar(Struct, frozen=True):
    """A game before a round: its number from 1, the purses (None: unknown), the bank of the round before."""

    number: int
    purses: Purses | None
    bank: tuple[str, int] | None


def so_far(start: Start) -> SoFar:
    """The game as the rounds before this one leave it; what was told anew replaces what was worked out."""
    closed = [own_of(each) for each in start.before if each.outcome is not None]
    last = closed[-1] if closed else None
    return SoFar(len(closed) + 1, _purses(start), (last.banker[1:], last.multiple) if last else None)


def own_of(round: Ended) -> Own:
    """What er ba gang said of a closed round."""
    return _decode(round.own)


def is_over(start: Start) -> bool:
    """Whether no further round can begin: five are closed, a purse is too small, or too few tiles are left."""
    closed = [own_of(each) for each in start.before if each.outcome is not None]
    return start.left < TILES or len(closed) >= ROUNDS or bool(closed and closed[-1].stopped)


def difference(start: Start, nets: Purses) -> dict[str, str]:
    """Slot -> how much more it won in a corrected round than as it was told last; rounds before and after it stand."""
    if start.was is None:
        return {}
    before = start.was.nets
    return {f"S{seat}": in_words(net - Decimal(before[f"S{seat}"])) for seat, net in nets.items()}


_decode = msgspec.json.Decoder(Own).decode


def _purses(start: Start) -> Purses | None:
    if start.money:
        return _of_seats(start.money)
    for each in reversed(start.before):
        if each.outcome is not None:
            told = own_of(each).money
            return {slot[1:]: Decimal(amount) for slot, amount in told.items()} or None
        if each.money:
            return _of_seats(each.money)
    return None


def _of_seats(told: dict[str, str]) -> Purses:
    """The purses of the four seats; one that was not told is empty."""
    return {seat: Decimal(told.get(seat, "0")) for seat in SEATS}
