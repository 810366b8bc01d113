"""Policies: how each house handles each irregularity (irregularities.md)."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from firmware_bridge.facts.house import Row
from firmware_bridge.games.game import Game

Policy = dict[str, Row]

KEEP_ORDER: Final[Policy] = {
    "overdrawn": Row(
        "one card too many was drawn: leave it face down for the next round",
        choices=("burn", "void"),
        action="carry",
    ),
    "wrong_slot": Row("a card is in the wrong slot: call the pit", blocks=True, choices=("accept", "void")),
    "drawn_before_bets_closed": Row(
        "a card was drawn before bets were closed: leave it face down until bets are closed", choices=("burn",)
    ),
    "drawn_before_mark": Row(
        "a card was drawn too early: leave it face down until the seat has decided, or the random draw is made",
        choices=("burn", "remove", "void"),
    ),
    "missing_third": Row("the round needs another card: draw it to the lit slot", choices=("void",)),
    "relabelled_third": Row("the player gets no third card: deal the next card to the banker", severity="note"),
    "unreadable": Row(
        "a card was not read: two people must enter it with `shoe enter`", blocks=True, choices=("void",)
    ),
    "duplicate": Row(
        "too many copies of this card came: call the pit",
        blocks=True,
        choices=("keep", "remove", "void"),
        severity="critical",
    ),
    "foreign": Row(
        "a card does not belong to this shoe: call the pit",
        blocks=True,
        choices=("remove", "void"),
        severity="critical",
    ),
    "face_up": Row("a card came out face up: call the pit", blocks=True, choices=("keep", "void")),
    "double_feed": Row("two cards may have come out together: call the pit", blocks=True, choices=("keep", "void")),
    "backwards": Row(
        "a card was pushed back into the shoe: call the pit",
        blocks=True,
        choices=("keep", "void"),
        severity="critical",
    ),
    "jam": Row("a card is stuck in the shoe: free it, then call the pit", blocks=True, choices=("keep", "void")),
    "cut_card_mid_round": Row("the cut card came during this round: finish the round", severity="note"),
    "cut_card_early": Row(
        "the cut card came too early: call the pit, and look into the shoe",
        blocks=True,
        choices=("accept", "continue"),
        severity="critical",
    ),
    "cut_card_missing": Row(
        "the cut card was not seen where it should be: this round is the last", choices=("continue",)
    ),
    "burn_short": Row(
        "the burn is not finished: burn the remaining cards, then press NEXT", choices=("accept",), severity="note"
    ),
    "burn_over": Row("a card was drawn after the last burn card: call the pit", blocks=True, choices=("accept",)),
    "result_mismatch": Row(
        "the reported result differs from the cards: "
        "compare the table with the dealer's screen or shoe watch, call the pit",
        blocks=True,
        choices=("accept", "void"),
        severity="critical",
    ),
    "shoe_empty": Row("the shoe ran out of cards during a round: the round is void", severity="critical"),
    "lid_opened": Row(
        "the lid was opened while the shoe is in use: call the pit",
        blocks=True,
        choices=("continue", "end-shoe"),
        severity="critical",
    ),
    "sensor_stuck": Row(
        "a sensor or key is stuck: clean it; keep dealing, the shoe counts the cards to find the last round"
    ),
    "restarted_mid_round": Row(
        "the shoe restarted during a round: "
        "compare the table with the dealer's screen or shoe watch, then go on dealing or press NEXT",
        confirm=True,
        choices=("void",),
    ),
    "reader_lost": Row(
        "the card reader does not answer: stop drawing; check its cable, or enter cards with `shoe enter`",
        blocks=True,
        severity="critical",
    ),
    "reader_back": Row(
        "the card reader works again: "
        "compare the cards on the table with the dealer's screen or shoe watch, then press NEXT",
        blocks=True,
        confirm=True,
        choices=("accept", "void"),
    ),
    "reader_fault": Row(
        "the card reader sends more than cards can be drawn: call the pit, and check what is plugged in",
        blocks=True,
        choices=("accept", "end-shoe"),
        severity="critical",
    ),
    "reader_gap": Row(
        "the card reader may have missed cards: "
        "compare the table with the dealer's screen or shoe watch, then press NEXT",
        blocks=True,
        confirm=True,
        choices=("accept", "void"),
        severity="critical",
    ),
    "read_again": Row(
        "the reader read the same code again: if it is the same card, press NEXT; if it is a second one, call the pit",
        blocks=True,
        confirm=True,
        choices=("keep",),
    ),
    "reader_repeats": Row(
        "the reader module repeats what lies before it: call the technician to set its induction or trigger mode"
    ),
    "broker_lost": Row("no connection to the backend: keep dealing, rounds are stored and sent later"),
    "disk_full": Row("the disk was full: call the technician to free some space", severity="critical"),
    "disk_error": Row(
        "the journal could not be written: call the technician to replace the memory card", severity="critical"
    ),
    "clock_jump": Row("the clock was changed: nothing to do", severity="note"),
    "internal_error": Row(
        "error in the shoe's software: call the technician",
        blocks=True,
        choices=("void", "continue"),
        severity="critical",
    ),
    "unshuffled": Row("the cards look unshuffled: call the pit", choices=("continue", "end-shoe"), severity="critical"),
}
"""The default: cards keep the order they were drawn in, whatever happens."""


def cannot_come(irregularity: str, game: Game) -> str:
    """The reason why a game cannot have an irregularity, or ""."""
    return _NEVER[irregularity](game) if irregularity in _NEVER else ""


def policy_of(name: str, game: Game) -> Policy:
    """The rows of a policy for the irregularities that can come in a game."""
    return {id: row for id, row in POLICIES[name].items() if not cannot_come(id, game)}


def _policy(**changes: dict[str, object]) -> Policy:
    """The default with the rows of a house that differ from it."""
    return KEEP_ORDER | {name: replace(KEEP_ORDER[name], **fields) for name, fields in changes.items()}


US_BURN: Final = _policy(
    overdrawn={"todo": "one card too many was drawn: burn it", "action": "burn", "choices": ("void",)},
    drawn_before_bets_closed={
        "todo": "a card was drawn before bets were closed: burn it",
        "action": "burn",
        "choices": (),
    },
)
"""A card too many, or drawn while bets are open, is burned and play goes on. One drawn before a mark stays face down
and is the next card, as rules of blackjack in the United States have it (such as S.D. Admin. R. 20:18:15:28)."""

MACAU: Final = _policy(
    overdrawn={
        "todo": "one card too many was drawn: call the pit",
        "blocks": True,
        "choices": ("keep", "burn", "void"),
    },
    drawn_before_bets_closed={
        "todo": "a card was drawn before bets were closed: call the pit",
        "blocks": True,
        "choices": ("keep", "burn"),
    },
    drawn_before_mark={
        "todo": "a card was drawn too early: call the pit",
        "blocks": True,
        "choices": ("keep", "burn", "remove", "void"),
    },
    missing_third={
        "todo": "the round needs another card: call the pit",
        "blocks": True,
        "choices": ("continue", "void"),
    },
    restarted_mid_round={"blocks": True},
    cut_card_missing={"choices": ("continue", "end-shoe")},
)
"""After a card out of turn, or a NEXT while a third card is due, no card is dealt until the pit has decided."""

STUDIO: Final = _policy(
    face_up={"todo": "a card came out face up: show it to the camera and deal it", "blocks": False, "choices": ()},
    overdrawn={
        "todo": "one card too many was drawn: call the pit to void the round",
        "blocks": True,
        "choices": ("void",),
    },
    drawn_before_bets_closed={
        "todo": "a card was drawn before bets were closed: call the pit",
        "blocks": True,
        "choices": ("burn", "void"),
    },
    duplicate={"choices": ("void",)},
    lid_opened={"choices": ("end-shoe",)},
    unshuffled={"choices": ("end-shoe",)},
)
"""Players see the table through cameras: what they cannot judge themselves is burned or void, never dealt."""

POLICIES: Final[dict[str, Policy]] = {"keep-order": KEEP_ORDER, "us-burn": US_BURN, "macau": MACAU, "studio": STUDIO}


def _unless(holds: Callable[[Game], object], why: str) -> Callable[[Game], str]:
    """Returns `why` for a game of which something does not hold, else ""."""
    return lambda game: "" if holds(game) else why


def _has_equal_cards(game: Game) -> bool:
    """Whether a shoe of a game may hold a card of the same face twice."""
    return max(game.packs) > 1 or max(game.pack.values()) > 1


_NO_VERDICT: Final = _unless(lambda game: game.play.verdict, "no reader judges it")
_ONE_FACE: Final = "no two of its cards have one face: the same one is dropped"
_NO_BURN: Final = _unless(lambda game: game.play.may_burn, "nothing is burned")

_NEVER: Final[dict[str, Callable[[Game], str]]] = {
    "wrong_slot": _NO_VERDICT,
    "result_mismatch": _NO_VERDICT,
    "missing_third": _unless(lambda game: game.play.has_third, "it has no third card"),
    "relabelled_third": lambda _: "the next card is simply the banker's third",
    "drawn_before_mark": _unless(lambda game: game.play.words, "its seats decide nothing"),
    "overdrawn": _unless(
        lambda game: not (game.play.one_round_packs and game.play.may_burn), "after its round the pack is over"
    ),
    "read_again": _unless(_has_equal_cards, _ONE_FACE),
    "reader_repeats": _unless(_has_equal_cards, _ONE_FACE),
    "burn_short": _NO_BURN,
    "burn_over": _NO_BURN,
    "shoe_empty": _unless(lambda game: not game.play.one_round_packs, "a new pack comes before the last card"),
}
"""Irregularity that does not come in every game -> the reason why a game cannot have it, or ""."""
