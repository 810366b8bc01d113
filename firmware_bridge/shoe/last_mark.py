"""Says after which events the last mark of a round can no longer be taken back, and why."""

from typing import Final

from firmware_bridge.facts import events

TAKEN: Final = "the one after it was just taken back"
"""Why the mark before one that was taken back stands."""

_DRAWN: Final = "a card was drawn after it"
_OPENED: Final = "a card was opened after it"
CLOSED: Final = "its round is over"
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
    events.QuestionAnswered: "the shoe has answered it from the cards",
    events.BetsOpened: "bets were opened after it",
    events.BetsClosed: "bets were closed after it",
    events.RoundClosed: CLOSED,
    events.RoundVoided: CLOSED,
    events.ShoeEnded: CLOSED,
    events.RoundCorrected: "an earlier round was corrected after it",
}
"""Event -> why the last mark cannot be taken back after it. No other event concerns the round."""
