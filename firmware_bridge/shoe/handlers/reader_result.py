"""Compares the results of a reader that judges the game itself with those of the cards."""

from collections.abc import Callable
from typing import Final

from msgspec import Raw

from firmware_bridge.facts import events
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.inputs import ReaderJudged, ReaderResult, ReaderSaid
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers.closing import encode
from firmware_bridge.shoe.handlers.disclosure import is_sealed, waits_for_reveal
from firmware_bridge.shoe.handlers.rounds import close_round
from firmware_bridge.shoe.round import due, layout, phase, rules
from firmware_bridge.shoe.state import Phase, Shoe, about, blockers

READER: Final = "reader"
"""The subject of a mismatch with a result of the reader."""

BY_BUTTON: Final = "forced"
"""The word of a reader for a round that its button ended."""


def note(draft: Draft, fact: ReaderSaid) -> None:
    """Note a message of the reader; one of a card too many puts `overdrawn` on record, closed at once."""
    draft.add(events.Noted(code="reader_said", values={"says": fact.what}))
    if fact.overdrawn and draft.shoe.status == "open":
        number = _last_dealt(draft.shoe)
        draft.note("overdrawn", round=number)


def _last_dealt(shoe: Shoe) -> int:
    """Return the number of the round with cards, else of the one before."""
    return shoe.round if shoe.laid or not shoe.rounds else shoe.rounds[-1].round


def judged(draft: Draft, fact: ReaderJudged) -> None:
    """Handle the reader's result: the order of events gives its round, so it waits behind held and sealed cards."""
    if draft.shoe.held or blockers(draft.shoe) or waits_for_reveal(draft.shoe):
        draft.add(events.ResultHeld(result=fact.result))
    else:
        meet_result(draft, fact.result)


def judged_outside(draft: Draft, fact: ReaderJudged) -> None:
    """Handle a result with no shoe open: it can only be of the last round of the shoe before."""
    _of_last(draft, fact.result)


def meet_result(draft: Draft, theirs: ReaderResult, held: bool = False) -> None:
    """Compare a result with the cards before it; a difference holds the round."""
    if held:
        draft.add(events.Noted(code="result_due", held=True))
    _MEETINGS.get(phase(draft.shoe), _of_last)(draft, theirs)


def is_by_reader(shoe: Shoe) -> bool:
    """Return whether the open mismatch is with a result of the reader, not of the dealer's keys."""
    return about(shoe, "result_mismatch") == (READER,)


def close_judged(draft: Draft) -> None:
    """Close the complete round after the reader's result, where the house waits for that."""
    if draft.shoe.house.close == "result" and phase(draft.shoe) is Phase.COMPLETE and not blockers(draft.shoe):
        close_round(draft)


def _in_burn(draft: Draft, theirs: ReaderResult) -> None:
    """Open a mismatch: the reader deals already while the burn goes on."""
    draft.open_irregularity("result_mismatch", READER, why=phrase("result_in_burn"))


def _too_early(draft: Draft, theirs: ReaderResult) -> None:
    """Open a mismatch: the reader ends a round that needs a card by the rules."""
    result = {} if is_sealed(draft.shoe) else {"said": _result_words(theirs)}
    draft.open_irregularity("result_mismatch", READER, due=due(draft.shoe) or "", **result)


def _of_round(draft: Draft, theirs: ReaderResult) -> None:
    """Compare the result of the complete round."""
    result = layout(draft.shoe).result
    assert result is not None
    if _agrees(draft, theirs, result.outcome, Raw(encode(result.own))):
        close_judged(draft)


def _of_last(draft: Draft, theirs: ReaderResult) -> None:
    """Compare the result of the round before: no card of this round is out."""
    past = draft.shoe.rounds[-1] if draft.shoe.rounds else None
    is_new = BY_BUTTON in theirs.words and draft.shoe.house.close == "result"  # the one before had its own result
    if past is None or past.outcome is None or is_new:
        draft.add(events.Noted(code="result_of_none"))
    else:
        _agrees(draft, theirs, past.outcome, past.own)


_MEETINGS: Final[dict[Phase, Callable[[Draft, ReaderResult], None]]] = {
    Phase.BURNING: _in_burn,
    Phase.DEALING: _too_early,
    Phase.COMPLETE: _of_round,
}


def _agrees(draft: Draft, theirs: ReaderResult, outcome: str, own: Raw) -> bool:
    """Return whether the two agree; a difference opens a mismatch with both."""
    verdict = rules(draft.shoe).play.verdict
    ours = verdict(outcome, own) if verdict else (outcome,)
    if set(theirs.words) == set(ours):
        draft.add(events.Noted(code="result_agrees", values={"by": READER, "outcome": outcome}))
        return True
    draft.open_irregularity("result_mismatch", READER, said=_result_words(theirs), cards=", ".join(ours))
    return False


def _result_words(theirs: ReaderResult) -> str:
    return BY_BUTTON if BY_BUTTON in theirs.words else ", ".join(theirs.words)
