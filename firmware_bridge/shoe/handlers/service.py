"""What guests may ask for at a table of their own, and who deals."""

from __future__ import annotations

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.inputs import Ordered
from firmware_bridge.shoe.draft import Draft, Refused
from firmware_bridge.shoe.handlers.rounds import reveal_carried
from firmware_bridge.shoe.round import phase, rules
from firmware_bridge.shoe.state import Phase, row


def fly(draft: Draft, given: Ordered, order: orders.Fly) -> None:
    """Deal without a bet and open at once; more than `fly_limit` in a row are refused."""
    shoe = draft.shoe
    _vip_only(draft, "fly")
    if stakes := rules(shoe).stakes:
        hint = f"close the bets with {stakes}: bets_closed"
        raise Refused(f"fly refused: {shoe.house.game} is dealt to the seats that bet", hint)
    if shoe.house.betting == "required" and phase(shoe) is not Phase.BETTING:
        raise Refused("bets are closed", "a round without a bet flies while betting is open")
    if shoe.flying:
        raise Refused("this round flies already", "deal it")
    if shoe.device.flown >= shoe.house.fly_limit:
        raise Refused(f"fly refused: {shoe.device.flown} in a row already", "take a bet first")
    draft.add(events.Flown(round=shoe.round, in_a_row=shoe.device.flown + 1))
    if phase(shoe) is Phase.BETTING:
        draft.add(events.BetsClosed(round=shoe.round))
        reveal_carried(draft)
        if not row(draft.shoe, "drawn_before_bets_closed").blocks:
            draft.close_irregularity("drawn_before_bets_closed", "kept")


def request_shoe_change(draft: Draft, given: Ordered, order: orders.RequestShoeChange) -> None:
    """Another shoe, once more than `shoe_change_after` rounds of this one are over, voided ones too."""
    shoe = draft.shoe
    _vip_only(draft, "a shoe change")
    if shoe.change is not None:
        raise Refused("another shoe is on its way already")
    if len(shoe.rounds) <= shoe.house.shoe_change_after:
        hint = f"ask again after round {shoe.house.shoe_change_after + 1}"
        raise Refused(f"only {len(shoe.rounds)} rounds of this shoe are over", hint)
    draft.add(events.ShoeChangeRequested(until=draft.mono + shoe.house.shoe_change_minutes * 60_000))


def request_dealer_change(draft: Draft, given: Ordered, order: orders.RequestDealerChange) -> None:
    """Another dealer: the present one goes on until relieved."""
    _vip_only(draft, "a dealer change")
    if draft.shoe.device.dealer_change:
        raise Refused("another dealer is on the way already")
    draft.add(events.DealerChangeRequested())


def dealer_in(draft: Draft, given: Ordered, order: orders.DealerIn) -> None:
    """A dealer signs in."""
    if not order.dealer.strip():
        raise Refused("a dealer signs in by name", 'give "dealer"')
    draft.add(events.DealerSignedIn(dealer=order.dealer))


def _vip_only(draft: Draft, what: str) -> None:
    shoe = draft.shoe
    if (shoe.device.next_house if shoe.status == "empty" else shoe.house).mode != "vip":
        raise Refused(f"{what} refused: guests have this at a VIP table only", 'see [service] mode = "vip"')
