"""Where a drawn card goes: burned, dealt, held, or set aside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.games import LAYOUTS
from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.held import HeldCard, HeldCut, HeldResult
from firmware_bridge.shoe.judges.burning import burn, burn_aside
from firmware_bridge.shoe.judges.cut_card import meet_cut_card, watch_virtual_cut
from firmware_bridge.shoe.judges.disclosure import is_sealed, open_all, opens, start_clock, waits_for_reveal
from firmware_bridge.shoe.judges.reader_result import meet_result
from firmware_bridge.shoe.judges.rounds import close_round, reveal_carried, run_out
from firmware_bridge.shoe.judges.suspect import wrong_with
from firmware_bridge.shoe.state import (
    Phase,
    Shoe,
    blockers,
    due,
    is_exhausted,
    is_open,
    layout,
    next_card,
    oldest_held,
    phase,
    row,
)

CARRIED_AT_MOST: Final = 3
"""Cards that wait for the next round, reserves included: the fourth slot must be drawn in that round."""


def take(draft: Draft, card: HeldCard) -> None:
    """A card left the shoe: deal it if that is possible now, else hold it behind those already held."""
    shoe = draft.shoe
    if shoe.held or (blockers(shoe) and phase(shoe) not in (Phase.EMPTY, Phase.ENDED)):
        hold(draft, card, card.reason or "blocked")
    else:
        place(draft, card, held=False)


def deal_held(draft: Draft) -> None:
    """Deal what was held, oldest first, as far as that is possible now."""
    while draft.shoe.held and _may_deal(draft.shoe):
        waiting = len(draft.shoe.held)
        match draft.shoe.held[0]:
            case HeldCut(by=by):
                meet_cut_card(draft, by, held=True)
            case HeldResult(result=result):
                meet_result(draft, result, held=True)
            case HeldCard() as card:
                _deal_held_card(draft, card)
        if len(draft.shoe.held) == waiting:
            return


def _may_deal(shoe: Shoe) -> bool:
    """Whether nothing keeps back the oldest of what is held; a lost reader keeps no entered card back."""
    blocked, card = blockers(shoe), oldest_held(shoe)
    is_entered = blocked == ("reader_lost",) and card is not None and card.manual
    return (not blocked or is_entered) and not waits_for_reveal(shoe)


def _deal_held_card(draft: Draft, card: HeldCard) -> None:
    if _overfull(draft.shoe):
        return
    if phase(draft.shoe) is Phase.BETTING and not _burns_early(draft.shoe):
        _open_too_early(draft, card)
    else:
        place(draft, card, held=True)


def hold(draft: Draft, card: HeldCard, why: str) -> None:
    """Journal a card that cannot be dealt now."""
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(
        events.CardHeld(
            commit=commit,
            secret=secret,
            why=why,
            lot=card.lot,
            manual=card.manual,
            flags=card.flags,
            slot=card.slot,
            serial=card.serial,
        )
    )


def place(draft: Draft, card: HeldCard, held: bool) -> None:
    """Judge a card and put it where the phase says; a card that something is wrong with is held."""
    now = phase(draft.shoe)
    if now not in (Phase.EMPTY, Phase.ENDED):
        found = wrong_with(draft.shoe, card)
        if found:
            if not held:
                hold(draft, card, found[0])
            draft.open_irregularity(*found, next_card(draft.shoe))
            return
        for flag in card.flags:
            if flag not in card.cleared:
                draft.note(flag, f"{next_card(draft.shoe)} of this shoe")
        if card.lot is not None and draft.shoe.lot is None:
            draft.add(events.LotAdopted(lot=card.lot))
    _PLACES[now](draft, card, held)


def _overfull(shoe: Shoe) -> bool:
    if phase(shoe) is not Phase.COMPLETE:
        return False
    return len(layout(shoe).carried) + len(shoe.overdrawn) >= CARRIED_AT_MOST


# ---------------------------------------------------------------- one place per phase


def _set_aside(draft: Draft, card: HeldCard, held: bool) -> None:
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=held, why="no shoe"))


def _too_early(draft: Draft, card: HeldCard, held: bool) -> None:
    """A card while betting is open: beyond the burn, or a round's card before its time."""
    if _burns_early(draft.shoe):
        burn_aside(draft, card, held)
        draft.note("drawn_before_bets_closed", f"round {draft.shoe.round}: burned")
        return
    hold(draft, card, "betting is open")
    _open_too_early(draft, card)


def _burns_early(shoe: Shoe) -> bool:
    return row(shoe, "drawn_before_bets_closed").action == "burn" and not _beyond_burn(shoe)


def _beyond_burn(shoe: Shoe) -> bool:
    return shoe.house.burn not in ("none", 0) and shoe.round == 1 and not shoe.moves


def _open_too_early(draft: Draft, card: HeldCard) -> None:
    shoe = draft.shoe
    if is_open(shoe, "burn_over") or "drawn_before_bets_closed" in card.cleared:
        return
    if _beyond_burn(shoe):
        draft.open_irregularity("burn_over", "a card after the last one to burn")
    else:
        draft.open_irregularity("drawn_before_bets_closed", f"round {shoe.round}")


def _deal(draft: Draft, card: HeldCard, held: bool) -> None:
    """The card goes to the slot that is due; while cards wait to be opened nobody may know which that is."""
    if waits_for_reveal(draft.shoe):
        hold(draft, card, "cards are still to be revealed")
        return
    watch_virtual_cut(draft)
    reveal_carried(draft)
    shoe = draft.shoe
    assert card.card is not None
    faces = (*[laid.card for laid in shoe.moves], card.card)
    after = LAYOUTS[shoe.house.game](faces, terms_of(shoe.house).procedure)
    slot = after.slots[-1]
    dealt = events.CardDealt(round=shoe.round, slot=slot, origin=_origin(card), held=held, serial=card.serial)
    if after.used[-1] is not None and not is_sealed(shoe):
        draft.add(replace(dealt, card=card.card, nonce=opens(card, held)))
    else:
        commit, secret = draft.seal(card.card, card.nonce)
        draft.add(replace(dealt, commit=commit, secret=secret))
    if draft.shoe.device.irregular:
        for settled in ("restarted_mid_round", "missing_third"):
            draft.close_irregularity(settled, "drawn")
    if is_sealed(shoe):
        start_clock(draft)
        open_all(draft)
        close_opened(draft)
    elif after.due is None and draft.shoe.house.close == "auto":
        close_round(draft)
    void_if_empty(draft)


def void_if_empty(draft: Draft) -> None:
    """A round that publicly needs a card, and can get none, is void."""
    if phase(draft.shoe) is Phase.DEALING and due(draft.shoe) and is_exhausted(draft.shoe):
        run_out(draft)


def close_opened(draft: Draft) -> bool:
    """Close a round whose last sealed card was opened, where rounds close by themselves; whether it did."""
    shoe = draft.shoe
    done = is_sealed(shoe) and shoe.house.close == "auto" and phase(shoe) is Phase.COMPLETE
    if done and blockers(shoe) in ((), ("reader_lost",)):
        close_round(draft)
        return True
    return False


def _origin(card: HeldCard) -> events.Origin:
    return "manual" if card.manual else "reader"


def _overdraw(draft: Draft, card: HeldCard, held: bool) -> None:
    """A card while the round is complete: it waits, sealed, and opens the next round."""
    shoe = draft.shoe
    policy = row(shoe, "overdrawn")
    words = f"drawn after round {shoe.round} was complete"
    if policy.action == "burn":
        burn_aside(draft, card, held)
        draft.note("overdrawn", f"{words}: burned")
        return
    if policy.blocks and "overdrawn" not in card.cleared:
        if not held:
            hold(draft, card, "overdrawn")
        draft.open_irregularity("overdrawn", words)
        return
    if _overfull(shoe):
        hold(draft, card, "overdrawn")
        return
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(
        events.CardOverdrawn(
            commit=commit, secret=secret, round=shoe.round, origin=_origin(card), held=held, serial=card.serial
        )
    )
    if "overdrawn" not in card.cleared:
        draft.open_irregularity("overdrawn", words)


_PLACES: Final[dict[Phase, Callable[[Draft, HeldCard, bool], None]]] = {
    Phase.EMPTY: _set_aside,
    Phase.BURNING: burn,
    Phase.BETTING: _too_early,
    Phase.READY: _deal,
    Phase.DEALING: _deal,
    Phase.COMPLETE: _overdraw,
    Phase.ENDED: _set_aside,
}
