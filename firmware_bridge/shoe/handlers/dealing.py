"""Puts a drawn card in its place: burned, dealt, held, or set aside."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.games.prompts import CardDue, MarkDue, OpeningDue
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.card_checks import card_fault
from firmware_bridge.shoe.handlers.disclosure import open_all, opens, start_clock
from firmware_bridge.shoe.handlers.rounds import close_complete, is_pack_over, reveal_carried, watch_virtual_cut
from firmware_bridge.shoe.round import asked, is_named, layout, phase, rules
from firmware_bridge.shoe.state import (
    IN_PLAY,
    HeldCard,
    Phase,
    Shoe,
    blockers,
    card_number,
    is_open,
    next_card,
    oldest_held,
    row,
)


def deal_or_hold(draft: Draft, card: HeldCard) -> None:
    """Deal a card that left the shoe if that is possible now, else hold it behind those already held."""
    shoe = draft.shoe
    if shoe.held or (blockers(shoe) and phase(shoe) not in (Phase.EMPTY, Phase.ENDED)):
        hold(draft, card, "blocked", card.reason)
    else:
        place(draft, card, held=False)


def hold(draft: Draft, card: HeldCard, code: str, reason: str = "") -> None:
    """Journal a card that cannot be dealt now. code: an alarm's id, or a row of `notes.HELD`; reason: the reader's."""
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(
        events.CardHeld(
            commit=commit,
            secret=secret,
            code=code,
            reason=reason,
            lot=card.lot,
            manual=card.manual,
            flags=card.flags,
            slot=card.slot,
            serial=card.serial,
            again=card.again,
        )
    )


def place(draft: Draft, card: HeldCard, held: bool) -> None:
    """Check a card and put it in the place of the phase; a card with a fault is held."""
    now = phase(draft.shoe)
    if is_pack_over(draft.shoe):
        _set_aside(draft, card, held)
        return
    if now not in (Phase.EMPTY, Phase.ENDED):
        found = card_fault(draft.shoe, card)
        if found and not _waits_with_it(draft.shoe, found.id):
            if not held:
                hold(draft, card, found.id)
            draft.open_irregularity(found.id, next_card(draft.shoe), **found.values)
            return
        for flag in card.flags:
            if flag not in card.cleared:
                draft.note(flag, number=card_number(draft.shoe))
        if card.lot is not None and draft.shoe.lot is None:
            draft.add(events.LotAdopted(lot=card.lot))
    _PLACES[now](draft, card, held)


def _waits_with_it(shoe: Shoe, wrong: str) -> bool:
    """Return whether the fault of a card is handled later: a mark is due first, or the card is face down until then."""
    question = asked(shoe) if phase(shoe) in IN_PLAY else None
    if wrong == "duplicate":
        return isinstance(question, MarkDue)
    return wrong == "unreadable" and isinstance(question, CardDue) and question.down


def is_overfull(shoe: Shoe) -> bool:
    """Return whether as many cards wait for the next round as may wait."""
    if phase(shoe) is not Phase.COMPLETE or is_pack_over(shoe):
        return False
    return len(layout(shoe).carried) + len(shoe.overdrawn) >= rules(shoe).play.carries


def is_known_overdrawn(shoe: Shoe, card: HeldCard) -> bool:
    """Return whether a held card is already reported as drawn too many, or the pit keeps it as such."""
    return is_open(shoe, "overdrawn") or "overdrawn" in card.cleared


# ---------------------------------------------------------------- one place per phase


def _set_aside(draft: Draft, card: HeldCard, held: bool) -> None:
    commit, secret = draft.seal(card.card, card.nonce)
    why: Literal["pack over", "no shoe"] = "pack over" if is_pack_over(draft.shoe) else "no shoe"
    serial = card.serial if why == "pack over" else None
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=held, why=why, serial=serial))


def _too_early(draft: Draft, card: HeldCard, held: bool) -> None:
    """Handle a card while betting is open: beyond the burn, or a round's card too early."""
    if burns_early(draft.shoe):
        burn_aside(draft, card, held)
        draft.note("drawn_before_bets_closed", round=draft.shoe.round)
        return
    hold(draft, card, "betting_open")
    open_too_early(draft, card)


def burns_early(shoe: Shoe) -> bool:
    """Return whether the house burns a card that was drawn while betting is open."""
    return row(shoe, "drawn_before_bets_closed").action == "burn" and not _beyond_burn(shoe)


def _beyond_burn(shoe: Shoe) -> bool:
    return shoe.house.burn not in ("none", 0) and shoe.round == 1 and not shoe.laid


def open_too_early(draft: Draft, card: HeldCard) -> None:
    """Open the irregularity of a held card that was drawn while betting is open."""
    shoe = draft.shoe
    if is_open(shoe, "burn_over") or "drawn_before_bets_closed" in card.cleared:
        return
    if _beyond_burn(shoe):
        draft.open_irregularity("burn_over")
    else:
        draft.open_irregularity("drawn_before_bets_closed", round=shoe.round)


def _deal(draft: Draft, card: HeldCard, held: bool) -> None:
    """Deal the card to the slot that is due; while cards wait to be opened that slot is a secret."""
    if code := no_card_due(draft.shoe):
        hold(draft, card, code)
        report_no_card_due(draft)
        return
    watch_virtual_cut(draft)
    reveal_carried(draft)
    shoe = draft.shoe
    question = asked(shoe)
    assert isinstance(question, CardDue)
    dealt = events.CardDealt(round=shoe.round, slot=question.slot, origin=_origin(card), held=held, serial=card.serial)
    if card.card is None:
        draft.add(replace(dealt, unread=card.reason))
    elif is_named(shoe, question):
        draft.add(replace(dealt, card=card.card, nonce=opens(card, held)))
    else:
        commit, secret = draft.seal(card.card, card.nonce)
        draft.add(replace(dealt, commit=commit, secret=secret))
    if draft.shoe.device.irregular:
        for settled in ("restarted_mid_round", "missing_third"):
            draft.close_irregularity(settled, "drawn")
        if not draft.shoe.held:
            draft.close_irregularity("drawn_before_mark", "drawn")
            if not rules(shoe).play.carries:  # then it was held, and has just opened this round
                draft.close_irregularity("overdrawn", "kept")
    start_clock(draft)
    open_all(draft)
    close_complete(draft)


def no_card_due(shoe: Shoe) -> str:
    """Return the code of why the next card cannot be dealt, "" if it can."""
    match asked(shoe):
        case CardDue():
            return ""
        case OpeningDue():
            return "to_reveal"
        case MarkDue():
            return "mark_due"
    return "round_stopped"


def report_no_card_due(draft: Draft) -> None:
    """Report a card that came while a seat, or the lot, must act.

    Not one that waits for an opening, or that the pit keeps.
    """
    first = oldest_held(draft.shoe)
    if isinstance(asked(draft.shoe), MarkDue) and not (first and "drawn_before_mark" in first.cleared):
        draft.open_irregularity("drawn_before_mark", round=draft.shoe.round)


def _origin(card: HeldCard) -> events.Origin:
    return "manual" if card.manual else "reader"


def _overdraw(draft: Draft, card: HeldCard, held: bool) -> None:
    """Handle a card while the round is complete: it waits, sealed, and opens the next round."""
    shoe = draft.shoe
    policy = row(shoe, "overdrawn")
    if policy.action == "burn":
        burn_aside(draft, card, held)
        draft.note("overdrawn", round=shoe.round)
        return
    if policy.blocks and "overdrawn" not in card.cleared:
        if not held:
            hold(draft, card, "overdrawn")
        draft.open_irregularity("overdrawn", round=shoe.round)
        return
    if is_overfull(shoe):
        if not held:
            hold(draft, card, "overdrawn")
        if not rules(shoe).play.carries and "overdrawn" not in card.cleared:
            draft.open_irregularity("overdrawn", round=shoe.round)
        return
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(
        events.CardOverdrawn(
            commit=commit, secret=secret, round=shoe.round, origin=_origin(card), held=held, serial=card.serial
        )
    )
    if "overdrawn" not in card.cleared:
        draft.open_irregularity("overdrawn", round=shoe.round)


def burn(draft: Draft, card: HeldCard, held: bool) -> None:
    """Burn the next card: the first one is exposed where the house exposes it, the others stay sealed."""
    before = draft.shoe.burn_left
    if before is None and card.card:
        left = rules(draft.shoe).play.burns(card.card)
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
    """Finish the burn: betting opens, or the first card may be drawn."""
    draft.close_irregularity("burn_short", "burned")
    if draft.shoe.house.betting == "required" and not draft.shoe.betting:
        draft.add(events.BetsOpened(round=draft.shoe.round))


def burn_aside(draft: Draft, card: HeldCard, held: bool) -> None:
    """Burn a card outside the burn: it counts, it stays sealed, it plays no part."""
    commit, secret = draft.seal(card.card, card.nonce)
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=held, why="burned", serial=card.serial))


_PLACES: Final[dict[Phase, Callable[[Draft, HeldCard, bool], None]]] = {
    Phase.EMPTY: _set_aside,
    Phase.BURNING: burn,
    Phase.BETTING: _too_early,
    Phase.READY: _deal,
    Phase.DEALING: _deal,
    Phase.COMPLETE: _overdraw,
    Phase.ENDED: _set_aside,
}
