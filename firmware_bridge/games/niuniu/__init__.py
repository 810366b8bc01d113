"""Niu-niu with a grabbed bank: four seats, one pack a round, every player against the banker."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.banker_round import BET, GRAB, GUEST, SLOTS, Bank, remarks, strategy
from firmware_bridge.games.chances import book, chances
from firmware_bridge.games.game import Demo, Game, Money, Play
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.niuniu.hands import KINDS, WORDS, Hand, kind_of, strength
from firmware_bridge.games.niuniu.script import EACH, NiuNiu, Own, round
from firmware_bridge.games.payouts import Payouts


def summary(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a game, which is one round, from its `round` message."""
    last = rounds[-1]
    hands = {
        slot: {name: hand[name] for name in ("cards", "kind", "multiple", "three")}
        for slot, hand in last["hands"].items()
    }
    return {
        "banker": last["banker"],
        "multiple": last["multiple"],
        "bets": last["multiples"],
        "hands": hands,
        "outcomes": last["outcomes"],
        "net": last["bets"],
    }


def compare(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `winner` of the hands `a` and `b`. Raises KeyError, ValueError for an object without two hands."""
    a, b = (strength(_hand(given[name])) for name in ("a", "b"))
    return {"winner": "a" if a > b else "b"}


def _hand(value: Any) -> list[Card]:
    faces = value["cards"] if isinstance(value, Mapping) else value
    if len(faces) != 5:
        raise ValueError("a hand has five cards")
    return [Card(face) for face in faces]


def _wrong(terms: NiuNiu) -> tuple[str, ...]:
    """Return the mistakes in the bids: one that is there twice, or none above 0."""
    twice = [f"grab: {bid} stands there twice" for bid in sorted(set(terms.grab)) if terms.grab.count(bid) > 1]
    return (*twice, *([] if any(terms.grab) else ["grab: no bid is above 0: add 1, or more"]))


def _unusual(terms: NiuNiu) -> tuple[str, ...]:
    return () if 0 in terms.grab else ("grab has no 0: no seat may decline, so one of them is forced to take the bank",)


PACK: Final = dict.fromkeys(FACES, 1)


def _payouts() -> Payouts:
    from firmware_bridge.games.niuniu.payouts import payouts

    return payouts()


GAME: Final = Game(
    name="niuniu",
    terms=NiuNiu,
    pack=PACK,
    slots=SLOTS,
    areas={slot: (slot,) for slot in SLOTS},
    hand=Hand,
    own=Own,
    shows=Bank,
    play=Play(
        round=round,
        close=lambda terms: "next",
        fewest=lambda terms: EACH * len(SLOTS),
        words=(GRAB, BET, LOT),
        players=range(4, 5),
        one_round_packs=True,
        ends=lambda terms, start: bool(start.before),
        ceremony="banker_last",
    ),
    money=Money(staked=lambda layout, start: dict.fromkeys(SLOTS, "0")),
    guest=GUEST,
    wrong_terms=_wrong,
    unusual_terms=_unusual,
    demo=Demo(strategy=strategy, remarks=remarks, compare=compare, summary=summary),
    odds=lambda: book(
        "niuniu", PACK, "cards left: hands of five", WORDS, lambda left, terms: chances(left, EACH, KINDS, kind_of)
    ),
    payouts=_payouts,
)
