"""The cut card: which round it makes the last, and what stands in for it when it is not seen."""

from __future__ import annotations

from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.games.house import size_of
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.round import phase, rules
from firmware_bridge.shoe.state import Phase, Shoe, stuck

VIRTUAL_CUT: Final = 14
"""Cards from the end where the virtual cut card lies while a sensor cannot see the real one."""


def meet_cut_card(draft: Draft, by: events.CutBy, held: bool = False) -> None:
    """The round in progress is the last; between rounds the next one is (irregularities.md)."""
    shoe = draft.shoe
    if phase(shoe) is Phase.DEALING and shoe.last_round is None:
        came = "the virtual cut card came" if by == "virtual" else f"seen by the {by}"
        draft.note("cut_card_mid_round", f"{came} in round {shoe.round}")
        shoe = draft.shoe
    if shoe.last_round is not None:
        if by != "virtual":
            draft.close_irregularity("cut_card_missing", "seen")
        what = f"cut card seen again by the {by}: round {shoe.last_round} stays the last"
        draft.add(events.Noted(what=what, held=held))
        return
    one_more = shoe.house.after_cut == "one-more"
    last = shoe.round + (phase(shoe) is Phase.COMPLETE) + one_more
    draft.add(events.CutCardMet(by=by, last_round=last, held=held))


def watch_virtual_cut(draft: Draft) -> None:
    """Without a cut card at the place it must have come by, the card now drawn is behind it."""
    shoe = draft.shoe
    limit = shoe.house.virtual_cut or (VIRTUAL_CUT if is_blind(shoe) else None)
    if limit is None or shoe.last_round is not None or not shoe.cut_watched:
        return
    drawn = len(shoe.seen) + shoe.unknown
    if drawn >= size_of(shoe.house) - limit:
        meet_cut_card(draft, "virtual")
        draft.open_irregularity("cut_card_missing", f"{drawn} cards drawn and no cut card seen")


def is_blind(shoe: Shoe) -> bool:
    """Whether a stuck sensor may hide the cut card; a key that is stuck hides nothing."""
    return any(name not in ("next", "reveal", *rules(shoe).keys) for name in stuck(shoe))
