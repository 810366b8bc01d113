"""Cards that are burned: at the beginning of a shoe, and wherever the house burns one that came wrong."""

from __future__ import annotations

from firmware_bridge.facts import events
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.disclosure import opens
from firmware_bridge.shoe.round import rules
from firmware_bridge.shoe.state import HeldCard


def burn(draft: Draft, card: HeldCard, held: bool) -> None:
    """The next card of the burn: the first one is exposed where the house says so, the others stay sealed."""
    before = draft.shoe.burn_left
    if before is None and card.card:
        left = rules(draft.shoe).burns(card.card)
        nonce = opens(card, held)
        draft.add(events.CardBurned(card=card.card, nonce=nonce, left=left, held=held, serial=card.serial))
        if left == 0:
            burn_done(draft)
        return
    commit, secret = draft.seal(card.card, card.nonce)
    left = max((before or 0) - 1, 0)
    draft.add(events.CardBurned(commit=commit, secret=secret, left=left, held=held, serial=card.serial))
    if left == 0 and before != 0:
        burn_done(draft)


def burn_done(draft: Draft) -> None:
    """The burn is finished: betting opens, or the first card may be drawn."""
    draft.close_irregularity("burn_short", "burned")
    if draft.shoe.house.betting == "required" and not draft.shoe.betting:
        draft.add(events.BetsOpened(round=draft.shoe.round))


def burn_aside(draft: Draft, card: HeldCard, held: bool) -> None:
    """The card is burned outside the burn: it counts, it stays sealed, it plays no part."""
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=held, why="burned", serial=card.serial))
