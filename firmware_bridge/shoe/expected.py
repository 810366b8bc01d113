"""What the dealer does next: the acts that lamps, screens and the topic `table` show."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.wire_states import Act
from firmware_bridge.games.acts import acts_of, lamp_of
from firmware_bridge.games.house import terms_of
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import CardDue, Choice, MarkDue, OpeningDue
from firmware_bridge.shoe.handlers.rounds import waits_for_next
from firmware_bridge.shoe.round import asked, coming, is_asked, layout, opens_itself, phase, rules
from firmware_bridge.shoe.state import KEPT, Phase, Shoe, blockers, is_open, row

BURN: Final = "burn"
"""The slot of an act that burns a card."""

Explained = tuple[str, Reason]
"""A reason as text, and as an id with values."""


class Expected(NamedTuple):
    """An act, and why it is due: None where the act alone is enough.

    place: which of the hands of its seat is meant, counted from 0 at the dealer's left.
    """

    act: Act
    why: Explained | None = None
    place: int = 0


COMPARE: Final = Expected(Act("compare", key="next"))
"""The cards on the table are compared with those that the shoe shows; then NEXT is pressed."""


@lru_cache(KEPT)
def expected(shoe: Shoe) -> tuple[Expected, ...]:
    """Return the acts that are due at the table, in the order in which they are done; from open cards only."""
    if waiting := blockers(shoe):
        return (COMPARE,) if all(row(shoe, name).confirm for name in waiting) else tuple(_waits("pit"))
    check = (COMPARE,) if is_open(shoe, "restarted_mid_round") else ()
    return (*check, *_GUIDES[phase(shoe)](shoe))


Awaited = Literal["pit", "shoe", "bets", "result", "change"]


def _waits(what: Awaited, why: Explained | None = None) -> Iterator[Expected]:
    yield Expected(Act("wait", what=what), why)


def _no_shoe(shoe: Shoe) -> Iterator[Expected]:
    if opens_itself(shoe):
        return _GUIDES[phase(coming(shoe))](coming(shoe))
    if waits_for_next(shoe):
        words = "the pack is over: press NEXT when the next one is shuffled"
        return iter([Expected(Act("press", key="next"), (words, Reason("next_pack", {})))])
    if shoe.device.closed:
        return _waits("shoe", ("the table is closed", Reason("table_closed", {})))
    if shoe.status == "empty":
        return _waits("shoe", ("no shoe is open", Reason("no_shoe", {})))
    return _waits("shoe", ("the shoe is over: change it", Reason("shoe_over", {})))


def _burning(shoe: Shoe) -> Iterator[Expected]:
    left = shoe.burn_left
    if left is None:
        yield Expected(Act("draw", slot=BURN), ("burn: expose the first card", Reason("burn_first", {})))
    else:
        yield Expected(Act("draw", slot=BURN, amount=str(left)), (f"burn: {left} more", Reason("burn", {"left": left})))


def _betting(shoe: Shoe) -> Iterator[Expected]:
    yield from _reserves_to_open(shoe)
    reason = Reason("betting_open", {"round": shoe.round})
    yield from _waits("bets", (f"round {shoe.round}: betting is open", reason))
    if shoe.change:
        yield from _waits("change", ("a guest asked for another shoe: change it", Reason("shoe_change", {})))


def _playing(shoe: Shoe) -> Iterator[Expected]:
    """Yield the acts that follow from the last card or mark, and the prompt that is due."""
    yield from _settled(shoe)
    match asked(shoe):
        case CardDue() as card:
            if phase(shoe) is Phase.READY:
                yield from _reserves_to_open(shoe)
            reason = card.reason or Reason("slot_due", {"slot": card.slot})
            act = Act("draw", slot=lamp_of(card.slot), hand=card.slot)
            yield Expected(act, (card.why or f"{card.slot} due", reason))
        case OpeningDue(step=step):
            yield from _reserves_in_play(shoe)
            words = "open the cards: press REVEAL"
            yield Expected(Act("press", key="reveal", slots=step), (words, Reason("reveal", {})))
        case MarkDue() as marks:
            yield from _asks(marks)
        case _:
            yield from _waits("pit")


def _asks(marks: MarkDue) -> Iterator[Expected]:
    why = (is_asked(marks), Reason("mark_due", {"slot": ", ".join(marks.act)}))
    for slot in marks.act:
        if slot != LOT:
            yield Expected(Act("ask", slot=lamp_of(slot), hand=slot), why, marks.place)
    if isinstance(lot := marks.act.get(LOT, {}).get(LOT), Choice):
        yield Expected(Act("ask", slot=LOT, slots=tuple(f"S{seat}" for seat in lot.values)), why)


def _complete(shoe: Shoe) -> Iterator[Expected]:
    yield from _reserves_in_play(shoe)
    yield from _settled(shoe)
    waits = "the reader reports the result, or press NEXT" if shoe.house.close == "result" else "press NEXT"
    reason = Reason("round_complete", {"round": shoe.round, "close": shoe.house.close})
    yield Expected(Act("press", key="next"), (f"round {shoe.round} is complete: {waits}", reason))


_GUIDES: Final = {
    Phase.EMPTY: _no_shoe,
    Phase.BURNING: _burning,
    Phase.BETTING: _betting,
    Phase.READY: _playing,
    Phase.DEALING: _playing,
    Phase.COMPLETE: _complete,
    Phase.ENDED: _no_shoe,
}


# ---------------------------------------------------------------- moving reserves


def _move(slot: str, to: str) -> Expected:
    return Expected(Act("move", slot=slot, to=to), (f"move {slot} to {to}", Reason("move", {"from": slot, "to": to})))


def _reserves_to_open(shoe: Shoe) -> Iterator[Expected]:
    """Yield the reserves that open this round, until its first card is drawn."""
    slots = rules(shoe).play.reserves(terms_of(shoe.house))
    waiting = sum(1 for laid in shoe.laid if not laid.over)
    reserves = slots[len(slots) - min(waiting, len(slots)) :]
    for reserve, each in zip(reserves, layout(shoe).placed, strict=False):
        yield _move(reserve, each.slot)


def _reserves_in_play(shoe: Shoe) -> Iterator[Expected]:
    """Yield the reserves that are played now, as far as the open cards decide, and that do not lie there yet.

    Where cards are sealed a reserve is moved before it is turned.
    """
    reserves = rules(shoe).play.reserves(terms_of(shoe.house))
    is_sealed = shoe.house.disclose == "sealed"
    for each in layout(shoe).placed:
        if each.slot in reserves and each.plays and each.plays != each.slot and not (is_sealed and each.card):
            yield _move(each.slot, each.plays)


# ---------------------------------------------------------------- what follows from the last card or mark


def _settled(shoe: Shoe) -> Iterator[Expected]:
    """Yield the acts that follow from what happened by the last card, mark or opening."""
    is_sealed, table = shoe.house.disclose == "sealed", layout(shoe)
    yield from _laid_back(shoe)
    for words in () if table.stuck else table.did[shoe.acted :]:
        for act in acts_of(words):
            if not (is_sealed and act.verb == "turn"):
                yield Expected(act if _are_stakes_known(shoe) else replace(act, amount=""))


def _are_stakes_known(shoe: Shoe) -> bool:
    """Return whether amounts are money: in a game with bets only where they came."""
    return rules(shoe).money.stakes != "bets" or bool(shoe.bets)


def _laid_back(shoe: Shoe) -> Iterator[Expected]:
    """Yield the acts that undo those of a mark which was taken back, until it is given again."""
    taken = shoe.last_mark.taken if shoe.last_mark else None
    if taken is None:
        return
    done = len(layout(shoe).did)
    undone = layout(replace(shoe, replies=(*shoe.replies, taken))).did[done:]
    for act in [act for words in reversed(undone) for act in acts_of(words)]:
        if act.verb == "move" and isinstance(marks := asked(shoe), MarkDue):
            yield Expected(Act("move", slot=act.slot, hand=act.to, to=next(iter(marks.act))))
        elif act.verb == "collect":
            yield Expected(Act("move", slot=act.slot, to=act.hand, what="collected"))


def pays(shoe: Shoe) -> tuple[tuple[str, str, str], ...]:
    """Return seat, hand and amount (below 0: taken), in the order paid, from the result to NEXT.

    Empty at other times, and where stakes are not known.
    """
    if phase(shoe) is not Phase.COMPLETE or not _are_stakes_known(shoe):
        return ()
    acts = [each.act for each in _settled(shoe)]
    return tuple(
        [
            (each.slot, each.hand, each.amount if each.verb == "pay" else f"-{each.amount}")
            for each in acts
            if each.verb in ("pay", "take") and each.hand
        ]
    )
