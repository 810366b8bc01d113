"""A reader that judges the game itself: its words and results beside what the cards say."""

from __future__ import annotations

from firmware_bridge.facts import events as e
from firmware_bridge.facts.inputs import ReaderSaid, ResultTold
from firmware_bridge.shoe.disclosure import waits_for_reveal
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.rounds import close_round
from firmware_bridge.shoe.state import Phase, blockers, due, layout, phase

SIDES = ("player", "banker")


def said(draft: Draft, told: ReaderSaid) -> None:
    """On record; where it means that cards may have been missed, the dealer compares."""
    draft.add(e.Noted(what=f"reader: {told.what}"))
    if told.gap and draft.shoe.status == "open":
        draft.trouble("reader_gap", told.what)


def result_outside(draft: Draft, told: ResultTold) -> None:
    """A result of a game that was none here."""
    draft.add(e.Noted(what="reader: a result, and no round was dealt"))


def result_in_burn(draft: Draft, told: ResultTold) -> None:
    """The reader deals already while we still burn: the two do not see the same shoe."""
    draft.trouble("result_mismatch", "the reader tells a result while the burn goes on")


def result_too_early(draft: Draft, told: ResultTold) -> None:
    """The reader calls a round over that needs a card by the rules; what sealed cards need stays secret."""
    if waits_for_reveal(draft.shoe):
        draft.add(e.Noted(what="reader: a result while cards are still to be revealed"))
        return
    draft.trouble("result_mismatch", f"the reader says {_spoken(told)}, {due(draft.shoe)} is due")


def result_of_round(draft: Draft, told: ResultTold) -> None:
    """The complete round: equal results close it where the house waits for the reader's."""
    result = layout(draft.shoe).result
    assert result is not None
    if not _compare(draft, told, result.outcome, result.pairs):
        return
    if draft.shoe.house.close == "result" and not blockers(draft.shoe) and phase(draft.shoe) is Phase.COMPLETE:
        close_round(draft)


def result_of_last(draft: Draft, told: ResultTold) -> None:
    """No card of this round is out: what is told can only concern the round before, which is closed."""
    past = draft.shoe.rounds[-1] if draft.shoe.rounds else None
    if past is None or past.outcome is None:
        result_outside(draft, told)
    else:
        _compare(draft, told, past.outcome, past.pairs)


def _compare(draft: Draft, told: ResultTold, outcome: str, pairs: dict[str, bool]) -> bool:
    """Whether the two agree; a difference holds the round."""
    theirs = {side: side in told.pairs for side in SIDES}
    if (told.outcome, theirs) == (outcome, pairs):
        draft.add(e.Noted(what=f"the reader's result agrees: {outcome}"))
        return True
    ours = _words(outcome, tuple(side for side in SIDES if pairs[side]))
    draft.trouble("result_mismatch", f"the reader says {_spoken(told)}, the cards say {ours}")
    return False


def _spoken(told: ResultTold) -> str:
    return "the round was ended by its button" if told.outcome == "forced" else _words(told.outcome, told.pairs)


def _words(outcome: str, pairs: tuple[str, ...]) -> str:
    return ", ".join((outcome, *(f"{side} pair" for side in pairs)))
