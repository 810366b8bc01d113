"""Which lamps are lit, with which rhythm and why: a function of the shoe."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.state import (
    Phase,
    Shoe,
    blockers,
    decided_thirds,
    due,
    is_last,
    is_open,
    layout,
    phase,
    row,
)

STEADY: Final = "steady"
CONFIRM: Final = "confirm"
BLOCKED: Final = "blocked"
DOUBLE: Final = "double"

BEEP: Final = "beep"

STOPPED: Final = {"buzzer": BEEP, "lock": STEADY}
"""What is driven besides lamps when the journal cannot be written."""

OBSERVING: Final = "observing only: one input crashed this version again and again"


class Lamps(Struct, frozen=True):
    """`lit`: lamp -> rhythm (`steady` due, `confirm` 1 Hz, `blocked` 5 Hz, `double` flash); `why` in words.

    The words name points of disclosed cards only.
    """

    lit: dict[str, str]
    why: tuple[str, ...]


def lamps(shoe: Shoe) -> Lamps:
    """The lamps of a shoe. While a card is due exactly one slot lamp is steady."""
    lit: dict[str, str] = {}
    why: list[str] = []
    if shoe.device.irregular:
        lit["fault"] = _fault(shoe)
        why += [f"{each.id}: {todo(shoe, each.id)}" for each in shoe.device.irregular]
    if blockers(shoe):
        return Lamps(lit, tuple(why))
    if shoe.status == "open" and is_last(shoe):
        lit["ready"] = DOUBLE
        why.append("last round")
    _GUIDES[phase(shoe)](shoe, lit, why)
    return Lamps(lit, tuple(why))


def unguided(why: str) -> Lamps:
    """The lamps of a bridge that must guide nobody: its journal cannot be written, or it only observes."""
    return Lamps({"fault": BLOCKED}, (why,))


def todo(shoe: Shoe, irregularity: str) -> str:
    """What to do about an open irregularity, as the shoe stands."""
    if irregularity == "reader_lost" and shoe.device.lent:
        return f"the reader is lent to {shoe.device.lent} for calibration, or not back yet: draw no card, wait"
    return row(shoe, irregularity).todo


def _fault(shoe: Shoe) -> str:
    if blockers(shoe):
        waits = all(row(shoe, name).confirm for name in blockers(shoe))
        return CONFIRM if waits else BLOCKED
    return CONFIRM if is_open(shoe, "restarted_mid_round") else STEADY


def _no_shoe(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    why.append("no shoe is open" if shoe.status == "empty" else "the shoe is over: change it")


def _burning(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    lit["ready"] = CONFIRM
    left = shoe.burn_left
    why.append("burn: expose the first card" if left is None else f"burn: {left} more")


def _betting(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    why.append(f"round {shoe.round}: betting is open")
    _move_reserves(shoe, lit, why)


def _due(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    slot = due(shoe)
    if slot is None:
        lit.setdefault("ready", CONFIRM)
        why.append("open the cards: press REVEAL")
        _move_opened(shoe, lit, why)
        return
    lit[slot] = STEADY
    why.append(layout(shoe).why)
    if phase(shoe) is Phase.READY:
        lit.setdefault("ready", STEADY)
        _move_reserves(shoe, lit, why)


def _move_reserves(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    """Until the first card of the round is drawn, the reserves are moved to the slots they open it in."""
    for reserve, slot in zip(_reserves(shoe), layout(shoe).slots, strict=False):
        lit[reserve] = lit[slot] = CONFIRM
        why.append(f"move {reserve} to {slot}")


def _reserves(shoe: Shoe) -> tuple[str, ...]:
    """The reserve slots that still hold the cards this round begins with."""
    if terms_of(shoe.house).procedure != "six-card":
        return ()
    reserves = sum(1 for laid in shoe.moves if not laid.over)
    return ("R1", "R2")[2 - min(reserves, 2) :]


def _complete(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    lit.setdefault("ready", CONFIRM)
    waits = "the reader tells the result, or press NEXT" if shoe.house.close == "result" else "press NEXT"
    why.append(f"round {shoe.round} is complete: {waits}")
    _move_opened(shoe, lit, why)


def _move_opened(shoe: Shoe, lit: dict[str, str], why: list[str]) -> None:
    """Move the reserves that have publicly become thirds."""
    for slot, used in decided_thirds(shoe):
        if slot != used:
            lit[slot] = lit[used] = CONFIRM
            why.append(f"move {slot} to {used}")


_GUIDES: Final = {
    Phase.EMPTY: _no_shoe,
    Phase.BURNING: _burning,
    Phase.BETTING: _betting,
    Phase.READY: _due,
    Phase.DEALING: _due,
    Phase.COMPLETE: _complete,
    Phase.ENDED: _no_shoe,
}


def signals(shoe: Shoe) -> dict[str, str]:
    """What is driven besides lamps: `buzzer` while the floor is awaited, `lock` while no card may leave the shoe."""
    driven: dict[str, str] = {}
    waits = blockers(shoe)
    if any(not row(shoe, name).confirm for name in waits):
        driven["buzzer"] = BEEP
    is_between = phase(shoe) in (Phase.EMPTY, Phase.ENDED) and shoe.device.next_house.new_shoe != "auto"
    if waits or is_between or phase(shoe) is Phase.BETTING:
        driven["lock"] = STEADY
    return driven
