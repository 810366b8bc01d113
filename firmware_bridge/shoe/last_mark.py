"""Says when the last mark of a round can no longer be taken back: after which events, by which refusal."""

from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.games.prompts import OpeningDue
from firmware_bridge.shoe.round import asked, layout, rules
from firmware_bridge.shoe.state import Shoe

_DRAWN: Final = "mark_stands_card_drawn"
_OPENED: Final = "mark_stands_card_opened"
CLOSED: Final = "mark_stands_round_over"
"""Why a mark of another round stands."""

FOLLOWS: Final[dict[type, str]] = {
    events.CardBurned: _DRAWN,
    events.CardDealt: _DRAWN,
    events.CardOverdrawn: _DRAWN,
    events.CardHeld: _DRAWN,
    events.CardEntered: _DRAWN,
    events.CardLookedAt: _DRAWN,
    events.CardSetAside: _DRAWN,
    events.OverdrawnBurned: _DRAWN,
    events.CutCardMet: _DRAWN,
    events.CutCardHeld: _DRAWN,
    events.ResultHeld: _DRAWN,
    events.CardRevealed: _OPENED,
    events.RevealTimeEnded: _OPENED,
    events.Flown: _OPENED,
    events.QuestionAnswered: "mark_stands_answered_from_cards",
    events.BetsOpened: "mark_stands_bets_opened",
    events.BetsClosed: "mark_stands_bets_closed",
    events.RoundClosed: CLOSED,
    events.RoundVoided: CLOSED,
    events.ShoeEnded: CLOSED,
    events.RoundCorrected: "mark_stands_round_corrected",
}
"""Event -> the refusal to take the last mark back after it. No other event concerns the round."""


def is_paid(shoe: Shoe) -> bool:
    """Return whether the last mark moved chips between bank and seats, or decided the round."""
    question, moved = asked(shoe), rules(shoe).money.moved
    if question is None or (isinstance(question, OpeningDue) and question.by_itself):
        return True
    return moved(layout(shoe)) != moved(layout(replace(shoe, replies=shoe.replies[:-1])))
