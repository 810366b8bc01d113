"""The topics of a table: who sends them, who receives them, how they are delivered, and when."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual


class Topic(NamedTuple):
    """A topic below `shoe/<table>/`. qos: of what its sender publishes. when: in plain words."""

    name: str
    sender: Literal["shoe", "backend"]
    receivers: str
    qos: Literal[0, 1]
    retained: bool
    says: str
    when: str
    games: tuple[str, ...] = tuple(GAMES)


def topics() -> tuple[Topic, ...]:
    """Return all topics, those of single games too."""
    return (*_STREAMS, *_STATES, *_own(), *_ORDERS)


def _burning() -> str:
    """Return the games in which cards are burned where the house does not say otherwise."""
    return ", ".join(name for name in GAMES if "burn" not in usual(name))


def _betting() -> str:
    """Return the games in which bets are closed before a round where the house does not say otherwise."""
    return ", ".join(name for name in GAMES if usual(name).get("betting") == "required")


PHASES: Final = {
    "empty": "no shoe is open",
    "burning": f"cards are burned first, where the house burns any: `[table] burn`, by default {_burning()}",
    "betting": f"bets may be placed, where a round waits for their end: `[table] betting`, by default {_betting()}",
    "ready": "the next round may begin with its first card, mark or bet",
    "dealing": "a round is under way",
    "complete": "a round has all that it needs, and waits for NEXT, for REVEAL or for a reader's result",
    "ended": "the shoe is over; the next one has to be opened, or opens by itself",
}
"""Phase in the topic `table` -> meaning."""

ERRORS: Final = {
    "over": "the round has ended",
    "unknown": "no mark of this game, or its seat is missing where one is needed",
    "late": "it answers a question of another round or turn than the present one",
    "no_mark_due": "no mark is due: a card or an opening is, or bets have to be closed first",
    "not_possible": "another mark is due",
    "not_your_turn": "this seat is not asked",
    "already_marked": "this seat has said it already",
    "bad_amount": "not an amount that may be given here, or one with a mark that takes none",
    "not_enough_money": "more than the seat's purse holds",
    "bad_target": "the seat named cannot be compared with",
    "not_in_lot": "the seat named takes no part in the lot",
    "no_round": "too few seats take part, so there is no round",
}
"""`code` of a refused mark, or of bets, which its text says in one word -> meaning."""

_ANY: Final = "backend, screens, whoever may read"

_STREAMS: Final = (
    Topic(
        "event",
        "shoe",
        "backend",
        1,
        False,
        "everything that is journaled, in order",
        "after every entry, in every phase",
    ),
    Topic(
        "round",
        "shoe",
        "backend",
        1,
        False,
        "a round that was closed, corrected or voided: what to settle on",
        "as a round ends, or is corrected later",
    ),
)

_STATES: Final = (
    Topic(
        "status",
        "shoe",
        "backend, and the shoe itself",
        1,
        True,
        "whether the bridge is there; `lost` is its will, published by the broker",
        "at every connect, at every change, at the end",
    ),
    Topic(
        "table",
        "shoe",
        _ANY,
        1,
        True,
        "what lies on the table and what comes next",
        "at every change, at most 20 a second",
    ),
    Topic("lamps", "shoe", _ANY, 1, True, "which lamps are lit, how, and why", "at every change, at most 20 a second"),
    Topic("alarm", "shoe", _ANY, 1, True, "the irregularities that are open", "at every change"),
    Topic("health", "shoe", "backend", 0, True, "how reader, disk, queue and machine are", "every 30 s"),
    Topic(
        "checkpoint",
        "shoe",
        "witnesses, whoever compares",
        1,
        True,
        "the newest checkpoint of the signed record, as text; `event` has each one",
        "after every entry that closes or opens something",
    ),
    Topic(
        "odds",
        "shoe",
        "the house's risk desk",
        1,
        True,
        "exact odds of every bet for what is left of the shoe; off by default (`[mqtt] live_odds`)",
        "after every round",
    ),
)

_ORDERS: Final = (
    Topic(
        "command",
        "backend",
        "shoe",
        1,
        False,
        "an order; a mark has to name round and turn, as the topic `table` has them; a retained one is ignored",
        "when the one before it is answered",
    ),
    Topic(
        "stored",
        "backend",
        "shoe",
        1,
        False,
        "a store has all messages up to an entry; heard where `[mqtt] stored` names that store, a retained one never",
        "after every commit",
    ),
    Topic(
        "witnessed",
        "backend",
        "shoe, whoever compares",
        1,
        True,
        "a checkpoint that a quorum of witnesses has cosigned, as text",
        "when the quorum is there",
    ),
    Topic("reply", "shoe", "whoever gave the order", 1, False, "the answer to an order", "after every order"),
)


def _own() -> tuple[Topic, ...]:
    """Return the topics of a game's own."""
    return tuple(
        Topic(each.name, "shoe", _ANY, 1, True, f"what only {name} shows, round by round", "after every round", (name,))
        for name, game in GAMES.items()
        for each in game.topics
    )
