"""Takes the steps that follow by themselves after an input, one at a time, until there is none."""

from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.games.prompts import Question
from firmware_bridge.shoe import state
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers import dealing
from firmware_bridge.shoe.handlers.disclosure import open_all, start_clock, waits_for_reveal
from firmware_bridge.shoe.handlers.reader_result import meet_result
from firmware_bridge.shoe.handlers.rounds import close_complete, meet_cut_card, publish_happened, run_out
from firmware_bridge.shoe.round import asked, due, layout, phase, rules, unread_needed
from firmware_bridge.shoe.state import Phase, Shoe


def settle(draft: Draft) -> None:
    """Answer questions, open cards, deal held cards, close and void the round, as far as that needs no input.

    A card that was held while the last cards were sealed was drawn too many, so it is judged before the round closes.
    """
    if _waits_for_a_card(draft.shoe):
        publish_happened(draft)
        return
    for _ in range(MOST_STEPS):
        _ask_for_unread(draft)
        if not (_answer(draft) or _open(draft) or _deal_one_held(draft) or close_complete(draft) or _void(draft)):
            break
    _start_clock(draft)
    _report_waiting(draft)
    _report_stuck(draft)
    publish_happened(draft)


MOST_STEPS: Final = 1_000
"""More steps than any game takes by itself: a script that asks questions without end must not stop the daemon."""


def _waits_for_a_card(shoe: Shoe) -> bool:
    """Return whether no step follows before the next card, and there is one: the usual case after a card."""
    return not shoe.held and due(shoe) is not None and not state.is_exhausted(shoe)


def _start_clock(draft: Draft) -> None:
    """Start the time to open cards also where a mark, not a card, has led to the opening."""
    if draft.shoe.replies and draft.shoe.reveal_by is None and waits_for_reveal(draft.shoe):
        start_clock(draft)


def _report_waiting(draft: Draft) -> None:
    """Report a card that waits for a mark again after the pit has decided about another one."""
    shoe = draft.shoe
    if shoe.held and not state.blockers(shoe) and phase(shoe) in state.IN_PLAY:
        dealing.report_no_card_due(draft)


def _ask_for_unread(draft: Draft) -> None:
    """Ask for a needed card that lies face down and was not read: two people enter it, or the round is void."""
    shoe = draft.shoe
    n = unread_needed(shoe) if phase(shoe) is Phase.DEALING else None
    if n is not None:
        slot = layout(shoe).placed[n].slot
        draft.open_irregularity("unreadable", slot, reason="not read", slot=slot)


def _answer(draft: Draft) -> bool:
    """Answer the question that the round waits for; return True if it did."""
    shoe, question = draft.shoe, asked(draft.shoe)
    if phase(shoe) is not Phase.DEALING or not isinstance(question, Question):
        return False
    if unread_needed(shoe) is not None:
        return False
    faces = {n: laid.card for n, laid in enumerate(shoe.laid) if laid.card}
    answer = rules(shoe).play.answer(question, faces, layout(shoe))
    draft.add(events.QuestionAnswered(round=shoe.round, what=question.what, answer=answer, of=question.of))
    return True


def _open(draft: Draft) -> bool:
    """Open cards that wait for no order: at a table that seals none, or after the time is over; return True if any."""
    before = len(draft.events)
    open_all(draft)
    return len(draft.events) > before


def _void(draft: Draft) -> bool:
    """Void a round that needs a card, as far as is public, when none is left; return True if it did."""
    is_over = phase(draft.shoe) is Phase.DEALING and due(draft.shoe) is not None and state.is_exhausted(draft.shoe)
    if is_over:
        run_out(draft)
    return is_over


def _deal_one_held(draft: Draft) -> bool:
    """Put the oldest held item in its place, if that is possible now; return True if it did."""
    waiting = len(draft.shoe.held)
    if waiting and _may_deal(draft.shoe):
        match draft.shoe.held[0]:
            case state.HeldCut() as cut:
                meet_cut_card(draft, cut.by, cut)
            case state.HeldResult(result=result):
                meet_result(draft, result, held=True)
            case state.HeldCard() as card:
                _deal_held_card(draft, card)
    return len(draft.shoe.held) < waiting


def _may_deal(shoe: Shoe) -> bool:
    """Return whether the oldest held item may be dealt; a lost reader does not block an entered card."""
    blocked, card = state.blockers(shoe), state.oldest_held(shoe)
    if isinstance(shoe.held[0], state.HeldCut):
        return not blocked and not waits_for_reveal(shoe)
    is_entered = blocked == ("reader_lost",) and card is not None and card.manual
    if card is not None and card.is_doubtful:
        return not blocked
    waits = phase(shoe) in state.IN_PLAY and dealing.no_card_due(shoe)
    return (not blocked or is_entered) and not waits


def _deal_held_card(draft: Draft, card: state.HeldCard) -> None:
    if card.is_doubtful:
        dealing.place(draft, card, held=True)
        return
    if dealing.is_overfull(draft.shoe) and dealing.is_known_overdrawn(draft.shoe, card):
        return
    if phase(draft.shoe) is Phase.BETTING and not dealing.burns_early(draft.shoe):
        dealing.open_too_early(draft, card)
    else:
        dealing.place(draft, card, held=True)


def _report_stuck(draft: Draft) -> None:
    """Stop the shoe for moves that the game's rules do not have, as after an update."""
    shoe = draft.shoe
    table = layout(shoe)
    is_endless = isinstance(table.due, Question) and unread_needed(shoe) is None
    endless = phrase("endless_questions") if is_endless else None
    no_seats = phrase("no_seat_plays") if table.no_round else None
    why = table.stuck or endless or no_seats if phase(shoe) in state.IN_PLAY else None
    if why and not state.is_open(shoe, "internal_error"):
        draft.open_irregularity("internal_error", why=why)
