"""The retained state topics `table`, `lamps` and `alarm`: conflated, the latest wins."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House, Limit
from firmware_bridge.games.baccarat.bets import closed
from firmware_bridge.games.baccarat.roads import Bead, Board, Roads, RoadSettings, append, board, roads_of
from firmware_bridge.games.baccarat.roads.bead import LETTERS
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD
from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.judges.cut_card import is_blind
from firmware_bridge.shoe.state import (
    PastRound,
    Phase,
    Shoe,
    cards_left,
    due,
    is_last,
    is_open,
    layout,
    phase,
    row,
)
from firmware_bridge.topics.lamps import Lamps, lamps, todo


class Slot(Struct, frozen=True, omit_defaults=True):
    """A filled slot; `card` only when it is disclosed."""

    slot: str
    card: str | UnsetType = UNSET


class Table(Struct, frozen=True):
    """What lies on the table and what comes next; `due` is the one slot the next card belongs to."""

    game: str
    phase: str
    round: int
    last: bool
    slots: tuple[Slot, ...]
    due: str | None
    closed_bets: tuple[str, ...]
    cards_left: int | None
    burn_left: int | None
    shoe_change: str | None
    dealer: str
    dealer_change: bool
    flown: int
    held: int
    open: tuple[str, ...]
    limits: dict[str, Limit]
    settings: House


class Alarm(Struct, frozen=True):
    """An open irregularity. `since` is milliseconds since 1970; `choices` are the floor's."""

    id: str
    since: int
    severity: str
    detail: str
    todo: str
    blocks: bool
    choices: tuple[str, ...]


def snapshots(shoe: Shoe, shown: Lamps | None = None) -> dict[str, Any]:
    """Topic -> what it holds now (an encodable value without the head).

    shown: what a table lights, if that is not what the shoe says.
    """
    return {
        "table": table(shoe),
        "roads": roads(shoe),
        "lamps": shown or lamps(shoe),
        "alarm": {"open": alarms(shoe)},
    }


def table(shoe: Shoe) -> Table:
    """What is public of the table (shoe/state.py)."""
    now = phase(shoe)
    guided = now in (Phase.READY, Phase.DEALING)
    is_in_use = shoe.status == "open"
    return Table(
        game=shoe.house.game,
        phase=now.value,
        round=shoe.round,
        last=is_in_use and is_last(shoe),
        slots=_slots(shoe),
        due=due(shoe) if guided else None,
        closed_bets=closed(shoe.round) if is_in_use else (),
        cards_left=cards_left(shoe) if is_in_use else None,
        burn_left=shoe.burn_left if now is Phase.BURNING else 0,
        shoe_change="due" if shoe.status == "ended" else shoe.change,
        dealer=shoe.dealer,
        dealer_change=shoe.device.dealer_change,
        flown=shoe.device.flown,
        held=len(shoe.held),
        open=tuple(each.id for each in shoe.device.irregular),
        limits=(shoe.house if is_in_use else shoe.device.next_house).limits,
        settings=shoe.house if is_in_use else shoe.device.next_house,
    )


def _slots(shoe: Shoe) -> tuple[Slot, ...]:
    if not shoe.moves:
        return ()
    return tuple(
        Slot(slot, laid.card.value if laid.shown else UNSET)
        for slot, laid in zip(layout(shoe).slots, shoe.moves, strict=True)
    )


def roads(shoe: Shoe) -> Board:
    """All roads of this shoe's rounds; empty as soon as a new shoe is opened."""
    terms = terms_of(shoe.house)
    shown = ALL_GOOD if terms.good_roads is None else tuple(each for each in ALL_GOOD if each in terms.good_roads)
    beads = tuple([Bead(LETTERS[past.outcome], **_pairs(past)) for past in shoe.rounds if past.outcome])
    return _board(beads, RoadSettings(terms.leading_ties, terms.row1_limit, shown))


def _pairs(past: PastRound) -> dict[str, bool]:
    return {f"{side}_pair": past.pairs[side] for side in ("banker", "player")}


@lru_cache(2)
def _board(beads: tuple[Bead, ...], settings: RoadSettings) -> Board:
    return board(_grown(beads, settings))


@lru_cache(256)
def _grown(beads: tuple[Bead, ...], settings: RoadSettings) -> Roads:
    """The roads of some rounds, grown from those of all but the last: most often they are known."""
    return append(_grown(beads[:-1], settings), beads[-1]) if beads else roads_of((), settings)


class Ended(Struct, frozen=True):
    """A round of this shoe that is over, in few words."""

    round: int
    outcome: str | None
    totals: dict[str, int]
    revision: int


def last_rounds(shoe: Shoe, count: int = 8) -> tuple[Ended, ...]:
    """The newest rounds of this shoe, oldest first; voided ones have no outcome."""
    return tuple(Ended(past.round, past.outcome, _totals(past), past.revision) for past in shoe.rounds[-count:])


def _totals(past: PastRound) -> dict[str, int]:
    if past.outcome is None:
        return {}
    return {
        side: sum(each.card.points for each in past.cards if each.slot.startswith(letter)) % 10
        for side, letter in (("player", "P"), ("banker", "B"))
    }


def disclosed(shoe: Shoe) -> tuple[Card, ...]:
    """The cards of this shoe that everybody may know; nothing sealed is among them."""
    sealed = Counter(laid.card for laid in shoe.moves + shoe.overdrawn + shoe.aside if not laid.shown)
    return tuple((Counter(shoe.seen) - sealed).elements())


def alarms(shoe: Shoe) -> tuple[Alarm, ...]:
    """The open irregularities with what to do about each."""
    return tuple(
        Alarm(each.id, each.since, policy.severity, each.detail, todo(shoe, each.id), policy.blocks, policy.choices)
        for each in shoe.device.irregular
        for policy in (row(shoe, each.id),)
    )


def mode(shoe: Shoe, observing: bool = False) -> str:
    """How much the shoe can do now (irregularities.md, degraded modes): of several modes, that of least use."""
    if observing:
        return "OBSERVE"
    if shoe.device.entered:
        return "MANUAL_ENTRY"
    if is_open(shoe, "cut_card_missing") or is_blind(shoe):
        return "VIRTUAL_CUT"
    return "NO_BROKER" if is_open(shoe, "broker_lost") else "FULL"
