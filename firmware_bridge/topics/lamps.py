"""The lamps with their rhythms and reasons: a function of the shoe."""

from collections.abc import Callable, Collection
from typing import Final

from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.wire_states import Alarm, Lamps
from firmware_bridge.games.prompts import MarkDue
from firmware_bridge.shoe.expected import BURN, Expected, Explained, expected
from firmware_bridge.shoe.handlers.rounds import cards_open
from firmware_bridge.shoe.round import asked, coming, layout, phase, rules
from firmware_bridge.shoe.state import Phase, Shoe, blockers, is_last, is_open, row

STEADY: Final = "steady"
CONFIRM: Final = "confirm"
BLOCKED: Final = "blocked"
DOUBLE: Final = "double"
CANDIDATE: Final = "candidate"

FLASHES: Final = (CONFIRM, "double", "triple", "quadruple")
"""The rhythm of a seat that is asked, by the place (from 0) of the hand that is meant, from the dealer's left; the
last one for all further hands."""

SIGNS: Final = {"turn": "quick", "no": DOUBLE, "lost": "quick"}
"""The rhythm of what only the shoe knows of cards that lie face down."""

BEEP: Final = "beep"

STOPPED: Final = {"buzzer": BEEP, "lock": STEADY}
"""Outputs besides lamps while nothing but the fault lamp is lit: `signals` has the same for an alarm of the shoe."""

OBSERVING: Final = "only observing: the same input crashed this version again and again"

Why = list[Explained]


def lamps(shoe: Shoe) -> Lamps:
    """Return the lamps of a shoe. While a card is due exactly one slot lamp is steady."""
    lit: dict[str, str] = {}
    why: Why = []
    if shoe.device.irregular:
        lit["fault"] = _fault(shoe)
        why += [(each.id, Reason(each.id, {})) for each in shoe.device.irregular]
    if blockers(shoe):
        return _shown(lit, why)
    if shoe.status == "open" and is_last(shoe):
        lit["ready"] = DOUBLE
        why.append(("last round", Reason("last_round", {})))
    _light(shoe, lit, why)
    return _shown(lit, why)


def _shown(lit: dict[str, str], why: Why) -> Lamps:
    return Lamps(lit, tuple([words for words, _ in why]), tuple([reason for _, reason in why]))


def unguided(why: str, reason: str) -> Lamps:
    """Return the lamps of a bridge that does not guide: its journal cannot be written, or it only observes."""
    return Lamps({"fault": BLOCKED}, (why,), (Reason(reason, {}),))


def with_warnings(shown: Lamps, warnings: Collection[Alarm]) -> Lamps:
    """Return the lamps of a shoe with warnings of the bridge added: the fault lamp, and the reasons.

    With one that blocks, nothing else is lit.
    """
    lines: Why = [(each.id, Reason(each.id, {})) for each in warnings]
    if not lines:
        return shown
    lit = {"fault": STEADY} | shown.lit
    for each in warnings:
        if each.blocks:
            shown = shown if len(lit) == 1 else Lamps({}, (), ())  # what is due
            lit = {"fault": BLOCKED}
    return Lamps(lit, (*shown.why, *(words for words, _ in lines)), (*shown.reasons, *(reason for _, reason in lines)))


def _fault(shoe: Shoe) -> str:
    if blockers(shoe):
        waits = all(row(shoe, name).confirm for name in blockers(shoe))
        return CONFIRM if waits else BLOCKED
    return CONFIRM if is_open(shoe, "restarted_mid_round") else STEADY


def _light(shoe: Shoe, lit: dict[str, str], why: Why) -> None:
    """Light what is due: first the prompts, then what is moved; the reasons stand in this order too."""
    for each in sorted(expected(shoe), key=_is_move):
        if light := _LIGHTS.get(each.act.verb):
            light(shoe, each, lit)
        if each.why and each.why not in why:
            why.append(each.why)
    if shoe.status == "open":
        lit |= {slot: SIGNS[sign] for slot, sign in layout(shoe).signs.items()}


def _is_move(due: Expected) -> bool:
    return due.act.verb == "move"


def _draw(shoe: Shoe, due: Expected, lit: dict[str, str]) -> None:
    if due.act.slot == BURN:
        lit["ready"] = CONFIRM
        return
    lit[due.act.slot] = STEADY
    if phase(coming(shoe)) is Phase.READY:
        lit.setdefault("ready", STEADY)


def _ask(shoe: Shoe, due: Expected, lit: dict[str, str]) -> None:
    if due.act.slots:
        lit |= dict.fromkeys(due.act.slots, CANDIDATE)
    else:
        lit[due.act.slot] = FLASHES[min(due.place, len(FLASHES) - 1)]


def _press(_: Shoe, due: Expected, lit: dict[str, str]) -> None:
    lit["ready"] = CONFIRM


def _move(shoe: Shoe, due: Expected, lit: dict[str, str]) -> None:
    if due.act.to in rules(shoe).slots and due.act.slot != due.act.to:
        lit[due.act.slot] = lit[due.act.to] = CONFIRM


_LIGHTS: Final[dict[str, Callable[[Shoe, Expected, dict[str, str]], None]]] = {
    "draw": _draw,
    "ask": _ask,
    "press": _press,
    "move": _move,
}
"""Chips, discards and waiting have no lamp."""


def signals(shoe: Shoe) -> dict[str, str]:
    """Return the outputs besides lamps: `buzzer` while the pit is awaited, `lock` while cards must stay in the shoe."""
    driven: dict[str, str] = {}
    waits = blockers(shoe)
    if any(not row(shoe, name).confirm for name in waits):
        driven["buzzer"] = BEEP
    if waits or _holds_cards(shoe):
        driven["lock"] = STEADY
    return driven


def _holds_cards(shoe: Shoe) -> bool:
    """Return whether no card may leave the shoe in this phase, blocked or not."""
    match phase(shoe):
        case Phase.EMPTY | Phase.ENDED:
            return not cards_open(shoe.device.next_house)
        case Phase.COMPLETE:
            return not rules(shoe).play.carries
        case Phase.READY | Phase.DEALING:
            return isinstance(asked(shoe), MarkDue)
        case now:
            return now is Phase.BETTING
