"""The retained state topics `table`, `lamps` and `alarm`: conflated, the latest wins."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.house import House
from firmware_bridge.lamps import Lamps, lamps
from firmware_bridge.shoe.state import (
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
    cards_left: int | None
    burn_left: int | None
    shoe_change: str | None
    held: int
    open: tuple[str, ...]
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


def snapshots(shoe: Shoe) -> dict[str, Any]:
    """Topic -> what it holds now (an encodable value without the head)."""
    return {"table": table(shoe), "lamps": _lamps(shoe), "alarm": {"open": alarms(shoe)}}


def table(shoe: Shoe) -> Table:
    """The table as the backend may know it."""
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
        cards_left=cards_left(shoe) if is_in_use else None,
        burn_left=shoe.burn_left if now is Phase.BURNING else 0,
        shoe_change="due" if shoe.status == "ended" else None,
        held=len(shoe.held),
        open=tuple(each.id for each in shoe.irregular),
        settings=shoe.house if is_in_use else shoe.next_house,
    )


def _slots(shoe: Shoe) -> tuple[Slot, ...]:
    if not shoe.moves:
        return ()
    return tuple(
        Slot(slot, laid.card.value if laid.shown else UNSET)
        for slot, laid in zip(layout(shoe).slots, shoe.moves, strict=True)
    )


def _lamps(shoe: Shoe) -> Lamps:
    return lamps(shoe)


def alarms(shoe: Shoe) -> tuple[Alarm, ...]:
    """The open irregularities with what to do about each."""
    return tuple(
        Alarm(each.id, each.since, policy.severity, each.detail, policy.todo, policy.blocks, policy.choices)
        for each in shoe.irregular
        for policy in (row(shoe, each.id),)
    )


def mode(shoe: Shoe, observing: bool = False) -> str:
    """How much the shoe can do now (irregularities.md, degraded modes); the gravest one counts."""
    if observing:
        return "OBSERVE"
    if shoe.entered:
        return "MANUAL_ENTRY"
    if is_open(shoe, "cut_card_missing"):
        return "VIRTUAL_CUT"
    return "NO_BROKER" if is_open(shoe, "broker_lost") else "FULL"
