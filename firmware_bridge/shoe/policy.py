"""Policies: how each house handles each irregularity (irregularities.md)."""

from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts.house import Row

Policy = dict[str, Row]

KEEP_ORDER: Final[Policy] = {
    "overdrawn": Row(
        "a card too many was drawn: leave it face down, it opens the next round",
        choices=("burn", "void"),
        action="carry",
    ),
    "wrong_slot": Row("a card lies in a wrong slot: call the floor", blocks=True, choices=("accept", "void")),
    "drawn_before_bets_closed": Row(
        "a card was drawn while betting is open: leave it face down until bets are closed", choices=("burn",)
    ),
    "drawn_before_mark": Row(
        "a card was drawn while a seat, or the lot, must act: leave it face down until a mark asks for it",
        choices=("burn", "remove", "void"),
    ),
    "missing_third": Row("a card is still due: draw it to the lit slot", choices=("void",)),
    "relabelled_third": Row("the player stands: the next card is the banker's third", severity="note"),
    "unreadable": Row("a card was not read: two people enter it with `shoe enter`", blocks=True, choices=("void",)),
    "duplicate": Row(
        "the same card twice, or more copies of one than the packs hold: call the floor",
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
    "cut_card_mid_round": Row("the cut card came in this round: finish it, it is the last", severity="note"),
    "cut_card_missing": Row(
        "the cut card was not seen where it must be: this round is the last", choices=("continue",)
    ),
    "burn_short": Row("NEXT comes after the burn: burn first", choices=("accept",), severity="note"),
    "burn_over": Row("more cards than the burn takes: call the floor", blocks=True, choices=("accept",)),
    "result_mismatch": Row(
        "the result told differs from the cards: compare the table with the screen, call the floor",
        blocks=True,
        choices=("accept", "void"),
        severity="critical",
    ),
    "shoe_empty": Row("the shoe ran out in a round: the round is void", severity="critical"),
    "lid_opened": Row(
        "the lid was opened during a shoe: call the floor",
        blocks=True,
        choices=("continue", "end-shoe"),
        severity="critical",
    ),
    "sensor_stuck": Row("a sensor does not let go: clean it; the virtual cut card takes over"),
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
    "clock_jump": Row("the clock was set: the order of events does not depend on it", severity="note"),
    "internal_error": Row(
        "the shoe's own software failed on an input: call the technician",
        blocks=True,
        choices=("void", "continue"),
        severity="critical",
    ),
    "unshuffled": Row(
        "the cards look unshuffled: call the floor", choices=("continue", "end-shoe"), severity="critical"
    ),
}
"""The default: cards keep the order they were drawn in, whatever happens."""


def _policy(**changes: dict[str, object]) -> Policy:
    """The default with the rows of a house that differ from it."""
    return KEEP_ORDER | {name: replace(KEEP_ORDER[name], **fields) for name, fields in changes.items()}


US_BURN: Final = _policy(
    overdrawn={"todo": "a card too many was drawn: burn it", "action": "burn", "choices": ("void",)},
    drawn_before_bets_closed={
        "todo": "a card was drawn while betting is open: burn it",
        "action": "burn",
        "choices": (),
    },
)
"""A card drawn out of turn is burned and play goes on."""

MACAU: Final = _policy(
    overdrawn={
        "todo": "a card too many was drawn: call the floor",
        "blocks": True,
        "choices": ("keep", "burn", "void"),
    },
    drawn_before_bets_closed={
        "todo": "a card was drawn while betting is open: call the floor",
        "blocks": True,
        "choices": ("keep", "burn"),
    },
    missing_third={"todo": "a card is still due: call the floor", "blocks": True, "choices": ("continue", "void")},
    restarted_mid_round={"blocks": True},
    cut_card_missing={"choices": ("continue", "end-shoe")},
)
"""After a mistake the game stops until the pit has seen it."""

STUDIO: Final = _policy(
    face_up={"todo": "a card came out face up: it is shown to the camera and dealt", "blocks": False, "choices": ()},
    overdrawn={"todo": "a card too many was drawn: the round is void", "blocks": True, "choices": ("void",)},
    duplicate={"choices": ("void",)},
    lid_opened={"choices": ("end-shoe",)},
    unshuffled={"choices": ("end-shoe",)},
)
"""Players see the table through cameras: a round that they cannot judge themselves is void."""

POLICIES: Final[dict[str, Policy]] = {"keep-order": KEEP_ORDER, "us-burn": US_BURN, "macau": MACAU, "studio": STUDIO}
