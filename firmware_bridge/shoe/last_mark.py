"""Says after which events the last mark of a round can no longer be taken back, and by which refusal."""

from typing import Final

from firmware_bridge.facts import events

TAKEN: Final = "mark_taken_back"
"""Why the mark before one that was taken back stands."""

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
