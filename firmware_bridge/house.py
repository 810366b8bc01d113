"""The house's choices as data: table settings, and what is done about each irregularity."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Burn = Literal["first-card", "none"] | int


class House(Struct, frozen=True):
    """The settings of a table that a shoe is dealt under; frozen when the shoe is opened.

    burn: `first-card` (the first card exposed, its value more burned unseen), `none`, or a number of cards
    burned unseen. virtual_cut: cards from the end where a cut card must have been met, None for no such limit.
    """

    game: str = "baccarat"
    procedure: Literal["on-demand", "six-card"] = "on-demand"
    decks: int = 8
    burn: Burn = "first-card"
    close: Literal["auto", "next"] = "auto"
    betting: Literal["ignored", "required"] = "ignored"
    disclose: Literal["dealt"] = "dealt"
    after_cut: Literal["finish", "one-more"] = "finish"
    new_shoe: Literal["command", "auto"] = "command"
    virtual_cut: int | None = None
    policy: str = "keep-order"

    @property
    def size(self) -> int:
        """Cards in a full shoe."""
        return self.decks * 52


Choice = Literal["burn", "keep", "remove", "void", "accept", "continue", "end-shoe"]
"""All a floor supervisor can decide about an irregularity."""


class Row(Struct, frozen=True):
    """What one irregularity means in one house.

    blocks: cards are held and nothing is guided until it is closed. confirm: the dealer's NEXT closes it.
    choices: what the floor may decide. severity: `note`, `warning` or `critical`. todo: what the dealer
    or the floor does next, as the alarm says it.
    """

    todo: str
    blocks: bool = False
    confirm: bool = False
    choices: tuple[Choice, ...] = ()
    severity: Literal["note", "warning", "critical"] = "warning"


# Source: irregularities.md; `keep-order` is the default policy: cards keep the order they were drawn in.
KEEP_ORDER: Final[dict[str, Row]] = {
    "overdrawn": Row(
        "a card too many was drawn: leave it face down, it opens the next round", choices=("burn", "void")
    ),
    "drawn_before_bets_closed": Row(
        "a card was drawn while betting is open: leave it face down until bets are closed", choices=("burn",)
    ),
    "missing_third": Row("a card is still due: draw it to the lit slot", choices=("void",)),
    "unreadable": Row("a card was not read: two people enter it with `shoe enter`", blocks=True, choices=("void",)),
    "duplicate": Row(
        "more copies of a card than the packs hold: call the floor",
        blocks=True,
        choices=("keep", "remove", "void"),
        severity="critical",
    ),
    "foreign": Row(
        "a card of another pack: call the floor", blocks=True, choices=("remove", "void"), severity="critical"
    ),
    "face_up": Row("a card came out face up: call the floor", blocks=True, choices=("keep", "void")),
    "double_feed": Row("two cards may have passed at once: call the floor", blocks=True, choices=("keep", "void")),
    "backwards": Row(
        "a card was moved backwards into the shoe: call the floor",
        blocks=True,
        choices=("keep", "void"),
        severity="critical",
    ),
    "jam": Row("a card is stuck in the shoe: free it, then call the floor", blocks=True, choices=("keep", "void")),
    "cut_card_missing": Row(
        "the cut card was not seen where it must be: this round is the last", choices=("continue",)
    ),
    "burn_short": Row("the burn is not finished: go on burning", choices=("accept",)),
    "burn_over": Row("more cards than the burn takes: call the floor", blocks=True, choices=("accept",)),
    "shoe_empty": Row("the shoe ran out in a round: the round is void", severity="critical"),
    "restarted_mid_round": Row(
        "the shoe restarted in a round: compare the table with the screen, then go on or press NEXT",
        confirm=True,
        choices=("void",),
    ),
    "reader_lost": Row(
        "the reader does not answer: draw no card; check its cable, or enter cards with `shoe enter`",
        blocks=True,
        severity="critical",
    ),
    "reader_back": Row(
        "the reader is back: compare the cards on the table with the screen, then press NEXT",
        blocks=True,
        confirm=True,
        choices=("accept", "void"),
    ),
    "reader_gap": Row(
        "the reader may have missed cards: compare the table with the screen, then press NEXT",
        blocks=True,
        confirm=True,
        choices=("accept", "void"),
        severity="critical",
    ),
    "broker_lost": Row("no connection to the backend: play goes on, rounds are kept and sent later"),
    "disk_full": Row("the journal's disk was full: free some space", severity="critical"),
    "disk_error": Row("the journal could not be written: replace the card", severity="critical"),
    "internal_error": Row(
        "the shoe's own software failed on an input: call the technician",
        blocks=True,
        choices=("void", "continue"),
        severity="critical",
    ),
}

POLICIES: Final[dict[str, dict[str, Row]]] = {"keep-order": KEEP_ORDER}
