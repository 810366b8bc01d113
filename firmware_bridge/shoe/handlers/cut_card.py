"""The cut card: which round it makes the last, and what stands in for it when it is not seen."""

from __future__ import annotations

from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.games.house import cut_place, size_of
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.round import phase, rules
from firmware_bridge.shoe.state import Phase, Shoe, stuck

SENSOR: Final = "cut_card"
"""What the cut card's sensor is called among those that are stuck."""


def meet_cut_card(draft: Draft, by: events.CutBy, held: bool = False) -> None:
    """The round in progress is the last; between rounds the next one is (irregularities.md)."""
    shoe = draft.shoe
    if phase(shoe) is Phase.DEALING and shoe.last_round is None:
        came = "the virtual cut card came" if by == "virtual" else f"seen by the {by}"
        draft.note("cut_card_mid_round", f"{came} in round {shoe.round}", by=by, round=shoe.round)
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
    doubt_sensor(draft)


def doubt_sensor(draft: Draft) -> None:
    """A sensor that has made a round the last and does not let go may have seen dirt: the floor can take that back."""
    if draft.shoe.status == "open" and draft.shoe.cut_by == "sensor" and SENSOR in stuck(draft.shoe):
        words = "the sensor that saw the cut card does not let go: if it was dirt, the floor decides to continue"
        draft.open_irregularity("cut_card_missing", words)


def watch_virtual_cut(draft: Draft) -> None:
    """Without a cut card at the place it must have come by, the card now drawn is behind it.

    A sensor that may hide the cut card is not waited for beyond its usual place, whatever the house says.
    """
    shoe = draft.shoe
    limit = shoe.house.virtual_cut or (cut_place(shoe.house.game) if is_blind(shoe) else None)
    if limit is None or shoe.last_round is not None or not shoe.cut_watched:
        return
    drawn = len(shoe.seen) + shoe.unknown
    if drawn >= size_of(shoe.house) - limit:
        meet_cut_card(draft, "virtual")
        draft.open_irregularity("cut_card_missing", f"{drawn} cards drawn and no cut card seen", drawn=drawn)


def is_blind(shoe: Shoe) -> bool:
    """Whether a stuck sensor may hide the cut card; a key that is stuck hides nothing."""
    return any(name not in ("next", "reveal", *rules(shoe).keys) for name in stuck(shoe))
