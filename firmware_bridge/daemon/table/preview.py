"""What a correction or a void would change, before it is given: results, bets, money."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
from msgspec.structs import replace

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import events
from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.facts.inputs import Ordered
from firmware_bridge.facts.orders import Answer, Correct, Order, refused
from firmware_bridge.shoe.decide import drafted
from firmware_bridge.shoe.handlers.closing import corrected_round
from firmware_bridge.shoe.state import PastRound, Shoe
from firmware_bridge.topics.texts.refusals import worded


def preview(shoe: Shoe, order: Order, by: str) -> dict[str, Any]:
    """Return the result before and after, and the bets that change; the answer if it would be refused. Change nothing.

    as_of: what the order is about, to be given with it (`is_as_of`). before, after: `outcome`, `hands` (name -> cards
    and points); bets: name -> net before and after; stakes, moved: of a void, as in its message.
    """
    draft = drafted(shoe, Ordered(**now(), order=order, by=by, nonce=nonce()))
    for event in draft.events if draft else ():
        match event:
            case events.RoundCorrected():
                past = next(each for each in shoe.rounds if each.round == event.round)
                return _corrected(shoe, past, event, as_of(shoe, order))
            case events.RoundVoided():
                return {
                    "ok": True,
                    "round": event.round,
                    "unit": event.unit,
                    "as_of": as_of(shoe, order),
                    "cards": [[each.slot, each.card.value] for each in event.cards],
                    "stakes": {bet: str(staked) for bet, (staked, _) in event.stakes.items()},
                    "moved": {} if event.moved is msgspec.UNSET else event.moved,
                }
            case events.CommandAnswered(answer=Answer(ok=False) as answer):
                return _plain(replace(answer, id=None, do=None))
    return _plain(refused("nothing_to_show"))


def _plain(answer: Answer) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(worded(answer))
    return plain


def as_of(shoe: Shoe, order: Order) -> str:
    """Return what an order is about: the open round, or the message that it corrects."""
    of = shoe.round
    if isinstance(order, Correct):
        of = next((each.seq for each in shoe.rounds if each.round == order.round), 0)
    return f"{shoe.journal} {shoe.number} {of}"


def _corrected(shoe: Shoe, past: PastRound, corrected: events.RoundCorrected, of: str) -> dict[str, Any]:
    before, after = _nets(shoe, past), corrected.bets
    return {
        "ok": True,
        "round": past.round,
        "unit": corrected.unit,
        "as_of": of,
        "before": {"outcome": past.outcome, "hands": _hands(past.hands)},
        "after": {"outcome": corrected.outcome, "hands": _hands(corrected.hands)},
        "bets": {
            bet: [str(before.get(bet, 0)), str(after.get(bet, 0))]
            for bet in {**before, **after}
            if Decimal(str(before.get(bet, 0))) != Decimal(str(after.get(bet, 0)))
        },
    }


def _nets(shoe: Shoe, past: PastRound) -> Mapping[str, Net]:
    """Return bet -> net of a round as it stands; in a game without money from its cards."""
    if past.nets:
        return past.nets
    same = Correct(past.round, tuple(each.card.value for each in past.cards), "-", missed=past.missed)
    try:
        return corrected_round(shoe, past, same, "").bets
    except Refused:
        return {}


def _hands(hands: msgspec.Raw) -> dict[str, dict[str, Any]]:
    """Return name of a hand -> its cards and points."""
    read: dict[str, dict[str, Any]] = from_json(hands)
    return {name: {"cards": hand.get("cards", ()), "points": hand.get("points", "")} for name, hand in read.items()}
