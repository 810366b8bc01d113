"""Opens sealed cards: by the ceremony's steps, by order, and by the clock."""

from firmware_bridge.facts import events
from firmware_bridge.facts.book import standing as when
from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.inputs import TimePassed
from firmware_bridge.games.prompts import OpeningDue
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.round import asked, layout, phase, rules, unread_needed
from firmware_bridge.shoe.standing import refuse
from firmware_bridge.shoe.state import HeldCard, Laid, Phase, Shoe


def is_sealed(shoe: Shoe) -> bool:
    """Return whether cards stay face down on the table until they are revealed."""
    return shoe.house.disclose == "sealed"


def waits_for_reveal(shoe: Shoe) -> bool:
    """Return whether the round waits for sealed cards to be opened."""
    return isinstance(asked(shoe), OpeningDue) and phase(shoe) is Phase.DEALING


def _opening(shoe: Shoe) -> OpeningDue:
    """Return the slots that can be opened now; none while cards of that step are not drawn."""
    question = asked(shoe) if waits_for_reveal(shoe) else None
    return question if isinstance(question, OpeningDue) else OpeningDue((), ())


def reveal(draft: Draft, slots: tuple[str, ...] = ()) -> None:
    """Open the cards in `slots`, or the next step. Raises Refused if they cannot be opened now."""
    refuse(draft.shoe, when.SEALED)
    opening = _opening(draft.shoe)
    if not slots:
        refuse(draft.shoe, when.OPENING)
        _open(draft, opening.step)
        return
    for slot in slots:
        if slot not in opening.may:
            raise Refused("slot_not_to_open", slot=slot, order=phrase(rules(draft.shoe).play.ceremony))
    _open(draft, tuple(dict.fromkeys(slots)))


def open_all(draft: Draft) -> None:
    """Open every step that can be opened: the time is over, no seat has bet, or the table seals no cards."""
    while (opening := _opening(draft.shoe)).step and (
        opening.by_itself or draft.shoe.opening or not is_sealed(draft.shoe)
    ):
        if unread_needed(draft.shoe) is not None:
            return
        _open(draft, opening.step)


def start_clock(draft: Draft) -> None:
    """Start the time to open the cards: from the close of betting, else from each last card due."""
    shoe = draft.shoe
    if not is_sealed(shoe) or shoe.opening:
        return
    if shoe.reveal_by is None if shoe.house.betting == "required" else waits_for_reveal(shoe):
        draft.add(events.RevealClockStarted(until=draft.mono + shoe.house.reveal_timeout * 1000))


def _reveal_by(shoe: Shoe) -> int | None:
    """Return the monotonic time (ms) at which cards open by themselves; if betting is ignored, only while some wait."""
    return shoe.reveal_by if shoe.house.betting == "required" or waits_for_reveal(shoe) else None


def restart_clocks(draft: Draft) -> None:
    """Set the clocks of a shoe when the daemon starts: after a boot the monotonic clock counts from 0 again.

    A time further ahead than its whole span was set before the boot: it starts again.
    """
    shoe, mono = draft.shoe, draft.mono
    reveal, change = shoe.house.reveal_timeout * 1000, shoe.house.shoe_change_minutes * 60_000
    if shoe.reveal_by is not None and shoe.reveal_by - mono > reveal:
        draft.add(events.RevealClockStarted(until=mono + reveal))
    if shoe.change_by is not None and shoe.change_by - mono > change:
        draft.add(events.ShoeChangeRequested(until=mono + change))


def deadline(shoe: Shoe) -> int | None:
    """Return the monotonic time (ms) at which the shoe needs the input `TimePassed`, None if it waits for no time."""
    return min((each for each in (_reveal_by(shoe), shoe.change_by) if each is not None), default=None)


def time_passed(draft: Draft, fact: TimePassed) -> None:
    """Handle a deadline: cards open by themselves, another shoe is overdue."""
    shoe = draft.shoe
    reveal_by = _reveal_by(shoe)
    if reveal_by is not None and draft.mono >= reveal_by:
        draft.add(events.RevealTimeEnded())
        open_all(draft)
    if shoe.change_by is not None and draft.mono >= shoe.change_by:
        draft.add(events.ShoeChangeOverdue())


def _open(draft: Draft, slots: tuple[str, ...]) -> None:
    placed, only = layout(draft.shoe).placed, _opening(draft.shoe).only
    closed = [(n, each.plays or each.slot) for n, each in enumerate(placed) if each.card is None]
    closed = [each for each in closed if not only or each[0] in only]
    opened = [(draft.shoe.laid[n], slot) for slot in slots for n, where in closed if where == slot]
    if unread := [slot for laid, slot in opened if laid.card is None]:
        raise Refused("card_unread", slot=unread[0])
    for laid, slot in opened:
        draft.add(revealed(laid, draft.shoe.round, slot))


def revealed(laid: Laid, round: int | None = None, slot: str | None = None) -> events.CardRevealed:
    """Return the event that discloses a sealed card."""
    assert laid.card is not None
    seq, n = laid.committed
    return events.CardRevealed(card=laid.card, nonce=laid.nonce, seq=seq, n=n, round=round, slot=slot)


def opens(card: HeldCard, held: bool) -> str | None:
    """Return the nonce that opens an earlier commitment to a card now named, None if there was none."""
    return card.nonce if held or card.manual else None
