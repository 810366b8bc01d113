"""When sealed cards are opened: the ceremony's steps, the guest's wish, and the clock (mqtt.md, Disclosure)."""

from __future__ import annotations

from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.facts.inputs import TimePassed
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.held import HeldCard
from firmware_bridge.shoe.state import PAIRS, Phase, Shoe, due, layout, phase

STEPS: Final = (("P1", "P2"), ("B1", "B2"), ("P3",), ("B3",))
"""The order of the ceremony (seed 000): the player's pair, the banker's pair, then the thirds."""


def is_sealed(shoe: Shoe) -> bool:
    """Whether cards stay face down on the table until they are revealed."""
    return shoe.house.disclose == "sealed"


def waits_for_reveal(shoe: Shoe) -> bool:
    """Whether the round goes on only when sealed cards are opened."""
    return is_sealed(shoe) and phase(shoe) is Phase.DEALING and due(shoe) is None


def next_step(shoe: Shoe) -> tuple[int, ...]:
    """The moves that the next press of REVEAL opens; none while cards of that step are not out."""
    closed = _closed(shoe)
    for step in STEPS:
        moves = tuple(closed[slot] for slot in step if slot in closed)
        if moves:
            return moves if _may_open(shoe, step) else ()
    return ()


def _closed(shoe: Shoe) -> dict[str, int]:
    """The sealed cards this round plays, as is public: slot -> move."""
    pairs_open = _pairs_open(shoe)
    used = enumerate(layout(shoe).used)
    return {slot: n for n, slot in used if slot and not shoe.moves[n].shown and (slot in PAIRS or pairs_open)}


def _pairs_open(shoe: Shoe) -> bool:
    return len(shoe.moves) >= len(PAIRS) and all(laid.shown for laid in shoe.moves[: len(PAIRS)])


def _may_open(shoe: Shoe, slots: tuple[str, ...]) -> bool:
    """Pairs are opened when the round waits for it; the banker's third after the player's."""
    if slots == ("B3",) and "P3" in _closed(shoe):
        return False
    return phase(shoe) is not Phase.BETTING and waits_for_reveal(shoe)


def reveal(draft: Draft, slots: tuple[str, ...] = ()) -> None:
    """Open the cards in `slots`, or the next step. Raises Refused if they cannot be opened now."""
    if not is_sealed(draft.shoe):
        raise Refused("nothing to reveal", "cards are shown as they are drawn at this table")
    if not slots:
        moves = next_step(draft.shoe)
        if not moves:
            raise Refused("nothing to reveal", "draw the cards of this round first")
        _open(draft, moves)
        return
    closed = _closed(draft.shoe)
    for slot in slots:
        if slot not in closed or not _may_open(draft.shoe, (slot,)):
            raise Refused(f"{slot} cannot be opened now", "draw it first; thirds are opened after both pairs")
    _open(draft, tuple(closed[slot] for slot in dict.fromkeys(slots)))


def open_all(draft: Draft) -> None:
    """Open every step that can be opened: the time is over, or nobody has bet."""
    while draft.shoe.opening and (moves := next_step(draft.shoe)):
        _open(draft, moves)


def start_clock(draft: Draft) -> None:
    """The time to open the cards runs: from the close of betting, else from each last card due."""
    shoe = draft.shoe
    if not is_sealed(shoe) or shoe.opening:
        return
    if shoe.reveal_by is None if shoe.house.betting == "required" else waits_for_reveal(shoe):
        draft.add(events.RevealClockStarted(until=draft.mono + shoe.house.reveal_timeout * 1000))


def _reveal_by(shoe: Shoe) -> int | None:
    """When cards open by themselves; where betting is ignored, only while some wait to be opened."""
    return shoe.reveal_by if shoe.house.betting == "required" or waits_for_reveal(shoe) else None


def restart_clocks(draft: Draft) -> None:
    """Set the clocks of a shoe when the daemon begins again: after a boot the monotonic clock counts from 0 once more.

    A time that lies further ahead than its whole span was set before the boot: it runs from its beginning again.
    """
    shoe, mono = draft.shoe, draft.mono
    reveal, change = shoe.house.reveal_timeout * 1000, shoe.house.shoe_change_minutes * 60_000
    if shoe.reveal_by is not None and shoe.reveal_by - mono > reveal:
        draft.add(events.RevealClockStarted(until=mono + reveal))
    if shoe.change_by is not None and shoe.change_by - mono > change:
        draft.add(events.ShoeChangeRequested(until=mono + change))


def deadline(shoe: Shoe) -> int | None:
    """The monotonic time (ms) at which the shoe waits for: it wants the input `TimePassed` then."""
    return min((each for each in (_reveal_by(shoe), shoe.change_by) if each is not None), default=None)


def time_passed(draft: Draft, fact: TimePassed) -> None:
    """A moment came: cards open by themselves, another shoe is overdue."""
    shoe = draft.shoe
    reveal_by = _reveal_by(shoe)
    if reveal_by is not None and draft.mono >= reveal_by:
        draft.add(events.RevealTimeEnded())
        open_all(draft)
    if shoe.change_by is not None and draft.mono >= shoe.change_by:
        draft.add(events.ShoeChangeOverdue())


def _open(draft: Draft, moves: tuple[int, ...]) -> None:
    used = layout(draft.shoe).used
    for n in moves:
        laid = draft.shoe.moves[n]
        draft.add(
            events.CardRevealed(
                card=laid.card,
                nonce=laid.nonce,
                seq=laid.seq,
                n=laid.n,
                round=draft.shoe.round,
                slot=used[n],
            )
        )


def opens(card: HeldCard, held: bool) -> str | None:
    """The nonce that opens an earlier commitment to a card now named, None if there was none."""
    return card.nonce if held or card.manual else None
