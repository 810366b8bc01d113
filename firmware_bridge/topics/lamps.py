"""The lamps with their rhythms and reasons: a function of the shoe."""

from collections.abc import Iterable
from typing import Final

from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.wire_states import Alarm, Lamps
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import CardDue, Choice, MarkDue, OpeningDue
from firmware_bridge.shoe.handlers.rounds import cards_open, waits_for_next
from firmware_bridge.shoe.round import asked, coming, is_asked, layout, opens_itself, phase, rules
from firmware_bridge.shoe.state import Phase, Shoe, blockers, is_last, is_open, row

STEADY: Final = "steady"
CONFIRM: Final = "confirm"
BLOCKED: Final = "blocked"
DOUBLE: Final = "double"
CANDIDATE: Final = "candidate"

BEEP: Final = "beep"

STOPPED: Final = {"buzzer": BEEP, "lock": STEADY}
"""Outputs besides lamps while the journal cannot be written."""

OBSERVING: Final = "only observing: the same input crashed this version again and again"

Explained = tuple[str, Reason]
"""A reason as text, and as an id with values."""

Why = list[Explained]


def lamps(shoe: Shoe) -> Lamps:
    """The lamps of a shoe. While a card is due exactly one slot lamp is steady."""
    lit: dict[str, str] = {}
    why: Why = []
    if shoe.device.irregular:
        lit["fault"] = _fault(shoe)
        why += [(f"{each.id}: {todo(shoe, each.id)}", Reason(each.id, {})) for each in shoe.device.irregular]
    if blockers(shoe):
        return _shown(lit, why)
    if shoe.status == "open" and is_last(shoe):
        lit["ready"] = DOUBLE
        why.append(("last round", Reason("last_round", {})))
    _GUIDES[phase(shoe)](shoe, lit, why)
    return _shown(lit, why)


def _shown(lit: dict[str, str], why: Why) -> Lamps:
    return Lamps(lit, tuple([words for words, _ in why]), tuple([reason for _, reason in why]))


def unguided(why: str, reason: str) -> Lamps:
    """The lamps of a bridge that does not guide: its journal cannot be written, or it only observes."""
    return Lamps({"fault": BLOCKED}, (why,), (Reason(reason, {}),))


def with_warnings(shown: Lamps, warnings: Iterable[Alarm]) -> Lamps:
    """The lamps of a shoe with warnings of the bridge added: the fault lamp, and the reasons."""
    lines: Why = [(f"{each.id}: {each.todo}", Reason(each.id, {})) for each in warnings]
    if not lines:
        return shown
    lit = {"fault": STEADY} | shown.lit
    return Lamps(lit, (*shown.why, *(words for words, _ in lines)), (*shown.reasons, *(reason for _, reason in lines)))


def todo(shoe: Shoe, irregularity: str) -> str:
    """What to do about an open irregularity, as the shoe stands."""
    if irregularity == "reader_lost" and shoe.device.lent:
        return f"the reader is lent to {shoe.device.lent} for calibration, or not back yet: draw no card, wait"
    return row(shoe, irregularity).todo


def _fault(shoe: Shoe) -> str:
    if blockers(shoe):
        waits = all(row(shoe, name).confirm for name in blockers(shoe))
        return CONFIRM if waits else BLOCKED
    return CONFIRM if is_open(shoe, "restarted_mid_round") else STEADY


def _no_shoe(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    if opens_itself(shoe):
        _GUIDES[phase(coming(shoe))](coming(shoe), lit, why)
        return
    if waits_for_next(shoe):
        lit["ready"] = CONFIRM
        why.append(("the pack is over: press NEXT when the next one is shuffled", Reason("next_pack", {})))
        return
    is_empty = shoe.status == "empty"
    words = "no shoe is open" if is_empty else "the shoe is over: change it"
    why.append((words, Reason("no_shoe" if is_empty else "shoe_over", {})))


def _burning(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    lit["ready"] = CONFIRM
    left = shoe.burn_left
    if left is None:
        why.append(("burn: expose the first card", Reason("burn_first", {})))
    else:
        why.append((f"burn: {left} more", Reason("burn", {"left": left})))


def _betting(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    why.append((f"round {shoe.round}: betting is open", Reason("betting_open", {"round": shoe.round})))
    _move_reserves(shoe, lit, why)


def _due(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    question = asked(shoe)
    if isinstance(question, OpeningDue):
        lit.setdefault("ready", CONFIRM)
        why.append(("open the cards: press REVEAL", Reason("reveal", {})))
        _move_opened(shoe, lit, why)
    elif isinstance(question, MarkDue):
        lit |= dict.fromkeys((slot.partition(".")[0] for slot in question.act if slot != LOT), CONFIRM)
        if isinstance(lot := question.act.get(LOT, {}).get(LOT), Choice):
            lit |= dict.fromkeys((f"S{seat}" for seat in lot.values), CANDIDATE)
        why.append((is_asked(question), Reason("mark_due", {"slot": ", ".join(question.act)})))
    if not isinstance(question, CardDue):
        return
    lit[question.slot.partition(".")[0]] = STEADY
    why.append((question.why or f"{question.slot} due", question.reason or Reason("slot_due", {"slot": question.slot})))
    if phase(shoe) is Phase.READY:
        lit.setdefault("ready", STEADY)
        _move_reserves(shoe, lit, why)


def _move_reserves(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    """Lights the reserves, to be moved to their opening slots until the first card of the round is drawn."""
    for reserve, each in zip(_reserves(shoe), layout(shoe).placed, strict=False):
        lit[reserve] = lit[each.slot] = CONFIRM
        why.append(_move(reserve, each.slot))


def _move(slot: str, to: str) -> Explained:
    return f"move {slot} to {to}", Reason("move", {"from": slot, "to": to})


def _reserves(shoe: Shoe) -> tuple[str, ...]:
    """The reserve slots that still hold cards for the beginning of this round."""
    slots = rules(shoe).play.reserves(terms_of(shoe.house))
    waiting = sum(1 for laid in shoe.laid if not laid.over)
    return slots[len(slots) - min(waiting, len(slots)) :]


def _complete(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    lit.setdefault("ready", CONFIRM)
    waits = "the reader reports the result, or press NEXT" if shoe.house.close == "result" else "press NEXT"
    reason = Reason("round_complete", {"round": shoe.round, "close": shoe.house.close})
    why.append((f"round {shoe.round} is complete: {waits}", reason))
    _move_opened(shoe, lit, why)


def _move_opened(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    """Lights the reserves that are played now, as far as the open cards decide."""
    for each in layout(shoe).placed:
        if each.plays and each.plays != each.slot:
            lit[each.slot] = lit[each.plays] = CONFIRM
            why.append(_move(each.slot, each.plays))


_GUIDES: Final = {
    Phase.EMPTY: _no_shoe,
    Phase.BURNING: _burning,
    Phase.BETTING: _betting,
    Phase.READY: _due,
    Phase.DEALING: _due,
    Phase.COMPLETE: _complete,
    Phase.ENDED: _no_shoe,
}


def signals(shoe: Shoe) -> dict[str, str]:
    """Outputs besides lamps: `buzzer` while the pit is awaited, `lock` while a card must not leave the shoe."""
    driven: dict[str, str] = {}
    waits = blockers(shoe)
    if any(not row(shoe, name).confirm for name in waits):
        driven["buzzer"] = BEEP
    if waits or _holds_cards(shoe):
        driven["lock"] = STEADY
    return driven


def _holds_cards(shoe: Shoe) -> bool:
    """Whether no card may leave the shoe in this phase, blocked or not."""
    match phase(shoe):
        case Phase.EMPTY | Phase.ENDED:
            return not cards_open(shoe.device.next_house)
        case Phase.COMPLETE:
            return not rules(shoe).play.carries
        case Phase.READY | Phase.DEALING:
            return isinstance(asked(shoe), MarkDue)
        case now:
            return now is Phase.BETTING
