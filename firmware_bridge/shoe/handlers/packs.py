"""Packs that last one round, or one game: the next one opens by itself, or when the dealer presses NEXT."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.facts.inputs import CardRead, CardUnread, Ordered, Pressed
from firmware_bridge.facts.orders import Pack
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.handlers.rounds import open_shoe
from firmware_bridge.shoe.round import opens_itself
from firmware_bridge.shoe.state import Shoe


def open_with_card(draft: Draft, fact: CardRead | CardUnread) -> None:
    """The first card after the end opens the next shoe where the house says so."""
    house = draft.shoe.device.next_house
    if draft.shoe.status != "open" and house.new_shoe == "auto" and not house.confirm_shuffle:
        open_shoe(draft, Pack(), fact.nonce)


def waits_for_next(shoe: Shoe) -> bool:
    """Whether the dealer's NEXT opens the next pack: it confirms the shuffle."""
    return opens_itself(shoe, confirmed=True) and not opens_itself(shoe) and not shoe.device.lent


def open_with_next(draft: Draft, given: Ordered | Pressed) -> None:
    """NEXT says that the next pack is shuffled, and lies in the shoe."""
    open_shoe(draft, Pack(), given.nonce, confirmed_by=given.by if isinstance(given, Ordered) else "dealer")


def opening(judge: Callable[..., str | None], while_betting: Callable[..., str | None]) -> Callable[..., str | None]:
    """The judge of an order that opens the next pack, if that order makes sense there; else no pack is opened.

    It is `judge`, or `while_betting` where bets are open in a new shoe.
    """

    def open_for(draft: Draft, given: Ordered, order: object) -> str | None:
        if not opens_itself(draft.shoe) or draft.shoe.device.lent:
            raise Refused("no shoe is open", "open one: open_shoe")
        trial = Draft(draft.shoe, draft.at, draft.mono)
        open_shoe(trial, Pack(), given.nonce)
        remark = (while_betting if trial.shoe.betting else judge)(trial, given, order)
        draft.events += trial.events
        draft.shoe, draft.published = trial.shoe, trial.published
        return remark

    return open_for
