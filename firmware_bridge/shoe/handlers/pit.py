"""Carries out the choices of the pit about an irregularity: one small function per choice."""

from collections.abc import Callable
from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.facts.book import standing as when
from firmware_bridge.facts.book.orders import needs_two
from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.inputs import Ordered
from firmware_bridge.facts.names import as_seen, one_person
from firmware_bridge.facts.orders import Resolve
from firmware_bridge.shoe import state
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.card_checks import card_fault
from firmware_bridge.shoe.handlers.dealing import burn, burn_aside, burn_done
from firmware_bridge.shoe.handlers.reader_result import close_judged, is_by_reader, meet_result
from firmware_bridge.shoe.handlers.rounds import end_shoe, meet_cut_card, void_round
from firmware_bridge.shoe.round import phase, rules
from firmware_bridge.shoe.standing import refuse, settings
from firmware_bridge.shoe.state import Phase, Shoe

OUT_OF_TURN: Final = ("overdrawn", "drawn_before_bets_closed", "drawn_before_mark")
"""Irregularities about the turn of the oldest held card, not about the card itself."""


def two_people(shoe: Shoe, fact: Ordered, second: str, order: str, choice: str = "") -> None:
    """Check the people behind an order. choice: of a decision. Raises Refused if the house asks for two."""
    if second and any(one_person(second, each) for each in (fact.by, fact.on_behalf_of) if each):
        raise Refused("same_person", do=order)
    if not as_seen(second) and needs_two(order, settings(shoe).second_person, phase(shoe).value, choice):
        raise Refused("two_people", do=order)


def resolve(draft: Draft, fact: Ordered, order: Resolve) -> None:
    """Carry out the pit's choice. Raises Refused if the policy does not allow it."""
    name = order.irregularity
    if not state.is_open(draft.shoe, name):
        if now := tuple(each.id for each in draft.shoe.device.irregular):
            raise Refused("alarm_not_open", alarm=name, alarms=now)
        refuse(draft.shoe, when.ALARM_OPEN, alarm=name)
    choices = state.row(draft.shoe, name).choices
    if order.choice not in choices:
        if choices:
            raise Refused("no_such_choice", choice=order.choice, alarm=name, choices=choices)
        raise Refused("no_choice", choice=order.choice, alarm=name)
    two_people(draft.shoe, fact, order.second, "resolve", order.choice)
    others = tuple(each for each in choices if each != order.choice)
    refuse(draft.shoe, when.decision(name, order.choice), choices=others)
    clears = _clears(draft.shoe, order)
    _CHOICES[order.choice](draft, order, fact.by)
    draft.close_irregularity(name, order.choice, fact.by, order.why, clears, order.second)


def _burn(draft: Draft, order: Resolve, by: str) -> None:
    carries = rules(draft.shoe).play.carries
    if order.irregularity == "overdrawn" and not state.row(draft.shoe, "overdrawn").blocks:
        draft.add(events.OverdrawnBurned())
        if carries:
            return
    _burn_held(draft, burn_aside)
    if not draft.shoe.held:
        for name in OUT_OF_TURN:
            if name != order.irregularity and (name != "overdrawn" or not carries):
                draft.close_irregularity(name, "burn", by)


def _burn_held(draft: Draft, put: Callable[[Draft, state.HeldCard, bool], None]) -> None:
    """Burn the held cards, up to one with a fault of its own: that one is the pit's next decision."""
    while draft.shoe.held:
        match draft.shoe.held[0]:
            case state.HeldCut() if state.is_open(draft.shoe, "cut_card_early"):
                return
            case state.HeldCut() as cut:
                meet_cut_card(draft, cut.by, cut)
            case state.HeldResult(result=result):
                meet_result(draft, result, held=True)
                if state.is_open(draft.shoe, "result_mismatch"):
                    return
            case state.HeldCard() as card:
                if found := card_fault(draft.shoe, card):
                    draft.open_irregularity(found.id, state.next_card(draft.shoe), **found.values)
                    return
                put(draft, card, True)


def _keep(draft: Draft, order: Resolve, by: str) -> None:
    """Clear the card by closing the irregularity; it is dealt like any held card."""


def _remove(draft: Draft, order: Resolve, by: str) -> None:
    first = state.oldest_held(draft.shoe)
    is_meant = order.irregularity in OUT_OF_TURN or (first and _is_about(draft.shoe, order.irregularity, first))
    if first is None or not is_meant:
        raise Refused("card_gone")
    commit, secret = draft.seal(first.card, first.nonce)
    draft.add(events.CardSetAside(commit=commit, secret=secret, held=True, why="removed"))


def _clears(shoe: Shoe, order: Resolve) -> bool:
    """Return whether the pit keeps the oldest held card in spite of its fault, or of its turn.

    An irregularity of the same name may be about a movement or a sensor: the card is checked after that one.
    """
    first = state.oldest_held(shoe)
    if order.choice not in ("keep", "accept") or first is None:
        return False
    name = order.irregularity
    is_of_card = state.about(shoe, name) == (state.next_card(shoe),)
    return name in OUT_OF_TURN or (is_of_card and _is_about(shoe, name, first))


def _is_about(shoe: Shoe, name: str, card: state.HeldCard) -> bool:
    found = card_fault(shoe, card)
    return found is not None and found.id == name


def _void(draft: Draft, order: Resolve, by: str) -> None:
    if phase(draft.shoe) is Phase.BURNING:
        _void_in_burn(draft, order, by)
    else:
        void_round(draft, _reason(order), by, second=order.second)


def _reason(order: Resolve) -> Reason:
    return Reason("decided", {"alarm": order.irregularity, "says": order.why})


def _void_in_burn(draft: Draft, order: Resolve, by: str) -> None:
    """Handle `void` in the burn, where no round is open: a card with a fault is burned as it is, or removed."""
    name = order.irregularity
    first = state.oldest_held(draft.shoe)
    if first is None or not _is_about(draft.shoe, name, first):
        return
    if name in ("foreign", "duplicate"):
        _remove(draft, order, by)
    elif name == "unreadable":
        burn(draft, first, held=True)
    else:
        draft.close_irregularity(name, "keep", by, clears=True)


def _accept(draft: Draft, order: Resolve, by: str) -> None:
    if order.irregularity == "burn_short":
        draft.add(events.BurnFinished())
        burn_done(draft)
    elif order.irregularity == "burn_over":
        _burn_held(draft, burn)
    elif order.irregularity == "result_mismatch":
        was_by_reader = is_by_reader(draft.shoe)
        draft.close_irregularity("result_mismatch", order.choice, by, order.why)
        if was_by_reader:
            close_judged(draft)


def _continue(draft: Draft, order: Resolve, by: str) -> None:
    """Let play go on by closing the irregularity."""


def _end_shoe(draft: Draft, order: Resolve, by: str) -> None:
    ending = phrase("pit", alarm=order.irregularity)
    if phase(draft.shoe) in (Phase.DEALING, Phase.COMPLETE):
        void_round(draft, _reason(order), by, ends=ending, second=order.second)
    elif phase(draft.shoe) not in (Phase.EMPTY, Phase.ENDED):
        end_shoe(draft, ending, order.why)


_CHOICES: Final[dict[Choice, Callable[[Draft, Resolve, str], None]]] = {
    "burn": _burn,
    "keep": _keep,
    "remove": _remove,
    "void": _void,
    "accept": _accept,
    "continue": _continue,
    "end-shoe": _end_shoe,
}
